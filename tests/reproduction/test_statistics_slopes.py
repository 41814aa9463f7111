from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svm_cost_curves.experiments import curve
from svm_cost_curves.experiments.reproduction.statistics import loglog_slope, overfitting_slope, slope


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
    with pytest.raises(ValueError, match="two different x"):
        loglog_slope(x, y)


def test_a_slope_needs_vectors_of_one_length() -> None:
    for of in (slope, loglog_slope):
        with pytest.raises(ValueError, match=r"one length, got shapes \(2,\) and \(1,\)"):
            of([1, 2], [1])


@given(
    st.lists(st.integers(-100, 100), min_size=2, max_size=10, unique=True),
    st.floats(-10, 10),
    st.floats(-10, 10),
)
def test_the_slope_of_an_exact_line_is_its_own(x: list[int], rise: float, start: float) -> None:
    assert slope(x, start + rise * np.array(x)) == pytest.approx(rise, abs=1e-9)


@pytest.mark.parametrize("exponent", [-2.0, -0.5, 0.0, 1.0, 3.0])
def test_the_exponent_of_a_power_law(exponent: float) -> None:
    x = np.array([0.01, 0.1, 3.0, 50.0])
    assert loglog_slope(x, 7 * x**exponent) == pytest.approx(exponent)


def test_what_has_no_logarithm_is_left_out_of_an_exponent() -> None:
    x, y = [0, 1, -5, 10, 100, 1000], [3, 1, 9, 100, math.nan, 0]
    assert loglog_slope(x, y) == pytest.approx(2)


@given(
    st.lists(st.tuples(st.integers(1, 1000), st.integers(1, 1000)), min_size=2, max_size=8, unique_by=lambda p: p[0]),
    st.floats(0.01, 100),
    st.floats(0.01, 100),
)
def test_units_do_not_change_an_exponent(points: list[tuple[int, int]], unit_x: float, unit_y: float) -> None:
    x, y = np.array(points, dtype=float).T
    assert loglog_slope(unit_x * x, unit_y * y) == pytest.approx(loglog_slope(x, y), rel=1e-6, abs=1e-6)


def test_the_overfitting_slope_of_exact_lines() -> None:
    # 0.01 and 0.03 more per decade after the first epoch; what was before does not matter
    epochs = [0.01, 0.1, 1.0, 10.0, 100.0]
    frames = [make(epochs, [0.9, 0.7, 0.2, 0.2 + rise, 0.2 + 2 * rise]) for rise in (0.01, 0.03)]
    interval = overfitting_slope(frames)
    assert interval is not None
    assert interval.estimate == pytest.approx(0.02)
    assert (interval.low, interval.high) == pytest.approx((0.01, 0.03))
    alone = overfitting_slope(frames[:1])
    assert alone is not None
    assert (alone.low, alone.estimate, alone.high) == pytest.approx((0.01, 0.01, 0.01))


def test_the_overfitting_slope_starts_after_the_given_cost() -> None:
    frame = make([0.0, 1.0, 10.0, 100.0, 1000.0], [0.5, 0.1, 0.2, 0.4, 0.6])
    for after, expected in ((10.0, 0.2), (11.0, 0.2), (100.0, 0.2), (1.0, 0.17)):
        interval = overfitting_slope([frame], after=after)
        assert interval is not None
        # over all four: (-1.5 * 0.1 - 0.5 * 0.2 + 0.5 * 0.4 + 1.5 * 0.6) / 5
        assert interval.estimate == pytest.approx(expected)


def test_an_error_that_goes_on_falling_has_a_negative_overfitting_slope() -> None:
    falling = make([1.0, 10.0, 100.0], [0.3, 0.2, 0.1])
    for cost in ("epochs", "iterations"):
        interval = overfitting_slope([falling], cost=cost)
        assert interval is not None
        assert interval.estimate < 0


def test_no_overfitting_slope_of_runs_that_end_before() -> None:
    short, long = make([0.5, 1.0], [0.5, 0.4]), make([1.0, 10.0], [0.5, 0.6])
    assert overfitting_slope([]) is None
    assert overfitting_slope([short]) is None
    assert overfitting_slope([make([1.0, 10.0], [None, 0.4])]) is None
    assert overfitting_slope([long], measure="train_error") is None
    assert overfitting_slope([long], cost="cpu_seconds") is None
    both = overfitting_slope([short, long])
    assert both is not None
    assert both.estimate == pytest.approx(0.1)
