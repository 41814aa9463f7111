"""Claims judged case by case: one case per data set or setting; readings and constants vary how."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, cast

from svm_cost_curves.experiments.papers.panels import name_of
from svm_cost_curves.experiments.reproduction.claim_spec import (
    ClaimSpec,
    Described,
    ReadingSpec,
    kinds_of,
    statistic_of,
)
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.statistics import BESIDE, MISSING, Decision, Interval, Ruling
from svm_cost_curves.experiments.reproduction.verdict import (
    CaseRuling,
    Claim,
    Outcome,
    Reading,
    Sensitivity,
    outcome_of,
)


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


@dataclass(frozen=True)
class Statistic(Described):
    """The measurement of a claim, and the rule for its cases; a subclass is a kind that claims name.

    Its fields are the arguments that a claim gives in its figure's file; pydantic checks their names and types.
    """

    def findings(self, data: Any, evidence: Evidence) -> Findings:
        """Measure and decide all cases. `data` is what the figure's module has computed from the evidence."""
        raise NotImplementedError


def case_on(
    panel: Panel,
    key: str,
    decision: Decision,
    measured: str = "",
    statistic: Mapping[str, Any] | None = None,
    note: str = "",
    *,
    about: str = "",
) -> Case:
    """Return a case on one data set, by a `key` in the statistic; `about` replaces its name in sentences."""
    return Case((panel.paper_dataset, key), about or name_of(panel), decision, measured, statistic or {}, note)


def judge_claims(
    evidence: Evidence, data: Any = None, statistics: Mapping[str, Statistic] | None = None
) -> list[Claim]:
    """Judge the claims of a figure, in its order, under all readings and at half and double of each constant.

    Parameters
    ----------
    evidence : Evidence
    data
        What the figure's module has computed from the evidence, for its statistics.
    statistics : mapping of str to Statistic, optional
        By claim, in place of those in the figure's file.
    """
    kinds = kinds_of(evidence.spec.maker) if statistics is None else {}

    def statistic(spec: ClaimSpec, reading: ReadingSpec) -> Statistic:
        return cast("Statistic", statistic_of(kinds, spec, reading)) if statistics is None else statistics[spec.id]

    return [
        _judge(evidence, spec, data, partial(statistic, spec))
        if spec.statistic or statistics is not None
        else unjudged(spec, "The figure's file names no statistic.")
        for spec in evidence.spec.claims
    ]


def _judge(evidence: Evidence, spec: ClaimSpec, data: Any, statistic: Callable[[ReadingSpec], Statistic]) -> Claim:
    def judged(reading: ReadingSpec) -> Reading:
        return _reading(evidence, spec, reading, statistic(reading).findings(data, evidence))

    readings = [
        replace(reading, constants={**spec.constants, **reading.constants})
        for reading in spec.readings or [ReadingSpec()]
    ]
    results = [judged(reading) for reading in readings]
    sensitivity = []
    for name, value in readings[0].constants.items():
        ends = [
            replace(readings[0], constants={**readings[0].constants, name: factor * value}) for factor in (0.5, 2.0)
        ]
        half, double = (judged(reading).text for reading in ends)
        sensitivity.append(Sensitivity(name, value, half, double))
    run = {panel.paper_dataset for panel in evidence.panels}
    rule = spec.rule.format_map(readings[0].constants)
    lacking = [name for name in _datasets(evidence, spec) if name not in run]
    code = type(statistic(readings[0])).__module__.removeprefix("svm_cost_curves.").replace(".", "/") + ".py"
    kind = str(spec.statistic.get("kind", ""))
    return Claim(spec.id, spec.says, spec.quote, spec.section, rule, results, sensitivity, lacking, kind, code)


def unjudged(spec: ClaimSpec, why: str) -> Claim:
    """Return a claim that nothing judges."""
    nothing = Reading("", "", "", "", "not_testable", 0, 0, [why], measured="nothing")
    return Claim(spec.id, spec.says, spec.quote, spec.section, "", [nothing])


def _datasets(evidence: Evidence, spec: ClaimSpec) -> list[str]:
    """Return the paper's data sets that a claim is about."""
    return spec.datasets or [*evidence.spec.datasets, *evidence.spec.missing_data]


def _reading(evidence: Evidence, spec: ClaimSpec, reading: ReadingSpec, findings: Findings) -> Reading:
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


def points_text(interval: Interval) -> str:
    """Write a difference of errors, given as fractions, in percentage points."""
    return interval_text(interval.scaled(100), "+.2f", " points")


def interval_text(interval: Interval, form: str, unit: str = "") -> str:
    """Write an estimate and its interval: ``1.6 [1.2, 2.1] %`` (`Interval.text`)."""
    return interval.text(lambda value: f"{value:{form}}") + unit


def power_text(value: float) -> str:
    """Write a number with two digits and its power of ten: ``1.6e6``."""
    return f"{value:.1e}".replace("e+0", "e")
