"""What the console shows of a finished figure."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pytest
from rich.console import Console
from rich.table import Table

from svm_cost_curves.experiments.papers.cases import Case, _decided_by
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult
from svm_cost_curves.experiments.reproduction.output import as_json, write_texts
from svm_cost_curves.experiments.reproduction.report.verdict_reader import read_verdict
from svm_cost_curves.experiments.reproduction.statistics import Decision
from svm_cost_curves.experiments.reproduction.summary import claims_table, figure_table, show
from svm_cost_curves.experiments.reproduction.verdict import Claim, Outcome, Reading, Ruling, Verdict, outcome_of


def verdict(claims: Sequence[Claim] = ()) -> Verdict:
    return Verdict("mine", "demo", {}, None, None, "python reproduce.py", claims, ())


def claim(decided_by: str) -> Claim:
    reading = Reading("", "", "", "", "mostly", 2, 3, measured="long " * 600, decided_by=decided_by)
    return Claim("mine.1", "It is faster.", "", "", "", [reading])


def text_of(table: Table) -> str:
    out = io.StringIO()
    Console(file=out, width=120).print(table)
    return out.getvalue()


def case(ruling: Ruling, measured: str) -> Case:
    return Case(("adult", measured), "Adult", Decision(ruling), measured)


def test_a_claim_is_a_line_with_its_verdict_and_the_case_that_decided() -> None:
    (line,) = [line for line in text_of(claims_table(verdict([claim("Adult: 3.1 s")]))).splitlines() if "mine" in line]
    assert [part.strip() for part in line.split("   ") if part.strip()] == [
        "mine.1",
        "mostly reproduced (2 of 3)",
        "Adult: 3.1 s",
    ]


def test_long_measurements_are_cut() -> None:
    text = text_of(claims_table(verdict([claim("Adult: " + "one number and another " * 100)])))
    assert "..." in text
    assert len(text.splitlines()) < 8


@pytest.mark.parametrize(
    ("rulings", "decided"),
    [
        (["holds", "holds"], 0),
        (["holds", "unclear", "fails"], 2),
        (["holds", "unclear", "missing"], 1),
        (["missing"], None),
    ],
)
def test_the_case_that_decides(rulings: list[Ruling], decided: int | None) -> None:
    cases = [case(ruling, "" if ruling == "missing" else f"number {k}") for k, ruling in enumerate(rulings)]
    outcome: Outcome = outcome_of(rulings)
    assert _decided_by(cases, outcome) == ("" if decided is None else f"Adult: number {decided}")


def test_it_is_not_compared_with_the_published_verdict() -> None:
    assert "decided_by" not in json.dumps(as_json(verdict([claim("Adult: 3.1 s")])))


def test_it_is_shown_of_a_verdict_that_was_read_from_its_file(tmp_path: Path) -> None:
    result = FigureResult(pd.DataFrame({"x": [1.0]}), lambda _: None, (1, 1), claims=[claim("Adult: 3.1 s")])
    write_texts(tmp_path, result, verdict(result.claims), {"heading": "Figure 1", "paper": "mine"})
    read = read_verdict((tmp_path / "verdict.json").read_bytes())
    assert "Adult: 3.1 s" in text_of(claims_table(read))


def test_a_table_is_shown_without_ranges() -> None:
    text = text_of(figure_table({"columns": ["solver", "cost"], "rows": [["SBP", {"bold": "1,020 [929, 1,100]"}]]}))
    assert "1,020" in text
    assert "929" not in text


def test_the_last_line_names_the_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("figure.png", "table.md", "verdict.md", "paper.pdf", "paper.txt"):
        (tmp_path / name).touch()
    show(verdict(), tmp_path)
    assert capsys.readouterr().out.splitlines() == [
        f"verdict: {tmp_path / 'verdict.md'}",
        f"table: {tmp_path / 'table.md'}",
        f"for a paper: {tmp_path / 'paper.pdf'}",
        f"for a paper: {tmp_path / 'paper.txt'}",
        f"figure: {tmp_path / 'figure.png'}",
    ]
