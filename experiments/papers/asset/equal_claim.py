"""Claim 2: ASSET and ASSET* are nearly equal, in time to an error and in the error after as many epochs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from experiments.papers.asset.sizes import difference
from experiments.papers.asset.timing import Case
from experiments.papers.cases import counted, decided, told
from experiments.papers.effort import ratio_of
from experiments.papers.judging import Part, between, within
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.spec import ClaimSpec
from experiments.reproduction.statistics import Interval
from experiments.reproduction.verdict import Claim

PAIR: Final = ("asset", "asset_star")
FACTOR: Final = 1.5
POINTS: Final = 0.3
RULE: Final = (
    "For each data set and s. Times: median CPU time of ASSET* to CPNY's error over that of ASSET; nearly equal "
    f"within a factor of {FACTOR:g}. Errors: mean test error of ASSET* minus that of ASSET, both after the same "
    f"epochs, at the end of the runs; nearly equal within {POINTS:g} percentage points. Reproduced: the 95 % "
    "interval over the runs of both lies within; not reproduced: outside; else unclear. (The paper gives no limits: "
    "these are ours. In its own table the times are within a factor of 1.2 and the errors, at the stop, within 0.03 "
    "points.)"
)


def judge(evidence: Evidence, spec: ClaimSpec, found: Sequence[Case]) -> Claim:
    """Judge the claim by all data sets and sizes."""
    answers = {
        "Times, ASSET* over ASSET": [counted(_times(case), evidence, case.panel) for case in found],
        "Errors at the end, ASSET* minus ASSET": [counted(_errors(case), evidence, case.panel) for case in found],
    }
    return decided(spec, RULE, list(answers.values()), told(answers))


def _times(case: Case) -> Part:
    place = (case.panel.asked, f"times s={case.s}")
    if not set(PAIR) <= set(case.cells):
        return Part(place, case.name, "not_applicable", note="no finished runs of both, and of CPNY")
    asset, star = (case.cells[name].effort for name in PAIR)
    over = ratio_of(star, asset)
    statistic = {"ratio": None if over is None else over.as_dict()}
    if over is None:
        why = "neither comes to CPNY's error in most runs"
        return Part(place, case.name, "not_applicable", "", statistic, why)
    if case.unfit:
        return Part(place, case.name, "not_applicable", over.text(), statistic, case.unfit)
    logs = Interval(*(math.log(value) for value in (over.interval.estimate, over.interval.low, over.interval.high)))
    ruling = within(logs, math.log(FACTOR))
    # one side is only known to take longer: that can show them apart, and never equal
    beyond = logs.low > 0 if over.bound == "at least" else logs.high < 0
    if over.bound and not (ruling == "not_reproduced" and beyond):
        why = "one of them does not come to CPNY's error in most runs"
        return Part(place, case.name, "not_applicable", over.text(), statistic, why)
    return Part(place, case.name, ruling, over.text(), statistic)


def _errors(case: Case) -> Part:
    place = (case.panel.asked, f"errors s={case.s}")
    if not set(PAIR) <= set(case.cells):
        return Part(place, case.name, "not_applicable", note="no finished runs of both, and of CPNY")
    asset, star = (case.cells[name].last for name in PAIR)
    interval = difference([star], [asset])
    assert interval is not None
    return Part(place, case.name, within(interval, POINTS), between(interval, "+.2f", " points"), interval.as_dict())
