"""Eigenvalues of the kernel matrix of sampled points: how many features an approximation of the kernel needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from experiments.papers.problem import problem_of
from experiments.settings import RunSettings
from solvers.nystrom import Nystrom

SAMPLE: Final = 1024
"""Points at most."""
SHARE: Final = 0.99
"""Of the trace, whose eigenvalues are counted."""


@dataclass(frozen=True)
class Spectrum:
    """Of K_SS for a uniform sample S.

    Attributes
    ----------
    points : int
        In S.
    eigenvalues : (r,) float64
        Falling, over the trace; those that are rounding errors of float32 are left out, r <= points.
    """

    points: int
    eigenvalues: NDArray[np.float64]

    @property
    def rank(self) -> int:
        """How many there are."""
        return len(self.eigenvalues)

    @property
    def needed(self) -> int:
        """Number of largest eigenvalues that hold `SHARE` of the trace."""
        return int(np.searchsorted(np.cumsum(self.eigenvalues), SHARE)) + 1


def spectrum_of(run: RunSettings) -> Spectrum:
    """Return the spectrum for a run's data and kernel; the points are those of its seed.

    Raises
    ------
    DataError
        The data cannot be had.
    """
    problem = problem_of(run)
    points = min(SAMPLE, problem.n)
    sampled = Nystrom.sample(problem, points, run.solver_settings.eps_d, run.seed)
    return Spectrum(points, sampled.eigenvalues / points)  # K(x, x) = 1, so that the trace is their number
