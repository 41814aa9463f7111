"""A small figure, and a fake store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from published_cases import FIGURE, reproduce
from report_cases import described_by, some_figures, some_specs
from store_cases import TOY, FakeStore

from svm_cost_curves.experiments.reproduction.options import Options
from svm_cost_curves.experiments.reproduction.series_spec import SeriesSpec
from svm_cost_curves.experiments.reproduction.spec import ClaimSpec, FigureSpec, NumberSpec, ScaleSpec


@pytest.fixture
def store() -> FakeStore:
    return FakeStore()


@pytest.fixture
def options(tmp_path: Path) -> Options:
    return Options("paper", jobs=2, overrides=(f"store.root={tmp_path / 'store'}",))


@pytest.fixture
def figure() -> FigureSpec:
    return FigureSpec(
        id="sbp_toy",
        paper="sbp",
        label="Figure 9",
        title="a toy",
        maker="toy_maker",
        datasets=["synthetic"],
        series=[
            SeriesSpec("sbp", ["algo=sbp", *TOY]),
            SeriesSpec("smo", ["algo=smo", *TOY], seeds=1),
        ],
        scales={
            "demo": ScaleSpec(1, ["budget.epochs=0.1"]),
            "quick": ScaleSpec(2),
            "paper": ScaleSpec(3),
        },
        claims=[ClaimSpec("sbp.toy", "it works")],
        numbers=[NumberSpec("answer", 42.0, "%", 0.5)],
    )


@pytest.fixture
def figures(tmp_path: Path) -> Path:
    return some_figures(tmp_path / "figures")


@pytest.fixture
def specs(tmp_path: Path) -> Iterator[Path]:
    with described_by(some_specs(tmp_path / "specs")) as folder:
        yield folder


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a figure, its store and its evidence."""
    folder = tmp_path_factory.mktemp("published")
    (folder / "mine_x.yaml").write_text(FIGURE, encoding="utf-8")
    assert reproduce(folder, "scale=demo") == 0
    assert reproduce(folder, "publish", "scale=demo") == 0
    return folder
