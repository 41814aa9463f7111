"""Vertical ranges that show differences of curves, and positions of texts without overlap."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from svm_cost_curves.experiments.curve import Points, value_at


def spread(positions: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Move positions as little as needed so that neighbours are `gap` apart and all lie between two limits.

    The order is kept. Without enough room the gap is smaller.

    Parameters
    ----------
    positions : sequence of float
    gap, low, high : float
        In the unit of the positions; low <= high.

    Returns
    -------
    list of float
        In the order of `positions`.
    """
    if not positions:
        return []
    order = np.argsort(positions, kind="stable")
    gap = min(gap, (high - low) / max(len(positions) - 1, 1))
    steps = gap * np.arange(len(positions))
    # y_k - k gap must not decrease: least squares under an order constraint, by pooling what violates it
    blocks: list[tuple[float, int]] = []
    for shifted in np.asarray(positions, dtype=np.float64)[order] - steps:
        mean, size = float(shifted), 1
        while blocks and blocks[-1][0] > mean:
            other, count = blocks.pop()
            mean, size = (mean * size + other * count) / (size + count), size + count
        blocks.append((mean, size))
    fitted = np.repeat([mean for mean, _ in blocks], [size for _, size in blocks])
    moved = np.clip(fitted, low, high - steps[-1]) + steps
    result = np.empty(len(positions))
    result[order] = moved
    return [float(value) for value in result]


def from_common_start(series: Sequence[Points]) -> list[Points]:
    """Cut curves to the costs from which all have begun, but at most to the second half of the logarithmic range.

    Parameters
    ----------
    series : sequence of (cost, value), each (m,), float64
        Curves with positive, increasing costs; at least one point in each.

    Returns
    -------
    list of (cost, value)
        Each begins with its value at the start; of a curve that ended before, only the last value is left.
    """
    first, last = min(cost[0] for cost, _ in series), max(cost[-1] for cost, _ in series)
    start = min(max(cost[0] for cost, _ in series), math.sqrt(first * last))
    result: list[Points] = []
    for cost, value in series:
        after = cost > start
        known = value_at(cost, value, start)
        if np.isnan(known):
            result.append((cost, value))
        else:
            result.append((np.append(start, cost[after]), np.append(known, value[after])))
    return result


def interesting_range(series: Sequence[Points]) -> tuple[float, float]:
    """Return the vertical range that shows the differences of the curves, without their worst beginnings.

    Parameters
    ----------
    series : sequence of (cost, value), each (m,), float64
        Curves with positive, increasing costs; at least one point in all.

    Returns
    -------
    low, high : float
        With a margin. Everything is inside if that takes little room. Otherwise `high` follows the last values and the
        0.9 quantile of a typical curve (over the logarithm of the cost), so that one bad curve does not flatten the
        others.
    """
    ends = np.array([value[-1] for _, value in series])
    sampled = [value_at(cost, value, np.geomspace(cost[0], cost[-1] * (1 + 1e-12), 100)) for cost, value in series]
    low, top = float(np.min(sampled)), float(np.max(sampled))
    usual = float(np.sort(np.quantile(sampled, 0.9, axis=1))[(len(sampled) - 1) // 2])
    # a curve that even ends very high is cut as well
    high = max(usual, float(ends[ends - low <= 3 * (usual - low)].max(initial=usual)))
    high += 0.2 * (high - low)
    if top - low <= 1.5 * (high - low):
        high = top
    margin = 0.06 * (high - low) or 0.05 * abs(high) or 0.01
    return low - margin, high + margin
