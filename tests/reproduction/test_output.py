"""The files of a figure."""

from __future__ import annotations

import errno
import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from svm_cost_curves.experiments.plotting import Picture
from svm_cost_curves.experiments.reproduction.figure_result import Bold, FigureResult, Table
from svm_cost_curves.experiments.reproduction.numbers import Number
from svm_cost_curves.experiments.reproduction.output import write_texts
from svm_cost_curves.experiments.reproduction.report.rendering import render
from svm_cost_curves.experiments.reproduction.report.verdict_reader import read_table, read_verdict
from svm_cost_curves.experiments.reproduction.verdict import CaseRuling, Claim, Reading, Verdict
from svm_cost_curves.support.files import new_folder

CASES = [
    CaseRuling("adult", "holds", "3 | 4 times", statistic={"ratio": 3.0, "bad": float("nan")}, name="a", about="Adult"),
    CaseRuling("web", "fails", "2, 1 times", "it is slow", name="a", about="Web"),
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
FACTS = {"heading": "Figure 2 of somebody"}
TABLE = Table(["a", "b"], [["1", "x|y"], ["", Bold("2")]], ["a note"])


def made() -> FigureResult:
    def draw(figure) -> None:  # type: ignore[no-untyped-def]
        figure.subplots().plot([1, 2], [3, 4])

    return FigureResult(pd.DataFrame({"x": [1.0, 2.0]}), draw, (5.0, 3.0), lambda: TABLE)


def test_texts(tmp_path: Path) -> None:
    write_texts(tmp_path, made(), VERDICT, FACTS)
    written = json.loads((tmp_path / "verdict.json").read_text())
    first = ("figure", "scale", "stand_in", "commit", "dirty", "command", "claims", "numbers")
    assert tuple(written)[: len(first)] == first
    reading = written["claims"][0]["readings"][0]
    assert reading["rulings"][0]["statistic"] == {"ratio": 3.0, "bad": None}
    assert (reading["held"], reading["run"], reading["decided_by"]) == (1, 2, "Web: 2, 1 times")
    assert reading["text"] == "mixed on the paper's data (1 of 2)"
    assert [number["outcome"] for number in written["numbers"]] == ["agrees", "not judged"]
    assert pd.read_csv(tmp_path / "data.csv")["x"].tolist() == [1.0, 2.0]
    table = "| a | b |\n| ---: | --- |\n| 1 | x\\|y |\n|  | **2** |\n\na note\n"
    assert (tmp_path / "table.md").read_text() == table
    text = (tmp_path / "verdict.md").read_text()
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


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    write_texts(tmp_path, made(), VERDICT, FACTS | {"paper": "sbp", "seeds": 3, "machine": {"cpu": "a", "cores": 2}})
    assert read_table((tmp_path / "table.json").read_bytes()) == TABLE
    verdict = read_verdict((tmp_path / "verdict.json").read_bytes())
    first = replace(CASES[0], statistic={"ratio": 3.0, "bad": None})
    assert verdict.claims == [replace(CLAIM, readings=[replace(READING, rulings=[first, CASES[1]])])]
    assert (verdict.numbers, verdict.absent, verdict.missing) == (VERDICT.numbers, VERDICT.absent, VERDICT.missing)
    assert (verdict.commit, verdict.dirty, verdict.paper, verdict.seeds) == (VERDICT.commit, True, "sbp", 3)


def test_the_cases_are_a_table(tmp_path: Path) -> None:
    write_texts(tmp_path, made(), VERDICT, FACTS)
    cases = pd.read_csv(tmp_path / "cases.csv", keep_default_na=False)
    assert cases["measured"].tolist() == ["3 | 4 times", "2, 1 times"]
    assert cases.loc[1].to_dict() == {
        "claim": "sbp.1",
        "reading": "",
        "data set": "web",
        "case": "Web",
        "ruling": "fails",
        "measured": "2, 1 times",
        "note": "it is slow",
    }


def test_a_table_without_notes() -> None:
    assert render("table.md.j2", table=Table(("a",), [("1",)])) == "| a |\n| ---: |\n| 1 |\n"


def test_a_verdict_without_claims_has_a_heading() -> None:
    empty = Verdict("f", "paper", {}, None, None, "cmd", [], [])
    assert render("verdict.md.j2", verdict=empty, heading="Heading") == (
        "# Heading\n\nScale paper; commit unknown; `cmd`\n"
    )


def test_pictures(tmp_path: Path) -> None:
    picture = Picture(made().draw, made().size, "A title of $5", ["commit $x$ and a very long line " * 20])
    for folder in (tmp_path, tmp_path / "again"):
        picture.save(folder / "figure.png", folder / "figure.pdf")
    assert (tmp_path / "figure.png").read_bytes()[:4] == b"\x89PNG"
    assert (tmp_path / "figure.pdf").read_bytes()[:4] == b"%PDF"
    for name in ("figure.png", "figure.pdf"):
        assert (tmp_path / "again" / name).read_bytes() == (tmp_path / name).read_bytes()


def test_all_or_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "id" / "demo"
    with new_folder(folder) as draft:
        (draft / "old").write_text("old")
    assert [path.name for path in folder.iterdir()] == ["old"]

    def fill(draft: Path) -> None:
        (draft / "new").write_text("half")
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match="No space"), new_folder(folder) as draft:
        fill(draft)
    assert [path.name for path in folder.iterdir()] == ["old"]
    assert [path.name for path in folder.parent.iterdir()] == ["demo"]

    with new_folder(folder) as draft:
        (draft / "new").write_text("new")
    assert [path.name for path in folder.iterdir()] == ["new"]
    assert [path.name for path in folder.parent.iterdir()] == ["demo"]
