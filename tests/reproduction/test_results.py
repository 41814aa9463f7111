"""The scorecards of docs/results are made from the evidence; a page that was edited is noticed."""

from __future__ import annotations

import dataclasses
import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from evidence_cases import finished_run, put_evidence

from svm_cost_curves.experiments.curve import column, cost_to_stay
from svm_cost_curves.experiments.evidence import load
from svm_cost_curves.experiments.provenance import PROJECT_ROOT
from svm_cost_curves.experiments.reproduction import results
from svm_cost_curves.experiments.reproduction.checks import Comparison, record_check
from svm_cost_curves.experiments.reproduction.claim_spec import ClaimType
from svm_cost_curves.experiments.reproduction.cli import main
from svm_cost_curves.experiments.reproduction.publish import write_verdict
from svm_cost_curves.experiments.reproduction.published import (
    EVIDENCE,
    RESULTS,
    EvidenceError,
    checksum,
    published_figures,
    read_facts,
)
from svm_cost_curves.experiments.reproduction.results import (
    GROUPS,
    SOURCES,
    cells,
    front_table,
    group_of,
    published_claims,
    put_front_table,
    write_results,
)
from svm_cost_curves.experiments.reproduction.statistics.interval import Ruling
from svm_cost_curves.experiments.reproduction.verdict import Case, Claim, Origin, Reading, outcome_of


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
        assert claim["readings"][0]["rulings"][0]["measured"] in text
    assert verdict["commit"] in text
    again = write_results(without_runs / "evidence", tmp_path)
    assert {path.name for path in again} == {"minibatch.md", "coverage.md", "data.md", "edition.md", "checks.md"}
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


def test_runs_with_uncommitted_changes_make_no_pages(tmp_path: Path) -> None:
    for figure, changed in (("sbp_a", False), ("sbp_b", True)):
        provenance = {"build": {"build_id": figure}, "dirty": changed}
        run = finished_run(name=figure, rows=[{"iterations": 1}], provenance=provenance)
        put_evidence(tmp_path / "evidence", figure, [run])
    with pytest.raises(EvidenceError, match="uncommitted changes, make them again: sbp_b"):
        write_results(tmp_path / "evidence", tmp_path / "results")
    assert not (tmp_path / "results").exists()


