from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from curve_cases import EPOCH, Error, constant, curves_panel, drop, falling, plus
from evidence_cases import evidence
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.figure import Figure
from readings import claims_of, on_all, reading

from svm_cost_curves.experiments.papers.cases import judge_claims
from svm_cost_curves.experiments.papers.curves import make
from svm_cost_curves.experiments.papers.kinds.errors import median_over_log_cost
from svm_cost_curves.experiments.papers.panels import COLUMNS
from svm_cost_curves.experiments.plotting import MeanCurve
from svm_cost_curves.experiments.reproduction.evidence import Panel
from svm_cost_curves.experiments.reproduction.spec import read_figure
from svm_cost_curves.experiments.reproduction.verdict import Claim

SPEC = read_figure("sbp_fig2")
DATASETS = ("reuters_money_fx", "adult", "mnist")


def perceptron(first: float, after: float, per_decade: float, spread: float = 0.0005) -> Error:
    """In the first epoch relative to `falling(0.1)`, afterwards a line in the logarithm of the epochs."""

    def error(costs: np.ndarray, seed: int) -> np.ndarray:
        near = falling(0.1)(costs, seed) * first
        later = after + per_decade * np.log10(np.maximum(costs / EPOCH, 1.0))
        return np.where(costs <= EPOCH, near, later) + spread * (seed - 1)

    return error


def slow(costs: np.ndarray, _: int) -> np.ndarray:
    """Early and gradual progress, to an error that is not the best."""
    return np.asarray(0.2 + 0.2 * 0.3 ** np.log10(costs / costs[0]))


def turning(costs: np.ndarray, seed: int) -> np.ndarray:
    """After the first epoch better or worse, by seed."""
    return falling(0.1)(costs, seed) + 0.02 * (seed - 1) * (costs > EPOCH)


RISING: Error = lambda costs, seed: 0.09 + 0.002 * np.log10(costs / costs[0]) + 0.0001 * seed  # noqa: E731

AS_SAID: dict[str, Error] = {
    "sbp": falling(0.1),
    "pegasos": plus(falling(0.1), 0.02, 0.003),
    "sdca": plus(falling(0.1), 0.01, 0.003),
    "pegasos_kept": plus(falling(0.1), 0.04),
    "sdca_kept": plus(falling(0.1), 0.03),
    "smo": drop(0.5, 0.1, 1e6),
    "perceptron": perceptron(1.05, 0.2, 0.02),
    "averaged": perceptron(0.98, 0.15, 0.02),
}


def judged(claim: str, changes: Mapping[str, Error], seeds: int = 3) -> Claim:
    """One claim, on panels with these curves."""
    panel = curves_panel("adult", {**AS_SAID, **changes}, seeds=seeds)
    spec = replace(SPEC, claims=[candidate for candidate in SPEC.claims if candidate.id == claim])
    return judge_claims(evidence(spec, on_all(panel, DATASETS)))[0]


@pytest.fixture(scope="module")
def as_said() -> list[Panel]:
    return on_all(curves_panel("adult", AS_SAID), DATASETS)


@pytest.fixture(scope="module")
def claims(as_said: list[Panel]) -> dict[str, Claim]:
    return claims_of(make(evidence(SPEC, as_said)))


def test_claims_hold_on_matching_curves_under_every_reading(claims: dict[str, Claim]) -> None:
    assert list(claims) == [claim.id for claim in SPEC.claims]
    outcomes = {(claim.id, variant.id): variant.outcome for claim in claims.values() for variant in claim.readings}
    assert outcomes.pop(("sbp.1", "per_iteration_later")) == "not_testable"  # the curves have 26 iterations
    assert set(outcomes.values()) == {"reproduced"}
    assert {(name, claim.nearest.cases) for name, claim in claims.items()} == {
        *(("sbp.1", 6), ("sbp.2", 3), ("sbp.early", 12), ("sbp.3", 3)),
        *(("sbp.improves", 3), ("sbp.overfits", 1), ("sbp.optimum", 3)),
    }


