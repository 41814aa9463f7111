"""The optimum of a problem, as far as a run has certified it: its last lower bound and its last objective value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from experiments.curve import column
from experiments.reproduction.evidence import Panel

SERIES: Final = "optimum"
"""Series that finds it; where a figure sweeps C, a series with the same values of C."""
KNOWN: Final = 1e-3
"""Relative: an optimum that is known less well than this decides nothing about accuracies of 1e-2."""


@dataclass(frozen=True)
class Optimum:
    """J_opt lies between two numbers.

    Attributes
    ----------
    lower, upper : float
        Of lambda/2 ||w||^2 + mean hinge loss; 0 < lower.
    """

    lower: float
    upper: float

    @property
    def uncertainty(self) -> float:
        """Relative width."""
        return self.upper / self.lower - 1

    def excess(self, primal: ArrayLike) -> NDArray[np.float64]:
        """(J - J_opt) / J_opt of some objective values, no less than it is."""
        return np.asarray(primal, dtype=np.float64) / self.lower - 1

    def least_excess(self, primal: ArrayLike) -> NDArray[np.float64]:
        """(J - J_opt) / J_opt of some objective values, no more than it is."""
        return np.asarray(primal, dtype=np.float64) / self.upper - 1


def optimum_of(panel: Panel, series: str = SERIES) -> Optimum | None:
    """Return the optimum that the first run of a series ended at; None without a run, or without a bound above 0."""
    for frame in panel.curves(series)[:1]:
        lower, upper = (column(frame, name)[-1:] for name in ("dual", "primal"))
        if len(lower) and lower[0] > 0 and np.isfinite(upper[0]):
            # the two are equal but for rounding, which may exchange them
            return Optimum(float(min(lower[0], upper[0])), float(max(lower[0], upper[0])))
    return None


def accuracy(frame: pd.DataFrame) -> NDArray[np.float64]:
    """Return (J - L) / L at each checkpoint, (rows,); NaN where no lower bound above 0 is known."""
    primal, bound = column(frame, "primal"), column(frame, "dual")
    return primal / np.where(bound > 0, bound, np.nan) - 1
