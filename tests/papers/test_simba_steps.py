from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from evidence_cases import evidence, finished_run, panel, rows_of
from numpy.typing import NDArray
from readings import claims_of, outcomes, reading

from svm_cost_curves.experiments.configuration.budget import EvaluationSchedule
from svm_cost_curves.experiments.configuration.composition import settings_of
from svm_cost_curves.experiments.papers.simba.steps import make
from svm_cost_curves.experiments.reproduction.evidence import Panel
from svm_cost_curves.experiments.reproduction.spec import overrides_of, read_figure
from svm_cost_curves.experiments.reproduction.verdict import Claim
from svm_cost_curves.solvers import Limit

SPEC = read_figure("simba_steps")
HORIZONS = {int(T): name for T, name in SPEC.members("constant").items()}
CHECKPOINTS = np.array([10, 100, 1000, 5000, 10_000, 50_000, 100_000])

Value = Callable[[NDArray[np.int64], int], NDArray[np.float64]]
"""Of a measure after some iterations, for a seed."""


def error(iterations: NDArray[np.int64], seed: int) -> NDArray[np.float64]:
    return 0.05 * (1 + 100 / iterations) + 1e-4 * seed


def level(iterations: NDArray[np.int64], seed: int) -> NDArray[np.float64]:
    return 0.06 / (1 + 100 / iterations) + 1e-5 * seed


def times(value: Value, factor: float, spread: float = 0.0) -> Value:
    return lambda iterations, seed: value(iterations, seed) * (factor + spread * (seed - 1))


def run(series: str, seed: int, dataset: str, last: int = 100_000, **deviations: Any) -> Any:
    """A run of one series, with deviations of its own."""
    t = CHECKPOINTS[last >= CHECKPOINTS]
    rows = rows_of(
        iterations=t,
        feature_accesses=deviations.get("accesses", 700.0) * t,
        feature_accesses_dense=5000 * t,
        cpu_seconds=deviations.get("seconds", 2e-5) * t,
        test_error=deviations.get("error", error)(t, seed),
        water_level=deviations.get("level", level)(t, seed),
    )
    return finished_run(name=series, algo="simba", dataset=dataset, seed=seed, rows=rows)


def versions(dataset: str = "news20", **deviations: Mapping[str, Any]) -> Panel:
    """Runs of all series on one data set; the deviations of ``anytime``, ``constant`` and ``biased`` are given."""
    by_series = {"simba": deviations.get("anytime", {}), "biased": deviations.get("biased", {})}
    by_series |= {name: {"last": T, **deviations.get("constant", {})} for T, name in HORIZONS.items()}
    runs = {name: [run(name, seed, dataset, **of_series) for seed in range(3)] for name, of_series in by_series.items()}
    return panel(dataset, runs)


def claims(*panels: Panel) -> dict[str, Claim]:
    return claims_of(make(evidence(SPEC, panels)))


def both(**deviations: Any) -> list[Panel]:
    return [versions(dataset=name, **deviations) for name in SPEC.datasets]


def statistic(claim: Claim, name: str) -> Mapping[str, Any]:
    values: Mapping[str, Any] = reading(claim, name).statistic["news20"]
    return values


def test_equal_versions_are_equivalent_and_a_free_bias_is_free() -> None:
    by_id = claims(*both())
    for claim in by_id.values():
        assert set(outcomes(claim).values()) == {"reproduced"}
    part = statistic(by_id["simba.2"], "test_error")["test_error 1000"]
    assert part["anytime"] == part["constant"] == pytest.approx(0.05 * 1.1 + 1e-4)
    assert (part["relative"]["low"], part["relative"]["high"]) == (0.0, 0.0)
    assert statistic(by_id["simba.3"], "nonzeros")["feature_accesses"]["biased"] == pytest.approx(700.0)
    assert statistic(by_id["simba.3"], "time")["cpu_seconds"]["ratio"]["estimate"] == pytest.approx(1.0)
    text = "news20, test error: adaptive less constant steps after 1,000 iterations +0.0 (range +0.0 to +0.0) %"
    assert text in by_id["simba.2"].nearest.measured


