"""What the console shows of a finished figure."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pytest
from rich.console import Console
from rich.table import Table

from svm_cost_curves.experiments.reproduction.figure_result import FigureResult
from svm_cost_curves.experiments.reproduction.output import write_texts
from svm_cost_curves.experiments.reproduction.report.verdict_reader import read_verdict
from svm_cost_curves.experiments.reproduction.summary import claims_table, figure_table, show
from svm_cost_curves.experiments.reproduction.verdict import CaseRuling, Claim, Reading, Verdict


def verdict(claims: Sequence[Claim] = ()) -> Verdict:
    return Verdict("mine", "demo", {}, None, None, "python3 reproduce.py", claims, ())


def claim(seconds: str) -> Claim:
    cases = [CaseRuling("adult", "holds", "4 s", about="Adult")] * 2
    reading = Reading("", "", "", "", "mostly", [*cases, CaseRuling("adult", "fails", seconds, about="Adult")])
    return Claim("mine.1", "It is faster.", "", "", "", [reading])


def text_of(table: Table) -> str:
    out = io.StringIO()
    Console(file=out, width=120).print(table)
    return out.getvalue()


def test_a_claim_is_a_line_with_its_verdict_and_the_case_that_decided() -> None:
    (line,) = [line for line in text_of(claims_table(verdict([claim("3.1 s")]))).splitlines() if "mine" in line]
    assert [part.strip() for part in line.split("   ") if part.strip()] == [
        "mine.1",
        "mostly reproduced (2 of 3)",
        "Adult: 3.1 s",
    ]


def test_long_measurements_are_cut() -> None:
    text = text_of(claims_table(verdict([claim("one number and another " * 100)])))
    assert "..." in text
    assert len(text.splitlines()) < 8


def test_it_is_shown_of_a_verdict_that_was_read_from_its_file(tmp_path: Path) -> None:
    result = FigureResult(pd.DataFrame({"x": [1.0]}), lambda _: None, (1, 1), claims=[claim("3.1 s")])
    write_texts(tmp_path, result, verdict(result.claims), {"heading": "Figure 1", "paper": "mine"})
    read = read_verdict((tmp_path / "verdict.json").read_bytes())
    assert "Adult: 3.1 s" in text_of(claims_table(read))


def test_a_table_is_shown_without_ranges() -> None:
    text = text_of(figure_table({"columns": ["solver", "cost"], "rows": [["SBP", {"bold": "1,020 [929, 1,100]"}]]}))
    assert "1,020" in text
    assert "929" not in text


def test_long_names_are_not_cut() -> None:
    names = ("margin_perceptron:margin=0.25", "margin_perceptron:margin=0.75")
    out = Console(file=io.StringIO(), width=30)
    out.print(figure_table({"columns": ["solver", "cost"], "rows": [[name, "123,456,789"] for name in names]}))
    text = out.file.getvalue()  # type: ignore[attr-defined]
    assert "\N{HORIZONTAL ELLIPSIS}" not in text
    assert ("25" in text, "75" in text) == (True, True)


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
