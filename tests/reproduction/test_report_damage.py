from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from report_cases import Page, png, put, some_figures, some_specs, verdict

from experiments.reproduction.report import write_markdown, write_report
from experiments.reproduction.report.collect import collect


@pytest.fixture
def figures(tmp_path: Path) -> Path:
    return some_figures(tmp_path / "figures")


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    return some_specs(tmp_path / "specs")


DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "no verdict": (lambda folder: (folder / "verdict.json").unlink(), "verdict.json is missing."),
    "empty verdict": (lambda folder: (folder / "verdict.json").write_text(""), "verdict.json is damaged at line 1"),
    "half a verdict": (lambda folder: (folder / "verdict.json").write_text('{"claims": [{'), "column 14"),
    "a list": (lambda folder: (folder / "verdict.json").write_text("[]"), "it holds no object"),
    "not UTF-8": (lambda folder: (folder / "verdict.json").write_bytes(b'{"a": "\xff"}'), "it is not UTF-8"),
    "a folder": (
        lambda folder: ((folder / "verdict.json").unlink(), (folder / "verdict.json").mkdir()),
        "verdict.json cannot be read",
    ),
    "too deep": (lambda folder: (folder / "verdict.json").write_text("[" * 100_000), "verdict.json is damaged"),
    "no picture": (lambda folder: (folder / "figure.png").unlink(), "figure.png is missing."),
    "cut picture": (lambda folder: (folder / "figure.png").write_bytes(png()[:-30]), "figure.png is damaged"),
    "no data": (lambda folder: (folder / "data.csv").unlink(), "data.csv is missing."),
    "table not UTF-8": (lambda folder: (folder / "table.md").write_bytes(b"\xff"), "table.md is damaged"),
    "nothing": (lambda folder: (shutil.rmtree(folder), folder.mkdir()), "verdict.json is missing."),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_shown_and_the_rest_of_the_page_is_there(
    name: str, figures: Path, specs: Path, tmp_path: Path
) -> None:
    damage, message = DAMAGE[name]
    damage(figures / "sbp_fig2" / "paper")
    page = Page(write_report(figures, tmp_path / "report", specs=specs))
    assert message in page.text
    assert "It does, by 0.2 points." in page.text
    text = write_markdown(figures, tmp_path / "docs", "sbp", specs=specs).read_text(encoding="utf-8")
    assert message in text
    assert str(tmp_path) not in page.text + text
    state = collect(figures, specs).figures[1].state
    picture_or_data = name in ("no picture", "cut picture", "no data", "table not UTF-8")
    assert state == ("reproduced" if picture_or_data else "damaged")


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("claims", {}, "claims is not what it should be"),
        ("claims", [1], "claims[1] is not"),
        ("claims", [{"verdict": "perhaps"}], "claims[1].verdict is not"),
        ("numbers", [{"paper": "15"}], "numbers[1].paper is not"),
        ("numbers", [{"paper": 1, "measured": [2]}], "numbers[1].measured is not"),
        ("numbers", [{"paper": 1, "measured": float("nan")}], "numbers[1].measured is not"),
        ("stand_in", ["adult"], "stand_in is not"),
        ("machine", 2, "machine is not"),
        ("command", ["python"], "command is not"),
    ],
)
def test_a_field_that_is_something_else_is_named(
    field: str, value: object, message: str, tmp_path: Path, specs: Path
) -> None:
    put(tmp_path / "figures", "sbp_fig2", "paper", verdict(**{field: value}))
    assert message in Page(write_report(tmp_path / "figures", tmp_path / "report", specs=specs)).text
    assert message in write_markdown(tmp_path / "figures", tmp_path, "sbp", specs=specs).read_text(encoding="utf-8")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
any_field = st.sampled_from([*verdict(), "absent", "missing", "run_commits", "data_sets", "seeds", "made", "machine"])
any_claim = st.dictionaries(st.sampled_from([*verdict()["claims"][0]]), json_values)
any_number = st.dictionaries(st.sampled_from([*verdict()["numbers"][0]]), json_values)


@examples(max_examples=60)
@given(
    st.dictionaries(any_field, json_values),
    st.lists(any_claim, max_size=2),
    st.lists(any_number | st.floats(-10, 10).map(lambda paper: {"paper": paper, "measured": -paper}), max_size=2),
    st.text(max_size=40),
)
def test_whatever_a_verdict_holds_there_is_a_page(
    fields: dict[str, Any], claims: list[Any], numbers: list[Any], table: str
) -> None:
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        folder = place / "figures" / "sbp_fig2" / "paper"
        folder.mkdir(parents=True)
        content = {"claims": claims, "numbers": numbers} | fields
        (folder / "verdict.json").write_text(json.dumps(content), encoding="utf-8")
        (folder / "table.md").write_text(table, encoding="utf-8", errors="replace")
        Page(write_report(place / "figures", place / "report", specs=place))
        paper = collect(place / "figures", place).figures[0].paper
        if paper == "sbp":
            write_markdown(place / "figures", place / "docs", "sbp", specs=place)
