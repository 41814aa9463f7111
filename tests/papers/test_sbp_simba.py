from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from evidence_cases import evidence, finished_run, panel, rows_of
from readings import claims_of, on_all, reading

from svm_cost_curves.experiments.papers.curves import make
from svm_cost_curves.experiments.reproduction.evidence import Panel
from svm_cost_curves.experiments.reproduction.spec import read_figure
from svm_cost_curves.experiments.reproduction.verdict import Claim

SPEC = read_figure("sbp_simba")
ITERATIONS = np.array([1.0, 10, 100, 1000, 10000])

Value = Callable[[np.ndarray, int], np.ndarray]
"""f(w_bar) at numbers of iterations, for a seed."""


def two(sbp: Value, simba: Value, seeds: int = 3) -> Panel:
    runs = {
        name: [
            finished_run(
                algo=name,
                seed=seed,
                rows=rows_of(iterations=ITERATIONS, water_level=value(ITERATIONS, seed)),
            )
            for seed in range(seeds)
        ]
        for name, value in (("sbp", sbp), ("simba", simba))
    }
    return panel("adult", runs)


def rising(offset: float = 0.0, spread: float = 0.0) -> Value:
    return lambda t, seed: 0.1 - t**-0.5 + offset + spread * (seed - 1)


def judged(case: Panel) -> Claim:
    return claims_of(make(evidence(SPEC, on_all(case, SPEC.datasets))))["sbp.simba"]


@pytest.mark.parametrize(
    ("offset", "spread", "verdict"),
    [(0.01, 0.001, "reproduced"), (-0.01, 0.001, "contradicted"), (0.001, 0.01, "unclear")],
)
def test_higher_values_after_equal_iterations(offset: float, spread: float, verdict: str) -> None:
    claim = judged(two(rising(offset, spread), rising()))
    assert {variant.outcome for variant in claim.readings} == {verdict}
    assert claim.nearest.statistic["adult"]["simba"]["interval"]["estimate"] == pytest.approx(offset)
    assert claim.nearest.statistic["adult"]["simba"]["low"] == 10


def test_the_end_is_another_reading() -> None:
    def overtaken(t: np.ndarray, seed: int) -> np.ndarray:
        return rising()(t, seed) + np.where(t < 1e4, -0.01, 0.01)

    claim = judged(two(rising(), overtaken))
    assert (claim.verdict, reading(claim, "at_the_end").outcome) == ("reproduced", "contradicted")
