"""The water level: against sorting, against a linear program, and by its own optimality conditions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from reference import filled_volume, level, level_by_lp, levels_by_lp

from svm_cost_curves.solvers import _core

Case = tuple[NDArray[np.float64], int, float]


def cases(count: int, seed: int, sizes: tuple[int, ...], *, least: int = 1) -> list[Case]:
    """Responses, number of positives and volume: continuous, tied, equal, of mixed magnitude, far from zero, skewed."""
    rng = np.random.default_rng(seed)
    made = []
    for k in range(count):
        n = int(rng.choice([size for size in sizes if size >= least]))
        c = rng.normal(size=n)
        match k % 6:
            case 1:
                c = np.round(c, 1)
            case 2:
                c = np.full(n, rng.normal())
            case 3:
                c *= 10.0 ** rng.integers(-6, 7, size=n)
            case 4:
                c += 1e6
            case 5:
                c = np.exp(2.0 * c)
        volume = 0.0 if k % 10 == 0 else float(10.0 ** rng.uniform(-12, 4))
        made.append((c, int(rng.integers(1, n)) if n > 1 else 1, volume))
    return made


def scale(c: NDArray[np.float64], volume: float) -> float:
    return float(np.abs(c).max() + volume + 1.0)


@pytest.mark.parametrize("bias", [False, True])
def test_equals_sorting_on_thousands_of_inputs(bias: bool) -> None:
    for c, positives, volume in cases(6000, 1, (1, 2, 3, 5, 20, 63, 64, 65, 300), least=2 if bias else 1):
        found = _core.water_levels(c, positives, volume, bias)
        expected = _core.water_levels_sorted(c, positives, volume, bias)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13 * scale(c, volume))


def test_equals_the_plain_formula() -> None:
    for c, positives, volume in cases(2000, 2, (1, 2, 3, 7, 40, 200)):
        up, down = _core.water_levels(c, positives, volume, False)
        assert up == down
        assert up == pytest.approx(level(c, volume), rel=0, abs=1e-13 * scale(c, volume))


def test_equals_the_linear_program() -> None:
    for c, positives, volume in cases(600, 3, (1, 2, 3, 8, 20)):
        found, _ = _core.water_levels(c, positives, volume, False)
        assert found == pytest.approx(level_by_lp(c, volume), rel=1e-7, abs=1e-6)


def test_equals_the_linear_program_with_bias() -> None:
    for c, positives, volume in cases(600, 4, (2, 3, 8, 20), least=2):
        found = 0.5 * sum(_core.water_levels(c, positives, volume, True))
        assert found == pytest.approx(levels_by_lp(c, positives, volume), rel=1e-7, abs=1e-6)


@pytest.mark.parametrize("method", [_core.water_levels, _core.water_levels_sorted])
def test_optimality_conditions_with_bias(method: type(_core.water_levels)) -> None:
    """The basins hold the volume, and cover equally many points: the intervals [#(c < g), #(c <= g)] meet."""
    for c, positives, volume in cases(3000, 5, (2, 3, 5, 20, 100), least=2):
        up, down = method(c, positives, volume, True)
        tolerance = 1e-12 * scale(c, volume)
        held = filled_volume(c[:positives], up) + filled_volume(c[positives:], down)
        assert held == pytest.approx(volume, rel=1e-9, abs=len(c) * tolerance)
        few_up, many_up = (int(np.sum(c[:positives] <= up + d)) for d in (-tolerance, tolerance))
        few_down, many_down = (int(np.sum(c[positives:] <= down + d)) for d in (-tolerance, tolerance))
        assert max(few_up, few_down) <= min(many_up, many_down)
        assert many_up > 0
        assert many_down > 0


@pytest.mark.parametrize("bias", [False, True])
def test_huge_inputs(bias: bool) -> None:
    rng = np.random.default_rng(6)
    c = rng.standard_cauchy(size=60_000)
    for volume in (0.0, 1e-12, 1e-3, 1.0, 660.0, 1e6):
        found = _core.water_levels(c, 20_000, volume, bias)
        assert found == pytest.approx(_core.water_levels_sorted(c, 20_000, volume, bias), rel=1e-11)


def test_no_volume_is_the_smallest_response() -> None:
    c = np.array([0.5, -1.0, -1.0, 2.0, -3.0, 7.0])
    assert _core.water_levels(c, 3, 0.0, False) == (-3.0, -3.0)
    assert _core.water_levels(c, 3, 0.0, True) == (-1.0, -3.0)


def test_all_covered_and_one_point() -> None:
    c = np.array([1.0, 2.0, 3.0])
    assert _core.water_levels(c, 1, 30.0, False) == pytest.approx((12.0, 12.0))
    assert _core.water_levels(np.array([0.25]), 1, 0.5, False) == (0.75, 0.75)
    assert _core.water_levels(np.array([0.25]), 0, 0.5, False) == (0.75, 0.75)


def test_equal_responses_share_the_volume() -> None:
    c = np.full(7, 0.1)
    assert _core.water_levels(c, 3, 0.7, False)[0] == pytest.approx(0.2, abs=1e-15)
    up, down = _core.water_levels(np.full(6, 0.1), 3, 0.6, True)
    assert up + down == pytest.approx(0.4, abs=1e-15)


def test_a_tiny_volume_covers_at_least_one_point() -> None:
    """A level that rounds to below the lowest response would leave no point to draw."""
    rng = np.random.default_rng(7)
    for _ in range(3000):
        c = rng.normal(size=6) * 10.0 ** rng.integers(-3, 6)
        volume = 10.0 ** rng.uniform(-300, -12)
        assert _core.water_levels(c, 3, volume, False)[0] >= c.min()
        up, down = _core.water_levels(c, 3, volume, True)
        assert up >= c[:3].min()
        assert down >= c[3:].min()
        tied = np.full(7, c[0])
        assert _core.water_levels(tied, 3, volume, False)[0] >= c[0]
        assert min(_core.water_levels(tied, 3, volume, True)) >= c[0]


@given(
    st.lists(st.floats(-1e8, 1e8), min_size=2, max_size=80),
    st.data(),
    st.floats(0, 1e8),
    st.booleans(),
)
@settings(max_examples=300)
def test_properties(values: list[float], data: st.DataObject, volume: float, bias: bool) -> None:
    c = np.array(values)
    positives = data.draw(st.integers(1, len(values) - 1))
    up, down = _core.water_levels(c, positives, volume, bias)
    tolerance = 1e-12 * scale(c, volume) * len(values)
    held = filled_volume(c[:positives], up) + filled_volume(c[positives:], down)
    assert held == pytest.approx(volume, rel=1e-9, abs=tolerance)
    more = _core.water_levels(c, positives, 2.0 * volume + 1.0, bias)
    assert sum(more) >= up + down - tolerance
    shifted = _core.water_levels(c + 1.0, positives, volume, bias)
    assert sum(shifted) == pytest.approx(up + down + 2.0, abs=tolerance)
    shuffled = np.concatenate([c[:positives][::-1], c[positives:][::-1]])
    assert sum(_core.water_levels(shuffled, positives, volume, bias)) == pytest.approx(up + down, abs=tolerance)


@pytest.mark.parametrize("method", [_core.water_levels, _core.water_levels_sorted])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_refuses_what_is_not_finite(method: type(_core.water_levels), value: float) -> None:
    with pytest.raises(ValueError, match="response 2 is not finite"):
        method(np.array([0.0, 1.0, value, 3.0]), 2, 1.0, False)
    with pytest.raises(ValueError, match="volume must be finite and not negative"):
        method(np.array([0.0, 1.0]), 1, value, False)


@pytest.mark.parametrize("method", [_core.water_levels, _core.water_levels_sorted])
def test_refuses_impossible_requests(method: type(_core.water_levels)) -> None:
    with pytest.raises(ValueError, match="volume must be finite and not negative"):
        method(np.array([0.0, 1.0]), 1, -1e-3, False)
    with pytest.raises(ValueError, match="at least one response"):
        method(np.empty(0), 0, 1.0, False)
    for positives in (0, 2):
        with pytest.raises(ValueError, match="both classes"):
            method(np.array([0.0, 1.0]), positives, 1.0, True)
    with pytest.raises(ValueError, match="more positive examples than responses"):
        method(np.array([0.0, 1.0]), 3, 1.0, False)
