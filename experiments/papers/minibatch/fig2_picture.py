"""How Figure 2 is drawn: for each data set suboptimality above and test error below, small mini-batches to the left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from experiments.papers import layout
from experiments.papers.minibatch.looks import LOOKS, METHODS
from experiments.papers.minibatch.ways import Way
from experiments.papers.panels import empty, heading

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

_HEAD: Final = 0.62  # inches
_SMALLEST: Final = 1e-6
"""What is nearer to the optimum is drawn here."""
_DASHES: Final = (0, (3.0, 1.6))
_CAPTION: Final = (
    "Medians over the runs, bands from the least to the largest. Full: P(w_bar) - P*, with w_bar the decaying average "
    "of the iterates; dashed, without symbols: P* - D(alpha)."
)


def size(shown: Sequence[Way]) -> tuple[float, float]:
    """Width and height of the drawing, in inches."""
    return layout.WIDTH, _HEAD + layout.height(2 * len(shown), _columns(shown))


def draw(figure: Figure | SubFigure, shown: Sequence[Way]) -> None:
    """Draw all panels."""
    if not shown:
        empty(figure, "no finished runs with an optimum to compare with")
        return
    columns = _columns(shown)
    axes = layout.places(figure, 2 * len(shown), _HEAD, columns)
    layout.head(figure, axes[0], [replace(LOOKS[name], line="-") for name in METHODS], _CAPTION)
    for k, way in enumerate(shown):
        row, place = divmod(k, columns)
        above, below = axes[2 * row * columns + place], axes[(2 * row + 1) * columns + place]
        layout.dress(above, "Iterations", "P - P*, P* - D", place, columns)
        layout.dress(below, "Iterations", "Test error, %", place, columns)
        for method, measures in way.bands.items():
            style = replace(LOOKS[method], line="-")
            if "primal" in measures:
                layout.draw_band(above, measures["primal"].at_least(_SMALLEST), style)
            if "dual" in measures:
                dual = measures["dual"].at_least(_SMALLEST)
                look: dict[str, Any] = {
                    "color": style.color,
                    "linewidth": 1.1,
                    "linestyle": _DASHES,
                    "drawstyle": "steps-post",
                }
                above.plot(dual.cost, dual.median, **look, zorder=2.5)
            if "test_error" in measures:
                layout.draw_band(below, measures["test_error"].times(100), style)
        below.set_yscale("linear")
        heading(above, way.panel, f"b = {way.b:,}")
        heading(below, way.panel, f"b = {way.b:,}")


def _columns(shown: Sequence[Way]) -> int:
    """Sizes of the mini-batches, side by side."""
    return max(1, len({way.b for way in shown}))
