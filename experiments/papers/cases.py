"""Claims judged case by case: one case per data set or setting; readings and constants vary how."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from svm_cost_curves.experiments.papers.panels import name_of
from svm_cost_curves.experiments.reproduction.claim_spec import ClaimSpec, ReadingSpec, option_values
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.spec import options_of
from svm_cost_curves.experiments.reproduction.statistics import LEAST_RUNS, Interval
from svm_cost_curves.experiments.reproduction.verdict import (
    CaseRuling,
    Claim,
    Outcome,
    Reading,
    Ruling,
    Sensitivity,
    outcome_of,
)


@dataclass(frozen=True)
class Decision:
    """The ruling on one case.

    Attributes
    ----------
    ruling : Ruling
    more_runs : int or None
        Runs in addition that would settle an unclear case if its estimate stays; None if it is not known.
    """

    ruling: Ruling
    more_runs: int | None = None


HOLDS: Final = Decision("holds")
TRIVIAL: Final = Decision("trivial")
FAILS: Final = Decision("fails")
UNCLEAR: Final = Decision("unclear")
MISSING: Final = Decision("missing")
BESIDE: Final = Decision("beside")

TRIVIAL_SLACK: Final = 100.0
"""A bound that exceeds the measurement by more than this factor holds trivially."""
_MOST_RUNS = 1_000


@dataclass(frozen=True)
class Case:
    """One case of a claim, such as a data set.

    Attributes
    ----------
    place : (str, str)
        Key in the claim's statistic: the paper's data set (empty for a claim without data sets), and the rest.
    about : str
        Label in sentences: the name of the data set.
    decision : Decision
    measured : str
        The measurement as text; empty if there is none.
    statistic : mapping of str to Any
    note : str
        Why the case was not run, or what weakens it, without the label.
    """

    place: tuple[str, str]
    about: str
    decision: Decision
    measured: str = ""
    statistic: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""

    @property
    def ruling(self) -> Ruling:
        """The ruling."""
        return self.decision.ruling


@dataclass(frozen=True)
class Choice:
    """A reading of a claim, with the values of its constants.

    Attributes
    ----------
    reading : str
        Id of the reading; empty for a claim without readings.
    options : mapping of str to Any
        Of all options that the judge declares.
    constants : mapping of str to float
    """

    reading: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    constants: Mapping[str, float] = field(default_factory=dict)

    def __getitem__(self, constant: str) -> float:
        """Value of a constant."""
        return self.constants[constant]

    def option(self, name: str) -> Any:
        """Option of the reading, or the default that the judge declares."""
        return self.options[name]


@dataclass(frozen=True)
class Findings:
    """The cases of a claim under one reading.

    Attributes
    ----------
    cases : sequence of Case
    summary : str
        What was measured; by default a sentence for each case.
    """

    cases: Sequence[Case]
    summary: str = ""


Judge = Callable[[Evidence, Choice], Findings]
"""Judges the cases of a claim under one reading."""


def case_on(
    panel: Panel,
    what: str,
    decision: Decision,
    measured: str = "",
    statistic: Mapping[str, Any] | None = None,
    note: str = "",
    *,
    about: str = "",
) -> Case:
    """Return a case on one data set; `about` replaces the name of the data set in sentences."""
    return Case((panel.paper_dataset, what), about or name_of(panel), decision, measured, statistic or {}, note)


def judge_claims(evidence: Evidence, judges: Mapping[str, Judge]) -> list[Claim]:
    """Judge the claims of a figure, in its order, under all readings and at half and double of each constant."""
    declared = options_of(evidence.spec)
    return [_judge(evidence, spec, judges[spec.id], declared.get(spec.id, {})) for spec in evidence.spec.claims]


def _judge(evidence: Evidence, spec: ClaimSpec, judge: Judge, declared: Mapping[str, Any]) -> Claim:
    readings = spec.readings or [ReadingSpec()]
    choices = [
        Choice(reading.id, option_values(declared, reading.options), {**spec.constants, **reading.constants})
        for reading in readings
    ]
    results = [_reading(evidence, spec, *each, judge) for each in zip(readings, choices, strict=True)]
    sensitivity = []
    for name in spec.constants:
        value = choices[0].constants[name]
        ends = [replace(choices[0], constants={**choices[0].constants, name: factor * value}) for factor in (0.5, 2.0)]
        half, double = (_reading(evidence, spec, readings[0], choice, judge).text for choice in ends)
        sensitivity.append(Sensitivity(name, value, half, double))
    run = {panel.paper_dataset for panel in evidence.panels}
    rule = spec.rule.format_map(choices[0].constants)
    lacking = [name for name in _datasets(evidence, spec) if name not in run]
    return Claim(spec.id, spec.says, spec.quote, spec.section, rule, results, sensitivity, lacking)


def unjudged(spec: ClaimSpec, why: str) -> Claim:
    """Return a claim that nothing judges."""
    nothing = Reading("", "", "", "", "not_testable", 0, 0, [why], measured="nothing")
    return Claim(spec.id, spec.says, spec.quote, spec.section, "", [nothing])


def _datasets(evidence: Evidence, spec: ClaimSpec) -> list[str]:
    """Return the paper's data sets that a claim is about."""
    return spec.datasets or [*evidence.spec.datasets, *evidence.spec.missing_data]


