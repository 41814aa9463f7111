from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from evidence_cases import evidence, finished_run, panel
from hypothesis import given
from hypothesis import strategies as st
from pictures import drawn_with_table

from experiments.configuration.composition import composing, settings_of
from experiments.configuration.schedule import EvaluationSchedule
from experiments.papers.cases import within
from experiments.papers.simba.steps import make
from experiments.reproduction.evidence import Panel
from experiments.reproduction.figure_result import FigureResult
from experiments.reproduction.options import Options
from experiments.reproduction.plan import overrides_of
from experiments.reproduction.spec import read_figure
from experiments.reproduction.statistics import Interval
from experiments.reproduction.verdict import Claim
from solvers import Limit

SPEC = read_figure("simba_steps")
HORIZONS = {int(T): name for T, name in SPEC.members("constant").items()}
CHECKPOINTS = [10, 100, 1000, 5000, 10_000, 50_000, 100_000]

Value = Callable[[int, int], float]
"""Of a measure after some iterations, for a seed."""


def falling(best: float) -> Value:
    return lambda iterations, seed: best * (1 + 100 / iterations) + 1e-4 * seed


def rising(best: float) -> Value:
    return lambda iterations, seed: best / (1 + 100 / iterations) + 1e-5 * seed


def times(value: Value, factor: float, spread: float = 0.0) -> Value:
    return lambda iterations, seed: value(iterations, seed) * (factor + spread * (seed - 1))


ERROR, LEVEL = falling(0.05), rising(0.06)


