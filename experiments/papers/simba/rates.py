"""Rate of convergence: distances from the saddle problem's optimum after several numbers of iterations."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from svm_cost_curves.experiments.curve import column
from svm_cost_curves.experiments.reproduction.statistics import Interval, exponent, medians_of

CONSTANT: Final = 100.0
"""T = `CONSTANT`^2 eps^-2 log n (Algorithm 1, line 2)."""


def theorem_iterations(epsilon: ArrayLike, n: int) -> NDArray[np.float64]:
    """Return Theorem 4.3's T for n examples and values at most epsilon below the optimum."""
    return CONSTANT**2 * math.log(n) / np.square(np.asarray(epsilon, dtype=np.float64))


@dataclass(frozen=True)
class Rate:
    """Distances from the optimum for several numbers of iterations T.

    Attributes
    ----------
    iterations : (k,) float64
        Rising T after which more than half of the runs are nearer to the optimum than w = 0.
    gaps : tuple of (runs,) float64
        For each T, optimum minus value of the mean iterate of each run.
    together : bool
        Whether the k-th gaps of all T belong to the same run.
    """

    iterations: NDArray[np.float64]
    gaps: tuple[NDArray[np.float64], ...]
    together: bool

    @cached_property
    def medians(self) -> NDArray[np.float64]:
        """Median distance of the runs, for each T."""
        return np.array([float(np.median(gaps)) for gaps in self.gaps])

    @cached_property
    def exponent(self) -> Interval | None:
        """Return a of T ~ epsilon^-a, with its interval over runs; None with fewer than three T, or a gap of 0.

        The fit is epsilon ~ T^(-1/a), as T is chosen and epsilon measured.
        """
        if (self.medians <= 0).any():
            return None
        medians, count = medians_of(self.gaps), len(self.gaps)
        sizes = [len(gaps) for gaps in (self.gaps[:1] if self.together else self.gaps)]
        fitted = exponent(self.iterations, (lambda runs: medians(*[runs] * count)) if self.together else medians, sizes)
        if fitted is None:
            return None
        return Interval(_inverse(fitted.estimate), _inverse(fitted.low), _inverse(fitted.high), fitted.runs)


def _inverse(slope: float) -> float:
    """Return a for the slope -1/a of a falling line; inf for any other line. It rises with the slope."""
    return -1.0 / slope if slope < 0 else math.inf


def rate_of_ends(curves: Mapping[float, Sequence[pd.DataFrame]], optimum: float, nu: float, unit: float) -> Rate | None:
    """Rate of runs with one T each; runs that ended before their T are left out.

    None if no run reached its T and came nearer to the optimum than w = 0, whose value is nu. Optimum and nu are those
    of the data divided by `unit`.
    """
    levels = {T: _levels(frames, T) for T, frames in sorted(curves.items())}
    return _rate(levels, optimum, nu, unit, together=False)


def rate_along(frames: Sequence[pd.DataFrame], optimum: float, nu: float, unit: float) -> Rate | None:
    """Rate of runs at their common evaluations; otherwise as `rate_of_ends`."""
    shared = set.intersection(*(set(column(frame, "iterations").tolist()) for frame in frames)) if frames else set()
    levels = {T: _levels(frames, T) for T in sorted(shared - {0.0})}
    complete = {T: known for T, known in levels.items() if len(known) == len(frames)}
    return _rate(complete, optimum, nu, unit, together=True)


def _levels(frames: Sequence[pd.DataFrame], iterations: float) -> list[float]:
    """Water levels after that many iterations, of the runs that have one there."""
    ends = [column(frame, "water_level")[column(frame, "iterations") == iterations][-1:] for frame in frames]
    return [float(level) for end in ends for level in end if math.isfinite(level)]


def _rate(
    levels: Mapping[float, Sequence[float]], optimum: float, nu: float, unit: float, *, together: bool
) -> Rate | None:
    gaps = {T: optimum - np.array(known) / unit for T, known in levels.items() if known}
    # if all responses are 0, slack is spread evenly: w = 0 has the value nu
    nearer = {T: found for T, found in gaps.items() if np.median(found) < optimum - nu}
    return Rate(np.array(list(nearer)), tuple(nearer.values()), together) if nearer else None
