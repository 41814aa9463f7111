"""Times and test errors of the methods of Table 2, for each data set and s."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from svm_cost_curves.experiments.curve import column, cost_to_reach, value_at
from svm_cost_curves.experiments.papers.asset.errors import all_panels
from svm_cost_curves.experiments.papers.effort import Effort, Ratio, clock_mismatch, effort_of, ratio_of
from svm_cost_curves.experiments.papers.panels import called
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.spec import FigureSpec

TARGET: Final = "cpny"
"""Series whose mean test error is the target of the `TO_TARGET` methods."""
TO_TARGET: Final = ("asset", "asset_star", "sklearn_nystroem")
"""Methods timed to their first evaluation at or below the target; the others to the end set by their own rules."""
ROUNDING: Final = 1e-12


@dataclass(frozen=True)
class Cell:
    """One method.

    Attributes
    ----------
    effort : Effort
        CPU seconds.
    errors : (runs,) float64
        Test errors at that time, in per cent; at the end of a run that misses the target.
    last : (runs,) float64
        Test errors at the end of the runs, in per cent.
    """

    effort: Effort
    errors: NDArray[np.float64]
    last: NDArray[np.float64]

    def at(self, when: str) -> NDArray[np.float64]:
        """Return the errors at the method's own ``stop``, or at the ``end`` of the runs."""
        return self.last if when == "end" else self.errors


@dataclass(frozen=True)
class Entry:
    """One data set with one s.

    Attributes
    ----------
    panel : Panel
    s : int
    cells : mapping of str to Cell
        By series, or by the series that a swept one is a member of; those of `TO_TARGET` only with runs of `TARGET`.
    unfit : str
        Why these times cannot be compared; empty if they can.
    """

    panel: Panel
    s: int
    cells: Mapping[str, Cell]
    unfit: str

    @property
    def name(self) -> str:
        """Data set and s."""
        return f"{called(self.panel)}, s = {self.s:,}"

    @cached_property
    def _ratios(self) -> dict[tuple[str, str], Ratio | None]:
        return {}

    def ratio(self, first: str, second: str, first_in: Entry | None = None) -> Ratio | None:
        """Time of one method over that of another; None without runs, or if neither reaches the target.

        `first_in` is the entry of the first method, where it has another s.
        """
        other = first_in or self
        if first not in other.cells or second not in self.cells:
            return None
        key = f"{first} {other.s}", second
        if key not in self._ratios:
            self._ratios[key] = ratio_of(other.cells[first].effort, self.cells[second].effort)
        return self._ratios[key]


def entries_of(evidence: Evidence) -> list[Entry]:
    """Return all sizes, for each all data sets."""
    sizes, panels = evidence.spec.members("asset"), all_panels(evidence)
    return [_entry(panel, evidence.spec, s) for s in sizes for panel in panels]


def _entry(panel: Panel, spec: FigureSpec, s: float) -> Entry:
    timed = [series for series in spec.series if not series.reference_only]
    names = {series.name: spec.members(series.name)[s] if series.grid else series.name for series in timed}
    frames = {name: [frame for frame in panel.curves(series) if len(frame)] for name, series in names.items()}
    ends = [_ends(frame) for frame in frames.get(TARGET, ())]
    target = float(np.mean(ends)) if ends else None
    cells = {
        name: _measure(own, target if name in TO_TARGET else None)
        for name, own in frames.items()
        if own and (target is not None or name not in TO_TARGET)
    }
    return Entry(panel, int(s), cells, clock_mismatch(panel, names.values()))


def _measure(frames: Sequence[pd.DataFrame], target: float | None) -> Cell:
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
    steps = [_step(own, stop) for own, stop in zip(seconds, found, strict=True) if stop is not None]
    effort = effort_of(found, longest, statistics.median(steps) if steps else 1.0)
    return Cell(effort, 100 * np.array(there), 100 * np.array(last))


def _step(seconds: NDArray[np.float64], stop: float) -> float:
    """Return the factor from the evaluation before the stop to the stop; 1 at the first evaluation."""
    place = int(np.searchsorted(seconds, stop))
    return float(stop / seconds[place - 1]) if place and seconds[place - 1] > 0 else 1.0


def _ends(frame: pd.DataFrame) -> float:
    return float(column(frame, "test_error")[-1])
