"""Times and test errors of the methods of Table 2, for each data set and s; and the claims on them (section 4.2)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from typing import Final, Literal

import numpy as np

from ...curve import column, value_at
from ...plotting import STYLES
from ...reproduction.evidence import Evidence, Panel, Run
from ...reproduction.statistics.comparison import difference
from ...reproduction.statistics.interval import FAILS, MISSING, Decision, Interval, above, at_most, within
from ...reproduction.statistics.ratio import Ratio, ratio_of
from ...reproduction.statistics.target import Effort, effort_of
from ..cases import Case, Findings, case_on
from ..kinds import Limits
from ..panels import called
from ..samples import Sample, samples, with_every_data_set
from ..times import clock_mismatch, widened
from . import sweep
from .sweep import Values

TO_TARGET: Final = ("asset", "asset_star", "sklearn_nystroem")
"""Methods timed to their first evaluation at or below CPNY's test error; the others to their own end."""


@dataclass(frozen=True)
class Cell:
    """One method: CPU seconds, and the runs' test errors in per cent at that time and at the end, (runs,) each.

    The errors of a run that misses the target are those at its end.
    """

    effort: Effort
    errors: Values
    last: Values


@dataclass(frozen=True)
class Entry:
    """One data set with one s: a cell for each series, or for the series that a swept one is a member of.

    The methods of `TO_TARGET` are there only with runs of CPNY. `unfit` says why these times cannot be compared;
    it is empty if they can.
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
    """Return an `Entry` for each number of basis points s and each data set, s by s."""
    timed = [series.name for series in evidence.spec.series if not series.reference_only]
    panels = [(panel, samples(evidence, timed, [panel])) for panel in with_every_data_set(evidence)]
    sizes = [sample.value for sample in panels[0][1] if sample.series == "asset"] if panels else []
    return [
        _entry(panel, int(s), [sample for sample in of_panel if sample.value in (s, 0.0)])
        for s in sizes
        for panel, of_panel in panels
    ]


def _entry(panel: Panel, s: int, methods: Sequence[Sample]) -> Entry:
    runs = {sample.series: sample.runs for sample in methods}
    targets = _targets(runs.get("cpny", []))
    cells = {}
    for name, members in runs.items():
        to_target = name in TO_TARGET
        measured = [run for run in members if _split_of(run) in targets] if to_target else members
        if measured:
            cells[name] = _cell(measured, targets if to_target else None)
    return Entry(panel, s, cells, clock_mismatch(panel, [sample.name for sample in methods]))


def _split_of(run: Run) -> str:
    """Describe the split of a run's data: two runs on one data set with the same split have the same test rows."""
    return str(run.result["provenance"].get("data", {}).get("split", ""))


def _targets(runs: Sequence[Run]) -> dict[str, float]:
    """Return the mean test error at the end of the runs, from 0 to 1, by the split of the data."""
    errors: dict[str, list[float]] = {}
    for run in runs:
        errors.setdefault(_split_of(run), []).append(float(column(run.curve, "test_error")[-1]))
    return {split: float(np.mean(values)) for split, values in errors.items()}


def _cell(runs: Sequence[Run], targets: Mapping[str, float] | None) -> Cell:
    """Measure a method up to the test errors of `_targets`, or to the end of its runs."""
    frames = [run.curve for run in runs]
    seconds, last = [column(frame, "cpu_seconds") for frame in frames], sweep.last_errors(frames)
    if targets is None:
        last_seconds = [float(costs[-1]) for costs in seconds]
        return Cell(effort_of(last_seconds, max(last_seconds)), last, last)
    excess = [run.curve.assign(test_error=column(run.curve, "test_error") - targets[_split_of(run)]) for run in runs]
    effort = sweep.effort_to(0.0, excess, "cpu_seconds")
    there = [
        100 * float(value_at(costs, column(frame, "test_error"), [stop])[0]) if met else end
        for costs, frame, stop, met, end in zip(seconds, frames, effort.costs, effort.reached, last, strict=True)
    ]
    return Cell(effort, np.array(there), last)


