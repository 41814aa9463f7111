"""How Figure 2 is drawn: examples to the left, CPU seconds to the right; the larger d, the thicker its line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from experiments.papers import layout
from experiments.papers.asset.looks import LOOKS
from experiments.papers.asset.streams import COSTS, EXACT, METHODS, Streams
from experiments.papers.panels import empty, heading
from experiments.plotting import axis_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_HEAD: Final = 0.62  # inches
_WIDTHS: Final = (0.8, 3.0)
"""Of the lines with the smallest and with the largest d, in points."""
_SHOWN: Final = 1e-3
"""Share of the largest cost from which on it is drawn: before, most predictors know nothing."""


def size(panels: int) -> tuple[float, float]:
    """Width and height of the drawing, in inches."""
    return layout.WIDTH, _HEAD + layout.height(max(1, 2 * panels), 2)


def draw(figure: Figure | SubFigure, found: Sequence[Streams]) -> None:
    """Draw two panels per data set."""
    if not found:
        empty(figure, "no finished runs")
        return
    axes = layout.places(figure, 2 * len(found), _HEAD, 2)
    names = [name for name in METHODS if any(name in each.of for each in found)]
    names += [EXACT] if any(each.exact for each in found) else []
    dimensions = sorted({d for each in found for d in each.dimensions})
    names_of_d = ", ".join(f"{d:,}" for d in dimensions)
    text = f"Medians over the runs. The thicker the line the more random features: d = {names_of_d}."
    layout.head(figure, axes[0], [replace(LOOKS[name], line="-") for name in names], text)
    for k, each in enumerate(found):
        for place, cost in zip(axes[2 * k : 2 * k + 2], COSTS, strict=True):
            layout.dress(place, axis_name(cost), "Test error, %", COSTS.index(cost), 2)
            _draw(place, each, cost, dict(zip(dimensions, np.linspace(*_WIDTHS, len(dimensions)), strict=True)))
            heading(place, each.panel)


def _draw(axes: Axes, each: Streams, cost: str, widths: Mapping[int, float]) -> None:
    lines = [
        (own.bands[cost], LOOKS[name], widths[d]) for name, streams in each.of.items() for d, own in streams.items()
    ]
    if cost in each.exact:
        lines.append((each.exact[cost], LOOKS[EXACT], _WIDTHS[1]))
    for band, style, width in lines:
        axes.plot(band.cost, band.median, drawstyle="steps-post", color=style.color, linewidth=width, zorder=3)
    largest = max(float(band.cost[-1]) for band, _, _ in lines)
    axes.set_xlim(left=max(_SHOWN * largest, min(float(band.cost[0]) for band, _, _ in lines)))
    layout.plain_ticks(axes.yaxis)
