from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from svm_cost_curves.experiments import curve
from svm_cost_curves.experiments.reproduction.statistics.interval import Draws, Interval, bootstrap_mean
from svm_cost_curves.experiments.reproduction.statistics.regression import (
    LEAST_POINTS,
    exponent,
    mean_exponent,
    means_of,
    medians_of,
    overfitting_slope,
    power,
    slope,
    trend,
)

SIZES = st.lists(st.integers(1, 1000), min_size=LEAST_POINTS, max_size=6, unique=True)
POWERS = st.floats(-3, 3)
FACTORS = st.lists(st.floats(0.1, 10), min_size=1, max_size=4)
NOTHING = st.sampled_from([0.0, -1.0, math.inf, math.nan])


def ends(interval: Interval | None) -> list[float]:
    assert interval is not None
    return [interval.estimate, interval.low, interval.high]


def make(epochs: list[float], error: list[float | None]) -> pd.DataFrame:
    rows = zip(epochs, error, strict=True)
    return curve.from_rows([{"iterations": i, "epochs": e, "test_error": v} for i, (e, v) in enumerate(rows)])


def test_slopes_of_lines() -> None:
    assert slope([0, 1, 2, 5], [1, 3, 5, 11]) == pytest.approx(2)
    assert slope([0, 1], [1, -2]) == pytest.approx(-3)
    assert slope([1, 2, 3], [4, 4, 4]) == 0
    # by hand: x - 1 = -1, 0, 1 and y - 1 = -1, 2, -1
    assert slope([0, 1, 2], [0, 3, 0]) == pytest.approx(0)
    assert slope([0, 1, 2], [0, 3, 1.5]) == pytest.approx(0.75)


def test_points_that_are_missing_are_left_out_of_a_slope() -> None:
    assert slope([0, 1, math.nan, 2], [1, math.nan, 7, 5]) == pytest.approx(2)
    assert slope([0.0, 0.0, 1.0], [1.0, 3.0, 4.0]) == pytest.approx(2)


@pytest.mark.parametrize(("x", "y"), [([], []), ([1], [2]), ([3, 3], [1, 2]), ([1, 2], [1, math.nan])])
def test_a_slope_needs_two_places(x: list[float], y: list[float]) -> None:
    with pytest.raises(ValueError, match="two different x"):
        slope(x, y)
    assert power(x, y) is None


def test_a_slope_needs_vectors_of_one_length() -> None:
    with pytest.raises(ValueError, match=r"one length, got shapes \(2,\) and \(1,\)"):
        slope([1, 2], [1])


@given(
    st.lists(st.integers(-100, 100), min_size=2, max_size=10, unique=True),
    st.floats(-10, 10),
    st.floats(-10, 10),
)
def test_the_slope_of_an_exact_line_is_its_own(x: list[int], rise: float, start: float) -> None:
    assert slope(x, start + rise * np.array(x)) == pytest.approx(rise, abs=1e-9)


def test_what_has_no_logarithm_is_left_out_of_an_exponent() -> None:
    x, y = [0, 1, -5, 10, 100, 1000, 100], [3, 1, 9, 100, math.nan, 0, 1e4]
    assert power(x, y) == pytest.approx(2)


@given(
    st.lists(st.tuples(st.integers(1, 1000), st.integers(1, 1000)), min_size=3, max_size=8, unique_by=lambda p: p[0]),
    st.floats(0.01, 100),
    st.floats(0.01, 100),
)
def test_units_do_not_change_an_exponent(points: list[tuple[int, int]], unit_x: float, unit_y: float) -> None:
    x, y = np.array(points, dtype=float).T
    assert power(unit_x * x, unit_y * y) == pytest.approx(power(x, y), rel=1e-6, abs=1e-6)


@given(SIZES, POWERS, st.floats(0.01, 100), st.lists(NOTHING, max_size=3))
def test_the_power_of_an_exact_law_needs_three_points(
    x: list[int], degree: float, factor: float, bad: list[float]
) -> None:
    values = [factor * size**degree for size in x]
    assert power([*x, *range(2000, 2000 + len(bad))], [*values, *bad]) == pytest.approx(degree, abs=1e-9)
    assert power([*x[:2], *range(2000, 2000 + len(bad))], [*values[:2], *bad]) is None


@given(SIZES, POWERS, FACTORS)
@settings(max_examples=30)
def test_the_exponent_of_an_exact_power_law_is_its_power(x: list[int], degree: float, factors: list[float]) -> None:
    """Whatever the constant factor of each run."""
    groups = [[factor * size**degree for factor in factors] for size in x]
    runs = [len(factors)] * len(x)
    interval = exponent(x, medians_of(groups), runs)
    assert interval.estimate == pytest.approx(degree, abs=1e-9)
    assert interval.low - 1e-9 <= degree <= interval.high + 1e-9
    assert interval.runs == len(factors)
    equal = exponent(x, medians_of([[group[0]] * len(factors) for group in groups]), runs)
    assert ends(equal) == pytest.approx([degree] * 3, abs=1e-9)


