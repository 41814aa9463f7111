"""Ratios of the costs of methods to the target: the kind of most claims on times, and the sentences about ratios."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import geometric_mean
from typing import Any, Literal

from ...plotting import STYLES
from ...reproduction.evidence import Evidence
from ...reproduction.statistics.interval import FAILS, HOLDS, MISSING, UNCLEAR, Decision
from ...reproduction.statistics.ratio import Ratio, multiple_text, product
from ...reproduction.statistics.target import Effort
from ..cases import Case, Findings, case_of, case_on
from ..kinds import Limits
from ..times import widened
from .timing import SECONDS, Method, ProblemRuns, Protocol

Pair = tuple[Method, Method]
When = Literal["every", "smallest", "middle", "largest"]
"""All values of C that were run, or one of them."""
Factors = Sequence[tuple[ProblemRuns, float]]
"""Problems and exponents: the powers of the ratio on these problems are multiplied. The first problem is the case's."""


@dataclass(frozen=True, kw_only=True)
class TimeRatio(Limits, kind="time_ratio"):
    """Ratio of two methods' costs to 1 % above the optimum; one case per data set, pair and C.

    `growth_from`, if given, is the C at which the ratio divides it: the factor by which it grows with C. If `datasets`
    are given, it is only measured on these, and its geometric mean on the others divides it. `over`: ``each`` data set
    is a case; each has the ruling on their geometric ``mean``; or a ``majority`` of the paper's data sets is the only
    case. `dcd` is the program of the method ``dcd``: LIBLINEAR, or this project's. Ratios of CPU seconds are widened by
    `times.widened`.
    """

    pairs: list[Pair]
    at: When = "every"
    growth_from: Literal["", "smallest", "middle"] = ""
    datasets: list[str] = field(default_factory=list)
    protocol: Protocol = "own"
    over: Literal["each", "mean", "majority"] = "each"
    dcd: Literal["liblinear", "dcd"] = "liblinear"
    cost: Literal["cpu_seconds", "epochs"] = "cpu_seconds"

    def findings(self, data: Sequence[ProblemRuns], evidence: Evidence) -> Findings:
        """Compare all pairs on all problems."""
        programs: dict[Method, Method] = {"dcd": self.dcd}
        pairs = [(programs.get(first, first), programs.get(second, second)) for first, second in self.pairs]
        return findings_of({self._name(pair): self._cases(pair, data, evidence) for pair in pairs})

    def _cases(self, pair: Pair, problems: Sequence[ProblemRuns], evidence: Evidence) -> list[Case]:
        compared = [
            [(problem, 1.0), *self._divisors(pair, problem, problems, evidence)]
            for problem in problems_at(problems, self.at)
            if not self.datasets or problem.panel.paper_dataset in self.datasets
        ]
        cases = [self._case(pair, factors) for factors in compared]
        if self.over == "majority":
            return _majority(evidence, self._name(pair), cases)
        return self._by_mean(evidence, pair, compared, cases) if self.over == "mean" else cases

    def _divisors(
        self, pair: Pair, problem: ProblemRuns, problems: Sequence[ProblemRuns], evidence: Evidence
    ) -> Factors:
        """Return the problems whose ratios a problem's ratio is divided by, each with its exponent."""
        divisors: list[ProblemRuns] = []
        if self.growth_from:
            divisors = [
                divisor for divisor in problems_at(problems, self.growth_from) if divisor.panel is problem.panel
            ]
        elif self.datasets:
            divisors = [
                divisor
                for divisor in problems
                if divisor.C == problem.C and divisor.panel.paper_dataset not in self.datasets and not divisor.unfit
                if evidence.declared(divisor.panel) and None not in self._efforts(divisor, pair)
            ]
        return [(divisor, -1.0 / len(divisors)) for divisor in divisors]

    def _case(self, pair: Pair, factors: Factors) -> Case:
        problem, name = factors[0][0], self._name(pair)
        lacking = [
            f"{STYLES[method].name} at C = {factor.C:g}"
            for factor, _ in factors
            for method, effort in zip(pair, self._efforts(factor, pair), strict=True)
            if effort is None
        ]
        if self.datasets and len(factors) == 1:
            lacking.append("both methods on other data sets")
        if lacking:
            return case_at(problem, name, MISSING, problem.unfit or f"no finished runs of {', '.join(lacking)}")
        ratio = self._ratio(pair, factors)
        statistic = {"ratio": None if ratio is None else ratio.as_dict()}
        if unfit := next((factor.unfit for factor, _ in factors if factor.unfit), ""):
            return case_at(problem, name, UNCLEAR, unfit, statistic)
        quantity = "time" if self.cost == SECONDS else self.cost
        text = f"{quantity}, {name}, {'both miss the target' if ratio is None else ratio.text()}"
        efforts = zip(pair, self._efforts(problem, pair), strict=True)
        last_values = {
            method: problem.least_and_last(method) for method, effort in efforts if effort and not effort.mostly_reached
        }
        note = ", ".join(f"{STYLES[method].name}: {end}" for method, end in last_values.items() if end)
        return case_at(problem, name, self._decision(ratio), text, statistic, note)

    def _ratio(self, pair: Pair, factors: Factors) -> Ratio | None:
        """Return the product of powers of the ratio; None without a factor, or if both methods miss the target."""
        efforts, exponents = [], []
        for problem, exponent in factors:
            measured = [effort for effort in self._efforts(problem, pair) if effort is not None]
            efforts += measured
            exponents += [exponent, -exponent]
        ratio = product(efforts, exponents) if efforts else None
        return ratio if ratio is None or self.cost != SECONDS else widened(ratio)

    def _decision(self, ratio: Ratio | None) -> Decision:
        return UNCLEAR if ratio is None else self.decide(ratio)

    def _by_mean(
        self, evidence: Evidence, pair: Pair, compared: Sequence[Factors], cases: Sequence[Case]
    ) -> list[Case]:
        """Give each case the ruling on the geometric mean over all data sets that were run."""
        result, problems = list(cases), [factors[0][0] for factors in compared]
        for C in {problem.C for problem in problems}:
            indices = [
                index
                for index, (problem, case) in enumerate(zip(problems, cases, strict=True))
                if problem.C == C and case.ruling not in ("missing", "beside") and not problem.unfit
                if evidence.declared(problem.panel)
            ]
            factors = [(problem, power / len(indices)) for index in indices for problem, power in compared[index]]
            ratio = self._ratio(pair, factors)
            note = f"the mean of {self._name(pair)} {'is not known' if ratio is None else ratio.text()}"
            decided = self._decision(ratio)
            ruling, more_runs = decided.ruling, decided.more_runs
            for index in indices:
                result[index] = replace(cases[index], ruling=ruling, more_runs=more_runs, note=note)
        return result

    def _efforts(self, problem: ProblemRuns, pair: Pair) -> list[Effort | None]:
        return [problem.effort(method, self.protocol, self.cost) for method in pair]

    def _name(self, pair: Pair) -> str:
        name = " over ".join(STYLES[method].name for method in pair)
        return f"{'growth of ' if self.growth_from else ''}{name}{' against others' if self.datasets else ''}"


