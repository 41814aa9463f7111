"""How the slow-down is drawn: epochs to a test error, and below them the last errors, against C = 1/(lambda m)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from experiments.papers import layout
from experiments.papers.asset.looks import LOOKS
from experiments.papers.asset.slowdown_study import MARGIN, METHODS, Study
from experiments.papers.bands import Band
from experiments.papers.panels import empty, heading

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

_HEAD: Final = 0.62  # inches
_CAPTION: Final = (
    f"Above: epochs to within {MARGIN:g} point of the better method's last test error; arrows: most runs did not get "
    "there. Below: last errors. Medians, least to largest."
)


def size(panels: int) -> tuple[float, float]:
    """Width and height of the drawing, in inches."""
    return layout.WIDTH, _HEAD + (2 if panels else 1) * layout.height(1)


def draw(figure: Figure | SubFigure, found: Sequence[Study]) -> None:
    """Draw two panels per data set, one above the other."""
    if not found:
        empty(figure, "no finished runs")
        return
    columns = len(found)
    axes = layout.places(figure, 2 * columns, _HEAD, columns)
    layout.head(figure, axes[0], [LOOKS[name] for name in METHODS], _CAPTION)
    for k, study in enumerate(found):
        above, below = axes[k], axes[columns + k]
        layout.dress(above, "C = 1 / (lambda m)", "Epochs", k, columns)
        layout.dress(below, "C = 1 / (lambda m)", "Test error, %", k, columns)
        for name in METHODS:
            layout.draw_efforts(above, study.efforts(name), LOOKS[name])
            ends = {C: point.ends[name] for C, point in study.points.items() if name in point.ends}
            if ends:
                low, middle, high = (
                    np.array([pick(own) for own in ends.values()]) for pick in (np.min, np.median, np.max)
                )
                runs = max(map(len, ends.values()))
                shown = Band(np.array(list(ends)), middle, low, high, runs)
                layout.draw_band(below, shown, LOOKS[name], steps=False)
        below.set_yscale("linear")
        heading(above, study.panel)
        heading(below, study.panel)