def run(
    folder: Path,
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
    return finished_run(
        folder,
        name=series,
        algo="simba",
        dataset=dataset,
        seed=seed,
        rows=[
            {
                "iterations": t,
                "feature_accesses": int(accesses * t),
                "feature_accesses_dense": 5000 * t,
                "cpu_seconds": seconds * t,
                "test_error": error(t, seed),
                "water_level": level(t, seed),
            }
            for t in CHECKPOINTS
            if t <= last
        ],
    )


def versions(
    folder: Path,
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
        "simba": [run(folder, "simba", seed, dataset=dataset, **(anytime or {})) for seed in range(seeds)],
        "biased": [run(folder, "biased", seed, dataset=dataset, **(biased or {})) for seed in range(seeds)],
    }
    for horizon, name in HORIZONS.items():
        own = {"last": horizon, **(constant or {})}
        runs[name] = [run(folder, name, seed, dataset=dataset, **own) for seed in range(seeds)]
    return panel(dataset, runs, **fields)


def claims(*panels: Panel) -> dict[str, Claim]:
    made = make(evidence(SPEC, panels))
    assert [claim.id for claim in made.claims] == ["simba.2", "simba.3"]
    for claim in made.claims:
        json.dumps(claim.statistic, allow_nan=False)
    return {claim.id: claim for claim in made.claims}


def test_equal_versions_are_equivalent_and_a_free_bias_is_free(tmp_path: Path) -> None:
    found = claims(versions(tmp_path))
    assert {claim.verdict for claim in found.values()} == {"reproduced"}
    part = found["simba.2"].statistic["news20"]["test_error 1000"]
    assert part["anytime"] == part["constant"] == pytest.approx(0.05 * 1.1 + 1e-4)
    assert part["relative"] == {"estimate": 0.0, "low": 0.0, "high": 0.0}
    bias = found["simba.3"].statistic["news20"]
    assert bias["feature_accesses"]["biased"] == pytest.approx(700.0)
    assert bias["cpu_seconds"]["ratio"]["estimate"] == pytest.approx(1.0)
    assert "news20, test error: after 1,000 iterations +0.0 [+0.0, +0.0] %" in found["simba.2"].measured


def test_differences_are_written_as_signed_shares(tmp_path: Path) -> None:
    deviation = {"error": times(ERROR, 0.95, 0.01), "level": times(LEVEL, 1.02)}
    found = claims(versions(tmp_path, anytime=deviation))["simba.2"]
    assert found.verdict == "reproduced"
    part = found.statistic["news20"]
    assert part["test_error 10000"]["relative"]["estimate"] == pytest.approx(-0.05, abs=1e-3)
    assert part["test_error 10000"]["relative"]["low"] == pytest.approx(-0.06, abs=1e-3)
    assert part["water_level 10000"]["relative"]["estimate"] == pytest.approx(0.02, abs=1e-4)


def test_versions_apart_are_not_equivalent(tmp_path: Path) -> None:
    deviation = {"error": times(ERROR, 1.5), "level": times(LEVEL, 0.5)}
    assert claims(versions(tmp_path, anytime=deviation))["simba.2"].verdict == "not_reproduced"
    # the better one is not equivalent either
    deviation = {"error": times(ERROR, 0.5), "level": times(LEVEL, 1.5)}
    assert claims(versions(tmp_path / "better", anytime=deviation))["simba.2"].verdict == "not_reproduced"


def test_seeds_that_disagree_and_measures_that_disagree_give_partly(tmp_path: Path) -> None:
    wide = {"error": times(ERROR, 1.05, 0.2), "level": times(LEVEL, 1.05, 0.2)}
    found = claims(versions(tmp_path, anytime=wide))["simba.2"]
    assert {part["ruling"] for part in found.statistic["news20"].values()} == {"partly"}
    mixed = {"level": times(LEVEL, 0.5)}
    assert claims(versions(tmp_path / "mixed", anytime=mixed))["simba.2"].verdict == "partly"


def test_an_expensive_bias_is_not_reproduced(tmp_path: Path) -> None:
    found = claims(versions(tmp_path, biased={"accesses": 1400.0, "seconds": 4e-5}))["simba.3"]
    rulings = {cost: part["ruling"] for cost, part in found.statistic["news20"].items()}
    assert rulings == {
        "feature_accesses_dense": "reproduced",
        "feature_accesses": "not_reproduced",
        "cpu_seconds": "not_reproduced",
    }
    assert found.verdict == "partly"
    assert found.statistic["news20"]["cpu_seconds"]["ratio"]["estimate"] == pytest.approx(2.0)


def test_a_cheaper_bias_costs_nothing(tmp_path: Path) -> None:
    assert claims(versions(tmp_path, biased={"accesses": 350.0}))["simba.3"].verdict == "reproduced"


def test_stand_ins_are_judged(tmp_path: Path) -> None:
    stand_in = replace(versions(tmp_path, stand_in="no news20"), dataset="newsgroups_binary")
    found = claims(stand_in)
    assert {claim.verdict for claim in found.values()} == {"reproduced"}
    assert all("stand-ins are judged" in claim.why for claim in found.values())


def test_unfinished_runs_are_left_out(tmp_path: Path) -> None:
    found = claims(versions(tmp_path, constant={"last": 500}))["simba.2"]
    assert found.verdict == "not_applicable"
    assert "no pair of runs of 10,000 iterations" in found.why
    # only common seeds are pairs
    whole = versions(tmp_path / "fewer")
    fewer = replace(whole, runs={**whole.runs, "simba": whole.runs["simba"][:1]})
    part = claims(fewer)["simba.2"].statistic["news20"]["water_level 1000"]
    assert len(part["differences"]) == 1
    assert "one pair of runs only" in claims(fewer)["simba.2"].why


def test_an_error_of_zero_has_no_relative_difference(tmp_path: Path) -> None:
    found = claims(versions(tmp_path, constant={"error": times(ERROR, 0.0)}))["simba.2"]
    assert found.statistic["news20"]["test_error 1000"]["ruling"] == "not_applicable"
    assert found.statistic["news20"]["water_level 1000"]["ruling"] == "reproduced"


@given(st.floats(-1, 1), st.floats(0, 1), st.floats(0.01, 1))
def test_within_a_margin(centre: float, half: float, margin: float) -> None:
    ruling = within(Interval(centre, centre - half, centre + half), margin)
    inside = max(abs(centre - half), abs(centre + half)) <= margin
    outside = abs(centre) - half > margin
    assert ruling == ("reproduced" if inside else "not_reproduced" if outside else "partly")
    assert within(Interval(-centre, -centre - half, -centre + half), margin) == ruling


def test_every_horizon_is_an_evaluation() -> None:
    with composing():
        settings = settings_of(overrides_of(SPEC.series[0], [], "digits", "digits", Options("paper")), jobs=1)
    budget = settings.budget
    grid = EvaluationSchedule(budget.evaluations).limits(Limit(iterations=budget.limit.iterations))
    assert set(HORIZONS) <= {limits.iterations for limits in grid}


def rendered(*panels: Panel) -> FigureResult:
    return drawn_with_table(make(evidence(SPEC, panels)))


def test_picture_and_table(tmp_path: Path) -> None:
    made = rendered(*(versions(tmp_path, dataset=name) for name in SPEC.datasets))
    assert set(made.data["measure"]) == {"test_error", "water_level"}
    assert made.table is not None
    assert len(made.table.rows) == 2 * len(HORIZONS) * 2
    assert ["news20", "1,000", "test error", "5.51 %", "5.51 %", "+0.00 [+0.00, +0.00] points"] in made.table.rows
    assert sum("per iteration" in note for note in made.table.notes) == 2 * 3


def test_without_runs_claims_are_undecided() -> None:
    for panels in ([], [Panel("news20", "news20")]):
        made = rendered(*panels)
        assert {claim.verdict for claim in made.claims} == {"not_applicable"}
