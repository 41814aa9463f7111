"""The water level by its own optimality conditions; `cpp/tests/test_water_level.cpp` compares it with sorting."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from svm_cost_curves.solvers import _core


def scale(c: NDArray[np.float64], volume: float) -> float:
    return float(np.abs(c).max() + volume + 1.0)


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
def test_properties(values: list[float], data: st.DataObject, volume: float, bias: bool) -> None:
    """The basins hold the volume, and with bias the intervals [#(c < g), #(c <= g)] of both classes meet."""
    c = np.array(values)
    positives = data.draw(st.integers(1, len(values) - 1))
    tolerance = 1e-12 * scale(c, volume) * len(values)
    classes = c[:positives], c[positives:]
    for method in (_core.water_levels, _core.water_levels_sorted):
        levels = method(c, positives, volume, bias)
        held = sum(
            float(np.maximum(0.0, level - responses).sum()) for responses, level in zip(classes, levels, strict=True)
        )
        assert held == pytest.approx(volume, rel=1e-9, abs=tolerance)
        if bias:
            few, many = (
                [int(np.sum(responses <= level + d)) for responses, level in zip(classes, levels, strict=True)]
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
