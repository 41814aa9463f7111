"""Claim 3: time falls along Pegasos, SGD-r, SGD-s and SGD-m."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import geometric_mean
from typing import Final

from experiments.papers.sgdr.cases import decided
from experiments.papers.sgdr.effort import STOPPING, share_when_there
from experiments.papers.sgdr.questions import Question, Side, summary
from experiments.papers.sgdr.timing import Case
from experiments.plotting import STYLES
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.spec import ClaimSpec
from experiments.reproduction.verdict import Claim

CHAIN: Final = ("pegasos", "sgd_r", "sgd_s", "sgd_m")
RULE: Final = (
    "For each data set, C and pair of neighbours in the chain: median CPU time of the first over that of the second. "
    "Reproduced: the 95 % interval over the runs of both lies above 1; not reproduced: at or below 1; else unclear. "
    "Pegasos and SGD-r are timed to the first checkpoint within 1 % of the optimum, SGD-s and SGD-m to their own stop, "
    "as in the paper: the two pay for their certificate, the other two are told when they are done."
)


def judge(evidence: Evidence, spec: ClaimSpec, cases: Sequence[Case]) -> Claim:
    """Judge the claim by all data sets and values of C."""
    questions = [
        Question(Side((first,)), Side((second,)), lambda ratio: ratio.above(1.0)) for first, second in pairwise(CHAIN)
    ]
    answers = [question.parts(evidence, cases) for question in questions]
    sentences = [summary(question, parts) for question, parts in zip(questions, answers, strict=True)]
    return decided(spec, RULE, answers, " ".join([*sentences, *_first_there(evidence, cases)]))


def _first_there(evidence: Evidence, cases: Sequence[Case]) -> Iterator[str]:
    """Say how early those that stop by themselves are there, without knowing it."""
    for name in STOPPING:
        runs = [(case, case.panel.runs.get(evidence.spec.members(name)[case.C], ())) for case in cases]
        shares = [share for case, own in runs if case.optimum and (share := share_when_there(own, case.optimum))]
        if shares:
            yield (
                f"{STYLES[name].name} first is within 1 % of the optimum after {geometric_mean(shares):.2g} of its "
                "time (geometric mean; as far as its checkpoints tell)."
            )
