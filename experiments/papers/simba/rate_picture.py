"""How Theorem 4.3 is drawn: iterations against epsilon, beside the theorem's line and its slope."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from experiments.papers import layout
from experiments.papers.judging import between
from experiments.papers.panels import empty, heading, row_of_axes
from experiments.papers.simba.rate import CONSTANT, Rate, theorem_iterations
from experiments.plotting import FAINT, INK, PANEL, Style, plain_frame, styles_for
from experiments.reproduction.evidence import Panel

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

SIZE: Final = (12.0, 5.2)
_LEGEND, _ABOVE, _BELOW = 0.72, 0.5, 0.56  # inches
_CAPTION: Final = (
    "Iterations T against the distance epsilon from the optimum that half of the runs keep within; bars: least and "
    "largest of the runs.\nDashed: slope -2 through the last of the constant steps."
)


def draw(
    figure: Figure | SubFigure, panels: Sequence[tuple[Panel, int, Mapping[str, Rate]]], names: Mapping[str, str]
) -> None:
    """Draw one panel per data set.

    Parameters
    ----------
    figure : Figure or SubFigure
        Empty.
    panels : sequence of (Panel, n, rates by series)
    names : mapping of str to str
        Of the series, in the legend.
    """
    if not panels:
        empty(figure, "no finished runs")
        return
    styles = styles_for([name for series, name in names.items() if any(series in rates for *_, rates in panels)])
    places = row_of_axes(figure, len(panels), above=_LEGEND + _ABOVE, below=_BELOW)
    layout.head(figure, places[0], [styles[name] for name in names.values() if name in styles], _CAPTION)
    for k, (axes, (panel, n, rates)) in enumerate(zip(places, panels, strict=True)):
        _lay_out(axes)
        for series, rate in rates.items():
            _draw_rate(axes, rate, styles[names[series]])
        _draw_theorem(axes, rates, n)
        slopes = [f"{names[series]} {_slope(rate)}" for series, rate in rates.items()]
        heading(axes, panel, "slopes: " + "; ".join(slopes))
        if k == 0:
            axes.set_ylabel("Iterations T", size=PANEL.label, color=INK)


def _slope(rate: Rate) -> str:
    if rate.exponent is None:
        return "not known"
    exponent = rate.exponent
    return between(type(exponent)(-exponent.estimate, -exponent.high, -exponent.low), ".2f")


def _lay_out(axes: Axes) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.invert_xaxis()  # better solutions to the right
    axes.set_xlabel("epsilon: optimum less value of the mean iterate", size=PANEL.label, color=INK)
    plain_frame(axes, PANEL.ticks)


def _draw_rate(axes: Axes, rate: Rate, style: Style) -> None:
    look: dict[str, Any] = {"color": style.color, "linewidth": style.width * PANEL.lines, "linestyle": style.line}
    axes.plot(rate.medians, rate.iterations, **look, zorder=3)
    ends = np.array([[gaps.min(), gaps.max()] for gaps in rate.gaps])
    shown = range(len(ends))[:: max(1, len(ends) // 8)]
    for k in shown:
        axes.plot(ends[k], [rate.iterations[k]] * 2, color=style.color, linewidth=1.0, alpha=0.6, zorder=2.5)
    marks = list(shown)
    axes.plot(rate.medians[marks], rate.iterations[marks], linestyle="none", **style.markers(PANEL.lines), zorder=4)


def _draw_theorem(axes: Axes, rates: Mapping[str, Rate], n: int) -> None:
    """Lay the theorem's line, and its slope through the last point of the first series, over what is drawn."""
    reach = np.array(sorted(axes.get_xlim()))
    axes.plot(reach, theorem_iterations(reach, n), color=INK, linewidth=1.2, linestyle=(0, (1.0, 2.0)), zorder=2)
    text = f"theorem: T = {CONSTANT:.0f}² log n / epsilon²"
    middle = float(np.sqrt(reach.prod()))
    spot = (middle, float(theorem_iterations(middle, n)))
    axes.annotate(text, spot, (0, 6), textcoords="offset points", ha="right", size=PANEL.note, color=INK)
    first = next(iter(rates.values()))
    through = first.iterations[-1] * (first.medians[-1] / reach) ** 2
    axes.plot(reach, through, color=FAINT, linewidth=1.0, linestyle=(0, (4.0, 2.0)), zorder=1)
    axes.set_xlim(reach[1], reach[0])
