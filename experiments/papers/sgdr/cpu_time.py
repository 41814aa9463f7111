"""Time tables: CPU time of all methods to an accuracy of 0.01."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise, product
from typing import Final

import numpy as np

from svm_cost_curves.experiments.curve import column
from svm_cost_curves.experiments.papers.cases import (
    FAILS,
    HOLDS,
    MISSING,
    UNCLEAR,
    Case,
    Choice,
    Decision,
    Findings,
    above,
    interval_text,
)
from svm_cost_curves.experiments.papers.effort import seconds_text
from svm_cost_curves.experiments.papers.optimum import Optimum
from svm_cost_curves.experiments.papers.sgdr.comparisons import (
    COMPARISON_OPTIONS,
    Comparison,
    case_at,
    geometric_interval,
    middle_of,
    summary,
)
from svm_cost_curves.experiments.papers.sgdr.time_tables import TimesJudge, make_times
from svm_cost_curves.experiments.papers.sgdr.timing import (
    EPOCHS,
    ROUNDING,
    SECONDS,
    STOPPING,
    Sweep,
    TimedProblem,
    after_run,
    stopped,
)
from svm_cost_curves.experiments.plotting import STYLES
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Run
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult
from svm_cost_curves.experiments.reproduction.statistics import Interval

CHAIN: Final = ("pegasos", "sgd_r", "sgd_s", "sgd_m")
LINEAR: Final = ("svmperf", "ocas", "dcd", "mpu")
"""The linear SVMs."""
COMPARISONS: Final[Mapping[str, Comparison]] = {
    "sgdr.3": Comparison(tuple(pairwise(CHAIN)), "middle"),
    "sgdr.4": Comparison(tuple(product(STOPPING, LINEAR)), "middle", "comparable", at_most=True),
    "sgdr.overall": Comparison((("pegasos", "sgd_m"),), "middle", "factor"),
    "sgdr.svmperf": Comparison((("svmperf", "sgd_s"), ("svmperf", "sgd_m")), "middle", "factor"),
    "sgdr.ocas": Comparison((("ocas", "sgd_s"), ("ocas", "sgd_m")), "middle"),
    "sgdr.dual_ahead": Comparison((("sgd_m", "dcd"), ("sgd_m", "mpu")), "middle"),
    "sgdr.dual_near": Comparison((("sgd_m", "dcd"), ("sgd_m", "mpu")), "middle", "factor", at_most=True),
    "sgdr.permutations": Comparison((("sgd_r", "sgd_s"),), cost=EPOCHS),
    "sgdr.magnified": Comparison((("pegasos", "sgd_m"),), "largest", growth=True),
    "sgdr.scaling": Comparison(tuple(product(("sgd_m",), LINEAR)), "largest", "factor", growth=True),
    "sgdr.large_dual": Comparison((("ocas", "dcd"), ("ocas", "mpu")), "largest"),
    "sgdr.large_svmperf": Comparison((("svmperf", "sgd_m"),), "largest"),
    "sgdr.large_ocas": Comparison((("sgd_m", "ocas"),), "largest"),
    "sgdr.alleviated": Comparison((("pegasos", "sgd_m"),), "smallest", growth=True),
    "sgdr.small": Comparison(tuple(product(LINEAR, CHAIN[1:])), "smallest"),
    "sgdr.small_svmperf": Comparison((("svmperf", "pegasos"),), "smallest"),
    "sgdr.small_ocas": Comparison((("ocas", "pegasos"),), "smallest"),
}


def judge_stop(evidence: Evidence, choice: Choice, problems: Sequence[TimedProblem]) -> Findings:
    """Judge whether the accuracy at a stop is at most the eps that was asked for."""
    answers = {name: [_stop_case(problem, name) for problem in problems] for name in STOPPING}
    texts = [_stop_sentence(name, cases) for name, cases in answers.items()]
    return Findings([case for cases in answers.values() for case in cases], " ".join(filter(None, texts)))


def at_stop(run: Run, eps: float, optimum: Optimum) -> Decision:
    """Decide whether (J - J_opt) / J_opt at a run's end is at most eps, for every possible optimum."""
    least = float(optimum.least_excess(column(run.curve, "primal")[-1:])[0])
    return HOLDS if after_run(run, optimum) <= eps + ROUNDING else FAILS if least > eps + ROUNDING else UNCLEAR


