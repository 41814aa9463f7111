"""Cost of each entrant on a data set until it reaches a target, and performance profiles over all data sets.

A profile is the share of problems solved within a factor of the least cost (Dolan, Moré 2002; Moré, Wild 2009).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from ..curve import Points, column, cost_to_reach, cost_to_stay
from ..papers.optimum import SERIES as OPTIMUM
from ..papers.optimum import Optimum, optimum_of
from ..plotting.bands import Band, band
from ..reproduction.evidence import Panel
from ..reproduction.statistics.target import Effort, effort_of
from .options import COSTS, Targets

if TYPE_CHECKING:
    import pandas as pd

LEAST: Final[Mapping[str, float]] = {"cpu_seconds": 1e-6}
"""Least costs, so that ratios are finite; one unit for other costs."""


@dataclass(frozen=True)
class RunProgress:
    """Values and costs of a run at its evaluations, (rows,) each.

    A value is the relative excess over the optimum, or the test error; NaN: not known. The costs are those that the run
    counts; they are non-decreasing.
    """

    seed: int
    values: NDArray[np.float64]
    costs: Mapping[str, NDArray[np.float64]]

    def points(self, cost: str) -> Points:
        """Return the costs, which are positive, and the values."""
        return np.maximum(self.costs[cost], LEAST.get(cost, 1.0)), self.values

    def reach(self, cost: str, threshold: float, *, stays: bool = True) -> float:
        """Return the cost from which the values stay at or below a threshold; infinite if the last is above.

        With ``stays=False``: the cost at the first evaluation at or below it.
        """
        points = self.points(cost)
        spent = cost_to_stay([points], threshold) if stays else cost_to_reach(*points, threshold)
        return math.inf if spent is None else spent


@dataclass(frozen=True)
class Comparison:
    """All entrants on one data set."""

    panel: Panel
    targets: Targets

    @property
    def entrants(self) -> list[str]:
        """Series of the entrants, in order."""
        return [name for name in self.panel.runs if name != OPTIMUM]

    @cached_property
    def optimum(self) -> Optimum | None:
        """Bounds on the optimum of the objective; None if not known."""
        return optimum_of(self.panel)

    @cached_property
    def runs(self) -> dict[str, tuple[RunProgress, ...]]:
        """Runs of each entrant, by rising seed, without runs that have no evaluation."""
        return {
            name: tuple(
                RunProgress(seed, self._values(frame), _costs(frame))
                for seed, frame in zip(self.panel.seeds(name), self.panel.curves(name), strict=True)
                if len(frame)
            )
            for name in self.entrants
        }

    @cached_property
    def least_error(self) -> float | None:
        """Least value of any entrant's curve; None without runs."""
        lows = [float(curve.middle.min()) for name in self.entrants if (curve := self.band(name, "iterations"))]
        return min(lows, default=None)

    @property
    def judged(self) -> tuple[float, ...]:
        """Levels that can be judged: a gap must be at least twice the uncertainty of the optimum."""
        if self.targets.kind != "gap":
            return self.targets.levels
        uncertainty = math.inf if self.optimum is None else self.optimum.uncertainty
        return tuple(level for level in self.targets.levels if level >= 2 * uncertainty)

    def threshold(self, level: float) -> float:
        """Return the largest value that reaches a level."""
        return level if self.targets.kind != "best" else (1 + level) * (self.least_error or 0.0)

    def band(self, name: str, cost: str) -> Band | None:
        """Return mean, least and largest value over an entrant's runs; None without runs that count the cost.

        The median instead of the mean where `Targets.stays` is False.
        """
        runs = [(run.costs[cost], run.values) for run in self.runs[name] if cost in run.costs]
        return band(runs, mean=self.targets.stays)

    def counted(self, name: str, cost: str) -> bool:
        """Whether an entrant's runs count a cost; True while it has none."""
        return all(cost in run.costs for run in self.runs.get(name, ()))

    def reach(self, run: RunProgress, cost: str, level: float) -> float:
        """Return the cost of one run to a level, infinite if it does not get there."""
        return run.reach(cost, self.threshold(level), stays=self.targets.stays)

    def effort(self, name: str, cost: str, level: float, *, of_mean: bool = False) -> Effort | None:
        """Return the costs of an entrant's runs to a level; None without runs that count the cost.

        With ``of_mean``: the cost from which the mean over the runs stays at or below the level, as that of one run.
        """
        runs = self.runs.get(name, ())
        if not runs or not self.counted(name, cost):
            return None
        longest = max(float(run.costs[cost][-1]) for run in runs)
        if of_mean:
            measured = all(np.isfinite(run.values).any() for run in runs)
            points = [run.points(cost) for run in runs]
            return effort_of([cost_to_stay(points, self.threshold(level)) if measured else None], longest)
        spent = [self.reach(run, cost, level) for run in runs]
        return effort_of([None if math.isinf(to_level) else to_level for to_level in spent], longest)

    def _values(self, frame: pd.DataFrame) -> NDArray[np.float64]:
        value = column(frame, self.targets.measure)
        if self.targets.kind != "gap":
            return value
        return np.full(len(value), np.nan) if self.optimum is None else self.optimum.excess(value)


def _costs(frame: pd.DataFrame) -> dict[str, NDArray[np.float64]]:
    return {cost: column(frame, cost) for cost in COSTS if not frame[cost].isna().any()}


@dataclass(frozen=True)
class Profile:
    """Share of problems that a solver solves within a factor of the least cost: a step function of the factor.

    `factor` is (m,) float64 and rises from 1, `share` has the share from each factor on.
    """

    factor: NDArray[np.float64]
    share: NDArray[np.float64]

    @property
    def solved(self) -> float:
        """Share of problems solved at any cost."""
        return float(self.share[-1])


def profiles(costs: Mapping[str, NDArray[np.float64]]) -> dict[str, Profile]:
    """Return each solver's profile from its costs, (p,) > 0, for p problems; inf: it did not solve the problem.

    Empty without problems. A problem that no solver solves counts as unsolved for all.
    """
    if not costs or not len(next(iter(costs.values()))):
        return {}
    best = np.min(list(costs.values()), axis=0)
    return {name: _profile(spent, best) for name, spent in costs.items()}


def _profile(spent: NDArray[np.float64], best: NDArray[np.float64]) -> Profile:
    solved = np.isfinite(spent)
    factors, counts = np.unique(spent[solved] / best[solved], return_counts=True)
    shares = np.cumsum(counts) / len(spent)
    if not len(factors) or factors[0] > 1.0:
        factors, shares = np.append(1.0, factors), np.append(0.0, shares)
    return Profile(factors, shares)


def costs_of(comparisons: Sequence[Comparison], cost: str, seeds: int) -> dict[str, NDArray[np.float64]]:
    """Return the costs of entrants for each problem (data set x level x seed), (p,); infinite: not solved.

    An entrant without a run has not solved the problem; one that does not count the cost is left out.
    """
    costs: dict[str, NDArray[np.float64]] = {}
    for name in dict.fromkeys(name for data in comparisons for name in data.entrants):
        if all(data.counted(name, cost) for data in comparisons) and any(data.runs.get(name) for data in comparisons):
            spent = [spent for data in comparisons for spent in _spent(data, name, cost, seeds)]
            costs[name] = np.array(spent, dtype=np.float64)
    return costs


def _spent(comparison: Comparison, name: str, cost: str, seeds: int) -> list[float]:
    runs = {run.seed: run for run in comparison.runs.get(name, ())}
    return [
        comparison.reach(runs[seed], cost, level) if seed in runs else np.inf
        for level in comparison.judged
        for seed in range(seeds)
    ]
