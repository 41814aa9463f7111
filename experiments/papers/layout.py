"""Layout of drawings: panels in rows on logarithmic axes, below a legend and captions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np

from ..plotting import FAINT, INK, Style, draw_spread, legend_row, plain_frame, row_of_axes
from ..plotting.bands import Band
from ..reproduction.statistics.target import Effort
from .panels import empty

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure, SubFigure

T = TypeVar("T")

WIDTH: Final = 12.0  # inches, as all below
COLUMNS: Final = 3
"""Default number of panels in a row."""
_ROW, _ABOVE, _BELOW = 3.2, 0.5, 0.5
_LEGEND, _CAPTION, _LINE = 0.26, 0.3, 0.17
"""Height of a legend line; distance from the top to the first caption; height of a caption line."""


def height(panels: int, columns: int = COLUMNS) -> float:
    """Height of the rows for a number of panels, in inches; at least one row."""
    return _ROW * max(1, math.ceil(panels / columns))


def size(panels: int, head: float, columns: int = COLUMNS) -> tuple[float, float]:
    """Width and height of a drawing, in inches: a head and rows of panels."""
    return WIDTH, head + height(panels, columns)


def add_panels(figure: Figure | SubFigure, panels: int, head: float, columns: int = COLUMNS) -> list[Axes]:
    """Add axes for a number of panels, below a head of some inches."""
    whole = figure.bbox.height / figure.dpi
    axes: list[Axes] = []
    for row in range(math.ceil(panels / columns)):
        above = head + row * _ROW
        axes += row_of_axes(figure, min(columns, panels), above=above + _ABOVE, below=whole - above - _ROW + _BELOW)
    for surplus in axes[panels:]:
        surplus.remove()
    return axes[:panels]


def drawing(
    items: Sequence[T],
    styles: Iterable[Style],
    caption: str,
    names: tuple[str, str],
    draw: Callable[[Axes, T], None],
    *,
    columns: int = COLUMNS,
    head: float = 0.62,
    nothing: str = "no finished runs",
) -> tuple[Callable[[Figure | SubFigure], None], tuple[float, float]]:
    """Return the drawing of one panel per item, below a legend and a caption, and its size in inches.

    They are two fields of a `FigureResult`.

    Parameters
    ----------
    items : sequence
        One per panel. If there is none, `nothing` is written into the figure.
    styles : iterable of Style
        Of the legend.
    caption : str
        May have several lines.
    names : (str, str)
        Labels of the horizontal and the vertical axes, which are logarithmic.
    draw : callable
        Draws an item into its panel.
    columns : int
        Panels in a row.
    head : float
        Inches above the first row of panels.
    nothing : str
    """
    legend = list(styles)

    def draw_all(figure: Figure | SubFigure) -> None:
        if not items:
            empty(figure, nothing)
            return
        panels = add_panels(figure, len(items), head, columns)
        legend_and_caption(figure, panels[0], legend, *caption.split("\n"))
        for index, (axes, item) in enumerate(zip(panels, items, strict=True)):
            log_axes(axes, *names, index, columns)
            draw(axes, item)

    return draw_all, size(len(items), head, columns)


def log_axes(axes: Axes, cost: str, value: str, index: int, columns: int = COLUMNS) -> None:
    """Make both axes logarithmic and label them; the vertical one only in the first panel of a row."""
    from matplotlib.ticker import NullFormatter

    axes.set_xscale("log")
    axes.set_yscale("log")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_minor_formatter(NullFormatter())
    axes.set_xlabel(cost, color=INK)
    if index % columns == 0:
        axes.set_ylabel(value, color=INK, labelpad=1)
    plain_frame(axes)


def legend_and_caption(
    figure: Figure | SubFigure, first: Axes, styles: Iterable[Style], *captions: str, per_line: int | None = None
) -> None:
    """Write a legend, `per_line` styles in a line, and captions above panels, from the left edge of the first."""
    left, whole = first.get_position().x0, figure.bbox.height / figure.dpi
    shown = list(styles)
    per_line = per_line or len(shown) or 1
    lines = [shown[k : k + per_line] for k in range(0, len(shown), per_line)] or [[]]
    for k, line in enumerate(lines):
        legend_row(figure, line, (left, 1 - _LEGEND * k / whole))
    for k, caption in enumerate(captions):
        down = _CAPTION + _LEGEND * (len(lines) - 1) + _LINE * k
        figure.text(left, 1 - down / whole, caption, color=FAINT, va="top")


def plain_ticks(axis: Axis, multiples: Sequence[float] = (1.0, 2.0, 5.0)) -> None:
    """Label a logarithmic axis with plain numbers, at these multiples of powers of ten."""
    from matplotlib.ticker import FuncFormatter, LogLocator

    axis.set_major_locator(LogLocator(subs=tuple(multiples)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def doubling_axis(axes: Axes, ticks: Sequence[int]) -> None:
    """Give the horizontal axis base 2, with plain numbers at some sizes."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_locator(FixedLocator(list(ticks)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))


def draw_band(axes: Axes, band: Band, style: Style, *, steps: bool = True) -> None:
    """Draw a median line and the area from the least to the largest value.

    Parameters
    ----------
    axes : Axes
    band : Band
    style : Style
    steps : bool
        Values against a cost, each of which holds until the next; False: values against sizes, joined by straight
        lines.
    """
    if band.runs > 1:
        draw_spread(axes, band.cost, band.low, band.high, style, steps=steps)
    draw_line(axes, band, style, steps=steps)


def draw_line(axes: Axes, band: Band, style: Style, *, steps: bool = True) -> None:
    """Draw a median line with markers; `steps` as in `draw_band`."""
    axes.plot(band.cost, band.middle, drawstyle="steps-post" if steps else "default", **style.look, zorder=3)
    marked = slice(None, None, max(1, len(band.cost) // 7))
    axes.plot(band.cost[marked], band.middle[marked], linestyle="none", **style.markers(), zorder=4)


def draw_efforts(axes: Axes, efforts: Mapping[int, Effort] | Mapping[float, Effort], style: Style) -> None:
    """Draw the costs of a method against sizes, with an arrow at the budget where most runs miss the target."""
    reached = {b: effort for b, effort in efforts.items() if effort.mostly_reached}
    missed = {b: effort for b, effort in efforts.items() if not effort.mostly_reached}
    # a missed size interrupts the line
    line = [effort.median if effort.mostly_reached else np.nan for effort in efforts.values()]
    axes.plot(list(efforts), line, **style.look, zorder=3)
    axes.plot(
        list(reached),
        [effort.median for effort in reached.values()],
        linestyle="none",
        **style.markers(),
        zorder=4,
    )
    low, high = (np.array([pick(effort.costs) for effort in reached.values()]) for pick in (min, max))
    draw_spread(axes, np.array(list(reached)), low, high, style, steps=False)
    marks = style.markers() | {"markerfacecolor": "white", "markeredgecolor": style.color}
    for b, effort in missed.items():
        axes.plot([b], [effort.median], linestyle="none", **marks, zorder=4)
        arrow = {"arrowstyle": "-|>", "color": style.color, "linewidth": 0.9, "shrinkA": 3.0, "shrinkB": 0.0}
        axes.annotate(
            "", (b, effort.median), (0, 13), textcoords="offset points", arrowprops=arrow | {"arrowstyle": "<|-"}
        )
