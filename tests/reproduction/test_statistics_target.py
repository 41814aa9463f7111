from __future__ import annotations

import json
import math
import statistics
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from svm_cost_curves.experiments import curve
from svm_cost_curves.experiments.reproduction.statistics import (
    LEAST_RUNS,
    Effort,
    Interval,
    Ratio,
    cost_to_target,
    crossing,
    effort_of,
    grid_step,
    multiple_text,
    product,
    ratio_of,
)

COSTS = st.lists(st.floats(0.1, 10), min_size=1, max_size=6)
FEW = st.lists(st.floats(0.1, 10), min_size=1, max_size=LEAST_RUNS - 1)
POWERS = st.sampled_from([-2.0, -1.0, -0.5, 0.5, 1.0, 3.0])
TARGET = 0.5


def took(*seconds: float, reached: int | None = None) -> Effort:
    """Runs of which the first `reached` reach the target."""
    count = len(seconds) if reached is None else reached
    return Effort(seconds, tuple(k < count for k in range(len(seconds))))


def ends(ratio: Ratio | None) -> list[float]:
    assert ratio is not None
    return [ratio.interval.estimate, ratio.interval.low, ratio.interval.high]


class Run:
    """A run whose value falls to the target at a hidden iteration, and which is evaluated now and then."""

    def __init__(self, met: int, evaluated: list[int], prices: list[int]) -> None:
        """`prices`: cost of each iteration after the evaluation before."""
        self.iterations = np.array(evaluated, dtype=float)
        passed = np.diff(self.iterations, prepend=0.0)
        self.costs: NDArray[np.float64] = np.cumsum(passed * prices)
        self.values = np.where(self.iterations < met, 1.0, TARGET) - 0.4 * self.iterations / self.iterations[-1]
        self.cost = float(np.interp(met, [0.0, *self.iterations], [0.0, *self.costs]))
        """True cost of the iteration that met the target."""

    @property
    def curve(self) -> pd.DataFrame:
        rows = zip(self.iterations, self.costs, self.values, strict=True)
        return curve.from_rows(
            [{"iterations": int(i), "kernel_evaluations": int(cost), "test_error": value} for i, cost, value in rows]
        )


@st.composite
def crossing_runs(draw: st.DrawFn) -> Run:
    evaluated = sorted(draw(st.lists(st.integers(1, 1000), min_size=1, max_size=12, unique=True)))
    prices = draw(st.lists(st.integers(1, 50), min_size=len(evaluated), max_size=len(evaluated)))
    return Run(draw(st.integers(1, evaluated[-1])), evaluated, prices)


@given(crossing_runs(), st.booleans())
def test_the_true_cost_of_a_crossing_lies_within_the_step_of_the_evaluations(run: Run, settled: bool) -> None:
    found = crossing(run.costs, run.values, run.iterations, TARGET, settled=settled)
    assert found is not None
    assert found.cost == run.costs[found.index]
    assert found.least * (1 - 1e-12) <= run.cost <= found.cost * (1 + 1e-12)


@given(st.integers(1, 500), st.integers(1, 500), st.integers(1, 20))
def test_the_ends_of_a_step_are_reached(before: int, passed: int, price: int) -> None:
    evaluated = [before, before + passed]
    for met, end in ((before + 1, "least"), (before + passed, "cost")):
        run = Run(met, evaluated, [price, 2 * price])
        found = crossing(run.costs, run.values, run.iterations, TARGET)
        assert getattr(found, end) == pytest.approx(run.cost)


@given(st.lists(st.sampled_from([0.1, 0.5, 0.9, math.nan]), max_size=10), st.booleans())
def test_a_crossing_is_the_first_evaluation_at_the_target_or_the_first_after_all_that_miss_it(
    given_values: list[float], settled: bool
) -> None:
    values, iterations = np.array(given_values, dtype=float), np.arange(1.0, len(given_values) + 1)
    found = crossing(10 * iterations, values, iterations, TARGET, settled=settled)
    met, missed = np.flatnonzero(values <= TARGET), np.flatnonzero(values > TARGET)
    after = met[met > missed[-1]] if settled and len(missed) else met
    assert (None if found is None else found.index) == (after[0] if len(after) else None)
    if found is not None:
        known = np.flatnonzero(np.isfinite(values[: found.index]))
        last_miss = int(known[-1]) + 1 if len(known) else 0  # iterations of the evaluation before
        assert found.least == pytest.approx(10 * (last_miss + 1))