def test_the_numbers_behind_them(claims: dict[str, Claim]) -> None:
    pegasos = claims["sbp.1"].nearest.statistic["adult"]["pegasos"]
    assert pegasos["differences"] == pytest.approx([-0.017, -0.02, -0.023])
    assert (pegasos["low"], pegasos["high"]) == (1, 26)  # iterations
    assert "Adult: SBP less Pegasos -2.00 (range -2.30 to -1.70) points" in claims["sbp.1"].nearest.measured
    smo = claims["sbp.2"].nearest.statistic["mnist"]["profile"]
    assert smo["half"] == pytest.approx(630957, rel=1e-3)  # the last evaluation before 1e6
    assert smo["decades_before"] == pytest.approx(2.8, abs=0.01)  # from n = 1000 on, as the first evaluation is
    early = claims["sbp.early"].nearest.statistic["mnist"]["sbp"]
    assert early["smo"] == 0.5 > early["sbp"]
    first = reading(claims["sbp.3"], "last_iterate").statistic["adult"]["sbp"]
    assert first["relative"]["estimate"] == pytest.approx(0.05, abs=1e-3)
    rise = reading(claims["sbp.overfits"], "last_iterate").statistic["adult"]["rise"]["rise"]
    assert rise["estimate"] == pytest.approx(0.02, abs=0.03)


@cache
def one_bad_run() -> Claim:
    """One run of the SBP in ten errs ten times as much: with its mean error held fixed the interval begins below -1."""

    def sbp(costs: np.ndarray, seed: int) -> np.ndarray:
        return falling(0.04)(costs, seed) * (10 if seed == 0 else 1)

    changes: dict[str, Error] = {"sbp": sbp, "perceptron": falling(0.041), "averaged": falling(0.02)}
    return judged("sbp.3", changes, seeds=10)


@pytest.mark.parametrize(("reading", "case"), [(0, "sbp"), (1, "sbp"), (2, "test_error"), (3, "test_error")])
def test_an_error_is_not_more_than_all_of_another_below_it(reading: int, case: str) -> None:
    relative = one_bad_run().readings[reading].statistic["adult"][case]["relative"]
    assert -1 < relative["low"] < relative["estimate"] < relative["high"]


def test_readings_charge_in_their_units(claims: dict[str, Claim]) -> None:
    cases = {variant.id: list(variant.statistic.get("adult", {}).values()) for variant in claims["sbp.1"].readings}
    assert {name: rivals[1]["low"] for name, rivals in cases.items() if rivals} == {
        "per_iteration": 1.0,
        **dict.fromkeys(("per_support_vector", "per_change"), 1000.0),
        **dict.fromkeys(("per_support_vector_later", "per_change_later"), 1e5),
    }


@pytest.mark.parametrize(
    ("claim", "changes", "verdict"),
    [
        ("sbp.1", {"sbp": plus(falling(0.1), 0.35)}, "contradicted"),
        ("sbp.1", {"pegasos": plus(falling(0.1), 0, 0.02), "sdca": plus(falling(0.1), 0, 0.02)}, "unclear"),
        ("sbp.1", {"pegasos": falling(0.1), "sdca": falling(0.1)}, "reproduced"),  # equal counts as at or below
        ("sbp.2", {"smo": slow}, "contradicted"),
        ("sbp.2", {"smo": constant(0.3)}, "contradicted"),
        ("sbp.early", {"smo": drop(0.05, 0.01, 1e6)}, "contradicted"),
        ("sbp.early", {"smo": constant(0.3)}, "contradicted"),
        ("sbp.3", {"averaged": perceptron(1.5, 0.2, 0.02)}, "contradicted"),
        ("sbp.3", {"averaged": perceptron(1.05, 0.2, 0.02, spread=0.05)}, "unclear"),
        ("sbp.improves", {"sbp": RISING}, "contradicted"),
        ("sbp.improves", {"sbp": turning}, "unclear"),
        ("sbp.overfits", {"averaged": perceptron(1.05, 0.1, -0.02)}, "contradicted"),
        ("sbp.overfits", {"averaged": turning}, "unclear"),
        ("sbp.optimum", {"smo": drop(0.5, 0.3, 1e6)}, "contradicted"),
        ("sbp.optimum", {"averaged": perceptron(1.0, 0.2, 0.02, spread=0.05)}, "unclear"),
    ],
)  # fmt: skip
def test_other_curves_give_other_verdicts(claim: str, changes: dict[str, Error], verdict: str) -> None:
    assert judged(claim, changes).verdict == verdict


