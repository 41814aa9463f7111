"""Claim 3: time falls along Pegasos, SGD-r, SGD-s and SGD-m."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from experiments.papers.cases import decided
from experiments.papers.sgdr.questions import Question, Side, summary, when_told
from experiments.papers.sgdr.timing import Case
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.spec import ClaimSpec
from experiments.reproduction.verdict import Claim

CHAIN: Final = ("pegasos", "sgd_r", "sgd_s", "sgd_m")
RULE: Final = (
    "For each data set, C and pair of neighbours in the chain: median CPU time of the first over that of the second. "
    "Reproduced: the 95 % interval over the runs of both lies above 1; not reproduced: at or below 1; else unclear. "
    "Pegasos and SGD-r are timed to the first checkpoint within 1 % of the optimum, SGD-s and SGD-m to their own stop, "
    "for they know when they are done; the other two are told. Measured beside it: SGD-s and SGD-m told as well. (The "
    "paper says that their times hold the computation of their stopping rule, but its eps, an input, is lost.)"
)


def judge(evidence: Evidence, spec: ClaimSpec, cases: Sequence[Case]) -> Claim:
    """Judge the claim by all data sets and values of C."""
    questions = [
        Question(Side((first,)), Side((second,)), lambda ratio: ratio.above(1.0)) for first, second in pairwise(CHAIN)
    ]
    answers = [question.parts(evidence, cases) for question in questions]
    sentences = [summary(question, parts) for question, parts in zip(questions, answers, strict=True)]
    return decided(spec, RULE, answers, " ".join([*sentences, when_told(questions, evidence, cases)]))
