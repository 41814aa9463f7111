"""Claims are judged case by case, under each reading, and at half and double of each constant."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from evidence_cases import evidence, panel

from svm_cost_curves.experiments.papers.cases import (
    Case,
    Findings,
    Statistic,
    case_of,
    case_on,
    interval_text,
    judge_claims,
    unjudged,
)
from svm_cost_curves.experiments.reproduction.claim_spec import ClaimSpec, ReadingSpec
from svm_cost_curves.experiments.reproduction.evidence import Evidence
from svm_cost_curves.experiments.reproduction.spec import FigureSpec
from svm_cost_curves.experiments.reproduction.statistics.interval import FAILS, HOLDS, Decision, Interval, holds
from svm_cost_curves.experiments.reproduction.verdict import Claim

VALUES = {"adult": 1.0, "mnist": 3.0, "web": 5.0}


@dataclass(frozen=True, kw_only=True)
class Small(Statistic, kind="small"):
    """Each data set's value, times a factor, is at most a limit."""

    limit: float
    factor: float = 1.0

    def findings(self, data: Any, evidence: Evidence) -> Findings:
        return Findings(
            [
                case_on(
                    dataset_panel,
                    "size",
                    holds(self.factor * data[dataset_panel.paper_dataset] <= self.limit),
                    "measured",
                    {"a": 1},
                )
                for dataset_panel in evidence.panels
                if dataset_panel.paper_dataset in data
            ]
        )


@dataclass(frozen=True)
class Given(Statistic):
    """Cases that are given."""

    cases: list[Any]

    def findings(self, data: Any, evidence: Evidence) -> Findings:
        return Findings(self.cases)


def claim_of(spec: ClaimSpec, collected: Evidence, values: dict[str, float] | None = None) -> Claim:
    (claim,) = judge_claims(collected, VALUES if values is None else values)
    return claim


def given_claim(*cases: Case) -> Claim:
    figure = FigureSpec(id="sbp_x", paper="sbp", maker=__name__, claims=[ClaimSpec("sbp.1", "x")])
    return judge_claims(evidence(figure, []), statistics={"sbp.1": Given(list(cases))})[0]


def some_evidence(claim: ClaimSpec, *names: str, **fields: str) -> Evidence:
    spec = FigureSpec(
        id="sbp_x", paper="sbp", maker=__name__, claims=[claim], datasets=list(VALUES), stand_ins={"web": "adult"}
    )
    return evidence(spec, [panel(name, {}, **(fields if name == names[-1] else {})) for name in names])


def test_each_reading_is_judged_with_its_own_options_and_constants() -> None:
    spec = ClaimSpec(
        "sbp.1",
        "It is small.",
        statistic={"kind": "small"},
        rule="At most {limit:g}.",
        constants={"limit": 6.0},
        readings=[
            ReadingSpec("plain", "as it is", "small", "5"),
            ReadingSpec("doubled", "twice", changes={"factor": 2}),
            ReadingSpec("strict", "a lower limit", constants={"limit": 2.0}),
            ReadingSpec("strictest", "none", constants={"limit": 0.5}),
        ],
    )
    claim = claim_of(spec, some_evidence(spec, *VALUES))
    assert [(reading.id, reading.outcome, reading.held, reading.cases) for reading in claim.readings] == [
        ("plain", "reproduced", 3, 3),
        ("doubled", "mostly", 2, 3),
        ("strict", "mixed", 1, 3),
        ("strictest", "contradicted", 0, 3),
    ]
    assert claim.readings[1].exceptions() == ["Web: fails, measured"]
    assert (claim.verdict, claim.rule, claim.agreement) == (
        "reproduced",
        "At most 6.",
        "holds under 1 of 4 readings",
    )
    (line,) = claim.sensitivity
    assert (line.constant, line.value) == ("limit", 6.0)
    assert (line.half, line.double) == ("mostly reproduced (2 of 3)", "reproduced (3 of 3)")


def test_data_sets_that_were_not_run_count_and_are_named() -> None:
    spec = ClaimSpec("sbp.1", "It is small.", statistic={"kind": "small"}, constants={"limit": 9.0})
    claim = claim_of(spec, some_evidence(spec, "adult", "mnist"))
    assert (claim.verdict, claim.nearest.held, claim.nearest.run, claim.nearest.cases) == ("reproduced", 2, 2, 3)
    assert claim.nearest.text == "reproduced on the paper's data (2 of 2; 1 not run)"
    assert claim.nearest.exceptions() == ["web: not run"]
    assert claim.lacking == ["web"]
    figure = FigureSpec(
        id="sbp_x", maker=__name__, claims=[spec], datasets=["adult"], missing_data={"forest": "no file"}
    )
    claim = claim_of(spec, evidence(figure, [panel("adult", {})]))
    assert (claim.verdict, claim.lacking) == ("reproduced", ["forest"])
    assert claim.nearest.exceptions() == ["forest: not run, no file"]


def test_a_claim_about_some_data_sets_is_judged_on_those() -> None:
    spec = ClaimSpec("sbp.1", "It is small.", statistic={"kind": "small"}, constants={"limit": 2.0}, datasets=["adult"])
    claim = claim_of(spec, some_evidence(spec, *VALUES))
    assert (claim.verdict, claim.nearest.cases) == ("reproduced", 1)
    assert claim.nearest.statistic["mnist"]["size"]["ruling"] == "beside"
    assert claim_of(spec, some_evidence(spec, "mnist")).verdict == "not_testable"


