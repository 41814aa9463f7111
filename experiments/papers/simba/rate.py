"""How fast SIMBA comes to the optimum of its saddle problem: Theorem 4.3 in numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from experiments.curve import column
from experiments.reproduction.statistics import Interval, bootstrap_groups, loglog_slope

CONSTANT: Final = 100.0
"""T = `CONSTANT`^2 eps^-2 log n (Algorithm 1, line 2)."""
RESAMPLES: Final = 1000


def theorem_iterations(epsilon: ArrayLike, n: int) -> NDArray[np.float64]:
    """Return the T that Theorem 4.3 asks for.

    Parameters
    ----------
    epsilon : array_like
        How far below the optimum the value may be.
    n : int
        Number of examples.
    """
    return CONSTANT**2 * math.log(n) / np.square(np.asarray(epsilon, dtype=np.float64))


@dataclass(frozen=True)
class Saddle:
    """The problem that runs solve, as far as their distance from its optimum goes.

    Attributes
    ----------
    optimum : float
        Of the data divided by `unit`.
    trivial : float
        How far w = 0 is from it.
    unit : float
        What the curves' values are to be divided by.
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
    """Distances from the optimum after several numbers of iterations.

    Attributes
    ----------
    iterations : (k,) float64
        T, rising; those after which half of the runs are nearer to the optimum than w = 0 is.
    gaps : tuple of (runs,) float64
        For each T those of its runs: optimum less value of the mean iterate.
    n : int
        Number of examples.
    together : bool
        Whether the k-th gaps of all T are of one run, which was looked at at each of them.
    """

    iterations: NDArray[np.float64]
    gaps: tuple[NDArray[np.float64], ...]
    n: int
    together: bool

    @cached_property
    def medians(self) -> NDArray[np.float64]:
        """Distance that half of the runs keep within, for each T."""
        return np.array([float(np.median(gaps)) for gaps in self.gaps])

    @property
    def theorem_over_measured(self) -> NDArray[np.float64]:
        """For each T how many times as many iterations Theorem 4.3 asks for, for the distance reached after T."""
        return theorem_iterations(self.medians, self.n) / self.iterations

    @cached_property
    def exponent(self) -> Interval | None:
        """Return a of T ~ epsilon^-a, with its bootstrap interval over runs; None without two T, or with a gap of 0.

        Fitted is epsilon ~ T^(-1/a): T is what was chosen, epsilon what was measured.
        """
        if len(self.iterations) < 2 or (self.medians <= 0).any():
            return None

        @cache  # the same runs of one T come with any of the others
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
    """Rate of runs that each were made for one T.

    Parameters
    ----------
    curves : mapping of float to sequence of DataFrame
        By T; runs that ended before their T are left out.
    saddle : Saddle

    Returns
    -------
    Rate or None
        None where no run has come to its T and nearer to the optimum than w = 0.
    """
    gaps = {
        horizon: saddle.gaps([level for frame in frames if math.isfinite(level := _level(frame, horizon))])
        for horizon, frames in sorted(curves.items())
    }
    return _rate(gaps, saddle, together=False)


def rate_along(frames: Sequence[pd.DataFrame], saddle: Saddle) -> Rate | None:
    """Rate of runs that were looked at on their way, at their common checkpoints; else as `rate_of_ends`."""
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
    """Water level after so many iterations; NaN where that is no checkpoint of the run, or the level is not known."""
    levels = column(frame, "water_level")[column(frame, "iterations") == iterations]
    return float(levels[-1]) if len(levels) else math.nan
