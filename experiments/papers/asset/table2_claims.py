"""The claims of section 4.2 on times and test errors (Table 2)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from svm_cost_curves.experiments.papers.asset.errors import difference
from svm_cost_curves.experiments.papers.asset.race import Entry
from svm_cost_curves.experiments.papers.cases import (
    FAILS,
    MISSING,
    UNCLEAR,
    Case,
    Choice,
    Decision,
    Findings,
    Judge,
    above,
    at_most,
    case_on,
    interval_text,
    summarize,
    within,
)
from svm_cost_curves.experiments.papers.effort import Ratio
from svm_cost_curves.experiments.plotting import STYLES
from svm_cost_curves.experiments.reproduction.evidence import Evidence
from svm_cost_curves.experiments.reproduction.statistics import Interval

Entries = Sequence[Entry]
FASTER: Final = (2.0, 40.0)
"""The paper's factors: "faster by a factor between two and forty"."""
CCAT: Final = "rcv1_ccat"
PAPERS: Final = ("asset", "asset_star", "cpsp", "cpny")
"""The methods with an approximate kernel."""


def judges(found: Entries) -> dict[str, Judge]:
    """Return the judges of the claims, by id."""
    return {
        "asset.1": partial(judge_faster, found),
        "asset.fastest": partial(judge_fastest, found),
        "asset.cpsp": partial(judge_cpsp, found),
        "asset.cpny": partial(judge_cpny, found),
        "asset.2": partial(judge_equal, found),
    }


def _ratio_case(
    entry: Entry, what: str, first: str, second: str, decide: Callable[[Ratio], Decision], over_in: Entry | None = None
) -> Case:
    """Judge the time of one method over that of another; it fails if neither, or ASSET, misses CPNY's error."""
    place = f"{what} s={entry.s}"
    ratio = entry.ratio(first, second, over_in)
    lacking = [STYLES[name].name for name, own in ((first, over_in or entry), (second, entry)) if name not in own.cells]
    if lacking or entry.unfit:
        why = f"no finished runs of {', '.join(lacking)}, or of CPNY" if lacking else entry.unfit
        return case_on(entry.panel, place, MISSING, note=why, about=entry.name)
    if ratio is None:
        return case_on(entry.panel, place, FAILS, note="neither reaches CPNY's error", about=entry.name)
    seconds = [(over_in or entry).cells[first].effort.median, entry.cells[second].effort.median]
    statistic = {"seconds": seconds, "ratio": ratio.as_dict()}
    decision, note = decide(ratio), ""
    if ratio.bound and decision != FAILS:
        misses = STYLES[first if ratio.bound == "at least" else second].name
        note = f"most runs of {misses} miss CPNY's error"
        decision = FAILS if misses == "ASSET" else decision
    return case_on(entry.panel, place, decision, ratio.text(), statistic, note, about=entry.name)


def _error_case(entry: Entry, what: str, interval: Interval | None, decide: Callable[[Interval], Decision]) -> Case:
    place = f"{what} s={entry.s}"
    if interval is None:
        return case_on(entry.panel, place, MISSING, note="no finished runs of both", about=entry.name)
    measured = interval_text(interval, "+.2f", " points")
    return case_on(entry.panel, place, decide(interval), measured, interval.as_dict(), about=entry.name)


def _error_difference(first: Entry, name: str, second: Entry, other: str, when: str) -> Interval | None:
    one, two = first.cells.get(name), second.cells.get(other)
    return None if one is None or two is None else difference([one.at(when)], [two.at(when)])


def _range(ratio: Ratio, low: float, high: float) -> Decision:
    """Decide whether a ratio lies in a range; a bound can only show that it does not."""
    interval = ratio.interval
    beyond = interval.low > high if ratio.bound == "at least" else interval.high < low
    if ratio.bound:
        return FAILS if beyond else UNCLEAR
    estimate, lower, upper = map(math.log, (interval.estimate, interval.low, interval.high))
    return within(Interval(estimate, lower, upper, interval.runs), math.log(low), math.log(high))


