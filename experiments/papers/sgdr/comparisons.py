"""Comparisons of the costs of methods on every data set, as data, and their judgement."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from statistics import geometric_mean
from typing import Any, Final, Literal

from svm_cost_curves.experiments.papers.cases import (
    FAILS,
    HOLDS,
    MISSING,
    UNCLEAR,
    Case,
    Choice,
    Decision,
    Findings,
    case_on,
)
from svm_cost_curves.experiments.papers.effort import RESAMPLES, Effort, Ratio, multiple_text
from svm_cost_curves.experiments.papers.sgdr.timing import SECONDS, TimedProblem
from svm_cost_curves.experiments.plotting import STYLES
from svm_cost_curves.experiments.reproduction.evidence import Evidence
from svm_cost_curves.experiments.reproduction.statistics import Interval, bootstrap_groups, bootstrap_mean

COMPARISON_OPTIONS: Final = {
    "protocol": ("own", "fixed", "first"),
    "over": ("each", "mean", "majority"),
    "dcd": ("liblinear", "dcd"),
}
"""Options of the claims that `Comparison` judges."""
When = Literal["every", "smallest", "middle", "largest"]
Group = tuple[TimedProblem, ...]
"""One problem, a data set with a C; of a growth also the smaller C."""


@dataclass(frozen=True)
class Comparison:
    """Ratios of the costs of two methods, and the rule for them.

    Attributes
    ----------
    pairs : tuple of (str, str)
        The ratio's two methods; ``dcd`` is the program that the reading names.
    at : When
        Values of C. Of a growth: ``largest``: from the middle to the largest, ``smallest``: from the smallest to the
        middle.
    limit : str
        Name of the constant that the ratio must exceed; empty: 1.
    at_most : bool
        The ratio must not exceed the limit instead.
    growth : bool
        The factor by which the ratio grows with C, instead of the ratio.
    cost : str
    """

    pairs: tuple[tuple[str, str], ...]
    at: When = "every"
    limit: str = ""
    at_most: bool = False
    growth: bool = False
    cost: str = SECONDS

    def groups(self, problems: Sequence[TimedProblem]) -> list[Group]:
        """Return the problems that it is about."""
        values = sorted({problem.C for problem in problems})
        if not values:
            return []
        low, middle, high = values[0], middle_of(values), values[-1]
        chosen = {"every": values, "smallest": [low], "middle": [middle], "largest": [high]}[self.at]
        if not self.growth:
            return [(problem,) for problem in problems if problem.C in chosen]
        before, after = (low, middle) if self.at == "smallest" else (middle, high)
        by_place = {(problem.panel.paper_dataset, problem.C): problem for problem in problems}
        return [(found, by_place[name, before]) for (name, C), found in by_place.items() if after == C]

    def decide(self, ratio: Ratio | None, choice: Choice) -> Decision:
        """Decide on a ratio; None, because both methods miss the target, decides nothing."""
        if ratio is None:
            return UNCLEAR
        limit = choice[self.limit] if self.limit else 1.0
        return ratio.at_most(limit) if self.at_most else ratio.above(limit)

    def judge(self, evidence: Evidence, choice: Choice, problems: Sequence[TimedProblem]) -> Findings:
        """Judge all pairs on all problems that it is about."""
        answers = {pair: self._cases(evidence, choice, pair, problems) for pair in self.pairs}
        text = [summary(self._name(pair, choice), cases) for pair, cases in answers.items()]
        return Findings([case for cases in answers.values() for case in cases], " ".join(text))

    def _cases(
        self, evidence: Evidence, choice: Choice, pair: tuple[str, str], problems: Sequence[TimedProblem]
    ) -> list[Case]:
        groups = self.groups(problems)
        cases = [self._case(choice, pair, group) for group in groups]
        if choice.option("over") == "majority":
            return _majority(evidence, self._name(pair, choice), cases)
        if choice.option("over") == "mean":
            return self._by_mean(evidence, choice, pair, groups, cases)
        return cases

    def _case(self, choice: Choice, pair: tuple[str, str], group: Group) -> Case:
        problem, name = group[0], self._name(pair, choice)
        efforts, exponents = self._terms(choice, pair, group)
        if lacking := [label for label, effort in efforts.items() if effort is None]:
            return case_at(problem, name, MISSING, problem.unfit or f"no finished runs of {', '.join(lacking)}")
        ratio = product([effort for effort in efforts.values() if effort is not None], exponents)
        statistic = {"ratio": None if ratio is None else ratio.as_dict()}
        if unfit := next((each.unfit for each in group if each.unfit), ""):
            return case_at(problem, name, UNCLEAR, unfit, statistic)
        text = f"{name} {'both miss the target' if ratio is None else ratio.text()}"
        return case_at(problem, name, self.decide(ratio, choice), text, statistic)

    def _terms(
        self, choice: Choice, pair: tuple[str, str], group: Group
    ) -> tuple[dict[str, Effort | None], list[float]]:
        """Return the factors of the ratio, by name, and their exponents."""
        efforts: dict[str, Effort | None] = {}
        for problem in group:
            for method in pair:
                label = f"{_label(method, choice)} at C = {problem.C:g}"
                efforts[label] = problem.effort(_series(method, choice), choice.option("protocol"), self.cost)
        return efforts, [1.0, -1.0, -1.0, 1.0][: len(efforts)]

    def _by_mean(
        self,
        evidence: Evidence,
        choice: Choice,
        pair: tuple[str, str],
        groups: Sequence[Group],
        cases: Sequence[Case],
    ) -> list[Case]:
        """Give each case the ruling on the geometric mean over all data sets that were run."""
        result = list(cases)
        for C in sorted({group[0].C for group in groups}):
            places = [
                k
                for k, (group, case) in enumerate(zip(groups, cases, strict=True))
                if group[0].C == C and case.ruling != "missing" and not group[0].unfit
                if evidence.declared(group[0].panel)
            ]
            terms = [self._terms(choice, pair, groups[k]) for k in places]
            efforts = [effort for own, _ in terms for effort in own.values() if effort is not None]
            exponents = [exponent / len(places) for _, own in terms for exponent in own]
            ratio = product(efforts, exponents) if efforts else None
            text = "is not known" if ratio is None else ratio.text()
            note = f"the mean of {self._name(pair, choice)} {text}"
            for k in places:
                result[k] = replace(cases[k], decision=self.decide(ratio, choice), note=note)
        return result

    def _name(self, pair: tuple[str, str], choice: Choice) -> str:
        first, second = (_label(method, choice) for method in pair)
        return f"{'growth of ' if self.growth else ''}{first} over {second}"


def case_at(
    problem: TimedProblem, what: str, decision: Decision, text: str = "", statistic: Mapping[str, Any] | None = None
) -> Case:
    """Return a case on a data set and C; the text is its note, and stands in sentences where nothing sums them up."""
    measured = "" if statistic is None else text
    return case_on(
        problem.panel, f"C={problem.C:g} {what}".strip(), decision, measured, statistic, text, about=problem.name
    )


def middle_of(values: Sequence[float]) -> float:
    """Return the middle of some rising values, the smaller of two."""
    return values[(len(values) - 1) // 2]


def _series(method: str, choice: Choice) -> str:
    """Return the series of a method: DCD has two programs."""
    return choice.option("dcd") if method == "dcd" else method


def _label(method: str, choice: Choice) -> str:
    return STYLES[_series(method, choice)].name


def _majority(evidence: Evidence, name: str, cases: Sequence[Case]) -> list[Case]:
    """Return one case: whether more than half of all the paper's data sets hold; the data sets' own stand beside it."""
    own = [case for case in cases if case.place[0] in {*evidence.spec.datasets}]
    total = len(evidence.spec.datasets) + len(evidence.spec.missing_data)
    held, failed = (sum(case.ruling == ruling for case in own) for ruling in ("holds", "fails"))
    decision = HOLDS if 2 * held > total else FAILS if 2 * failed >= total else UNCLEAR
    if not any(case.statistic for case in own):
        decision = MISSING
    beside = [replace(case, decision=Decision("beside")) for case in cases]
    text = f"{held} of the paper's {total} data sets hold, {failed} fail"
    return [Case(("", name), name, decision, text, {"held": held, "failed": failed, "of": total}, text), *beside]


@lru_cache(maxsize=4096)
def _product(efforts: tuple[Effort, ...], exponents: tuple[float, ...]) -> Ratio | None:
    missed = {exponent > 0 for effort, exponent in zip(efforts, exponents, strict=True) if not effort.known}
    if len(missed) == 2:
        return None

    def of(*chosen: Sequence[int]) -> float:
        return math.exp(
            math.fsum(
                exponent * math.log(statistics.median(effort.costs[k] for k in runs))
                for effort, exponent, runs in zip(efforts, exponents, chosen, strict=True)
            )
        )

    interval = bootstrap_groups(of, [len(effort.costs) for effort in efforts], resamples=RESAMPLES)
    assert interval is not None  # all have runs, and their costs are positive
    steps = [(effort.step ** abs(exponent), exponent > 0) for effort, exponent in zip(efforts, exponents, strict=True)]
    down, up = (math.prod(step for step, upper in steps if upper is side) for side in (True, False))
    return Ratio(interval.widened(down, up), "" if not missed else "at least" if missed == {True} else "at most")


def product(efforts: Sequence[Effort], exponents: Sequence[float]) -> Ratio | None:
    """Return a product of powers of medians; None if it is bounded neither from below nor from above."""
    return _product(tuple(efforts), tuple(exponents))


def geometric_interval(logs: Sequence[float]) -> Interval:
    """Return the geometric mean of some numbers with its interval, from their logarithms, at least one."""
    mean = bootstrap_mean(logs)
    return replace(mean, estimate=math.exp(mean.estimate), low=math.exp(mean.low), high=math.exp(mean.high))


def summary(name: str, cases: Sequence[Case]) -> str:
    """Write in how many cases a comparison holds, and its ratios."""
    title = name[0].upper() + name[1:]
    counted = [case for case in cases if case.ruling not in ("beside", "missing")]
    ratios = {case.about: case.statistic["ratio"] for case in cases if case.statistic.get("ratio") is not None}
    known = {about: float(ratio["estimate"]) for about, ratio in ratios.items() if not ratio["bound"]}
    held = sum(case.ruling == "holds" for case in counted)
    text = f"{title}: as claimed in {held} of {len(counted)} cases" if counted else f"{title}: no case was run"
    if unclear := sum(case.ruling == "unclear" for case in counted):
        text += f", unclear in {unclear}"
    if not known:
        return f"{text}."
    ends = [pick(known, key=lambda about: known[about]) for pick in (min, max)]
    extremes = " to ".join(f"{multiple_text(known[about])} ({about})" for about in ends)
    mean = multiple_text(geometric_mean(known.values()))
    bounds = f", without {left} of which only a bound is known" if (left := len(ratios) - len(known)) else ""
    return f"{text}; ratio {mean}" + (f" (geometric mean{bounds}), from {extremes}." if len(known) > 1 else ".")
