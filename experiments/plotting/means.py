"""Mean and median curves over runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from svm_cost_curves.experiments.curve import common_grid, epoch_cost, known_points, mean_over_runs, values_on

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class MeanCurve:
    """Mean of a measure over runs, against a cost.

    Attributes
    ----------
    cost : (m,) float64
        Positive, increasing; m >= 1.
    mean, sd : (m,) float64
        In the measure's own unit (fractions for errors); `sd` is 0 for a single run.
    runs : int
        Number of runs.
    first_epoch : float or None
        Mean cost of the runs' first epoch; None if they end before.
    """

    cost: NDArray[np.float64]
    mean: NDArray[np.float64]
    sd: NDArray[np.float64]
    runs: int
    first_epoch: float | None

    def times(self, factor: float) -> MeanCurve:
        """Return the same curve in another unit of the measure."""
        return replace(self, mean=factor * self.mean, sd=factor * self.sd)


@dataclass(frozen=True)
class Line:
    """Line of a panel, with its band.

    Attributes
    ----------
    cost : (m,) float64
        Positive, increasing; m >= 1.
    value, low, high : (m,) float64
        The mean or the median over runs, and the band's limits.
    first_epoch : float or None
        As in `MeanCurve`.
    """

    cost: NDArray[np.float64]
    value: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    first_epoch: float | None = None

    def times(self, cost: float, measure: float) -> Line:
        """Return the same line with the cost and the measure in other units."""
        end = None if self.first_epoch is None else cost * self.first_epoch
        return Line(cost * self.cost, measure * self.value, measure * self.low, measure * self.high, end)


def line_of(curve: MeanCurve | Line) -> Line:
    """Return a mean as a line with a band of one standard deviation; a line stays as it is."""
    if isinstance(curve, Line):
        return curve
    return Line(curve.cost, curve.mean, curve.mean - curve.sd, curve.mean + curve.sd, curve.first_epoch)


def mean_curve(frames: Sequence[pd.DataFrame], *, cost: str, measure: str) -> MeanCurve | None:
    """Return the mean of some curves, from the first positive cost on; None if no point is left.

    Parameters
    ----------
    frames : sequence of DataFrame
        Curves (`experiments.curve`).
    cost, measure : str
        Columns.
    """
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


def median_line(frames: Sequence[pd.DataFrame], *, cost: str, measure: str) -> Line | None:
    """Return the median of some curves, with a band from the lower to the upper quartile.

    Parameters and grid are those of `mean_curve`.
    """
    runs = [run for frame in frames if len((run := known_points(frame, cost, measure))[0])]
    if not runs:
        return None
    grid = common_grid([costs for costs, _ in runs])
    low, median, high = np.quantile(values_on(runs, grid), (0.25, 0.5, 0.75), axis=0)
    return Line(grid, median, low, high, _first_epoch(frames, cost))


def _first_epoch(frames: Sequence[pd.DataFrame], cost: str) -> float | None:
    ends = [epoch_cost(frame, cost) for frame in frames]
    known = [end for end in ends if end is not None]
    return float(np.mean(known)) if known else None