def test_differences_are_written_as_signed_shares() -> None:
    deviation = {"error": times(error, 0.95, 0.01), "level": times(level, 1.02)}
    claim = claims(*both(anytime=deviation))["simba.2"]
    assert set(outcomes(claim).values()) == {"reproduced"}
    part = statistic(claim, "test_error")["test_error 10000"]["relative"]
    assert part["estimate"] == pytest.approx(-0.05, abs=1e-3)
    assert part["low"] == pytest.approx(-0.06, abs=1e-3)
    value = statistic(claim, "saddle_value")["water_level 10000"]["relative"]
    assert value["estimate"] == pytest.approx(0.02, abs=1e-4)
    (margin,) = claim.sensitivity
    assert (margin.constant, margin.double) == ("almost", "reproduced (6 of 6)")


EVERYWHERE = dict.fromkeys(("test_error", "saddle_value"), "contradicted")


@pytest.mark.parametrize(
    ("deviation", "outcome"),
    [
        ({"error": times(error, 1.5), "level": times(level, 0.5)}, EVERYWHERE),
        (
            {"error": times(error, 0.5), "level": times(level, 1.5)},
            EVERYWHERE,
        ),  # the better one is not equivalent either
        # seeds that disagree
        (
            {"error": times(error, 1.05, 0.2), "level": times(level, 1.05, 0.2)},
            {"test_error": "unclear", "saddle_value": "unclear"},
        ),
        ({"level": times(level, 0.5)}, {"test_error": "reproduced", "saddle_value": "contradicted"}),
    ],
)
def test_versions_apart_are_not_equivalent(deviation: Mapping[str, Any], outcome: Mapping[str, str]) -> None:
    assert outcomes(claims(*both(anytime=deviation))["simba.2"]) == outcome


@pytest.mark.parametrize(("factor", "outcome"), [(2.0, "contradicted"), (0.5, "reproduced")])
def test_an_expensive_bias_contradicts_and_a_cheap_one_does_not(factor: float, outcome: str) -> None:
    claim = claims(*both(biased={"accesses": 700.0 * factor, "seconds": 2e-5 * factor}))["simba.3"]
    assert outcomes(claim) == {"time": outcome, "dense": "reproduced", "nonzeros": outcome}
    assert statistic(claim, "time")["cpu_seconds"]["ratio"]["estimate"] == pytest.approx(factor)


def test_runs_whose_costs_disagree_about_the_bias_are_unclear() -> None:
    panels = both()
    expensive = both(biased={"accesses": 1400.0, "seconds": 4e-5})
    apart = [
        replace(one, runs={**one.runs, "biased": (*one.runs["biased"][:2], *other.runs["biased"][2:])})
        for one, other in zip(panels, expensive, strict=True)
    ]
    claim = claims(*apart)["simba.3"]
    assert outcomes(claim) == {"time": "unclear", "dense": "reproduced", "nonzeros": "unclear"}
    ratio = statistic(claim, "time")["cpu_seconds"]["ratio"]
    assert ratio["low"] == pytest.approx(1.0)  # all resampled runs have a free bias
    assert ratio["high"] > 1.5


def test_unfinished_runs_are_missing() -> None:
    claim = claims(versions(constant={"last": 500}))["simba.2"]
    assert claim.verdict == "not_testable"
    assert any("no pair of runs of 10,000 iterations" in text for text in claim.nearest.exceptions())
    # only common seeds are pairs
    whole = versions()
    fewer = replace(whole, runs={**whole.runs, "simba": whole.runs["simba"][:1]})
    assert len(statistic(claims(fewer)["simba.2"], "saddle_value")["water_level 1000"]["differences"]) == 1


def test_an_error_of_zero_has_no_relative_difference() -> None:
    claim = claims(versions(constant={"error": times(error, 0.0)}))["simba.2"]
    assert claim.verdict == "not_testable"
    assert statistic(claim, "saddle_value")["water_level 1000"]["ruling"] == "holds"


def test_every_horizon_is_an_evaluation() -> None:
    settings = settings_of(overrides_of(SPEC.series[0], [], "digits", "digits"), jobs=1)
    budget = settings.budget
    grid = EvaluationSchedule(budget.evaluations).limits(Limit(iterations=budget.limit.iterations))
    assert set(HORIZONS) <= {limits.iterations for limits in grid}
