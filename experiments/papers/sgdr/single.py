"""Single precision: CPU time of SVMSGD, SGD-QN and SGD-m with 32-bit weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from svm_cost_curves.experiments.papers.cases import FAILS, HOLDS, MISSING, UNCLEAR, Case, Choice, Findings
from svm_cost_curves.experiments.papers.effort import seconds_text
from svm_cost_curves.experiments.papers.sgdr.comparisons import COMPARISON_OPTIONS, Comparison, case_at, product
from svm_cost_curves.experiments.papers.sgdr.time_tables import TimesJudge, make_times
from svm_cost_curves.experiments.papers.sgdr.timing import TimedProblem
from svm_cost_curves.experiments.reproduction.evidence import Evidence
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult

SPARSE: Final = "sgdr.sparse"
FASTEST, RIVAL = "sgd_m", "sgdqn"
COMPARISONS: Final[Mapping[str, Comparison]] = {
    "sgdr.5": Comparison((("svmsgd", RIVAL), ("svmsgd", FASTEST), (RIVAL, FASTEST))),
    "sgdr.sgdqn": Comparison(((RIVAL, FASTEST),)),
}


def judge_sparse(evidence: Evidence, choice: Choice, problems: Sequence[TimedProblem]) -> Findings:
    """Judge whether SGD-m's lead over SGD-QN is larger on the claim's data sets than on the others' mean."""
    sparse = next(spec.datasets for spec in evidence.spec.claims if spec.id == SPARSE)
    cases = []
    for problem in problems:
        if problem.panel.paper_dataset in sparse:
            others = [
                other
                for other in problems
                if other.C == problem.C and other.panel.paper_dataset not in sparse and evidence.declared(other.panel)
            ]
            cases.append(_sparse_case(choice, problem, [other for other in others if not other.unfit]))
    return Findings(cases)


def _sparse_case(choice: Choice, problem: TimedProblem, others: Sequence[TimedProblem]) -> Case:
    protocol = choice.option("protocol")
    pairs = [[each.effort(name, protocol) for name in (RIVAL, FASTEST)] for each in (problem, *others)]
    own, *rest = [[effort for effort in pair if effort is not None] for pair in pairs]
    rest = [pair for pair in rest if len(pair) == 2]
    if len(own) < 2 or not rest:
        return case_at(problem, "", MISSING, problem.unfit or "no finished runs of both methods here and elsewhere")
    share = 1 / len(rest)
    ratio = product([*own, *(effort for pair in rest for effort in pair)], [1.0, -1.0, *[-share, share] * len(rest)])
    if ratio is None or problem.unfit:
        return case_at(problem, "", UNCLEAR, problem.unfit or "methods of both sides miss the target")
    text = f"SGD-QN over SGD-m is {ratio.text()} times that on the dense data"
    return case_at(problem, "", ratio.above(1.0), text, ratio.as_dict())


def judge_failure(evidence: Evidence, choice: Choice, problems: Sequence[TimedProblem]) -> Findings:
    """Judge whether SGD-QN misses the required accuracy."""
    return Findings([_failure_case(problem) for problem in problems])


def _failure_case(problem: TimedProblem) -> Case:
    effort = problem.effort(RIVAL)
    if effort is None:
        return case_at(problem, "", MISSING, problem.unfit or "no finished runs of SGD-QN")
    reached, runs = sum(effort.reached), len(effort.costs)
    text = f"{reached} of {runs} runs of SGD-QN are within 1 % ({effort.text(seconds_text)})"
    decision = HOLDS if not reached else FAILS if reached == runs else UNCLEAR
    return case_at(problem, "", decision, text, {"reached": reached, "runs": runs, "seconds": effort.median})


OPTIONS = dict.fromkeys((*COMPARISONS, SPARSE), COMPARISON_OPTIONS)
JUDGES: Final[Mapping[str, TimesJudge]] = {name: each.judge for name, each in COMPARISONS.items()} | {
    SPARSE: judge_sparse,
    "sgdr.news20": judge_failure,
}


def make(evidence: Evidence) -> FigureResult:
    """Draw the table and judge the claims."""
    return make_times(evidence, JUDGES)
