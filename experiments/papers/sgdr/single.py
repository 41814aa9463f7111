"""Single precision: CPU time of SVMSGD, SGD-QN and SGD-m with 32-bit weights."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import Final

from experiments.papers.cases import Case, above, claim_from_groups, interval_text
from experiments.papers.effort import RESAMPLES
from experiments.papers.sgdr.comparisons import Comparison, Side, summary, summary_to_target
from experiments.papers.sgdr.time_tables import make_times
from experiments.papers.sgdr.timing import TimedProblem
from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.figure_result import FigureResult
from experiments.reproduction.spec import ClaimSpec
from experiments.reproduction.statistics import Interval, bootstrap_groups
from experiments.reproduction.verdict import Claim

SLOWEST: Final = "svmsgd"
FASTEST: Final = "sgd_m"
MIDDLE: Final = "sgdqn"
PAIR: Final = (SLOWEST, FASTEST)
MANY: Final = 10_000
"""Data with at least this many dimensions count as sparse and high-dimensional."""
RULE: Final = (
    "For each data set and C, by median CPU times and their 95 % intervals over the runs: SVMSGD takes longer than the "
    "slower of the other two; the faster of the other two takes longer than SGD-m. Most on sparse data of many "
    f"dimensions ({MANY:,} at least, our number): SVMSGD's time over SGD-m's, geometric mean over these data sets and "
    "all C, is larger than that of the other data sets. A case whose interval contains 1 is unclear."
)
COMPARISONS: Final = (
    Comparison(Side((SLOWEST,)), Side((MIDDLE, FASTEST), "slowest"), lambda ratio: ratio.above(1.0)),
    Comparison(Side((SLOWEST, MIDDLE)), Side((FASTEST,)), lambda ratio: ratio.above(1.0)),
)


def judge_single(evidence: Evidence, spec: ClaimSpec, problems: Sequence[TimedProblem]) -> Claim:
    """Judge claim 5: in single precision SVMSGD is the slowest and SGD-m the fastest, most on sparse data."""
    answers = [comparison.cases(evidence, problems) for comparison in COMPARISONS]
    sentences = [summary(comparison, cases) for comparison, cases in zip(COMPARISONS, answers, strict=True)]
    sparse = sparsity(evidence, problems)
    text = [*sentences, sparse.measured, summary_to_target(COMPARISONS, evidence, problems)]
    return claim_from_groups(spec, RULE, [*answers, [sparse]], " ".join(filter(None, text)))


def dimensions(panel: Panel) -> int:
    """Return the number of features, as the runs recorded it; 0 without runs."""
    run = next((run for runs in panel.runs.values() for run in runs), None)
    return 0 if run is None else int(run.result["provenance"]["data"]["counts"]["train"]["d"])


def sparsity(evidence: Evidence, problems: Sequence[TimedProblem]) -> Case:
    """Compare SVMSGD's time over SGD-m's between data of many dimensions and others."""
    place, about = ("all", "sparse"), "Sparse data against others"
    fit = [problem for problem in problems if not problem.unfit and evidence.declared(problem.panel)]
    usable = [
        problem for problem in fit if all(name in problem.efforts and problem.efforts[name].known for name in PAIR)
    ]
    many = [dimensions(problem.panel) >= MANY for problem in usable]
    if not any(many) or all(many):
        return Case(place, about, "not_applicable", note="there are no runs of both methods on both kinds of data")
    found = ratio_of_means(usable, many)
    statistic = {"ratio_of_ratios": found.as_dict(), "sparse_cases": sum(many), "other_cases": len(many) - sum(many)}
    measured = (
        f"On sparse data of many dimensions SVMSGD over SGD-m is {interval_text(found, '.3g')} times that on others."
    )
    note = f"{len(problems) - len(usable)} of {len(problems)} cases left out" if len(usable) < len(problems) else ""
    return Case(place, about, above(found, 1.0), measured, statistic, note)


def ratio_of_means(problems: Sequence[TimedProblem], many: Sequence[bool]) -> Interval:
    """Ratio of the geometric means of the times' ratios on sparse and on other data, resampling all runs."""
    signs = [1.0 / sum(many) if each else -1.0 / (len(many) - sum(many)) for each in many]
    groups = [problem.efforts[name].costs for problem in problems for name in PAIR]
    weights = [weight for sign in signs for weight in (sign, -sign)]

    def of(*chosen: Sequence[int]) -> float:
        return math.exp(
            sum(
                weight * math.log(statistics.median(seconds[k] for k in runs))
                for weight, seconds, runs in zip(weights, groups, chosen, strict=True)
            )
        )

    interval = bootstrap_groups(of, [len(seconds) for seconds in groups], resamples=RESAMPLES)
    assert interval is not None  # all groups have runs
    return interval


JUDGES = {"sgdr.5": judge_single}


def make(evidence: Evidence) -> FigureResult:
    """Draw the table and judge the claim."""
    return make_times(evidence, JUDGES)
