"""Mean and median curves over runs, and the spread of the runs around them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..curve import Points, aligned, epoch_cost, known_points, mean_over_runs

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Band:
    """The values of several runs against a cost."""

    cost: NDArray[np.float64]
    """(m,), m >= 1: positive, increasing."""
    middle: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    """(m,) each: mean or median, and the limits of the spread."""
    runs: int = 1
    first_epoch: float | None = None
    """Mean cost of the runs' first epoch; None if it is not known, or if the runs end before."""

    def at_least(self, value: float) -> Band:
        """Return the band with values below `value` raised to it, so that a logarithmic axis shows them."""
        return self._with(lambda values: np.maximum(values, value))

    def times(self, factor: float) -> Band:
        """Return the band with its values in another unit."""
        return self._with(lambda values: factor * values)

    def costing(self, factor: float) -> Band:
        """Return the band with its costs in another unit."""
        end = None if self.first_epoch is None else factor * self.first_epoch
        return replace(self, cost=factor * self.cost, first_epoch=end)

    def _with(self, change: Callable[[NDArray[np.float64]], NDArray[np.float64]]) -> Band:
        return replace(self, middle=change(self.middle), low=change(self.low), high=change(self.high))


def band(runs: Sequence[Points], tail: float = 0.0, *, mean: bool = False) -> Band | None:
    """Return the median or mean curve of some runs, with a spread, at all costs at which a run was evaluated.

    Parameters
    ----------
    runs : sequence of (cost, value), each (rows,), float64
        Cost non-decreasing. Rows without a value or with cost 0 are left out, and runs without other rows.
    tail : float
        Share of the runs below the spread, and above it: 0 for the least and the largest value, 0.25 for quartiles.
    mean : bool

    Returns
    -------
    Band or None
        Begins at the first cost at which every run has a value. None if no run is left.
    """
    usable = [(cost[kept], value[kept]) for cost, value in runs if (kept := (cost > 0) & np.isfinite(value)).any()]
    if not usable:
        return None
    costs, values = aligned(usable)
    low, high = np.quantile(values, (tail, 1 - tail), axis=0)
    middle = values.mean(axis=0) if mean else np.median(values, axis=0)
    return Band(costs, middle, low, high, len(usable))


@dataclass(frozen=True)
class MeanCurve:
    """Mean of a measure over runs, against a cost."""

    cost: NDArray[np.float64]
    """(m,), m >= 1: positive, increasing."""
    mean: NDArray[np.float64]
    sd: NDArray[np.float64]
    """(m,) each: in the measure's own unit (fractions for errors); `sd` is 0 for a single run."""
    runs: int
    first_epoch: float | None
    """Mean cost of the runs' first epoch; None if they end before."""

    @property
    def band(self) -> Band:
        """The mean with a spread of one standard deviation on either side."""
        return Band(self.cost, self.mean, self.mean - self.sd, self.mean + self.sd, self.runs, self.first_epoch)


def mean_curve(frames: Sequence[pd.DataFrame], *, cost: str, measure: str) -> MeanCurve | None:
    """Return the mean of some curves (`experiments.curve`) from the first positive cost on; None without a point."""
    table = mean_over_runs(frames, cost=cost, measure=measure)
    table = table[table["cost"] > 0]
    if not len(table):
        return None
    costs, mean, sd = (table[name].to_numpy() for name in ("cost", "mean", "sd"))
    return MeanCurve(costs, mean, sd, int(table["runs"].iloc[0]), _first_epoch(frames, cost))


def mean_curves(
    curves: Mapping[str, Sequence[pd.DataFrame]], *, cost: str, measure: str = "test_error"
) -> dict[str, MeanCurve]:
    """Return the mean curve of each label that has one, in the order of the labels."""
    means = {label: mean_curve(frames, cost=cost, measure=measure) for label, frames in curves.items()}
    return {label: mean for label, mean in means.items() if mean is not None}


def median_band(frames: Sequence[pd.DataFrame], *, cost: str, measure: str) -> Band | None:
    """Return the median of some curves (`experiments.curve`), with a spread from the lower to the upper quartile."""
    drawn = band([known_points(frame, cost, measure) for frame in frames], tail=0.25)
    return None if drawn is None else replace(drawn, first_epoch=_first_epoch(frames, cost))


def band_table(rows: Iterable[tuple[Mapping[str, Any], Band]], cost: str, columns: Sequence[str]) -> pd.DataFrame:
    """Return the points of some bands as one table, also an empty one with these columns, in their order.

    A band's mapping has the values of the columns that name it, its costs are in the column `cost`, and its values in
    ``median``, ``low`` and ``high``.
    """
    import pandas as pd

    tables = [
        pd.DataFrame(
            {**names, cost: drawn.cost, "median": drawn.middle, "low": drawn.low, "high": drawn.high}
            | {"runs": drawn.runs}
        )
        for names, drawn in rows
    ]
    return pd.concat(tables, ignore_index=True)[list(columns)] if tables else pd.DataFrame(columns=list(columns))


def _first_epoch(frames: Sequence[pd.DataFrame], cost: str) -> float | None:
    costs = [end for frame in frames if (end := epoch_cost(frame, cost)) is not None]
    return float(np.mean(costs)) if costs else None
