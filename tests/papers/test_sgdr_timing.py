from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sgdr_cases import J_OPT, optimum_run, run

from svm_cost_curves.experiments.papers.cases import HOLDS, Case
from svm_cost_curves.experiments.papers.effort import Effort, seconds_text
from svm_cost_curves.experiments.papers.optimum import Optimum, accuracy, optimum_of
from svm_cost_curves.experiments.papers.sgdr.comparisons import product, summary
from svm_cost_curves.experiments.papers.sgdr.timing import best_stop, first_evaluation, own_stop, stopped
from svm_cost_curves.experiments.reproduction.evidence import Panel

EXACT = Optimum(J_OPT, J_OPT)


def took(*seconds: float, reached: int | None = None) -> Effort:
    """Runs of which the first `reached` reach the target."""
    count = len(seconds) if reached is None else reached
    return Effort(seconds, tuple(k < count for k in range(len(seconds))))


def test_a_method_is_timed_to_its_first_evaluation_within_one_per_cent() -> None:
    runs = [
        run("a", [(1.0, 0.5, None), (2.0, 0.0101, None), (3.0, 0.01, None), (9.0, 0.5, None)]),
        run("b", [(1.0, 0.009, None), (20.0, 0.001, None)]),
        run("c", [(1.0, 0.5, None), (7.0, 0.02, None)]),
    ]
    found = first_evaluation(runs, Optimum(J_OPT * (1 - 1e-12), J_OPT))
    assert found is not None
    # a run that misses the target counts with the longest run
    assert found.costs == (3.0, 1.0, 20.0)
    assert found.reached == (True, True, False)
    assert (found.median, found.known, found.text(seconds_text)) == (3.0, True, "3 s")


def test_a_method_that_stops_by_itself_is_timed_to_its_end() -> None:
    # far below 1 % from its first evaluation on, which the method cannot know
    stops = run("a", [(1.0, 0.001, 0.5), (2.0, 0.0009, 0.008)])
    short = run("b", [(1.0, 0.001, 0.5), (4.0, 0.0009, 0.008)], stops=False)  # whose budget ended first
    assert stopped(stops)
    assert not stopped(short)
    found = own_stop([stops, short])
    assert found == Effort((2.0, 4.0), (True, False))
    assert not found.known
    assert found.text(seconds_text) == ">3 s"
    assert first_evaluation([stops, short], EXACT) == Effort((1.0, 1.0), (True, True))
    assert own_stop([]) is None


def test_an_evaluation_is_known_up_to_its_step() -> None:
    made = run("a", [(1.0, 0.5, None), (4.0, 0.005, None)])
    assert first_evaluation([made], EXACT) == Effort((4.0,), (True,))  # of one iteration: there is none between
    made.curve["iterations"] = [1, 9]
    assert first_evaluation([made], EXACT) == Effort((4.0,), (True,), 4.0)
    assert first_evaluation([made], EXACT, "epochs") == Effort((4.0,), (True,), 4.0)
    assert first_evaluation([], EXACT) is None


def test_the_largest_parameter_within_the_target() -> None:
    stops = {0.01: (8.0, 0.001), 0.05: (4.0, 0.009), 0.1: (3.0, 0.012), 0.2: (2.5, 0.05)}
    sweep = {
        eps: tuple(run(f"{eps} {k}", [(2.0 + k, 0.009, 0.9), (end + k, above, 0.0)], stop_at=eps) for k in range(2))
        for eps, (end, above) in stops.items()
    }
    # 0.1 misses it after 3.5 s: the best parameter's stop is between 3.5 and 4.5
    assert best_stop(sweep, EXACT) == Effort((4.0, 5.0), (True, True), 4.5 / 3.5)
    # the first evaluation within the target is after 2.5 s
    assert best_stop({0.05: sweep[0.05], 0.01: sweep[0.01]}, EXACT) == Effort((4.0, 5.0), (True, True), 4.5 / 2.5)
    assert best_stop({0.1: sweep[0.1], 0.2: sweep[0.2]}, EXACT) == Effort((3.0, 4.0), (False, False))
    assert best_stop({}, EXACT) is None


