"""What claims about several data sets have in common: how data weigh, and what is undecided while runs are missing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.spec import ClaimSpec
from experiments.reproduction.statistics import Interval
from experiments.reproduction.verdict import Claim, Ruling, claim, combined, undecided

Judge = Callable[[Evidence, ClaimSpec], Claim]


@dataclass(frozen=True)
class Case:
    """One case of a claim.

    Attributes
    ----------
    place : (str, str)
        Where it stands in the claim's statistic: ``("adult", "pegasos")``.
    about : str
        What it is about, in words: the name of the data set.
    ruling : Ruling
        `not_applicable` where it was not judged, though perhaps measured.
    measured : str
        In words; empty where nothing was.
    statistic : mapping of str to Any
    note : str
        Why it was not judged, or what weakens it; without the name of what it is about.
    """

    place: tuple[str, str]
    about: str
    ruling: Ruling
    measured: str = ""
    statistic: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""


def claim_from_cases(spec: ClaimSpec, rule: str, cases: Sequence[Case]) -> Claim:
    """Judge a claim by its cases: all must hold.

    Parameters
    ----------
    spec : ClaimSpec
    rule : str
        How a case is judged, in a sentence.
    parts : sequence of Part
    """
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
    """Write one sentence for each thing that there are remarks about."""
    grouped: dict[str, list[str]] = {}
    for about, remark in remarks:
        if remark and remark not in grouped.setdefault(about, []):
            grouped[about].append(remark)
    return " ".join(f"{about}: {', '.join(texts)}." for about, texts in grouped.items() if texts)


def judge_claims(evidence: Evidence, judges: Mapping[str, Judge]) -> list[Claim]:
    """Return one claim for each that the figure has, in its order."""
    return [judges[spec.id](evidence, spec) for spec in evidence.spec.claims]


def at_most(interval: Interval, limit: float) -> Ruling:
    """Whether a quantity lies at or below a limit; partly: its interval holds the limit."""
    if interval.high <= limit:
        return "reproduced"
    return "not_reproduced" if interval.low > limit else "partly"


def above(interval: Interval, limit: float) -> Ruling:
    """Whether a quantity lies above a limit; partly: its interval holds the limit."""
    if interval.low > limit:
        return "reproduced"
    return "not_reproduced" if interval.high <= limit else "partly"


def within(interval: Interval, margin: float) -> Ruling:
    """Whether a quantity lies within a margin of 0; partly: its interval holds an end of the margin."""
    if interval.low >= -margin and interval.high <= margin:
        return "reproduced"
    return "not_reproduced" if interval.low > margin or interval.high < -margin else "partly"


def holds(condition: bool) -> Ruling:
    """Ruling on what is either so or not."""
    return "reproduced" if condition else "not_reproduced"


def scaled(interval: Interval, factor: float) -> Interval:
    """Return an interval in another unit; the factor is positive."""
    return Interval(factor * interval.estimate, factor * interval.low, factor * interval.high)


def points_text(interval: Interval) -> str:
    """Write a difference of errors in percentage points."""
    return interval_text(scaled(interval, 100), "+.2f", " points")


def interval_text(interval: Interval, form: str, unit: str = "") -> str:
    """Write an estimate and its interval: ``1.6 [1.2, 2.1] %``."""
    return f"{interval.estimate:{form}} [{interval.low:{form}}, {interval.high:{form}}]{unit}"


NOT_COUNTED: Final = "measured, not counted"
STAND_INS: Final = "Named stand-ins are judged as well, for all methods have the same data."
INCOMPLETE: Final = "Undecided: what could be judged speaks for it, but that is not all that it says."


def exclude_undeclared(case: Case, evidence: Evidence, panel: Panel) -> Case:
    """Let a case decide nothing on data that are neither the paper's nor named in their place by the figure's file."""
    if not case.statistic or evidence.declared(panel):
        return case
    return replace(case, ruling="not_applicable", note=", ".join(filter(None, [case.note, NOT_COUNTED])))


def claim_from_groups(spec: ClaimSpec, rule: str, answers: Sequence[Sequence[Case]], summary: str) -> Claim:
    """Judge a claim by its cases; it is not `reproduced` by those alone that happen to be there.

    Parameters
    ----------
    spec : ClaimSpec
    rule : str
        How a case is judged.
    answers : sequence of sequences of Part
        For each thing that the claim says its cases; those without a statistic have no finished runs.
    summary : str
        What is told as measured, in place of a sentence for each case.
    """
    claim = claim_from_cases(spec, f"{rule} {STAND_INS}", [case for cases in answers for case in cases])
    if not claim.statistic:
        return claim
    if claim.verdict == "reproduced" and not all(map(_answered, answers)):
        claim = replace(claim, verdict="not_applicable", why=f"{claim.why} {INCOMPLETE}")
    return replace(claim, measured=summary)


def summarize(answers: Mapping[str, Sequence[Case]]) -> str:
    """Write what was measured: a sentence for each thing, by its title, that has any case to tell of."""
    values = {
        title: [f"{case.about} {case.measured}" for case in cases if case.measured] for title, cases in answers.items()
    }
    return " ".join(f"{title}: {'; '.join(own)}." for title, own in values.items() if own)


def _answered(cases: Sequence[Case]) -> bool:
    """Whether all cases have runs, and some of them could be judged."""
    return all(case.statistic for case in cases) and any(case.ruling != "not_applicable" for case in cases)
