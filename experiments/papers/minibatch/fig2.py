"""Figure 2: primal and dual suboptimality and test error along runs with small and with large mini-batches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from svm_cost_curves.experiments.curve import column
from svm_cost_curves.experiments.papers import layout
from svm_cost_curves.experiments.papers.bands import Band, band, band_table
from svm_cost_curves.experiments.papers.cases import (
    BESIDE,
    MISSING,
    UNCLEAR,
    Case,
    Choice,
    Findings,
    case_on,
    holds,
    judge_claims,
)
from svm_cost_curves.experiments.papers.minibatch.data import why_unfit
from svm_cost_curves.experiments.papers.minibatch.methods import METHOD_STYLES, METHODS
from svm_cost_curves.experiments.papers.minibatch.study import ACCURACY
from svm_cost_curves.experiments.papers.optimum import Optimum, optimum_of
from svm_cost_curves.experiments.papers.panels import called, empty, heading
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

MEASURES: Final = ("primal", "dual", "test_error")
"""P(w) - P*, P* - D(alpha), and the test error as a fraction."""


@dataclass(frozen=True)
class ConvergencePath:
    """One data set with one b.

    Attributes
    ----------
    panel : Panel
    b : int
        Examples in a mini-batch.
    optimum : Optimum or None
    bands : mapping of str to mapping of str to Band
        By method and measure, against iterations; empty without an optimum, or without runs.
    unfit : str
        Why it is not judged; empty if it is.
    """

    panel: Panel
    b: int
    optimum: Optimum | None
    bands: Mapping[str, Mapping[str, Band]]
    unfit: str

    def distance(self, frame: pd.DataFrame, measure: str) -> NDArray[np.float64]:
        """P(w) - P* or P* - D(alpha) along a run, (rows,); NaN if unknown."""
        assert self.optimum is not None
        return _distance(frame, measure, self.optimum)


def convergence_paths(evidence: Evidence) -> list[ConvergencePath]:
    """Return all data sets, for each all sizes."""
    sizes = evidence.spec.members(METHODS[0])
    return [_path(panel, int(b), evidence) for panel in evidence.panels for b in sizes]


def _path(panel: Panel, b: int, evidence: Evidence) -> ConvergencePath:
    optimum = optimum_of(panel)
    unfit = why_unfit(panel, optimum)
    if optimum is None:
        return ConvergencePath(panel, b, None, {}, unfit)
    bands: dict[str, dict[str, Band]] = {}
    for method in METHODS:
        frames = panel.curves(evidence.spec.members(method)[b])
        for measure in MEASURES:
            runs = [(column(frame, "iterations"), _distance(frame, measure, optimum)) for frame in frames]
            if (own := band(runs)) is not None:
                bands.setdefault(method, {})[measure] = own
    return ConvergencePath(panel, b, optimum, bands, unfit)


def _distance(frame: pd.DataFrame, measure: str, optimum: Optimum) -> NDArray[np.float64]:
    values = column(frame, measure)
    return {"primal": values - optimum.lower, "dual": optimum.upper - values}.get(measure, values)


def _judge(evidence: Evidence, choice: Choice, found: Sequence[ConvergencePath]) -> Findings:
    """Judge the claim: naive SDCA gets worse along its runs and does not converge; the others converge."""
    largest = max((path.b for path in found), default=0)
    return Findings(
        [_case(path, method, evidence, choice) for path in found if path.b == largest for method in METHODS]
    )


def _case(path: ConvergencePath, method: str, evidence: Evidence, choice: Choice) -> Case:
    measure = choice.option("measure")
    what, about = f"{method} b={path.b}", f"{METHOD_STYLES[method].name} on {called(path.panel)}"
    if measure == "dual" and method == "pegasos":
        return case_on(path.panel, what, BESIDE, about=about, note="it has no dual variables")
    if path.unfit or method not in path.bands:
        return case_on(path.panel, what, MISSING, about=about, note=path.unfit or "no finished runs")
    runs = [path.distance(frame, measure) for frame in path.panel.curves(evidence.spec.members(method)[path.b])]
    ends = np.array([run[np.isfinite(run)][-1] for run in runs])
    least = np.array([np.nanmin(run) for run in runs])
    statistic = {"ends": ends.tolist(), "least": least.tolist()}
    measured = f"{_NAMES[measure]} ends at {np.median(ends):.2g}, least {np.median(least):.2g}"
    there = bool((ends <= ACCURACY).all())
    if method == "naive":
        decision = holds(bool(((ends > ACCURACY) & (ends > choice["worse"] * least)).all()))
    elif not there and (ends <= 1.1 * least).all():
        return case_on(path.panel, what, UNCLEAR, measured, statistic, "on its way when its budget ends", about=about)
    else:
        decision = holds(there)
    return case_on(path.panel, what, decision, measured, statistic, about=about)


_NAMES: Final = {"primal": "P - P*", "dual": "P* - D"}
_HEAD: Final = 0.62  # inches
_SMALLEST: Final = 1e-6
"""Smaller distances are drawn here."""
_DASHES: Final = (0, (3.0, 1.6))
_CAPTION: Final = (
    r"Medians over the runs, bands from the least to the largest. Full: $P(\bar w) - P^*$, with $\bar w$ the decaying "
    r"average of the iterates; dashed, without symbols: $P^* - D(\alpha)$."
)


def _draw(figure: Figure | SubFigure, shown: Sequence[ConvergencePath]) -> None:
    """Draw all panels."""
    if not shown:
        empty(figure, "no finished runs with an optimum to compare with")
        return
    columns = _columns(shown)
    axes = layout.add_panels(figure, 2 * len(shown), _HEAD, columns)
    layout.legend_and_caption(figure, axes[0], [replace(METHOD_STYLES[name], line="-") for name in METHODS], _CAPTION)
    for k, path in enumerate(shown):
        row, place = divmod(k, columns)
        above, below = axes[2 * row * columns + place], axes[(2 * row + 1) * columns + place]
        layout.log_axes(above, "Iterations", "$P - P^*$, $P^* - D$", place, columns)
        layout.log_axes(below, "Iterations", "Test error, %", place, columns)
        for method, measures in path.bands.items():
            style = replace(METHOD_STYLES[method], line="-")
            if "primal" in measures:
                layout.draw_band(above, measures["primal"].at_least(_SMALLEST), style)
            if "dual" in measures:
                dual = measures["dual"].at_least(_SMALLEST)
                look: dict[str, Any] = {"color": style.color, "linewidth": 1.1, "linestyle": _DASHES}
                above.plot(dual.cost, dual.median, drawstyle="steps-post", **look, zorder=2.5)
            if "test_error" in measures:
                layout.draw_band(below, measures["test_error"].times(100), style)
        below.set_yscale("linear")
        heading(above, path.panel, f"b = {path.b:,}")
        heading(below, path.panel, f"b = {path.b:,}")


def _columns(shown: Sequence[ConvergencePath]) -> int:
    """Sizes of the mini-batches, side by side."""
    return max(1, len({path.b for path in shown}))


COLUMNS: Final = ("panel", "dataset", "series", "b", "measure", "iterations", "median", "low", "high", "runs")


OPTIONS = {"minibatch.fig2": {"measure": tuple(_NAMES)}}


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure and judge its claim."""
    found = convergence_paths(evidence)
    shown = [path for path in found if path.bands]
    return FigureResult(
        _points(shown),
        partial(_draw, shown=shown),
        layout.size(2 * len(shown), _HEAD, _columns(shown)),
        claims=judge_claims(evidence, {"minibatch.fig2": partial(_judge, found=found)}),
    )


def _points(shown: Sequence[ConvergencePath]) -> pd.DataFrame:
    rows = [
        (
            {
                "panel": path.panel.paper_dataset,
                "dataset": path.panel.dataset,
                "series": method,
                "b": path.b,
                "measure": measure,
            },
            measures[measure],
        )
        for path in shown
        for method, measures in path.bands.items()
        for measure in MEASURES
        if measure in measures
    ]
    return band_table(rows, "iterations", COLUMNS)