def _reading(evidence: Evidence, spec: ClaimSpec, reading: ReadingSpec, choice: Choice, judge: Judge) -> Reading:
    findings = judge(evidence, choice)
    concerned = _datasets(evidence, spec)
    undeclared = {panel.paper_dataset for panel in evidence.panels if not evidence.declared(panel)}
    stand_ins = {panel.paper_dataset for panel in evidence.panels if panel.stand_in}
    cases = [
        replace(case, decision=BESIDE)
        if case.place[0] in undeclared or (case.place[0] and concerned and case.place[0] not in concerned)
        else case
        for case in findings.cases
    ]
    judged = {case.place[0] for case in cases}
    reasons = evidence.absent_because | evidence.spec.missing_data
    cases += [Case((name, ""), name, MISSING, note=reasons.get(name, "")) for name in concerned if name not in judged]
    counted = [case for case in cases if case.ruling != "beside"]
    run = [case for case in counted if case.ruling != "missing"]
    statistic: dict[str, dict[str, Any]] = {}
    for case in cases:
        if case.statistic:
            statistic.setdefault(case.place[0], {})[case.place[1]] = {**case.statistic, "ruling": case.ruling}
    outcome = outcome_of([case.ruling for case in cases])
    shows = reading.shows.over(spec.shows)
    return Reading(
        reading.id,
        reading.says,
        reading.quote,
        reading.section,
        outcome,
        sum(case.ruling in ("holds", "trivial") for case in counted),
        len(counted),
        _exceptions(counted),
        bool(run) and all(case.place[0] in stand_ins for case in run),
        _settling(counted),
        findings.summary or _sentences((case.about, case.measured) for case in cases) or "nothing",
        statistic,
        replace(shows, series=evidence.spec.expanded(shows.series)),
        decided_by=_decided_by(counted, outcome) or findings.summary,
        rulings=[CaseRuling(case.place[0], case.ruling, case.measured, case.note, case.statistic) for case in cases],
    )


def _decided_by(cases: Sequence[Case], outcome: Outcome) -> str:
    """Return the measurement that decided: where a claim is reproduced the first case, else the first that fails.

    Where no case fails, the first unclear one.
    """
    order: list[Ruling] = (
        ["holds", "trivial"] if outcome in ("reproduced", "trivial") else ["fails", "unclear", "holds"]
    )
    ranked = [case for ruling in order for case in cases if case.ruling == ruling and case.measured]
    return f"{ranked[0].about}: {ranked[0].measured}" if ranked else ""


_WORDS: Final[Mapping[Ruling, str]] = {"fails": "fails", "unclear": "unclear", "missing": "not run"}


