"""Section 4: lambda and sigma, chosen by the error of SVMlight on the validation rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from ...plotting import INK, Style
from ...reproduction.evidence import Evidence, FigureResult
from ...reproduction.statistics.comparison import difference
from ...reproduction.statistics.interval import MISSING, at_most
from .. import layout
from ..cases import Case, Statistic, case_on, interval_text, judge_claims
from ..panels import heading
from . import sweep
from .table1 import PARAMETERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LOOKS: Final = (("#08306b", "o"), ("#2b7bba", "s"), ("#e69f00", "D"), ("#d55e00", "^"))
Grid = sweep.Swept[sweep.Values]
"""One data set: errors on the validation rows in per cent, by 1 / (2 sigma^2), which names the series, and C."""


def printed_point(grid: Grid) -> tuple[str, float] | None:
    """Return series and C that the paper prints; None if they have no runs, and for a data set that is not its own."""
    _, C, gamma = PARAMETERS.get(grid.panel.paper_dataset, (0, "nan", ""))
    point = f"svmlight {gamma}", float(C)
    return None if grid.get(*point) is None else point


def _gamma(series: str) -> float:
    """Return the 1 / (2 sigma^2) of a series."""
    return float(series.partition(" ")[2])


@dataclass(frozen=True, kw_only=True)
class PrintedChoice(Statistic, kind="printed_choice"):
    """The error at the point that the paper prints is `within` some percentage points of the least."""

    within: float

    def case(self, grid: Grid, evidence: Evidence) -> Case:
        """Compare the errors."""
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


_CAPTION: Final = "Means over the splits, bands from the least to the largest. Ring: the values that the paper prints."


def _draw(axes: Axes, grid: Grid, styles: Mapping[str, Style]) -> None:
    """Draw one line for each sigma."""
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
    series = sorted({name for grid in shown for name in grid.of}, key=_gamma)
    styles = {
        name: Style(f"1 / (2\N{GREEK SMALL LETTER SIGMA}²) = {_gamma(name):g}", color, "-", marker)
        for name, (color, marker) in zip(series, _LOOKS, strict=False)
    }
    names = (r"$C = 1 / (\lambda m)$", "Validation error, %")
    return FigureResult(
        lambda: sweep.points(
            shown,
            "gamma C error sd runs",
            lambda _, name, C, errors: (_gamma(name), C, errors.mean(), sweep.spread(errors), len(errors)),
        ),
        *layout.drawing(shown, styles.values(), _CAPTION, names, partial(_draw, styles=styles)),
        claims=judge_claims(evidence, data=data),
    )
