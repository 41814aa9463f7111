from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from omegaconf import OmegaConf

from svm_cost_curves.datasets import Dataset, DatasetConfig, DatasetSpec, FileData, load, spec_of
from svm_cost_curves.datasets.fetch import MIRROR_VARIABLE

CONF = Path(__file__).parents[2] / "conf" / "dataset"


@pytest.fixture(scope="session")
def compose() -> Callable[..., DatasetSpec]:
    """Read a shipped YAML through the schema: ``compose("mnist", "positive=[3]")``."""

    def run(name: str, *overrides: str) -> DatasetSpec:
        conf = OmegaConf.merge(
            OmegaConf.structured(DatasetConfig),
            OmegaConf.load(CONF / f"{name}.yaml"),
            OmegaConf.from_dotlist([*overrides]),
        )
        config = OmegaConf.to_object(conf)
        assert isinstance(config, DatasetConfig)
        return spec_of(config, [override.partition("=")[0] for override in overrides])

    return run


@pytest.fixture
def no_mirror(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what the test names is looked at."""
    monkeypatch.delenv(MIRROR_VARIABLE, raising=False)


@pytest.fixture
def load_text(tmp_path: Path, no_mirror: None) -> Callable[..., Dataset]:
    """Load user files from their text: ``load_text("1 1:2\\n...", test=..., suffix=".svm", d=3)``."""

    def run(train: str | bytes, test: str | bytes | None = None, suffix: str = ".svm", **fields: Any) -> Dataset:
        paths = {}
        for name, text in (("train", train), ("test", test)):
            if text is not None:
                path = tmp_path / f"{name}{suffix}"
                path.write_bytes(text.encode() if isinstance(text, str) else text)
                paths[name] = str(path)
        return load(FileData(name="t", **paths, **fields), cache_dir=tmp_path / "cache")

    return run
