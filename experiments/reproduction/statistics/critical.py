"""The critical point of a curve that stays high for long and then drops quickly."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike


@dataclass(frozen=True)
class CriticalPoint:
    """Place and speed of a curve's drop to its last error; all costs are those of its evaluations."""

    start: float
    final: float
    """First and last error."""
    settled: float
    """Smallest cost from which on the error stays at or below ``final * (1 + slack)``."""
    half: float | None
    """Largest cost at which the error is above the middle of `start` and `final`: the last evaluation before the drop.
    None without a drop: the middle is within the slack, ``start <= final * (1 + 2 slack)``."""
    plateau: float | None
    """Median of the error over the logarithm of the cost, from the first cost to the evaluation after `half`."""
    before: float | None
    """Decades from the first cost to `half`."""
    steepness: float | None
    """Decades from `half` to `settled`, the length of the drop; at least the distance of two evaluations."""

    def as_dict(self) -> dict[str, Any]:
        """JSON-able form."""
        return asdict(self)


def critical_point(cost: ArrayLike, error: ArrayLike, *, slack: float = 0.1) -> CriticalPoint | None:
    """Find the drop of one curve.

    None where no row is left.

    Parameters
    ----------
    cost, error : array_like, (rows,)
        A curve, cost non-decreasing, errors not negative. Rows where either is missing or the cost is 0 are left out;
        of equal costs the last counts.
    slack : float
        Relative, not negative: errors up to this much above the last one count as equal.
    """
    costs, errors = np.asarray(cost, dtype=np.float64), np.asarray(error, dtype=np.float64)
    usable = (costs > 0) & np.isfinite(errors)
    costs, errors = costs[usable], errors[usable]
    if not len(costs):
        return None
    last = np.append(np.diff(costs) > 0, True)
    costs, errors = costs[last], errors[last]
    start, final = float(errors[0]), float(errors[-1])
    above = np.flatnonzero(errors > final * (1 + slack))
    settled = float(costs[above[-1] + 1 if len(above) else 0])
    if start <= final * (1 + 2 * slack):
        return CriticalPoint(start, final, settled, None, None, None, None)
    index = int(np.flatnonzero(errors > (start + final) / 2)[-1])
    half = float(costs[index])
    plateau = _weighted_median(errors[: index + 1], np.diff(np.log(costs[: index + 2])))
    return CriticalPoint(
        start, final, settled, half, plateau, math.log10(half / float(costs[0])), math.log10(settled / half)
    )


def _weighted_median(values: np.ndarray, weights: np.ndarray) -> float:
    order = np.argsort(values, kind="stable")
    share = np.cumsum(weights[order]) / weights.sum()
    # of two values with half of the weight each the lower one, whatever the rounding of the weights
    return float(values[order[int(np.searchsorted(share, 0.5 - 1e-12))]])
