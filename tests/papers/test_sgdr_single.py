from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from evidence_cases import evidence
from readings import claims_of
from sgdr_cases import everywhere, run, times_panel

from svm_cost_curves.experiments.papers.sgdr.cpu_time import make
from svm_cost_curves.experiments.reproduction.evidence import Panel
from svm_cost_curves.experiments.reproduction.spec import read_figure
from svm_cost_curves.experiments.reproduction.verdict import Claim

WHOLE = read_figure("sgdr_single")
SPEC = replace(
    WHOLE,
    datasets=["adult", "news20"],
    stand_ins={},
    missing_data={},
    claims=[replace(claim, datasets=[name for name in claim.datasets if name == "news20"]) for claim in WHOLE.claims],
)


def timed(dataset: str, svmsgd: Sequence[float], sgdqn: Sequence[float], **fields: Any) -> Panel:
    seconds = everywhere(SPEC, svmsgd=svmsgd, sgdqn=sgdqn, sgd_m=(1.0, 1.0))
    return times_panel(SPEC, seconds, dataset, **fields)


def judge(dense: float, sparse: float, svmsgd: float = 20.0) -> dict[str, Claim]:
    """Judge runs in which SGD-QN takes so many times as long as SGD-m, on data of few and of many dimensions."""
    panels = [timed(name, [svmsgd] * 2, [sgdqn] * 2) for name, sgdqn in (("adult", dense), ("news20", sparse))]
    return claims_of(make(evidence(SPEC, panels)))


def test_times_as_the_paper_has_them() -> None:
    claims = judge(2.0, 10.0)
    outcomes = {name: claim.verdict for name, claim in claims.items()}
    assert outcomes == {"sgdr.news20": "contradicted"} | dict.fromkeys(outcomes.keys() - {"sgdr.news20"}, "reproduced")


@pytest.mark.parametrize(
    ("times", "claim", "outcome"),
    [
        ((0.5, 0.4, 0.1), "sgdr.5", "contradicted"),
        ((0.5, 0.4, 20.0), "sgdr.5", "mostly"),
        ((0.5, 0.4, 20.0), "sgdr.sgdqn", "contradicted"),
        ((2.0, 1.5, 20.0), "sgdr.sparse", "contradicted"),
        ((2.0, 0.5, 20.0), "sgdr.sgdqn", "mixed"),
    ],
)
def test_times_in_another_order(times: Sequence[float], claim: str, outcome: str) -> None:
    assert judge(*times)[claim].verdict == outcome


def test_readings() -> None:
    claims = judge(2.0, 10.0)
    # with eps = 0.01 SGD-m takes 3 s
    assert [(reading.id, reading.outcome) for reading in claims["sgdr.sgdqn"].readings] == [
        ("own", "reproduced"),
        ("fixed", "mixed"),
        ("first", "reproduced"),
        ("mean", "reproduced"),
        ("averaged", "not_testable"),  # no runs of it
    ]
    name = "C=1 SGD-QN over SGD-m against others"
    ratios = [reading.statistic["news20"][name]["ratio"]["estimate"] for reading in claims["sgdr.sparse"].readings]
    assert ratios == pytest.approx([5.0] * 3)  # the time of SGD-m cancels


@pytest.mark.parametrize(
    ("sgdqn", "outcome"), [((-9.0, -9.0), "reproduced"), ((2.0, -9.0), "unclear"), ((), "not_testable")]
)
def test_a_method_that_misses_the_accuracy(sgdqn: Sequence[float], outcome: str) -> None:
    panels = [timed("adult", (4.0, 4.0), (2.0, 2.0)), timed("news20", (20.0, 20.0), sgdqn)]
    claims = claims_of(make(evidence(SPEC, panels)))
    assert claims["sgdr.news20"].verdict == outcome
    if sgdqn == (-9.0, -9.0):  # at least 18 s over 1 s, against 2 s over 1 s
        assert claims["sgdr.sparse"].verdict == "reproduced"
    if not sgdqn:
        assert "SGD-QN at C = 1" in claims["sgdr.sgdqn"].nearest.exceptions()[0]
        assert claims["sgdr.sparse"].verdict == "not_testable"


def test_the_note_names_a_rising_objective() -> None:
    rising = [run("sgdqn", [(1.0, 1.0, None), (2.0, 0.5, None), (3.0, 2.0 + k, None)], seed=k) for k in (0, 0, 1)]
    one = timed("news20", (20.0, 20.0), ())
    claims = claims_of(make(evidence(SPEC, [replace(one, runs={**one.runs, "sgdqn C=1": rising})])))
    assert "C = 1: 0 of 3 within 1 %, J/J_opt at best 1.5, last 3" in claims["sgdr.news20"].nearest.decided_by


def test_sgd_qn_that_averages_its_curvatures_has_its_own_reading() -> None:
    """SGD-QN takes twice the time of SGD-m, and half of it with the algorithm of 2009, which also reaches news20."""
    seconds = everywhere(SPEC, svmsgd=(20.0, 20.0), sgdqn=(2.0, 2.0), sgdqn_2009=(0.5, 0.5), sgd_m=(1.0, 1.0))
    claims = claims_of(
        make(evidence(SPEC, [times_panel(SPEC, seconds, "adult"), times_panel(SPEC, seconds, "news20")]))
    )
    outcomes = {reading.id: reading.outcome for reading in claims["sgdr.sgdqn"].readings}
    assert (outcomes["own"], outcomes["averaged"]) == ("reproduced", "contradicted")
    ratio = claims["sgdr.sgdqn"].readings[-1].statistic["adult"]["C=1 SGD-QN, averaged over SGD-m"]["ratio"]
    assert ratio["estimate"] == pytest.approx(0.5)
    assert {reading.id: reading.outcome for reading in claims["sgdr.news20"].readings} == {
        "summed": "contradicted",
        "averaged": "contradicted",
    }


def test_sparse_data_need_others_to_compare_with() -> None:
    alone = [timed("news20", (20.0, 20.0), (10.0, 10.0))]
    assert claims_of(make(evidence(SPEC, alone)))["sgdr.sparse"].verdict == "not_testable"
