from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from svm_cost_curves.experiments.reproduction.statistics.interval import (
    LEAST_RUNS,
    RESAMPLES,
    Draws,
    Interval,
    bootstrap,
    bootstrap_groups,
    bootstrap_mean,
    bootstrap_means,
    bootstrap_medians,
)

VALUES = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=12)
ENOUGH = st.lists(st.floats(-100, 100), min_size=LEAST_RUNS, max_size=40)


def alone(centres: NDArray[np.float64]) -> NDArray[np.float64]:
    """The centre of a single group."""
    return centres[:, 0]


def minus(centres: NDArray[np.float64]) -> NDArray[np.float64]:
    return centres[:, 0] - centres[:, 1]


def ends(interval: Interval | None) -> list[float]:
    assert interval is not None
    return [interval.estimate, interval.low, interval.high]


def row_by_row(statistic: Callable[[list[int]], float]) -> Callable[[Draws], NDArray[np.float64]]:
    return lambda chosen: np.array([statistic(row) for row in chosen.tolist()])


def test_of_one_value_or_equal_ones_the_interval_is_a_point() -> None:
    assert bootstrap_mean([0.1]) == Interval(0.1, 0.1, 0.1)
    assert bootstrap_mean([0.1, 0.1, 0.1]) == Interval(0.1, 0.1, 0.1, 3)
    assert bootstrap_mean([0.1, math.nan]) == Interval(0.1, 0.1, 0.1)
    assert bootstrap_medians(alone, [[0.1] * 9]) == Interval(0.1, 0.1, 0.1, 9)


@given(st.lists(st.integers(-100, 100), min_size=2, max_size=LEAST_RUNS - 1, unique=True))
def test_below_five_runs_the_interval_is_the_range(values: list[int]) -> None:
    interval = bootstrap_mean(values)
    assert interval == Interval(float(np.mean(values)), min(values), max(values), len(values))
    assert interval.method == "range"
    assert bootstrap(lambda runs: np.array(values)[runs].mean(axis=1), len(values)) == interval
    other = bootstrap_groups(lambda a, b: np.array(values)[a].mean(axis=1), (len(values), 1))
    assert other == interval
    assert bootstrap_means(alone, [values, [0.0]]) == interval
    assert ends(bootstrap_medians(alone, [values])) == [np.median(values), min(values), max(values)]


@given(st.lists(st.lists(st.integers(-100, 100), min_size=2, max_size=LEAST_RUNS - 1), min_size=2, max_size=3))
def test_the_range_of_several_groups_is_that_of_all_choices_of_one_run_of_each(groups: list[list[int]]) -> None:
    interval = bootstrap_means(lambda means: means.sum(axis=1), groups)
    assert (interval.low, interval.high) == (sum(map(min, groups)), sum(map(max, groups)))
    assert interval.runs == min(map(len, groups))


def test_the_range_of_very_many_choices_is_that_of_some_of_them() -> None:
    """Seven groups of four runs: 16,384 choices."""
    interval = bootstrap_means(lambda means: means.sum(axis=1), [[0.0, 1.0, 2.0, 3.0]] * 7)
    assert interval.estimate == 10.5
    assert 0 <= interval.low <= 4
    assert 17 <= interval.high <= 21


def test_the_method_of_an_interval_is_named() -> None:
    assert bootstrap_mean([1.0]).method == "one run"
    assert bootstrap_mean([1.0, 2.0, 3.0, 4.0]).method == "range"
    assert bootstrap_mean([1.0, 2.0, 3.0, 4.0, 5.0]).method == "95 % bootstrap"


@pytest.mark.parametrize(
    ("interval", "text"),
    [
        (Interval(1.6, 1.2, 2.1, 5), "1.6 [1.2, 2.1]"),
        (Interval(1.6, 1.6, 1.6, 5), "1.6 [1.6, 1.6]"),
        (Interval(1.6, 1.2, 2.1, 4), "1.6 (range 1.2 to 2.1)"),
        (Interval(1.6, 1.6, 1.6, 2), "1.6 (range 1.6 to 1.6)"),
        (Interval(1.6, 1.5, 1.7, 1), "1.6 (grid 1.5 to 1.7)"),
        (Interval(1.6, 1.6, 1.6, 1), "1.6"),
    ],
)
def test_an_interval_is_written_with_its_method(interval: Interval, text: str) -> None:
    assert interval.text(lambda value: f"{value:.1f}") == text


