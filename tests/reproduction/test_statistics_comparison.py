from __future__ import annotations

import json
import math
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from svm_cost_curves.experiments import curve
from svm_cost_curves.experiments.cost_to_target import cost_to_reach
from svm_cost_curves.experiments.curve import error_area
from svm_cost_curves.experiments.reproduction.statistics import (
    Interval,
    area_difference,
    bootstrap_mean,
    cost_ratio,
    paired,
)

COST = "kernel_evaluations"


def make(cost: list[Any], error: list[Any], **columns: list[Any]) -> pd.DataFrame:
    rows = [
        {
            "iterations": i,
            "kernel_evaluations": cost[i],
            "test_error": error[i],
            **{name: values[i] for name, values in columns.items()},
        }
        for i in range(len(cost))
    ]
    return curve.from_rows(rows)


@st.composite
def runs(draw: st.DrawFn, count: int) -> list[pd.DataFrame]:
    """Curves with powers of two as costs: a factor of two shifts them without rounding."""
    result = []
    for _ in range(count):
        powers = sorted(draw(st.lists(st.integers(0, 30), min_size=2, max_size=8, unique=True)))
        errors = draw(st.lists(st.integers(0, 64), min_size=len(powers), max_size=len(powers)))
        result.append(make([2**power for power in powers], [error / 64 for error in errors]))
    return result


def scaled(frame: pd.DataFrame, factor: int) -> pd.DataFrame:
    return frame.assign(**{COST: frame[COST] * factor})


def test_areas_of_step_curves_by_hand() -> None:
    # limits 10 and 1000, two decades; first: 0.4 and 0.2, area 0.3; second: 0.5 over both, area 0.5
    difference = area_difference(
        [make([1, 10, 100, 1000], [0.9, 0.4, 0.2, 0.1])], [make([10, 2000], [0.5, 0.0])], cost=COST
    )
    assert difference is not None
    assert (difference.low, difference.high) == (10, 1000)
    assert difference.values == pytest.approx([-0.2])
    assert difference.means[0] == pytest.approx(0.3)
    assert difference.means[1] == pytest.approx(0.5)
    assert difference.share == 1
    estimate = difference.interval.estimate
    assert difference.interval == Interval(estimate, estimate, estimate)


def test_share_is_that_of_the_logarithm_of_the_cost() -> None:
    # the first is lower over one decade, equal over the next, higher over the two after
    first, second = make([1, 10, 100, 10_000], [0.1, 0.3, 0.4, 0.4]), make([1, 10, 10_000], [0.2, 0.3, 0.3])
    difference = area_difference([first], [second], cost=COST)
    assert difference is not None
    assert difference.share == pytest.approx(0.5)
    assert difference.interval.estimate == pytest.approx((-0.1 + 0 + 2 * 0.1) / 4)
    other = area_difference([second], [first], cost=COST)
    assert other is not None
    assert other.share == pytest.approx(0.75)


def test_share_compares_means_not_runs() -> None:
    first = [make([1, 100], [0.1, 0.0]), make([1, 100], [0.5, 0.0])]  # mean 0.3
    second = [make([1, 10, 100], [0.2, 0.3, 0.0]), make([1, 10, 100], [0.2, 0.5, 0.0])]  # means 0.2 and 0.4
    difference = area_difference(first, second, cost=COST)
    assert difference is not None
    assert difference.share == pytest.approx(0.5)
    # run by run: 0.1 - 0.25 and 0.5 - 0.35
    assert difference.values == pytest.approx([-0.15, 0.15])
    assert difference.interval.estimate == pytest.approx(0)
    assert (difference.interval.low, difference.interval.high) == pytest.approx((-0.15, 0.15))


def test_equal_means_count_as_at_or_below_whatever_their_rounding() -> None:
    errors = [0.1, 0.2, 0.3]
    assert 0.1 + 0.2 + 0.3 != 0.3 + 0.2 + 0.1  # the last bit depends on the order
    first = [make([1, 100], [error, 0.0]) for error in errors]
    second = [make([1, 100], [error, 0.0]) for error in reversed(errors)]
    for difference in (area_difference(first, second, cost=COST), area_difference(second, first, cost=COST)):
        assert difference is not None
        assert difference.share == 1


