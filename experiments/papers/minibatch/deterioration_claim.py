"""What Figure 2 is to show: naive SDCA gets worse on its way and does not converge, the others do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from experiments.papers.cases import counted, decided
from experiments.papers.judging import Part, holds
from experiments.papers.minibatch.looks import LOOKS, METHODS
from experiments.papers.minibatch.study import ACCURACY
from experiments.papers.minibatch.ways import Way
from experiments.papers.panels import called
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.spec import ClaimSpec
from experiments.reproduction.verdict import Claim

WORSE: Final = 2.0
"""The objective deteriorates where P - P* is this many times its least before."""
RULE: Final = (
    "At the largest b, for each data set. Naive SDCA: in every run P(w_bar) - P* ends above 0.001 and at more than "
    f"{WORSE:g} times its least before. The others: in every run P(w_bar) - P* ends at or below 0.001; a method that "
    "is on its way there, at its least, when its budget ends is not judged."
)


def judge(evidence: Evidence, spec: ClaimSpec, found: Sequence[Way]) -> Claim:
    """Judge the claim by all data sets."""
    largest = max((way.b for way in found), default=0)
    chosen = [way for way in found if way.b == largest]
    answers = [[counted(_part(way, method, evidence), evidence, way.panel) for way in chosen] for method in METHODS]
    told = [f"{part.about}, {part.place[1]}: {part.measured}." for parts in answers for part in parts if part.measured]
    return decided(spec, RULE, answers, " ".join(told))


def _part(way: Way, method: str, evidence: Evidence) -> Part:
    place, about, name = (way.panel.asked, f"{method} b={way.b}"), called(way.panel), LOOKS[method].name
    if way.optimum is None or method not in way.bands:
        return Part(place, about, "not_applicable", note=way.unfit or f"no finished runs of {name}")
    runs = [way.above(frame) for frame in way.panel.curves(evidence.spec.members(method)[way.b])]
    ends = np.array([run[np.isfinite(run)][-1] for run in runs])
    least = np.array([np.nanmin(run) for run in runs])
    statistic = {"ends": ends.tolist(), "least": least.tolist()}
    measured = f"P - P* ends at {np.median(ends):.2g}, least {np.median(least):.2g}"
    if way.unfit:
        return Part(place, about, "not_applicable", measured, statistic, way.unfit)
    if method == "naive":
        return Part(place, about, holds(bool(((ends > ACCURACY) & (ends > WORSE * least)).all())), measured, statistic)
    there = bool((ends <= ACCURACY).all())
    if not there and (ends <= 1.1 * least).all():
        return Part(place, about, "not_applicable", measured, statistic, f"{name} is on its way when its budget ends")
    return Part(place, about, holds(there), measured, statistic)
