"""The bounds of Theorems 1 and 2 beside the iterations of Figure 1."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from statistics import geometric_mean
from typing import Final

from experiments.papers.cases import counted, decided
from experiments.papers.effort import Effort, multiple_text
from experiments.papers.judging import Part, holds, judged
from experiments.papers.minibatch import bound_picture, theorems
from experiments.papers.minibatch.looks import LOOKS, TAIL
from experiments.papers.minibatch.spectrum import Spectrum
from experiments.papers.minibatch.study import ACCURACY, Study, points, studies
from experiments.papers.panels import called, name_of
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.made import Made, Table
from experiments.reproduction.spec import ClaimSpec
from experiments.reproduction.verdict import Claim, Ruling

BOUNDS: Final[Mapping[str, Callable[[Spectrum, int, float], float]]] = {TAIL: theorems.pegasos, "safe": theorems.safe}
RULE: Final = (
    "For each data set, theorem and b: whether the largest number of iterations of a run until P(w) - P* <= 0.001 is "
    "at most the theorem's. (The theorems are about expectations, and about all numbers of iterations from theirs on; "
    "safe SDCA is measured by the decaying average of its iterates, where Theorem 2 takes their mean.) Where runs "
    "were ended by a budget below the bound nothing is decided."
)


def make(evidence: Evidence) -> Made:
    """Draw the figure and judge the theorems."""
    found = [study for study in studies(evidence) if study.efforts and study.data.spectrum is not None]
    return Made(
        points(found, list(BOUNDS), lambda study, method, b: {"bound": bound(study, method, b)}),
        partial(bound_picture.draw, found=found, bounds=BOUNDS),
        bound_picture.size(len(found)),
        table=_table(found),
        claims=judged(evidence, {"minibatch.bound": partial(_judge, found=found)}),
    )


def bound(study: Study, method: str, b: int) -> float:
    """Return the iterations that a method's theorem asks for on a data set."""
    assert study.data.spectrum is not None  # others are not looked at
    return BOUNDS[method](study.data.spectrum, b, ACCURACY)


def _judge(evidence: Evidence, spec: ClaimSpec, found: Sequence[Study]) -> Claim:
    answers = {
        method: [
            counted(_part(study, method, b, effort), evidence, study.panel)
            for study in found
            for b, effort in study.of(method).items()
        ]
        for method in BOUNDS
    }
    told = [_told(method, parts, found) for method, parts in answers.items()]
    return decided(spec, RULE, list(answers.values()), " ".join(filter(None, told)))


def _part(study: Study, method: str, b: int, effort: Effort) -> Part:
    place, about = (study.panel.asked, f"{method} b={b}"), called(study.panel)
    limit, largest = bound(study, method, b), max(effort.costs)
    statistic = {"b": b, "bound": limit, "largest": largest, "reached": sum(effort.reached), "runs": len(effort.costs)}
    ruling: Ruling = holds(largest <= limit)
    why = study.data.unfit
    if not all(effort.reached) and largest <= limit:
        why = why or f"{LOOKS[method].name}: some budgets are below the bound, and ended runs"
    return Part(place, about, "not_applicable" if why else ruling, "", statistic, why)


def _told(method: str, parts: Sequence[Part], found: Sequence[Study]) -> str:
    """Say at how many sizes the bound holds, and how far off it is: a sentence."""
    decided_parts = [part for part in parts if part.ruling != "not_applicable"]
    held = sum(part.ruling == "reproduced" for part in decided_parts)
    multiples = [
        bound(study, method, b) / effort.median
        for study in found
        for b, effort in study.of(method).items()
        if effort.known
    ]
    text = f"{LOOKS[method].name}: within the bound in {held} of {len(decided_parts)} cases"
    if not multiples:
        return f"{text}."
    low, mean, high = (multiple_text(value) for value in (min(multiples), geometric_mean(multiples), max(multiples)))
    return f"{text}, which asks for {mean} times as many iterations (geometric mean; {low} to {high})."


def _table(found: Sequence[Study]) -> Table:
    rows = [
        [
            name_of(study.panel),
            LOOKS[method].name,
            f"{b:,}",
            effort.text(lambda cost: f"{cost:,.0f}"),
            f"{(limit := bound(study, method, b)):,.0f}",
            f"{limit / effort.median:,.3g}" if effort.known else "",
        ]
        for study in found
        for method in BOUNDS
        for b, effort in study.of(method).items()
    ]
    notes = [
        f"Iterations to P(w) - P* <= {ACCURACY:g}, median over the runs; >: most were ended by their budget. Bounds: "
        "Theorem 1 for Pegasos by the mean of its tail, Theorem 2 (eqs. 18 to 20) for safe SDCA.",
    ]
    return Table(["data set", "method", "b", "iterations", "bound", "bound / iterations"], rows, notes)
