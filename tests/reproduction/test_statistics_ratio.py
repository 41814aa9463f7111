"""Ratios of costs to a target, and other products of their powers."""

from __future__ import annotations

import json
import math
import statistics

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from target_cases import COSTS, FEW, POWERS, TARGET, Run, crossing_runs, ends, took

from svm_cost_curves.experiments.reproduction.statistics.interval import Interval
from svm_cost_curves.experiments.reproduction.statistics.ratio import Ratio, multiple_text, product, ratio_of
from svm_cost_curves.experiments.reproduction.statistics.target import Effort, cost_to_target


@given(crossing_runs(), crossing_runs())
def test_the_interval_of_two_single_runs_contains_the_true_ratio_of_their_costs(first: Run, second: Run) -> None:
    efforts = [cost_to_target([run.curve], "kernel_evaluations", "test_error", TARGET) for run in (first, second)]
    one, other = efforts
    assert one is not None
    assert other is not None
    _, low, high = ends(ratio_of(one, other))
    assert low * (1 - 1e-9) <= first.cost / second.cost <= high * (1 + 1e-9)


@settings(max_examples=50)
@given(COSTS, COSTS, st.floats(0.01, 100))
def test_the_unit_of_the_costs_does_not_change_a_ratio(first: list[float], second: list[float], unit: float) -> None:
    expected = ends(ratio_of(took(*first), took(*second)))
    assert ends(ratio_of(took(*first).times(unit), took(*second).times(unit))) == pytest.approx(expected)


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
    limits = [math.prod(bounds) for bounds in zip(*extremes, strict=True)]
    assert limits[0] * (1 - 1e-9) <= low <= estimate <= high <= limits[1] * (1 + 1e-9)


@given(COSTS, COSTS)
@settings(max_examples=30)
def test_a_ratio_is_a_product_with_the_powers_1_and_minus_1(first: list[float], second: list[float]) -> None:
    assert product([took(*first), took(*second)], [1.0, -1.0]) == ratio_of(took(*first), took(*second))


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_ratios_of_whole_numbers_are_decided_without_rounding(ratio: int, cost: int) -> None:
    quotient = ratio_of(took(float(ratio * cost)), took(float(cost)))
    assert (quotient.at_most(ratio).ruling, quotient.above(ratio).ruling) == ("holds", "fails")


def test_products_of_medians_by_hand() -> None:
    ratio = product([took(1.0, 3.0), took(2.0, 2.0)], [1.0, -1.0])
    assert ends(ratio) == pytest.approx([1.0, 0.5, 1.5])
    assert (ratio.above(1.0).ruling, ratio.above(0.4).ruling, ratio.at_most(0.4).ruling) == (
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
    ratio = product(efforts, [one, other])
    bounds = {
        "at least" if power > 0 else "at most" for power, known in ((one, one_known), (other, other_known)) if not known
    }
    if len(bounds) == 2:
        assert ratio is None
    else:
        assert ratio.bound == (bounds.pop() if bounds else "")


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
    ratio = Ratio(Interval((low + high) / 2, low, high, 5), bound=bound)  # type: ignore[arg-type]
    assert (ratio.above(2.5).ruling, ratio.at_most(2.5).ruling) == (above, at_most)
    assert json.loads(json.dumps(ratio.as_dict()))["bound"] == bound


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
    assert (ratio.open_low, ratio.open_high) == (False, True)
    assert [ratio.at_most(limit).ruling for limit in (10.0, 1e6)] == ["unclear", "unclear"]
    assert [ratio.above(limit).ruling for limit in (0.9, 1.0)] == ["holds", "unclear"]
    assert ratio.as_dict()["open_high"] is True
    turned = ratio_of(ONE, MISSED)
    assert (turned.open_low, turned.open_high) == (True, False)
    assert turned.above(0.01).ruling == "unclear"
    assert turned.at_most(1.0).ruling == "holds"


def test_a_lower_bound_does_not_exceed_a_limit_if_the_other_method_may_cost_more() -> None:
    """The first misses the target at 20 in all runs; the second costs 1 in three of five, more than 10 in two."""
    ratio = ratio_of(Effort((20.0,) * 5, (False,) * 5), MISSED)
    assert ratio.bound == "at least"
    assert ratio.above(1.9).ruling == "unclear"


def test_one_missed_run_of_many_does_not_open_an_end() -> None:
    effort = Effort((*[1.0] * 20, 10.0), (*[True] * 20, False))
    ratio = ratio_of(effort, ONE)
    assert not ratio.open_high
    assert ratio.at_most(1.0).ruling == "holds"


@pytest.mark.parametrize("runs", [5, 20, 100])
def test_more_runs_do_not_settle_what_the_grid_leaves_open(runs: int) -> None:
    """8 over 6 with a grid of factor 2: the ratio is known to lie between 2/3 and 4/3 only, however many runs."""
    ratio = ratio_of(Effort((8.0,) * runs, (True,) * runs, (4.0,) * runs), Effort((6.0,) * runs, (True,) * runs))
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
