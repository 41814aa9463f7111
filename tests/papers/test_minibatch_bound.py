from __future__ import annotations

import math

import pytest
from minibatch_cases import P_STAR, SPECTRUM, Iterations, as_claimed, only, power, sweep_panel, with_spectra
from readings import claims_of, rulings

from svm_cost_curves.experiments.papers.minibatch import bound
from svm_cost_curves.experiments.papers.minibatch.bound import make
from svm_cost_curves.experiments.reproduction.spec import read_figure
from svm_cost_curves.experiments.reproduction.verdict import Claim

SPEC = only(read_figure("minibatch_bound"), "rcv1")


KNOWN = {name: as_claimed()[name] for name in ("safe", "pegasos_tail")}


def judged(gap: float = 1e-9, **methods: Iterations) -> dict[str, Claim]:
    one = sweep_panel(SPEC, {**KNOWN, **methods}, gap=gap)
    return claims_of(make(with_spectra(SPEC, [one])), "minibatch.")


def test_the_theorems_by_hand() -> None:
    # n = 20,000, lambda = 1e-4: b = 1 has beta = 1
    assert bound.pegasos_bound(SPECTRUM, 1, 1e-3) == pytest.approx(3e8)
    t0 = math.ceil(20_000 * math.log(4.0))
    assert bound.safe_bound(SPECTRUM, 1, 1e-3) == pytest.approx(t0 + 4e7 - 4e4 + 1e7)
    # where beta is large nothing is left of the logarithm
    b, beta = 1000, SPECTRUM.beta(1000)
    assert beta > 4
    assert bound.safe_bound(SPECTRUM, b, 1e-3) == pytest.approx(beta / b * (4e7 - 4e4 / beta) + beta / b * 1e7)
    # with a coarse accuracy a pass over the data is what is left
    assert bound.safe_bound(SPECTRUM, 2, 100.0) == pytest.approx(
        math.ceil(10_000 * math.log(4 / SPECTRUM.beta(2))) + 10_000
    )


def test_iterations_far_below_the_bounds_hold_trivially() -> None:
    claim = judged(safe=power(1e5, 0.9), pegasos_tail=power(3e5, 0.9, [4**k for k in range(6)]))["bound"]
    assert (claim.verdict, claim.nearest.held, claim.nearest.cases) == ("trivial", 21, 21)
    # 3e6 iterations with b = 1, where the bound is 3e8
    assert rulings(judged()["bound"], "rcv1")["pegasos_tail b=1"] == "holds"


LIMIT = bound.safe_bound(SPECTRUM, 1, 1e-3)


@pytest.mark.parametrize(
    ("runs", "ruling"),
    [
        ((1e6, 1.1 * LIMIT), "unclear"),  # one run of two
        ((1.1 * LIMIT, 1.2 * LIMIT), "fails"),
        ((-1e6, 1e6), "unclear"),  # a budget below the bound decides nothing
        ((-1.1 * LIMIT, -1.1 * LIMIT), "fails"),
    ],
)
def test_runs_beyond_a_bound(runs: tuple[float, float], ruling: str) -> None:
    claim = judged(safe={**power(1e6, 0.9), 1: runs})["bound"]
    assert rulings(claim, "rcv1")["safe b=1"] == ruling


def test_theorem_1_along_the_runs() -> None:
    # the fake runs are 0.0011 above P* after T - 1 iterations and 0.5 above it after 2 T
    share = 0.5 * 2 * 3e6 * SPECTRUM.lambda_ / 30
    claims = judged()
    case = claims["theorem1"].nearest.statistic["rcv1"]["b=1"]
    assert case["estimate"] == pytest.approx(share, rel=0.05)
    assert case["ruling"] == "fails"
    assert judged(pegasos_tail=power(1e5, 1.5))["theorem1"].verdict == "reproduced"
    assert judged(pegasos_tail=power(2e3, 0.9))["theorem1"].verdict == "trivial"


@pytest.mark.parametrize(("shares", "ruling"), [((0.2, 0.8), "holds"), ((0.2, 1.2), "unclear"), ((1.2, 1.5), "fails")])
def test_runs_on_both_sides_of_theorem_1_are_unclear(shares: tuple[float, float], ruling: str) -> None:
    """The two runs with b = 1 end at these shares of the bound on P(w) - P*."""
    one = sweep_panel(SPEC, KNOWN)
    for run, share in zip(one.runs[SPEC.members("pegasos_tail")[1.0]], shares, strict=True):
        frame = run.curve.iloc[[-1]].assign(iterations=6_000_000)
        limit = 30 / (SPECTRUM.lambda_ * 6_000_000)  # beta = 1
        object.__setattr__(run, "curve", frame.assign(primal=P_STAR + share * limit))
    claims = {claim.id: claim for claim in make(with_spectra(SPEC, [one])).claims}
    case = claims["minibatch.theorem1"].nearest.statistic["rcv1"]["b=1"]
    assert case["ruling"] == ruling
    assert (case["low"], case["high"]) == pytest.approx(shares)


def test_without_a_known_optimum_nothing_is_decided() -> None:
    assert {claim.verdict for claim in judged(gap=1e-5).values()} == {"not_testable"}
