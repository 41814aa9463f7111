"""The water level: against sorting, against a linear program, and by its own optimality conditions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import linprog

from svm_cost_curves.solvers import _core

Case = tuple[NDArray[np.float64], int, float]


def level_by_lp(c: NDArray[np.float64], positives: int, volume: float, bias: bool) -> float:
    """The largest mean of both classes' levels whose slacks xi_i >= level - c_i add up to at most `volume`."""
    n = len(c)
    classes = np.zeros((n, 2))
    classes[:positives, 0] = 1.0
    classes[positives:, 1] = 1.0
    A = np.vstack([np.hstack([classes, -np.eye(n)]), np.concatenate([[0.0, 0.0], np.ones(n)])])
    answer = linprog(
        np.concatenate([[-0.5, -0.5], np.zeros(n)]),
        A_ub=A,
        b_ub=np.concatenate([c, [volume]]),
        A_eq=None if bias else np.concatenate([[1.0, -1.0], np.zeros(n)])[None, :],
        b_eq=None if bias else [0.0],
        bounds=[(None, None)] * 2 + [(0.0, None)] * n,
    )
    assert answer.status == 0, answer.message
    return float(-answer.fun)


def filled_volume(c: NDArray[np.float64], level: float) -> float:
    """Volume of water under `level`."""
    return float(np.maximum(0.0, level - c).sum())


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


@pytest.mark.parametrize("bias", [False, True])
def test_equals_the_linear_program(bias: bool) -> None:
    for c, positives, volume in cases(500, 3, (2, 3, 8, 20), least=2):
        up, down = _core.water_levels(c, positives, volume, bias)
        assert bias or up == down
        assert 0.5 * (up + down) == pytest.approx(level_by_lp(c, positives, volume, bias), rel=1e-7, abs=1e-6)


@pytest.mark.parametrize("bias", [False, True])
def test_huge_inputs(bias: bool) -> None:
    rng = np.random.default_rng(6)
    c = rng.standard_cauchy(size=60_000)
    for volume in (0.0, 1e-12, 1e-3, 1.0, 660.0, 1e6):
        found = _core.water_levels(c, 20_000, volume, bias)
        assert found == pytest.approx(_core.water_levels_sorted(c, 20_000, volume, bias), rel=1e-11)


@pytest.mark.parametrize(
    ("c", "positives", "volume", "bias", "levels"),
    [
        ([0.5, -1.0, -1.0, 2.0, -3.0, 7.0], 3, 0.0, False, (-3.0, -3.0)),
        ([0.5, -1.0, -1.0, 2.0, -3.0, 7.0], 3, 0.0, True, (-1.0, -3.0)),
        ([1.0, 2.0, 3.0], 1, 30.0, False, (12.0, 12.0)),
        ([0.25], 1, 0.5, False, (0.75, 0.75)),
        ([0.25], 0, 0.5, False, (0.75, 0.75)),
        ([0.1] * 7, 3, 0.7, False, (0.2, 0.2)),
        ([0.1] * 6, 3, 0.6, True, (0.2, 0.2)),
    ],
)
def test_levels_by_hand(c: list[float], positives: int, volume: float, bias: bool, levels: tuple[float, float]) -> None:
    assert _core.water_levels(np.array(c), positives, volume, bias) == pytest.approx(levels, abs=1e-15)


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
    """The basins hold the volume, and with bias the intervals [#(c < g), #(c <= g)] of both classes meet."""
    c = np.array(values)
    positives = data.draw(st.integers(1, len(values) - 1))
    tolerance = 1e-12 * scale(c, volume) * len(values)
    classes = c[:positives], c[positives:]
    for method in (_core.water_levels, _core.water_levels_sorted):
        levels = method(c, positives, volume, bias)
        held = sum(filled_volume(own, level) for own, level in zip(classes, levels, strict=True))
        assert held == pytest.approx(volume, rel=1e-9, abs=tolerance)
        if bias:
            few, many = (
                [int(np.sum(own <= level + d)) for own, level in zip(classes, levels, strict=True)]
                for d in (-tolerance, tolerance)
            )
            assert max(few) <= min(many)
            assert min(many) > 0
    shifted = _core.water_levels(c + 1.0, positives, volume, bias)
    assert sum(shifted) == pytest.approx(sum(levels) + 2.0, abs=tolerance)


@pytest.mark.parametrize("method", [_core.water_levels, _core.water_levels_sorted])
@pytest.mark.parametrize(
    ("responses", "positives", "volume", "bias", "text"),
    [
        *(([0.0, 1.0, wrong, 3.0], 2, 1.0, False, "response 2 is not finite") for wrong in (np.nan, np.inf, -np.inf)),
        *(([0.0, 1.0], 1, wrong, False, "volume must be finite and not negative") for wrong in (np.nan, np.inf, -1e-3)),
        ([], 0, 1.0, False, "at least one response"),
        *(([0.0, 1.0], positives, 1.0, True, "both classes") for positives in (0, 2)),
        ([0.0, 1.0], 3, 1.0, False, "more positive examples than responses"),
    ],
)
def test_wrong_arguments_are_refused(
    method: Any, responses: list[float], positives: int, volume: float, bias: bool, text: str
) -> None:
    with pytest.raises(ValueError, match=text):
        method(np.array(responses, dtype=float), positives, volume, bias)