def test_a_value_above_the_target_by_rounding_meets_it() -> None:
    one = np.array([1.0])
    assert crossing(one, np.array([0.1 + 0.2]), one, 0.3) is not None
    assert crossing(one, np.array([0.300001]), one, 0.3) is None


def test_a_target_met_at_the_first_iteration_or_before_is_exact() -> None:
    for first in (0.0, 1.0):
        found = crossing(np.array([7.0]), np.array([0.1]), np.array([first]), TARGET)
        assert found is not None
        assert (found.cost, found.least) == (7.0, 7.0)


@given(st.lists(st.tuples(st.integers(1, 99), st.booleans()), min_size=1, max_size=8), st.booleans())
def test_a_quantity_that_falls_is_at_least_its_own_value(rows: list[tuple[int, bool]], settled: bool) -> None:
    """Numbers of support vectors may."""
    costs, values = np.array([cost for cost, _ in rows], dtype=float), np.array([0.9 - 0.5 * met for _, met in rows])
    found = crossing(costs, values, 10 * np.arange(1.0, len(rows) + 1), TARGET, settled=settled)
    if found is not None:
        before = costs[found.index - 1] if found.index else 0.0
        assert min(before, found.cost) <= found.least <= found.cost


def test_the_cost_of_several_runs_to_a_target() -> None:
    runs = [Run(40, [10, 50, 100], [1, 1, 1]), Run(1, [1, 9], [4, 1]), Run(100, [10, 50, 100], [2, 2, 2])]
    runs[2].values[:] = 0.9  # it misses the target: the longest run counts
    frames = [run.curve for run in runs]
    found = cost_to_target([*frames, curve.from_rows([])], "kernel_evaluations", "test_error", TARGET)
    assert found == Effort((50.0, 4.0, 200.0), (True, True, False), (11.0, 4.0, 200.0))
    as_function = cost_to_target(
        frames, "kernel_evaluations", lambda frame: 2 * curve.column(frame, "test_error"), 2 * TARGET
    )
    assert as_function == found
    assert cost_to_target([], "kernel_evaluations", "test_error", TARGET) is None


def test_a_run_that_leaves_the_target_again_has_not_settled() -> None:
    run = Run(10, [10, 20, 30, 40], [1, 1, 1, 1])
    run.values[1] = 0.9
    first, last = (
        cost_to_target([run.curve], "kernel_evaluations", "test_error", TARGET, settled=settled)
        for settled in (False, True)
    )
    assert first == Effort((10.0,), (True,), (1.0,))
    assert last == Effort((30.0,), (True,), (21.0,))


@given(st.lists(st.tuples(*[st.floats(0.1, 100)] * 3).map(sorted), min_size=1, max_size=9))
def test_the_true_median_lies_within_the_step_of_the_evaluations(runs: list[list[float]]) -> None:
    least, true, costs = zip(*runs, strict=True)
    effort = Effort(costs, (True,) * len(runs), least)
    assert effort.median / effort.step * (1 - 1e-9) <= statistics.median(true) <= effort.median
    assert effort.step >= 1
    exact = Effort(costs, (True,) * len(runs))
    assert (exact.step, exact.median) == (1.0, effort.median)


def test_a_median_is_known_if_more_than_half_of_the_runs_reach_the_target() -> None:
    assert [took(1.0, 2.0, 3.0, reached=count).known for count in range(4)] == [False, False, True, True]
    assert [took(1.0, 2.0, reached=count).known for count in range(3)] == [False, False, True]
    known, cut = took(1.0, 2.0, 9.0, reached=2), took(1.0, 9.0, 9.0, reached=1)
    assert (known.text(multiple_text), cut.text(multiple_text)) == ("2", ">9")


def test_a_run_that_misses_the_target_counts_as_the_longest_run() -> None:
    assert effort_of([3.0, None, 5.0], 8.0) == Effort((3.0, 8.0, 5.0), (True, False, True))
    stepped = effort_of([3.0, None], 8.0, [2.0, 1.0])
    assert stepped == Effort((3.0, 8.0), (True, False), (2.0, 8.0))
    assert stepped.columns("seconds") == {"seconds": 5.5, "least": 3.0, "largest": 8.0, "runs": 2, "reached": 1}


def test_another_unit_does_not_change_a_step() -> None:
    effort = Effort((3.0, 8.0), (True, False), (2.0, 8.0))
    assert effort.times(10.0) == Effort((30.0, 80.0), (True, False), (20.0, 80.0))
    assert effort.times(10.0).step == pytest.approx(effort.step) == pytest.approx(5.5 / 5.0)


