"""The page of what changed since an earlier edition: verdicts, outcomes of other readings, and why."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter

from ...provenance import PROJECT_ROOT
from ..claim_spec import read_yaml
from ..published import published_figures, read_facts, read_verified
from ..statistics.interval import Ruling
from ..verdict import in_words
from .labels import RULINGS
from .rendering import render

EDITION: Final = "1.0.0"
BEFORE: Final = f"editions/{EDITION}.json"
"""File of the evidence with the outcomes and rulings of the earlier edition, as `compact` returns them."""
REASONS: Final = PROJECT_ROOT / "conf" / "notes" / "changes.yaml"
"""Why claims changed."""
MOST_NAMED: Final = 4
"""Cases with the same change that are named; more are counted."""

Judged = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""By claim and reading: ``outcome``, ``held``, ``cases``, ``type``, and ``rulings`` by case.

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
    """A reading that changed, or a claim whose verdict did."""

    claim: str
    before: str
    """Reading, outcome and number of cases that hold, as `after`."""
    after: str
    cases: str
    """Cases with another ruling, and those of one edition only: ``? unclear -> ✓ holds: mnist; 3 in place of 2``."""
    why: str
    """Names of reasons."""


def compact(claims: Sequence[Mapping[str, Any]]) -> Judged:
    """Return the outcomes and rulings of the claims in a verdict.json, of the cases that were run."""
    return {
        claim["id"]: {
            reading["id"]: {
                "outcome": reading["outcome"],
                "held": reading["held"],
                "cases": reading["run"],
                "type": claim["type"],
                "rulings": {
                    f"{case['dataset']} {case['name']}".strip(): case["ruling"]
                    for case in reading["rulings"]
                    if case["statistic"]
                },
            }
            for reading in claim["readings"]
        }
        for claim in claims
    }


def verdicts(before: Judged, after: Judged, reasons: Sequence[Reason]) -> list[Change]:
    """Return the claims of both editions whose first reading, or its outcome, has changed."""
    changed = []
    for claim in (claim for claim in after if claim in before):
        (old, then), (new, now) = (next(iter(side[claim].items())) for side in (before, after))
        if old != new or then["outcome"] != now["outcome"]:
            changed.append(_change(claim, (old, then), (new, now), reasons))
    return changed


def outcomes(before: Judged, after: Judged, reasons: Sequence[Reason]) -> list[Change]:
    """Return the readings of both editions with another outcome, without the present first reading of each claim."""
    return [
        _change(claim, (reading, before[claim][reading]), (reading, now), reasons)
        for claim, readings in after.items()
        for reading, now in [*readings.items()][1:]
        if reading in before.get(claim, {}) and before[claim][reading]["outcome"] != now["outcome"]
    ]


def _change(
    claim: str, before: tuple[str, Mapping[str, Any]], after: tuple[str, Mapping[str, Any]], reasons: Sequence[Reason]
) -> Change:
    (old, then), (new, now) = before, after
    was, has = (
        f"{name and name + ': '}{in_words(side['outcome'], now['type'])} ({side['held']} of {side['cases']})"
        for name, side in (before, after)
    )
    why = ", ".join(reason.name for reason in reasons if any(fnmatchcase(claim, pattern) for pattern in reason.claims))
    return Change(claim, was, has, _moved(then["rulings"], now["rulings"]) if old == new else "", why)


def _moved(then: Mapping[str, Ruling], now: Mapping[str, Ruling]) -> str:
    """Write which cases have another ruling, and how many cases stand in the place of others."""
    earlier = {case: case for case in now if case in then} | _renamed(then, now)
    moved = defaultdict(list)
    for case, old in earlier.items():
        if then[old] != now[case]:
            moved[f"{RULINGS[then[old]]} -> {RULINGS[now[case]]}"].append(case)
    texts = [f"{move}: {', '.join(cases) if len(cases) <= MOST_NAMED else len(cases)}" for move, cases in moved.items()]
    added, dropped = len(now) - len(earlier), len(then) - len(earlier)
    if added and dropped:
        texts.append(f"{added} in place of {dropped}")
    elif added or dropped:
        texts.append(f"{added} new" if added else f"{dropped} dropped")
    return "; ".join(texts)


def _renamed(then: Mapping[str, Ruling], now: Mapping[str, Ruling]) -> dict[str, str]:
    """Return the earlier name of each renamed case: its data set has one case in each edition that the other lacks."""
    old, new = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    for cases, other_edition, by_dataset in ((then, now, old), (now, then, new)):
        for case in cases.keys() - other_edition.keys():
            by_dataset[case.partition(" ")[0]].append(case)
    return {cases[0]: old[dataset][0] for dataset, cases in new.items() if len(cases) == len(old[dataset]) == 1}


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
    return render(
        "changes.md.j2",
        edition=EDITION,
        reasons=reasons,
        verdicts=verdicts(before, after, reasons),
        outcomes=outcomes(before, after, reasons),
        judged=sum(claim in before for claim in after),
        added=[claim for claim in after if claim not in before and not claim.startswith("elsewhere.")],
        elsewhere=sum(claim.startswith("elsewhere.") and claim not in before for claim in after),
        removed=[claim for claim in before if claim not in after],
    )
