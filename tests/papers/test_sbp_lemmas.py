from __future__ import annotations

import math
from typing import Any

import pytest
from evidence_cases import evidence
from lemma_cases import FAST, NORM, NU, Gap, lemma_panel, power
from readings import claims_of, on_all

from svm_cost_curves.experiments.papers.sbp.lemmas import bound_of_lemma, make, study_of
from svm_cost_curves.experiments.reproduction.spec import read_figure
from svm_cost_curves.experiments.reproduction.verdict import Claim

SPEC = read_figure("sbp_lemmas")


def judged(name: str, gap: Gap = FAST, **options: Any) -> Claim:
    panels = on_all(lemma_panel(gap, **options), SPEC.datasets)
    return claims_of(make(evidence(SPEC, panels)))[name]


def test_the_optimum_is_bounded_by_the_dual_solution() -> None:
    """At the optimum sum(alpha) = ‖u‖^2 + C n hinge, so that f* = 1 / ‖u‖."""
    study = study_of(lemma_panel())
    assert study is not None
    assert study.best == pytest.approx(1 / NORM)
    assert study.gaps[0] == pytest.approx(power(0.6)(study.iterations, 0))


def test_the_bound_of_the_lemma_by_hand() -> None:
    assert bound_of_lemma(math.exp(-2)) == pytest.approx(3 + 4)


@pytest.mark.parametrize(
    ("options", "verdict", "said"),
    [
        ({}, "reproduced", ""),
        ({"norm": 1.1}, "mixed", ""),  # the loss is within its bound
        ({"norm": 1.1, "hinge": 1.1}, "contradicted", ""),
        ({"nu": 1.07 * NU}, "contradicted", "the premise"),
    ],
)
def test_norm_and_loss_of_the_rescaled_solution(options: dict[str, float], verdict: str, said: str) -> None:
    claim = judged("sbp.lemma21", **options)
    assert claim.verdict == verdict
    assert said in "".join(claim.nearest.exceptions())


@pytest.mark.parametrize(("factor", "outcome"), [(0.5, "reproduced"), (1e-3, "trivial"), (20.0, "contradicted")])
def test_the_constant_of_the_lemma(factor: float, outcome: str) -> None:
    assert judged("sbp.rate", power(0.5, factor)).verdict == outcome


@pytest.mark.parametrize(("extra", "verdict"), [(0, "reproduced"), (1, "contradicted")])
def test_n_evaluations_an_iteration(extra: int, verdict: str) -> None:
    assert judged("sbp.cost", extra=extra).verdict == verdict


@pytest.mark.parametrize(("primal", "verdict"), [(0.5, "trivial"), (40.0, "reproduced"), (1e4, "contradicted")])
def test_primal_and_dual_distances(primal: float, verdict: str) -> None:
    """The dual distance is 0.021 and lambda 1/1000: the primal one may be 50."""
    assert judged("sbp.dual", primal=primal).verdict == verdict
