from __future__ import annotations

import numpy as np
import pytest
from sgdr_cases import J_OPT, optimum_run, run

from svm_cost_curves.experiments.papers.cases import case_of
from svm_cost_curves.experiments.papers.optimum import Optimum, accuracy, optimum_of
from svm_cost_curves.experiments.papers.sgdr.comparisons import summary
from svm_cost_curves.experiments.papers.sgdr.timing import best_stop
from svm_cost_curves.experiments.papers.times import seconds_text
from svm_cost_curves.experiments.reproduction.evidence import Panel
from svm_cost_curves.experiments.reproduction.statistics.interval import HOLDS
from svm_cost_curves.experiments.reproduction.statistics.target import Effort

EXACT = Optimum(J_OPT, J_OPT)


def test_the_largest_parameter_within_the_target() -> None:
    stops = {0.01: (8.0, 0.001), 0.05: (4.0, 0.009), 0.1: (3.0, 0.012), 0.2: (2.5, 0.05)}
    sweep = {
        eps: tuple(run(f"{eps} {k}", [(2.0 + k, 0.009, 0.9), (end + k, above, 0.0)], stop_at=eps) for k in range(2))
        for eps, (end, above) in stops.items()
    }
    # 0.1 misses it after 3.5 s: the best parameter's stop is between 3.5 and 4.5
    assert best_stop(sweep, EXACT) == Effort((4.0, 5.0), (True, True), (3.5, 3.5))
    # the first evaluation within the target is after 2.5 s
    two = {0.05: sweep[0.05], 0.01: sweep[0.01]}
    assert best_stop(two, EXACT) == Effort((4.0, 5.0), (True, True), (2.5, 2.5))
    assert best_stop({0.1: sweep[0.1], 0.2: sweep[0.2]}, EXACT) == Effort((3.0, 4.0), (False, False))
    assert best_stop({}, EXACT) is None


def test_the_optimum_is_the_end_of_a_run() -> None:
    optimum = optimum_of(Panel("adult", "adult", runs={"optimum": (optimum_run("optimum", 1e-4),)}))
    assert optimum is not None
    assert (optimum.lower, optimum.upper) == pytest.approx((J_OPT * (1 - 5e-5), J_OPT * (1 + 5e-5)))
    assert optimum.uncertainty == pytest.approx(1e-4, rel=1e-3)
    assert optimum.excess(1.01 * optimum.lower) == pytest.approx(0.01)
    assert optimum.least_excess(1.01 * optimum.upper) == pytest.approx(0.01)
    for k, below in enumerate((None, 1.5)):  # no bound, and one below 0
        runs = (run(f"optimum {k}", [(1.0, 0.0, below)]),)
        assert optimum_of(Panel("adult", "adult", runs={"optimum": runs})) is None
    assert optimum_of(Panel("adult", "adult")) is None


def test_accuracy_needs_a_bound_above_zero() -> None:
    frame = run("a", [(1.0, 0.5, None), (2.0, 0.5, 1.5), (3.0, 0.2, 0.2)]).curve
    assert accuracy(frame) == pytest.approx([np.nan, np.nan, 0.5], nan_ok=True)


def test_times_have_three_digits() -> None:
    texts = [seconds_text(value) for value in (1.234e-5, 0.0123456, 0.99949, 0.9996, 12.34, 1234.5)]
    assert texts == ["0.0123 ms", "12.3 ms", "999 ms", "1 s", "12.3 s", "1,234 s"]


def test_the_mean_ratio_leaves_out_cases_of_which_only_a_bound_is_known() -> None:
    ratios = {"adult": (2.0, ""), "web": (8.0, ""), "texts": (0.1, "at most")}
    cases = [
        case_of(name, "", name, HOLDS, statistic={"ratio": {"estimate": estimate, "bound": bound}})
        for name, (estimate, bound) in ratios.items()
    ]
    assert summary("a over b", cases[:2]) == (
        "A over b: as claimed in 2 of 2 cases; ratio 4 (geometric mean), from 2 (adult) to 8 (web)."
    )
    assert summary("a over b", cases[2:]) == "A over b: as claimed in 1 of 1 cases; only bounds of ratios are known."
    assert summary("a over b", cases) == (
        "A over b: as claimed in 3 of 3 cases; ratio 4 (geometric mean, without 1 of which only a bound is known), "
        "from 2 (adult) to 8 (web)."
    )
