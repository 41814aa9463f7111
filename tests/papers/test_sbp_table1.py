from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from evidence_cases import evidence, finished_run, panel, rows_of
from readings import claims_of, on_all, reading

from svm_cost_curves.experiments.papers.sbp.growth import DELTAS
from svm_cost_curves.experiments.papers.sbp.table1 import COLUMNS, make
from svm_cost_curves.experiments.reproduction.evidence import FigureResult, Panel
from svm_cost_curves.experiments.reproduction.spec import read_figure
from svm_cost_curves.experiments.reproduction.verdict import Claim
from svm_cost_curves.experiments.store import FinishedRun

SPEC = read_figure("sbp_table1")
BEST = 0.02
HINGE = 0.01


Cost = Callable[[float, int], float]
"""Evaluations at which the error is (1 + delta) BEST, for delta and seed."""


def power(exponent: float, factor: float = 1e5, spread: float = 0.0) -> Cost:
    return lambda delta, seed: factor * delta ** -(exponent + spread * (seed - 1))


def runs(algo: str, cost: Cost, seeds: int = 3, *, dataset: str = "adult", **overrides: Any) -> list[FinishedRun]:
    """Runs that begin at error 0.9, are at (1 + delta) BEST at these costs, and end at BEST."""
    return [
        finished_run(
            algo=algo,
            dataset=dataset,
            seed=seed,
            rows=rows_of(
                iterations=[1, *costs, 10**15],
                kernel_evaluations=[10, *costs, 10**15],
                test_error=[0.9, *((1 + delta) * BEST for delta in DELTAS), BEST],
                hinge=[0.9, *[None] * len(DELTAS), HINGE],
            ),
            **overrides,
        )
        for seed in range(seeds)
        for costs in [[round(cost(delta, seed)) for delta in DELTAS]]
    ]


def one_panel(costs: dict[str, Cost], seeds: int = 3, dataset: str = "adult") -> Panel:
    return panel(
        dataset,
        {name: runs(name, cost, 1 if name == "smo" else seeds, dataset=dataset) for name, cost in costs.items()},
    )


def judged(made: FigureResult) -> Claim:
    return claims_of(made)["sbp.table1"]


def on_three(case: Panel) -> Claim:
    """The claim, if all data sets of the paper have these runs."""
    return judged(make(evidence(SPEC, on_all(case, SPEC.datasets))))


def fit(cost: Callable[[float], float]) -> float:
    """Exponent of a cost over all deltas, of an excess error delta BEST."""
    x, y = (np.log([value(delta) for delta in DELTAS]) for value in (lambda d: 1 / d, lambda d: cost(d * BEST)))
    return float(np.polyfit(x, y, 1)[0])


AS_BOUNDED = {
    "sbp": power(1),
    "pegasos": power(3, 1e8),
    "sdca": power(3, 1e8),
    "smo": power(0.1, 1e7),
    "perceptron": power(1),
}


def test_growth_in_the_order_of_the_bounds() -> None:
    """The exponents are those that the runs were made with; so is the table."""
    case = one_panel(AS_BOUNDED)
    made = make(evidence(SPEC, on_all(case, SPEC.datasets)))
    claim = judged(made)
    assert claim.nearest.brief == "reproduced (3 of 3)"
    adult = claim.nearest.statistic["adult"]
    assert adult["exponent"]["exponents"] == pytest.approx([1, 3], abs=1e-3)
    assert adult["exponent"]["difference"]["estimate"] == pytest.approx(-2, abs=1e-3)
    assert adult["exponent"]["difference_when_first_met"]["estimate"] == pytest.approx(-2, abs=1e-3)
    assert adult["exponent"]["difference_of_bounds"] == pytest.approx(fit(lambda e: (HINGE + e) ** 2))
    assert adult["exponent"]["deltas_compared"] == list(DELTAS)
    assert adult["exponent"]["sbp_over_rival_at_smallest_delta"] == pytest.approx(1e-3 * 0.02**2, rel=1e-3)
    fewer = claims_of(made)["sbp.fewer"].nearest.statistic["adult"]["fewer"]
    assert fewer["errors_that_both_reach"] == fewer["of_these_sbp_is_cheaper_at"] == len(DELTAS)
    assert adult["smo"]["ruling"] == "beside"
    assert adult["smo"]["exponent"]["estimate"] == pytest.approx(0.1, abs=1e-3)
    assert reading(claim, "per_support_vector").outcome == "reproduced"
    assert made.table is not None
    row = dict(zip(made.table().columns, made.table().rows[0], strict=True))
    assert row["bound"] == "((L+ε)/ε)^3 ‖u‖^4/ε (SBP)"
    assert row["δ = 0.1"] == "1.0e+09"  # iterations of n = 1000 evaluations
    assert row["exponent measured"] == "1.00 (range 1.00 to 1.00)"
    assert row["at fixed n"] == f"{float(row['its exponent']) - fit(lambda e: (HINGE + e) / e**2):.2f}"
    assert tuple(made.data.columns) == COLUMNS
    assert len(made.data) == len(made.table().rows) * len(DELTAS)
    data = made.data[(made.data["charge"] == "support_vector") & (made.data["delta"] == 1.0)]
    first = data[data["series"] == "pegasos"].iloc[0]
    # L = 0.01, epsilon = 0.02: 1.5 / 0.02^3
    assert first["bound"] == pytest.approx(1.5 / 0.02**3)
    assert first["evaluations"] == first["first_met"] == 1e8