@given(crossing_runs(), crossing_runs())
def test_the_interval_of_two_single_runs_contains_the_true_ratio_of_their_costs(first: Run, second: Run) -> None:
    efforts = [cost_to_target([run.curve], "kernel_evaluations", "test_error", TARGET) for run in (first, second)]
    one, other = efforts
    assert one is not None
    assert other is not None
    _, low, high = ends(ratio_of(one, other))
    assert low * (1 - 1e-9) <= first.cost / second.cost <= high * (1 + 1e-9)


@settings(max_examples=50)
@given(COSTS, COSTS)
def test_the_interval_contains_the_ratio_of_medians(first: list[float], second: list[float]) -> None:
    estimate, low, high = ends(ratio_of(took(*first), took(*second)))
    assert estimate == pytest.approx(np.median(first) / np.median(second))
    limits = [min(first) / max(second) * (1 - 1e-9), max(first) / min(second) * (1 + 1e-9)]
    assert limits[0] <= low <= estimate <= high <= limits[1]


@settings(max_examples=50)
@given(COSTS, COSTS, st.floats(0.01, 100))
def test_the_unit_of_the_costs_does_not_change_a_ratio(first: list[float], second: list[float], unit: float) -> None:
    found = ends(ratio_of(took(*first), took(*second)))
    assert ends(ratio_of(took(*first).times(unit), took(*second).times(unit))) == pytest.approx(found)


@given(FEW, FEW)
def test_exchanging_the_methods_inverts_the_range_of_a_ratio(first: list[float], second: list[float]) -> None:
    estimate, low, high = ends(ratio_of(took(*first), took(*second)))
    assert ends(ratio_of(took(*second), took(*first))) == pytest.approx([1 / estimate, 1 / high, 1 / low])


@settings(max_examples=50)
@given(st.lists(st.tuples(COSTS, POWERS), min_size=1, max_size=4))
def test_a_product_is_that_of_powers_of_medians(factors: list[tuple[list[float], float]]) -> None:
    efforts, powers = [took(*costs) for costs, _ in factors], [power for _, power in factors]
    estimate, low, high = ends(product(efforts, powers))
    assert estimate == pytest.approx(
        math.prod(effort.median**power for effort, power in zip(efforts, powers, strict=True))
    )
    extremes = [sorted((min(costs) ** power, max(costs) ** power)) for costs, power in factors]
    limits = [math.prod(own) for own in zip(*extremes, strict=True)]
    assert limits[0] * (1 - 1e-9) <= low <= estimate <= high <= limits[1] * (1 + 1e-9)


@given(COSTS, COSTS)
@settings(max_examples=30)
def test_a_ratio_is_a_product_with_the_powers_1_and_minus_1(first: list[float], second: list[float]) -> None:
    assert product([took(*first), took(*second)], [1.0, -1.0]) == ratio_of(took(*first), took(*second))


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_ratios_of_whole_numbers_are_decided_without_rounding(ratio: int, cost: int) -> None:
    found = ratio_of(took(float(ratio * cost)), took(float(cost)))
    assert found is not None
    assert (found.at_most(ratio).ruling, found.above(ratio).ruling) == ("holds", "fails")


def test_products_of_medians_by_hand() -> None:
    found = product([took(1.0, 3.0), took(2.0, 2.0)], [1.0, -1.0])
    assert found is not None
    assert ends(found) == pytest.approx([1.0, 0.5, 1.5])
    assert (found.above(1.0).ruling, found.above(0.4).ruling, found.at_most(0.4).ruling) == (
        "unclear",
        "holds",
        "fails",
    )
    mean = product([took(8.0), took(2.0), took(9.0), took(1.0)], [0.5, -0.5, 0.5, -0.5])
    assert ends(mean)[0] == pytest.approx(6.0)


def test_steps_of_the_evaluations_widen_a_product() -> None:
    first, second = Effort((8.0,), (True,), (4.0,)), Effort((2.0,), (True,), (2 / 3,))
    assert ends(ratio_of(first, second)) == pytest.approx([4.0, 2.0, 12.0])
    assert ends(ratio_of(second, first)) == pytest.approx([1 / 4, 1 / 12, 1 / 2])
    assert ends(product([first, second], [0.5, 0.5])) == pytest.approx([4.0, 4.0 / math.sqrt(6), 4.0])


def test_the_interval_contains_all_ratios_that_the_steps_of_single_runs_allow() -> None:
    first, second = Effort((8.0, 10.0), (True,) * 2, (4.0, 9.0)), Effort((2.0, 2.0), (True,) * 2, (1.0, 1.5))
    estimate, low, high = ends(ratio_of(first, second))
    assert estimate == pytest.approx(4.5)
    assert low <= statistics.median(first.least) / 2
    assert high >= 9 / statistics.median(second.least)


