"""What runs have in common: the median of a value over them, with the least and the largest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from experiments.curve import common_grid, value_at
from experiments.reproduction.statistics.steps import Points


@dataclass(frozen=True)
class Band:
    """A value over several runs, against a cost.

    Attributes
    ----------
    cost : (m,) float64
        Positive, increasing; m >= 1.
    median, low, high : (m,) float64
    runs : int
    """

    cost: NDArray[np.float64]
    median: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    runs: int

    def at_least(self, value: float) -> Band:
        """Return the same with smaller values replaced, which a logarithmic axis would not show."""
        return replace(self, **{name: np.maximum(getattr(self, name), value) for name in ("median", "low", "high")})

    def times(self, factor: float) -> Band:
        """Return the same in another unit."""
        return replace(self, **{name: factor * getattr(self, name) for name in ("median", "low", "high")})


def band(runs: Sequence[Points]) -> Band | None:
    """Put runs on one grid of costs.

    Parameters
    ----------
    runs : sequence of (cost, value), each (rows,), float64
        Cost non-decreasing. Rows without a value or of cost 0 are left out, as are runs without any other.

    Returns
    -------
    Band or None
        From the first cost at which all runs are known. None where no run is left.
    """
    known = [(cost[kept], value[kept]) for cost, value in runs if (kept := (cost > 0) & np.isfinite(value)).any()]
    if not known:
        return None
    grid = common_grid([cost for cost, _ in known])
    values = np.stack([value_at(*run, grid) for run in known])
    return Band(grid, np.median(values, axis=0), values.min(axis=0), values.max(axis=0), len(known))
