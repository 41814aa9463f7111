"""The page of what changed since an earlier edition: outcomes, rulings and intervals of every claim, and why."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter

from svm_cost_curves.experiments.provenance import PROJECT_ROOT
from svm_cost_curves.experiments.reproduction.claim_spec import read_yaml
from svm_cost_curves.experiments.reproduction.published import published_figures, read_facts, read_verified
from svm_cost_curves.experiments.reproduction.report.rendering import render
from svm_cost_curves.experiments.reproduction.verdict import in_words

EDITION: Final = "1.0.0"
BEFORE: Final = f"editions/{EDITION}.json"
"""File of the evidence with the rulings and intervals of the earlier edition, as `compact` returns them."""
REASONS: Final = PROJECT_ROOT / "conf" / "notes" / "changes.yaml"
"""Why claims changed."""
TOLERANCE: Final = 1e-6
"""Relative difference up to which two numbers are equal."""
_ENDS: Final = ("estimate", "low", "high")

Judged = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""By claim and reading: ``outcome``, ``held``, ``cases``, ``type``, and for each case its ``ruling`` and intervals.

``cases`` of edition 1.0.0 counts those that were not run; that edition has no ``type``.
"""


@dataclass(frozen=True)
class Reason:
    """Why some claims changed."""

    name: str
    """In one to three words."""
    claims: list[str]
    """Patterns of ids: ``sgdr.*``."""
    why: str


@dataclass(frozen=True)
class Change:
    """A reading that changed."""

    claim: str
    reading: str
    before: str
    """Outcome and number of cases that hold, as `after`."""
    after: str
    outcome: bool
    """Whether the outcome changed."""
    rulings: Sequence[str]
    """Cases with another ruling: ``adult pegasos: unclear -> holds, 0.98 [0.85, 1.2] -> 0.98 [0.9, 0.99]``."""
    intervals: int
    """Number of its intervals that changed, of `compared`."""
    compared: int
    estimate: float
    """Largest relative change of an estimate."""
    width: float
    """Largest factor between the widths of an interval, at least 1."""
    why: str
    """Names of reasons."""


def compact(claims: Sequence[Mapping[str, Any]]) -> Judged:
    """Return the outcomes, rulings and intervals of the claims in a verdict.json; `cases` are those that were run."""
    return {
        claim["id"]: {
            reading["id"]: {
                "outcome": reading["outcome"],
                "held": reading["held"],
                "cases": reading["run"],
                "type": claim["type"],
                "rulings": {
                    f"{case['dataset']} {case['name']}".strip(): {
                        "ruling": case["ruling"],
                        "intervals": sorted(_intervals(case["statistic"])),
                    }
                    for case in reading["rulings"]
                    if case["statistic"]
                },
            }
            for reading in claim["readings"]
        }
        for claim in claims
    }


def _intervals(value: object) -> Iterator[list[float]]:
    """Yield each estimate in a statistic, with the ends of its interval, and 1 or 0 for each end if one is open."""
    if not isinstance(value, Mapping):
        return
    if all(isinstance(value.get(end), int | float) for end in _ENDS):
        opened = [float(bool(value.get(name))) for name in ("open_low", "open_high")]
        yield [float(value[end]) for end in _ENDS] + (opened if any(opened) else [])
    for part in value.values():
        yield from _intervals(part)


def changes(before: Judged, after: Judged, reasons: Sequence[Reason]) -> list[Change]:
    """Return the readings whose outcome, rulings or intervals changed; claims and readings of both editions only."""
    return [
        change
        for claim, readings in after.items()
        for reading, now in readings.items()
        if (then := before.get(claim, {}).get(reading)) is not None
        if (change := _change(claim, reading, then, now, reasons)) is not None
    ]