@pytest.mark.parametrize(
    ("claim", "name", "changes"),
    [
        ("sbp.1", "per_change", {"pegasos_kept": constant(0.01), "sdca_kept": constant(0.01)}),
        ("sbp.3", "last_iterate", {"perceptron": perceptron(0.7, 0.15, 0.02)}),
        ("sbp.3", "last_iterate_at_the_end", {"perceptron": perceptron(0.7, 0.15, 0.02)}),
        ("sbp.improves", "below_perceptron", {"perceptron": perceptron(1.05, 0.05, 0.001)}),
        ("sbp.improves", "below_averaged", {"averaged": perceptron(0.95, 0.05, 0.001)}),
        ("sbp.overfits", "last_iterate", {"perceptron": perceptron(0.95, 0.1, -0.02)}),
        ("sbp.overfits", "last_iterate_ends", {"perceptron": perceptron(0.95, 0.1, -0.02)}),
        ("sbp.optimum", "last_iterate", {"perceptron": perceptron(0.5, 0.15, 0.02)}),
    ],
)
def test_a_reading_that_differs_from_the_nearest(claim: str, name: str, changes: dict[str, Error]) -> None:
    judgement = judged(claim, changes)
    assert judgement.verdict == "reproduced"
    assert reading(judgement, name).outcome == "contradicted"


def test_a_plateau_counted_from_the_first_evaluation() -> None:
    """From 1,000 n on the drop is longer than what went before; from one iteration on it is not."""
    late: Error = lambda costs, _: np.where(costs < 2e6, 0.5, np.where(costs < 1e7, 0.2, 0.1))  # noqa: E731
    panel = curves_panel("adult", {"smo": late}, cost_factor=1e3)
    spec = replace(SPEC, claims=[SPEC.claims[1]])
    (claim,) = judge_claims(evidence(spec, on_all(panel, DATASETS)))
    assert claim.verdict == "contradicted"
    assert reading(claim, "from_one_iteration").outcome == "reproduced"


def test_every_point_is_in_the_table(as_said: list[Panel]) -> None:
    made = make(evidence(SPEC, as_said))
    data = made.data
    assert list(data.columns) == [*COLUMNS[:5], "median", "lower_quartile", "upper_quartile", "seeds"]
    assert set(data["cost"]) == {"iterations", "kernel_evaluations", "cpu_seconds"}
    part = data[(data["panel"] == "adult") & (data["cost"] == "kernel_evaluations") & (data["series"] == "pegasos")]
    assert part["median"].to_numpy() == pytest.approx(AS_SAID["pegasos"](part["x"].to_numpy(), 1))
    assert (part["upper_quartile"] - part["lower_quartile"]).to_numpy() == pytest.approx(0.003)  # of seeds 0, 1, 2
    assert set(part["seeds"]) == {"0 1 2"}
    assert {"averaged", "pegasos_kept", "sdca_kept"} <= set(data["series"])


def test_an_iteration_is_drawn_as_n_kernel_evaluations(as_said: list[Panel]) -> None:
    """The table has the iterations."""
    row = SPEC.rows[0]
    for shown, factor in ((row, as_said[0].n), (replace(row, times_n=False), 1)):
        made = make(evidence(replace(SPEC, rows=[shown]), as_said))
        made.draw(drawn := Figure(figsize=made.size))
        ends = [float(np.max(line.get_xdata())) for line in drawn.axes[0].get_lines()]
        iterations = made.data[(made.data["cost"] == "iterations") & (made.data["panel"] == DATASETS[0])]
        assert max(ends) == pytest.approx(factor * iterations["x"].max())


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.data())
def test_median_over_log_cost_equals_median_of_even_samples(values: list[float], data: st.DataObject) -> None:
    costs = np.geomspace(1, 2 ** len(values), len(values) + 1)[:-1]
    curve = MeanCurve(costs, np.array(values), np.zeros(len(values)), 1, None)
    low = data.draw(st.floats(1, float(costs[-1])))
    high = low * data.draw(st.floats(1.5, 100))
    samples = np.exp(np.linspace(np.log(low), np.log(high), 4001)[:-1])
    sampled = curve.mean[np.searchsorted(costs, samples, side="right") - 1]
    median = median_over_log_cost(curve, low, high)
    assert median in values
    assert np.mean(sampled <= median) >= 0.5 - 1e-2
    assert np.mean(sampled >= median) >= 0.5 - 1e-2
