"""Claim 3: the error falls with s; on Adult a small s is enough already; Covertype suffers most from a small s."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from experiments.papers.asset.sizes import Sizes, difference, lead
from experiments.papers.cases import counted, decided, told
from experiments.papers.judging import Part, above, at_most, between
from experiments.papers.panels import NAMES, called
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.spec import ClaimSpec
from experiments.reproduction.statistics import bootstrap_means
from experiments.reproduction.verdict import Claim

EASY, HARD = "adult", "covtype"
SMALL: Final = 64
"""A small s."""
ENOUGH: Final = 1.0
"""Percentage points: an s is enough where the error is no more than this above that of the largest s."""
RULE: Final = (
    "By mean test errors of ASSET at the end of its runs. Falls: on each data set the error falls with log2 s, by "
    f"the slope of a line through all sizes. Enough: on Adult the error at s = {SMALL} is at most {ENOUGH:g} point "
    "above that at the largest s. Suffers most: at the largest s that all data sets have, what the error is above "
    "SVMlight's, which has all of the kernel, is larger on Covertype than on every other data set. Each by its 95 % "
    "interval over the runs; where that holds the limit it is unclear. (The paper shows pictures; the limits are "
    "ours.)"
)


def judge(evidence: Evidence, spec: ClaimSpec, found: Sequence[Sizes]) -> Claim:
    """Judge the claim by all data sets."""
    falls = [counted(_falls(each), evidence, each.panel) for each in found]
    easy = [counted(_enough(each), evidence, each.panel) for each in found if each.panel.asked == EASY]
    answers = {
        "Error gained by doubling s": falls,
        f"Error at s = {SMALL} above that at the largest s": easy or [_lacking(EASY, "enough")],
        "Error above SVMlight's": [_suffers(evidence, found)],
    }
    return decided(spec, RULE, list(answers.values()), told(answers))


def _falls(each: Sizes) -> Part:
    place, about = (each.panel.asked, "falls"), called(each.panel)
    errors = each.of("asset")
    if len(errors) < 3:
        return Part(place, about, "not_applicable", note="fewer than three sizes of ASSET have finished runs")
    logs = np.log2(list(errors))
    line = (logs - logs.mean()) / np.square(logs - logs.mean()).sum()  # times the means: the slope by least squares
    interval = bootstrap_means(lambda means: -(means @ line), list(errors.values()))
    return Part(place, about, above(interval, 0.0), between(interval, ".2f", " points"), interval.as_dict())


def _enough(each: Sizes) -> Part:
    place, about = (each.panel.asked, "enough"), called(each.panel)
    errors = each.of("asset")
    largest = max(errors, default=0)
    if SMALL not in errors or largest <= SMALL:
        return Part(place, about, "not_applicable", note=f"no finished runs of ASSET with s = {SMALL} and a larger s")
    interval = difference([errors[SMALL]], [errors[largest]])
    assert interval is not None
    statistic = interval.as_dict() | {"largest": largest}
    return Part(place, about, at_most(interval, ENOUGH), between(interval, "+.2f", " points"), statistic)


def _suffers(evidence: Evidence, found: Sequence[Sizes]) -> Part:
    place, about = (HARD, "suffers most"), "Covertype"
    exact = {each.panel.asked: each.exact for each in found if each.exact is not None and each.of("asset")}
    able = [each for each in found if each.panel.asked in exact]
    shared = set.intersection(*(set(each.of("asset")) for each in able)) if able else set()
    if HARD not in exact or len(able) < 2 or not shared:
        return _lacking(HARD, "suffers most")
    s = max(shared)
    hard = [each.panel.asked for each in able].index(HARD)
    groups = [*(each.of("asset")[s] for each in able), *(exact[each.panel.asked] for each in able)]

    interval = bootstrap_means(lambda means: lead(means[:, : len(able)] - means[:, len(able) :], hard), groups)
    over = {each.panel.asked: float(each.of("asset")[s].mean() - exact[each.panel.asked].mean()) for each in able}
    values = ", ".join(f"{called(each.panel)} {over[each.panel.asked]:+.2f}" for each in able)
    measured = f"{between(interval, '+.2f')} more than the next (s = {s:,}; {values} points)"
    part = Part(place, about, above(interval, 0.0), measured, interval.as_dict() | {"s": s, "over_exact": over})
    for each in able:
        part = counted(part, evidence, each.panel)
    return part


def _lacking(asked: str, what: str) -> Part:
    return Part((asked, what), NAMES[asked], "not_applicable", note="no finished runs to judge it by")
