from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from svm_cost_curves.experiments.reproduction.statistics import (
    LEAST_RUNS,
    Interval,
    bootstrap,
    bootstrap_groups,
    bootstrap_mean,
    bootstrap_means,
    relative_difference,
)


def test_of_one_value_or_equal_ones_the_interval_is_a_point() -> None:
    assert bootstrap_mean([0.1]) == Interval(0.1, 0.1, 0.1)
    assert bootstrap_mean([0.1, 0.1, 0.1]) == Interval(0.1, 0.1, 0.1, 3)
    assert bootstrap_mean([0.1, math.nan]) == Interval(0.1, 0.1, 0.1)


@given(st.lists(st.integers(-100, 100), min_size=2, max_size=LEAST_RUNS - 1, unique=True))
def test_below_five_runs_the_interval_is_the_range(values: list[int]) -> None:
    found = bootstrap_mean(values)
    assert found == Interval(float(np.mean(values)), min(values), max(values), len(values))
    assert found.kind == "range"
    other = bootstrap_groups(lambda a, b: float(np.mean([values[k] for k in a])), (len(values), 1))
    assert other == found
    assert bootstrap_means(lambda means: means[:, 0], [values, [0.0]]) == found


def test_the_kind_of_an_interval_is_named() -> None:
    assert bootstrap_mean([1.0]).kind == "one run"
    assert bootstrap_mean([1.0, 2.0, 3.0, 4.0, 5.0]).kind == "95 % bootstrap interval"


def test_an_interval_is_scaled_and_widened() -> None:
    interval = Interval(2.0, 1.0, 4.0, 7)
    assert interval.scaled(100) == Interval(200.0, 100.0, 400.0, 7)
    assert interval.widened(2.0, 1.5) == Interval(2.0, 0.5, 6.0, 7)


def test_the_interval_of_many_values_is_that_of_the_normal_distribution() -> None:
    values = np.arange(400) / 400
    interval = bootstrap_mean(values)
    half = 1.96 * values.std() / math.sqrt(len(values))
    assert interval.estimate == pytest.approx(values.mean())
    assert interval.low == pytest.approx(values.mean() - half, abs=0.05 * half)
    assert interval.high == pytest.approx(values.mean() + half, abs=0.05 * half)


def test_the_interval_of_zeros_and_ones_is_that_of_the_binomial_distribution() -> None:
    # 40 draws with a chance of 0.3: at most 6, 7, 16, 17 succeed with probability 0.024, 0.055, 0.937, 0.968
    interval = bootstrap_mean([1.0] * 12 + [0.0] * 28, level=0.9)
    assert 40 * interval.low == pytest.approx(7, abs=0.01)
    assert 40 * interval.high == pytest.approx(17, abs=0.01)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=12), st.integers(0, 2**32))
@settings(max_examples=30)
def test_the_interval_has_the_estimate_inside_and_depends_on_the_seed_alone(values: list[float], seed: int) -> None:
    interval = bootstrap_mean(values, seed=seed, resamples=200)
    assert interval.low <= interval.estimate <= interval.high
    assert min(values) - 1e-9 <= interval.low
    assert interval.high <= max(values) + 1e-9
    assert interval.estimate == pytest.approx(float(np.mean(values)), abs=1e-6)
    assert interval == bootstrap_mean(values, seed=seed, resamples=200)


@given(st.lists(st.integers(-100, 100), min_size=2, max_size=8), st.integers(-50, 50), st.sampled_from([0.5, 2, 4]))
@settings(max_examples=30)
def test_the_interval_moves_and_grows_with_the_values(values: list[int], shift: int, scale: float) -> None:
    one = bootstrap_mean(values, resamples=200)
    other = bootstrap_mean([shift + scale * value for value in values], resamples=200)
    for name in ("estimate", "low", "high"):
        assert getattr(other, name) == pytest.approx(shift + scale * getattr(one, name), abs=1e-9)


def test_other_seeds_give_other_resamples() -> None:
    values = np.random.default_rng(0).normal(size=10)
    assert bootstrap_mean(values, seed=0) != bootstrap_mean(values, seed=1)


@pytest.mark.parametrize("values", [[], [math.nan], [1.0, math.inf]])
def test_a_mean_needs_finite_values(values: list[float]) -> None:
    with pytest.raises(ValueError, match="needs finite values"):
        bootstrap_mean(values)


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0, math.nan])
def test_a_level_is_a_share(level: float) -> None:
    with pytest.raises(ValueError, match="level of an interval"):
        bootstrap_mean(range(9), level=level)


def test_an_interval_can_be_written_as_json() -> None:
    assert json.dumps(bootstrap_mean([1.0, 3.0]).as_dict()) == '{"estimate": 2.0, "low": 1.0, "high": 3.0, "runs": 2}'


def test_bootstrap_of_the_mean_is_bootstrap_mean() -> None:
    values = np.random.default_rng(1).normal(size=9)
    general = bootstrap(lambda chosen: float(values[list(chosen)].mean()), 9, resamples=4000)
    assert general is not None
    special = bootstrap_mean(values)
    assert general.estimate == special.estimate
    assert general.low == pytest.approx(special.low, abs=0.05)
    assert general.high == pytest.approx(special.high, abs=0.05)


def test_bootstrap_resamples_whole_runs() -> None:
    seen: list[list[int]] = []

    def statistic(chosen: Any) -> float:
        seen.append(list(chosen))
        return 1.0

    assert bootstrap(statistic, 5, resamples=50) == Interval(1.0, 1.0, 1.0, 5)
    assert seen[0] == [0, 1, 2, 3, 4]
    assert 40 < len({*map(tuple, seen[1:])}) == len(seen[1:]) <= 50  # a resample that comes again is known
    assert {len(chosen) for chosen in seen} == {5}
    assert {number for chosen in seen[1:] for number in chosen} == {0, 1, 2, 3, 4}


