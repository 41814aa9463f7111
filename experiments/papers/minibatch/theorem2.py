"""Theorem 2: the duality gap of the mean of safe SDCA's dual variables, after the theorem's iterations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from svm_cost_curves.experiments.papers import layout
from svm_cost_curves.experiments.papers.cases import MISSING, Case, Findings, case_on, judge_claims, under_bound
from svm_cost_curves.experiments.papers.minibatch.bound import safe_bound, start_of_mean
from svm_cost_curves.experiments.papers.minibatch.data import Spectrum, spectrum_of
from svm_cost_curves.experiments.papers.minibatch.reference import Rows, cached_on
from svm_cost_curves.experiments.papers.panels import called, heading
from svm_cost_curves.experiments.papers.problem import load_problem
from svm_cost_curves.experiments.plotting import INK, Style
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult
from svm_cost_curves.experiments.reproduction.statistics import bootstrap_mean

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

    from svm_cost_curves.solvers import Problem

SIZES: Final = (16, 256)
ACCURACIES: Final = (0.5, 0.2, 0.1)
"""Values of epsilon."""
SEEDS: Final = 3
MOST: Final = 4e7
"""Examples that one run may present: a smaller epsilon takes too long."""
ITERATES: Final = 500
"""Equally spaced iterates in the mean of the dual variables."""
STYLES: Final = {
    16: Style("b = 16", "#2b7bba", "-", "D"),
    256: Style("b = 256", "#cc7a00", (0, (6.0, 1.6)), "s"),
}


def gap_of_mean(problem: Problem, rows: Rows, b: int, first: int, last: int, seed: int) -> float:
    """Return P(w(m)) - D(m) for the mean m of safe SDCA's dual variables from one iteration to another (eq. 21)."""
    from svm_cost_curves import solvers

    solver = solvers.get("minibatch_sdca")
    settings = solver.Settings(batch_size=b)
    settings.variant = type(settings.variant).safe
    made: Any = solver(problem, settings, seed)
    core, chosen = made.make(), np.unique(np.linspace(first, last - 1, ITERATES).round().astype(int))
    mean = np.zeros(rows.n)
    for t in chosen:
        core.advance(iterations=int(t))
        mean += core.alpha() / len(chosen)
    return rows.gap(mean)


def compute(evidence: Evidence) -> dict[str, Any]:
    """Return the gaps of all runs, on each data set with runs, by ``b epsilon``; not of those that take too long."""
    found = {}
    for panel in evidence.panels:
        if any(panel.runs.values()):
            run = next(iter(panel.settings.values()))
            work = partial(_gaps, problem=partial(load_problem, run), spectrum=spectrum_of(run))
            found[panel.paper_dataset] = cached_on(run, "gaps", __file__, work)
    return {"gaps": found}


def _gaps(rows: Rows, problem: Callable[[], Problem], spectrum: Spectrum) -> dict[str, list[float]]:
    loaded, found = problem(), {}
    for b in (size for size in SIZES if size <= rows.n):
        for epsilon in ACCURACIES:
            first, last = (round(bound(spectrum, b, epsilon)) for bound in (start_of_mean, safe_bound))
            if b * last <= MOST:
                found[f"{b} {epsilon:g}"] = [gap_of_mean(loaded, rows, b, first, last, seed) for seed in range(SEEDS)]
    return found


Found = Sequence[tuple[Panel, dict[str, list[float]]]]
"""Gaps by ``b epsilon`` of each data set."""


def make(evidence: Evidence) -> FigureResult:
    """Draw the gaps and judge the theorem."""
    gaps = evidence.computed.get("gaps", {})
    found = [(panel, gaps[panel.paper_dataset]) for panel in evidence.panels if panel.paper_dataset in gaps]
    return FigureResult(
        _points(found),
        partial(_draw, found=found),
        layout.size(len(found), _HEAD, _COLUMNS),
        claims=judge_claims(evidence, {"minibatch.theorem2": lambda *_: Findings(_cases(found), _summary(found))}),
    )


def _cases(found: Found) -> list[Case]:
    cases = []
    for panel, own in found:
        for b in (size for size in SIZES if panel.n is None or size <= panel.n):
            for epsilon in ACCURACIES:
                what, about = f"b={b} epsilon={epsilon:g}", f"b = {b}, epsilon = {epsilon:g}, {called(panel)}"
                values = own.get(f"{b} {epsilon:g}")
                if values is None:
                    cases.append(case_on(panel, what, MISSING, note="it takes too long", about=about))
                else:
                    gap = bootstrap_mean(values)
                    cases.append(case_on(panel, what, under_bound(gap, epsilon), "", gap.as_dict(), about=about))
    return cases


def _summary(found: Found) -> str:
    slack = [float(key.split()[1]) / float(np.mean(values)) for _, own in found for key, values in own.items()]
    return f"The gap is {min(slack):.3g} to {max(slack):.3g} times smaller than epsilon." if slack else ""


def _points(found: Found) -> pd.DataFrame:
    rows = [
        {
            "panel": panel.paper_dataset,
            "dataset": panel.dataset,
            "b": int(key.split()[0]),
            "epsilon": float(key.split()[1]),
            "seed": seed,
            "gap": gap,
        }
        for panel, own in found
        for key, values in own.items()
        for seed, gap in enumerate(values)
    ]
    return pd.DataFrame(rows, columns=["panel", "dataset", "b", "epsilon", "seed", "gap"])


_HEAD: Final = 0.62  # inches
_COLUMNS: Final = 2
_CAPTION: Final = (
    r"Duality gap $P(w(\bar\alpha)) - D(\bar\alpha)$ after the iterations that Theorem 2 asks for: one symbol for each "
    r"run. Black: $\epsilon$, the theorem's limit on their mean."
)


def _draw(figure: Figure | SubFigure, found: Found) -> None:
    """Draw one panel per data set."""
    names = r"$\epsilon$", "Duality gap"
    panels = layout.each_panel(figure, found, STYLES.values(), [_CAPTION], _HEAD, names, _COLUMNS, "no finished runs")
    for place, (panel, own) in panels:
        place.plot(ACCURACIES, ACCURACIES, color=INK, linewidth=1.2)
        for key, values in own.items():
            b, epsilon = key.split()
            marks = STYLES[int(b)].markers()
            place.plot([float(epsilon)] * len(values), values, linestyle="none", **marks, zorder=3)
        layout.plain_ticks(place.xaxis)
        place.yaxis.labelpad = 9  # beside the exponents
        heading(place, panel)
