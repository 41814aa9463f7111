"""Bands of curves: median, least and largest value over the runs at each cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from svm_cost_curves.experiments.curve import Points, common_grid, value_at


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
        """Return the band with values below `value` raised to it, so that a logarithmic axis shows them."""
        return replace(self, **{name: np.maximum(getattr(self, name), value) for name in ("median", "low", "high")})

    def times(self, factor: float) -> Band:
        """Return the band in another unit."""
        return replace(self, **{name: factor * getattr(self, name) for name in ("median", "low", "high")})


def band(runs: Sequence[Points]) -> Band | None:
    """Return the band of some runs, on a common grid of costs.

    Parameters
    ----------
    runs : sequence of (cost, value), each (rows,), float64
        Cost non-decreasing. Rows without a value or with cost 0 are left out, and runs without other rows.

    Returns
    -------
    Band or None
        Begins at the first cost at which every run has a value. None if no run is left.
    """
    known = [(cost[kept], value[kept]) for cost, value in runs if (kept := (cost > 0) & np.isfinite(value)).any()]
    if not known:
        return None
    grid = common_grid([cost for cost, _ in known])
    values = np.stack([value_at(*run, grid) for run in known])
    return Band(grid, np.median(values, axis=0), values.min(axis=0), values.max(axis=0), len(known))


def band_table(rows: Iterable[tuple[Mapping[str, Any], Band]], cost: str, columns: Sequence[str]) -> pd.DataFrame:
    """Return the points of some bands as one table.

    Parameters
    ----------
    rows : iterable of (mapping, Band)
        The mapping names the band: its items are columns with one value each.
    cost : str
        Name of the column of costs.
    columns : sequence of str
        All columns, in order: also those of an empty table.
    """
    tables = [
        pd.DataFrame(
            {**names, cost: own.cost, "median": own.median, "low": own.low, "high": own.high, "runs": own.runs}
        )
        for names, own in rows
    ]
    return pd.concat(tables, ignore_index=True)[list(columns)] if tables else pd.DataFrame(columns=list(columns))
