"""Names of curves: at their ends for one panel, in a row for several panels."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from .bands import Band
from .styles import DASHED, INK, Style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.legend import Legend

DASHED_WHEN: Final = " (dashed after its first epoch)"
_LETTERS: Final = 34
"""Characters of a line of a name beside a panel."""
_LINE, _GAP = 0.16, 0.05  # inches: a line of a name, room between names
_EDGE: Final = 0.08  # inches between the names and the picture's edge
_SAMPLE: Final = 0.095
"""Distance from axes to names, over the axes' width."""


def _wrapped(style: Style) -> list[str]:
    return textwrap.wrap(style.name, _LETTERS) or [""]


def names_height(styles: Iterable[Style]) -> float:
    """Return the height of names in a column beside a panel (`name_curves`), in inches."""
    lines = [len(_wrapped(style)) for style in styles]
    return len(lines) * (_LINE * max(lines) + _GAP)


def name_curves(axes: Axes, bands: Mapping[str, Band], styles: Mapping[str, Style], *, in_order: bool = False) -> None:
    """Write each curve's name and a piece of its line in the right margin; the axes become narrower for it.

    The names stand in a column from the top, in the order of `bands`, or each at the end of its curve. The curves are
    drawn, in the units of `bands`, and the figure has an Agg canvas.
    """
    figure = axes.figure
    box, width = axes.get_position(), figure.bbox.width / figure.dpi
    gap = names_height(styles[label] for label in bands) / len(bands) / (box.height * figure.bbox.height / figure.dpi)
    last_points = _ends(axes, bands)
    wanted = [1 - gap * k for k in range(len(bands))] if in_order else [height for _, height in last_points]
    texts = []
    for label, end, height in zip(bands, last_points, spread(wanted, gap, gap / 2, 1 - gap / 2), strict=True):
        style = styles[label]
        anywhere: dict[str, Any] = {"transform": axes.transAxes, "clip_on": False}
        if not in_order:
            leader: dict[str, Any] = {"color": style.color, "linewidth": 0.7, "alpha": 0.55}
            axes.plot([end[0], 1.005, 1.03], [end[1], end[1], height], **leader, **anywhere)
        sample = {**style.look, **style.markers(), "markevery": [1]}
        axes.plot([1.035, 1.06, 1.085], [height] * 3, **sample, **anywhere)
        look: dict[str, Any] = {"va": "center", "color": INK, "linespacing": 0.95, "parse_math": False}
        texts.append(axes.text(1 + _SAMPLE, height, "\n".join(_wrapped(style)), transform=axes.transAxes, **look))
    widest = max(text.get_window_extent().width for text in texts) / figure.dpi
    room = (width * (1 - box.x0) - widest - _EDGE) / (1 + _SAMPLE) / width
    axes.set_position((box.x0, box.y0, min(box.width, max(room, 0.3)), box.height))


def spread(positions: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Move positions as little as needed so that neighbours are `gap` apart and all lie between two limits.

    Returns them in their order, which is kept. Without enough room the gap is smaller.
    """
    if not positions:
        return []
    order = np.argsort(positions, kind="stable")
    gap = min(gap, (high - low) / max(len(positions) - 1, 1))
    steps = gap * np.arange(len(positions))
    # y_k - k gap must not decrease: least squares under an order constraint, by pooling what violates it
    blocks: list[tuple[float, int]] = []
    for shifted in np.asarray(positions, dtype=np.float64)[order] - steps:
        mean, size = float(shifted), 1
        while blocks and blocks[-1][0] > mean:
            previous, count = blocks.pop()
            mean, size = (mean * size + previous * count) / (size + count), size + count
        blocks.append((mean, size))
    fitted = np.repeat([mean for mean, _ in blocks], [size for _, size in blocks])
    moved = np.clip(fitted, low, high - steps[-1]) + steps
    result = np.empty(len(positions))
    result[order] = moved
    return result.tolist()


def _ends(axes: Axes, bands: Mapping[str, Band]) -> list[tuple[float, float]]:
    """Return the end of each curve in fractions of the axes."""
    low, high = axes.get_ylim()
    left, right = (math.log(limit) for limit in axes.get_xlim())
    return [
        (
            (math.log(drawn.cost[-1]) - left) / (right - left),
            (float(np.clip(drawn.middle[-1], low, high)) - low) / (high - low),
        )
        for drawn in bands.values()
    ]


def legend_row(
    figure: Figure | SubFigure, styles: Iterable[Style], anchor: tuple[float, float], *, dashed: bool = False
) -> Legend:
    """Write one legend row for all panels: each name after a piece of its line.

    The anchor is the upper left corner, in fractions of the figure. `dashed`: the panels dash the Perceptron's line
    after its first epoch (`draw_panel`).
    """
    from matplotlib.lines import Line2D

    shown = list(styles)
    handles: list[Any] = []
    for style in shown:
        line = Line2D([], [], **style.look, **style.markers())
        later = Line2D([], [], **style.look | {"linestyle": DASHED})
        handles.append((line, later) if dashed and style.dashed_after_first_epoch else line)
    names = [style.name + DASHED_WHEN * (dashed and style.dashed_after_first_epoch) for style in shown]
    return write_legend(figure, handles, names, max(len(shown), 1), loc="upper left", bbox_to_anchor=anchor)


def write_legend(
    figure: Figure | SubFigure, handles: Sequence[Any], names: Sequence[str], columns: int, **position: Any
) -> Legend:
    """Write a legend; `position` are matplotlib's arguments for it."""
    from matplotlib.legend_handler import HandlerTuple

    pairs = {tuple: HandlerTuple(ndivide=None, pad=0.1)}
    legend = figure.legend(handles, names, ncols=columns, handler_map=pairs, **position)
    for text in legend.get_texts():
        text.set_parse_math(False)
    return legend
