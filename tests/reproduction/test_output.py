"""The files of a figure, and what the console shows of it."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from rich.console import Console
from rich.table import Table as ShownTable

from svm_cost_curves.experiments.plotting import Picture
from svm_cost_curves.experiments.reproduction.build import write_texts
from svm_cost_curves.experiments.reproduction.drawing import claims_table, figure_table, show
from svm_cost_curves.experiments.reproduction.evidence import Bold, FigureResult, Table
from svm_cost_curves.experiments.reproduction.numbers import Number
from svm_cost_curves.experiments.reproduction.report.figures import read_table, read_verdict
from svm_cost_curves.experiments.reproduction.report.rendering import render
from svm_cost_curves.experiments.reproduction.verdict import Case, Claim, Reading, Verdict

CASES = [
    Case("adult", "holds", "3 | 4 times", statistic={"ratio": 3.0, "bad": float("nan")}, name="a", about="Adult"),
    Case("web", "fails", "2, 1 times", "it is slow", name="a", about="Web"),
]
READING = Reading("", "", "", "", "mixed", CASES, data=["paper"])
CLAIM = Claim("sbp.1", "it is faster", "", "", "because", [READING], [], [])
VERDICT = Verdict(
    figure="sbp_fig2",
    scale="demo",
    stand_in={"digits": "asked for"},
    commit="c" * 40,
    dirty=True,
    command="python3 reproduce.py figure=sbp_fig2",
    claims=[CLAIM],
    numbers=[
        Number("nu", 1.1e-2, 1.097e-2, "", 1, 1.097e-2, 1.097e-2, 5e-5, "agrees"),
        Number("time", 195.0, 40.0, "s"),
    ],
    absent={"mnist": "no file"},
    missing={"adult: sbp": "of 3 runs 1 failed"},
    run_commits=["d" * 40 + " with uncommitted changes"],
    disturbed={"adult": "2 of 3 runs: CPU time at least 0.50 of wall time, load at most 3.0 a core"},
)
EMPTY = Verdict("f", "paper", {}, None, None, "cmd", [], [])
TABLE = Table(["a", "b"], [["1", "x|y"], ["", Bold("2")]], ["a note"])


def draw(figure) -> None:  # type: ignore[no-untyped-def]
    figure.subplots().plot([1, 2], [3, 4])


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """A folder with the texts of a figure."""
    facts = {"heading": "Figure 2 of somebody", "paper": "sbp", "seeds": 3, "machine": {"cpu": "a", "cores": 2}}
    made = FigureResult(lambda: pd.DataFrame({"x": [1.0, 2.0]}), draw, (5.0, 3.0), lambda: TABLE)
    write_texts(tmp_path, made, replace(VERDICT, **facts))
    return tmp_path


def test_texts(written: Path) -> None:
    verdict = json.loads((written / "verdict.json").read_text())
    first = ("figure", "scale", "stand_in", "commit", "dirty", "command", "claims", "numbers")
    assert tuple(verdict)[: len(first)] == first
    reading = verdict["claims"][0]["readings"][0]
    assert reading["rulings"][0]["statistic"] == {"ratio": 3.0, "bad": None}
    assert (reading["held"], reading["run"], reading["decided_by"]) == (1, 2, "Web: 2, 1 times")
    assert reading["text"] == "mixed on the paper's data (1 of 2)"
    assert [number["outcome"] for number in verdict["numbers"]] == ["agrees", "not judged"]
    assert pd.read_csv(written / "data.csv")["x"].tolist() == [1.0, 2.0]
    table = "| a | b |\n| ---: | --- |\n| 1 | x\\|y |\n|  | **2** |\n\na note\n"
    assert (written / "table.md").read_text() == table
    text = (written / "verdict.md").read_text()
    for part in (
        "Stand-in",
        "digits",
        "mnist",
        "1 failed",
        "sbp.1: ◐ mixed on the paper's data (1 of 2)",
        "- **Uncommitted changes.** `cccccccccccc`: the figure was made with uncommitted changes",
        "- **Uncommitted changes.** `dddddddddddd`: runs were made with uncommitted changes",
        "- **Disturbed timed runs.** `adult`: 2 of 3 runs",
        f"commit {'c' * 40} with uncommitted changes",
        "✓ agrees",
        "3 \\| 4 times",
    ):
        assert part in text
    assert render("verdict.md.j2", verdict=replace(EMPTY, heading="Heading")) == (
        "# Heading\n\nScale paper; commit unknown; `cmd`\n"
    )
    assert render("table.md.j2", table=Table(("a",), [("1",)])) == "| a |\n| ---: |\n| 1 |\n"


def test_what_is_written_is_read_back(written: Path) -> None:
    assert read_table((written / "table.json").read_bytes()) == TABLE
    verdict = read_verdict((written / "verdict.json").read_bytes())
    first = replace(CASES[0], statistic={"ratio": 3.0, "bad": None})
    assert verdict.claims == [replace(CLAIM, readings=[replace(READING, rulings=[first, CASES[1]])])]
    assert (verdict.numbers, verdict.absent, verdict.missing) == (VERDICT.numbers, VERDICT.absent, VERDICT.missing)
    assert (verdict.commit, verdict.dirty, verdict.paper, verdict.seeds) == (VERDICT.commit, True, "sbp", 3)
    assert shown(claims_table(verdict)) == shown(claims_table(VERDICT))
    cases = pd.read_csv(written / "cases.csv", keep_default_na=False)
    assert cases["measured"].tolist() == ["3 | 4 times", "2, 1 times"]
    row = ("sbp.1", "", "web", "Web", "fails", "2, 1 times", "it is slow")
    names = ("claim", "reading", "data set", "case", "ruling", "measured", "note")
    assert cases.loc[1].to_dict() == dict(zip(names, row, strict=True))


def test_pictures(tmp_path: Path) -> None:
    picture = Picture(draw, (5.0, 3.0), "A title of $5", ["commit $x$ and a very long line " * 20])
    for folder in (tmp_path, tmp_path / "again"):
        picture.save(folder / "figure.png", folder / "figure.pdf")
    for name, begins in (("figure.png", b"\x89PNG"), ("figure.pdf", b"%PDF")):
        content = (tmp_path / name).read_bytes()
        assert content.startswith(begins)
        assert (tmp_path / "again" / name).read_bytes() == content


def shown(table: ShownTable, width: int = 120) -> str:
    out = io.StringIO()
    Console(file=out, width=width).print(table)
    return out.getvalue()


def test_the_console_shows_a_claim_in_a_line_with_its_verdict_and_the_case_that_decided() -> None:
    (line,) = [line for line in shown(claims_table(VERDICT)).splitlines() if "sbp" in line]
    parts = [part.strip() for part in line.split("   ") if part.strip()]
    assert parts == ["sbp.1", "mixed on the paper's data (1 of 2)", "Web: 2, 1 times"]
    long = replace(CASES[1], measured="one number and another " * 100)
    claim = replace(CLAIM, readings=[replace(READING, rulings=[CASES[0], long])])
    text = shown(claims_table(replace(VERDICT, claims=[claim])))
    assert "..." in text
    assert len(text.splitlines()) < 8


def test_the_console_shows_a_table_without_ranges_and_with_whole_names() -> None:
    names = ("margin_perceptron:margin=0.25", "margin_perceptron:margin=0.75")
    rows = [[name, {"bold": "1,020 [929, 1,100]"}] for name in names]
    text = shown(figure_table({"columns": ["solver", "cost"], "rows": rows}), width=30)
    assert "\N{HORIZONTAL ELLIPSIS}" not in text
    assert ("25" in text, "75" in text, "1,020" in text, "929" in text) == (True, True, True, False)


def test_the_last_line_names_the_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("figure.png", "table.md", "verdict.md", "paper.pdf", "paper.txt"):
        (tmp_path / name).touch()
    show(EMPTY, tmp_path)
    assert capsys.readouterr().out.splitlines() == [
        f"verdict: {tmp_path / 'verdict.md'}",
        f"table: {tmp_path / 'table.md'}",
        f"for a paper: {tmp_path / 'paper.pdf'}",
        f"for a paper: {tmp_path / 'paper.txt'}",
        f"figure: {tmp_path / 'figure.png'}",
    ]