@pytest.mark.parametrize(
    ("sbp", "pegasos", "fewer", "growth"),
    [
        (
            power(3),
            power(1),
            "contradicted",
            "contradicted",
        ),  # Pegasos is cheaper from delta = 1 down
        (power(3), power(1, 1e12), "reproduced", "contradicted"),
        (power(1, 1e10), power(3), "contradicted", "reproduced"),
        (power(1), power(3, 1e8), "reproduced", "reproduced"),
        (lambda delta, _: 1e5 / delta if delta > min(DELTAS) else 1e14, power(3, 1e8), "contradicted", "reproduced"),
    ],
)
def test_two_claims_on_each_data_set(sbp: Cost, pegasos: Cost, fewer: str, growth: str) -> None:
    case = one_panel({"sbp": sbp, "pegasos": pegasos})
    claim = on_three(case)
    other = claims_of(make(evidence(SPEC, on_all(case, SPEC.datasets))))["sbp.fewer"]
    assert (claim.nearest.cases, other.nearest.cases) == (3, 3)
    assert (other.verdict, claim.verdict) == (fewer, growth)
    assert claim.nearest.statistic["adult"]["exponent"]["difference_of_bounds"] is None  # no SMO, no L


def test_growth_with_overlapping_intervals_is_unclear() -> None:
    case = one_panel({"sbp": power(2, 1e5, 0.1), "pegasos": power(2.05, 1e8, 0.1)}, seeds=4)
    claim = on_three(case)
    gap = claim.nearest.statistic["adult"]["exponent"]["difference"]
    assert gap["low"] < 0 < gap["high"]
    assert claim.nearest.statistic["adult"]["exponent"]["ruling"] == "unclear"


def test_each_way_of_charging_is_a_reading() -> None:
    """The same steps, charged in two ways: here one grows faster than the SBP, the other more slowly."""
    case = one_panel({"sbp": power(2), "pegasos": power(3, 1e8), "pegasos_kept": power(1)})
    claim = on_three(case)
    assert claim.verdict == "reproduced"
    assert reading(claim, "per_change").outcome == "contradicted"
    fewer = claims_of(make(evidence(SPEC, on_all(case, SPEC.datasets))))["sbp.fewer"]
    assert [variant.outcome for variant in fewer.readings][::2] == ["reproduced", "contradicted"]


def test_a_best_error_of_zero_is_not_testable() -> None:
    rows = [{"iterations": 1, "kernel_evaluations": 7, "test_error": 0.0, "hinge": 0.1}]
    cases = {name: [finished_run(algo=name, rows=rows)] for name in ("sbp", "pegasos", "smo")}
    made = make(evidence(SPEC, [panel("adult", cases)]))
    assert judged(made).verdict == "not_testable"
    assert "Adult: not run, the best error is 0" in judged(made).nearest.exceptions()
    assert made.data.empty


def test_errors_of_a_constant_prediction_are_left_out() -> None:
    """7 % of the test set are negative: one answer for all is better than 0.08 = (1 + 3) 0.02."""
    few = {"data": {"counts": {"test": {"n": 100, "positives": 93}}}}
    cases = {name: runs(name, power(exponent), 1, provenance=few) for name, exponent in (("sbp", 1), ("pegasos", 3))}
    made = make(evidence(SPEC, [panel("adult", cases)]))
    assert judged(made).nearest.statistic["adult"]["exponent"]["deltas_compared"] == [
        delta for delta in DELTAS if delta < 3
    ]
    assert made.table is not None
    row = dict(zip(made.table().columns, made.table().rows[0], strict=True))
    assert (row["δ = 10"], row["δ = 5"], row["δ = 1"]) == ("o", "o", "1.0e+08")


def test_errors_reached_at_the_first_evaluation_or_never() -> None:
    """The SBP is at 0.05 from the start: deltas from 1.5 on say at most; the Perceptron stays at 0.9."""
    rows = [(200, 0.05), (400, 0.03), (800, 0.022), (1600, 0.021), (3200, 0.0204), (6400, 0.02)]
    costs, errors = zip(*rows, strict=True)
    sbp = finished_run(rows=rows_of(iterations=costs, kernel_evaluations=costs, test_error=errors))
    stuck = finished_run(algo="perceptron", rows=[{"iterations": 1, "kernel_evaluations": 7, "test_error": 0.9}])
    made = make(evidence(SPEC, [panel("adult", {"sbp": [sbp], "perceptron": [stuck]})]))
    assert judged(made).verdict == "not_testable"
    assert made.table is not None
    row, other, _ = (dict(zip(made.table().columns, cells, strict=True)) for cells in made.table().rows)
    assert (row["δ = 2"], row["δ = 0.5"], row["δ = 0.1"]) == ("≤ 2.0e+05", "4.0e+05", "8.0e+05")
    assert row["exponent measured"] != ""
    assert other["δ = 0.1"] == "—"
    assert other["exponent measured"] == ""
    data = made.data[made.data["series"] == "sbp"].set_index("delta")
    assert data.loc[2.0, "at_first_checkpoint"]
    assert math.isnan(data.loc[2.0, "evaluations"])
