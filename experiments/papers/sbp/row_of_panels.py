"""A row of empty panels, one per data set, with the data set's name above each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from experiments.papers.panels import NAMES
from experiments.plotting import FAINT, INK, PANEL
from experiments.reproduction.evidence import Panel

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_LEFT, _RIGHT, _BETWEEN = 0.85, 0.15, 0.64  # inches


def row_of_axes(figure: Figure | SubFigure, count: int, *, above: float, below: float) -> list[Axes]:
    """Add `count` axes side by side, as in the papers' figures; `above` and `below` them are free, in inches."""
    width, height = figure.bbox.width / figure.dpi, figure.bbox.height / figure.dpi
    each = (width - _LEFT - _RIGHT - _BETWEEN * (count - 1)) / count
    return [
        figure.add_axes(
            (
                (_LEFT + k * (each + _BETWEEN)) / width,
                below / height,
                each / width,
                max(height - above - below, 0.1) / height,
            )
        )
        for k in range(count)
    ]


def heading(axes: Axes, panel: Panel, facts: str = "") -> None:
    """Write the data set's name above its panel; below it, smaller, whether it is a stand-in, its size and facts."""
    known = [] if panel.n is None else [f"n = {panel.n:,}"]
    if panel.stand_in:
        known.insert(0, f"stand-in for {NAMES.get(panel.asked, panel.asked)}")
    above: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points", "parse_math": False}
    name = NAMES.get(panel.dataset, panel.dataset)
    axes.annotate(name, (0, 1), (0, 20), size=PANEL.label + 1, weight="bold", color=INK, **above)
    axes.annotate("; ".join([*known, *filter(None, [facts])]), (0, 1), (0, 7), size=PANEL.note, color=FAINT, **above)


def empty(figure: Figure | SubFigure, text: str) -> None:
    """Say that there is nothing to draw."""
    figure.text(0.5, 0.5, text, size=PANEL.label, color=FAINT, ha="center", va="center")
