"""Costs of all methods to the target accuracy, on every data set and for every C."""

from __future__ import annotations

import statistics
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from svm_cost_curves.experiments.curve import column
from svm_cost_curves.experiments.papers.effort import Effort, clock_mismatch, effort_of
from svm_cost_curves.experiments.papers.optimum import KNOWN, SERIES, Optimum, optimum_of
from svm_cost_curves.experiments.papers.panels import called
from svm_cost_curves.experiments.plotting import STYLES
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel, Run
from svm_cost_curves.experiments.reproduction.spec import FigureSpec

ACCURACY: Final = 0.01
"""Target of (J - J_opt) / J_opt."""
STOPPING: Final = ("sgd_s", "sgd_m")
"""Methods that stop at an accuracy that is their parameter, eps; a series of theirs with another value is named
``sgd_s 0.1``."""
ROUNDING: Final = 1e-9

PROTOCOLS: Final[Mapping[str, str]] = {"own": "", "fixed": f" eps = {ACCURACY:g}", "first": " first evaluation"}
"""How a `STOPPING` method is timed, and the end of its name then; others are timed to the first evaluation within 1 %.

``own``, the method's result: to its stop, with the largest eps at which this stop is within the target. ``fixed``: to
its stop, with the target as eps. ``first``: as the others.
"""
SECONDS: Final = "cpu_seconds"
EPOCHS: Final = "epochs"

Sweep = Mapping[float, tuple[Run, ...]]
"""Runs of a method for each eps, at least one."""


def first_evaluation(runs: Sequence[Run], optimum: Optimum, cost: str = SECONDS) -> Effort | None:
    """Return the cost of some runs to their first evaluation within the target; None without runs."""
    if not runs:
        return None
    found: list[float | None] = []
    step = 1.0
    for run in runs:
        costs, iterations = column(run.curve, cost), column(run.curve, "iterations")
        within = np.flatnonzero(optimum.excess(column(run.curve, "primal")) <= ACCURACY + ROUNDING)
        found.append(float(costs[within[0]]) if within.size else None)
        # no run ends between two iterations
        if within.size and (k := within[0]) and iterations[k] - iterations[k - 1] > 1 and costs[k - 1] > 0:
            step = max(step, float(costs[k] / costs[k - 1]))
    return effort_of(found, max(_end(run, cost) for run in runs), step)


def own_stop(runs: Sequence[Run], cost: str = SECONDS) -> Effort | None:
    """Return the cost of some runs to their stop by their own rule; None without runs."""
    if not runs:
        return None
    return effort_of([_end(run, cost) if stopped(run) else None for run in runs], max(_end(run, cost) for run in runs))


def best_stop(sweep: Sweep, optimum: Optimum, cost: str = SECONDS) -> Effort | None:
    """Return the cost to the own stop at the largest eps for which the median run is within the target there.

    Returns
    -------
    Effort or None
        None without runs. Its `step` reaches to the cost below which no stop is within the target: that at the next
        larger eps, which misses it, or that of the first evaluation within it, as the steps do not depend on eps. If
        no eps is within the target: the runs of the smallest, as missed.
    """
    larger: Effort | None = None
    for _, runs in sorted(sweep.items(), reverse=True):
        own, first = own_stop(runs, cost), first_evaluation(sweep[min(sweep)], optimum, cost)
        assert own is not None  # a sweep has runs for each eps
        assert first is not None
        within = statistics.median(after_run(run, optimum) for run in runs) <= ACCURACY + ROUNDING
        if within and all(own.reached):
            least = max(0.0 if larger is None else larger.median, first.median / first.step)
            return Effort(own.costs, own.reached, max(own.median / least, 1.0))
        larger = own
    return larger and Effort(larger.costs, (False,) * len(larger.costs))


def after_run(run: Run, optimum: Optimum) -> float:
    """Return an upper bound on (J - J_opt) / J_opt at the end of a run."""
    return float(optimum.excess(column(run.curve, "primal")[-1:])[0])


def stopped(run: Run) -> bool:
    """Whether a run ended by its own rule, before its budget of epochs."""
    return bool(run.result["counters"]["epochs"] < run.result["settings"]["budget"]["epochs"])