def test_an_interval_is_scaled_and_widened() -> None:
    interval = Interval(2.0, 1.0, 4.0, 7)
    assert interval.scaled(100) == Interval(200.0, 100.0, 400.0, 7)
    assert interval.widened(2.0, 1.5) == Interval(2.0, 0.5, 6.0, 7)


def test_an_interval_can_be_written_as_json() -> None:
    written = json.loads(json.dumps(bootstrap_mean([1.0, 3.0]).as_dict()))
    assert written == {"estimate": 2.0, "low": 1.0, "high": 3.0, "runs": 2, "method": "range"}


def test_the_interval_of_many_values_is_that_of_the_normal_distribution() -> None:
    values = np.arange(400) / 400
    interval = bootstrap_mean(values)
    half = 1.96 * values.std() / math.sqrt(len(values))
    assert interval.estimate == pytest.approx(values.mean())
    # an end of 2,000 resamples has a standard error of 6 % of that of the mean, 3 % of half the interval
    assert interval.low == pytest.approx(values.mean() - half, abs=0.1 * half)
    assert interval.high == pytest.approx(values.mean() + half, abs=0.1 * half)


def test_the_interval_of_zeros_and_ones_is_that_of_the_binomial_distribution() -> None:
    # 30 draws with a chance of 4 in 30: at most 0, 1, 7, 8 succeed with probability 0.014, 0.077, 0.961, 0.986
    interval = bootstrap_mean([1.0] * 4 + [0.0] * 26)
    assert (30 * interval.low, 30 * interval.high) == pytest.approx((1, 8))


