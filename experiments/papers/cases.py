"""Claims judged case by case: one case per data set or setting; readings and constants vary how."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, cast

from ..reproduction.claim_spec import ClaimSpec, Described, ReadingSpec, register_kind, statistic_of
from ..reproduction.data_statement import Origin, origin_of_data, paper_data
from ..reproduction.evidence import Evidence, Panel
from ..reproduction.statistics.interval import Decision, Interval
from ..reproduction.verdict import Case as Case
from ..reproduction.verdict import Claim, Reading, Sensitivity, outcome_of
from .panels import NAMES, called


@dataclass(frozen=True)
class Findings:
    """The cases of a claim under one reading."""

    cases: Sequence[Case]
    summary: str = ""
    """What was measured; by default a sentence for each case."""


@dataclass(frozen=True)
class Statistic(Described):
    """The measurement of a claim, and the rule for its cases; a subclass is a kind that claims name.

    Its fields are the arguments that a claim gives in its figure's file; pydantic checks their names and types.
    """

    kind: ClassVar[str] = ""
    """Its name in figures' files; empty for a part that several kinds share."""
    of_panels: ClassVar[bool] = False
    """If true, iterate over the panels even if the figure's module passes `data`."""

    def __init_subclass__(cls, kind: str = "") -> None:
        """Name the kind, if it has a name."""
        cls.kind = kind
        if kind:
            register_kind(kind, cls)

    def findings(self, data: Any, evidence: Evidence) -> Findings:
        """Measure and decide all cases: `cases` of each item.

        `data` is what the figure's module has computed from the evidence, a sequence of items; the items are the panels
        if it is None, or if the kind is `of_panels`.
        """
        items = evidence.panels if data is None or self.of_panels else data
        return Findings([case for item in items for case in self.cases(item, evidence)])

    def cases(self, item: Any, evidence: Evidence) -> Iterable[Case]:
        """Measure and decide the cases of one item; by default one, its `case`."""
        return [self.case(item, evidence)]

    def case(self, item: Any, evidence: Evidence) -> Case:
        """Measure and decide the one case of an item."""
        raise NotImplementedError


def case_of(
    dataset: str,
    name: str,
    about: str,
    decision: Decision,
    measured: str = "",
    statistic: Mapping[str, Any] | None = None,
    note: str = "",
) -> Case:
    """Return a case of a claim by the decision on it; the data set is the paper's, or empty."""
    return Case(dataset, decision.ruling, measured, note, statistic or {}, name, about, decision.more_runs)


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
    return case_of(panel.paper_dataset, key, about or called(panel), decision, measured, statistic, note)


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

    def statistic(spec: ClaimSpec, reading: ReadingSpec) -> Statistic:
        if statistics is not None:
            return statistics[spec.id]
        return cast("Statistic", statistic_of(evidence.spec.maker, spec, reading))

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
        scaled = [
            replace(readings[0], constants={**readings[0].constants, name: factor * value}) for factor in (0.5, 2.0)
        ]
        half, double = (judged(reading).brief for reading in scaled)
        sensitivity.append(Sensitivity(name, value, half, double))
    run = {panel.paper_dataset for panel in evidence.panels}
    rule = spec.rule.format_map(readings[0].constants)
    lacking = [name for name in _datasets(evidence, spec) if name not in run]
    code = type(statistic(readings[0])).__module__.removeprefix("svm_cost_curves.").replace(".", "/") + ".py"
    kind = str(spec.statistic.get("kind", ""))
    return Claim(spec.id, spec.says, spec.quote, spec.section, rule, results, sensitivity, lacking, kind, code)


def unjudged(spec: ClaimSpec, why: str) -> Claim:
    """Return a claim that nothing judges."""
    nothing = Reading("", "", "", "", "not_testable", [Case("", "missing", note=why, about=spec.id)])
    return Claim(spec.id, spec.says, spec.quote, spec.section, "", [nothing])


