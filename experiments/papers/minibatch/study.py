"""Iterations to an accurate primal solution against the size of the mini-batches, on one data set."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pandas as pd

from svm_cost_curves.experiments.curve import column, cost_to_reach
from svm_cost_curves.experiments.papers.cases import (
    FAILS,
    HOLDS,
    MISSING,
    UNCLEAR,
    Case,
    Decision,
    above,
    at_most,
    case_on,
    interval_text,
)
from svm_cost_curves.experiments.papers.effort import RESAMPLES, Effort, Ratio, effort_of
from svm_cost_curves.experiments.papers.minibatch.data import Data, data_of
from svm_cost_curves.experiments.papers.minibatch.methods import METHOD_STYLES, METHODS, TAIL
from svm_cost_curves.experiments.papers.optimum import Optimum
from svm_cost_curves.experiments.papers.panels import NAMES, called
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.statistics import Interval, bootstrap_groups

ACCURACY: Final = 1e-3
"""Target of P(w) - P*."""
ROUNDING: Final = 1e-12
POINTS: Final = ("panel", "dataset", "series", "b", "iterations", "least", "largest", "runs", "reached")

Efforts = Mapping[int, Effort]
"""Iterations to the target by mini-batch size, rising."""


@dataclass(frozen=True)
class Found:
    """A decision with its measurement: the fields of `Case` of the same names."""

    decision: Decision
    measured: str = ""
    statistic: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""


def all_of(decisions: Sequence[Decision]) -> Decision:
    """Decide whether all of one or more conditions hold: fails if one fails, is unclear if one is."""
    for ruling, whole in (("fails", FAILS), ("missing", MISSING)):
        if any(each.ruling == ruling for each in decisions):
            return whole
    runs = [each.more_runs for each in decisions if each.ruling == "unclear"]
    if not runs:
        return HOLDS
    return Decision("unclear", max(each or 0 for each in runs) if all(runs) else None)


def ratio_of_speedups(first: Efforts, second: Efforts, base: int, b: int) -> Ratio | None:
    """Return the speed-up from `base` to b examples of one method over that of another.

    None if budgets ended runs of which one makes it a lower and one an upper bound, or if a size has no runs.
    """
    if not {base, b} <= first.keys() & second.keys():
        return None
    more, less = (first[base], second[b]), (first[b], second[base])
    at_least, at_most_ = (not all(effort.known for effort in pair) for pair in (more, less))
    if at_least and at_most_:
        return None
    efforts = (*more, *less)

    def of(*runs: Sequence[int]) -> float:
        a, b, c, d = (statistics.median(own.costs[k] for k in rows) for own, rows in zip(efforts, runs, strict=True))
        return a * b / (c * d)

    interval = bootstrap_groups(of, [len(effort.costs) for effort in efforts], resamples=RESAMPLES)
    assert interval is not None  # all have runs, and their costs are positive
    interval = interval.widened(math.prod(own.step for own in more), math.prod(own.step for own in less))
    return Ratio(interval, "at least" if at_least else "at most" if at_most_ else "")


@dataclass(frozen=True)
class Study:
    """One data set.

    Attributes
    ----------
    data : Data
    efforts : mapping of str to mapping of int to Effort
        Iterations of each method with runs, by b; empty without an optimum.
    planned : mapping of str to sequence of int
        Sizes b of each method in the figure's file, up to n.
    """

    data: Data
    efforts: Mapping[str, Efforts]
    planned: Mapping[str, Sequence[int]] = field(default_factory=dict)

    @property
    def panel(self) -> Panel:
        """Its panel."""
        return self.data.panel

    def of(self, method: str) -> Efforts:
        """Return the iterations of one method, by b; empty without runs."""
        return self.efforts.get(method, {})

    @property
    def sizes(self) -> list[int]:
        """All b that there are runs for."""
        return sorted({b for efforts in self.efforts.values() for b in efforts})

    @property
    def name(self) -> str:
        """Name in sentences; a stand-in for several data sets is named with the paper's."""
        panel = self.panel
        paper = NAMES.get(panel.paper_dataset, panel.paper_dataset)
        return f"{called(panel)} for {paper}" if panel.stand_in else called(panel)

    @property
    def enough(self) -> float:
        """1 / sigma^2; NaN if it is not known."""
        return math.nan if self.data.spectrum is None else self.data.spectrum.inverse_sigma2

    def split(self, method: str, multiple: float = 1.0) -> tuple[int, list[int]]:
        """Return the largest size of a method up to a multiple of 1 / sigma^2 (else its smallest), and all above."""
        sizes = list(self.of(method))
        base = max((b for b in sizes if b <= multiple * self.enough), default=sizes[0])
        return base, [b for b in sizes if b > base]

    def case(self, method: str, what: str, decide: Callable[[], Found]) -> Case:
        """Return a case about a method; it is missing if the data are unfit or the method has no runs."""
        about = f"{METHOD_STYLES[method].name} on {self.name}"
        why = self.data.unfit or ("" if self.of(method) else "no finished runs")
        if not why:
            found = decide()
            return case_on(self.panel, what, found.decision, found.measured, found.statistic, found.note, about=about)
        return case_on(self.panel, what, MISSING, note=why, about=about)

    def not_run(self, methods: Sequence[str], low: float = 0.0, high: float = math.inf) -> list[Case]:
        """Return a missing case for each planned size without runs that lies between two limits."""
        return [
            case_on(
                self.panel,
                f"{method} b={b}",
                MISSING,
                note="it takes too long" if self.panel.runs and not self._planned_run(method, b) else "",
                about=f"{METHOD_STYLES[method].name} with b = {b:,} on {self.name}",
            )
            for method in methods
            if self.of(method) and not self.data.unfit
            for b in self.planned.get(method, ())
            if b not in self.of(method) and low < b <= high
        ]

    def _planned_run(self, method: str, b: int) -> bool:
        return any(name.startswith(f"{method} ") and name.endswith(f"={b:g}") for name in self.panel.runs)


