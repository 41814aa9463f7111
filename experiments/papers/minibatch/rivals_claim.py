"""Claim 3: SDCA takes fewer iterations than Pegasos with b = 1, and aggressive SDCA does so with every b."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import geometric_mean
from typing import Final

from experiments.papers.cases import counted, decided
from experiments.papers.effort import Ratio, multiple_text, ratio_of
from experiments.papers.judging import Part
from experiments.papers.minibatch.looks import LOOKS, TAIL
from experiments.papers.minibatch.study import Study
from experiments.papers.panels import called
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.spec import ClaimSpec
from experiments.reproduction.verdict import Claim

RULE: Final = (
    "For each data set and b: median iterations of Pegasos over those of aggressive SDCA (which with b = 1 is SDCA). "
    "Reproduced: the 95 % interval over the runs of both lies above 1; not reproduced: at or below 1; else unclear. A "
    "method that does not get there within its budget takes longer than that, as far as is known. Both by the decaying "
    "average of their iterates, as in the paper's experiments. Measured beside it: Pegasos by the mean of its tail."
)


def judge(evidence: Evidence, spec: ClaimSpec, found: Sequence[Study]) -> Claim:
    """Judge the claim by all data sets and sizes."""
    answers = [_parts(study, "pegasos", evidence) for study in found]
    first = [parts[:1] for parts in answers]
    every = [parts[1:] for parts in answers]
    told = [*(_told(study, parts) for study, parts in zip(found, answers, strict=True)), *map(_beside, found)]
    flat = [[part for parts in group for part in parts] for group in (first, every)]
    return decided(spec, RULE, flat, " ".join(filter(None, told)))


def ratios(study: Study, method: str) -> dict[int, Ratio | None]:
    """Return the iterations of a method over those of aggressive SDCA, at each b that both have runs for."""
    mine, other = study.of(method), study.of("aggressive")
    return {b: ratio_of(effort, other[b]) for b, effort in mine.items() if b in other}


def _parts(study: Study, method: str, evidence: Evidence) -> list[Part]:
    found = ratios(study, method)
    if 1 not in found:
        why = study.data.unfit or "no finished runs with b = 1"
        return [Part((study.panel.asked, "b=1"), called(study.panel), "not_applicable", note=why)]
    return [counted(_part(study, b, ratio), evidence, study.panel) for b, ratio in found.items()]


def _part(study: Study, b: int, ratio: Ratio | None) -> Part:
    place, about = (study.panel.asked, f"b={b}"), called(study.panel)
    statistic = {"b": b, "ratio": None if ratio is None else ratio.as_dict()}
    if study.data.unfit or ratio is None:
        why = study.data.unfit or "sizes at which neither got there within its budget are not compared"
        return Part(place, about, "not_applicable", "", statistic, why)
    ruling = ratio.above(1.0)
    note = f"b = {b:,}: {ratio.text()}" if ruling == "not_applicable" else ""
    return Part(place, about, ruling, "", statistic, note)


def _told(study: Study, parts: Sequence[Part]) -> str:
    """Say at how many sizes it is as claimed, and where not: a sentence."""
    judged = [part for part in parts if part.ruling != "not_applicable"]
    if not judged:
        return ""
    against = [f"{part.statistic['b']:,}" for part in judged if part.ruling != "reproduced"]
    text = f"{called(study.panel)}: as claimed with {len(judged) - len(against)} of {len(judged)} sizes"
    return text + (f", not or not clearly with b = {', '.join(against)}" if against else "") + _spread(study, "pegasos")


def _beside(study: Study) -> str:
    """Say the same of Pegasos by the mean of its tail: a sentence, for comparison only."""
    known = {b: ratio for b, ratio in ratios(study, TAIL).items() if ratio is not None}
    if not known:
        return ""
    held = sum(ratio.above(1.0) == "reproduced" for ratio in known.values())
    text = f"{LOOKS[TAIL].name}, {called(study.panel)}: in {held} of {len(known)}"
    return text + _spread(study, TAIL)


def _spread(study: Study, method: str) -> str:
    known = {b: ratio.interval.estimate for b, ratio in ratios(study, method).items() if ratio and not ratio.bound}
    if not known:
        return "."
    low, high = (pick(known, key=lambda b: known[b]) for pick in (min, max))
    ends = " to ".join(f"{multiple_text(known[b])} (b = {b:,})" for b in (low, high))
    return (
        f"; Pegasos takes {multiple_text(geometric_mean(known.values()))} times as many (geometric mean), from {ends}."
    )
