"""Claim 5: in single precision SVMSGD is the slowest and SGD-m the fastest, most on sparse data of many dimensions."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import Final

from experiments.papers.cases import decided
from experiments.papers.effort import RESAMPLES
from experiments.papers.judging import Part, above, between
from experiments.papers.sgdr.questions import Question, Side, summary, when_told
from experiments.papers.sgdr.timing import Case
from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.spec import ClaimSpec
from experiments.reproduction.statistics import Interval, bootstrap_groups
from experiments.reproduction.verdict import Claim

SLOWEST: Final = "svmsgd"
FASTEST: Final = "sgd_m"
MIDDLE: Final = "sgdqn"
PAIR: Final = (SLOWEST, FASTEST)
MANY: Final = 10_000
"""Dimensions from which on data count as sparse and high-dimensional."""
RULE: Final = (
    "For each data set and C, by median CPU times and their 95 % intervals over the runs: SVMSGD takes longer than the "
    "slower of the other two; the faster of the other two takes longer than SGD-m. Most on sparse data of many "
    f"dimensions ({MANY:,} at least, our number): SVMSGD's time over SGD-m's, geometric mean over these data sets and "
    "all C, is larger than that of the other data sets. A case whose interval holds 1 is unclear."
)
QUESTIONS: Final = (
    Question(Side((SLOWEST,)), Side((MIDDLE, FASTEST), "slowest"), lambda ratio: ratio.above(1.0)),
    Question(Side((SLOWEST, MIDDLE)), Side((FASTEST,)), lambda ratio: ratio.above(1.0)),
)


def judge(evidence: Evidence, spec: ClaimSpec, cases: Sequence[Case]) -> Claim:
    """Judge the claim by all data sets and values of C."""
    answers = [question.parts(evidence, cases) for question in QUESTIONS]
    sentences = [summary(question, parts) for question, parts in zip(QUESTIONS, answers, strict=True)]
    sparse = sparsity(evidence, cases)
    text = [*sentences, sparse.measured, when_told(QUESTIONS, evidence, cases)]
    return decided(spec, RULE, [*answers, [sparse]], " ".join(filter(None, text)))


def dimensions(panel: Panel) -> int:
    """Return the number of features, as the runs recorded it; 0 without runs."""
    run = next((run for runs in panel.runs.values() for run in runs), None)
    return 0 if run is None else int(run.result["provenance"]["data"]["counts"]["train"]["d"])


def sparsity(evidence: Evidence, cases: Sequence[Case]) -> Part:
    """Compare SVMSGD's time over SGD-m's between data of many dimensions and others."""
    place, about = ("all", "sparse"), "Sparse data against others"
    fit = [case for case in cases if not case.unfit and evidence.declared(case.panel)]
    usable = [case for case in fit if all(name in case.efforts and case.efforts[name].known for name in PAIR)]
    many = [dimensions(case.panel) >= MANY for case in usable]
    if not any(many) or all(many):
        return Part(place, about, "not_applicable", note="there are no runs of both methods on both kinds of data")
    found = ratio_of_means(usable, many)
    statistic = {"ratio_of_ratios": found.as_dict(), "sparse_cases": sum(many), "other_cases": len(many) - sum(many)}
    measured = f"On sparse data of many dimensions SVMSGD over SGD-m is {between(found, '.3g')} times that on others."
    note = f"{len(cases) - len(usable)} of {len(cases)} cases left out" if len(usable) < len(cases) else ""
    return Part(place, about, above(found, 1.0), measured, statistic, note)


def ratio_of_means(cases: Sequence[Case], many: Sequence[bool]) -> Interval:
    """Geometric mean of the ratios of some cases over that of the others, resampling all runs."""
    signs = [1.0 / sum(many) if each else -1.0 / (len(many) - sum(many)) for each in many]
    groups = [case.efforts[name].costs for case in cases for name in PAIR]
    weights = [weight for sign in signs for weight in (sign, -sign)]

    def of(*chosen: Sequence[int]) -> float:
        return math.exp(
            sum(
                weight * math.log(statistics.median(seconds[k] for k in runs))
                for weight, seconds, runs in zip(weights, groups, chosen, strict=True)
            )
        )

    interval = bootstrap_groups(of, [len(seconds) for seconds in groups], resamples=RESAMPLES)
    assert interval is not None  # all have runs
    return interval