@given(SIZES, POWERS, FACTORS, NOTHING, st.data())
@settings(max_examples=30)
def test_sizes_without_a_positive_median_are_left_out_of_an_exponent(
    x: list[int], degree: float, factors: list[float], nothing: float, data: st.DataObject
) -> None:
    groups = [[factor * size**degree for factor in factors] for size in x]
    whole = exponent(x, medians_of(groups), [len(factors)] * len(x))
    place = data.draw(st.integers(0, len(x)))
    sizes, more = [*x[:place], 2000, *x[place:]], [*groups[:place], [nothing], *groups[place:]]
    interval = exponent(sizes, medians_of(more), [len(group) for group in more])
    assert ends(interval) == pytest.approx(ends(whole), abs=1e-9)
    short = [[nothing] if k < len(x) - 2 else group for k, group in enumerate(groups)]
    assert exponent(x, medians_of(short), [len(group) for group in short]) is None


def test_no_exponent_without_sizes_or_runs() -> None:
    assert exponent([], medians_of([]), []) is None
    assert exponent([1.0, 2.0, 4.0], medians_of([[1.0], [], [2.0]]), [1, 0, 1]) is None
    assert exponent([1.0, 2.0], medians_of([[1.0], [2.0]]), [1, 1]) is None


@given(SIZES, st.data())
@settings(max_examples=30)
def test_an_exponent_is_the_regression_of_scipy_on_logarithms_of_medians(x: list[int], data: st.DataObject) -> None:
    costs = st.lists(st.floats(0.1, 1000), min_size=1, max_size=3)
    groups, others = (data.draw(st.lists(costs, min_size=len(x), max_size=len(x))) for _ in range(2))
    first, second = (
        scipy.stats.linregress(np.log(x), np.log([np.median(group) for group in side])).slope
        for side in (groups, others)
    )
    runs, other_runs = ([len(group) for group in side] for side in (groups, others))
    assert ends(exponent(x, medians_of(groups), runs))[0] == pytest.approx(first, abs=1e-9)
    both = exponent(x, medians_of(groups), runs, medians_of(others), other_runs)
    assert ends(both)[0] == pytest.approx(first - second, abs=1e-9)


@given(SIZES, POWERS, st.just(0.0) | POWERS, st.lists(st.floats(0.1, 10), min_size=1, max_size=9))
@settings(max_examples=30)
def test_the_difference_of_two_exponents_of_exact_laws(
    x: list[int], degree: float, less: float, factors: list[float]
) -> None:
    curves, others = (np.outer(factors, np.array(x, dtype=float) ** order) for order in (degree, less))
    difference = exponent(
        x,
        lambda runs: curves[runs].mean(axis=1),
        [len(factors)],
        lambda runs: others[runs].mean(axis=1),
        [len(factors)],
    )
    assert ends(difference) == pytest.approx([degree - less] * 3, abs=1e-9)


def test_two_exponents_are_those_of_the_sizes_that_both_know() -> None:
    x, first, second = [1.0, 2.0, 4.0, 8.0, 16.0], [9.0, 2.0, 4.0, 8.0, 16.0], [1.0, 4.0, 16.0, 64.0, math.inf]
    # without 16, which the second lacks; log2 of the first: 3.17, 1, 2, 3, against 0, 1, 2, 3
    expected = scipy.stats.linregress(np.log(x[:4]), np.log(first[:4])).slope - 2
    difference = exponent(x, lambda _: [first], [1], lambda _: [second], [1])
    assert ends(difference) == pytest.approx([expected] * 3)
    assert exponent(x, lambda _: [first], [1], lambda _: [[1.0, 2.0, 0.0, 0.0, 0.0]], [1]) is None


def test_the_interval_of_an_exponent_is_that_of_independent_normal_errors() -> None:
    """The standard error of a slope is that of the mean logarithms over the root of their sum of squares about x."""
    x, runs = np.array([1.0, 4.0, 16.0, 64.0]), 100
    errors = np.random.default_rng(0).normal(scale=0.1, size=(4, runs))
    groups = x[:, None] ** 1.5 * np.exp(errors)

    def geometric_means(*chosen: Draws) -> NDArray[np.float64]:
        means = [np.exp(np.log(group[rows]).mean(axis=1)) for group, rows in zip(groups, chosen, strict=True)]
        return np.column_stack(means)

    estimate, low, high = ends(exponent(x, geometric_means, [runs] * 4))
    half = 1.96 * 0.1 / math.sqrt(runs) / np.log(x).std() / 2
    assert estimate == pytest.approx(1.5, abs=2 * half)
    assert high - low == pytest.approx(2 * half, rel=0.15)


