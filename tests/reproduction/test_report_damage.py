from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st
from report_cases import claim_json, described_by, png, put, report_text, verdict

from svm_cost_curves.experiments.reproduction.figure_commands import last_verdict
from svm_cost_curves.experiments.reproduction.numbers import Number, NumberOutcome
from svm_cost_curves.experiments.reproduction.report.figures import collect
from svm_cost_curves.experiments.reproduction.report.pages import write_scorecards
from svm_cost_curves.experiments.reproduction.verdict import Outcome

CLAIM = verdict()["claims"][0]


def test_a_last_verdict_that_is_a_pipe_is_damaged(tmp_path: Path) -> None:
    assert last_verdict(tmp_path) == ""
    os.mkfifo(tmp_path / "verdict.json")
    assert last_verdict(tmp_path) == "damaged"


def write(name: str, content: str | bytes) -> Callable[[Path], object]:
    data = content if isinstance(content, bytes) else content.encode()
    return lambda folder: (folder / name).write_bytes(data)


TABLE = '{"columns": ["a", "b"], "rows": [["1", "2"], ["3"]]}'
DAMAGE: dict[str, tuple[Callable[[Path], object], str]] = {
    "no verdict": (lambda folder: (folder / "verdict.json").unlink(), "verdict.json is missing."),
    "half a verdict": (write("verdict.json", '{"claims": [{'), "column 13"),
    "a list": (write("verdict.json", "[]"), "verdict.json is damaged"),
    "a folder": (
        lambda folder: ((folder / "verdict.json").unlink(), (folder / "verdict.json").mkdir()),
        "verdict.json cannot be read",
    ),
    "a pipe": (
        lambda folder: ((folder / "verdict.json").unlink(), os.mkfifo(folder / "verdict.json")),
        "verdict.json cannot be read: Not a plain file.",
    ),
    "too deep": (write("verdict.json", "[" * 100_000), "verdict.json is damaged"),
    "no picture": (lambda folder: (folder / "figure.png").unlink(), "figure.png is missing."),
    "cut picture": (write("figure.png", png()[:-30]), "figure.png is damaged"),
    "no data": (lambda folder: (folder / "data.csv").unlink(), "data.csv is missing."),
    "half a table": (write("table.json", '{"columns": ["a"'), "table.json is damaged"),
    "short row": (write("table.json", TABLE), "table.json is damaged: rows[2] has 1 cells, not 2."),
    "figure of an older version": (write("table.md", "| a |\n| --- |\n"), "make the figure again for its table."),
}
VERDICT_IS_READ = {"no picture", "cut picture", "no data", "half a table", "short row", "figure of an older version"}


@pytest.mark.parametrize("name", DAMAGE)
def test_damage_is_named_and_the_rest_of_the_page_is_shown(
    name: str, figures: Path, specs: Path, tmp_path: Path
) -> None:
    damage, message = DAMAGE[name]
    damage(figures / "sbp_fig2" / "paper")
    shown = report_text(write_scorecards(figures, tmp_path / "report"))
    assert message in shown
    assert "It does, by 0.2 points." in shown
    assert str(tmp_path) not in shown
    state = collect(figures).figures[1].state
    assert state == ("reproduced" if name in VERDICT_IS_READ else "damaged")


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("claims", {}, "claims: input should be"),
        (
            "claims",
            [CLAIM, claim_json("perhaps")],
            "claims[2].readings[1].outcome: input should be 'reproduced', 'mostly'",
        ),
        ("claims", [CLAIM | {"readings": []}], "claims[1].readings is empty"),
        (
            "numbers",
            [{"name": "a", "paper": "15", "measured": 1.0}],
            "numbers[1].paper: input should be a valid number",
        ),
        ("numbers", [{"name": "a", "paper": 1, "measured": float("nan")}], "expected value at line 1"),
        ("stand_in", ["adult"], "stand_in: input should be an object"),
    ],
)
def test_a_wrong_field_is_named_and_the_figure_is_damaged(
    field: str, value: object, message: str, tmp_path: Path, specs: Path
) -> None:
    figures = tmp_path / "figures"
    put(figures, "sbp_fig2", "paper", verdict(**{field: value}))
    assert f"verdict.json is damaged: {message}" in report_text(write_scorecards(figures, tmp_path / "report"))
    assert collect(figures).figures[0].state == "damaged"


def test_several_wrong_fields_are_counted(tmp_path: Path, specs: Path) -> None:
    put(tmp_path / "figures", "sbp_fig2", "paper", {"figure": "sbp_fig2"})
    (result,) = collect(tmp_path / "figures").figures[0].results
    assert result.problems == ("verdict.json is damaged: scale: field required (6 more such faults).",)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
any_field = st.sampled_from([*verdict(), "absent", "missing", "run_commits", "data_sets", "seeds", "made", "machine"])
any_text = st.text(st.characters(codec="utf-8"), max_size=12)
any_number = st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
any_end = st.none() | st.floats(0, 1)
valid_claim = st.builds(
    lambda outcome, text, count: claim_json(outcome, text, readings=claim_json(outcome, text)["readings"] * count),
    st.sampled_from(get_args(Outcome)),
    any_text,
    st.integers(1, 3),
)
valid_number = st.builds(
    Number,
    any_text,
    st.floats(-10, 10),
    any_number,
    any_text,
    st.integers(0, 9),
    any_end,
    any_end,
    any_end,
    st.sampled_from(get_args(NumberOutcome)),
    any_text,
).map(asdict)
valid_table = st.integers(1, 3).flatmap(
    lambda width: st.fixed_dictionaries(
        {
            "columns": st.lists(any_text, min_size=width, max_size=width),
            "rows": st.lists(st.lists(any_text | st.builds(dict, bold=any_text), min_size=width, max_size=width)),
            "notes": st.lists(any_text, max_size=2),
        }
    )
)


@pytest.mark.filterwarnings("ignore:Glyph")  # no font has them all
@examples(max_examples=60)
@given(
    st.lists(valid_claim, max_size=2),
    st.lists(valid_number, max_size=2),
    st.dictionaries(any_field, json_values, max_size=2),
    valid_table | json_values,
)
def test_there_is_a_page_for_any_content(
    claims: list[Any], numbers: list[Any], fields: dict[str, Any], table: Any
) -> None:
    with tempfile.TemporaryDirectory() as name, described_by(Path(name)):
        place = Path(name)
        put(place / "figures", "sbp_fig2", "paper", verdict(claims=claims, numbers=numbers) | fields, table=table)
        report_text(write_scorecards(place / "figures", place / "report"))
        (figure,) = collect(place / "figures").figures
        assert fields or figure.verdict is not None, figure.results[0].problems