@dataclass(frozen=True)
class Exponent:
    """a of T ~ b^-a, T the iterations.

    Attributes
    ----------
    interval : Interval
    bound : bool
        Whether the interval is an upper bound: budgets ended runs with large b.
    largest : int
        Largest b of the fit.
    """

    interval: Interval
    bound: bool
    largest: int

    def above(self, limit: float) -> Decision:
        """Decide whether the exponent is above a limit; an upper bound can only deny it."""
        decision = above(self.interval, limit)
        return UNCLEAR if self.bound and decision.ruling != "fails" else decision

    def at_most(self, limit: float) -> Decision:
        """Decide whether the exponent is at most a limit; an upper bound can only confirm it."""
        decision = at_most(self.interval, limit)
        return UNCLEAR if self.bound and decision.ruling != "holds" else decision

    def as_dict(self) -> dict[str, Any]:
        """JSON-able form."""
        return self.interval.as_dict() | {"at_most": self.bound, "largest_b": self.largest}

    def text(self) -> str:
        """Write the estimate and its interval."""
        return ("at most " if self.bound else "") + interval_text(self.interval, ".2f")


def studies(evidence: Evidence) -> list[Study]:
    """Return the data sets of the figure's panels."""
    return [_study(evidence, panel) for panel in evidence.panels]


def points(
    found: Sequence[Study], methods: Sequence[str], more: Callable[[Study, str, int], Mapping[str, Any]]
) -> pd.DataFrame:
    """Return the figure's points: one row per data set, method and b.

    `more` returns further columns of a row, from the data set, the method and b.
    """
    rows = [
        {
            "panel": study.panel.paper_dataset,
            "dataset": study.panel.dataset,
            "series": method,
            "b": b,
            **effort.columns("iterations"),
            **more(study, method, b),
        }
        for study in found
        for method in methods
        for b, effort in study.of(method).items()
    ]
    return pd.DataFrame(rows) if rows else pd.DataFrame(columns=list(POINTS))


