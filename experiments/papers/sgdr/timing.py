"""Costs of all methods to the target accuracy, on every data set and for every C."""

from __future__ import annotations

import statistics
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

import numpy as np
import pandas as pd

from ...curve import ROUNDING, column
from ...plotting.bands import Band, band
from ...reproduction.evidence import Evidence, Panel, Run
from ...reproduction.statistics.target import Effort, cost_to_target, effort_of
from ..optimum import KNOWN, SERIES, Optimum, optimum_of
from ..panels import called
from ..samples import Sample, samples
from ..times import clock_mismatch

ACCURACY: Final = 0.01
"""Target of (J - J_opt) / J_opt."""
STOPPING: Final = ("sgd_s", "sgd_m")
"""Methods that stop at an accuracy that is their parameter, `EPS`; several values of it are run."""
EPS: Final = "algo.eps"

Method = Literal[
    "pegasos",
    "svmsgd",
    "sgdqn",
    "sgdqn_2009",
    "sgd_r",
    "sgd_s",
    "sgd_m",
    "svmperf",
    "ocas",
    "liblinear",
    "dcd",
    "mpu",
]
Protocol = Literal["own", "fixed", "first"]
PROTOCOLS: Final[Mapping[str, str]] = {"own": "", "fixed": f" eps = {ACCURACY:g}", "first": " first evaluation"}
"""How a `STOPPING` method is timed, and the end of its name then; others are timed to the first evaluation within 1 %.

``own``, the method's result: to its stop, with the largest eps at which this stop is within the target. ``fixed``: to
its stop, with the target as eps. ``first``: as the others.
"""
SECONDS: Final = "cpu_seconds"
EPOCHS: Final = "epochs"
SHORT: Final = {"covtype": "Forest", "ijcnn1": "IJCNN1", "newsgroups_binary": "20 News", "rcv1_ccat": "CCAT"}
"""Short names of data sets, for narrow columns; others have their own names."""

Sweep = Mapping[float, tuple[Run, ...]]
"""Runs of a method for each eps, at least one."""


def first_evaluation(runs: Sequence[Run], optimum: Optimum, cost: str = SECONDS) -> Effort | None:
    """Return the cost of some runs to their first evaluation within the target; None without runs."""
    frames = [run.curve for run in runs]
    return cost_to_target(frames, cost, lambda frame: optimum.excess(column(frame, "primal")), ACCURACY)


def own_stop(runs: Sequence[Run], cost: str = SECONDS) -> Effort | None:
    """Return the cost of some runs to their stop by their own rule; None without runs."""
    costs = [end_of(run, cost) for run in runs]
    stops = [end if stopped(run) else None for run, end in zip(runs, costs, strict=True)]
    return effort_of(stops, max(costs)) if runs else None


def best_stop(sweep: Sweep, optimum: Optimum, cost: str = SECONDS) -> Effort | None:
    """Return the cost to the method's own stop, with the largest eps whose median run stops within the target.

    Its least cost is that below which no stop is within the target: that at the next larger eps, which misses it, or
    that of the first evaluation within it, as the steps do not depend on eps. If no eps is within the target: the runs
    of the smallest, as missed. None without runs.
    """
    if not sweep:
        return None
    first, larger = first_evaluation(sweep[min(sweep)], optimum, cost), None
    for _, runs in sorted(sweep.items(), reverse=True):
        stops = own_stop(runs, cost)
        assert first is not None  # a sweep has runs for each eps
        assert stops is not None
        within = statistics.median(after_run(run, optimum) for run in runs) <= ACCURACY * (1 + ROUNDING)
        if within and all(stops.reached):
            least = max(0.0 if larger is None else larger.median, first.median / first.step)
            return Effort(stops.costs, stops.reached, tuple(min(cost, least) for cost in stops.costs))
        larger = stops
    return larger and Effort(larger.costs, (False,) * len(larger.costs))


def after_run(run: Run, optimum: Optimum) -> float:
    """Return an upper bound on (J - J_opt) / J_opt at the end of a run."""
    return float(optimum.excess(end_of(run, "primal")))


def stopped(run: Run) -> bool:
    """Whether a run ended by its own rule, before its budget of epochs."""
    return bool(run.result["counters"]["epochs"] < run.result["settings"]["budget"]["epochs"])


def end_of(run: Run, name: str) -> float:
    """Return the last value of a column of a run's curve."""
    return float(column(run.curve, name)[-1])


