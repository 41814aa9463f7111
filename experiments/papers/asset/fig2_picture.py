"""How Figure 2 is drawn: examples to the left, CPU seconds to the right; the larger d, the fuller its line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from experiments.papers import layout
from experiments.papers.asset.looks import LOOKS
from experiments.papers.asset.streams import COSTS, EXACT, METHODS, Streams
from experiments.papers.panels import empty, heading
from experiments.plotting import FAINT, PANEL, axis_name, legend_row
from experiments.plotting.styles import LineStyle

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_HEAD: Final = 0.62  # inches
_LINES: Final[tuple[LineStyle, ...]] = (
    (0, (1.0, 1.2)),
    (0, (4.0, 1.4)),
    (0, (8.0, 1.4, 1.4, 1.4)),
    (0, (12.0, 1.0)),
    "-",
)
_NAMED: Final = ("dotted", "dashed", "dashed and dotted", "long dashes", "full")


def size(panels: int) -> tuple[float, float]:
    """Width and height of the drawing, in inches."""
    return layout.WIDTH, _HEAD + layout.height(max(1, 2 * panels), 2)


def draw(figure: Figure | SubFigure, found: Sequence[Streams]) -> None:
    """Draw two panels per data set."""
    if not found:
        empty(figure, "no finished runs")
        return
    axes = layout.places(figure, 2 * len(found), _HEAD, 2)
    left, height = axes[0].get_position().x0, figure.bbox.height / figure.dpi
    names = [name for name in METHODS if any(name in each.of for each in found)]
    names += [EXACT] if any(each.exact for each in found) else []
    legend_row(figure, [replace(LOOKS[name], line="-") for name in names], (left, 1.0))
    dimensions = sorted({d for each in found for d in each.dimensions})
    lines = dict(zip(dimensions[::-1], zip(_LINES[::-1], _NAMED[::-1], strict=True), strict=False))
    caption = ", ".join(f"{lines[d][1]}: d = {d:,}" for d in dimensions if d in lines)
    text = f"Medians over the runs. {caption[0].upper()}{caption[1:]}."
    figure.text(left, 1 - 0.3 / height, text, size=PANEL.note, color=FAINT, va="top")
    for k, each in enumerate(found):
        for place, cost in zip(axes[2 * k : 2 * k + 2], COSTS, strict=True):
            layout.dress(place, axis_name(cost), "Test error, %", COSTS.index(cost), 2)
            _draw(place, each, cost, {d: line for d, (line, _) in lines.items()})
            heading(place, each.panel)


def _draw(axes: Axes, each: Streams, cost: str, lines: dict[int, LineStyle]) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator

    for name, streams in each.of.items():
        for d, own in streams.items():
            layout.draw_line(axes, own.bands[cost], replace(LOOKS[name], line=lines.get(d, "-")))
    if cost in each.exact:
        layout.draw_line(axes, each.exact[cost], replace(LOOKS[EXACT], line="-"))
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
