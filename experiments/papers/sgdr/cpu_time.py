"""Time tables, in double and in single precision: CPU time of all methods to an accuracy of 0.01, and their stops."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ...curve import ROUNDING, column
from ...plotting import STYLES
from ...reproduction.evidence import Evidence, FigureResult
from ...reproduction.statistics.interval import FAILS, HOLDS, MISSING, UNCLEAR, bootstrap_geometric_mean
from ...reproduction.statistics.ratio import Ratio
from ..cases import Case, Findings, Statistic, judge_claims
from ..kinds import Limits
from ..times import seconds_text, widened
from .comparisons import When, case_at, findings_of, problems_at
from .time_tables import make_tables
from .timing import EPOCHS, SECONDS, Method, ProblemRuns, Sweep, after_run, end_of, problem_runs, stopped


@dataclass(frozen=True, kw_only=True)
class StopAccuracy(Statistic, kind="stop_accuracy"):
    """(J - J_opt) / J_opt is at most eps at each stop of `methods`, for every optimum in the certified interval."""

    methods: list[Method]

    def findings(self, data: Sequence[ProblemRuns], evidence: Evidence) -> Findings:
        """Measure all stops of each method on each problem."""
        answers = {STYLES[name].name: [_stop_case(problem, name) for problem in data] for name in self.methods}
        return findings_of(answers, worst="largest_share_of_eps")


def _stop_case(problem: ProblemRuns, name: str) -> Case:
    method, sweep, optimum = STYLES[name].name, problem.sweeps.get(name), problem.optimum
    if not sweep or optimum is None:
        return case_at(problem, name, MISSING, f"no finished runs of {method}" if optimum else problem.unfit)
    stops = [(end_of(run, "primal"), eps) for eps, runs in sweep.items() for run in runs if stopped(run)]
    if not stops:
        return case_at(problem, name, UNCLEAR, f"{method}: no run stopped by its own rule")
    last_primals, limits = np.transpose(stops)
    most, certain = (
        float((excess / limits).max()) for excess in (optimum.excess(last_primals), optimum.least_excess(last_primals))
    )
    decision = HOLDS if most <= 1 + ROUNDING else FAILS if certain > 1 + ROUNDING else UNCLEAR
    statistic = {"stops": len(stops), "largest_share_of_eps": most, "uncertainty": optimum.uncertainty}
    text = f"{method}: at most {most:.2g} eps above the optimum (stops: {len(stops)})"
    return case_at(problem, name, decision, text, statistic)


@dataclass(frozen=True, kw_only=True)
class StopCost(Limits, kind="stop_cost"):
    """The time of `methods` to their stop over the time after as many epochs without their stopping rule.

    The interval is widened by `times.widened`.
    """

    methods: list[Method]

    def findings(self, data: Sequence[ProblemRuns], evidence: Evidence) -> Findings:
        """Compare the times of each method on each problem."""
        end = "to its stop over the same epochs with the smallest eps"
        titles = {name: f"{STYLES[name].name} {end}" for name in self.methods}
        return findings_of(
            {title: [self._case(problem, name, title) for problem in data] for name, title in titles.items()}
        )

    def _case(self, problem: ProblemRuns, name: str, title: str) -> Case:
        times = times_of_stops(problem.sweeps.get(name, {}))
        if not len(times):
            return case_at(problem, name, MISSING, f"no finished runs of {STYLES[name].name} with several eps")
        if problem.unfit:
            return case_at(problem, name, UNCLEAR, problem.unfit)
        ratio = widened(Ratio(bootstrap_geometric_mean(np.log(times[:, 0] / times[:, 1]))))
        return case_at(problem, name, self.decide(ratio), f"{title} {ratio.text()}", {"ratio": ratio.as_dict()})


def times_of_stops(sweep: Sweep) -> NDArray[np.float64]:
    """Return the time to each stop, and that after as many epochs of the run with the smallest eps, (stops, 2).

    Long before its own stop a run does not compute the objective. Stops after that of the smallest eps do not count.
    """
    times = []
    for eps in sorted(sweep)[1:]:
        for run, longer in zip(sweep[eps], sweep[min(sweep)], strict=False):
            epochs, seconds = column(longer.curve, EPOCHS), column(longer.curve, SECONDS)
            end, time = (end_of(run, name) for name in (EPOCHS, SECONDS))
            if stopped(run) and epochs[0] <= end < epochs[-1]:
                times.append((time, float(np.interp(end, epochs, seconds))))
    return np.array(times)


@dataclass(frozen=True, kw_only=True)
class StopNearness(Limits, kind="stop_nearness"):
    """(J - J_opt) / J_opt at the stops of the `first` method over that of the `second` with the same eps."""

    first: Method
    second: Method

    def findings(self, data: Sequence[ProblemRuns], evidence: Evidence) -> Findings:
        """Compare the two methods on each problem."""
        title = f"distance at the stop, {STYLES[self.first].name} over {STYLES[self.second].name}"
        return findings_of({title: [self._case(problem, title) for problem in data]})

    def _case(self, problem: ProblemRuns, title: str) -> Case:
        first, second = (_log_ends(problem, name) for name in (self.first, self.second))
        logs = [first[eps] - second[eps] for eps in first if eps in second]
        if not logs:
            return case_at(problem, "", MISSING, problem.unfit or "there is no eps at which all runs of both stopped")
        ratio = Ratio(bootstrap_geometric_mean(logs))
        return case_at(problem, "", self.decide(ratio), f"{title} {ratio.text()}", {"ratio": ratio.as_dict()})


def _log_ends(problem: ProblemRuns, name: str) -> dict[float, float]:
    """Return the mean logarithm of (J - J_opt) / J_opt at a method's stops, for each eps at which all runs stop."""
    optimum = problem.optimum
    return {
        eps: float(np.mean([np.log(max(after_run(run, optimum), ROUNDING)) for run in runs]))
        for eps, runs in problem.sweeps.get(name, {}).items()
        if optimum is not None and all(map(stopped, runs))
    }


