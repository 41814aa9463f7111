"""How the counterexample is drawn: the dual variables and their objective along the iterations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from experiments.papers import layout
from experiments.papers.minibatch.looks import LOOKS
from experiments.papers.minibatch.two_points import OPTIMUM, Path
from experiments.papers.panels import row_of_axes
from experiments.plotting import INK, PANEL, legend_row, plain_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

SHOWN: Final = 12
"""Iterations that are drawn."""
_HEIGHT, _ABOVE, _BELOW = 3.9, 0.55, 0.55  # inches


def size() -> tuple[float, float]:
    """Width and height of the drawing, in inches."""
    return layout.WIDTH, _HEIGHT


def draw(figure: Figure | SubFigure, paths: Mapping[str, Path]) -> None:
    """Draw both panels."""
    left, right = row_of_axes(figure, 2, above=_ABOVE, below=_BELOW)
    legend_row(figure, [LOOKS[variant] for variant in paths], (left.get_position().x0, 1.0))
    for variant, found in paths.items():
        style = LOOKS[variant]
        # safe and aggressive steps are the same here: the one below is to be seen
        width = 3 * style.width if variant == "safe" else style.width
        look: dict[str, Any] = {"color": style.color, "linewidth": width, "alpha": 0.45 if variant == "safe" else 1.0}
        for axes, values in ((left, found.alpha[:, 0]), (right, found.dual)):
            axes.plot(values[: SHOWN + 1], **look, **style.markers(PANEL.lines), zorder=3)
    for axes, value, text in ((left, 0.5, "optimum, 0.5"), (right, OPTIMUM, "optimum, 0.25")):
        axes.axhline(value, color=INK, linewidth=0.9, linestyle=(0, (1.0, 2.0)), zorder=1)
        above: dict[str, Any] = {"textcoords": "offset points", "ha": "right", "size": PANEL.note}
        axes.annotate(text, (SHOWN, value), (0, 7), **above)
    left.set_ylim(-0.08, 1.08)
    right.set_ylim(-0.022, 0.297)
    _dress(left, "Iteration", "alpha_1 = alpha_2")
    _dress(right, "Iteration", "Dual objective D(alpha)")


def _dress(axes: Axes, below: str, beside: str) -> None:
    axes.set_xlabel(below, size=PANEL.label, color=INK)
    axes.set_ylabel(beside, size=PANEL.label, color=INK)
    plain_frame(axes, PANEL.ticks)