def failing(naive: Efforts, aggressive: Efforts, worse: float) -> dict[int, bool | None]:
    """Return for each b whether naive SDCA fails; None: its budget is too small to decide."""
    found: dict[int, bool | None] = {}
    best = float("inf")
    for b, effort in naive.items():
        if effort.known:
            found[b] = effort.median > worse * best
            best = min(best, effort.median)
        else:
            other = aggressive.get(b)
            enough = other is not None and other.known and min(effort.costs) >= other.median
            found[b] = True if enough or effort.median > worse * best else None
    return found


def fails_from(study: Study, worse: float) -> int | None:
    """Return the smallest b from which naive SDCA fails at every decidable size; None if there is none."""
    first = None
    for b, fails in reversed(failing(study.of("naive"), study.of("aggressive"), worse).items()):
        if fails is False:
            break
        first = b if fails else first
    return first


def exponent(efforts: Efforts, least: float) -> Exponent | None:
    """Fit the exponent to medians at all b from `least` on.

    A size at which most runs miss the target counts with its budget if that is at least the next smaller size's
    iterations; the fitted exponent is then an upper bound. With a smaller budget the size is left out.

    Returns
    -------
    Exponent or None
        None if fewer than three sizes are left.
    """
    chosen = {b: effort for b, effort in _usable(efforts).items() if b >= least}
    if len(chosen) < 3:
        return None
    sizes = np.log(np.array(list(chosen), dtype=np.float64))
    centred = sizes - sizes.mean()
    # the slope of the least-squares line is a weighted sum
    weights: list[float] = (-centred / (centred @ centred)).tolist()
    costs = [effort.costs for effort in chosen.values()]

    def fitted(*runs: Sequence[int]) -> float:
        medians = (statistics.median(own[k] for k in rows) for own, rows in zip(costs, runs, strict=True))
        return math.fsum(weight * math.log(median) for weight, median in zip(weights, medians, strict=True))

    interval = bootstrap_groups(fitted, [len(own) for own in costs], resamples=RESAMPLES)
    assert interval is not None  # there are runs at three sizes or more
    return Exponent(interval, not all(effort.known for effort in chosen.values()), max(chosen))


def _usable(efforts: Efforts) -> Efforts:
    """Return the sizes that the exponent can be fitted to."""
    last = float("inf")
    usable: dict[int, Effort] = {}
    for b, effort in efforts.items():
        if effort.known or effort.median >= last:
            usable[b] = effort
        if effort.known:
            last = effort.median
    return usable


def _study(evidence: Evidence, panel: Panel) -> Study:
    data, spec = data_of(evidence, panel), evidence.spec
    optimum = data.optimum
    if optimum is None:
        return Study(data, {})
    members = {series.name: spec.members(series.name) for series in spec.series if series.name in (*METHODS, TAIL)}
    efforts = {
        method: {int(b): effort for b, name in own.items() if (effort := _effort(panel, name, optimum))}
        for method, own in members.items()
    }
    planned = {method: [int(b) for b in own if panel.n is None or b <= panel.n] for method, own in members.items()}
    return Study(data, {method: own for method, own in efforts.items() if own}, planned)


def _effort(panel: Panel, series: str, optimum: Optimum) -> Effort | None:
    """Count iterations of runs to their first evaluation with P(w) - P* <= `ACCURACY`; None without runs."""
    frames = [frame for frame in panel.curves(series) if len(frame)]
    if not frames:
        return None
    found = [
        cost_to_reach(column(frame, "iterations"), column(frame, "primal") - optimum.lower, ACCURACY + ROUNDING)
        for frame in frames
    ]
    steps = [_step(frame, cost) for frame, cost in zip(frames, found, strict=True) if cost is not None]
    return effort_of(found, max(float(column(frame, "iterations")[-1]) for frame in frames), max(steps, default=1.0))


def _step(frame: pd.DataFrame, cost: float) -> float:
    """Return the ratio of iterations between consecutive evaluations, k_i / (k_{i-1} + 1)."""
    earlier = column(frame, "iterations")
    earlier = earlier[earlier < cost]
    return cost / (float(earlier[-1]) + 1) if len(earlier) else 1.0
