"""A claim about several cases: each judged by itself, then put together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from experiments.reproduction.evidence import Evidence
from experiments.reproduction.spec import ClaimSpec
from experiments.reproduction.statistics import Interval
from experiments.reproduction.verdict import Claim, Ruling, claim, combined, undecided

Judge = Callable[[Evidence, ClaimSpec], Claim]


@dataclass(frozen=True)
class Part:
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


def put_together(spec: ClaimSpec, rule: str, parts: Sequence[Part]) -> Claim:
    """Judge a claim by its cases: all must hold.

    Parameters
    ----------
    spec : ClaimSpec
    rule : str
        How a case is judged, in a sentence.
    parts : sequence of Part
    """
    notes = _sentences((part.about, part.note) for part in parts)
    statistic: dict[str, dict[str, Any]] = {}
    for part in parts:
        if part.statistic:
            statistic.setdefault(part.place[0], {})[part.place[1]] = {**part.statistic, "ruling": part.ruling}
    if not statistic:
        return undecided(spec, notes or "There are no runs.")
    measured = _sentences((part.about, part.measured) for part in parts)
    why = " ".join(filter(None, [rule, notes]))
    return claim(spec, combined([part.ruling for part in parts]), measured, statistic, why)


def _sentences(remarks: Iterable[tuple[str, str]]) -> str:
    """Write one sentence for each thing that there are remarks about."""
    grouped: dict[str, list[str]] = {}
    for about, remark in remarks:
        if remark and remark not in grouped.setdefault(about, []):
            grouped[about].append(remark)
    return " ".join(f"{about}: {', '.join(texts)}." for about, texts in grouped.items() if texts)


def judged(evidence: Evidence, judges: Mapping[str, Judge]) -> list[Claim]:
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


def points(interval: Interval) -> str:
    """Write a difference of errors in percentage points."""
    return between(scaled(interval, 100), "+.2f", " points")


def between(interval: Interval, form: str, unit: str = "") -> str:
    """Write an estimate and its interval: ``1.6 [1.2, 2.1] %``."""
    return f"{interval.estimate:{form}} [{interval.low:{form}}, {interval.high:{form}}]{unit}"
