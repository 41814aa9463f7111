"""Which line is which: names at the curves' ends for one panel, a row of names for several."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Mapping
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


def label_ends(axes: Axes, means: Mapping[str, MeanCurve], styles: Mapping[str, Style]) -> None:
    """Label every curve at its end, in the right margin, with a piece of its line.

    Parameters
    ----------
    axes : Axes
        With the curves drawn and room to its right.
    means : mapping of str to MeanCurve
        In the unit that is drawn.
    styles : mapping of str to Style
    """
    from matplotlib.lines import Line2D
    from matplotlib.transforms import blended_transform_factory

    low, high = axes.get_ylim()
    left, right = (math.log(limit) for limit in axes.get_xlim())
    ends = {label: (mean.cost[-1], float(np.clip(mean.mean[-1], low, high))) for label, mean in means.items()}
    fractions = [(value - low) / (high - low) for _, value in ends.values()]
    names = {label: textwrap.wrap(styles[label].name, 16)[:2] for label in means}
    heights = spread(fractions, 0.064 if all(len(lines) == 1 for lines in names.values()) else 0.094, 0.02, 0.98)
    place = blended_transform_factory(axes.transAxes, axes.transAxes)
    for (label, (cost, _)), fraction, height in zip(ends.items(), fractions, heights, strict=True):
        style = styles[label]
        end = (math.log(cost) - left) / (right - left)
        anywhere: dict[str, Any] = {"transform": place, "clip_on": False, "color": style.color}
        axes.add_line(Line2D([end, 1.005, 1.03], [fraction, fraction, height], linewidth=0.7, alpha=0.55, **anywhere))
        axes.add_line(Line2D([1.035, 1.085], [height, height], linestyle=style.line, linewidth=style.width, **anywhere))
        axes.add_line(Line2D([1.06], [height], linestyle="none", **anywhere, **style.markers()))
        axes.text(
            1.095,
            height,
            "\n".join(names[label]),
            transform=place,
            va="center",
            size=11,
            color=INK,
            linespacing=0.95,
            parse_math=False,
        )


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