@dataclass(frozen=True, kw_only=True)
class EqualSteps(Statistic, kind="equal_steps"):
    """Two methods take the same steps: equal objectives at equal numbers of steps of one seed.

    `rounding` is the largest relative difference that counts as none, `different` the largest at the end where it is
    not known whether the steps are the same.
    """

    first: Method
    second: Method
    rounding: float
    different: float

    def findings(self, data: Sequence[ProblemRuns], evidence: Evidence) -> Findings:
        """Compare the two methods on each problem."""
        return findings_of({"equal objectives": [self._case(problem) for problem in data]}, worst="at_end")

    def _case(self, problem: ProblemRuns) -> Case:
        runs = [problem.runs.get(name, ()) for name in (self.first, self.second)]
        first, second = ({run.result["seed"]: run.curve for run in same} for same in runs)
        pairs = [(first[seed], second[seed]) for seed in first.keys() & second.keys()]
        pairs = [pair for pair in pairs if np.array_equal(column(pair[0], EPOCHS), column(pair[1], EPOCHS))]
        if not pairs:
            return case_at(problem, "", MISSING, "no finished runs of both methods")
        apart = [
            np.abs(column(first_curve, "primal") / column(second_curve, "primal") - 1)
            for first_curve, second_curve in pairs
        ]
        most, last = float(max(map(np.max, apart))), float(max(values[-1] for values in apart))
        text = f"objectives differ by at most {most:.1g}, at the end by {last:.1g}"
        decision = HOLDS if most <= self.rounding else FAILS if last > self.different else UNCLEAR
        return case_at(problem, "", decision, text, {"apart": most, "at_end": last, "seeds": len(pairs)})


@dataclass(frozen=True, kw_only=True)
class Failure(Statistic, kind="failure"):
    """A method fails at some values of C: its objective overflows in most runs, or all runs miss 1 % above the optimum.

    `how`: ``overflow``: more than half of the runs end without an objective; fails if more than half are within 1 %.
    ``miss``: no run comes within 1 %; fails if all do.
    """

    method: Method
    how: Literal["overflow", "miss"]
    at: When = "every"

    def findings(self, data: Sequence[ProblemRuns], evidence: Evidence) -> Findings:
        """Count the runs that fail on each problem."""
        return super().findings(problems_at(data, self.at), evidence)

    def case(self, problem: ProblemRuns, evidence: Evidence) -> Case:
        """Count the runs that fail."""
        effort, name = problem.effort(self.method), STYLES[self.method].name
        if effort is None:
            return case_at(problem, "", MISSING, problem.unfit or f"no finished runs of {name}")
        reached, runs = sum(effort.reached), len(effort.costs)
        text = f"{reached} of {runs} within 1 %"
        statistic = {"reached": reached, "runs": runs, "seconds": effort.median}
        if self.how == "miss":
            decision = HOLDS if not reached else FAILS if reached == runs else UNCLEAR
            return case_at(problem, "", decision, f"{text}, {problem.least_and_last(self.method)}", statistic)
        overflows = sum(math.isnan(end_of(run, "primal")) for run in problem.runs[self.method])
        decision = HOLDS if 2 * overflows > runs else FAILS if effort.mostly_reached else UNCLEAR
        text = f"{text} ({effort.text(seconds_text)}), {overflows} overflow"
        return case_at(problem, "", decision, text, statistic | {"overflows": overflows})


def make(evidence: Evidence) -> FigureResult:
    """Draw the tables and judge the claims."""
    problems = problem_runs(evidence)
    return make_tables(evidence.spec, problems, judge_claims(evidence, data=problems))
