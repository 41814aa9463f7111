from __future__ import annotations

import json
import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from svm_cost_curves.experiments.reproduction.statistics.comparison import (
    difference,
    differences,
    ratio_of_means,
    relative_difference,
)
from svm_cost_curves.experiments.reproduction.statistics.interval import LEAST_RUNS, RESAMPLES, Interval, bootstrap_mean

ERRORS = st.lists(st.one_of(st.just(0.0), st.floats(1e-6, 1.0)), min_size=1, max_size=7)
POSITIVE = st.floats(0.1, 10)


@st.composite
def sizes(draw: st.DrawFn, least: int = 1, most: int = 8) -> list[list[float]]:
    """Some groups, of equally many runs each."""
    runs, count = draw(st.integers(least, most)), draw(st.integers(1, 3))
    group = st.lists(st.integers(-50, 50).map(float), min_size=runs, max_size=runs)
    return draw(st.lists(group, min_size=count, max_size=count))


def ends(interval: Interval | None) -> list[float]:
    assert interval is not None
    return [interval.estimate, interval.low, interval.high]


def of_means(one: list[float], other: list[float], *, paired: bool) -> Interval | None:
    first, second = np.array(one), np.array(other)
    return relative_difference(
        lambda runs: first[runs].mean(axis=1),
        lambda runs: second[runs].mean(axis=1),
        (len(one),) if paired else (len(one), len(other)),
    )


@given(sizes(2), st.data())
@settings(max_examples=50)
def test_paired_runs_are_compared_seed_by_seed(first: list[list[float]], data: st.DataObject) -> None:
    """What a seed adds to the errors of both methods changes nothing."""
    runs = len(first[0])
    less, shared = (data.draw(st.lists(st.integers(-50, 50), min_size=runs, max_size=runs)) for _ in range(2))
    interval = difference(first, [np.subtract(group, less) for group in first])
    assert ends(interval) == pytest.approx(ends(bootstrap_mean(less)), abs=1e-9)
    moved = difference([np.add(group, shared) for group in first], [np.add(group, shared) - less for group in first])
    assert ends(moved) == pytest.approx(ends(interval), abs=1e-9)


@given(sizes(2), st.data())
@settings(max_examples=50)
def test_of_several_sizes_the_difference_is_the_mean(first: list[list[float]], data: st.DataObject) -> None:
    second = [data.draw(st.permutations(group)) for group in first]
    shifted = [[value + size for value in group] for size, group in enumerate(second)]
    interval, back = difference(first, shifted), difference(shifted, first)
    assert ends(interval)[0] == pytest.approx(np.mean(first) - np.mean(shifted), abs=1e-9)
    assert ends(back) == pytest.approx([-ends(interval)[k] for k in (0, 2, 1)], abs=1e-9)


@given(sizes(1), st.integers(-50, 50))
@settings(max_examples=50)
def test_a_single_run_is_compared_with_the_mean_of_the_others(first: list[list[float]], single: int) -> None:
    count = len(first)
    interval = difference(first, [[float(single)]] * count)
    assert ends(interval)[0] == pytest.approx(np.mean(first) - single, abs=1e-9)
    assert ends(difference(first, [[0.0]] * count)) == pytest.approx([end + single for end in ends(interval)], abs=1e-9)
    if count == 1:
        assert ends(interval) == pytest.approx([end - single for end in ends(bootstrap_mean(first[0]))], abs=1e-9)


def test_where_a_size_has_a_single_run_sizes_are_resampled_independently() -> None:
    """The variances of the means of two sizes add up, though the runs of both are equal; paired they would not."""
    errors = np.random.default_rng(0).normal(size=200).tolist()
    alone, paired = bootstrap_mean(errors), difference([errors, errors], [[0.0] * 200] * 2)
    independent = difference([errors, errors], [[0.0], [0.0]])
    widths = [ends(interval)[2] - ends(interval)[1] for interval in (alone, paired, independent)]
    assert widths[1] == pytest.approx(widths[0])
    assert widths[2] == pytest.approx(widths[0] / math.sqrt(2), rel=0.15)


def test_a_run_that_the_other_method_lacks_is_left_out_of_the_pairs() -> None:
    assert difference([[1.0, 2.0, 100.0]], [[0.0, 0.0]]) == Interval(1.5, 1.0, 2.0, 2)
    assert difference([[1.0, 2.0, 100.0]], [[0.0, 0.0, math.nan]]) == Interval(1.5, 1.0, 2.0, 2)
    assert difference([], []) is None


def test_differences_pair_by_pair() -> None:
    paired = differences([3.0, 5.0, math.nan], [1.0, 2.0, 7.0])
    assert paired.values == [2.0, 3.0]
    assert paired.means == (4.0, 1.5)
    assert paired.interval == Interval(2.5, 2.0, 3.0, 2)
    assert ends(paired.relative) == pytest.approx([2.5 / 1.5, 1.5, 2.0])
    assert json.loads(json.dumps(paired.as_dict()))["differences"] == [2.0, 3.0]


