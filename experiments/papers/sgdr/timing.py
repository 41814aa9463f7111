"""CPU seconds of all methods to the target accuracy, on every data set and for every C."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from experiments.curve import column, cost_to_reach
from experiments.papers.effort import Effort, clock_mismatch, effort_of
from experiments.papers.optimum import KNOWN, SERIES, Optimum, optimum_of
from experiments.papers.panels import called
from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.spec import FigureSpec
from experiments.store import FinishedRun

ACCURACY: Final = 0.01
"""Target of (J - J_opt) / J_opt."""
STOPPING: Final = ("sgd_s", "sgd_m")
"""Methods timed to the end set by their own rule, as in the paper; the others to the target."""
ROUNDING: Final = 1e-9


def effort(runs: Sequence[FinishedRun], optimum: Optimum, *, to_the_end: bool = False) -> Effort | None:
    """Time some runs to the target, or to the end set by the method's own rule; None without runs."""
    timed = [run for run in runs if len(run.curve)]
    if not timed:
        return None
    found = [stop_seconds(run) if to_the_end else reach_seconds(run, optimum) for run in timed]
    longest = max(float(column(run.curve, "cpu_seconds")[-1]) for run in timed)
    return effort_of(found, longest)


def reach_seconds(run: FinishedRun, optimum: Optimum) -> float | None:
    """Return the time of a run's first evaluation with (J - J_opt) / J_opt <= `ACCURACY`; None if there is none."""
    excess = optimum.excess(column(run.curve, "primal"))
    return cost_to_reach(column(run.curve, "cpu_seconds"), excess, ACCURACY + ROUNDING)


def stop_seconds(run: FinishedRun) -> float | None:
    """Return the time at which a run stopped by its own rule; None if the budget ended it."""
    return float(column(run.curve, "cpu_seconds")[-1]) if stopped(run) else None


def stopped(run: FinishedRun) -> bool:
    """Whether a run ended by its own rule, before its budget of epochs."""
    return bool(run.result["counters"]["epochs"] < run.result["settings"]["budget"]["epochs"])


def tolerance(run: FinishedRun) -> float:
    """Return the eps of a run's stopping rule."""
    return float(run.result["settings"]["algo"]["eps"])


def fastest(efforts: Iterable[Effort | None]) -> Effort | None:
    """Return the effort with the smallest median; None if one has no runs, as it might be the fastest."""
    return next(iter(_sorted(efforts, key=lambda effort: effort.median)), None)


def slowest(efforts: Iterable[Effort | None]) -> Effort | None:
    """Return the effort with the largest or an unknown median; None if one has no runs, as it might be the slowest."""
    return next(reversed(_sorted(efforts, key=lambda effort: (not effort.known, effort.median))), None)


def _sorted(efforts: Iterable[Effort | None], key: Callable[[Effort], Any]) -> list[Effort]:
    found = list(efforts)
    known = [effort for effort in found if effort is not None]
    return sorted(known, key=key) if len(known) == len(found) else []


SHORT: Final[Mapping[str, str]] = {
    "covtype": "Forest",
    "covtype_subset": "Forest",
    "ijcnn1": "IJCNN1",
    "newsgroups_binary": "20 News",
    "rcv1_ccat": "CCAT",
    "rcv1_ccat_subset": "CCAT",
}
"""Short names of data sets, for narrow columns; others have their own names."""


@dataclass(frozen=True)
class TimedProblem:
    """One data set with one C.

    Attributes
    ----------
    panel : Panel
    C : float
    optimum : Optimum or None
    efforts : mapping of str to Effort
        By method, in the figure's order; methods without runs are left out. Empty without an optimum.
    to_target_efforts : mapping of str to Effort
        The `STOPPING` methods timed to the target like the others.
    unfit : str
        Why these times are not judged; empty if they are.
    """

    panel: Panel
    C: float
    optimum: Optimum | None
    efforts: Mapping[str, Effort]
    to_target_efforts: Mapping[str, Effort]
    unfit: str

    @property
    def name(self) -> str:
        """Data set and C."""
        return f"{called(self.panel)}, C = {self.C:g}"

    @property
    def short(self) -> str:
        """Data set in at most ten letters; a star marks a stand-in."""
        name = SHORT.get(self.panel.dataset, self.panel.dataset).replace("_", " ")
        return textwrap.wrap(name[0].upper() + name[1:], 10)[0] + ("*" if self.panel.stand_in else "")

    def to_target(self) -> TimedProblem:
        """Return the case with `to_target_efforts` for these methods."""
        return replace(self, efforts={**self.efforts, **self.to_target_efforts})

    def multiple(self, method: str) -> float | None:
        """Median time of a method over the fastest one's; None if it misses the target."""
        effort = self.efforts.get(method)
        if effort is None or not effort.known:
            return None
        return effort.median / min(other.median for other in self.efforts.values() if other.known)


def methods(spec: FigureSpec) -> list[str]:
    """Series that are timed, in the figure's order."""
    return [series.name for series in spec.series if series.name != SERIES]


def timed_problems(evidence: Evidence) -> list[TimedProblem]:
    """Return all data sets, for each all values of C."""
    spec = evidence.spec
    return [_timed_problem(panel, spec, C) for panel in evidence.panels for C in spec.members(SERIES)]


def _timed_problem(panel: Panel, spec: FigureSpec, C: float) -> TimedProblem:
    series = {name: spec.members(name)[C] for name in methods(spec)}
    optimum = optimum_of(panel, spec.members(SERIES)[C])
    if optimum is None:
        return TimedProblem(panel, C, None, {}, {}, "the optimum is not known")
    runs = {name: panel.runs.get(member, ()) for name, member in series.items()}
    efforts = {
        name: found
        for name, own in runs.items()
        if (found := effort(own, optimum, to_the_end=name in STOPPING)) is not None
    }
    to_target = {name: found for name in STOPPING if (found := effort(runs.get(name, ()), optimum)) is not None}
    unfit = ""
    if optimum.uncertainty > KNOWN:
        unfit = f"the optimum is known to {100 * optimum.uncertainty:.2g} % only"
    return TimedProblem(panel, C, optimum, efforts, to_target, unfit or clock_mismatch(panel, series.values()))
