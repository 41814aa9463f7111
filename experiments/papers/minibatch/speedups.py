"""Kinds of statistics for Figure 1: how the iterations T(b) of a method fall with the size b of the mini-batches."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Literal

from ...reproduction.evidence import Evidence
from ...reproduction.statistics.interval import BESIDE, FAILS, HOLDS, MISSING, UNCLEAR, Decision
from ...reproduction.statistics.ratio import Ratio, product, ratio_of
from ...reproduction.statistics.regression import exponent, medians_of
from ..cases import Case, Findings, Statistic
from ..kinds import Limits
from .data import Efforts, Study
from .methods import name_of_method

Pair = tuple[int, int]
"""A smaller and a larger size of mini-batches."""


@dataclass(frozen=True, kw_only=True)
class OverSizes(Statistic):
    """A quantity of T(b) for each method; planned sizes without runs are cases too."""

    methods: list[str]
    """One case for each on each data set."""
    beyond: float = 1.0
    """Large sizes begin at the largest b up to this multiple of 1 / sigma^2."""

    def findings(self, data: Sequence[Study], evidence: Evidence) -> Findings:
        """Measure on each data set."""
        pairs = [(study, method) for study in data for method in self.methods]
        cases = [study.missing(method, method) or self.of_method(study, method) for study, method in pairs]
        return Findings([*cases, *(case for study in data for case in self.not_run(study))])

    def of_method(self, study: Study, method: str) -> Case:
        """Measure and decide for one method."""
        raise NotImplementedError

    def not_run(self, study: Study) -> list[Case]:
        """Return a case for each size of the claim that is planned and has no runs."""
        return study.not_run(self.methods, study.enough)


@dataclass(frozen=True, kw_only=True)
class SpeedUp(OverSizes, kind="speed_up"):
    """Speed-up T(smaller b) / T(larger b) of a method, or the others' speed-ups divided by it, for pairs of b."""

    others: list[str] = field(default_factory=list)
    """Methods whose speed-ups are divided by that of the method; empty: it is taken itself."""
    sizes: Literal["small", "large", "largest", "naive_works", "next", "all"]
    """Larger mini-batch sizes that are compared with a smaller one.

    ``small``: from 2 to 1 / sigma^2.
    ``large``: above the first large size.
    ``largest``: the largest of these.
    ``naive_works``: those of ``large`` below which naive SDCA works.
    ``next``: for each of ``large``, the size that is `window` times as large.
    ``all``: every size, compared with the best smaller one.
    """
    from_one: bool = False
    """Whether the smaller size is 1, and not the first large size."""
    up_to: float = 1.0
    """Larger sizes are at most this share of the training examples."""
    window: float = 2.0
    failing: float = 2.0
    """Naive SDCA fails where it takes this many times the iterations of the best smaller b (`Study.naive_fails`)."""
    above: float = 1.0
    """The case holds where all speed-ups are above this,"""
    at_most: float | None = None
    apart: float | None = None
    """or, if one of these is given, at most this, or between 1 / (1 + apart) and 1 + apart,"""
    worse: float | None = None
    """or above 1 / worse."""
    times: Literal["1", "b", "bounds"] = "1"
    """`above` and `at_most` are in units of 1, of the larger ``b``, or of the speed-up in the ``bounds``."""

    def of_method(self, study: Study, method: str) -> Case:
        """Compare the speed-ups with the limit."""
        pairs = self._pairs(study, method)
        if self.sizes == "small" and not pairs:
            return study.case(method, method, BESIDE, note="1/sigma^2 is below 2")
        return compared(study, method, method, pairs, partial(self._decide, study), self.others)

    def not_run(self, study: Study) -> list[Case]:
        """Return a case for each size of the claim that is planned and has no runs."""
        limits = (1, study.enough) if self.sizes == "small" else (study.enough, self._most(study))
        return study.not_run([*self.others, *self.methods], *limits)

    def _most(self, study: Study) -> float:
        return math.inf if study.panel.n is None else self.up_to * study.panel.n

    def _pairs(self, study: Study, method: str) -> list[Pair]:
        efforts = study.of(method)
        sizes = list(efforts)
        if self.sizes == "all":
            return [(min(sizes[:k], key=lambda b: efforts[b].median), b) for k, b in enumerate(sizes) if k]
        if self.sizes == "small":
            return [(1, b) for b in sizes if 1 < b <= study.enough]
        first = max((b for b in sizes if b <= self.beyond * study.enough), default=sizes[0])
        larger = [b for b in sizes if b > first]
        if self.sizes == "next":
            tried = [first, *larger]
            return [(b, after[0]) for b in tried if (after := [size for size in tried if size >= self.window * b])]
        most = self._most(study)
        larger = [b for b in larger if b <= most and all(b in study.of(rival) for rival in self.others)]
        if self.sizes == "naive_works":
            end = study.naive_fails_from(self.failing) or math.inf
            larger = [b for b in larger if b < end]
        return [(1 if self.from_one else first, b) for b in (larger[-1:] if self.sizes == "largest" else larger)]

    def _decide(self, study: Study, ratio: Ratio, pair: Pair) -> Decision:
        if self.apart is not None:
            return all_of([ratio.above(1 / (1 + self.apart)), ratio.at_most(1 + self.apart)])
        if self.worse is not None:
            return ratio.above(1 / self.worse)
        promised = study.beta_over_b(pair[0]) / study.beta_over_b(pair[1])
        factor = {"1": 1.0, "b": pair[1], "bounds": promised}[self.times]
        return ratio.above(factor * self.above) if self.at_most is None else ratio.at_most(factor * self.at_most)


