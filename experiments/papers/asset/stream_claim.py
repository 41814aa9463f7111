"""Claim 5: on a stream ASSET converges faster than ASSET*, and to a lower error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from experiments.papers.asset.sizes import difference
from experiments.papers.asset.streams import FROM, LAST, METHODS, Streams
from experiments.papers.cases import counted, decided
from experiments.papers.judging import Part, above, between
from experiments.papers.panels import called
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.spec import ClaimSpec
from experiments.reproduction.verdict import Claim

RULE: Final = (
    f"For each d: test errors of ASSET* minus those of ASSET. Lower: of the means over the last {LAST} looks, within "
    "the last 10,000 examples of a million. Faster: of the means over the logarithm of the number of examples, from "
    f"{FROM:.0%} of them to the end. Reproduced: the 95 % interval over the runs of both lies above 0; not "
    "reproduced: at or below 0; else unclear. Of single runs intervals are points."
)


def judge(evidence: Evidence, spec: ClaimSpec, found: Sequence[Streams]) -> Claim:
    """Judge the claim by all d."""
    answers = {
        kind: [counted(_part(each, d, kind), evidence, each.panel) for each in found for d in each.dimensions or [0]]
        for kind in ("lower", "faster")
    }
    told = [
        f"{kind.capitalize()}, by how much: {values}."
        for kind, parts in answers.items()
        if (values := "; ".join(part.measured for part in parts if part.measured))
    ]
    return decided(spec, RULE, list(answers.values()), " ".join(told))


def _part(each: Streams, d: int, kind: str) -> Part:
    place, about = (each.panel.asked, f"{kind} d={d}"), called(each.panel)
    asset, star = (each.of.get(method, {}).get(d) for method in METHODS)
    if asset is None or star is None:
        return Part(place, about, "not_applicable", note="no finished runs of both")
    values = [(own.means if kind == "lower" else own.areas) for own in (star, asset)]
    interval = difference([values[0]], [values[1]])
    assert interval is not None
    measured = f"d = {d:,} {between(interval, '+.2f', ' points')}"
    return Part(place, about, above(interval, 0.0), measured, interval.as_dict())