def test_limits_can_be_given() -> None:
    curves = [make([1, 10, 100, 1000], [0.8, 0.4, 0.2, 0.1])], [make([1, 1000], [0.5, 0.5])]
    difference = area_difference(*curves, cost=COST, low=10, high=100)
    assert difference is not None
    assert (difference.low, difference.high) == (10, 100)
    assert difference.values == pytest.approx([-0.1])
    beyond = area_difference(*curves, cost=COST, low=1000, high=100_000)
    assert beyond is not None
    assert beyond.values == pytest.approx([-0.4])
    with pytest.raises(ValueError, match=r"no error is known at the lower limit 0\.5"):
        area_difference(*curves, cost=COST, low=0.5)


def test_the_interval_is_that_of_the_differences() -> None:
    first = [make([1, 10], [error, 0.0]) for error in (0.1, 0.2, 0.3, 0.4)]
    second = [make([1, 10], [error, 0.0]) for error in (0.3, 0.3, 0.5, 0.4)]
    difference = area_difference(first, second, cost=COST)
    assert difference is not None
    assert difference.values == pytest.approx([-0.2, -0.1, -0.2, 0.0])
    assert difference.interval == bootstrap_mean(difference.values)


def test_pairing_removes_the_common_variation() -> None:
    # the runs differ by much, every pair by the same
    levels = [0.1, 0.5, 0.9, 0.3]
    difference = area_difference(
        [make([1, 10], [level, 0.0]) for level in levels],
        [make([1, 10], [level + 0.05, 0.0]) for level in levels],
        cost=COST,
    )
    assert difference is not None
    assert difference.interval.low == pytest.approx(-0.05)
    assert difference.interval.high == pytest.approx(-0.05)


def test_a_single_run_is_compared_with_every_run_of_the_other() -> None:
    one, several = [make([1, 10], [0.5, 0.0])], [make([1, 10], [error, 0.0]) for error in (0.2, 0.3, 0.4)]
    difference = area_difference(one, several, cost=COST)
    assert difference is not None
    assert difference.values == pytest.approx([0.3, 0.2, 0.1])
    assert difference.means[0] == pytest.approx(0.5)
    assert difference.means[1] == pytest.approx(0.3)
    other = area_difference(several, one, cost=COST)
    assert other is not None
    assert other.values == pytest.approx([-0.3, -0.2, -0.1])


def test_runs_that_cannot_be_paired_are_refused() -> None:
    frame = make([1, 10], [0.5, 0.0])
    with pytest.raises(ValueError, match="2 runs cannot be paired with 3"):
        area_difference([frame] * 2, [frame] * 3, cost=COST)


def test_curves_that_start_at_cost_0_are_compared_from_the_first_cost_that_all_have_paid() -> None:
    first, second = make([0, 10, 100], [0.9, 0.4, 0.1]), make([0, 2, 1000], [0.9, 0.6, 0.0])
    difference = area_difference([first], [second], cost=COST)
    assert difference is not None
    assert (difference.low, difference.high) == (10, 100)
    assert difference.values == pytest.approx([-0.2])


def test_nothing_to_compare() -> None:
    frame = make([1, 10], [0.5, 0.0])
    for first, second in (
        ([], []),
        ([frame], []),
        ([], [frame]),
        ([frame], [make([10, 100], [0.5, 0.0])]),  # the one ends where the other begins
        ([frame], [make([5], [0.1])]),  # a single checkpoint
        ([frame], [make([0, 0], [0.5, 0.4])]),
        ([frame], [make([1, 10], [None, None])]),
        ([frame], [make([None, None], [0.5, 0.4])]),  # the cost is not counted
        ([frame], [make([], [])]),
    ):
        assert area_difference(first, second, cost=COST) is None


def test_missing_rows_are_skipped_and_pairs_without_a_known_point_left_out() -> None:
    first = [make([1, 10, 100], [0.4, None, 0.1]), make([1, 100], [None, None])]
    second = [make([1, 100], [0.5, 0.0]), make([1, 100], [0.7, 0.0])]
    difference = area_difference(first, second, cost=COST)
    assert difference is not None
    assert difference.values == pytest.approx([-0.1])
    assert difference.means[1] == pytest.approx(0.5)


