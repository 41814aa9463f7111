"""Epochs that ASSET and ASSET* take to a test error, for values of lambda that go to zero."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from experiments.curve import column, cost_to_reach
from experiments.papers.effort import Effort, effort_of
from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.spec import FigureSpec

METHODS: Final = ("asset", "asset_star")
MARGIN: Final = 1.0
"""Percentage points: an error no more than this above the better method's last error counts as there."""
LAST: Final = 0.1
"""Share of the epochs over which the last error of a run is the mean: single looks are noisy."""


@dataclass(frozen=True)
class Point:
    """One C on one data set.

    Attributes
    ----------
    target : float
        Test error to reach, in per cent.
    efforts : mapping of str to Effort
        Epochs to it, by method; a method without runs is left out.
    ends : mapping of str to (runs,) float64
        Last errors in per cent.
    """

    target: float
    efforts: Mapping[str, Effort]
    ends: Mapping[str, NDArray[np.float64]]


@dataclass(frozen=True)
class Study:
    """One data set: its points by C = 1/(lambda m), rising."""

    panel: Panel
    points: Mapping[float, Point]

    def efforts(self, method: str) -> dict[float, Effort]:
        """Return one method's epochs, by C."""
        return {C: point.efforts[method] for C, point in self.points.items() if method in point.efforts}


def studies(evidence: Evidence) -> list[Study]:
    """Return all data sets that the figure has panels for."""
    return [_study(panel, evidence.spec) for panel in evidence.panels]


def _study(panel: Panel, spec: FigureSpec) -> Study:
    points: dict[float, Point] = {}
    for C in spec.members(METHODS[0]):
        frames = {name: [own for own in panel.curves(spec.members(name)[C]) if len(own)] for name in METHODS}
        known = {name: own for name, own in frames.items() if own}
        if known:
            points[C] = _point(known)
    return Study(panel, points)


def _point(frames: Mapping[str, list[pd.DataFrame]]) -> Point:
    ends = {name: np.array([_last(frame) for frame in own]) for name, own in frames.items()}
    target = min(float(np.median(own)) for own in ends.values()) + MARGIN
    efforts = {}
    for name, own in frames.items():
        found = [cost_to_reach(column(run, "epochs"), 100 * column(run, "test_error"), target) for run in own]
        efforts[name] = effort_of(found, max(float(column(run, "epochs")[-1]) for run in own))
    return Point(target, efforts, ends)


def _last(frame: pd.DataFrame) -> float:
    epochs, errors = column(frame, "epochs"), column(frame, "test_error")
    return 100 * float(np.mean(errors[epochs >= (1 - LAST) * epochs[-1]]))