@given(st.lists(st.tuples(POWERS, st.floats(0.1, 10)), min_size=1, max_size=8))
@settings(max_examples=30)
def test_the_exponent_along_single_runs_is_the_mean_of_theirs(runs: list[tuple[float, float]]) -> None:
    x = np.array([1.0, 3.0, 7.0, 50.0])
    made = [(x, factor * x**degree) for degree, factor in runs]
    measured = ends(mean_exponent([*made, ([1.0, 2.0], [3.0, 4.0])]))
    assert measured == pytest.approx(ends(bootstrap_mean([degree for degree, _ in runs])), abs=1e-9)


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([], []),
        ([1.0, 2.0], [1.0, 2.0]),
        ([1.0, 2.0, 2.0, 1.0], [1.0, 2.0, 3.0, 4.0]),
        ([0.0, 1.0, 2.0], [1.0] * 3),
        ([1.0, 2.0, math.inf], [1.0] * 3),
        ([1.0, 2.0, 3.0], [1.0, math.nan, 1.0]),
        ([1.0, 2.0, 3.0], [1.0, 0.0, 1.0]),
    ],
)
def test_a_run_of_fewer_than_three_places_has_no_exponent(x: list[float], y: list[float]) -> None:
    assert mean_exponent([(x, y)]) is None
    assert ends(mean_exponent([(x, y), ([1.0, 2.0, 4.0], [3.0, 6.0, 12.0])])) == pytest.approx([1.0] * 3)


@given(
    st.lists(st.integers(1, 1000), min_size=2, max_size=6, unique=True),
    st.lists(st.integers(-9, 9), min_size=1, max_size=4),
    st.floats(-3, 3),
)
@settings(max_examples=50)
def test_the_trend_of_a_line_is_its_rise_for_each_doubling(x: list[int], errors: list[int], rise: float) -> None:
    exact = [[7 + rise * math.log2(size)] * len(errors) for size in x]
    assert ends(trend(x, exact)) == pytest.approx([rise] * 3, abs=1e-9)
    spread = [[value + error for value, error in zip(group, errors, strict=True)] for group in exact]
    estimate, low, high = ends(trend(x, spread))
    assert estimate == pytest.approx(rise, abs=1e-9)
    assert low - 1e-9 <= rise <= high + 1e-9
    logs = np.log2(x) - np.mean(np.log2(x))
    if len(errors) > 1:  # the range: each point at its end
        furthest = (max(errors) - min(errors)) * np.abs(logs).sum() / 2 / (logs @ logs)
        assert high - low == pytest.approx(2 * furthest, abs=1e-9)


def test_the_trend_of_differences_of_two_methods() -> None:
    first, second = [[3.0], [5.0], [7.0]], [[1.0], [1.0], [1.0]]
    assert ends(trend([1, 2, 4], [*first, *second], lambda means: means[:, :3] - means[:, 3:])) == [2.0] * 3
    assert ends(trend([1, 2, 4], [*first, *second], lambda means: means[:, :3] / means[:, 3:])) == [2.0] * 3


@given(st.lists(st.lists(st.floats(0.1, 10), min_size=2, max_size=5), min_size=1, max_size=4), st.data())
def test_medians_and_means_of_chosen_runs(groups: list[list[float]], data: st.DataObject) -> None:
    rows = data.draw(st.integers(1, 3))
    numbers = [st.lists(st.integers(0, len(group) - 1), min_size=6, max_size=6) for group in groups]
    chosen = [np.array(data.draw(st.lists(of, min_size=rows, max_size=rows))) for of in numbers]
    for center, of in ((np.median, medians_of), (np.mean, means_of)):
        expected = [
            [center([group[k] for k in runs[row]]) for group, runs in zip(groups, chosen, strict=True)]
            for row in range(rows)
        ]
        assert of(groups)(*chosen) == pytest.approx(np.array(expected))


def test_the_overfitting_slope_of_exact_lines() -> None:
    # 0.01 and 0.03 more per decade after the first epoch; what was before does not matter
    epochs = [0.01, 0.1, 1.0, 10.0, 100.0]
    frames = [make(epochs, [0.9, 0.7, 0.2, 0.2 + rise, 0.2 + 2 * rise]) for rise in (0.01, 0.03)]
    interval = overfitting_slope(frames)
    assert interval.estimate == pytest.approx(0.02)
    assert (interval.low, interval.high) == pytest.approx((0.01, 0.03))
    alone = overfitting_slope(frames[:1])
    assert (alone.low, alone.estimate, alone.high) == pytest.approx((0.01, 0.01, 0.01))


def test_the_overfitting_slope_starts_after_the_given_cost() -> None:
    frame = make([0.0, 1.0, 10.0, 100.0, 1000.0], [0.5, 0.1, 0.2, 0.4, 0.6])
    for after, expected in ((10.0, 0.2), (11.0, 0.2), (100.0, 0.2), (1.0, 0.17)):
        interval = overfitting_slope([frame], after=after)
        # over all four: (-1.5 * 0.1 - 0.5 * 0.2 + 0.5 * 0.4 + 1.5 * 0.6) / 5
        assert interval.estimate == pytest.approx(expected)


def test_no_overfitting_slope_of_runs_that_end_before() -> None:
    short, long = make([0.5, 1.0], [0.5, 0.4]), make([1.0, 10.0], [0.5, 0.6])
    assert overfitting_slope([]) is None
    assert overfitting_slope([short]) is None
    assert overfitting_slope([make([1.0, 10.0], [None, 0.4])]) is None
    assert overfitting_slope([long], measure="train_error") is None
    assert overfitting_slope([long], cost="cpu_seconds") is None
    both = overfitting_slope([short, long])
    assert both.estimate == pytest.approx(0.1)
