"""Theorems 1 and 2: their bounds compared with the iterations of Figure 1."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from statistics import geometric_mean
from typing import TYPE_CHECKING, Any, Final

from experiments.papers import layout
from experiments.papers.cases import Case, claim_from_groups, exclude_undeclared, holds, judge_claims
from experiments.papers.effort import Effort, multiple_text
from experiments.papers.minibatch.data import Spectrum
from experiments.papers.minibatch.methods import METHOD_STYLES, TAIL
from experiments.papers.minibatch.study import ACCURACY, Study, points, studies
from experiments.papers.panels import called, heading, name_of
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.figure_result import FigureResult, Table
from experiments.reproduction.spec import ClaimSpec
from experiments.reproduction.verdict import Claim, Ruling

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure


def pegasos_bound(spectrum: Spectrum, b: int, epsilon: float) -> float:
    """Return the T after which Pegasos's tail mean has P(w) - P* <= epsilon in expectation (Theorem 1)."""
    return spectrum.beta_over_b(b) * 30 / (spectrum.lambda_ * epsilon)


def safe_bound(spectrum: Spectrum, b: int, epsilon: float) -> float:
    """Return the same T for safe SDCA's mean from the T_0-th iterate on (Theorem 2, eqs. 18 to 20)."""
    n, lambda_, beta = spectrum.n, spectrum.lambda_, spectrum.beta(b)
    t0 = max(0, math.ceil(n / b * math.log(2 * lambda_ * n / beta)))
    start = t0 + beta / b * max(0.0, 4 / (lambda_ * epsilon) - 2 * n / beta)
    return start + max(math.ceil(n / b), beta / b / (lambda_ * epsilon))


_HEAD: Final = 0.62  # inches
_COLUMNS: Final = 2
_CAPTION: Final = (
    f"Iterations to P(w) - P* <= {ACCURACY:g}, as in Figure 1; open symbols: their budget. Thin lines without symbols: "
    "Theorem 1 for Pegasos, Theorem 2 for safe SDCA."
)


def _draw(
    figure: Figure | SubFigure, found: Sequence[Study], bounds: Mapping[str, Callable[[Spectrum, int, float], float]]
) -> None:
    """Draw one panel per data set."""
    styles, nothing = [METHOD_STYLES[name] for name in bounds], "no finished runs with an optimum to compare with"
    names = "b, examples in a mini-batch", "Iterations"
    for place, study in layout.each_panel(figure, found, styles, [_CAPTION], _HEAD, names, _COLUMNS, nothing):
        spectrum = study.data.spectrum
        assert spectrum is not None  # other panels are not shown
        for name, theorem in bounds.items():
            layout.draw_efforts(place, study.of(name), METHOD_STYLES[name])
            look: dict[str, Any] = {"color": METHOD_STYLES[name].color, "linewidth": 1.0}
            sizes = list(study.of(name))
            place.plot(sizes, [theorem(spectrum, b, ACCURACY) for b in sizes], **look)
        heading(place, study.panel, f"lambda = {spectrum.lambda_:g}, 1/sigma² = {spectrum.inverse_sigma2:.3g}")


BOUNDS: Final[Mapping[str, Callable[[Spectrum, int, float], float]]] = {TAIL: pegasos_bound, "safe": safe_bound}
RULE: Final = (
    "For each data set, theorem and b: whether the largest number of iterations of a run until P(w) - P* <= 0.001 is "
    "at most the theorem's. (The theorems are about expectations, and about all numbers of iterations from theirs on; "
    "safe SDCA is measured by the decaying average of its iterates, where Theorem 2 takes their mean.) Where runs "
    "were ended by a budget below the bound nothing is decided."
)


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure and judge the theorems."""
    found = [study for study in studies(evidence) if study.efforts and study.data.spectrum is not None]
    return FigureResult(
        points(found, list(BOUNDS), lambda study, method, b: {"bound": bound(study, method, b)}),
        partial(_draw, found=found, bounds=BOUNDS),
        layout.size(len(found), _HEAD, _COLUMNS),
        table=_table(found),
        claims=judge_claims(evidence, {"minibatch.bound": partial(_judge, found=found)}),
    )


def bound(study: Study, method: str, b: int) -> float:
    """Return a theorem's bound on the iterations of its method."""
    assert study.data.spectrum is not None  # `make` leaves out the others
    return BOUNDS[method](study.data.spectrum, b, ACCURACY)


def _judge(evidence: Evidence, spec: ClaimSpec, found: Sequence[Study]) -> Claim:
    answers = {
        method: [
            exclude_undeclared(_case(study, method, b, effort), evidence, study.panel)
            for study in found
            for b, effort in study.of(method).items()
        ]
        for method in BOUNDS
    }
    sentences = [_sentence(method, cases, found) for method, cases in answers.items()]
    return claim_from_groups(spec, RULE, list(answers.values()), " ".join(filter(None, sentences)))


def _case(study: Study, method: str, b: int, effort: Effort) -> Case:
    place, about = (study.panel.paper_dataset, f"{method} b={b}"), called(study.panel)
    limit, largest = bound(study, method, b), max(effort.costs)
    statistic = {"b": b, "bound": limit, "largest": largest, "reached": sum(effort.reached), "runs": len(effort.costs)}
    ruling: Ruling = holds(largest <= limit)
    why = study.data.unfit
    if not all(effort.reached) and largest <= limit:
        why = why or f"{METHOD_STYLES[method].name}: some budgets are below the bound, and ended runs"
    return Case(place, about, "not_applicable" if why else ruling, "", statistic, why)


def _sentence(method: str, cases: Sequence[Case], found: Sequence[Study]) -> str:
    """Write at how many sizes the bound holds, and its ratio to the measured iterations."""
    decided_parts = [case for case in cases if case.ruling != "not_applicable"]
    held = sum(case.ruling == "reproduced" for case in decided_parts)
    multiples = [
        bound(study, method, b) / effort.median
        for study in found
        for b, effort in study.of(method).items()
        if effort.known
    ]
    text = f"{METHOD_STYLES[method].name}: within the bound in {held} of {len(decided_parts)} cases"
    if not multiples:
        return f"{text}."
    low, mean, high = (multiple_text(value) for value in (min(multiples), geometric_mean(multiples), max(multiples)))
    return f"{text}, which asks for {mean} times as many iterations (geometric mean; {low} to {high})."


def _table(found: Sequence[Study]) -> Table:
    rows = [
        [
            name_of(study.panel),
            METHOD_STYLES[method].name,
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
        "Theorem 1 for Pegasos by the mean of its tail, Theorem 2 (eqs. 18 to 20) for safe SDCA."
    ]
    return Table(["data set", "method", "b", "iterations", "bound", "bound / iterations"], rows, notes)