def _stop_case(problem: TimedProblem, name: str) -> Case:
    method, sweep, optimum = STYLES[name].name, problem.sweeps.get(name), problem.optimum
    if not sweep or optimum is None:
        return case_at(problem, name, MISSING, f"no finished runs of {method}" if optimum else problem.unfit)
    stops = [(run, eps) for eps, runs in sweep.items() for run in runs if stopped(run)]
    if not stops:
        return case_at(problem, name, UNCLEAR, f"{method}: no run stopped by its own rule")
    rulings = [at_stop(run, eps, optimum).ruling for run, eps in stops]
    largest = max(after_run(run, optimum) / eps for run, eps in stops)
    decision = FAILS if "fails" in rulings else UNCLEAR if "unclear" in rulings else HOLDS
    statistic = {"stops": len(stops), "largest_share_of_eps": largest, "uncertainty": optimum.uncertainty}
    text = f"{method}: up to {largest:.2g} eps above an optimum known to {optimum.uncertainty:.1g}"
    return case_at(problem, name, decision, text, statistic)


def _stop_sentence(name: str, cases: Sequence[Case]) -> str:
    """Write how many runs of a method stopped, and the largest distance from the optimum."""
    measured = [case for case in cases if case.statistic]
    if not measured:
        return ""
    worst = max(measured, key=lambda case: float(case.statistic["largest_share_of_eps"]))
    return (
        f"{STYLES[name].name}: {sum(case.statistic['stops'] for case in measured)} stops, at most "
        f"{worst.statistic['largest_share_of_eps']:.2g} eps above the optimum ({worst.about})."
    )


def judge_stopping_cost(evidence: Evidence, choice: Choice, problems: Sequence[TimedProblem]) -> Findings:
    """Judge whether the computation of the stopping rule takes time."""
    answers = {name: [_stopping_cost_case(problem, name) for problem in problems] for name in STOPPING}
    text = [summary(f"{STYLES[name].name} with its stopping rule over without", own) for name, own in answers.items()]
    return Findings([case for cases in answers.values() for case in cases], " ".join(text))


def _stopping_cost_case(problem: TimedProblem, name: str) -> Case:
    found, method = cost_of_stopping(problem.sweeps.get(name, {})), STYLES[name].name
    if found is None:
        return case_at(problem, name, MISSING, f"no finished runs of {method} with several eps")
    if problem.unfit:
        return case_at(problem, name, UNCLEAR, problem.unfit)
    statistic = {"ratio": found.as_dict() | {"bound": ""}}
    return case_at(problem, name, above(found, 1.0), f"{method}: {interval_text(found, '.3g')}", statistic)


def cost_of_stopping(sweep: Sweep) -> Interval | None:
    """Return the time to a stop over the time after as many epochs of the run with the smallest eps; geometric mean.

    Long before its own stop a run does not compute the objective. None without stops before that of the smallest eps.
    """
    logs = []
    for eps in sorted(sweep)[1:]:
        for run, longer in zip(sweep[eps], sweep[min(sweep)], strict=False):
            epochs, seconds = column(longer.curve, EPOCHS), column(longer.curve, SECONDS)
            end, time = (float(column(run.curve, name)[-1]) for name in (EPOCHS, SECONDS))
            if stopped(run) and epochs[0] <= end < epochs[-1]:
                logs.append(math.log(time / float(np.interp(end, epochs, seconds))))
    return geometric_interval(logs) if logs else None


def judge_closer(evidence: Evidence, choice: Choice, problems: Sequence[TimedProblem]) -> Findings:
    """Judge whether SGD-s comes closer to the accuracy that was asked for than SGD-m."""
    cases = [_closer_case(problem) for problem in problems]
    return Findings(cases, summary("(J - J_opt) / J_opt at the same eps, SGD-s over SGD-m", cases))


def _closer_case(problem: TimedProblem) -> Case:
    found = None if problem.optimum is None else nearness(problem, problem.optimum)
    if found is None:
        return case_at(problem, "", MISSING, problem.unfit or "SGD-s and SGD-m have no eps at which both stopped")
    text = f"(J - J_opt) / J_opt of SGD-s at its stops is {found.estimate:.2g} times that of SGD-m"
    return case_at(problem, "", above(found, 1.0), text, {"ratio": found.as_dict() | {"bound": ""}})