def judge_faster(found: Entries, evidence: Evidence, choice: Choice) -> Findings:
    """Judge claim 1: ASSET with s = 1,024 has CPSP's error with s = 512, and is faster; or both at equal s."""
    low, high = FASTER
    decide = partial(_range, low=low, high=high) if choice.option("factor") == "range" else _twice
    answers: dict[str, list[Case]] = {}
    if choice.option("sizes") == "equal":
        for rival in ("cpsp", "cpny"):
            answers[f"{STYLES[rival].name} over ASSET"] = [
                _ratio_case(entry, rival, rival, "asset", decide) for entry in found
            ]
        return _findings(answers)
    for entry in found:
        half = next((one for one in found if one.panel is entry.panel and 2 * one.s == entry.s), None)
        if half is None:
            continue
        times = _ratio_case(entry, "faster", "cpsp", "asset", decide, half)
        errors = _error_difference(entry, "asset", half, "cpsp", choice.option("errors"))
        test = above if entry.panel.paper_dataset == CCAT else at_most  # "except for CCAT"
        case = _error_case(entry, "similar", errors, partial(test, limit=choice["similar"]))
        answers.setdefault("CPSP with half of the s over ASSET", []).append(times)
        answers.setdefault("Error of ASSET minus that of CPSP with half of the s", []).append(case)
    return _findings(answers)


def _twice(ratio: Ratio) -> Decision:
    return ratio.above(FASTER[0])


def _findings(answers: dict[str, list[Case]]) -> Findings:
    return Findings([case for cases in answers.values() for case in cases], summarize(answers))


def judge_fastest(found: Entries, evidence: Evidence, choice: Choice) -> Findings:
    """Judge whether ASSET is among the fastest methods of the table."""
    cases = []
    for entry in found:
        rivals = [name for name in ("cpsp", "cpny", "lasvm", "svmlight") if name in entry.cells]
        if choice.option("rivals") == "approximate":
            rivals = [name for name in rivals if name in PAPERS]
        seconds = {name: entry.cells[name].effort.median for name in rivals}
        first = min(rivals, key=seconds.__getitem__, default="cpny")
        case = _ratio_case(entry, "fastest", "asset", first, lambda ratio: ratio.at_most(choice["among"]))
        cases.append(case)
    return _findings({"ASSET over the fastest other method": cases})


def judge_cpsp(found: Entries, evidence: Evidence, choice: Choice) -> Findings:
    """Judge whether CPSP has the least error of the methods with an approximate kernel, and takes much longer."""
    best, longer = [], []
    for entry in found:
        others = [name for name in PAPERS if name != "cpsp" and name in entry.cells]
        errors = {name: float(entry.cells[name].errors.mean()) for name in others}
        least = min(others, key=errors.__getitem__, default="asset")
        interval = _error_difference(entry, "cpsp", entry, least, "stop")
        best.append(_error_case(entry, "best", interval, partial(at_most, limit=choice["tie"])))
        decide = partial(Ratio.above, limit=choice["considerably"])
        longer.append(_ratio_case(entry, "longer", "cpsp", "asset", decide))
    return _findings({"Error of CPSP minus the least of the others": best, "CPSP over ASSET": longer})


def judge_cpny(found: Entries, evidence: Evidence, choice: Choice) -> Findings:
    """Judge whether CPNY takes abnormally long on Adult: against its longest time on the other data sets."""
    cases = []
    for entry in found:
        others = [own for own in found if own.s == entry.s and own.panel is not entry.panel and "cpny" in own.cells]
        if entry.panel.paper_dataset == "adult" and others:
            longest = max(others, key=lambda own: own.cells["cpny"].effort.median)
            decide = partial(Ratio.above, limit=choice["abnormal"])
            case = _ratio_case(longest, "abnormal", "cpny", "cpny", decide, entry)
            cases.append(replace(case, place=("adult", case.place[1]), about=entry.name))
    return _findings({"CPNY on Adult over CPNY on the next": cases})


def judge_equal(found: Entries, evidence: Evidence, choice: Choice) -> Findings:
    """Judge claim 2: ASSET and ASSET* are nearly equal in time and in error."""
    when = choice.option("errors")
    decide = partial(within, low=-choice["points"], high=choice["points"])
    errors = [
        _error_case(entry, "errors", _error_difference(entry, "asset_star", entry, "asset", when), decide)
        for entry in found
    ]
    answers = {f"Errors at the {when}, ASSET* minus ASSET": errors}
    if when == "stop":
        near = partial(_range, low=1 / choice["factor"], high=choice["factor"])
        answers["Times, ASSET* over ASSET"] = [
            _ratio_case(entry, "times", "asset_star", "asset", near) for entry in found
        ]
    return _findings(answers)
