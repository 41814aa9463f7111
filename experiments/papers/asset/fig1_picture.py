"""How Figure 1 is drawn: test error against s, which is doubled from tick to tick, with SVMlight's as a line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from experiments.papers import layout
from experiments.papers.asset.looks import LOOKS
from experiments.papers.asset.sizes import Errors, Sizes
from experiments.papers.panels import empty, heading
from experiments.plotting import FAINT, INK, PANEL, Style, legend_row

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
    left = axes[0].get_position().x0
    legend_row(figure, [LOOKS[name] for name in names if any(each.of(name) for each in found)], (left, 1.0))
    height = figure.bbox.height / figure.dpi
    figure.text(left, 1 - 0.3 / height, _CAPTION, size=PANEL.note, color=FAINT, va="top")
    for k, (place, each) in enumerate(zip(axes, found, strict=True)):
        layout.dress(place, "s", "Test error, %", k)
        for name in names:
            _draw_method(place, each.of(name), LOOKS[name])
        _draw_exact(place, each)
        _ticks(place, each.sizes)
        heading(place, each.panel)


def _draw_method(axes: Axes, errors: Errors, style: Style) -> None:
    if not errors:
        return
    sizes = list(errors)
    look: dict[str, Any] = {"color": style.color, "linewidth": style.width * PANEL.lines, "linestyle": style.line}
    means = [own.mean() for own in errors.values()]
    axes.plot(sizes, means, **look, zorder=3)
    axes.plot(sizes, means, linestyle="none", **style.markers(PANEL.lines), zorder=4)
    low, high = ([pick(own) for own in errors.values()] for pick in (np.min, np.max))
    axes.fill_between(sizes, low, high, color=style.color, alpha=0.16, linewidth=0, zorder=2)


def _draw_exact(axes: Axes, each: Sizes) -> None:
    if each.exact is None:
        return
    error = float(each.exact.mean())
    axes.axhline(error, color=INK, linewidth=1.0, linestyle=(0, (1.0, 2.0)), zorder=1.5)
    place: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "va": "bottom"}
    axes.annotate(f"SVMlight {error:.2f} %", (0.0, error), (3, 2), **place, size=PANEL.note, color=INK)


def _ticks(axes: Axes, sizes: Sequence[int]) -> None:
    """Write plain numbers on both axes; every second size."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter, NullLocator

    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_locator(FixedLocator(list(sizes[:: 2 if len(sizes) > 5 else 1])))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    low, high = axes.get_ylim()
    dense = high / low < 3
    axes.yaxis.set_major_locator(LogLocator(subs=tuple(range(1, 10)) if dense else (1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
