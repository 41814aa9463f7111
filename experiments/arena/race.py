"""What each entrant has to spend on a data set until it is far enough."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from experiments.arena.targets import Targets
from experiments.curve import column, cost_to_reach
from experiments.papers.bands import Band, band
from experiments.papers.effort import Effort, effort_of
from experiments.papers.optimum import SERIES as OPTIMUM
from experiments.papers.optimum import Optimum, optimum_of
from experiments.reproduction.evidence import Panel
from experiments.store import FinishedRun

LEAST: Final[Mapping[str, float]] = {"cpu_seconds": 1e-6}
"""What is cheaper costs this much, one unit where nothing is said: costs are divided by each other."""
ROUNDING: Final = 1e-9


@dataclass(frozen=True)
class Race:
    """One data set.

    Attributes
    ----------
    panel : Panel
    targets : Targets
    """

    panel: Panel
    targets: Targets

    @property
    def entrants(self) -> list[str]:
        """Series that take part, in their order."""
        return [name for name in self.panel.settings if name != OPTIMUM]

    @cached_property
    def optimum(self) -> Optimum | None:
        """Bounds on the optimum of the objective; None where none are known."""
        return optimum_of(self.panel)

    @cached_property
    def least_error(self) -> float | None:
        """Least median test error of any entrant at any cost; None without runs."""
        lows = [float(curve.median.min()) for name in self.entrants if (curve := self._errors(name))]
        return min(lows, default=None)

    @property
    def decided(self) -> tuple[float, ...]:
        """Levels that can be told apart: a gap must not be finer than the optimum is known."""
        if self.targets.kind != "gap":
            return self.targets.levels
        known = math.inf if self.optimum is None else self.optimum.uncertainty
        return tuple(level for level in self.targets.levels if level >= 2 * known)

    def threshold(self, level: float) -> float:
        """Return the value, as `values` gives it, at or below which a level is reached."""
        return level if self.targets.kind != "best" else (1 + level) * (self.least_error or 0.0)

    def values(self, frame: pd.DataFrame) -> NDArray[np.float64]:
        """Return how far a run is at each checkpoint, (rows,): the excess or the test error; NaN: not known."""
        value = column(frame, self.targets.measure)
        if self.targets.kind != "gap":
            return value
        return np.full(len(value), np.nan) if self.optimum is None else self.optimum.excess(value)

    def band(self, name: str, cost: str) -> Band | None:
        """Return the median over an entrant's runs, with the least and the largest; None where there is nothing."""
        frames = [frame for frame in self.panel.curves(name) if counts(frame, cost)]
        return band([(column(frame, cost), self.values(frame)) for frame in frames])

    def counted(self, name: str, cost: str) -> bool:
        """Whether an entrant's runs count a cost; True while it has none."""
        return all(counts(frame, cost) for frame in self.panel.curves(name))

    def reach(self, run: FinishedRun, cost: str, level: float) -> float:
        """Return what a run spent up to its first checkpoint at a level; infinite if it has none."""
        values = self.values(run.curve)
        found = cost_to_reach(column(run.curve, cost), values, self.threshold(level) * (1 + ROUNDING))
        return math.inf if found is None else max(found, LEAST.get(cost, 1.0))

    def effort(self, name: str, cost: str, level: float) -> Effort | None:
        """Put an entrant's runs together; None where it has none, or they do not count the cost."""
        runs = [run for run in self.panel.runs.get(name, ()) if len(run.curve)]
        if not runs or not self.counted(name, cost):
            return None
        found = [self.reach(run, cost, level) for run in runs]
        longest = max(float(column(run.curve, cost)[-1]) for run in runs)
        return effort_of([None if math.isinf(each) else each for each in found], longest)

    def _errors(self, name: str) -> Band | None:
        frames = self.panel.curves(name)
        return band([(column(frame, "iterations"), column(frame, "test_error")) for frame in frames])


def counts(frame: pd.DataFrame, cost: str) -> bool:
    """Whether a run counts a cost."""
    return bool(len(frame)) and not frame[cost].isna().any()
