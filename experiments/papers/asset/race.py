"""Times and test errors of the methods of Table 2, for each data set and s; and the claims on them (section 4.2)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from svm_cost_curves.experiments.curve import column, value_at
from svm_cost_curves.experiments.papers.asset import sweep
from svm_cost_curves.experiments.papers.cases import Case, Findings, case_on
from svm_cost_curves.experiments.papers.kinds import Limits
from svm_cost_curves.experiments.papers.panels import called
from svm_cost_curves.experiments.papers.times import clock_mismatch, session_factor, widened_by
from svm_cost_curves.experiments.plotting import STYLES
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.spec import FigureSpec
from svm_cost_curves.experiments.reproduction.statistics import (
    FAILS,
    MISSING,
    Decision,
    Effort,
    Interval,
    Ratio,
    above,
    at_most,
    cost_to_target,
    difference,
    effort_of,
    ratio_of,
    within,
)

TARGET: Final = "cpny"
"""Series whose mean test error is the target of the `TO_TARGET` methods."""
TO_TARGET: Final = ("asset", "asset_star", "sklearn_nystroem")
"""Methods timed to their first evaluation at or below the target; the others to the end set by their own rules."""


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

    def least(self, names: Sequence[str], value: Callable[[Cell], float]) -> str:
        """Return the method with the least value; the first of them if none has runs."""
        return min(names, key=lambda name: value(self.cells[name]) if name in self.cells else math.inf)


def entries_of(evidence: Evidence) -> list[Entry]:
    """Return all sizes, for each all data sets."""
    sizes, panels = evidence.spec.members("asset"), sweep.all_panels(evidence)
    return [_entry(panel, evidence.spec, s) for s in sizes for panel in panels]


def _entry(panel: Panel, spec: FigureSpec, s: float) -> Entry:
    timed = [series for series in spec.series if not series.reference_only]
    names = {series.name: spec.members(series.name)[s] if series.grid else series.name for series in timed}
    runs = {name: sweep.runs_of(panel, series) for name, series in names.items()}
    ends = sweep.last_errors(runs.get(TARGET, []))
    target = float(ends.mean()) if len(ends) else None
    cells = {
        name: _cell(frames, target if name in TO_TARGET else None)
        for name, frames in runs.items()
        if frames and (target is not None or name not in TO_TARGET)
    }
    return Entry(panel, int(s), cells, clock_mismatch(panel, names.values()))


def _cell(frames: sweep.Frames, target: float | None) -> Cell:
    """Measure a method up to a target in per cent, or to the end of its runs."""
    seconds, last = [column(frame, "cpu_seconds") for frame in frames], sweep.last_errors(frames)
    if target is None:
        ends = [float(costs[-1]) for costs in seconds]
        return Cell(effort_of(ends, max(ends)), last, last)
    effort = cost_to_target(frames, "cpu_seconds", lambda frame: 100 * column(frame, "test_error"), target)
    assert effort is not None  # there are frames
    there = [
        100 * float(value_at(costs, column(frame, "test_error"), [stop])[0]) if met else end
        for costs, frame, stop, met, end in zip(seconds, frames, effort.costs, effort.reached, last, strict=True)
    ]
    return Cell(effort, np.array(there), last)


@dataclass(frozen=True, kw_only=True)
class TimesAndErrors(Limits):
    """Times of methods over that of another, and the difference of two errors, for each data set and s.

    The limits are those of the ratio of times; `within` is a share here: the ratio lies within a factor of 1 +
    `within`. A ratio without its premise, that ASSET reaches CPNY's error, fails.

    Attributes
    ----------
    first : list of str
        Series; one case for each.
    over : list of str
        Series: the fastest of them is compared.
    error_of : str
        Series whose error is compared; empty: none is.
    less : list of str
        Series: the one with the least mean error is subtracted.
    errors : str
        Whether errors are those at each method's own ``stop``, or at the ``end`` of the runs.
    points : float
        The difference of the errors is at most this.
    two_sided : bool
        Whether it is at least this below 0, too.
    except_on : list of str
        The paper's data sets on which the difference is above `points`.
    half_s_of : str
        Series that has half of the s; sizes without a half are left out. Empty: all have the same s.
    """

    first: list[str]
    over: list[str]
    error_of: str = ""
    less: list[str] = field(default_factory=list)
    errors: Literal["stop", "end"] = "stop"
    points: float = 0.0
    two_sided: bool = False
    except_on: list[str] = field(default_factory=list)
    half_s_of: str = ""

    def decide(self, measured: Interval | Ratio) -> Decision:
        """Decide on a ratio; with `within` it lies within a factor of 1 + `within`."""
        if self.within is None:
            return super().decide(measured)
        return replace(self, within=None, between=(1 / (1 + self.within), 1 + self.within)).decide(measured)

    def findings(self, data: Sequence[Entry], evidence: Evidence) -> Findings:
        """Compare times and errors on each data set, for each s."""
        cases = []
        for entry in self._with_half_s(data) if self.half_s_of else data:
            cases += [self._times(entry, name) for name in self.first]
            cases += [self._errors(entry)] if self.error_of else []
        return Findings(cases)

    def _with_half_s(self, data: Sequence[Entry]) -> Iterator[Entry]:
        for half in data:
            of_half = {name: cell for name, cell in half.cells.items() if name == self.half_s_of}
            for entry in data:
                if entry.panel is half.panel and entry.s == 2 * half.s:
                    others = {name: cell for name, cell in entry.cells.items() if name != self.half_s_of}
                    yield replace(entry, cells=others | of_half)

    def _times(self, entry: Entry, first: str) -> Case:
        fastest = entry.least(self.over, lambda cell: cell.effort.median)
        cells = [entry.cells.get(name) for name in (first, fastest)]
        return _ratio_case(entry, f"time of {first}", [first, fastest], cells, self.decide)

    def _errors(self, entry: Entry) -> Case:
        least = entry.least(self.less, lambda cell: float(cell.errors.mean()))
        cells = [entry.cells[name] for name in (self.error_of, least) if name in entry.cells]
        groups = [[cell.last if self.errors == "end" else cell.errors] for cell in cells]
        interval = difference(*groups) if len(groups) == 2 else None
        text = f"{STYLES[self.error_of].name} less {STYLES[least].name} {{}} points"
        decide = partial(at_most, limit=self.points)
        if self.two_sided:
            decide = partial(within, low=-self.points, high=self.points)
        elif entry.panel.paper_dataset in self.except_on:
            decide = partial(above, limit=self.points)
        return sweep.interval_case(entry.panel, f"error s={entry.s}", interval, text, decide, about=entry.name)


@dataclass(frozen=True, kw_only=True)
class TimeOverOtherDataSets(Limits):
    """Time of a method on one data set over its longest time on another, for each s.

    Attributes
    ----------
    method : str
        Series.
    dataset : str
        The paper's data set.
    """

    method: str
    dataset: str

    def findings(self, data: Sequence[Entry], evidence: Evidence) -> Findings:
        """Compare the times for each s at which the method has runs on another data set."""
        cases = []
        for entry in data:
            others = [
                cell
                for one in data
                if one.s == entry.s and one.panel is not entry.panel and not one.unfit
                if (cell := one.cells.get(self.method)) is not None
            ]
            if entry.panel.paper_dataset == self.dataset and others:
                longest = max(others, key=lambda cell: cell.effort.median)
                sides = [entry.cells.get(self.method), longest]
                cases.append(_ratio_case(entry, "time", [self.method, self.method], sides, self.decide))
        return Findings(cases)


def _ratio_case(
    entry: Entry,
    what: str,
    names: Sequence[str],
    cells: Sequence[Cell | None],
    decide: Callable[[Ratio], Decision],
) -> Case:
    """Judge the time of one method over that of another; it fails if neither, or ASSET, reaches CPNY's error.

    The interval is widened by `times.session_factor`.
    """
    key, labels = f"{what} s={entry.s}", [STYLES[name].name for name in names]
    efforts = [cell.effort for cell in cells if cell is not None]
    if len(efforts) < 2 or entry.unfit:
        lacking = ", ".join(label for label, cell in zip(labels, cells, strict=True) if cell is None)
        why = f"no finished runs of {lacking}, or of CPNY" if lacking else entry.unfit
        return case_on(entry.panel, key, MISSING, note=why, about=entry.name)
    ratio = ratio_of(*efforts)
    if ratio is None:
        return case_on(entry.panel, key, FAILS, note="neither reaches CPNY's error", about=entry.name)
    ratio = widened_by(ratio, session_factor(effort.median for effort in efforts))
    decision, note = decide(ratio), ""
    if ratio.bound and decision != FAILS:
        misses = 0 if ratio.bound == "at least" else 1
        note = f"half or more of the runs of {labels[misses]} miss CPNY's error"
        decision = FAILS if names[misses] == "asset" else decision
    statistic = {"seconds": [effort.median for effort in efforts], "ratio": ratio.as_dict()}
    over = labels[1] if labels[1] != labels[0] else "its longest time elsewhere"
    text = f"{labels[0]} over {over} {ratio.text()}"
    return case_on(entry.panel, key, decision, text, statistic, note, about=entry.name)
