"""How the methods come to the optimum, or away from it: one data set with one size of the mini-batches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from experiments.curve import column
from experiments.papers.bands import Band, band
from experiments.papers.minibatch.data import why_unfit
from experiments.papers.minibatch.looks import METHODS
from experiments.papers.optimum import Optimum, optimum_of
from experiments.reproduction.evidence import Evidence, Panel

MEASURES: Final = ("primal", "dual", "test_error")
"""P(w) - P*, P* - D(alpha), and the share of test rows that are misclassified."""


@dataclass(frozen=True)
class Way:
    """One data set with one b.

    Attributes
    ----------
    panel : Panel
    b : int
        Examples in a mini-batch.
    optimum : Optimum or None
    bands : mapping of str to mapping of str to Band
        By method and measure, against iterations; empty without an optimum, or without runs.
    unfit : str
        Why nothing can be judged; empty where it can.
    """

    panel: Panel
    b: int
    optimum: Optimum | None
    bands: Mapping[str, Mapping[str, Band]]
    unfit: str

    def above(self, frame: pd.DataFrame) -> NDArray[np.float64]:
        """P(w) - P* along a run, (rows,); NaN where it is not known."""
        assert self.optimum is not None
        return column(frame, "primal") - self.optimum.lower


def ways(evidence: Evidence) -> list[Way]:
    """Return all data sets, for each all sizes."""
    sizes = evidence.spec.members(METHODS[0])
    return [_way(panel, int(b), evidence) for panel in evidence.panels for b in sizes]


def _way(panel: Panel, b: int, evidence: Evidence) -> Way:
    optimum = optimum_of(panel)
    unfit = why_unfit(panel, optimum)
    if optimum is None:
        return Way(panel, b, None, {}, unfit)
    bands: dict[str, dict[str, Band]] = {}
    for method in METHODS:
        frames = panel.curves(evidence.spec.members(method)[b])
        for measure in MEASURES:
            runs = [(column(frame, "iterations"), _distance(frame, measure, optimum)) for frame in frames]
            if (own := band(runs)) is not None:
                bands.setdefault(method, {})[measure] = own
    return Way(panel, b, optimum, bands, unfit)


def _distance(frame: pd.DataFrame, measure: str, optimum: Optimum) -> NDArray[np.float64]:
    values = column(frame, measure)
    return {"primal": values - optimum.lower, "dual": optimum.upper - values}.get(measure, values)
