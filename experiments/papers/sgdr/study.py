"""How many epochs SGD-s takes to an accuracy: per run, by the certificate that it carries with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import pandas as pd

from experiments.curve import column, cost_to_reach
from experiments.papers.bands import Band, band
from experiments.papers.optimum import Optimum, accuracy, optimum_of
from experiments.reproduction.evidence import Panel
from experiments.reproduction.spec import FigureSpec
from experiments.reproduction.statistics import Interval, bootstrap_mean, loglog_slope

SERIES: Final = "sgd_s"
TARGETS: Final = (1e-1, 1e-2, 1e-3, 1e-4)
FITTED: Final = 1e-1
"""The exponent is fitted to what is at least as accurate as this."""


@dataclass(frozen=True)
class Study:
    """SGD-s on one data set with one C.

    Attributes
    ----------
    panel : Panel
    C : float
    frames : tuple of DataFrame
        Curves of its runs, at least one.
    optimum : Optimum or None
    """

    panel: Panel
    C: float
    frames: tuple[pd.DataFrame, ...]
    optimum: Optimum | None

    @cached_property
    def accuracy(self) -> Band | None:
        """Return (J - L) / L against epochs; None before the first lower bound."""
        return band([(column(frame, "epochs"), accuracy(frame)) for frame in self.frames])

    @cached_property
    def excess(self) -> Band | None:
        """Return (J - J_opt) / J_opt against epochs; None where the optimum is not known."""
        if self.optimum is None:
            return None
        return band([(column(frame, "epochs"), self.optimum.excess(column(frame, "primal"))) for frame in self.frames])

    def epochs_to(self, target: float) -> list[float]:
        """Epochs of each run to its first checkpoint with (J - L) / L <= target, rising; inf: not within its budget."""
        found = [cost_to_reach(column(frame, "epochs"), accuracy(frame), target) for frame in self.frames]
        return sorted(np.inf if epochs is None else epochs for epochs in found)

    @cached_property
    def exponent(self) -> Interval | None:
        """Return a of (J - L) / L ~ epochs^-a, mean over the runs with its interval; None where no line can be laid."""
        slopes: list[float] = []
        for frame in self.frames:
            epochs, values = column(frame, "epochs"), accuracy(frame)
            fitted = (values > 0) & (values <= FITTED)
            if len(np.unique(epochs[fitted])) >= 2:
                slopes.append(-loglog_slope(epochs[fitted], values[fitted]))
        return bootstrap_mean(slopes) if slopes else None


def studies(panels: Sequence[Panel], spec: FigureSpec) -> list[Study]:
    """Return all data sets and values of C that there are runs of SGD-s for, in the figure's order."""
    optima = spec.members("optimum")
    return [
        Study(panel, C, frames, optimum_of(panel, optima[C]) if C in optima else None)
        for panel in panels
        for C, series in spec.members(SERIES).items()
        if (frames := panel.curves(series))
    ]
