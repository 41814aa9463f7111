"""The scorecards of docs/results are made from the evidence; a page that was edited is noticed."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest
from evidence_cases import finished_run

from experiments.provenance import PROJECT_ROOT
from experiments.reproduction.cli import main
from experiments.reproduction.published import (
    EVIDENCE,
    RESULTS,
    EvidenceError,
    checksum,
    published_figures,
    read_facts,
    write_evidence,
    write_sums,
    write_verdict,
)
from experiments.reproduction.results import SOURCES, write_results
from experiments.reproduction.spot_check import CHECKS, Comparison, record_check


@pytest.fixture(scope="module")
def without_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The evidence of a figure of a paper that needs no runs, and the pages made from it."""
    folder = tmp_path_factory.mktemp("results")
    assert publish(folder, "figure=minibatch_counterexample", "scale=demo") == 0
    assert publish(folder, "figure=report") == 0
    return folder


def publish(folder: Path, *words: str) -> int:
    return main(
        ["publish", *words, *(f"{name}={folder / name}" for name in ("store", "evidence", "results", "report"))]
    )


def test_the_pages_are_made_from_the_evidence_and_are_the_same_each_time(without_runs: Path, tmp_path: Path) -> None:
    pages = without_runs / "results"
    verdict = read_facts(without_runs / "evidence", "minibatch_counterexample")["verdict"]
    text = (pages / "minibatch.md").read_text()
    for claim in verdict["claims"]:
        assert f"### {claim['id']}: " in text
        assert claim["readings"][0]["measured"][:40] in text
    assert verdict["commit"] in text
    again = write_results(without_runs / "evidence", tmp_path)
    assert {path.name for path in again} == {"minibatch.md", "coverage.md", "checks.md"}
    for path in again:
        assert path.read_text() == (pages / path.name).read_text()
    assert differing_pages(pages, without_runs / "evidence") == []


def differing_pages(pages: Path, evidence: Path) -> list[str]:
    """Pages that were edited, and figures whose evidence is not that of the pages."""
    sources = json.loads((pages / SOURCES).read_text())
    figures = {name: checksum(evidence / f"{name}.json") for name in published_figures(evidence)}
    changed = [
        name for name in {**sources["evidence"], **figures} if sources["evidence"].get(name) != figures.get(name)
    ]
    return changed + [name for name, known in sources["pages"].items() if checksum(pages / name) != known]


def test_an_edited_number_and_other_evidence_are_noticed(without_runs: Path, tmp_path: Path) -> None:
    pages, evidence = tmp_path / "results", tmp_path / "evidence"
    shutil.copytree(without_runs / "results", pages)
    shutil.copytree(without_runs / "evidence", evidence)
    page = pages / "minibatch.md"
    page.write_text(page.read_text().replace("1", "2", 1))
    assert differing_pages(pages, evidence) == ["minibatch.md"]
    facts = read_facts(evidence, "minibatch_counterexample")
    write_verdict(evidence, "minibatch_counterexample", facts["verdict"] | {"commit": "another"})
    assert differing_pages(pages, evidence) == ["minibatch_counterexample", "minibatch.md"]


