from __future__ import annotations

import json
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from svm_cost_curves.experiments import curve
from svm_cost_curves.experiments.curve import cost_to_reach, error_area
from svm_cost_curves.experiments.reproduction.statistics.comparison import (
    AreaDifference,
    CostRatio,
    area_difference,
    cost_ratio,
    paired,
)
from svm_cost_curves.experiments.reproduction.statistics.interval import bootstrap_mean

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


def area(first: list[pd.DataFrame], second: list[pd.DataFrame], **limits: float) -> AreaDifference:
    difference = area_difference(first, second, cost=COST, **limits)
    assert difference is not None
    return difference


def ratio_of_costs(first: list[pd.DataFrame], second: list[pd.DataFrame], **limits: Any) -> CostRatio:
    ratio = cost_ratio(first, second, cost=COST, **limits)
    assert ratio is not None
    return ratio


def scaled(frame: pd.DataFrame, factor: int) -> pd.DataFrame:
    return frame.assign(**{COST: frame[COST] * factor})


def levels(*errors: float) -> list[pd.DataFrame]:
    """Runs that have an error from cost 1 to 10, and none afterwards."""
    return [make([1, 10], [error, 0.0]) for error in errors]


FALLING = [make([1, 10, 100, 1000], [0.8, 0.4, 0.2, 0.1])]
ONE_DECADE = [make([1, 10, 100, 10_000], [0.1, 0.3, 0.4, 0.4])], [make([1, 10, 10_000], [0.2, 0.3, 0.3])]
"""The first is lower over one decade, equal over the next, and higher over the two after."""
Curves = list[pd.DataFrame]


@pytest.mark.parametrize(
    ("first", "second", "limits", "span", "values", "share"),
    [
        # two decades of which the first has 0.4 and 0.2
        ([make([1, 10, 100, 1000], [0.9, 0.4, 0.2, 0.1])], [make([10, 2000], [0.5, 0.0])], {}, (10, 1000), [-0.2], 1.0),
        (*ONE_DECADE, {}, (1, 10_000), [(-0.1 + 0 + 2 * 0.1) / 4], 0.5),
        (*ONE_DECADE[::-1], {}, (1, 10_000), [(0.1 + 0 - 2 * 0.1) / 4], 0.75),
        # shares compare the means: 0.3 with 0.2 and 0.4; values the runs: 0.1 - 0.25 and 0.5 - 0.35
        (
            [make([1, 100], [error, 0.0]) for error in (0.1, 0.5)],
            [make([1, 10, 100], [0.2, error, 0.0]) for error in (0.3, 0.5)],
            *({}, (1, 100), [-0.15, 0.15], 0.5),
        ),
        (FALLING, [make([1, 1000], [0.5, 0.5])], {"low": 10, "high": 100}, (10, 100), [-0.1], 1.0),
        (FALLING, [make([1, 1000], [0.5, 0.5])], {"low": 1000, "high": 10**5}, (1000, 10**5), [-0.4], 1.0),
        # a run is paired with that of its place, which removes what is common to both, and a single one with all
        (levels(0.1, 0.5, 0.9), levels(0.15, 0.55, 0.95), {}, (1, 10), [-0.05] * 3, 1.0),
        (levels(0.5), levels(0.2, 0.3, 0.4), {}, (1, 10), [0.3, 0.2, 0.1], 0.0),
        (levels(0.2, 0.3, 0.4), levels(0.5), {}, (1, 10), [-0.3, -0.2, -0.1], 1.0),
        # from the first cost that all have paid
        ([make([0, 10, 100], [0.9, 0.4, 0.1])], [make([0, 2, 1000], [0.9, 0.6, 0.0])], {}, (10, 100), [-0.2], 1.0),
        # rows without an error are skipped, and pairs without a known point left out
        (
            [make([1, 10, 100], [0.4, None, 0.1]), make([1, 100], [None, None])],
            [make([1, 100], [0.5, 0.0]), make([1, 100], [0.7, 0.0])],
            *({}, (1, 100), [-0.1], 1.0),
        ),
    ],
)
def test_areas_by_hand(
    first: Curves,
    second: Curves,
    limits: dict[str, float],
    span: tuple[float, float],
    values: list[float],
    share: float,
) -> None:
    difference = area(first, second, **limits)
    assert (difference.low, difference.high) == span
    assert difference.values == pytest.approx(values)
    assert difference.means[0] - difference.means[1] == pytest.approx(sum(values) / len(values))
    assert difference.share == pytest.approx(share)
    assert difference.interval == bootstrap_mean(difference.values)


