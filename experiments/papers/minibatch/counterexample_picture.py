"""How the counterexample is drawn: the dual objective along the iterations, and where the iterates are on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from experiments.papers import layout
from experiments.papers.minibatch.looks import LOOKS
from experiments.papers.minibatch.two_points import OPTIMUM, Path
from experiments.papers.panels import row_of_axes
from experiments.plotting import FAINT, GRID, INK, PANEL, legend_row

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
        look: dict[str, Any] = {"color": style.color, "linewidth": style.width, "linestyle": style.line}
        left.plot(found.dual[: SHOWN + 1], **look, **style.markers(PANEL.lines), zorder=3)
    left.axhline(OPTIMUM, color=INK, linewidth=0.9, linestyle=(0, (1.0, 2.0)), zorder=1)
    left.annotate(
        "optimum, D = 0.25", (SHOWN, OPTIMUM), (0, 5), textcoords="offset points", ha="right", size=PANEL.note
    )
    a = np.linspace(0, 1, 101)
    right.plot(a, a - a**2, color=FAINT, linewidth=1.4, zorder=1)
    for variant, found in paths.items():
        style = LOOKS[variant]
        at = found.alpha[: SHOWN + 1, 0]
        right.plot(at, at - at**2, linestyle="none", **style.markers(1.3), zorder=3)
    note = "naive: from one end to the other and back;\nsafe and aggressive: to the top in one step"
    right.annotate(note, (0.5, 0.03), size=PANEL.note, color=INK, ha="center")
    _dress(left, "Iteration", "Dual objective D(alpha)")
    _dress(right, "alpha_1 = alpha_2", "")


def _dress(axes: Axes, below: str, beside: str) -> None:
    axes.set_ylim(-0.02, 0.28)
    axes.set_xlabel(below, size=PANEL.label, color=INK)
    axes.set_ylabel(beside, size=PANEL.label, color=INK)
    axes.tick_params(labelsize=PANEL.ticks, colors=INK)
    axes.grid(True, color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
