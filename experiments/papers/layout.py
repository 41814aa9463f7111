"""Panels in rows, each on logarithmic axes, with a legend and small print above them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from experiments.papers.bands import Band
from experiments.papers.effort import Effort
from experiments.papers.panels import row_of_axes
from experiments.plotting import FAINT, INK, PANEL, Style, legend_row, plain_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure, SubFigure

WIDTH: Final = 12.0  # inches, as all below
COLUMNS: Final = 3
"""Panels in a row, unless said otherwise."""
_ROW, _ABOVE, _BELOW = 3.2, 0.5, 0.5
_LEGEND, _CAPTION, _LINE = 0.26, 0.3, 0.17
"""From one line of the legend to the next, from the top to the small print, and from line to line of that."""


def height(panels: int, columns: int = COLUMNS) -> float:
    """Height of so many panels; of one row where there is none."""
    return _ROW * max(1, math.ceil(panels / columns))


def add_panels(figure: Figure | SubFigure, panels: int, head: float, columns: int = COLUMNS) -> list[Axes]:
    """Add axes for some panels, below a head."""
    whole = figure.bbox.height / figure.dpi
    axes: list[Axes] = []
    for row in range(math.ceil(panels / columns)):
        above = head + row * _ROW
        each = row_of_axes(figure, min(columns, panels), above=above + _ABOVE, below=whole - above - _ROW + _BELOW)
        axes += each
    for surplus in axes[panels:]:
        surplus.remove()
    return axes[:panels]


def log_axes(axes: Axes, cost: str, value: str, place: int, columns: int = COLUMNS) -> None:
    """Lay out logarithmic axes and name them; the value in the first panel of a row only."""
    from matplotlib.ticker import NullFormatter

    axes.set_xscale("log")
    axes.set_yscale("log")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_minor_formatter(NullFormatter())
    axes.set_xlabel(cost, size=PANEL.label, color=INK)
    if place % columns == 0:
        axes.set_ylabel(value, size=PANEL.label, color=INK, labelpad=1)
    plain_frame(axes, PANEL.ticks)


def legend_and_caption(
    figure: Figure | SubFigure, first: Axes, styles: Iterable[Style], *captions: str, per_line: int | None = None
) -> None:
    """Write a legend and lines of small print above panels, from the left edge of the first.

    Parameters
    ----------
    figure : Figure or SubFigure
    first : Axes
    styles : iterable of Style
        Of the legend.
    *captions : str
    per_line : int, optional
        Entries in a line of the legend; None: all.
    """
    left, whole = first.get_position().x0, figure.bbox.height / figure.dpi
    shown = list(styles)
    lines = [shown[k : k + (per_line or len(shown))] for k in range(0, len(shown), per_line or len(shown))] or [[]]
    for k, line in enumerate(lines):
        legend_row(figure, line, (left, 1 - _LEGEND * k / whole))
    for k, caption in enumerate(captions):
        down = _CAPTION + _LEGEND * (len(lines) - 1) + _LINE * k
        figure.text(left, 1 - down / whole, caption, size=PANEL.note, color=FAINT, va="top")


def plain_ticks(axis: Axis, multiples: Sequence[float] = (1.0, 2.0, 5.0)) -> None:
    """Label a logarithmic axis of a few decades with plain numbers, at these multiples of powers of ten."""
    from matplotlib.ticker import FuncFormatter, LogLocator

    axis.set_major_locator(LogLocator(subs=tuple(multiples)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def doubling_axis(axes: Axes, ticks: Sequence[int]) -> None:
    """Make the horizontal axis one of sizes that are doubled from each to the next, with plain numbers at some."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_locator(FixedLocator(list(ticks)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))


def draw_band(axes: Axes, band: Band, style: Style) -> None:
    """Draw a median, and what lies between the least and the largest."""
    if band.runs > 1:
        axes.fill_between(band.cost, band.low, band.high, color=style.color, alpha=0.16, linewidth=0, zorder=2)
    draw_line(axes, band, style)


def draw_line(axes: Axes, band: Band, style: Style) -> None:
    """Draw a median with its markers."""
    look: dict[str, Any] = {"color": style.color, "linewidth": style.width * PANEL.lines, "linestyle": style.line}
    axes.plot(band.cost, band.median, **look, zorder=3)
    marked = slice(None, None, max(1, len(band.cost) // 7))
    axes.plot(band.cost[marked], band.median[marked], linestyle="none", **style.markers(PANEL.lines), zorder=4)


def draw_efforts(axes: Axes, efforts: Mapping[int, Effort] | Mapping[float, Effort], style: Style) -> None:
    """Draw, against sizes, what a method takes where it gets there, and arrows at the budgets where it does not."""
    known = {b: effort for b, effort in efforts.items() if effort.known}
    missed = {b: effort for b, effort in efforts.items() if not effort.known}
    look: dict[str, Any] = {"color": style.color, "linewidth": style.width * PANEL.lines, "linestyle": style.line}
    # a line goes from a size to the next one, not over those that were missed
    line = [effort.median if effort.known else np.nan for effort in efforts.values()]
    axes.plot(list(efforts), line, **look, zorder=3)
    axes.plot(
        list(known),
        [effort.median for effort in known.values()],
        linestyle="none",
        **style.markers(PANEL.lines),
        zorder=4,
    )
    low, high = ([pick(effort.costs) for effort in known.values()] for pick in (min, max))
    axes.fill_between(list(known), low, high, color=style.color, alpha=0.16, linewidth=0, zorder=2)
    marks = style.markers(PANEL.lines) | {"markerfacecolor": "white", "markeredgecolor": style.color}
    for b, effort in missed.items():
        axes.plot([b], [effort.median], linestyle="none", **marks, zorder=4)
        arrow = {"arrowstyle": "-|>", "color": style.color, "linewidth": 0.9, "shrinkA": 3.0, "shrinkB": 0.0}
        axes.annotate(
            "", (b, effort.median), (0, 13), textcoords="offset points", arrowprops=arrow | {"arrowstyle": "<|-"}
        )
