"""Section 4: lambda and sigma, chosen by the error of SVMlight on the validation rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from svm_cost_curves.experiments.curve import column
from svm_cost_curves.experiments.papers import layout
from svm_cost_curves.experiments.papers.asset.errors import all_panels, difference, spread
from svm_cost_curves.experiments.papers.asset.table1 import PARAMETERS
from svm_cost_curves.experiments.papers.bands import Band
from svm_cost_curves.experiments.papers.cases import (
    MISSING,
    Choice,
    Findings,
    at_most,
    case_on,
    judge_claims,
    points_text,
)
from svm_cost_curves.experiments.papers.panels import heading
from svm_cost_curves.experiments.plotting import INK, Style
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

_COLORS: Final = ("#08306b", "#2b7bba", "#e69f00", "#d55e00")
_MARKERS: Final = "osD^"
Point = tuple[float, float]
"""1 / (2 sigma^2) and C = 1 / (lambda m)."""


@dataclass(frozen=True, eq=False)
class Grid:
    """One data set: errors on the validation rows, one for each run, as fractions."""

    panel: Panel
    errors: Mapping[Point, NDArray[np.float64]]

    @property
    def printed(self) -> Point | None:
        """The point that the paper prints; None for a data set that is not the paper's."""
        parameters = PARAMETERS.get(self.panel.paper_dataset)
        return None if parameters is None else (float(parameters[2]), float(parameters[1]))

    @property
    def best(self) -> Point:
        """The point with the least mean error."""
        return min(self.errors, key=lambda point: float(self.errors[point].mean()))


def grids(evidence: Evidence) -> list[Grid]:
    """Return the data sets of the figure's panels."""
    found = []
    for panel in all_panels(evidence):
        errors = {}
        for series in evidence.spec.series:
            gamma = float(series.name.partition(" ")[2])
            for C, name in evidence.spec.members(series.name).items():
                if ends := [float(column(frame, "test_error")[-1]) for frame in panel.curves(name) if len(frame)]:
                    errors[gamma, C] = np.array(ends)
        found.append(Grid(panel, errors))
    return found


def judge_choice(found: Sequence[Grid], evidence: Evidence, choice: Choice) -> Findings:
    """Judge whether the printed lambda and sigma have the least error on the validation rows."""
    cases = []
    for grid in found:
        printed = grid.printed
        if printed is None or printed not in grid.errors or len(grid.errors) < 2:
            cases.append(
                case_on(grid.panel, "choice", MISSING, note="no finished runs of the printed and other values")
            )
            continue
        best = grid.best
        interval = difference([grid.errors[printed]], [grid.errors[best]])
        assert interval is not None
        measured = f"{points_text(interval)} above the least, at {_text(best)}"
        decision = at_most(interval.scaled(100), choice["within"])
        statistic = interval.scaled(100).as_dict() | {"best": list(best), "printed": list(printed)}
        cases.append(case_on(grid.panel, "choice", decision, measured, statistic))
    return Findings(cases)


def _text(point: Point) -> str:
    gamma, C = point
    return f"1/(lambda m) = {C:g} and 1/(2 sigma^2) = {gamma:g}"


_HEAD: Final = 0.62  # inches
_CAPTION: Final = "Means over the splits, bands from the least to the largest. Ring: the values that the paper prints."


def _draw(figure: Figure | SubFigure, found: Sequence[Grid]) -> None:
    """Draw one panel per data set, one line for each sigma."""
    gammas = sorted({gamma for grid in found for gamma, _ in grid.errors})
    styles = {
        gamma: Style(f"1 / (2\N{GREEK SMALL LETTER SIGMA}²) = {gamma:g}", _COLORS[k % 4], "-", _MARKERS[k % 4])
        for k, gamma in enumerate(gammas)
    }
    names = (r"$C = 1 / (\lambda m)$", "Validation error, %")
    for place, grid in layout.each_panel(figure, found, styles.values(), [_CAPTION], _HEAD, names):
        for gamma in gammas:
            own = {C: 100 * errors for (each, C), errors in grid.errors.items() if each == gamma}
            if own:
                low, middle, high = (
                    np.array([pick(each) for each in own.values()]) for pick in (np.min, np.mean, np.max)
                )
                shown = Band(np.array(list(own)), middle, low, high, max(map(len, own.values())))
                layout.draw_band(place, shown, styles[gamma], steps=False)
        if (printed := grid.printed) is not None and printed in grid.errors:
            error = 100 * float(grid.errors[printed].mean())
            place.plot([printed[1]], [error], "o", markersize=13, mfc="none", mec=INK, mew=1.4, zorder=5)
        place.set_yscale("linear")
        heading(place, grid.panel)


_POINT: Final = "panel dataset gamma C error sd runs"


def make(evidence: Evidence) -> FigureResult:
    """Draw the errors on the validation rows and judge the claim."""
    found = grids(evidence)
    shown = [grid for grid in found if grid.errors]
    rows = [
        {
            "panel": grid.panel.paper_dataset,
            "dataset": grid.panel.dataset,
            "gamma": gamma,
            "C": C,
            "error": 100 * errors.mean(),
            "sd": 100 * spread(errors),
            "runs": len(errors),
        }
        for grid in shown
        for (gamma, C), errors in grid.errors.items()
    ]
    return FigureResult(
        pd.DataFrame(rows, columns=_POINT.split(" ")),
        partial(_draw, found=shown),
        layout.size(len(shown), _HEAD),
        claims=judge_claims(evidence, {"asset.validation": partial(judge_choice, found)}),
    )
