"""How Table 2 is drawn: test error against training time, a symbol for each method, open ones for the smaller s."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from experiments.papers import layout
from experiments.papers.asset.looks import LOOKS
from experiments.papers.asset.timing import TOLD, Case, Cell
from experiments.papers.panels import empty, heading
from experiments.plotting import INK, Style, axis_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_HEAD: Final = 0.88  # inches, as below
_PER_LINE: Final = 5
_CAPTION: Final = (
    "Medians over the runs, lines from the fastest to the slowest. Filled: s = {large:,}; open: s = {small:,}. "
    "Arrows: most runs did not come to CPNY's error in this time."
)


def size(found: Sequence[Case]) -> tuple[float, float]:
    """Width and height of the drawing, in inches."""
    return layout.WIDTH, _HEAD + layout.height(len({case.panel.asked for case in found}))


def draw(figure: Figure | SubFigure, found: Sequence[Case], names: Sequence[str]) -> None:
    """Draw one panel per data set."""
    if not found:
        empty(figure, "no finished runs")
        return
    panels = list({case.panel.asked: case.panel for case in found}.values())
    axes = layout.places(figure, len(panels), _HEAD)
    shown = [name for name in names if any(name in case.cells for case in found)]
    sizes = sorted({case.s for case in found})
    caption = _CAPTION.format(small=sizes[0], large=sizes[-1])
    layout.head(figure, axes[0], [LOOKS[name] for name in shown], caption, per_line=_PER_LINE)
    for k, (place, panel) in enumerate(zip(axes, panels, strict=True)):
        layout.dress(place, axis_name("cpu_seconds"), "Test error, %", k)
        for case in found:
            if case.panel.asked == panel.asked:
                for name, cell in case.cells.items():
                    _draw_cell(place, cell, LOOKS[name], filled=case.s == sizes[-1], told=name in TOLD)
        place.set_yscale("linear")
        place.margins(x=0.08, y=0.12)
        heading(place, panel)


def _draw_cell(axes: Axes, cell: Cell, style: Style, *, filled: bool, told: bool) -> None:
    seconds, error = cell.effort.median, float(cell.errors.mean())
    axes.plot(
        [min(cell.effort.costs), max(cell.effort.costs)], [error, error], color=style.color, linewidth=1.2, zorder=2
    )
    marks: dict[str, Any] = style.markers(1.25) | {"markeredgecolor": style.color}
    axes.plot([seconds], [error], linestyle="none", **marks | {} if filled else marks | {"markerfacecolor": "white"})
    if told and not cell.effort.known:
        arrow = {"arrowstyle": "-|>", "color": INK, "linewidth": 0.8, "shrinkA": 4.0, "shrinkB": 0.0}
        axes.annotate(
            "", (seconds, error), (16, 0), textcoords="offset points", arrowprops=arrow | {"arrowstyle": "<|-"}
        )