def case_at(
    problem: ProblemRuns,
    compared: str,
    decision: Decision,
    text: str = "",
    statistic: Mapping[str, Any] | None = None,
    note: str = "",
) -> Case:
    """Return a case on a data set and C; without a statistic the text is its note, otherwise its measurement."""
    key = f"C={problem.C:g} {compared}".strip()
    measured, why = (text, note) if statistic is not None else ("", text)
    return case_on(problem.panel, key, decision, measured, statistic, why, about=problem.name)


def problems_at(problems: Sequence[ProblemRuns], at: When) -> list[ProblemRuns]:
    """Return the problems with some values of C; the middle of an even number is the smaller one."""
    values = sorted({problem.C for problem in problems})
    if at == "every" or not values:
        return list(problems)
    C = {"smallest": values[0], "middle": values[(len(values) - 1) // 2], "largest": values[-1]}[at]
    return [problem for problem in problems if problem.C == C]


def _majority(evidence: Evidence, name: str, cases: Sequence[Case]) -> list[Case]:
    """Return one case, whether most of the paper's data sets hold, and the data sets' own cases, which do not count."""
    judged = [case for case in cases if case.dataset in {*evidence.spec.datasets}]
    total = len(evidence.spec.datasets) + len(evidence.spec.missing_data)
    held, failed = (sum(case.ruling == ruling for case in judged) for ruling in ("holds", "fails"))
    decision = HOLDS if 2 * held > total else FAILS if 2 * failed >= total else UNCLEAR
    if not any(case.statistic for case in judged):
        decision = MISSING
    beside = [replace(case, ruling="beside") for case in cases]
    text = f"{held} of the paper's {total} data sets hold, {failed} fail"
    return [case_of("", name, name, decision, text, {"held": held, "failed": failed, "of": total}), *beside]


def findings_of(answers: Mapping[str, Sequence[Case]], worst: str = "") -> Findings:
    """Return all cases, and the summary of those of each title.

    With `worst` it names the case with the largest number of that name, in place of the ratios.
    """
    texts = [summary(title, cases, worst) for title, cases in answers.items()]
    return Findings([case for cases in answers.values() for case in cases], " ".join(texts))


def summary(title: str, cases: Sequence[Case], worst: str = "") -> str:
    """Write in how many cases a comparison holds, and its ratios or the worst case."""
    counted = [case for case in cases if case.ruling not in ("beside", "missing")]
    held, unclear = (sum(case.ruling in names for case in counted) for names in (("holds", "trivial"), ("unclear",)))
    text = f"as claimed in {held} of {len(counted)} cases" if counted else "no case was run"
    text = f"{title[0].upper()}{title[1:]}: {text}" + (f", unclear in {unclear}" if unclear else "")
    if worst:
        measured = [case for case in cases if case.statistic]
        case = max(measured, key=lambda case: float(case.statistic[worst]), default=None)
        return f"{text}." if case is None else f"{text}; at worst {case.measured} ({case.about})."
    ratios = {case.about: case.statistic["ratio"] for case in cases if case.statistic.get("ratio") is not None}
    estimates = {about: float(ratio["estimate"]) for about, ratio in ratios.items() if not ratio["bound"]}
    if not estimates:
        return f"{text}; only bounds of ratios are known." if ratios else f"{text}."
    extreme_cases = [pick(estimates, key=lambda about: estimates[about]) for pick in (min, max)]
    extremes = " to ".join(f"{multiple_text(estimates[about])} ({about})" for about in extreme_cases)
    bounds = f", without {left} of which only a bound is known" if (left := len(ratios) - len(estimates)) else ""
    details = f" (geometric mean{bounds}), from {extremes}" if len(estimates) > 1 else ""
    return f"{text}; ratio {multiple_text(geometric_mean(estimates.values()))}{details}."