def test_what_cannot_be_compared_is_refused() -> None:
    with pytest.raises(ValueError, match=r"no error is known at the lower limit 0\.5"):
        area(FALLING, FALLING, low=0.5)
    with pytest.raises(ValueError, match="2 runs cannot be paired with 3"):
        area(levels(0.5, 0.5), levels(0.5, 0.5, 0.5))


def test_equal_means_count_as_at_or_below_whatever_their_rounding() -> None:
    errors = [0.1, 0.2, 0.3]
    assert 0.1 + 0.2 + 0.3 != 0.3 + 0.2 + 0.1  # the last bit depends on the order
    first = [make([1, 100], [error, 0.0]) for error in errors]
    second = [make([1, 100], [error, 0.0]) for error in reversed(errors)]
    for difference in (area_difference(first, second, cost=COST), area_difference(second, first, cost=COST)):
        assert difference.share == 1


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


def test_an_area_difference_can_be_written_as_json() -> None:
    difference = area([make([1, 10], [0.5, 0.0])], [make([1, 10], [0.25, 0.0])])
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
    assert there.ratio.estimate == pytest.approx(factor)
    assert there.at_best == pytest.approx(factor)
    assert (there.low_error, there.high_error) == (0.1, 0.8)
    assert there.ratio.low == there.ratio.high == there.ratio.estimate
    assert back.ratio.estimate == pytest.approx(1 / factor)


@pytest.mark.parametrize(
    ("first", "second", "options", "span", "at_best", "ends"),
    [
        # levels 0.1, 0.2, 0.3, 0.4: the first pays 100, 100, 10, 10; the second 800, 800, 40, 40
        (
            [make([1, 10, 100], [0.5, 0.3, 0.1])],
            [make([2, 40, 800], [0.7, 0.25, 0.1])],
            *({"levels": 4}, (0.1, 0.5), 8, [32**0.5] * 3),
        ),
        # from the worse of the two best errors
        (
            [make([1, 10, 100], [0.5, 0.3, 0.05])],
            [make([1, 20, 400, 500], [0.6, 0.4, 0.2, 0.3])],
            *({"levels": 1}, (0.2, 0.5), 4, [4] * 3),
        ),
        # means of the first: 0.6 from 1, 0.4 from 10, 0.2 from 100; a resample has one run only, or both
        (
            [make([1, 10], [0.6, 0.2]), make([1, 100], [0.6, 0.2])],
            [make([2, 200], [0.6, 0.2])],
            *({"levels": 2}, (0.2, 0.6), 2, [40**0.5, 2, 20]),
        ),
        # a start at cost 0 is no infinite ratio
        ([make([0, 1, 10], [0.9, 0.5, 0.1])], [make([0, 4, 40], [0.9, 0.5, 0.1])], {}, (0.1, 0.5), 4, [4] * 3),
        # above 0.2, an error that costs nothing, the second is ten times cheaper: this does not count
        (
            [make([10, 100, 1000], [0.5, 0.2, 0.1])],
            [make([10, 10, 10_000], [0.5, 0.2, 0.1])],
            *({"below": 0.2}, (0.1, 0.2), 10, [10] * 3),
        ),
    ],
)
def test_ratios_by_hand(
    first: Curves,
    second: Curves,
    options: dict[str, Any],
    span: tuple[float, float],
    at_best: float,
    ends: list[float],
) -> None:
    comparison = ratio_of_costs(first, second, **options)
    assert (comparison.low_error, comparison.high_error) == pytest.approx(span)
    assert comparison.at_best == pytest.approx(at_best)
    assert [comparison.ratio.estimate, comparison.ratio.low, comparison.ratio.high] == pytest.approx(ends)
    assert json.loads(json.dumps(comparison.as_dict()))["ratio"]["method"] == comparison.ratio.method
    assert cost_ratio(first, second, cost=COST, below=comparison.low_error) is None


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