def test_a_verdict_that_this_version_does_not_give_is_refused(
    without_runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(without_runs / "evidence", tmp_path / "evidence")
    facts = read_facts(tmp_path / "evidence", "minibatch_counterexample")
    facts["verdict"]["claims"][0]["readings"][0]["held"] += 1
    write_verdict(tmp_path / "evidence", "minibatch_counterexample", facts["verdict"])
    for words in (("publish", "figure=report"), ("figure=report", "from=evidence")):
        places = [f"{name}={tmp_path / name}" for name in ("evidence", "results", "report")]
        assert main([*words, *places]) == 2
        assert "minibatch_counterexample is judged otherwise now than when it was published" in capsys.readouterr().err
    assert not (tmp_path / "results").exists()


def test_published_runs_are_judged_again_and_keep_their_origin(
    without_runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(without_runs / "evidence", tmp_path / "evidence")
    path, name = tmp_path / "evidence" / "minibatch_counterexample.json", "minibatch_counterexample"
    words = (f"figure={name}", "scale=demo", "from=evidence")
    before = path.read_bytes()
    assert publish(tmp_path, *words) == 0
    assert f"{name}: judged as published" in capsys.readouterr().out
    assert path.read_bytes() == before
    facts = read_facts(tmp_path / "evidence", name)
    right = facts["verdict"]["claims"][0]["readings"][0]["held"]
    facts["verdict"]["claims"][0]["readings"][0]["held"] += 1
    write_verdict(tmp_path / "evidence", name, facts["verdict"] | {"commit": "c" * 40})
    assert publish(tmp_path, *words) == 0
    assert f"{name}: judged otherwise now: verdict written" in capsys.readouterr().out
    verdict = read_facts(tmp_path / "evidence", name)["verdict"]
    assert verdict["claims"][0]["readings"][0]["held"] == right
    assert verdict["commit"] == "c" * 40
    assert verdict["judged_at"]
    assert publish(tmp_path, "figure=report") == 0
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize(
    ("build", "dirty", "message"),
    [
        ("b2", False, "the evidence is of 2 builds of the core, make it again with one: b1: sbp_a; b2: sbp_b$"),
        ("b1", True, "runs were made with uncommitted changes, make them again: sbp_b$"),
    ],
)
def test_runs_of_two_builds_or_with_changes_make_no_pages(
    tmp_path: Path, build: str, dirty: bool, message: str
) -> None:
    origins = {"sbp_a": ("b1", False), "sbp_b": (build, dirty)}
    facts = {"scale": "paper", "computed": {}, "absent": {}, "command": "python reproduce.py"}
    for figure, (build_id, changed) in origins.items():
        provenance = {"build": {"build_id": build_id}, "dirty": changed}
        run = finished_run(tmp_path / "runs", name=figure, rows=[{"iterations": 1}], provenance=provenance)
        write_evidence(tmp_path / "evidence", figure, {figure: run}, {figure: {"iterations"}}, facts)
    with pytest.raises(EvidenceError, match=message):
        write_results(tmp_path / "evidence", tmp_path / "results")
    assert not (tmp_path / "results").exists()


def test_the_report_and_all_figures_are_drawn_from_evidence(
    without_runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    places = [f"evidence={without_runs / 'evidence'}", f"figures={tmp_path / 'figures'}", f"report={tmp_path}"]
    assert main(["figure=report", "from=evidence", *places]) == 0
    assert "minibatch_counterexample" in (tmp_path / "index.html").read_text()
    assert main(["figure=minibatch", "scale=demo", "from=evidence", *places]) == 3
    out = capsys.readouterr().out
    assert "not published: minibatch_" in out
    assert "minibatch_counterexample: from evidence" in out
    assert main(["figure=sbp", "from=evidence", *places]) == 2
    assert "there is no evidence of sbp in evidence/" in capsys.readouterr().err


@pytest.mark.skipif(not (RESULTS / SOURCES).exists(), reason="the pages are not made from evidence yet")
def test_the_committed_pages_are_those_of_the_committed_evidence() -> None:
    assert differing_pages(RESULTS, EVIDENCE) == []


OUTCOMES = ("reproduced", "mostly", "mixed", "unclear", "contradicted", "trivial")


@pytest.mark.skipif(not (RESULTS / SOURCES).exists(), reason="the pages are not made from evidence yet")
@pytest.mark.parametrize("paper", ["sbp", "simba", "sgdr", "minibatch", "asset"])
def test_readmes_table_counts_the_claims_of_the_scorecards(paper: str) -> None:
    scorecard = json.loads((RESULTS / paper / "scorecard.json").read_text())
    states = Counter(state for figure in scorecard.values() for state in figure["claims"])
    assert states.keys() <= set(OUTCOMES), "an outcome has no column"
    expected = [states.total(), *(states[outcome] for outcome in OUTCOMES)]
    (row,) = [line for line in (PROJECT_ROOT / "README.md").read_text().splitlines() if f"results/{paper}.md)" in line]
    _, _, *counts, _, _ = row.split("|")
    assert [int(count) for count in counts] == expected


def test_the_page_of_checks_has_each_run_that_was_made_again(without_runs: Path, tmp_path: Path) -> None:
    shutil.copytree(without_runs / "evidence", tmp_path / "evidence")
    label = "sbp digits seed=3"
    equal = Comparison("sbp_fig2", label, "k" * 32, True, True, "", 1.25)
    differs = Comparison("sbp_fig2", label, "q" * 32, True, False, "primal in row 2: 1, not 2", None)
    record_check(tmp_path / "evidence", "sbp_fig2,sbp_fig3", [equal, differs])
    with pytest.raises(EvidenceError, match=f"{CHECKS} has changed"):
        write_results(tmp_path / "evidence", tmp_path / "results")
    write_sums(tmp_path / "evidence", CHECKS)
    write_results(tmp_path / "evidence", tmp_path / "results")
    rows = [line.split(" | ") for line in (tmp_path / "results" / "checks.md").read_text().splitlines() if "|" in line]
    (summary,) = [row for row in rows if row[-1] == "1 |"]
    assert summary[-3:] == ["2", "2", "1 |"]
    assert [row[1:] for row in rows if "sbp_fig2" in row[0]] == [
        [label, f"`{'k' * 12}`", "equal", "1.25", " |"],
        [label, f"`{'q' * 12}`", "DIFFERS", "", "primal in row 2: 1, not 2 |"],
    ]