def test_the_report_and_all_figures_are_drawn_from_evidence(
    without_runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    places = [f"evidence={without_runs / 'evidence'}", f"figures={tmp_path / 'figures'}", f"report={tmp_path}"]
    assert main(["figure=report", "from=evidence", *places]) == 0
    assert "(minibatch.md#" in (tmp_path / "README.md").read_text()
    assert "minibatch/minibatch_counterexample.png" in (tmp_path / "minibatch.md").read_text()
    assert main(["figure=minibatch", "scale=demo", "from=evidence", *places]) == 3
    out = capsys.readouterr().out
    assert "not published: minibatch_" in out
    assert "minibatch_counterexample: from evidence" in out
    assert main(["figure=sbp", "from=evidence", *places]) == 2
    assert "there is no evidence of sbp in evidence/" in capsys.readouterr().err


def test_the_committed_pages_and_readmes_table_are_those_of_the_committed_evidence() -> None:
    assert differing_pages(RESULTS, EVIDENCE) == []
    readme = (PROJECT_ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    table = [line for line in readme if line.startswith("|") and ("docs/results/" in line or "on its data" in line)]
    expected = front_table(EVIDENCE)
    assert table[: len(expected) - 1] == [expected[0], *expected[2:]]


def test_the_table_is_put_in_place_of_the_earlier_one(tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text("before\n\n| paper | an |\n| --- | --- |\n| earlier | table |\n\nafter\n\n| to | read |\n")
    put_front_table(readme, EVIDENCE)
    assert readme.read_text().splitlines() == ["before", "", *front_table(EVIDENCE), "", "after", "", "| to | read |"]


def readmes_costs() -> tuple[float, float, list[float]]:
    """README's least cost to its target, the target as a fraction, and the factors of SMO, SDCA and Pegasos."""
    text = " ".join((PROJECT_ROOT / "README.md").read_text(encoding="utf-8").split())
    match = re.search(
        r"From ([\d.]+) \S 10⁷ kernel evaluations on the SBP's mean test error .* stays at or below ([\d.]+) %, .* SMO "
        r"needs (\d+) times as many evaluations, SDCA (\d+) times, Pegasos (\d+) times; the Perceptron does not",
        text,
    )
    assert match
    least, percent, *factors = map(float, match.groups())
    return 1e7 * least, percent / 100, factors


@pytest.mark.slow
def test_readmes_costs_are_those_of_its_command(tmp_path: Path) -> None:
    text = (PROJECT_ROOT / "README.md").read_text(encoding="utf-8")
    command = shlex.split(next(line for line in text.splitlines() if "highlight=sbp" in line))
    words = [sys.executable, *command[1:], f"store.root={tmp_path}"]
    output = subprocess.run(words, cwd=PROJECT_ROOT, capture_output=True, text=True, check=True).stdout
    match = re.search(
        r"SBP stays at or below ([\d.]+) % test error, a tenth above the least, after ([\d.]+)\S10⁷ kernel "
        r"evaluations; SMO needs ([\d.]+) times as many, SDCA ([\d.]+), Pegasos ([\d.]+); Perceptron does not get",
        output,
    )
    assert match, output
    percent, least, *factors = map(float, match.groups())
    assert readmes_costs() == (1e7 * least, percent / 100, [round(factor) for factor in factors])


def test_readmes_costs_are_near_those_of_the_published_runs() -> None:
    """The published runs are evaluated at other costs: a factor of 1.5 is more than the width of either grid."""
    least, error, factors = readmes_costs()
    points = load("sbp_fig2")
    points = points[(points["dataset"] == "adult") & (points["algo.accounting"] != "kept")]

    def cost(algo: str) -> float | None:
        runs = points[points["algo"] == algo].groupby("run")
        curves = [(column(run, "kernel_evaluations"), column(run, "test_error")) for _, run in runs]
        return cost_to_stay(curves, error)

    assert cost("perceptron") is None
    for algo, factor in zip(("sbp", "smo", "sdca", "pegasos"), (1.0, *factors), strict=True):
        published = cost(algo)
        assert published is not None
        assert published / 1.5 < least * factor < published * 1.5


def claim(*rulings: Ruling, data: Sequence[Origin] = (), kind: ClaimType = "empirical") -> Claim:
    cases = [Case("adult", ruling) for ruling in rulings]
    reading = Reading("", "", "", "", outcome_of(rulings), cases, data=data, type=kind)
    return Claim("sbp.1", "", "", "", "", [reading])


@pytest.mark.parametrize(
    ("judged", "group"),
    [
        (claim("holds", data=["paper"]), "paper"),
        (claim("holds", data=["paper", "surrogate"]), "partly"),
        (claim("holds", data=["part"]), "partly"),
        (claim("fails", data=["surrogate"]), "surrogate"),
        (claim("fails", data=["own"]), "own"),
        (claim("holds", data=["paper"], kind="checked"), "checked"),
        (claim("beside", kind="program"), "untested"),
        (claim("missing"), "untested"),
    ],
)
def test_a_claim_is_counted_in_one_column(judged: Claim, group: str) -> None:
    assert group_of(judged) == group
    shown = dict(zip(GROUPS, cells([judged]), strict=True))
    assert [name for name, cell in shown.items() if cell] == [group]


def test_the_page_of_checks_counts_by_figure_and_names_what_differs(
    without_runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(without_runs / "evidence", tmp_path / "evidence")
    figure, label = "minibatch_counterexample", "sbp digits seed=3"
    run = finished_run(name="q", rows=[{"iterations": 1}], provenance={"dirty": False})
    monkeypatch.setattr(results, "figure_runs", lambda *_: {run.key: run})
    monkeypatch.setattr(results, "draw_all", lambda *_: ())  # the page of checks shows no figure
    equal = Comparison(figure, "sbp digits seed=1", "k" * 32, "equal", "", 1.25)
    agrees = Comparison(figure, "sbp digits seed=2", "l" * 32, "agrees", "final primal: 1, not 2", 0.5)
    differs = Comparison(figure, label, run.key, "DIFFERS", "primal in row 2: 1, not 2", None)
    record_check(tmp_path / "evidence", figure, [equal, agrees, differs])
    assert page_of_checks(tmp_path)[1:] == [
        ["2 cores", "1", "3", "1", "1", "1"],
        [figure, "3", "1", "1", "1", "differs", "0.50 to 1.25"],
        [figure, label, f"`{run.key[:12]}`", "primal in row 2: 1, not 2"],
    ]
    assert f"- {figure}: {label}\n" in (tmp_path / "results" / "checks.md").read_text()
    record_check(tmp_path / "evidence", figure, [dataclasses.replace(differs, outcome="agrees")])
    page_of_checks(tmp_path)
    assert "No figure: no published run differed" in (tmp_path / "results" / "checks.md").read_text()


def page_of_checks(folder: Path) -> list[list[str]]:
    """Write the page, and return its tables without heads; of the table of checks without time and machine."""
    write_results(folder / "evidence", folder / "results")
    lines = (folder / "results" / "checks.md").read_text().splitlines()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines if line.startswith("| ")]
    kept = [row for row in rows if not row[0].startswith("---") and row[0] not in ("made", "figure")]
    return [["checks"], *([["2 cores", *row[4:]] if "UTC" in row[0] else row for row in kept])]


COUNT = re.compile(r"\b((?:sbp|simba|sgdr|minibatch|asset)\.\w+), (\d+) of (\d+)(?:: \*(\w+)\*)?")


def test_the_counts_of_the_discussion_are_those_of_the_published_verdicts() -> None:
    """What holds lists no claim that is unclear or contradicted."""
    judged = {claim.id: claim for claims in published_claims(EVIDENCE).values() for claim in claims}
    text = (RESULTS / "README.md").read_text(encoding="utf-8")
    sections = [section.partition("\n") for section in re.split(r"^#+ ", text, flags=re.MULTILINE)]
    counts = [(heading, *match) for heading, _, body in sections for match in COUNT.findall(" ".join(body.split()))]
    assert len(counts) > 50
    for heading, name, held, run, outcome in counts:
        assert (held, run) in {(str(reading.held), str(reading.run)) for reading in judged[name].readings}, name
        if outcome:
            assert judged[name].verdict == outcome, name
        elif heading == "What holds":
            assert judged[name].verdict in ("reproduced", "mostly", "trivial"), name