@pytest.mark.parametrize("runs", [5, 7, 11])
def test_the_interval_of_a_median_is_that_of_its_exact_bootstrap_distribution(runs: int) -> None:
    """The median of an odd number of draws is at most a value if more than half of the draws are."""
    values = np.arange(runs)
    at_most = scipy.stats.binom.sf(runs // 2, runs, (values + 1) / runs)
    interval = bootstrap_medians(alone, [values])
    assert ends(interval) == [runs // 2, np.searchsorted(at_most, 0.025), np.searchsorted(at_most, 0.975)]


@given(ENOUGH)
@settings(max_examples=50)
def test_the_interval_of_a_mean_is_the_percentile_interval_of_scipy(values: list[float]) -> None:
    within_monte_carlo_error(values, bootstrap_mean(values), np.mean)


@given(ENOUGH)
@settings(max_examples=50)
def test_the_interval_of_a_median_is_the_percentile_interval_of_scipy(values: list[float]) -> None:
    within_monte_carlo_error(values, bootstrap_medians(alone, [values]), np.median)


def within_monte_carlo_error(values: list[float], interval: Interval, statistic: Callable[..., Any]) -> None:
    """Compare with so many resamples of scipy that only our own have an error: shares of 2.5 and 97.5 %."""
    theirs = scipy.stats.bootstrap(
        (values,), statistic, n_resamples=20_000, method="percentile", rng=np.random.default_rng(0), vectorized=True
    ).bootstrap_distribution
    slack = 5 * math.sqrt(0.025 * 0.975 / RESAMPLES)
    rounding = 1e-12 * (1 + max(map(abs, values)))
    for end, share in ((interval.low, 0.025), (interval.high, 0.975)):
        low, high = np.quantile(theirs, [share - slack, share + slack])
        assert low - rounding <= end <= high + rounding


@given(VALUES)
@settings(max_examples=50)
def test_the_interval_has_the_estimate_inside_and_is_the_same_each_time(values: list[float]) -> None:
    interval = bootstrap_mean(values)
    assert interval.low <= interval.estimate <= interval.high
    assert min(values) - 1e-9 <= interval.low
    assert interval.high <= max(values) + 1e-9
    assert interval.estimate == pytest.approx(float(np.mean(values)), abs=1e-6)
    assert interval == bootstrap_mean(values)


@given(st.lists(st.integers(-100, 100), min_size=2, max_size=8), st.integers(-50, 50), st.sampled_from([0.5, 2, 4]))
@settings(max_examples=50)
def test_the_interval_moves_and_grows_with_the_values(values: list[int], shift: int, scale: float) -> None:
    changed = [shift + scale * value for value in values]
    for of in (bootstrap_mean, lambda given: bootstrap_medians(alone, [given])):
        assert ends(of(changed)) == pytest.approx([shift + scale * end for end in ends(of(values))], abs=1e-9)


@pytest.mark.parametrize("values", [[], [math.nan], [1.0, math.inf]])
def test_a_mean_needs_finite_values(values: list[float]) -> None:
    with pytest.raises(ValueError, match="needs finite values"):
        bootstrap_mean(values)
    with pytest.raises(ValueError, match=r"finite values|needs values"):
        bootstrap_means(alone, [values])


@pytest.mark.parametrize("groups", [[], [[]], [[1.0], []], [[1.0], [math.nan]]])
def test_groups_need_values(groups: list[list[float]]) -> None:
    for of in (bootstrap_means, bootstrap_medians):
        with pytest.raises(ValueError, match=r"needs? (finite )?values"):
            of(alone, groups)


@pytest.mark.parametrize(("infinite", "high"), [(0, 3.0), (1, 3.0), (2, math.inf)])
def test_infinite_values_make_an_end_infinite_where_more_than_half_of_a_resample_may_have_them(
    infinite: int, high: float
) -> None:
    """Four of seven values of a resample are infinite with a probability of 1 % if one run is, and 10 % if two are."""
    values = [1.0, 2.0, 3.0, 3.0, 3.0, 3.0, 3.0][: 7 - infinite] + [math.inf] * infinite
    interval = bootstrap_medians(alone, [values])
    assert interval.estimate == 3.0
    assert interval.high == high


def test_bootstrap_resamples_whole_runs() -> None:
    seen: list[list[int]] = []

    def statistic(chosen: Draws) -> NDArray[np.float64]:
        seen.extend(chosen.tolist())
        return np.ones(len(chosen))

    assert bootstrap(statistic, 5) == Interval(1.0, 1.0, 1.0, 5)
    assert seen[0] == [0, 1, 2, 3, 4]
    assert len(seen[1:]) == RESAMPLES
    assert len({*map(tuple, seen[1:])}) > 1000
    assert {len(chosen) for chosen in seen} == {5}
    counts = np.bincount([number for chosen in seen[1:] for number in chosen])
    assert counts / counts.sum() == pytest.approx([0.2] * 5, abs=0.02)


@pytest.mark.parametrize("sizes", [(5, 5), (6, 1), (1, 7), (5, 10), (3, 4), (4, 9)])
def test_all_kinds_of_bootstrap_have_the_same_resamples(sizes: tuple[int, int]) -> None:
    values = [np.random.default_rng(size).normal(size=size) for size in sizes]

    def less(centre: Callable[..., Any]) -> Callable[..., NDArray[np.float64]]:
        def statistic(*chosen: Draws) -> NDArray[np.float64]:
            first, second = (centre(group[runs], axis=1) for group, runs in zip(values, chosen, strict=True))
            return np.asarray(first - second)

        return statistic

    for of, centre in ((bootstrap_means, np.mean), (bootstrap_medians, np.median)):
        interval = of(minus, values)
        assert ends(bootstrap_groups(less(centre), sizes)) == pytest.approx(ends(interval), rel=1e-12)
        assert interval.runs == min(size for size in sizes if size > 1)


def test_groups_are_resampled_independently() -> None:
    """The variances of two means add up, also of equal values."""
    values = np.random.default_rng(2).normal(size=100)
    one, two = bootstrap_mean(values), bootstrap_means(minus, [values, values])
    assert two.high - two.low == pytest.approx(math.sqrt(2) * (one.high - one.low), rel=0.15)


def test_resamples_that_have_no_statistic_are_left_out() -> None:
    # only resamples that hold both runs: without the others the statistic is always 1
    interval = bootstrap(row_by_row(lambda chosen: 1.0 if len({*chosen}) == 2 else math.nan), 2)
    assert interval == Interval(1.0, 1.0, 1.0, 2)


def test_no_interval_without_runs_or_estimate() -> None:
    assert bootstrap(row_by_row(lambda _: 1.0), 0) is None
    assert bootstrap(row_by_row(lambda _: math.nan), 3) is None
    assert bootstrap(row_by_row(lambda chosen: 1.0 if chosen == [*range(30)] else math.nan), 30) is None
    assert bootstrap_groups(lambda one, other: np.ones(len(one)), (3, 0)) is None


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_an_interval_is_widened_to_an_estimate_outside_the_percentiles(sign: float) -> None:
    # nearly no resample of 30 holds all runs
    estimate, *both = ends(bootstrap(row_by_row(lambda chosen: sign * len({*chosen})), 30))
    near, far = both if sign < 0 else both[::-1]
    assert estimate == near == sign * 30
    assert abs(far) < 22
