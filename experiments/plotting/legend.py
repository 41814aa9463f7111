"""Names of curves: at their ends for one panel, in a row for several panels."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.plotting.means import MeanCurve
from experiments.plotting.panel import PANEL, Sizes
from experiments.plotting.ranges import spread
from experiments.plotting.styles import DASHED, INK, Style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.legend import Legend
    from matplotlib.text import Text


_SIZES = (11.0, 10.0, 9.0, 8.0, 7.0, 6.0)
"""Sizes of the names in points: the first that fits is used."""
_LINE_WIDTH = 286.0
"""Characters of a line times their size in points; names are wrapped at spaces."""
_LINE_POINTS = 1.25
"""Line spacing over text size."""
_SAMPLE = 0.095
"""Distance from axes to names, over the axes' width."""
_EDGE = 0.08
"""Inches between the names and the picture's edge."""


def name_curves(
    axes: Axes, means: Mapping[str, MeanCurve], styles: Mapping[str, Style], *, in_order: bool = False
) -> None:
    """Write each curve's name and a piece of its line in the right margin; the axes become narrower for it.

    Parameters
    ----------
    axes : Axes
        With the curves drawn, in a figure with an Agg canvas.
    means : mapping of str to MeanCurve
        In the drawn unit.
    styles : mapping of str to Style
    in_order : bool
        Write the names in a column from the top, in the order of `means`; else each at the end of its curve.
    """
    from matplotlib.lines import Line2D

    available = 72 * axes.get_position().height * _figure(axes).get_figheight()  # points
    size, lines = _fitted({label: styles[label].name for label in means}, available)
    heights = [size * (_LINE_POINTS * len(texts) + 0.4) / available for texts in lines.values()]  # of each name
    fractions = _ends(axes, means)
    if in_order:
        places = [0.98 - sum(heights[:k]) - (heights[k] - heights[0]) / 2 for k in range(len(heights))]
    else:
        places = spread([fraction for _, fraction in fractions.values()], max(heights), 0.02, 0.98)
    texts = []
    for (label, (end, fraction)), height in zip(fractions.items(), places, strict=True):
        style = styles[label]
        anywhere: dict[str, Any] = {"transform": axes.transAxes, "clip_on": False, "color": style.color}
        if not in_order:
            leader = Line2D([end, 1.005, 1.03], [fraction, fraction, height], linewidth=0.7, alpha=0.55, **anywhere)
            axes.add_line(leader)
        axes.add_line(Line2D([1.035, 1.085], [height, height], linestyle=style.line, linewidth=style.width, **anywhere))
        axes.add_line(Line2D([1.06], [height], linestyle="none", **anywhere, **style.markers(size / _SIZES[0])))
        look: dict[str, Any] = {"va": "center", "size": size, "color": INK, "linespacing": 0.95, "parse_math": False}
        texts.append(axes.text(1 + _SAMPLE, height, "\n".join(lines[label]), transform=axes.transAxes, **look))
    _make_room(axes, texts)


def _fitted(names: Mapping[str, str], available: float) -> tuple[float, dict[str, list[str]]]:
    """Return the size of the names in points, and the lines of each, so that all fit into the height."""
    for size in _SIZES:
        wrap = round(_LINE_WIDTH / size)
        lines = {
            label: textwrap.wrap(name, wrap, break_long_words=False, break_on_hyphens=False) or [name]
            for label, name in names.items()
        }
        if size * sum(_LINE_POINTS * len(texts) + 0.4 for texts in lines.values()) <= available:
            break
    return size, lines


def _ends(axes: Axes, means: Mapping[str, MeanCurve]) -> dict[str, tuple[float, float]]:
    """Return the end of each curve in fractions of the axes."""
    low, high = axes.get_ylim()
    left, right = (math.log(limit) for limit in axes.get_xlim())
    return {
        label: (
            (math.log(mean.cost[-1]) - left) / (right - left),
            (float(np.clip(mean.mean[-1], low, high)) - low) / (high - low),
        )
        for label, mean in means.items()
    }


def _figure(axes: Axes) -> Figure:
    figure = axes.get_figure(root=True)
    assert figure is not None
    return figure


def _make_room(axes: Axes, texts: Sequence[Text]) -> None:
    """Make the axes narrower if the texts beside them do not fit into the figure."""
    figure = _figure(axes)
    widest = max(text.get_window_extent().width for text in texts) / figure.dpi  # inches
    box, width = axes.get_position(), figure.get_figwidth()
    room = (width * (1 - box.x0) - widest - _EDGE) / (1 + _SAMPLE)
    if room < box.width * width:
        axes.set_position((box.x0, box.y0, max(room, 0.3 * width) / width, box.height))


def legend_row(
    figure: Figure | SubFigure, styles: Iterable[Style], anchor: tuple[float, float], sizes: Sizes = PANEL
) -> Legend:
    """Write one row of names, each after a piece of its line, for all panels of a figure.

    Parameters
    ----------
    figure : Figure or SubFigure
    styles : iterable of Style
    anchor : (float, float)
        Upper left corner, in fractions of the figure.
    sizes : Sizes
    """
    from matplotlib.legend_handler import HandlerTuple
    from matplotlib.lines import Line2D

    shown = list(styles)
    handles: list[Any] = []
    for style in shown:
        look: dict[str, Any] = {"color": style.color, "linewidth": style.width * sizes.lines}
        line = Line2D([], [], linestyle=style.line, **look, **style.markers(sizes.lines))
        handles.append((line, Line2D([], [], linestyle=DASHED, **look)) if style.dashed_after_first_epoch else line)
    names = [
        f"{style.name} (dashed after its first epoch)" if style.dashed_after_first_epoch else style.name
        for style in shown
    ]
    legend = figure.legend(
        handles,
        names,
        handler_map={tuple: HandlerTuple(ndivide=None, pad=0.1)},
        loc="upper left",
        bbox_to_anchor=anchor,
        ncols=max(len(shown), 1),
        frameon=False,
        fontsize=sizes.label,
        labelcolor=INK,
        handlelength=3.6,
        columnspacing=1.8,
        borderaxespad=0.0,
        borderpad=0.0,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)
    return legend