def _end(run: Run, cost: str) -> float:
    return float(column(run.curve, cost)[-1])


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
    efforts : mapping of (str, str) to mapping of str to Effort
        By cost and protocol; of each method, in the figure's order; methods without runs are left out. Empty without
        an optimum.
    sweeps : mapping of str to Sweep
        Runs of the `STOPPING` methods that the figure has.
    unfit : str
        Why these costs are not judged; empty if they are.
    """

    panel: Panel
    C: float
    optimum: Optimum | None
    efforts: Mapping[tuple[str, str], Mapping[str, Effort]]
    sweeps: Mapping[str, Sweep]
    unfit: str = ""

    @property
    def name(self) -> str:
        """Data set and C."""
        return f"{called(self.panel)}, C = {self.C:g}"

    @property
    def short(self) -> str:
        """Data set in at most ten letters; a star marks a stand-in."""
        name = SHORT.get(self.panel.dataset, self.panel.dataset).replace("_", " ")
        return textwrap.wrap(name[0].upper() + name[1:], 10)[0] + ("*" if self.panel.stand_in else "")

    def effort(self, method: str, protocol: str = "own", cost: str = SECONDS) -> Effort | None:
        """Return the cost of a method; None without runs."""
        return self.efforts.get((cost, protocol), {}).get(method)

    def multiple(self, effort: Effort | None) -> float | None:
        """Return a time over that of the fastest method; None if it misses the target."""
        if effort is None or not effort.known:
            return None
        return effort.median / min(own.median for own in self.efforts[SECONDS, "own"].values() if own.known)


def methods(spec: FigureSpec) -> list[str]:
    """Methods that are timed, in the figure's order."""
    return list(dict.fromkeys(series.name.split()[0] for series in spec.series if series.name != SERIES))


def lines(spec: FigureSpec) -> list[tuple[str, str, str]]:
    """Return method, protocol and name of each row of a table: all methods, then the other readings."""
    names = methods(spec)
    other = [(name, protocol) for name in names if name in STOPPING for protocol in PROTOCOLS if protocol != "own"]
    rows = [(name, "own") for name in names]
    return [(name, protocol, STYLES[name].name + PROTOCOLS[protocol]) for name, protocol in [*rows, *other]]


def timed_problems(evidence: Evidence) -> list[TimedProblem]:
    """Return all data sets, for each all values of C."""
    spec = evidence.spec
    return [_timed_problem(panel, spec, C) for panel in evidence.panels for C in spec.members(SERIES)]


def _timed_problem(panel: Panel, spec: FigureSpec, C: float) -> TimedProblem:
    members = {series.name: spec.members(series.name)[C] for series in spec.series if series.name != SERIES}
    runs = {name: tuple(run for run in panel.runs.get(own, ()) if len(run.curve)) for name, own in members.items()}
    sweeps: dict[str, dict[float, tuple[Run, ...]]] = {}
    for name, own in runs.items():
        if own and (method := name.split()[0]) in STOPPING:
            sweeps.setdefault(method, {})[float(own[0].result["settings"]["algo"]["eps"])] = own
    optimum = optimum_of(panel, spec.members(SERIES)[C])
    if optimum is None:
        return TimedProblem(panel, C, None, {}, sweeps, "the optimum is not known")
    efforts: dict[tuple[str, str], dict[str, Effort]] = {}
    for cost in (SECONDS, EPOCHS):
        counted = {name: own for name, own in runs.items() if own and not np.isnan(_end(own[0], cost))}
        first = {name: first_evaluation(own, optimum, cost) for name, own in counted.items() if name in methods(spec)}
        fixed = {name: own_stop(sweep.get(ACCURACY, ()), cost) for name, sweep in sweeps.items()}
        best = {name: best_stop(sweep, optimum, cost) for name, sweep in sweeps.items()}
        for protocol, timed in (("first", first), ("fixed", first | fixed), ("own", first | best)):
            efforts[cost, protocol] = {name: found for name, found in timed.items() if found is not None}
    unfit = ""
    if optimum.uncertainty > KNOWN:
        unfit = f"the optimum is known to {100 * optimum.uncertainty:.2g} % only"
    return TimedProblem(panel, C, optimum, efforts, sweeps, unfit or clock_mismatch(panel, members.values()))