@pytest.mark.parametrize("sizes", [(5, 5), (6, 1), (5, 10)])
def test_repeated_resamples_count_repeatedly(sizes: tuple[int, int]) -> None:
    values = [np.random.default_rng(size).normal(size=size) for size in sizes]
    generator = np.random.Generator(np.random.Philox(5))
    drawn = [[generator.integers(size, size=size) for size in sizes] for _ in range(300)]
    means = [values[0][one].mean() - values[1][other].mean() for one, other in drawn]
    interval = bootstrap_groups(
        lambda one, other: float(values[0][one].mean() - values[1][other].mean()), sizes, seed=5, resamples=300
    )
    assert interval is not None
    assert [interval.low, interval.high] == pytest.approx(np.quantile(means, [0.025, 0.975]), rel=1e-13)


def test_resamples_that_have_no_statistic_are_left_out() -> None:
    # only resamples that hold both runs: without the others the statistic is always 1
    assert bootstrap(lambda chosen: 1.0 if len(set(chosen)) == 2 else None, 2) == Interval(1.0, 1.0, 1.0, 2)
    assert bootstrap(lambda chosen: 1.0 if len(set(chosen)) == 2 else math.nan, 2) == Interval(1.0, 1.0, 1.0, 2)


def test_no_interval_without_runs_or_estimate() -> None:
    assert bootstrap(lambda _: 1.0, 0) is None
    assert bootstrap(lambda _: None, 3) is None
    assert bootstrap(lambda _: math.nan, 1) is None
    assert bootstrap(lambda chosen: 1.0 if list(chosen) == list(range(30)) else None, 30) is None
    assert bootstrap_groups(lambda one, other: 1.0, (3, 0)) is None


def test_an_interval_is_widened_to_an_estimate_outside_the_percentiles() -> None:
    # nearly no resample of 30 holds all runs
    interval = bootstrap(lambda chosen: float(len(set(chosen))), 30)
    assert interval is not None
    assert interval.estimate == interval.high == 30
    assert interval.low < 22


def test_groups_are_resampled_by_themselves() -> None:
    first, second = np.array([1.0, 3.0]), np.array([10.0])
    interval = bootstrap_groups(lambda a, b: float(first[list(a)].mean() + second[list(b)].mean()), (2, 1))
    assert interval == Interval(12.0, 11.0, 13.0, 2)


def test_means_of_groups_are_resampled_all_at_once() -> None:
    values = [[1.0, 2.0, 4.0, 7.0, 5.0], [3.0, 3.5, 5.0, 4.0, 3.2]]
    at_once = bootstrap_means(lambda means: means[:, 0] - means[:, 1], values)
    by_run = bootstrap_groups(
        lambda a, b: np.mean([values[0][k] for k in a]) - np.mean([values[1][k] for k in b]), (5, 5), resamples=5000
    )
    assert by_run is not None
    assert at_once.estimate == pytest.approx(by_run.estimate)
    assert (at_once.low, at_once.high) == pytest.approx((by_run.low, by_run.high), abs=0.15)
    assert bootstrap_means(lambda means: means[:, 0], [[2.0]]) == Interval(2.0, 2.0, 2.0)
    for bad in ([], [[]], [[1.0], [math.nan]]):
        with pytest.raises(ValueError, match="finite values"):
            bootstrap_means(lambda means: means[:, 0], bad)


ERRORS = st.lists(st.one_of(st.just(0.0), st.floats(1e-6, 1.0)), min_size=1, max_size=8)


def of_means(one: list[float], other: list[float], *, paired: bool) -> Interval | None:
    means = [lambda runs, own=own: float(np.mean([own[k] for k in runs])) for own in (one, other)]
    sizes = (len(one),) if paired else (len(one), len(other))
    return relative_difference(*means, sizes, resamples=200)


@given(ERRORS, ERRORS, st.booleans())
@settings(max_examples=60)
def test_no_error_is_more_than_all_of_another_below_it(one: list[float], other: list[float], paired: bool) -> None:
    count = min(len(one), len(other))
    found = of_means(one[:count], other[:count], paired=True) if paired else of_means(one, other, paired=False)
    if found is None:
        assert not any(other[:count] if paired else other)
    else:
        assert -1 <= found.low <= found.estimate <= found.high


@given(st.lists(st.floats(1e-3, 1.0), min_size=5, max_size=8), st.floats(0.1, 10.0))
@settings(max_examples=30)
def test_pairs_with_one_ratio_have_no_interval_around_it(errors: list[float], ratio: float) -> None:
    found = of_means([ratio * error for error in errors], errors, paired=True)
    assert found is not None
    assert (found.low, found.estimate, found.high) == pytest.approx((ratio - 1,) * 3, abs=1e-9)


def test_the_interval_of_a_relative_difference_is_that_of_the_ratio_of_two_means() -> None:
    generator = np.random.default_rng(0)
    one, other = (generator.gamma(shape, size=400) for shape in (2.0, 3.0))
    found = of_means(one.tolist(), other.tolist(), paired=False)
    assert found is not None
    ratio = one.mean() / other.mean()
    # delta method: the squared relative errors of numerator and denominator add up
    half = 1.96 * ratio * math.hypot(*(own.std() / own.mean() / 20 for own in (one, other)))
    assert found.estimate == pytest.approx(ratio - 1)
    assert found.high - found.low == pytest.approx(2 * half, rel=0.25)


def test_relative_to_a_negative_number_the_sign_is_that_of_the_difference() -> None:
    assert of_means([-1.0], [-2.0], paired=True) == Interval(0.5, 0.5, 0.5)
    assert of_means([1.0], [0.0], paired=True) is None
