"""A table of times as a picture: the darker a cell, the longer a method takes than the fastest one there."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from experiments.papers.effort import seconds_text
from experiments.papers.sgdr.timing import Case
from experiments.plotting import FAINT, INK, PANEL, STYLES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_NAMES, _MARGIN, _BETWEEN = 1.35, 0.12, 0.14  # inches
_ROW, _ABOVE = 0.26, 0.5  # inches
_KEY: Final = (1.0, 3.0, 10.0, 30.0, 100.0)
"""Multiples of the fastest that the key shows; beyond the last all are alike."""
_DARK: Final = 20.0
"""Letters are white on the shades of larger multiples."""
_PLACED: Final[dict[str, Any]] = {"textcoords": "offset points", "parse_math": False}


def height(methods: int) -> float:
    """Height of the picture, in inches."""
    return _ABOVE + _ROW * methods


def draw(figure: Figure | SubFigure, cases: Sequence[Case], names: Sequence[str], top: float) -> None:
    """Draw a block for each C, in it one column per data set and one row per method.

    Parameters
    ----------
    figure : Figure or SubFigure
    cases : sequence of Case
        At least one.
    names : sequence of str
        Methods, from top to bottom.
    top : float
        Inches above it that are taken.
    """
    width, whole = figure.bbox.width / figure.dpi, figure.bbox.height / figure.dpi
    values = sorted({case.C for case in cases})
    block, tall = (width - _NAMES - _MARGIN + _BETWEEN) / len(values) - _BETWEEN, _ROW * len(names)
    bottom = whole - top - _ABOVE - tall
    for k, C in enumerate(values):
        left = _NAMES + k * (block + _BETWEEN)
        axes = figure.add_axes((left / width, bottom / whole, block / width, tall / whole))
        _block(axes, [case for case in cases if case.C == C], names)
        if k == 0:
            beside: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "ha": "right", "va": "center"} | _PLACED
            for row, name in enumerate(names):
                axes.annotate(STYLES[name].name, (0, row + 0.5), (-6, 0), size=PANEL.ticks, color=INK, **beside)


def _block(axes: Axes, cases: Sequence[Case], names: Sequence[str]) -> None:
    from matplotlib.patches import Rectangle

    axes.set_xlim(0, len(cases))
    axes.set_ylim(len(names), 0)
    axes.set_axis_off()
    above: dict[str, Any] = {"color": INK, "va": "baseline"} | _PLACED
    axes.annotate(
        f"C = {cases[0].C:g}", (0, 1), (0, 21), xycoords="axes fraction", size=PANEL.label, weight="bold", **above
    )
    for column, case in enumerate(cases):
        axes.annotate(case.short, (column + 0.5, 0), (0, 6), xycoords="data", ha="center", size=PANEL.note, **above)
        for row, method in enumerate(names):
            effort = case.efforts.get(method)
            multiple = case.multiple(method)
            color = "#eeeeee" if multiple is None else shade(multiple)
            axes.add_patch(Rectangle((column, row), 1, 1, facecolor=color, edgecolor="white", linewidth=1.2))
            axes.text(
                column + 0.5,
                row + 0.5,
                "-" if effort is None else effort.text(seconds_text),
                ha="center",
                va="center_baseline",
                size=PANEL.note - 1.2,
                weight="bold" if multiple == 1 else "normal",
                color=FAINT if multiple is None else "white" if multiple > _DARK else INK,
            )


def key(figure: Figure | SubFigure, top: float) -> None:
    """Show what the shades mean, in a line."""
    from matplotlib.patches import Rectangle

    width, whole = figure.bbox.width / figure.dpi, figure.bbox.height / figure.dpi
    axes = figure.add_axes((0, 1 - (top + 0.2) / whole, 1, 0.2 / whole))
    axes.set_xlim(0, width)
    axes.set_ylim(0, 0.2)
    axes.set_axis_off()
    words: dict[str, Any] = {"size": PANEL.note, "color": INK, "va": "center", "parse_math": False}
    axes.text(_NAMES, 0.1, "multiple of the fastest:", **words)
    for k, multiple in enumerate(_KEY):
        left = _NAMES + 1.5 + 0.75 * k
        axes.add_patch(Rectangle((left, 0.02), 0.26, 0.16, facecolor=shade(multiple), edgecolor=FAINT, linewidth=0.5))
        axes.text(left + 0.32, 0.1, f"{multiple:g}{' and more' if multiple == _KEY[-1] else ''}", **words)


def shade(multiple: float) -> str:
    """Colour of a multiple of the fastest time."""
    import matplotlib as mpl
    from matplotlib.colors import to_hex

    return to_hex(mpl.colormaps["YlOrBr"](min(math.log(multiple) / math.log(_KEY[-1]), 1.0) * 0.9))
