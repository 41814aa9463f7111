"""The optimum of a problem as an interval: a run's last lower bound and last objective value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ..curve import column
from ..reproduction.evidence import Panel
from ..reproduction.series_spec import OPTIMUM

SERIES: Final = OPTIMUM
"""Series that computes the optimum; if a figure sweeps C, this series has the same values."""
KNOWN: Final = 1e-3
"""Largest relative width for judging accuracies of 1e-2."""


@dataclass(frozen=True)
class Optimum:
    """An interval that contains the optimum J_opt."""

    lower: float
    upper: float
    """Of lambda/2 ||w||^2 + mean hinge loss; 0 < lower."""

    @property
    def uncertainty(self) -> float:
        """Relative width."""
        return self.upper / self.lower - 1

    def excess(self, primal: ArrayLike) -> NDArray[np.float64]:
        """Upper bound on (J - J_opt) / J_opt of some objective values."""
        return np.asarray(primal, dtype=np.float64) / self.lower - 1

    def least_excess(self, primal: ArrayLike) -> NDArray[np.float64]:
        """Lower bound on (J - J_opt) / J_opt of some objective values."""
        return np.asarray(primal, dtype=np.float64) / self.upper - 1


def optimum_of(panel: Panel, series: str = SERIES) -> Optimum | None:
    """Return the interval at the end of a series' first run; None without a run or without a positive lower bound."""
    for frame in panel.curves(series)[:1]:
        lower, upper = (column(frame, name)[-1:] for name in ("dual", "primal"))
        if len(lower) and lower[0] > 0 and np.isfinite(upper[0]):
            # rounding may exchange two equal bounds
            return Optimum(float(min(lower[0], upper[0])), float(max(lower[0], upper[0])))
    return None


def accuracy(frame: pd.DataFrame) -> NDArray[np.float64]:
    """Return (J - L) / L at each evaluation, (rows,); NaN without a positive lower bound."""
    primal, bound = column(frame, "primal"), column(frame, "dual")
    return primal / np.where(bound > 0, bound, np.nan) - 1