@dataclass(frozen=True, kw_only=True)
class TimesAndErrors(Limits, kind="times_and_errors"):
    """Ratios of times and the difference of two errors, for each data set and s.

    The limits are those of the time of each series in `first`, over that of the fastest one in `over`; `within` is a
    share here: the ratio lies within a factor of 1 + `within`. A ratio without its premise, that ASSET reaches CPNY's
    error, fails. The error of the series `error_of`, if given, less that of the series in `less` with the least mean
    error, is at most `points` percentage points; with `two_sided` it is also at least as many below 0; on the paper's
    data sets in `except_on` it is above `points`. Errors are those at each method's own ``stop``, or at the ``end`` of
    the runs. The series `half_s_of`, if given, has half of the s; sizes without a half are then left out.
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
        return super().findings(self._with_half_s(data) if self.half_s_of else data, evidence)

    def _with_half_s(self, data: Sequence[Entry]) -> Iterator[Entry]:
        for half, entry in product(data, data):
            if entry.panel is half.panel and entry.s == 2 * half.s:
                of_half = {name: cell for name, cell in half.cells.items() if name == self.half_s_of}
                of_whole = {name: cell for name, cell in entry.cells.items() if name != self.half_s_of}
                yield replace(entry, cells=of_whole | of_half)

    def cases(self, entry: Entry, evidence: Evidence) -> Iterator[Case]:
        """Compare the times and the errors of one data set with one s."""
        fastest = entry.least(self.over, lambda cell: cell.effort.median)
        for name in self.first:
            cells = [entry.cells.get(series) for series in (name, fastest)]
            yield _ratio_case(entry, f"time of {name}", [name, fastest], cells, self.decide)
        if not self.error_of:
            return
        least = entry.least(self.less, lambda cell: float(cell.errors.mean()))
        compared = [entry.cells[name] for name in (self.error_of, least) if name in entry.cells]
        groups = [[cell.last if self.errors == "end" else cell.errors] for cell in compared]
        interval = difference(*groups) if len(groups) == 2 else None
        text = f"{STYLES[self.error_of].name} less {STYLES[least].name} {{}} points"
        decide = partial(at_most, limit=self.points)
        if self.two_sided:
            decide = partial(within, low=-self.points, high=self.points)
        elif entry.panel.paper_dataset in self.except_on:
            decide = partial(above, limit=self.points)
        yield sweep.interval_case(entry.panel, f"error s={entry.s}", interval, text, decide, about=entry.name)


@dataclass(frozen=True, kw_only=True)
class TimeOverOtherDataSets(Limits, kind="time_over_other_data_sets"):
    """Time of the series `method` on the paper's `dataset` over its longest time on another, for each s."""

    method: str
    dataset: str

    def findings(self, data: Sequence[Entry], evidence: Evidence) -> Findings:
        """Compare the times for each s at which the method has runs on another data set."""
        cases = []
        for entry in data:
            rivals = [
                rival for rival in data if rival.s == entry.s and rival.panel is not entry.panel and not rival.unfit
            ]
            cells = [rival.cells[self.method] for rival in rivals if self.method in rival.cells]
            if entry.panel.paper_dataset == self.dataset and cells:
                sides = [entry.cells.get(self.method), max(cells, key=lambda cell: cell.effort.median)]
                cases.append(_ratio_case(entry, "time", [self.method, self.method], sides, self.decide))
        return Findings(cases)


def _ratio_case(
    entry: Entry, key: str, names: Sequence[str], cells: Sequence[Cell | None], decide: Callable[[Ratio], Decision]
) -> Case:
    """Judge the ratio of two methods' times; fails if neither method, or ASSET, reaches CPNY's error.

    The interval is widened by `times.widened`.
    """
    case, labels = partial(case_on, entry.panel, f"{key} s={entry.s}"), [STYLES[name].name for name in names]
    efforts = [cell.effort for cell in cells if cell is not None]
    if len(efforts) < 2 or entry.unfit:
        lacking = ", ".join(label for label, cell in zip(labels, cells, strict=True) if cell is None)
        why = f"no finished runs of {lacking}, or of CPNY" if lacking else entry.unfit
        return case(MISSING, note=why, about=entry.name)
    ratio = ratio_of(*efforts)
    if ratio is None:
        return case(FAILS, note="neither reaches CPNY's error", about=entry.name)
    ratio = widened(ratio)
    decision, note = decide(ratio), ""
    if ratio.bound and decision != FAILS:
        misses = 0 if ratio.bound == "at least" else 1
        note = f"half or more of the runs of {labels[misses]} miss CPNY's error"
        decision = FAILS if names[misses] == "asset" else decision
    statistic = {"seconds": [effort.median for effort in efforts], "ratio": ratio.as_dict()}
    over = labels[1] if labels[1] != labels[0] else "its longest time elsewhere"
    return case(decision, f"time, {labels[0]} over {over}, {ratio.text()}", statistic, note, about=entry.name)