def test_an_objective_within_the_uncertainty_of_the_optimum_misses_the_target() -> None:
    runs = [run("a", [(1.0, 0.0099, None), (2.0, 0.0089, None)])]
    found = first_evaluation(runs, Optimum(J_OPT * 0.999, J_OPT))
    assert found is not None
    assert found.costs == (2.0,)


def test_products_of_medians_by_hand() -> None:
    found = product([took(1.0, 3.0), took(2.0, 2.0)], [1.0, -1.0])
    assert found is not None
    assert (found.interval.estimate, found.interval.low, found.interval.high) == pytest.approx((1.0, 0.5, 1.5))
    assert (found.above(1.0).ruling, found.above(0.4).ruling, found.at_most(0.4).ruling) == (
        "unclear",
        "holds",
        "fails",
    )
    mean = product([took(8.0), took(2.0), took(9.0), took(1.0)], [0.5, -0.5, 0.5, -0.5])
    assert mean is not None
    assert mean.interval.estimate == pytest.approx(6.0)
    stepped = product([Effort((8.0,), (True,), 2.0), Effort((2.0,), (True,), 3.0)], [1.0, -1.0])
    assert stepped is not None
    assert (stepped.interval.low, stepped.interval.high) == pytest.approx((2.0, 12.0))


def test_a_missed_target_bounds_the_ratio_from_one_side() -> None:
    slow, quick = took(10.0, 10.0, 10.0, reached=1), took(2.0, 2.0, 2.0)
    least, most = product([slow, quick], [1.0, -1.0]), product([quick, slow], [1.0, -1.0])
    assert least is not None
    assert most is not None
    assert least.text() == "at least 5 [5, 5]"
    assert (least.above(4.0).ruling, least.at_most(4.0).ruling) == ("holds", "fails")
    assert least.above(6.0).ruling == least.at_most(6.0).ruling == "unclear"  # it may be more than 6 or less
    assert most.text() == "at most 0.2 [0.2, 0.2]"
    assert (most.above(0.3).ruling, most.at_most(0.3).ruling) == ("fails", "holds")
    assert product([slow, slow], [1.0, -1.0]) is None
    assert product([slow, quick, slow], [1.0, -1.0, 0.5]) is not None


@settings(max_examples=25)
@given(st.lists(st.floats(0.1, 10), min_size=1, max_size=6), st.lists(st.floats(0.1, 10), min_size=1, max_size=6))
def test_the_interval_contains_the_ratio_of_medians(first: list[float], second: list[float]) -> None:
    found = product([took(*first), took(*second)], [1.0, -1.0])
    assert found is not None
    assert found.interval.estimate == pytest.approx(np.median(first) / np.median(second))
    limits = [min(first) / max(second) * (1 - 1e-9), max(first) / min(second) * (1 + 1e-9)]
    assert limits[0] <= found.interval.low <= found.interval.high <= limits[1]


def test_the_optimum_is_the_end_of_a_run() -> None:
    found = optimum_of(Panel("adult", "adult", runs={"optimum": (optimum_run("optimum", 1e-4),)}))
    assert found is not None
    assert (found.lower, found.upper) == pytest.approx((J_OPT * (1 - 5e-5), J_OPT * (1 + 5e-5)))
    assert found.uncertainty == pytest.approx(1e-4, rel=1e-3)
    assert found.excess(1.01 * found.lower) == pytest.approx(0.01)
    assert found.least_excess(1.01 * found.upper) == pytest.approx(0.01)
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
        Case((name, ""), name, HOLDS, statistic={"ratio": {"estimate": estimate, "bound": bound}})
        for name, (estimate, bound) in ratios.items()
    ]
    assert summary("a over b", cases[:2]) == (
        "A over b: as claimed in 2 of 2 cases; ratio 4 (geometric mean), from 2 (adult) to 8 (web)."
    )
    assert summary("a over b", cases) == (
        "A over b: as claimed in 3 of 3 cases; ratio 4 (geometric mean, without 1 of which only a bound is known), "
        "from 2 (adult) to 8 (web)."
    )