@dataclass(frozen=True)
class ProblemRuns:
    """The samples of all methods on one data set with one C.

    `unfit`: why its costs are not judged; empty if they are.
    """

    panel: Panel
    C: float
    optimum: Optimum | None
    samples: Sequence[Sample]
    unfit: str = ""

    @cached_property
    def runs(self) -> Mapping[str, tuple[Run, ...]]:
        """Runs of the methods, in the figure's order; of those with several eps the runs with `ACCURACY`."""
        return {sample.series: sample.runs for sample in self.samples if sample.values.get(EPS, ACCURACY) == ACCURACY}

    @property
    def name(self) -> str:
        """Data set and C."""
        return f"{called(self.panel)}, C = {self.C:g}"

    @property
    def short(self) -> str:
        """Data set in at most ten letters; a star marks a stand-in."""
        dataset = self.panel.dataset.removesuffix("_subset")
        name = SHORT.get(dataset, dataset).replace("_", " ")
        return textwrap.wrap(name[0].upper() + name[1:], 10)[0] + ("*" if self.panel.stand_in else "")

    def frames(self, method: str) -> list[pd.DataFrame]:
        """Return the curves of a method."""
        return [run.curve for run in self.runs.get(method, ())]

    def excess(self, method: str, cost: str = SECONDS) -> Band | None:
        """Return (J - J_opt) / J_opt of a method against a cost; None without runs or without an optimum."""
        if (optimum := self.optimum) is None:
            return None
        return band([(column(frame, cost), optimum.excess(column(frame, "primal"))) for frame in self.frames(method)])

    @cached_property
    def sweeps(self) -> Mapping[str, Sweep]:
        """Runs of the `STOPPING` methods."""
        sweeps: dict[str, dict[float, tuple[Run, ...]]] = {}
        for sample in self.samples:
            if sample.runs and EPS in sample.values:
                sweeps.setdefault(sample.series, {})[sample.values[EPS]] = sample.runs
        return sweeps

    @cached_property
    def bands(self) -> Mapping[str, Band]:
        """(J - J_opt) / J_opt of the methods against CPU seconds."""
        return {name: curve for name in self.runs if (curve := self.excess(name)) is not None}

    def effort(self, method: str, protocol: str = "own", cost: str = SECONDS) -> Effort | None:
        """Return the cost of a method; None without runs or without an optimum."""
        key = (method, protocol if method in self.sweeps else "first", cost)
        if key not in self._efforts:
            self._efforts[key] = self._measured(*key)
        return self._efforts[key]

    @cached_property
    def _efforts(self) -> dict[tuple[str, str, str], Effort | None]:
        return {}

    def _measured(self, method: str, protocol: str, cost: str) -> Effort | None:
        if self.optimum is None:
            return None
        if protocol == "own":
            return best_stop(self.sweeps[method], self.optimum, cost)
        if protocol == "fixed":
            return own_stop(self.sweeps[method].get(ACCURACY, ()), cost)
        runs = self.runs.get(method, ())
        return first_evaluation(runs, self.optimum, cost) if runs and not np.isnan(end_of(runs[0], cost)) else None

    def least_and_last(self, method: str) -> str:
        """Write J over J_opt at its least and at the end, medians over the runs of a method; empty without runs."""
        if self.optimum is None or not self.runs.get(method):
            return ""
        multiples = [1 + self.optimum.excess(column(frame, "primal")) for frame in self.frames(method)]
        least, last = np.median([(np.nanmin(values), values[-1]) for values in multiples], axis=0)
        return f"J/J_opt at best {least:.3g}, last {last:.3g}"

    def multiple(self, effort: Effort | None) -> float | None:
        """Return a time over that of the fastest method; None if it misses the target."""
        return None if effort is None or not effort.mostly_reached else effort.median / self._fastest

    @cached_property
    def _fastest(self) -> float:
        efforts = [effort for name in self.runs if (effort := self.effort(name)) is not None]
        return min(effort.median for effort in efforts if effort.mostly_reached)


def problem_runs(evidence: Evidence) -> list[ProblemRuns]:
    """Return a `ProblemRuns` for each data set and each value of C."""
    by_problem: dict[tuple[str, float], list[Sample]] = {}
    for sample in samples(evidence):
        by_problem.setdefault((sample.panel.paper_dataset, sample.values["problem.C"]), []).append(sample)
    return [_problem_runs(C, of_problem) for (_, C), of_problem in by_problem.items()]


def _problem_runs(C: float, every: Sequence[Sample]) -> ProblemRuns:
    (reference,) = (sample for sample in every if sample.series == SERIES)
    panel = reference.panel
    methods, optimum = [sample for sample in every if sample is not reference], optimum_of(panel, reference.name)
    if optimum is None:
        unfit = "the optimum is not known"
    elif optimum.uncertainty > KNOWN:
        unfit = f"the optimum is known to {100 * optimum.uncertainty:.2g} % only"
    else:
        unfit = clock_mismatch(panel, [sample.name for sample in methods])
    return ProblemRuns(panel, C, optimum, methods, unfit)