def test_a_label_names_the_data() -> None:
    spec = ClaimSpec("sbp.1", "It is small.", statistic={"kind": "small"}, constants={"limit": 9.0}, datasets=["web"])
    collected = some_evidence(spec, "adult", stand_in="another", paper_dataset="web")
    claim = claim_of(spec, collected)
    assert claim.nearest.text == "reproduced on surrogate data (1 of 1)"
    spec = ClaimSpec(
        "sbp.1", "It is small.", statistic={"kind": "small"}, constants={"limit": 9.0}, datasets=["mnist", "web"]
    )
    collected = some_evidence(spec, "mnist", "adult", stand_in="another", paper_dataset="web")
    assert claim_of(spec, collected).nearest.text == "reproduced on the paper's data and surrogate data (2 of 2)"


def test_rows_that_stand_in_for_two_data_sets_count_once() -> None:
    spec = ClaimSpec("minibatch.1", "It is small.", statistic={"kind": "small"}, constants={"limit": 2.0})
    figure = FigureSpec(
        id="minibatch_x",
        paper="minibatch",
        maker=__name__,
        claims=[spec],
        datasets=["adult", "mnist"],
        stand_ins={"adult": "digits", "mnist": "digits"},
    )
    panels = [panel("digits", {}, stand_in="the same", paper_dataset=name) for name in ("adult", "mnist")]
    claim = claim_of(spec, evidence(figure, panels))
    assert (claim.nearest.held, claim.nearest.run, claim.nearest.cases) == (1, 1, 1)
    assert [(case.ruling, case.note) for case in claim.nearest.rulings] == [
        ("holds", ""),
        ("beside", "the same rows as for Adult"),
    ]


def test_a_statement_about_a_program_is_measured_and_not_judged() -> None:
    spec = ClaimSpec("sbp.1", "It fails.", statistic={"kind": "small"}, constants={"limit": 9.0}, type="program")
    claim = claim_of(spec, some_evidence(spec, *VALUES))
    assert (claim.verdict, claim.nearest.cases) == ("not_testable", 0)
    assert claim.nearest.decided_by == "Adult: measured"


@pytest.mark.parametrize(("rows", "origin"), [("all", "paper"), ("part", "part")])
def test_a_claim_on_a_part_of_the_rows_says_so(rows: str, origin: str) -> None:
    spec = ClaimSpec("sbp.1", "It is small.", statistic={"kind": "small"}, constants={"limit": 9.0}, rows=rows)
    assert claim_of(spec, some_evidence(spec, *VALUES)).nearest.data == ["own", origin]


def test_data_of_the_users_choice_are_measured_beside_the_claim() -> None:
    spec = ClaimSpec("sbp.1", "It is small.", statistic={"kind": "small"}, constants={"limit": 9.0})
    collected = some_evidence(spec, "adult", "digits", stand_in="chosen", paper_dataset="mnist")
    claim = claim_of(spec, collected)
    assert claim.nearest.statistic["mnist"]["size"]["ruling"] == "beside"
    assert claim.nearest.held == 1


def test_more_runs_are_asked_for_where_each_unclear_case_says_how_many() -> None:
    def answer(*decisions: Decision) -> int | None:
        cases = [case_of("", str(number), "case", decision) for number, decision in enumerate(decisions)]
        return given_claim(*cases).nearest.more_runs

    assert answer(HOLDS, Decision("unclear", 7), Decision("unclear", 3)) == 7
    assert answer(Decision("unclear", 7), Decision("unclear")) is None
    assert answer(HOLDS, FAILS) is None


def test_the_kind_and_the_file_of_its_code_are_recorded() -> None:
    spec = ClaimSpec("sbp.1", "It is small.", statistic={"kind": "small"}, constants={"limit": 9.0})
    claim = claim_of(spec, some_evidence(spec, "adult"))
    assert (claim.statistic, Path(claim.code).name) == ("small", "test_cases.py")


def test_a_claim_without_a_statistic_is_not_judged() -> None:
    spec = ClaimSpec("sbp.1", "It is small.")
    claim = claim_of(spec, some_evidence(spec, "adult"))
    assert claim.nearest.exceptions() == ["sbp.1: not run, The figure's file names no statistic."]


def test_an_unjudged_claim_says_why() -> None:
    claim = unjudged(ClaimSpec("sbp.1", "x"), "Nothing judges it.")
    assert (claim.verdict, claim.nearest.exceptions()) == ("not_testable", ["sbp.1: not run, Nothing judges it."])


def test_one_run_is_written_without_an_interval() -> None:
    assert interval_text(Interval(1.5, 1.0, 2.0, 5), ".1f", " %") == "1.5 [1.0, 2.0] %"
    assert interval_text(Interval(1.5, 1.0, 2.0, 3), ".1f", " %") == "1.5 (range 1.0 to 2.0) %"
    assert interval_text(Interval(1.5, 1.5, 1.5), ".1f", " %") == "1.5 %"
    assert interval_text(Interval(-1e-17, -0.004, 1.0, 5), "+.2f") == "+0.00 [+0.00, +1.00]"
    assert interval_text(Interval(-1e-17, -0.2, 1.0, 5), ".1f") == "0.0 [-0.2, 1.0]"


def test_cases_beside_the_claim_and_missing_ones_are_told_apart() -> None:
    cases = [Case("", "holds", name="a", about="a"), Case("", "beside", name="b", about="b")]
    cases.append(Case("", "missing", note="no runs", name="c", about="c"))
    claim = given_claim(*cases)
    assert (claim.nearest.held, claim.nearest.cases, claim.nearest.exceptions()) == (1, 2, ["c: not run, no runs"])