def test_a_missed_target_bounds_the_ratio_from_one_side() -> None:
    slow, quick = took(10.0, 10.0, 10.0, reached=1), took(2.0, 2.0, 2.0)
    least, most = product([slow, quick], [1.0, -1.0]), product([quick, slow], [1.0, -1.0])
    assert least is not None
    assert most is not None
    assert least.text() == "at least 5 (range 5 to 5)"
    assert (least.above(4.0).ruling, least.at_most(4.0).ruling) == ("holds", "fails")
    assert least.above(6.0).ruling == least.at_most(6.0).ruling == "unclear"  # it may be more than 6 or less
    assert most.text() == "at most 0.2 (range 0.2 to 0.2)"
    assert (most.above(0.3).ruling, most.at_most(0.3).ruling) == ("fails", "holds")
    assert most.above(0.1).ruling == most.at_most(0.1).ruling == "unclear"
    assert product([slow, slow], [1.0, -1.0]) is None
    assert product([slow, quick, slow], [1.0, -1.0, 0.5]) is not None


@given(COSTS, COSTS, st.booleans(), st.booleans(), POWERS, POWERS)
@settings(max_examples=50)
def test_a_product_is_bounded_on_the_side_of_the_targets_that_are_missed(
    first: list[float], second: list[float], one_known: bool, other_known: bool, one: float, other: float
) -> None:
    efforts = [took(*first, reached=None if one_known else 0), took(*second, reached=None if other_known else 0)]
    found = product(efforts, [one, other])
    bounds = {
        "at least" if power > 0 else "at most" for power, known in ((one, one_known), (other, other_known)) if not known
    }
    if len(bounds) == 2:
        assert found is None
    else:
        assert found is not None
        assert found.bound == (bounds.pop() if bounds else "")


@pytest.mark.parametrize(
    ("low", "high", "bound", "above", "at_most"),
    [
        (3.0, 4.0, "", "holds", "fails"),
        (1.0, 2.0, "", "fails", "holds"),
        (2.0, 3.0, "", "unclear", "unclear"),
        (3.0, 4.0, "at least", "holds", "fails"),
        (1.0, 2.0, "at least", "unclear", "unclear"),  # it may be more
        (3.0, 4.0, "at most", "unclear", "unclear"),  # it may be less
        (1.0, 2.0, "at most", "fails", "holds"),
        (2.0, 3.0, "at most", "unclear", "unclear"),
    ],
)
def test_a_bound_decides_in_its_own_direction_only(
    low: float, high: float, bound: str, above: str, at_most: str
) -> None:
    found = Ratio(Interval((low + high) / 2, low, high, 5), bound=bound)  # type: ignore[arg-type]
    assert (found.above(2.5).ruling, found.at_most(2.5).ruling) == (above, at_most)
    assert json.loads(json.dumps(found.as_dict()))["bound"] == bound


def test_a_ratio_is_written_with_its_interval() -> None:
    assert Ratio(Interval(12.34, 9.876, 1234.5, 5)).text() == "12.3 [9.88, 1,234]"
    assert Ratio(Interval(2.0, 2.0, 2.0, 1), 4 / 3, 1.5, "at most").text() == "at most 2 (grid 1.5 to 3)"
    assert Ratio(Interval(2.0, 2.0, 2.0, 1), bound="at least").text() == "at least 2"
    assert Ratio(Interval(2.0, 1.0, 3.0, 5), open_high=True).text() == "2 [1, >3]"
    assert Ratio(Interval(2.0, 1.0, 3.0, 5), open_low=True).text() == "2 [<1, 3]"


MISSED = Effort((1.0, 1.0, 1.0, 10.0, 10.0), (True, True, True, False, False))
"""Two of five runs miss the target within a budget of 10."""
ONE = Effort((1.0,) * 5, (True,) * 5)


def test_runs_that_miss_the_target_leave_the_end_open_that_depends_on_them() -> None:
    ratio = ratio_of(MISSED, ONE)
    assert ratio is not None
    assert (ratio.open_low, ratio.open_high) == (False, True)
    assert [ratio.at_most(limit).ruling for limit in (10.0, 1e6)] == ["unclear", "unclear"]
    assert [ratio.above(limit).ruling for limit in (0.9, 1.0)] == ["holds", "unclear"]
    assert ratio.as_dict()["open_high"] is True
    turned = ratio_of(ONE, MISSED)
    assert turned is not None
    assert (turned.open_low, turned.open_high) == (True, False)
    assert turned.above(0.01).ruling == "unclear"
    assert turned.at_most(1.0).ruling == "holds"


