"""How Table 1 is drawn: the speed-up that the bounds promise, b / beta_b, against b, one line per data set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from experiments.papers import layout
from experiments.papers.minibatch.data import Data
from experiments.papers.panels import empty, name_of
from experiments.plotting import FAINT, INK, PANEL

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_HEIGHT: Final = 4.2  # inches, as below
_BOX: Final = (0.75, 0.55, 6.6, 3.35)
_COLORS: Final = ("#0072b2", "#d55e00", "#009e73", "#b0578d", "#666666", "#e69f00")


def size() -> tuple[float, float]:
    """Width and height of the drawing, in inches."""
    return layout.WIDTH, _HEIGHT


def sizes(n: int) -> NDArray[np.float64]:
    """Sizes of mini-batches to draw: powers of two up to n, and n."""
    powers = 2.0 ** np.arange(int(np.log2(n)) + 1)
    return np.unique(np.append(powers, n))


def draw(figure: Figure | SubFigure, found: Sequence[Data]) -> None:
    """Draw all data sets in one panel, and a dot at b = 1 / sigma^2."""
    known = [(data, data.spectrum) for data in found if data.spectrum is not None]
    if not known:
        empty(figure, "no finished runs")
        return
    left, below, width, height = _BOX
    axes = figure.add_axes((left / layout.WIDTH, below / _HEIGHT, width / layout.WIDTH, height / _HEIGHT))
    layout.dress(axes, "b, examples in a mini-batch", "b / beta_b, the speed-up in the bounds", 0)
    largest = max(spectrum.n for _, spectrum in known)
    axes.plot([1, largest], [1, largest], color=FAINT, linewidth=1.0, linestyle=(0, (1.0, 2.0)), zorder=1)
    ordered = sorted(known, key=lambda pair: -pair[1].enough)
    for place, (data, spectrum) in enumerate(ordered):
        color = _COLORS[place % len(_COLORS)]
        b = sizes(spectrum.n)
        axes.plot(b, [1 / spectrum.share(size) for size in b], color=color, linewidth=2.0)
        axes.plot([spectrum.enough], [1 / spectrum.share(spectrum.enough)], "o", color=color, markeredgecolor="white")
        facts = f"n = {spectrum.n:,}, sigma² = {spectrum.sigma2:.3g}, 1/sigma² = {spectrum.enough:.3g}"
        top = -10 - 34 * place
        _beside(axes, name_of(data.panel), top, PANEL.ticks, color)
        _beside(axes, facts, top - 13, PANEL.note, INK)
    below_all = -14 - 34 * len(ordered)
    _beside(axes, "Dots: b = 1/sigma², up to where beta_b is 2 at most.", below_all, PANEL.note, FAINT)
    _beside(axes, "Dotted: b itself, for examples that are orthogonal.", below_all - 13, PANEL.note, FAINT)


def _beside(axes: Axes, text: str, down: float, size: float, color: str) -> None:
    """Write a line to the right of the panel, so many points from its upper corner."""
    look: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points", "parse_math": False}
    axes.annotate(text, (1, 1), (14, down), size=size, color=color, **look)