def test_an_area_difference_can_be_written_as_json() -> None:
    difference = area_difference([make([1, 10], [0.5, 0.0])], [make([1, 10], [0.25, 0.0])], cost=COST)
    assert difference is not None
    assert json.loads(json.dumps(difference.as_dict())) == {
        "low": 1.0,
        "high": 10.0,
        "differences": [0.25],
        "interval": {"estimate": 0.25, "low": 0.25, "high": 0.25, "runs": 1, "method": "one run"},
        "share": 0.0,
        "first": 0.5,
        "second": 0.25,
    }


@given(runs(3), runs(3))
@settings(max_examples=25)
def test_exchanging_the_methods_changes_the_sign(first: list[pd.DataFrame], second: list[pd.DataFrame]) -> None:
    there, back = area_difference(first, second, cost=COST), area_difference(second, first, cost=COST)
    assert (there is None) == (back is None)
    if there is None or back is None:
        return
    assert (there.low, there.high) == (back.low, back.high)
    assert back.values == pytest.approx([-value for value in there.values])
    assert back.means == pytest.approx(there.means[::-1])
    assert there.interval.estimate == pytest.approx(there.means[0] - there.means[1])
    # where the means are equal both are at or below the other
    assert there.share + back.share >= 1 - 1e-12
    assert there.interval.low <= there.interval.estimate <= there.interval.high
    for i in range(3):
        areas = [
            error_area(curve.column(frame, COST), curve.column(frame, "test_error"), there.low, there.high)
            for frame in (first[i], second[i])
        ]
        assert there.values[i] == pytest.approx(areas[0] - areas[1])


@given(runs(2), runs(2), st.sampled_from([2, 8, 1024]))
@settings(max_examples=25)
def test_another_unit_of_cost_changes_no_comparison(
    first: list[pd.DataFrame], second: list[pd.DataFrame], factor: int
) -> None:
    changed = [scaled(frame, factor) for frame in first], [scaled(frame, factor) for frame in second]
    one, other = area_difference(first, second, cost=COST), area_difference(*changed, cost=COST)
    assert (one is None) == (other is None)
    if one is not None and other is not None:
        assert other.values == pytest.approx(one.values)
        assert other.share == pytest.approx(one.share)
        assert (other.low, other.high) == (factor * one.low, factor * one.high)
    ratio, ratio_changed = (cost_ratio(*pair, cost=COST) for pair in ((first, second), changed))
    assert (ratio is None) == (ratio_changed is None)
    if ratio is not None and ratio_changed is not None:
        assert ratio_changed.ratio.estimate == pytest.approx(ratio.ratio.estimate)


def test_runs_are_paired_by_seed() -> None:
    assert paired({0: "a", 2: "c", 1: "b"}, {2: "C", 5: "F", 0: "A"}) == (("a", "c"), ("A", "C"))
    assert paired({3: "d"}, {1: "B", 0: "A"}) == (("d",), ("A", "B"))
    assert paired({1: "b", 0: "a"}, {7: "X"}) == (("a", "b"), ("X",))
    assert paired({0: "a", 1: "b"}, {2: "C", 3: "D"}) == ((), ())
    assert paired({}, {}) == ((), ())


@pytest.mark.parametrize("factor", [1, 3, 250])
def test_a_shifted_curve_costs_the_factor_at_every_error(factor: int) -> None:
    frame = make([1, 10, 100, 1000], [0.8, 0.4, 0.2, 0.1])
    there = cost_ratio([frame], [scaled(frame, factor)], cost=COST)
    back = cost_ratio([scaled(frame, factor)], [frame], cost=COST)
    assert there is not None
    assert back is not None
    assert there.ratio.estimate == pytest.approx(factor)
    assert there.at_best == pytest.approx(factor)
    assert (there.low_error, there.high_error) == (0.1, 0.8)
    assert there.ratio.low == there.ratio.high == there.ratio.estimate
    assert back.ratio.estimate == pytest.approx(1 / factor)


def test_ratios_at_four_levels_by_hand() -> None:
    first = make([1, 10, 100], [0.5, 0.3, 0.1])
    second = make([2, 40, 800], [0.7, 0.25, 0.1])
    # levels 0.1, 0.2, 0.3, 0.4: the first pays 100, 100, 10, 10; the second 800, 800, 40, 40
    ratio = cost_ratio([first], [second], cost=COST, levels=4)
    assert ratio is not None
    assert (ratio.low_error, ratio.high_error) == (0.1, 0.5)
    assert ratio.ratio.estimate == pytest.approx((8 * 8 * 4 * 4) ** 0.25)
    assert ratio.at_best == pytest.approx(8)
    written = json.loads(json.dumps(ratio.as_dict()))
    assert written["at_best"] == pytest.approx(8)
    assert written["ratio"]["method"] == "one run"


