"""Rate of convergence: distances from the saddle problem's optimum after several numbers of iterations."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from svm_cost_curves.experiments.curve import column
from svm_cost_curves.experiments.reproduction.statistics import Interval, bootstrap_groups, loglog_slope

CONSTANT: Final = 100.0
"""T = `CONSTANT`^2 eps^-2 log n (Algorithm 1, line 2)."""
RESAMPLES: Final = 1000


def theorem_iterations(epsilon: ArrayLike, n: int) -> NDArray[np.float64]:
    """Return Theorem 4.3's T for n examples and values at most epsilon below the optimum."""
    return CONSTANT**2 * math.log(n) / np.square(np.asarray(epsilon, dtype=np.float64))


@dataclass(frozen=True)
class Saddle:
    """Quantities of a saddle problem that give the distance of a run from its optimum.

    Attributes
    ----------
    optimum : float
        Of the data divided by `unit`.
    trivial : float
        Distance of w = 0 from the optimum.
    unit : float
        Divisor of the curves' values.
    n : int
        Number of examples.
    """

    optimum: float
    trivial: float
    unit: float
    n: int

    def gaps(self, levels: Sequence[float]) -> NDArray[np.float64]:
        """Distances of some water levels from the optimum."""
        return self.optimum - np.array(levels, dtype=np.float64) / self.unit


@dataclass(frozen=True)
class Rate:
    """Distances from the optimum for several numbers of iterations T.

    Attributes
    ----------
    iterations : (k,) float64
        Rising T after which more than half of the runs are nearer to the optimum than w = 0.
    gaps : tuple of (runs,) float64
        For each T, optimum minus value of the mean iterate of each run.
    n : int
        Number of examples.
    together : bool
        Whether the k-th gaps of all T belong to the same run.
    """

    iterations: NDArray[np.float64]
    gaps: tuple[NDArray[np.float64], ...]
    n: int
    together: bool

    @cached_property
    def medians(self) -> NDArray[np.float64]:
        """Median distance of the runs, for each T."""
        return np.array([float(np.median(gaps)) for gaps in self.gaps])

    @property
    def theorem_over_measured(self) -> NDArray[np.float64]:
        """For each T, the iterations that Theorem 4.3 asks for at the distance reached, over T."""
        return theorem_iterations(self.medians, self.n) / self.iterations

    @cached_property
    def exponent(self) -> Interval | None:
        """Return a of T ~ epsilon^-a, with its bootstrap interval over runs; None without two T, or with a gap of 0.

        The fit is epsilon ~ T^(-1/a), as T is chosen and epsilon measured.
        """
        if len(self.iterations) < 2 or (self.medians <= 0).any():
            return None

        @cache  # each resample of one T is paired with many of the others
        def median(place: int, runs: tuple[int, ...]) -> float:
            return float(np.median(self.gaps[place][list(runs)]))

        def fitted(*chosen: Sequence[int]) -> float:
            rows = chosen * len(self.gaps) if self.together else chosen
            medians = [median(place, tuple(runs)) for place, runs in enumerate(rows)]
            slope = loglog_slope(self.iterations, np.array(medians))
            return -1.0 / slope if slope < 0 else math.inf

        sizes = [len(gaps) for gaps in (self.gaps[:1] if self.together else self.gaps)]
        return bootstrap_groups(fitted, sizes, resamples=RESAMPLES)


def rate_of_ends(curves: Mapping[float, Sequence[pd.DataFrame]], saddle: Saddle) -> Rate | None:
    """Rate of runs with one T each; runs that ended before their T are left out.

    None if no run reached its T and came nearer to the optimum than w = 0.
    """
    gaps = {
        horizon: saddle.gaps([level for frame in frames if math.isfinite(level := _level(frame, horizon))])
        for horizon, frames in sorted(curves.items())
    }
    return _rate(gaps, saddle, together=False)


def rate_along(frames: Sequence[pd.DataFrame], saddle: Saddle) -> Rate | None:
    """Rate of runs at their common evaluations; otherwise as `rate_of_ends`."""
    shared = set.intersection(*(set(column(frame, "iterations").tolist()) for frame in frames)) if frames else set()
    levels = {iterations: [_level(frame, iterations) for frame in frames] for iterations in sorted(shared - {0.0})}
    gaps = {iterations: saddle.gaps(found) for iterations, found in levels.items() if np.isfinite(found).all()}
    return _rate(gaps, saddle, together=True)


def _rate(gaps: Mapping[float, NDArray[np.float64]], saddle: Saddle, *, together: bool) -> Rate | None:
    nearer = {
        iterations: found for iterations, found in gaps.items() if len(found) and np.median(found) < saddle.trivial
    }
    return Rate(np.array(list(nearer)), tuple(nearer.values()), saddle.n, together) if nearer else None


def _level(frame: pd.DataFrame, iterations: float) -> float:
    """Water level after that many iterations; NaN if the run has no evaluation there or no level."""
    levels = column(frame, "water_level")[column(frame, "iterations") == iterations]
    return float(levels[-1]) if len(levels) else math.nan