def _exceptions(cases: Sequence[Case]) -> list[str]:
    """Describe the cases that do not hold: label, ruling, reason; of several with one label also the measurement."""
    labels = Counter(case.about for case in cases)
    described = []
    for case in cases:
        if case.ruling in _WORDS:
            measured = case.measured if labels[case.about] > 1 else ""
            reasons = dict.fromkeys(filter(None, [_WORDS[case.ruling], measured, case.note]))  # a note may be the same
            described.append(f"{case.about}: {', '.join(reasons)}")
    return described


def _settling(cases: Sequence[Case]) -> int | None:
    """Return how many more runs would settle all unclear cases; None if there is none, or for one it is not known."""
    wanted = [case.decision.more_runs for case in cases if case.ruling == "unclear"]
    return max((runs for runs in wanted if runs), default=None) if all(wanted) else None


def _sentences(remarks: Iterable[tuple[str, str]]) -> str:
    """Write one sentence per label, with all its remarks."""
    grouped: dict[str, list[str]] = {}
    for about, remark in remarks:
        if remark and remark not in grouped.setdefault(about, []):
            grouped[about].append(remark)
    return " ".join(f"{about}: {', '.join(texts)}." for about, texts in grouped.items() if texts)


def summarize(answers: Mapping[str, Sequence[Case]]) -> str:
    """Write the measurements: one sentence for each title that has measured cases."""
    values = {
        title: [f"{case.about} {case.measured}" for case in cases if case.measured] for title, cases in answers.items()
    }
    return " ".join(f"{title}: {'; '.join(own)}." for title, own in values.items() if own)


def at_most(interval: Interval, limit: float) -> Decision:
    """Decide whether a quantity is at most a limit; unclear if its interval contains the limit."""
    if interval.high <= limit:
        return HOLDS
    return FAILS if interval.low > limit else Decision("unclear", _more_runs(interval, limit))


def above(interval: Interval, limit: float) -> Decision:
    """Decide whether a quantity is above a limit; unclear if its interval contains the limit."""
    if interval.low > limit:
        return HOLDS
    return FAILS if interval.high <= limit else Decision("unclear", _more_runs(interval, limit))


def within(interval: Interval, low: float, high: float) -> Decision:
    """Decide whether a quantity lies between two limits; unclear if its interval contains one of them."""
    if low <= interval.low and interval.high <= high:
        return HOLDS
    if interval.low > high or interval.high < low:
        return FAILS
    runs = [_more_runs(interval, limit) for limit in (low, high) if interval.low <= limit <= interval.high]
    known = [each for each in runs if each is not None]
    return Decision("unclear", max(known) if known and len(known) == len(runs) else None)


def under_bound(measured: Interval, bound: float) -> Decision:
    """Decide whether a positive quantity is at most a theoretical bound; trivially beyond `TRIVIAL_SLACK`."""
    return TRIVIAL if TRIVIAL_SLACK * measured.high < bound else at_most(measured, bound)


def holds(condition: bool) -> Decision:
    """Decide by a condition that is true or false."""
    return HOLDS if condition else FAILS


def _more_runs(interval: Interval, limit: float) -> int | None:
    """Return how many more runs bring the interval's end to the limit, if its width falls with the root of the runs."""
    distance = abs(interval.estimate - limit)
    reach = interval.estimate - interval.low if limit < interval.estimate else interval.high - interval.estimate
    if not distance or interval.runs < 2 or (reach / distance) ** 2 * interval.runs > _MOST_RUNS:
        return None
    return max(math.ceil(interval.runs * (reach / distance) ** 2) - interval.runs, LEAST_RUNS - interval.runs, 1)


def points_text(interval: Interval) -> str:
    """Write a difference of errors, given as fractions, in percentage points."""
    return interval_text(interval.scaled(100), "+.2f", " points")


def interval_text(interval: Interval, form: str, unit: str = "") -> str:
    """Write an estimate and its interval: ``1.6 [1.2, 2.1] %``; one run has no interval."""
    if interval.runs < 2:
        return f"{interval.estimate:{form}}{unit}"
    return f"{interval.estimate:{form}} [{interval.low:{form}}, {interval.high:{form}}]{unit}"