def _datasets(evidence: Evidence, spec: ClaimSpec) -> list[str]:
    """Return the paper's data sets that a claim is about."""
    return spec.datasets or [*evidence.spec.datasets, *evidence.spec.missing_data]


def _reading(evidence: Evidence, spec: ClaimSpec, reading: ReadingSpec, findings: Findings) -> Reading:
    concerned = [] if spec.type == "program" else _datasets(evidence, spec)
    beside = _beside(evidence, spec, concerned)
    cases = [
        replace(case, ruling="beside", note=case.note or beside[case.dataset]) if case.dataset in beside else case
        for case in findings.cases
    ]
    judged = {case.dataset for case in cases}
    reasons = evidence.absent_because | evidence.spec.missing_data
    cases += [Case(name, "missing", note=reasons.get(name, ""), about=name) for name in concerned if name not in judged]
    if spec.type == "program":
        cases.sort(key=lambda case: case.dataset not in spec.datasets)
    run = {case.dataset for case in cases if case.ruling not in ("beside", "missing")}
    shows = reading.shows.over(spec.shows)
    return Reading(
        reading.id,
        reading.says,
        reading.quote,
        reading.section,
        outcome_of([case.ruling for case in cases]),
        cases,
        findings.summary,
        _settling(cases),
        replace(shows, series=evidence.spec.expanded(shows.series)),
        _origins(evidence, spec, run),
        reading.likely,
        spec.type,
    )


def _beside(evidence: Evidence, spec: ClaimSpec, concerned: Sequence[str]) -> dict[str, str]:
    """Return the data sets whose cases are measured and do not count, and why.

    These are data sets of the user's choice, and others that the claim is not about. Rows that stand for two of the
    paper's data sets count once. A claim about a program counts no case.
    """
    beside: dict[str, str] = {"": ""} if spec.type == "program" else {}
    first: dict[str, str] = {}
    for panel in evidence.panels:
        name = panel.paper_dataset
        if not evidence.declared(panel) or (name not in concerned and (concerned or spec.type == "program")):
            beside[name] = ""
        elif (earlier := first.setdefault(panel.dataset, name)) != name:
            beside[name] = f"the same rows as for {NAMES.get(earlier, earlier)}"
    return beside


def _origins(evidence: Evidence, spec: ClaimSpec, run: Collection[str]) -> list[Origin]:
    """Return the origins of the data sets in `run`; `""` means all panels. Empty if the figure has no paper."""
    of_paper = paper_data(evidence.spec.paper)
    panels = [panel for panel in evidence.panels if panel.paper_dataset in run or "" in run]
    origins = {
        origin_of_data(of_paper.get(panel.paper_dataset), panel.dataset, panel.n, stands_in=bool(panel.stand_in))
        for panel in panels
        if of_paper
    }
    return sorted(origins if spec.rows == "all" else {"part" if origin == "paper" else origin for origin in origins})


def _settling(cases: Sequence[Case]) -> int | None:
    """Return how many more runs would settle all unclear cases; None if there is none, or for one it is not known."""
    wanted = [case.more_runs for case in cases if case.ruling == "unclear"]
    return max((runs for runs in wanted if runs), default=None) if all(wanted) else None


def points_text(interval: Interval) -> str:
    """Write a difference of errors, given as fractions, in percentage points."""
    return interval_text(interval.scaled(100), "+.2f", " points")


def interval_text(interval: Interval, form: str, unit: str = "") -> str:
    """Write an estimate and its interval: ``1.6 [1.2, 2.1] %`` (`Interval.text`); zero has no minus sign.

    The sign of a zero depends on the last bits, and so on the processor.
    """
    sign = "+" if form.startswith("+") else ""
    return interval.text(lambda value: f"{value:{sign}z{form.removeprefix('+')}}") + unit


def power_text(value: float) -> str:
    """Write a number with two digits and its power of ten: ``1.6e6``."""
    return f"{value:.1e}".replace("e+0", "e")
