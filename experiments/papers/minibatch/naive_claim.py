"""Claim 2: naive SDCA fails for large mini-batches, where aggressive SDCA keeps improving."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from experiments.papers.cases import counted, decided
from experiments.papers.effort import ratio_of
from experiments.papers.judging import Part, holds
from experiments.papers.minibatch.study import Efforts, Study
from experiments.papers.panels import called
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.spec import ClaimSpec
from experiments.reproduction.verdict import Claim

WORSE: Final = 2.0
"""It gets worse where it takes this many times the iterations that it takes with the best smaller b."""
RULE: Final = (
    "Naive SDCA fails at b if most of its runs do not come to P(w) - P* <= 0.001 within a budget of no fewer "
    f"iterations than the median of aggressive SDCA takes there, or if it takes more than {WORSE:g} times the "
    "iterations of the best smaller b; with a smaller budget it cannot be told. The first half: on each data set it "
    "fails at every b, of those that can be told, from some b above 1/sigma^2 on, at two of them at least. The "
    "second: from the largest b before that to the largest of all the iterations of aggressive SDCA fall (ratio of "
    "medians above 1 with its 95 % interval)."
)


def judge(evidence: Evidence, spec: ClaimSpec, found: Sequence[Study]) -> Claim:
    """Judge the claim by all data sets."""
    fails = [counted(_fails(study), evidence, study.panel) for study in found]
    improves = [counted(_improves(study), evidence, study.panel) for study in found]
    measured = [f"{part.about}: {part.measured}." for part in (*fails, *improves) if part.measured]
    return decided(spec, RULE, [fails, improves], " ".join(measured))


def failing(naive: Efforts, aggressive: Efforts) -> dict[int, bool | None]:
    """Say for each b whether naive SDCA fails; None: its budget was too small to tell."""
    found: dict[int, bool | None] = {}
    best = float("inf")
    for b, effort in naive.items():
        if effort.known:
            found[b] = effort.median > WORSE * best
            best = min(best, effort.median)
        else:
            other = aggressive.get(b)
            enough = other is not None and other.known and min(effort.costs) >= other.median
            found[b] = True if enough or effort.median > WORSE * best else None
    return found


def fails_from(study: Study) -> int | None:
    """Smallest b from which on naive SDCA fails at every size that can be told; None where it fails at none of them."""
    first = None
    for b, fails in reversed(failing(study.of("naive"), study.of("aggressive")).items()):
        if fails is False:
            break
        first = b if fails else first
    return first


def _fails(study: Study) -> Part:
    place, about = (study.panel.asked, "naive fails"), called(study.panel)
    naive, spectrum = study.of("naive"), study.data.spectrum
    if spectrum is None or not naive:
        return Part(place, about, "not_applicable", note=study.data.unfit or "no finished runs of naive SDCA")
    first = fails_from(study)
    known = {b: fails for b, fails in failing(naive, study.of("aggressive")).items() if fails is not None}
    sizes = [b for b, fails in known.items() if fails and first is not None and b >= first]
    statistic = {
        "from": first,
        "sizes": len(sizes),
        "largest_told": max(known, default=None),
        "enough": spectrum.enough,
    }
    if study.data.unfit or not known:
        why = study.data.unfit or "the budgets of naive SDCA were too small to tell"
        return Part(place, about, "not_applicable", "", statistic, why)
    if first is None:
        measured = f"naive SDCA does not fail with b = {max(known):,}"
    else:
        measured = f"naive SDCA fails from b = {first:,} on ({first / spectrum.enough:.3g}/sigma^2)"
    note = "" if max(known) == max(naive) else f"naive SDCA beyond b = {max(known):,}: budgets were too small to tell"
    return Part(place, about, holds(len(sizes) >= 2 and sizes[0] > spectrum.enough), measured, statistic, note)


def _improves(study: Study) -> Part:
    place, about = (study.panel.asked, "aggressive improves"), called(study.panel)
    efforts = study.of("aggressive")
    if not efforts or not study.of("naive"):
        why = study.data.unfit or "no finished runs of naive or aggressive SDCA"
        return Part(place, about, "not_applicable", note=why)
    first = fails_from(study)
    before = [b for b in efforts if first is not None and b < first]
    if not before:
        return Part(place, about, "not_applicable", "", {"from": first}, "naive SDCA has no failure to look beyond")
    ratio = ratio_of(efforts[before[-1]], efforts[max(efforts)])
    statistic = {"b": [before[-1], max(efforts)], "speedup": None if ratio is None else ratio.as_dict()}
    if ratio is None or study.data.unfit:
        why = study.data.unfit or "aggressive SDCA does not get there"
        return Part(place, about, "not_applicable", "", statistic, why)
    measured = f"aggressive SDCA {ratio.text()} times as fast with b = {max(efforts):,} as with {before[-1]:,}"
    ruling = ratio.above(1.0)
    note = "aggressive SDCA: the budgets were too small to tell" if ruling == "not_applicable" else ""
    return Part(place, about, ruling, measured, statistic, note)
