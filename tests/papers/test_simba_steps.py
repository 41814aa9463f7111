from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from evidence_cases import evidence, finished_run, panel, rows_of
from numpy.typing import NDArray
from pictures import drawn_with_table
from readings import claims_of, outcomes, reading

from svm_cost_curves.experiments.configuration.composition import settings_of
from svm_cost_curves.experiments.configuration.schedule import EvaluationSchedule
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


def falling(best: float) -> Value:
    return lambda iterations, seed: best * (1 + 100 / iterations) + 1e-4 * seed


def rising(best: float) -> Value:
    return lambda iterations, seed: best / (1 + 100 / iterations) + 1e-5 * seed


def times(value: Value, factor: float, spread: float = 0.0) -> Value:
    return lambda iterations, seed: value(iterations, seed) * (factor + spread * (seed - 1))


ERROR, LEVEL = falling(0.05), rising(0.06)


def run(
    series: str,
    seed: int,
    *,
    last: int = 100_000,
    error: Value = ERROR,
    level: Value = LEVEL,
    accesses: float = 700.0,
    seconds: float = 2e-5,
    dataset: str = "news20",
) -> Any:
    t = CHECKPOINTS[last >= CHECKPOINTS]
    return finished_run(
        name=series,
        algo="simba",
        dataset=dataset,
        seed=seed,
        rows=rows_of(
            iterations=t,
            feature_accesses=accesses * t,
            feature_accesses_dense=5000 * t,
            cpu_seconds=seconds * t,
            test_error=error(t, seed),
            water_level=level(t, seed),
        ),
    )


def versions(
    *,
    dataset: str = "news20",
    seeds: int = 3,
    anytime: Mapping[str, Any] | None = None,
    constant: Mapping[str, Any] | None = None,
    biased: Mapping[str, Any] | None = None,
    **fields: Any,
) -> Panel:
    """Runs of all series on one data set; each series' own deviations are given."""
    runs = {
        "simba": [run("simba", seed, dataset=dataset, **(anytime or {})) for seed in range(seeds)],
        "biased": [run("biased", seed, dataset=dataset, **(biased or {})) for seed in range(seeds)],
    }
    for horizon, name in HORIZONS.items():
        own = {"last": horizon, **(constant or {})}
        runs[name] = [run(name, seed, dataset=dataset, **own) for seed in range(seeds)]
    return panel(dataset, runs, **fields)


def claims(*panels: Panel) -> dict[str, Claim]:
    return claims_of(make(evidence(SPEC, panels)))


def both(**deviations: Any) -> list[Panel]:
    return [versions(dataset=name, **deviations) for name in SPEC.datasets]


