"""How Figure 1 is drawn: test error against s, which is doubled from tick to tick, with SVMlight's as a line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from experiments.papers import layout
from experiments.papers.asset.looks import LOOKS
from experiments.papers.asset.sizes import Errors, Sizes
from experiments.papers.bands import Band
from experiments.papers.panels import empty, heading
from experiments.plotting import INK, PANEL

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_HEAD: Final = 0.62  # inches
_CAPTION: Final = (
    "Means over the runs, bands from the least to the largest. Dotted: SVMlight, which has all of the kernel. "
    "s: points sampled, basis vectors, or random features."
)


def size(panels: int) -> tuple[float, float]:
    """Width and height of the drawing, in inches."""
    return layout.WIDTH, _HEAD + layout.height(panels)


def draw(figure: Figure | SubFigure, found: Sequence[Sizes], names: Sequence[str]) -> None:
    """Draw one panel per data set."""
    if not found:
        empty(figure, "no finished runs")
        return
    axes = layout.places(figure, len(found), _HEAD)
    styles = [LOOKS[name] for name in names if any(each.of(name) for each in found)]
    layout.head(figure, axes[0], styles, _CAPTION)
    for k, (place, each) in enumerate(zip(axes, found, strict=True)):
        layout.dress(place, "s", "Test error, %", k)
        for name in names:
            if errors := each.of(name):
                layout.draw_band(place, _band(errors), LOOKS[name], steps=False)
        _draw_exact(place, each)
        _ticks(place, each.sizes)
        heading(place, each.panel)


def _band(errors: Errors) -> Band:
    """Return the least and the largest of the runs against the sizes; between them, for the line, their mean."""
    middle, low, high = (np.array([pick(own) for own in errors.values()]) for pick in (np.mean, np.min, np.max))
    return Band(np.array(list(errors), dtype=np.float64), middle, low, high, max(map(len, errors.values())))


def _draw_exact(axes: Axes, each: Sizes) -> None:
    if each.exact is None:
        return
    error = float(each.exact.mean())
    axes.axhline(error, color=INK, linewidth=1.0, linestyle=(0, (1.0, 2.0)), zorder=1.5)
    low, high = axes.get_ylim()
    axes.set_ylim(low * (low / high) ** 0.06, high)  # room below the line, where no method comes
    place: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "va": "top"}
    axes.annotate(f"SVMlight {error:.2f} %", (0.0, error), (3, -3), **place, size=PANEL.note, color=INK)


def _ticks(axes: Axes, sizes: Sequence[int]) -> None:
    """Write plain numbers on both axes; every second size."""
    layout.doubled(axes, sizes[:: 2 if len(sizes) > 5 else 1])
    low, high = axes.get_ylim()
    layout.plain_ticks(axes.yaxis, range(1, 10) if high / low < 3 else (1.0, 2.0, 5.0))
