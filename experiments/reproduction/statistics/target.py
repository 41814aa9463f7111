"""Cost to a target: the cost at which each run first meets it, and the width of the evaluation grid."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ...curve import column, first_at_or_below


@dataclass(frozen=True)
class Effort:
    """Costs of one method's runs to a target.

    A run is evaluated now and then, so its cost to a target is known up to the width of the evaluation grid: the run
    met the target at one of the iterations after the last evaluation that missed it. `costs` are those of the first
    evaluation that meets it, `least` those of the first of these iterations. Both are given for each run, and the
    median of the costs lies between the medians of the two, as a median rises with each of its values. This is the one
    definition of the width; `Ratio` widens its interval by it.
    """

    costs: tuple[float, ...]
    """By seed, positive, in the cost's unit. A run that misses the target has the cost of the longest run, a lower
    bound."""
    reached: tuple[bool, ...]
    """Which runs reached the target."""
    least: tuple[float, ...] = ()
    """Least possible costs, at most `costs`; equal to them where the cost is exact. Empty: all are exact."""

    @cached_property
    def median(self) -> float:
        """Median of the costs; a lower bound unless it is `mostly_reached`."""
        return statistics.median(self.costs)

    @cached_property
    def step(self) -> float:
        """Width of the evaluation grid as a factor: the median lies between ``median / step`` and ``median``."""
        least = statistics.median(self.least) if self.least else 0.0
        return self.median / least if least > 0 else 1.0

    @property
    def or_infinite(self) -> tuple[float, ...]:
        """Costs, infinite where the target is missed."""
        return tuple(cost if met else math.inf for cost, met in zip(self.costs, self.reached, strict=True))

    @property
    def mostly_reached(self) -> bool:
        """Whether more than half of the runs reached the target."""
        return 2 * sum(self.reached) > len(self.reached)

    def times(self, factor: float) -> Effort:
        """Return the costs in another unit."""
        costs, least = (tuple(factor * cost for cost in costs) for costs in (self.costs, self.least))
        return Effort(costs, self.reached, least)

    def columns(self, name: str) -> dict[str, float]:
        """Columns of a figure's data: the median under a name, least and largest cost, numbers of runs."""
        spread = {"least": min(self.costs), "largest": max(self.costs)}
        return {name: self.median, **spread, "runs": len(self.costs), "reached": sum(self.reached)}

    def text(self, written: Callable[[float], str]) -> str:
        """Write the median, with ``>`` if it is a lower bound."""
        return ("" if self.mostly_reached else ">") + written(self.median)


def effort_of(costs: Sequence[float | None], longest: float, least: Sequence[float] = ()) -> Effort:
    """Collect the cost of each run to the target (None: missed).

    Parameters
    ----------
    costs : sequence of float or None
    longest : float
        Cost of the longest run to its end.
    least : sequence of float
        As in `Effort`; those of runs that miss the target do not count. Empty: the costs are exact.
    """
    filled = tuple(longest if cost is None else cost for cost in costs)
    lows = tuple(longest if cost is None else low for cost, low in zip(costs, least, strict=True)) if least else ()
    return Effort(filled, tuple(cost is not None for cost in costs), lows)


@dataclass(frozen=True)
class Crossing:
    """The evaluation at which a run first meets a target."""

    index: int
    """Row of the curve."""
    cost: float
    least: float
    """Cost one iteration after the last evaluation that missed the target, at most `cost`."""


def crossing(
    costs: NDArray[np.float64],
    values: NDArray[np.float64],
    iterations: NDArray[np.float64],
    target: float,
    *,
    settled: bool = False,
) -> Crossing | None:
    """Find where a run meets a target.

    Between two evaluations the iterations are taken to cost the same. Where the quantity that counts as cost falls, as
    numbers of support vectors may, `least` is the cost itself. None if the run misses the target.

    Parameters
    ----------
    costs, values, iterations : (rows,) float64
        A curve, costs and iterations non-decreasing. Rows without a value are left out.
    target : float
        In the unit of the values.
    settled : bool
        Whether all later values must be at or below the target too.
    """
    usable = np.flatnonzero(np.isfinite(values) & np.isfinite(costs))
    k = int(first_at_or_below(values[usable], target, settled=settled))
    if k == len(usable):
        return None
    index = int(usable[k])
    return Crossing(index, float(costs[index]), _least_cost(costs[usable], iterations[usable], k))


def _least_cost(costs: NDArray[np.float64], iterations: NDArray[np.float64], index: int) -> float:
    """Return the cost one iteration after the evaluation before `index`, at most the cost there."""
    start, before = (float(costs[index - 1]), float(iterations[index - 1])) if index else (0.0, 0.0)
    cost, passed = float(costs[index]), float(iterations[index]) - before
    return min(cost, start + (cost - start) / passed) if passed > 1 else cost


def cost_to_target(
    frames: Sequence[pd.DataFrame],
    cost: str,
    value: str | Callable[[pd.DataFrame], ArrayLike],
    target: float,
    *,
    settled: bool = False,
) -> Effort | None:
    """Return the cost of a method's runs to a target.

    None without runs.

    Parameters
    ----------
    frames : sequence of DataFrame
        Curves, one per run; those without a row are left out.
    cost : str
        Column of the curve.
    value : str or callable
        Column of the curve, or a function of the curve that returns one value for each row.
    target, settled
        As in `crossing`.
    """
    frames = [frame for frame in frames if len(frame)]
    if not frames:
        return None
    costs = [column(frame, cost) for frame in frames]
    met = [
        crossing(
            spent,
            column(frame, value) if isinstance(value, str) else np.asarray(value(frame), dtype=np.float64),
            column(frame, "iterations"),
            target,
            settled=settled,
        )
        for spent, frame in zip(costs, frames, strict=True)
    ]
    longest = max(float(np.max(spent, initial=0.0, where=~np.isnan(spent))) for spent in costs)
    least = [longest if hit is None else hit.least for hit in met]
    return effort_of([None if hit is None else hit.cost for hit in met], longest, least)


def grid_step(runs: Sequence[tuple[NDArray[np.float64], NDArray[np.float64]]], cost: float) -> float:
    """Return the width of the evaluation grid of a mean curve at a cost, as a factor.

    A mean over runs changes where one of them is evaluated. The width is the median over the runs of the factor between
    the cost of a run's last evaluation up to there and the least cost that it stands for (`Crossing`).

    Parameters
    ----------
    runs : sequence of (costs, iterations), (evaluations,) float64 each
        Non-decreasing.
    cost : float
        Runs without an evaluation of positive cost up to it are left out.
    """
    factors = []
    for costs, iterations in runs:
        index = int(np.searchsorted(costs, cost, side="right")) - 1
        if index >= 0 and costs[index] > 0:
            factors.append(float(costs[index]) / _least_cost(costs, iterations, index))
    return statistics.median(factors) if factors else 1.0