def statistic(claim: Claim, name: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = reading(claim, name).statistic["news20"]
    return found


def test_equal_versions_are_equivalent_and_a_free_bias_is_free() -> None:
    found = claims(*both())
    for claim in found.values():
        assert set(outcomes(claim).values()) == {"reproduced"}
    part = statistic(found["simba.2"], "test_error")["test_error 1000"]
    assert part["anytime"] == part["constant"] == pytest.approx(0.05 * 1.1 + 1e-4)
    assert (part["relative"]["low"], part["relative"]["high"]) == (0.0, 0.0)
    assert statistic(found["simba.3"], "nonzeros")["feature_accesses"]["biased"] == pytest.approx(700.0)
    assert statistic(found["simba.3"], "time")["cpu_seconds"]["ratio"]["estimate"] == pytest.approx(1.0)
    assert "news20, test error: after 1,000 iterations +0.0 (range +0.0 to +0.0) %" in found["simba.2"].nearest.measured


def test_differences_are_written_as_signed_shares() -> None:
    deviation = {"error": times(ERROR, 0.95, 0.01), "level": times(LEVEL, 1.02)}
    found = claims(*both(anytime=deviation))["simba.2"]
    assert set(outcomes(found).values()) == {"reproduced"}
    part = statistic(found, "test_error")["test_error 10000"]["relative"]
    assert part["estimate"] == pytest.approx(-0.05, abs=1e-3)
    assert part["low"] == pytest.approx(-0.06, abs=1e-3)
    level = statistic(found, "saddle_value")["water_level 10000"]["relative"]
    assert level["estimate"] == pytest.approx(0.02, abs=1e-4)
    (margin,) = found.sensitivity
    assert (margin.constant, margin.double) == ("almost", "reproduced (6 of 6)")


@pytest.mark.parametrize("factors", [(1.5, 0.5), (0.5, 1.5)])  # the better one is not equivalent either
def test_versions_apart_are_not_equivalent(factors: tuple[float, float]) -> None:
    deviation = {"error": times(ERROR, factors[0]), "level": times(LEVEL, factors[1])}
    assert set(outcomes(claims(*both(anytime=deviation))["simba.2"]).values()) == {"contradicted"}


def test_seeds_that_disagree_are_unclear_and_measures_are_readings() -> None:
    wide = {"error": times(ERROR, 1.05, 0.2), "level": times(LEVEL, 1.05, 0.2)}
    assert set(outcomes(claims(*both(anytime=wide))["simba.2"]).values()) == {"unclear"}
    apart = claims(*both(anytime={"level": times(LEVEL, 0.5)}))["simba.2"]
    assert outcomes(apart) == {"test_error": "reproduced", "saddle_value": "contradicted"}


def test_an_expensive_bias_contradicts() -> None:
    found = claims(*both(biased={"accesses": 1400.0, "seconds": 4e-5}))["simba.3"]
    assert outcomes(found) == {"time": "contradicted", "dense": "reproduced", "nonzeros": "contradicted"}
    assert statistic(found, "time")["cpu_seconds"]["ratio"]["estimate"] == pytest.approx(2.0)


def test_runs_whose_costs_disagree_about_the_bias_are_unclear() -> None:
    panels = both()
    expensive = both(biased={"accesses": 1400.0, "seconds": 4e-5})
    apart = [
        replace(one, runs={**one.runs, "biased": (*one.runs["biased"][:2], *other.runs["biased"][2:])})
        for one, other in zip(panels, expensive, strict=True)
    ]
    found = claims(*apart)["simba.3"]
    assert outcomes(found) == {"time": "unclear", "dense": "reproduced", "nonzeros": "unclear"}
    ratio = statistic(found, "time")["cpu_seconds"]["ratio"]
    assert ratio["low"] == pytest.approx(1.0)  # all resampled runs have a free bias
    assert ratio["high"] > 1.5


def test_a_cheaper_bias_costs_nothing() -> None:
    found = claims(*both(biased={"accesses": 350.0}))["simba.3"]
    assert outcomes(found)["nonzeros"] == "reproduced"


def test_unfinished_runs_are_missing() -> None:
    found = claims(versions(constant={"last": 500}))["simba.2"]
    assert found.verdict == "not_testable"
    assert any("no pair of runs of 10,000 iterations" in text for text in found.nearest.exceptions())
    # only common seeds are pairs
    whole = versions()
    fewer = replace(whole, runs={**whole.runs, "simba": whole.runs["simba"][:1]})
    assert len(statistic(claims(fewer)["simba.2"], "saddle_value")["water_level 1000"]["differences"]) == 1


def test_an_error_of_zero_has_no_relative_difference() -> None:
    found = claims(versions(constant={"error": times(ERROR, 0.0)}))["simba.2"]
    assert found.verdict == "not_testable"
    assert statistic(found, "saddle_value")["water_level 1000"]["ruling"] == "holds"


def test_every_horizon_is_an_evaluation() -> None:
    settings = settings_of(overrides_of(SPEC.series[0], [], "digits", "digits"), jobs=1)
    budget = settings.budget
    grid = EvaluationSchedule(budget.evaluations).limits(Limit(iterations=budget.limit.iterations))
    assert set(HORIZONS) <= {limits.iterations for limits in grid}


def test_picture_and_table() -> None:
    made = drawn_with_table(make(evidence(SPEC, both())))
    assert set(made.data["measure"]) == {"test_error", "water_level"}
    assert made.table is not None
    assert len(made.table().rows) == 2 * len(HORIZONS) * 2
    difference = "+0.00 (range +0.00 to +0.00) points"
    assert ["news20", "1,000", "test error", "5.51 %", "5.51 %", difference] in made.table().rows
    assert sum("per iteration" in note for note in made.table().notes) == 2 * 3