def test_a_single_value_is_paired_with_all_others() -> None:
    for first, second, expected in (([4.0], [1.0, 2.0], [3.0, 2.0]), ([1.0, 2.0], [4.0], [-3.0, -2.0])):
        paired = differences(first, second)
        assert paired.values == expected


def test_no_differences_without_a_known_pair() -> None:
    for first, second in (([], [1.0]), ([1.0], []), ([math.nan, 1.0], [1.0, math.nan]), ([math.inf], [1.0])):
        assert differences(first, second) is None


@given(st.lists(POSITIVE, min_size=1, max_size=9), st.lists(POSITIVE, min_size=1, max_size=9), st.floats(0.01, 100))
@settings(max_examples=50)
def test_the_ratio_of_means(first: list[float], second: list[float], unit: float) -> None:
    ratio = ratio_of_means(first, second)
    assert ends(ratio)[0] == pytest.approx(np.mean(first) / np.mean(second))
    limits = [min(first) / max(second), max(first) / min(second)]
    assert limits[0] * (1 - 1e-9) <= ends(ratio)[1] <= ends(ratio)[2] <= limits[1] * (1 + 1e-9)
    few = min((len(values) for values in (first, second) if len(values) > 1), default=LEAST_RUNS) < LEAST_RUNS
    if few or len(first) == len(second) == 1:
        assert ends(ratio)[1:] == pytest.approx(limits)
    assert ends(ratio_of_means(np.multiply(unit, first), second)) == pytest.approx([unit * end for end in ends(ratio)])


@given(st.lists(POSITIVE, min_size=5, max_size=20), st.lists(POSITIVE, min_size=5, max_size=20))
@settings(max_examples=30)
def test_the_interval_of_a_ratio_is_the_percentile_interval_of_scipy(first: list[float], second: list[float]) -> None:
    theirs = scipy.stats.bootstrap(
        (first, second),
        lambda one, other, axis: np.mean(one, axis=axis) / np.mean(other, axis=axis),
        n_resamples=20_000,
        method="percentile",
        rng=np.random.default_rng(0),
    ).bootstrap_distribution
    slack = 5 * math.sqrt(0.025 * 0.975 / RESAMPLES)  # of the shares, by the error of our resamples
    for end, share in zip(ends(ratio_of_means(first, second))[1:], (0.025, 0.975), strict=True):
        low, high = np.quantile(theirs, [share - slack, share + slack])
        assert low * (1 - 1e-9) <= end <= high * (1 + 1e-9)


def test_no_ratio_without_runs_or_to_zero() -> None:
    assert ratio_of_means([], [1.0]) is None
    assert ratio_of_means([1.0], []) is None
    assert ratio_of_means([1.0], [0.0, 0.0]) is None


@given(ERRORS, ERRORS, st.booleans())
@settings(max_examples=40)
def test_no_error_is_more_than_all_of_another_below_it(one: list[float], other: list[float], paired: bool) -> None:
    count = min(len(one), len(other))
    interval = of_means(one[:count], other[:count], paired=True) if paired else of_means(one, other, paired=False)
    if interval is None:
        assert not any(other[:count] if paired else other)
    else:
        assert -1 <= interval.low <= interval.estimate <= interval.high


@given(st.lists(st.floats(1e-3, 1.0), min_size=5, max_size=8), st.floats(0.1, 10.0))
@settings(max_examples=20)
def test_pairs_with_one_ratio_have_no_interval_around_it(errors: list[float], ratio: float) -> None:
    interval = of_means([ratio * error for error in errors], errors, paired=True)
    assert ends(interval) == pytest.approx([ratio - 1] * 3, abs=1e-9)


def test_the_interval_of_a_relative_difference_is_that_of_the_ratio_of_two_means() -> None:
    generator = np.random.default_rng(0)
    one, other = (generator.gamma(shape, size=400) for shape in (2.0, 3.0))
    estimate, low, high = ends(of_means(one.tolist(), other.tolist(), paired=False))
    ratio = one.mean() / other.mean()
    # delta method: the squared relative errors of numerator and denominator add up
    half = 1.96 * ratio * math.hypot(*(sample.std() / sample.mean() / 20 for sample in (one, other)))
    assert estimate == pytest.approx(ratio - 1)
    assert high - low == pytest.approx(2 * half, rel=0.15)
    assert ends(ratio_of_means(one, other)) == pytest.approx([estimate + 1, low + 1, high + 1])


def test_relative_to_a_negative_number_the_sign_is_that_of_the_difference() -> None:
    assert of_means([-1.0], [-2.0], paired=True) == Interval(0.5, 0.5, 0.5)
    assert of_means([1.0], [0.0], paired=True) is None
