"""Theorem 2: the duality gap of the mean of safe SDCA's dual variables, after the theorem's iterations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from svm_cost_curves.experiments.papers import layout
from svm_cost_curves.experiments.papers.cases import Case, Findings, Statistic, case_on, judge_claims
from svm_cost_curves.experiments.papers.minibatch.bound import safe_bound, start_of_mean
from svm_cost_curves.experiments.papers.minibatch.data import Spectrum, panels_with_runs, spectrum_of
from svm_cost_curves.experiments.papers.minibatch.methods import COLUMNS, names_of_data
from svm_cost_curves.experiments.papers.minibatch.reference import Rows, cached_on, compiled_sdca, rows_of
from svm_cost_curves.experiments.papers.panels import called, heading
from svm_cost_curves.experiments.plotting import INK, Style
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult
from svm_cost_curves.experiments.reproduction.statistics import MISSING, bootstrap_mean, under_bound

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
    core = compiled_sdca(problem, "safe", b, seed)
    chosen = np.unique(np.linspace(first, last - 1, ITERATES).round().astype(int))
    mean = np.zeros(rows.n)
    for t in chosen:
        core.advance(iterations=int(t))
        mean += core.alpha() / len(chosen)
    return rows.gap(mean)


def compute(evidence: Evidence) -> dict[str, Any]:
    """Return the gaps of all runs, on each data set with runs, by ``b epsilon``; not of those that take too long."""
    return {
        "gaps": {
            panel.paper_dataset: cached_on(run, "gaps", __file__, partial(_gaps, spectrum=spectrum_of(run)))
            for panel, run in panels_with_runs(evidence)
        }
    }


def _gaps(problem: Problem, spectrum: Spectrum) -> dict[str, list[float]]:
    rows, gaps = rows_of(problem), {}
    for b in (size for size in SIZES if size <= rows.n):
        for epsilon in ACCURACIES:
            first, last = (round(bound(spectrum, b, epsilon)) for bound in (start_of_mean, safe_bound))
            if b * last <= MOST:
                gaps[f"{b} {epsilon:g}"] = [gap_of_mean(problem, rows, b, first, last, seed) for seed in range(SEEDS)]
    return gaps


Gaps = Sequence[tuple[Panel, Mapping[tuple[int, float], Sequence[float]]]]
"""Gaps by b and epsilon of each data set."""


@dataclass(frozen=True, kw_only=True)
class GapOfMean(Statistic):
    """The mean gap over the runs is at most epsilon; one case for each b and epsilon."""

    def findings(self, data: Gaps, evidence: Evidence) -> Findings:
        """Compare the gaps on each data set."""
        cases = [
            _case(panel, b, epsilon, gaps.get((b, epsilon)))
            for panel, gaps in data
            for b in SIZES
            if panel.n is None or b <= panel.n
            for epsilon in ACCURACIES
        ]
        slack = [epsilon / float(np.mean(values)) for _, gaps in data for (_, epsilon), values in gaps.items()]
        summary = f"The gap is {min(slack):.3g} to {max(slack):.3g} times smaller than epsilon." if slack else ""
        return Findings(cases, summary)


def _case(panel: Panel, b: int, epsilon: float, values: Sequence[float] | None) -> Case:
    key, about = f"b={b} epsilon={epsilon:g}", f"b = {b}, epsilon = {epsilon:g}, {called(panel)}"
    if values is None:
        return case_on(panel, key, MISSING, note="it takes too long", about=about)
    gap = bootstrap_mean(values)
    return case_on(panel, key, under_bound(gap, epsilon), "", gap.as_dict(), about=about)


STATISTICS: Final = {"gap_of_mean": GapOfMean}


def make(evidence: Evidence) -> FigureResult:
    """Draw the gaps and judge the theorem."""
    known = {
        name: {(int(b), float(epsilon)): values for key, values in gaps.items() for b, epsilon in [key.split()]}
        for name, gaps in evidence.computed.get("gaps", {}).items()
    }
    data_sets = [(panel, known[panel.paper_dataset]) for panel in evidence.panels if panel.paper_dataset in known]
    return FigureResult(
        _points(data_sets),
        partial(_draw, data_sets=data_sets),
        layout.size(len(data_sets), _HEAD, COLUMNS),
        claims=judge_claims(evidence, data=data_sets),
    )


def _points(data_sets: Gaps) -> pd.DataFrame:
    rows = [
        (*names_of_data(panel), b, epsilon, seed, gap)
        for panel, gaps in data_sets
        for (b, epsilon), values in gaps.items()
        for seed, gap in enumerate(values)
    ]
    return pd.DataFrame(rows, columns=["panel", "dataset", "b", "epsilon", "seed", "gap"])


_HEAD: Final = 0.62  # inches
_CAPTION: Final = (
    r"Duality gap $P(w(\bar\alpha)) - D(\bar\alpha)$ after the iterations that Theorem 2 asks for: one symbol for each "
    r"run. Black: $\epsilon$, the theorem's limit on their mean."
)


def _draw(figure: Figure | SubFigure, data_sets: Gaps) -> None:
    """Draw one panel per data set."""
    names = r"$\epsilon$", "Duality gap"
    for axes, (panel, gaps) in layout.each_panel(figure, data_sets, STYLES.values(), [_CAPTION], _HEAD, names, COLUMNS):
        axes.plot(ACCURACIES, ACCURACIES, color=INK, linewidth=1.2)
        for (b, epsilon), values in gaps.items():
            axes.plot([epsilon] * len(values), values, linestyle="none", **STYLES[b].markers(), zorder=3)
        layout.plain_ticks(axes.xaxis)
        axes.yaxis.labelpad = 9  # beside the exponents
        heading(axes, panel)