def _change(
    claim: str, reading: str, then: Mapping[str, Any], now: Mapping[str, Any], reasons: Sequence[Reason]
) -> Change | None:
    rulings, moved, compared, estimate, width = [], 0, 0, 0.0, 1.0
    for name, one, two in _paired(then["rulings"], now["rulings"]):
        pairs = [*zip(one["intervals"], two["intervals"], strict=False)]
        differing = [pair for pair in pairs if not _equal(*pair)]
        compared, moved = compared + len(pairs), moved + len(differing)
        for before, after in differing:
            estimate = max(estimate, abs(after[0] - before[0]) / max(abs(before[0]), 1e-300))
            spans = [interval[2] - interval[1] for interval in (before, after)]
            width = max(width, max(spans) / min(spans) if min(spans) > 0 else math.inf)
        if one["ruling"] != two["ruling"]:
            numbers = f", {_text(differing[0][0])} -> {_text(differing[0][1])}" if differing else ""
            rulings.append(f"{name}: {one['ruling']} -> {two['ruling']}{numbers}")
    if then["outcome"] == now["outcome"] and not rulings and not moved:
        return None
    before, after = (
        f"{in_words(side['outcome'], now['type'])} ({side['held']} of {side['cases']})" for side in (then, now)
    )
    why = ", ".join(reason.name for reason in reasons if any(fnmatchcase(claim, pattern) for pattern in reason.claims))
    other = then["outcome"] != now["outcome"]
    return Change(claim, reading, before, after, other, rulings, moved, compared, estimate, width, why)


def first_readings(before: Judged, after: Judged) -> list[tuple[str, str, str]]:
    """Return the claims with another first reading than before: id, then reading and outcome before and now.

    The first reading gives the verdict. Claims of both editions only.
    """
    changed = []
    for claim, readings in after.items():
        (old, then), (new, now) = (next(iter(side.items())) for side in (before.get(claim) or readings, readings))
        if old != new:
            texts = (in_words(side["outcome"], now["type"]) for side in (then, now))
            was, has = (f"{name or 'the only one'}: {text}" for name, text in zip((old, new), texts, strict=True))
            changed.append((claim, was, has))
    return changed


def _paired(
    then: Mapping[str, Mapping[str, Any]], now: Mapping[str, Mapping[str, Any]]
) -> Iterator[tuple[str, Mapping[str, Any], Mapping[str, Any]]]:
    """Yield pairs of cases with their name: cases of one name, then those of a data set in the order of estimates.

    Cases may have other names than before. A case that has no partner was not measured in the other edition.
    """
    yield from ((name, then[name], now[name]) for name in now if name in then)
    for dataset in dict.fromkeys(name.partition(" ")[0] for name in (*now, *then)):
        sides = [
            sorted(
                ([estimate for estimate, *_ in case["intervals"]], name)
                for name, case in side.items()
                if name not in other and name.partition(" ")[0] == dataset
            )
            for side, other in ((then, now), (now, then))
        ]
        for before, after in zip_longest(*([name for _, name in side] for side in sides)):
            nothing = {"ruling": "not measured", "intervals": []}
            yield after or before, then.get(before, nothing), now.get(after, nothing)


def _equal(one: Sequence[float], two: Sequence[float]) -> bool:
    return len(one) == len(two) and all(
        math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=1e-12) for a, b in zip(one, two, strict=True)
    )


def _text(interval: Sequence[float]) -> str:
    estimate, low, high = (f"{value:.3g}" for value in interval[:3])
    below, above = ("<" * bool(interval[3]), ">" * bool(interval[4])) if len(interval) > 3 else ("", "")
    return f"{estimate} [{below}{low}, {above}{high}]"


def read_reasons(path: Path = REASONS) -> list[Reason]:
    """Return the reasons in a file. Raises ValueError if it has another form."""
    return read_yaml(path, TypeAdapter(list[Reason]), ValueError)


def changes_page(evidence: Path) -> str:
    """Return the page on the published verdicts in Markdown; empty if the evidence has no earlier edition.

    Raises EvidenceError if a file is damaged.
    """
    if not (evidence / BEFORE).is_file():
        return ""
    before: Judged = json.loads(read_verified(evidence, BEFORE))
    claims = (
        claim for figure in published_figures(evidence) for claim in read_facts(evidence, figure)["verdict"]["claims"]
    )
    after = compact([*claims])
    reasons = read_reasons()
    changed = changes(before, after, reasons)
    return render(
        "changes.md.j2",
        edition=EDITION,
        reasons=reasons,
        outcomes=[change for change in changed if change.outcome or change.rulings],
        intervals=[change for change in changed if not change.outcome and not change.rulings],
        first_readings=first_readings(before, after),
        unchanged=sum(len(readings) for readings in after.values()) - len(changed),
        added=[claim for claim in after if claim not in before and not claim.startswith("elsewhere.")],
        elsewhere=sum(claim.startswith("elsewhere.") and claim not in before for claim in after),
        removed=[claim for claim in before if claim not in after],
    )
