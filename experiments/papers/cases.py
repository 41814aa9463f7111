"""Claims judged case by case: one case per data set or setting, combined into one verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol, TypeVar

from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.spec import ClaimSpec
from experiments.reproduction.statistics import Interval
from experiments.reproduction.verdict import Claim, Ruling, claim, combined, undecided

Judge = Callable[[Evidence, ClaimSpec], Claim]


@dataclass(frozen=True)
class Case:
    """One case of a claim, such as a data set.

    Attributes
    ----------
    place : (str, str)
        Key in the claim's statistic: ``("adult", "pegasos")``.
    about : str
        Label in sentences: the name of the data set.
    ruling : Ruling
        `not_applicable`: not judged, but possibly measured.
    measured : str
        The measurement as text; empty if there is none.
    statistic : mapping of str to Any
    note : str
        Why the case is not judged, or what weakens it, without the label.
    """

    place: tuple[str, str]
    about: str
    ruling: Ruling
    measured: str = ""
    statistic: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""


def claim_from_cases(spec: ClaimSpec, rule: str, cases: Sequence[Case]) -> Claim:
    """Judge a claim by its cases: it is reproduced if all of them are. `rule` says how a case is judged."""
    notes = _sentences((case.about, case.note) for case in cases)
    statistic: dict[str, dict[str, Any]] = {}
    for case in cases:
        if case.statistic:
            statistic.setdefault(case.place[0], {})[case.place[1]] = {**case.statistic, "ruling": case.ruling}
    if not statistic:
        return undecided(spec, notes or "There are no runs.")
    measured = _sentences((case.about, case.measured) for case in cases)
    why = " ".join(filter(None, [rule, notes]))
    return claim(spec, combined([case.ruling for case in cases]), measured, statistic, why)


def _sentences(remarks: Iterable[tuple[str, str]]) -> str:
    """Write one sentence per label, with all its remarks."""
    grouped: dict[str, list[str]] = {}
    for about, remark in remarks:
        if remark and remark not in grouped.setdefault(about, []):
            grouped[about].append(remark)
    return " ".join(f"{about}: {', '.join(texts)}." for about, texts in grouped.items() if texts)


def judge_claims(evidence: Evidence, judges: Mapping[str, Judge]) -> list[Claim]:
    """Judge the claims of a figure, in its order."""
    return [judges[spec.id](evidence, spec) for spec in evidence.spec.claims]


def at_most(interval: Interval, limit: float) -> Ruling:
    """Rule whether a quantity is at most a limit; `partly` if its interval contains the limit."""
    if interval.high <= limit:
        return "reproduced"
    return "not_reproduced" if interval.low > limit else "partly"


def above(interval: Interval, limit: float) -> Ruling:
    """Rule whether a quantity is above a limit; `partly` if its interval contains the limit."""
    if interval.low > limit:
        return "reproduced"
    return "not_reproduced" if interval.high <= limit else "partly"


def within(interval: Interval, margin: float) -> Ruling:
    """Rule whether a quantity lies within a margin of 0; `partly` if its interval contains an end of the margin."""
    if interval.low >= -margin and interval.high <= margin:
        return "reproduced"
    return "not_reproduced" if interval.low > margin or interval.high < -margin else "partly"


def holds(condition: bool) -> Ruling:
    """Rule on a condition that is true or false."""
    return "reproduced" if condition else "not_reproduced"


def scaled(interval: Interval, factor: float) -> Interval:
    """Multiply an interval by a positive factor."""
    return Interval(factor * interval.estimate, factor * interval.low, factor * interval.high)


def points_text(interval: Interval) -> str:
    """Write a difference of errors, given as fractions, in percentage points."""
    return interval_text(scaled(interval, 100), "+.2f", " points")


def interval_text(interval: Interval, form: str, unit: str = "") -> str:
    """Write an estimate and its interval: ``1.6 [1.2, 2.1] %``."""
    return f"{interval.estimate:{form}} [{interval.low:{form}}, {interval.high:{form}}]{unit}"


NOT_COUNTED: Final = "measured, not judged"
STAND_INS: Final = "Stand-ins named in the figure's file are judged too: all methods use the same data."
INCOMPLETE: Final = "Undecided: the judged cases support the claim, but parts of it could not be judged."


def exclude_undeclared(case: Case, evidence: Evidence, panel: Panel) -> Case:
    """Leave a case unjudged if its data are neither the paper's nor a stand-in named in the figure's file."""
    if not case.statistic or evidence.declared(panel):
        return case
    return replace(case, ruling="not_applicable", note=", ".join(filter(None, [case.note, NOT_COUNTED])))


class HasPanel(Protocol):
    """An object with a panel."""

    @property
    def panel(self) -> Panel: ...  # noqa: D102


P = TypeVar("P", bound=HasPanel)


def cases_of(evidence: Evidence, items: Iterable[P], judge: Callable[[P], Case]) -> list[Case]:
    """Judge each item; on undeclared data it is only measured (`exclude_undeclared`)."""
    return [exclude_undeclared(judge(item), evidence, item.panel) for item in items]


def claim_from_groups(spec: ClaimSpec, rule: str, answers: Sequence[Sequence[Case]], summary: str) -> Claim:
    """Judge a claim by one group of cases for each of its parts; `reproduced` only if every group could be judged.

    `rule` says how a case is judged, `summary` what was measured. A case without a statistic has no finished runs.
    """
    claim = claim_from_cases(spec, f"{rule} {STAND_INS}", [case for cases in answers for case in cases])
    if not claim.statistic:
        return claim
    if claim.verdict == "reproduced" and not all(map(_answered, answers)):
        claim = replace(claim, verdict="not_applicable", why=f"{claim.why} {INCOMPLETE}")
    return replace(claim, measured=summary)


def summarize(answers: Mapping[str, Sequence[Case]]) -> str:
    """Write the measurements: one sentence for each title that has measured cases."""
    values = {
        title: [f"{case.about} {case.measured}" for case in cases if case.measured] for title, cases in answers.items()
    }
    return " ".join(f"{title}: {'; '.join(own)}." for title, own in values.items() if own)


def _answered(cases: Sequence[Case]) -> bool:
    """Whether all cases have runs and at least one was judged."""
    return all(case.statistic for case in cases) and any(case.ruling != "not_applicable" for case in cases)