@dataclass(frozen=True, kw_only=True)
class BatchExponent(Limits, OverSizes, kind="batch_exponent"):
    """The exponent a of T ~ b^-a over the sizes from `beyond` / sigma^2 on (`exponent_of`)."""

    def of_method(self, study: Study, method: str) -> Case:
        """Compare the exponent with the limit."""
        fitted = exponent_of(study.of(method), self.beyond * study.enough)
        if fitted is None:
            return study.case(method, method, MISSING, note="fewer than three sizes to fit")
        a, largest = fitted
        measured = f"a = {a.text()} up to b = {largest:,}"
        return study.case(method, method, self.decide(a), measured, {**a.as_dict(), "largest_b": largest})


def exponent_of(efforts: Efforts, least: float) -> tuple[Ratio, int] | None:
    """Fit the exponent a of T ~ b^-a to medians at all b from `least` on; None if fewer than three sizes are left.

    A size at which most runs miss the target counts with its budget if that is at least the next smaller size's
    iterations; the fitted exponent is then an upper bound. With a smaller budget the size is left out.

    Returns
    -------
    (Ratio, int) or None
        The exponent, and the largest b of the fit.
    """
    last = math.inf
    chosen: Efforts = {}
    for b, effort in efforts.items():
        if b >= least and (effort.mostly_reached or effort.median >= last):
            chosen = {**chosen, b: effort}
        if effort.mostly_reached:
            last = effort.median
    costs = [effort.costs for effort in chosen.values()]
    medians = medians_of(costs)
    fitted = exponent(list(chosen), lambda *runs: 1 / medians(*runs), [len(runs) for runs in costs])
    if fitted is None:
        return None
    reached = all(effort.mostly_reached for effort in chosen.values())
    return Ratio(fitted, bound="" if reached else "at most"), max(chosen)


def speed_up(efforts: Efforts, pair: Pair, over: Efforts | None = None) -> Ratio | None:
    """Return the speed-up of a method from the smaller to the larger size, or divided by that of another method.

    None if budgets ended runs of which one makes it a lower and one an upper bound, or if a size has no runs.
    """
    smaller, larger = pair
    if not set(pair) <= efforts.keys() & (efforts if over is None else over).keys():
        return None
    if over is None:
        return ratio_of(efforts[smaller], efforts[larger])
    return product((efforts[smaller], over[larger], efforts[larger], over[smaller]), (1.0, 1.0, -1.0, -1.0))


def compared(
    study: Study,
    method: str,
    key: str,
    pairs: Sequence[Pair],
    decide: Callable[[Ratio, Pair], Decision],
    rivals: Sequence[str] = (),
) -> Case:
    """Return the case whether all speed-ups of a method, or those of `others` divided by its, pass a test.

    Its measurement is the first that does least well; if all pass, the last.
    """
    comparisons: dict[str, tuple[Ratio | None, Decision]] = {}
    for rival in rivals or [method]:
        for pair in pairs:
            ratio = speed_up(study.of(rival), pair, study.of(method) if rivals else None)
            name = f"{name_of_method(rival)}, " * bool(rivals) + f"b = {pair[0]:,} to {pair[1]:,}"
            comparisons[name] = ratio, UNCLEAR if ratio is None else decide(ratio, pair)
    if not comparisons:
        return study.case(method, key, MISSING, note="no such sizes")
    whole = all_of([decision for _, decision in comparisons.values()])
    alike = [name for name, (_, decision) in comparisons.items() if decision.ruling == whole.ruling]
    shown = alike[-1 if whole == HOLDS else 0]
    ratio = comparisons[shown][0]
    rival, _, sizes = shown.rpartition(", ")
    quantity = f"speed-up, {rival} over it," if rival else "speed-up"
    measured = f"{quantity} {'unknown' if ratio is None else ratio.text()} ({sizes})"
    if len(comparisons) > 1:
        passed = sum(decision == HOLDS for _, decision in comparisons.values())
        measured += f", {passed} of {len(comparisons)} sizes pass"
    values = {
        name: {**({} if ratio is None else ratio.as_dict()), "decision": decision.ruling}
        for name, (ratio, decision) in comparisons.items()
    }
    return study.case(method, key, whole, measured, {"pairs": values})


def all_of(decisions: Sequence[Decision]) -> Decision:
    """Decide whether all of one or more conditions hold: fails if one fails, is unclear if one is."""
    if FAILS in decisions:
        return FAILS
    runs = [decision.more_runs for decision in decisions if decision.ruling == "unclear"]
    if not runs:
        return HOLDS
    return Decision("unclear", max(count or 0 for count in runs) if all(runs) else None)
