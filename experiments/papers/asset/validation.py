"""Section 4: lambda and sigma, chosen by the error of SVMlight on the validation rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from svm_cost_curves.experiments.papers import layout
from svm_cost_curves.experiments.papers.asset import sweep
from svm_cost_curves.experiments.papers.asset.table1 import PARAMETERS
from svm_cost_curves.experiments.papers.cases import Case, Findings, Statistic, case_on, interval_text, judge_claims
from svm_cost_curves.experiments.papers.panels import heading
from svm_cost_curves.experiments.plotting import INK, Style
from svm_cost_curves.experiments.reproduction.evidence import Evidence
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult
from svm_cost_curves.experiments.reproduction.statistics import MISSING, at_most, difference

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

_COLORS: Final = ("#08306b", "#2b7bba", "#e69f00", "#d55e00")
_MARKERS: Final = "osD^"
Point = tuple[str, float]
"""A series, named by its 1 / (2 sigma^2), and C = 1 / (lambda m)."""
Grid = sweep.Swept[NDArray[np.float64]]
"""One data set: errors on the validation rows in per cent, one for each run."""


def printed_point(grid: Grid) -> Point | None:
    """Return the point that the paper prints; None if it has no runs, and for a data set that is not the paper's."""
    _, C, gamma = PARAMETERS.get(grid.panel.paper_dataset, (0, "nan", ""))
    point = f"svmlight {gamma}", float(C)
    return None if grid.get(*point) is None else point


def _gamma(series: str) -> float:
    """Return the 1 / (2 sigma^2) of a series."""
    return float(series.partition(" ")[2])


@dataclass(frozen=True, kw_only=True)
class PrintedChoice(Statistic):
    """The error at the point that the paper prints is within some percentage points of the least.

    Attributes
    ----------
    within : float
    """

    within: float

    def findings(self, data: Sequence[Grid], evidence: Evidence) -> Findings:
        """Compare the errors on each data set."""
        return Findings([self._case(grid) for grid in data])

    def _case(self, grid: Grid) -> Case:
        printed = printed_point(grid)
        errors = {(series, C): runs for series, C, runs in grid.items()}
        if printed is None or len(errors) < 2:
            return case_on(grid.panel, "choice", MISSING, note="no finished runs of the printed and other values")
        series, C = best = min(errors, key=lambda point: float(errors[point].mean()))
        gamma, interval = _gamma(series), difference([errors[printed]], [errors[best]])
        assert interval is not None
        text = f"{interval_text(interval, '+.2f', ' points')} above the pair ({C:g}, {gamma:g})"
        statistic = interval.as_dict() | {"best": [gamma, C], "printed": [_gamma(printed[0]), printed[1]]}
        return case_on(grid.panel, "choice", at_most(interval, self.within), text, statistic)


STATISTICS = {"printed_choice": PrintedChoice}
_CAPTION: Final = "Means over the splits, bands from the least to the largest. Ring: the values that the paper prints."


def _draw(figure: Figure | SubFigure, shown: Sequence[Grid]) -> None:
    """Draw one panel per data set, one line for each sigma."""
    series = sorted({name for grid in shown for name in grid.of}, key=_gamma)
    styles = {
        name: Style(f"1 / (2\N{GREEK SMALL LETTER SIGMA}²) = {_gamma(name):g}", _COLORS[k % 4], "-", _MARKERS[k % 4])
        for k, name in enumerate(series)
    }
    names = (r"$C = 1 / (\lambda m)$", "Validation error, %")
    for axes, grid in layout.each_panel(figure, shown, styles.values(), [_CAPTION], sweep.HEAD, names):
        for name, errors in grid.of.items():
            layout.draw_band(axes, sweep.band_of(errors), styles[name], steps=False)
        if (printed := printed_point(grid)) is not None:
            error = float(grid.of[printed[0]][printed[1]].mean())
            axes.plot([printed[1]], [error], "o", markersize=13, mfc="none", mec=INK, mew=1.4, zorder=5)
        axes.set_yscale("linear")
        heading(axes, grid.panel)


def make(evidence: Evidence) -> FigureResult:
    """Draw the errors on the validation rows and judge the claim."""
    data = sweep.measured(evidence, [series.name for series in evidence.spec.series], sweep.last_errors)
    shown = [grid for grid in data if grid.of]
    rows = [
        (grid.panel, {"gamma": _gamma(series), "C": C, **sweep.error_columns(errors)})
        for grid in shown
        for series, C, errors in grid.items()
    ]
    return FigureResult(
        sweep.points(rows, "gamma C error sd runs"),
        partial(_draw, shown=shown),
        layout.size(len(shown), sweep.HEAD),
        claims=judge_claims(evidence, data=data),
    )