def nearness(problem: TimedProblem, optimum: Optimum) -> Interval | None:
    """Return (J - J_opt) / J_opt at the stops of SGD-s over that of SGD-m, geometric mean over their common eps."""
    ends = [
        {
            eps: np.mean([np.log(max(after_run(run, optimum), ROUNDING)) for run in runs])
            for eps, runs in problem.sweeps.get(name, {}).items()
            if all(map(stopped, runs))
        }
        for name in STOPPING
    ]
    logs = [ends[0][eps] - ends[1][eps] for eps in ends[0] if eps in ends[1]]
    return geometric_interval(logs) if logs else None


def judge_equal(evidence: Evidence, choice: Choice, problems: Sequence[TimedProblem]) -> Findings:
    """Judge whether SGD-r takes the steps of Pegasos: equal objectives at equal numbers of steps of one seed."""
    cases = [_equal_case(evidence, choice, problem) for problem in problems]
    run = [case for case in cases if case.statistic]
    equal, last = (
        sum(case.ruling == "holds" for case in run),
        max((case.statistic["at_end"] for case in run), default=0),
    )
    text = f"Equal in {equal} of {len(run)} cases; in the others the last objectives differ by {last:.1g} at most."
    return Findings(cases, text if run else "")


def _equal_case(evidence: Evidence, choice: Choice, problem: TimedProblem) -> Case:
    panel, series = problem.panel, [evidence.spec.members(name)[problem.C] for name in CHAIN[:2]]
    runs = [dict(zip(panel.seeds(name), panel.curves(name), strict=True)) for name in series]
    ratios = [
        np.abs(column(runs[0][seed], "primal") / column(runs[1][seed], "primal") - 1)
        for seed in runs[0].keys() & runs[1].keys()
        if np.array_equal(column(runs[0][seed], EPOCHS), column(runs[1][seed], EPOCHS))
    ]
    if not ratios:
        return case_at(problem, "", MISSING, "no finished runs of both methods")
    most, last = float(max(own.max() for own in ratios)), float(max(own[-1] for own in ratios))
    text = f"the objectives differ by at most {most:.1g}, at the end by {last:.1g} (relative)"
    decision = HOLDS if most <= choice["rounding"] else FAILS if last > choice["different"] else UNCLEAR
    return case_at(problem, "", decision, text, {"apart": most, "at_end": last, "seeds": len(ratios)})


def judge_numerical(
    evidence: Evidence, choice: Choice, problems: Sequence[TimedProblem], at: Callable[[Sequence[float]], float]
) -> Findings:
    """Judge whether Pegasos has numerical problems at one C of those that were run, chosen by `at`."""
    values = sorted({problem.C for problem in problems})
    return Findings([_numerical_case(evidence, problem) for problem in problems if at(values) == problem.C])


def _numerical_case(evidence: Evidence, problem: TimedProblem) -> Case:
    effort = problem.effort("pegasos")
    if effort is None:
        return case_at(problem, "", MISSING, problem.unfit or "no finished runs of Pegasos")
    ends = [column(frame, "primal")[-1] for frame in problem.panel.curves(evidence.spec.members("pegasos")[problem.C])]
    broken, time = sum(map(math.isnan, ends)), effort.text(seconds_text)
    text = f"{broken} of {len(ends)} runs of Pegasos overflow, {sum(effort.reached)} are within 1 % ({time})"
    decision = HOLDS if 2 * broken > len(ends) else FAILS if effort.known else UNCLEAR
    statistic = {"overflows": broken, "reached": sum(effort.reached), "runs": len(ends), "seconds": effort.median}
    return case_at(problem, "", decision, text, statistic)


OPTIONS = dict.fromkeys(COMPARISONS, COMPARISON_OPTIONS)
JUDGES: Final[Mapping[str, TimesJudge]] = {name: each.judge for name, each in COMPARISONS.items()} | {
    "sgdr.2": judge_stop,
    "sgdr.closer": judge_closer,
    "sgdr.stopping_cost": judge_stopping_cost,
    "sgdr.perceptron": judge_equal,
    "sgdr.numerical": partial(judge_numerical, at=max),
    "sgdr.numerical_covtype": partial(judge_numerical, at=middle_of),
}


def make(evidence: Evidence) -> FigureResult:
    """Draw the tables and judge the claims."""
    return make_times(evidence, JUDGES)