def test_the_lowest_common_error_is_the_worse_of_the_two_best() -> None:
    first, second = make([1, 10, 100], [0.5, 0.3, 0.05]), make([1, 20, 400, 500], [0.6, 0.4, 0.2, 0.3])
    ratio = cost_ratio([first], [second], cost=COST)
    assert ratio is not None
    assert (ratio.low_error, ratio.high_error) == (0.2, 0.5)
    assert ratio.at_best == pytest.approx(4)


def test_the_mean_curve_decides() -> None:
    # means of the first: 0.6 from 1, 0.4 from 10, 0.2 from 100
    first = [make([1, 10], [0.6, 0.2]), make([1, 100], [0.6, 0.2])]
    second = [make([2, 200], [0.6, 0.2])]
    ratio = cost_ratio(first, second, cost=COST, levels=2)  # at 0.2 and 0.4
    assert ratio is not None
    assert ratio.at_best == pytest.approx(2)
    assert ratio.ratio.estimate == pytest.approx(math.sqrt(2 * 20))
    # resamples hold the one run only (20 at both), the other only (2 at both), or both
    assert ratio.ratio.low == pytest.approx(2)
    assert ratio.ratio.high == pytest.approx(20)


def test_no_error_in_common() -> None:
    frame = make([1, 10], [0.5, 0.3])
    for first, second in (
        ([], [frame]),
        ([frame], []),
        ([frame], [make([1, 10], [0.3, 0.1])]),  # begins where the other ends
        ([frame], [make([1, 10], [0.4, 0.4])]),
        ([frame], [make([5], [0.4])]),
        ([frame], [make([1, 10], [None, None])]),
        ([frame], [make([0, 0], [0.4, 0.2])]),
    ):
        assert cost_ratio(first, second, cost=COST) is None


def test_a_start_at_cost_0_is_no_infinite_ratio() -> None:
    ratio = cost_ratio([make([0, 1, 10], [0.9, 0.5, 0.1])], [make([0, 4, 40], [0.9, 0.5, 0.1])], cost=COST)
    assert ratio is not None
    assert ratio.ratio.estimate == pytest.approx(4)


def test_a_ratio_needs_a_level() -> None:
    with pytest.raises(ValueError, match="levels must be at least 1"):
        cost_ratio([], [], cost=COST, levels=0)


@given(runs(2), runs(3))
@settings(max_examples=25)
def test_exchanging_the_methods_inverts_the_ratio(first: list[pd.DataFrame], second: list[pd.DataFrame]) -> None:
    there, back = (cost_ratio(*pair, cost=COST) for pair in ((first, second), (second, first)))
    assert (there is None) == (back is None)
    if there is None or back is None:
        return
    assert back.ratio.estimate == pytest.approx(1 / there.ratio.estimate)
    assert back.at_best == pytest.approx(1 / there.at_best)
    assert there.ratio.low <= there.ratio.estimate <= there.ratio.high
    means = [curve.mean_over_runs(frames, cost=COST, measure="test_error") for frames in (first, second)]
    reached = [cost_to_reach(mean["cost"], mean["mean"], there.low_error + 1e-12) for mean in means]
    assert None not in reached
    assert there.at_best == pytest.approx(reached[1] / reached[0])  # type: ignore[operator]


def test_errors_that_cost_nothing_are_left_out() -> None:
    """Above 0.2 the second is ten times cheaper, below it ten times dearer: only what lies below counts."""
    first = [make([10, 100, 1000], [0.5, 0.2, 0.1])]
    second = [make([10, 100, 10000], [0.5, 0.2, 0.1])]
    found = cost_ratio(first, second, cost="kernel_evaluations", below=0.2)
    assert found is not None
    assert found.ratio.estimate == pytest.approx(10.0)
    assert (found.low_error, found.high_error) == (0.1, 0.2)
    assert cost_ratio(first, second, cost="kernel_evaluations", below=0.1) is None
