"""Times and errors of all methods at one size s, on one data set: what a cell of Table 2 holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from experiments.curve import column, cost_to_reach, value_at
from experiments.papers.effort import Effort, effort_of, unequal
from experiments.papers.panels import called
from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.spec import FigureSpec

TARGET: Final = "cpny"
"""Series whose mean test error stops those that are `TOLD`."""
TOLD: Final = ("asset", "asset_star", "sklearn_nystroem")
"""Methods that are stopped at the first checkpoint at which they are no worse; the others end by their own rules."""
ROUNDING: Final = 1e-12


@dataclass(frozen=True)
class Cell:
    """One method.

    Attributes
    ----------
    effort : Effort
        CPU seconds.
    errors : (runs,) float64
        Test errors there, in per cent; of a run that was told, but did not get there, at its end.
    last : (runs,) float64
        Test errors at the end of the runs, in per cent.
    """

    effort: Effort
    errors: NDArray[np.float64]
    last: NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """One data set with one s.

    Attributes
    ----------
    panel : Panel
    s : int
    target : float or None
        Mean test error of `TARGET`, a fraction; None without runs of it.
    cells : mapping of str to Cell
        By series, or by the series that a swept one is a member of.
    unfit : str
        Why these times decide nothing; empty where they do.
    """

    panel: Panel
    s: int
    target: float | None
    cells: Mapping[str, Cell]
    unfit: str

    @property
    def name(self) -> str:
        """Data set and s."""
        return f"{called(self.panel)}, s = {self.s:,}"


def cases(evidence: Evidence) -> list[Case]:
    """Return all sizes, for each all data sets."""
    sizes = evidence.spec.members("asset")
    return [_case(panel, evidence.spec, s) for s in sizes for panel in evidence.panels]


def _case(panel: Panel, spec: FigureSpec, s: float) -> Case:
    names = {series.name: spec.members(series.name)[s] if series.grid else series.name for series in spec.series}
    frames = {name: [frame for frame in panel.curves(series) if len(frame)] for name, series in names.items()}
    ends = [_ends(frame) for frame in frames.get(TARGET, ())]
    target = float(np.mean(ends)) if ends else None
    cells = {
        name: _cell(own, target if name in TOLD else None)
        for name, own in frames.items()
        if own and (target is not None or name not in TOLD)
    }
    return Case(panel, int(s), target, cells, unequal(panel, names.values()))


def _cell(frames: Sequence[pd.DataFrame], target: float | None) -> Cell:
    seconds = [column(frame, "cpu_seconds") for frame in frames]
    errors = [column(frame, "test_error") for frame in frames]
    last = [_ends(frame) for frame in frames]
    longest = max(float(own[-1]) for own in seconds)
    if target is None:
        return Cell(effort_of([float(own[-1]) for own in seconds], longest), 100 * np.array(last), 100 * np.array(last))
    found = [cost_to_reach(*run, target + ROUNDING) for run in zip(seconds, errors, strict=True)]
    there = [
        end if stop is None else float(value_at(*run, [stop])[0])
        for stop, end, run in zip(found, last, zip(seconds, errors, strict=True), strict=True)
    ]
    return Cell(effort_of(found, longest), 100 * np.array(there), 100 * np.array(last))


def _ends(frame: pd.DataFrame) -> float:
    return float(column(frame, "test_error")[-1])
