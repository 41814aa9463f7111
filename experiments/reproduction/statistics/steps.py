"""Curves as step functions over positive costs, and their mean over runs, exact at every checkpoint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from experiments.curve import column, value_at

Points: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64]]
"""Costs, increasing or equal, and the value at each; (rows,), float64."""


def known_points(frame: pd.DataFrame, cost: str, measure: str) -> Points:
    """Checkpoints at which both columns are known and the cost is above 0: it has a logarithm."""
    costs, values = column(frame, cost), column(frame, measure)
    known = (costs > 0) & np.isfinite(values)
    return costs[known], values[known]


def shared_costs(runs: Sequence[Points]) -> NDArray[np.float64]:
    """All different costs of the runs' checkpoints, increasing, from the first at which every run is known."""
    begin = max(costs[0] for costs, _ in runs)
    every: NDArray[np.float64] = np.unique(np.concatenate([costs for costs, _ in runs]))
    return every[int(np.searchsorted(every, begin)) :]


def values_on(runs: Sequence[Points], grid: NDArray[np.float64]) -> NDArray[np.float64]:
    """Value of each run at each cost of the grid, (runs, grid): the last one known at or before it."""
    values = np.empty((len(runs), len(grid)))
    for row, run in zip(values, runs, strict=True):
        row[:] = value_at(*run, grid)
    return values
