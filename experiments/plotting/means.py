"""Mean and median curves over runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from svm_cost_curves.experiments.curve import epoch_cost, known_points, mean_over_runs
from svm_cost_curves.experiments.plotting.bands import Band, band

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

    @property
    def band(self) -> Band:
        """The mean with a spread of one standard deviation on either side."""
        return Band(self.cost, self.mean, self.mean - self.sd, self.mean + self.sd, self.runs, self.first_epoch)


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


def median_band(frames: Sequence[pd.DataFrame], *, cost: str, measure: str) -> Band | None:
    """Return the median of some curves, with a spread from the lower to the upper quartile.

    Parameters and grid are those of `mean_curve`.
    """
    drawn = band([known_points(frame, cost, measure) for frame in frames], tail=0.25)
    return None if drawn is None else replace(drawn, first_epoch=_first_epoch(frames, cost))


def _first_epoch(frames: Sequence[pd.DataFrame], cost: str) -> float | None:
    ends = [epoch_cost(frame, cost) for frame in frames]
    known = [end for end in ends if end is not None]
    return float(np.mean(known)) if known else None
