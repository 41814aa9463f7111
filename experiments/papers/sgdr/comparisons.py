"""Comparisons of the times of methods on every data set, for the claims."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import geometric_mean
from typing import Final, Literal

from experiments.papers.cases import Case, cases_of
from experiments.papers.effort import Effort, Ratio, multiple_text, ratio_of
from experiments.papers.sgdr.timing import STOPPING, TimedProblem, fastest, slowest
from experiments.plotting import STYLES
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.verdict import Ruling

When = Literal["every", "smallest", "largest", "but largest"]
"""Values of C at which a comparison is made."""
_PICKS: Final[dict[str, Callable[[Iterable[Effort | None]], Effort | None]]] = {"fastest": fastest, "slowest": slowest}


@dataclass(frozen=True)
class Side:
    """One side of a comparison: a method, or the fastest or slowest of several by their medians.

    Attributes
    ----------
    methods : tuple of str
    pick : str
        Ignored for a single method.
    """

    methods: tuple[str, ...]
    pick: Literal["fastest", "slowest"] = "fastest"

    @property
    def name(self) -> str:
        """Name in sentences."""
        names = [STYLES[name].name for name in self.methods]
        if len(names) == 1:
            return names[0]
        return f"the {self.pick} of {', '.join(names[:-1])} and {names[-1]}"

    def effort(self, problem: TimedProblem) -> Effort | None:
        """Time of this side; None if one of its methods has no runs."""
        return _PICKS[self.pick](problem.efforts.get(name) for name in self.methods)


@dataclass(frozen=True)
class Comparison:
    """A comparison of two sides, and the rule that judges its ratio.

    Attributes
    ----------
    first, second : Side
    judge : callable
        Rules on the ratio of the first side to the second.
    at : When
    """

    first: Side
    second: Side
    judge: Callable[[Ratio], Ruling]
    at: When = "every"

    @property
    def name(self) -> str:
        """Name in sentences."""
        return f"{self.first.name} over {self.second.name}"

    def selected(self, problems: Sequence[TimedProblem]) -> list[TimedProblem]:
        """Return the problems with the values of C that it is about."""
        values = sorted({problem.C for problem in problems})
        chosen = {"every": values, "smallest": values[:1], "largest": values[-1:], "but largest": values[:-1]}[self.at]
        return [problem for problem in problems if problem.C in chosen]

    def cases(self, evidence: Evidence, problems: Sequence[TimedProblem]) -> list[Case]:
        """Judge it on all problems that it is about."""
        return cases_of(evidence, self.selected(problems), self._case)

    def _case(self, problem: TimedProblem) -> Case:
        place, about = (problem.panel.paper_dataset, f"C={problem.C:g} {self.name}"), problem.name
        first, second = self.first.effort(problem), self.second.effort(problem)
        if first is None or second is None:
            lacking = [name for name in (*self.first.methods, *self.second.methods) if name not in problem.efforts]
            why = f"no finished runs of {', '.join(STYLES[name].name for name in lacking)}"
            return Case(place, about, "not_applicable", note=problem.unfit or why)
        ratio = ratio_of(first, second)
        statistic = {
            "first_seconds": first.median,
            "second_seconds": second.median,
            "ratio": None if ratio is None else ratio.as_dict(),
        }
        if ratio is None:
            why = f"{self.name}: both miss the target within their budgets"
            return Case(place, about, "not_applicable", "", statistic, why)
        if problem.unfit:
            return Case(place, about, "not_applicable", "", statistic, problem.unfit)
        ruling = self.judge(ratio)
        why = f"{self.name}: {ratio.text()}" if ruling == "not_applicable" else ""
        if len(first.costs) == len(second.costs) == 1:
            why = "one run each, so intervals are points"
        return Case(place, about, ruling, "", statistic, why)


def summary(comparison: Comparison, cases: Sequence[Case], where: str = "") -> str:
    """Write in how many cases a comparison holds, and its ratios; `where` (``at C = 10``) follows its name."""
    name = " ".join(filter(None, [comparison.name[0].upper() + comparison.name[1:], where]))
    judged = [case for case in cases if case.ruling != "not_applicable"]
    known = {
        case.about: float(ratio["estimate"])
        for case in cases
        if (ratio := case.statistic.get("ratio")) is not None and not ratio["bound"]
    }
    held = sum(case.ruling == "reproduced" for case in judged)
    text = f"{name}: as claimed in {held} of {len(judged)} cases" if judged else f"{name}: no case counts"
    if unclear := sum(case.ruling == "partly" for case in judged):
        text += f", unclear in {unclear}"
    if not known:
        return f"{text}."
    low, high = (pick(known, key=lambda about: known[about]) for pick in (min, max))
    mean = geometric_mean(known.values())
    ends = [f"{multiple_text(known[about])} ({about})" for about in (low, high)]
    extremes = f", from {' to '.join(ends)}" if len(known) > 1 else ""
    return f"{text}; ratio {multiple_text(mean)}{' (geometric mean)' if len(known) > 1 else ''}{extremes}."


def summary_to_target(comparisons: Sequence[Comparison], evidence: Evidence, problems: Sequence[TimedProblem]) -> str:
    """Judge the comparisons again with the `STOPPING` methods timed to the target like the others."""
    concerned = [
        comparison
        for comparison in comparisons
        if set(STOPPING) & {*comparison.first.methods, *comparison.second.methods}
    ]
    to_target = [problem.to_target() for problem in problems]
    answers = [
        (comparison, [case.ruling for case in comparison.cases(evidence, to_target)]) for comparison in concerned
    ]
    names = " and ".join(
        STYLES[name].name for name in STOPPING if any(name in problem.to_target_efforts for problem in problems)
    )
    if not names:
        return ""
    start = f"{names} timed to the first evaluation within 1 %, as the others"
    counts = [f"{comparison.name} {_held(rulings)}" for comparison, rulings in answers]
    if all(set(rulings) <= {"not_applicable"} for _, rulings in answers):
        return f"{start}: no case counts."
    return f"{start}, as claimed: {', '.join(counts)}."


def _held(rulings: Sequence[Ruling]) -> str:
    """Write in how many cases the claim holds."""
    judged = len(rulings) - rulings.count("not_applicable")
    return f"in {rulings.count('reproduced')} of {judged}" if judged else "(no case counts)"