def test_a_lower_bound_does_not_exceed_a_limit_if_the_other_method_may_cost_more() -> None:
    """The first misses the target at 20 in all runs; the second costs 1 in three of five, more than 10 in two."""
    ratio = ratio_of(Effort((20.0,) * 5, (False,) * 5), MISSED)
    assert ratio is not None
    assert ratio.bound == "at least"
    assert ratio.above(1.9).ruling == "unclear"


def test_one_missed_run_of_many_does_not_open_an_end() -> None:
    effort = Effort((*[1.0] * 20, 10.0), (*[True] * 20, False))
    ratio = ratio_of(effort, ONE)
    assert ratio is not None
    assert not ratio.open_high
    assert ratio.at_most(1.0).ruling == "holds"


@pytest.mark.parametrize("runs", [5, 20, 100])
def test_more_runs_do_not_settle_what_the_grid_leaves_open(runs: int) -> None:
    """8 over 6 with a grid of factor 2: the ratio is known to lie between 2/3 and 4/3 only, however many runs."""
    ratio = ratio_of(Effort((8.0,) * runs, (True,) * runs, (4.0,) * runs), Effort((6.0,) * runs, (True,) * runs))
    assert ratio is not None
    assert ratio.above(1.0).ruling == "unclear"
    assert ratio.above(1.0).more_runs is None


def test_more_runs_count_from_the_limit_that_the_grid_leaves() -> None:
    """The sample is 3 [1, 5] of 10 runs, the grid a factor of 1.25: above 1.25 times 1.6 = 2 a sample decides."""
    ratio = Ratio(Interval(3.0, 1.0, 5.0, 10), down=1.25)
    decision = ratio.above(1.6)
    assert decision.ruling == "unclear"
    assert decision.more_runs == 30  # its reach of 2 must halve: four times as many runs


def test_multiples_have_three_digits() -> None:
    texts = [multiple_text(value) for value in (0.25123, 12.345, 999.4, 999.5, 1234.5, 1234567.0)]
    assert texts == ["0.251", "12.3", "999", "1,000", "1,234", "1,234,567"]


@given(crossing_runs(), st.integers(1, 5))
def test_the_step_of_a_grid_is_that_of_a_run_which_meets_the_target_there(run: Run, count: int) -> None:
    effort = cost_to_target([run.curve], "kernel_evaluations", "test_error", TARGET)
    assert effort is not None
    for beyond in (0.0, 0.5):  # up to the next evaluation the last one counts
        assert grid_step([(run.costs, run.iterations)] * count, effort.median + beyond) == pytest.approx(effort.step)


def test_the_step_of_a_grid_is_the_median_over_the_runs() -> None:
    costs = [[0.0, 2.0, 8.0], [1.0, 3.0], [4.0, 20.0], [50.0, 60.0]]
    iterations = [[0.0, 2.0, 8.0], [1.0, 5.0], [2.0, 20.0], [1.0, 2.0]]
    runs = [(np.array(cost), np.array(own)) for cost, own in zip(costs, iterations, strict=True)]
    # at cost 5: 2 stands for 1 and 2, 3 for 1.5 to 3, 4 for 2 and 4; the last run has no evaluation
    assert grid_step(runs, 5.0) == 2.0
    # at cost 10 the first run's 8 stands for 3 to 8
    assert grid_step(runs[:1], 10.0) == pytest.approx(8 / 3)
    assert grid_step(runs[:2], 10.0) == pytest.approx((8 / 3 + 2) / 2)
    assert grid_step(runs, 0.5) == 1.0
    assert grid_step([], 5.0) == 1.0


@given(st.lists(st.floats(0.1, 10), min_size=5, max_size=9), st.lists(st.floats(1.0, 4.0), min_size=2, max_size=4))
@settings(max_examples=30)
def test_wider_steps_make_wider_intervals(costs: list[float], factors: list[float]) -> None:
    widths = []
    for factor in sorted(factors):
        own = Effort(tuple(costs), (True,) * len(costs), tuple(cost / factor for cost in costs))
        _, low, high = ends(ratio_of(own, took(1.0)))
        widths.append(high / low)
        assert own.step == pytest.approx(factor)
    assert all(one <= other * (1 + 1e-9) for one, other in pairwise(widths))
