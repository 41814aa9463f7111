"""Panels in rows, each on logarithmic axes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from experiments.papers.bands import Band
from experiments.papers.panels import row_of_axes
from experiments.plotting import INK, PANEL, Style, plain_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

WIDTH: Final = 12.0  # inches, as all below
COLUMNS: Final = 3
"""Panels in a row, unless said otherwise."""
_ROW, _ABOVE, _BELOW = 3.2, 0.5, 0.5


def height(panels: int, columns: int = COLUMNS) -> float:
    """Height of so many panels; of one row where there is none."""
    return _ROW * max(1, math.ceil(panels / columns))


def places(figure: Figure | SubFigure, panels: int, head: float, columns: int = COLUMNS) -> list[Axes]:
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


def dress(axes: Axes, cost: str, value: str, place: int, columns: int = COLUMNS) -> None:
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
