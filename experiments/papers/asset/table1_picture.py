"""How Table 1 is drawn: the eigenvalues of the kernel matrices of sampled points, one line per data set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from experiments.papers import layout
from experiments.papers.asset.spectrum import SHARE, Spectrum
from experiments.papers.panels import empty, name_of
from experiments.plotting import FAINT, INK, PANEL
from experiments.reproduction.evidence import Panel

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_HEIGHT: Final = 4.2  # inches, as below
_BOX: Final = (0.85, 0.55, 6.4, 3.45)
_COLORS: Final = ("#0072b2", "#d55e00", "#009e73", "#b0578d", "#666666", "#e69f00")
_SMALLEST: Final = 1e-7


@dataclass(frozen=True)
class Known:
    """A data set whose spectrum is known."""

    panel: Panel
    spectrum: Spectrum


def size() -> tuple[float, float]:
    """Width and height of the drawing, in inches."""
    return layout.WIDTH, _HEIGHT


def draw(figure: Figure | SubFigure, found: Sequence[Known]) -> None:
    """Draw all data sets in one panel, and a dot where most of the trace is reached."""
    if not found:
        empty(figure, "no finished runs")
        return
    left, below, width, height = _BOX
    axes = figure.add_axes((left / layout.WIDTH, below / _HEIGHT, width / layout.WIDTH, height / _HEIGHT))
    layout.dress(axes, "k", "k-th eigenvalue over the trace", 0)
    for place, each in enumerate(sorted(found, key=lambda each: each.spectrum.needed)):
        color, spectrum = _COLORS[place % len(_COLORS)], each.spectrum
        axes.plot(np.arange(1, spectrum.rank + 1), spectrum.eigenvalues, color=color, linewidth=2.0)
        axes.plot([spectrum.needed], [spectrum.eigenvalues[spectrum.needed - 1]], "o", color=color, mec="white")
        top = -10 - 34 * place
        _beside(axes, name_of(each.panel), top, PANEL.ticks, color)
        of = f"{spectrum.rank:,} features of {spectrum.points:,} points"
        _beside(axes, f"{of}; {spectrum.needed:,} eigenvalues have {100 * SHARE:g} %", top - 13, PANEL.note, INK)
    axes.set_ylim(bottom=max(_SMALLEST, axes.get_ylim()[0]))
    _beside(axes, f"Dots: up to there {100 * SHARE:g} % of the trace.", -14 - 34 * len(found), PANEL.note, FAINT)


def _beside(axes: Axes, text: str, down: float, size: float, color: str) -> None:
    """Write a line to the right of the panel, so many points from its upper corner."""
    look: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points", "parse_math": False}
    axes.annotate(text, (1, 1), (14, down), size=size, color=color, **look)
