"""The frame of every picture: title above, and below in small print what one must know to judge it."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.plotting import DPI, FAINT, INK, own_settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

_TITLE_INCHES, _LINE_INCHES, _MARGIN_INCHES = 0.26, 0.17, 0.12
_CHARACTERS_PER_INCH = 13.2  # of small print


def framed(
    draw: Callable[[Figure | SubFigure], None], size: tuple[float, float], title: str, small_print: Sequence[str]
) -> Figure:
    """Draw a picture with its frame.

    Parameters
    ----------
    draw : callable
        Draws into an empty part of the figure.
    size : (float, float)
        Inches that the drawing wants; the frame is added to the height.
    title : str
    small_print : sequence of str
        Paragraphs; each is wrapped.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    width, height = size
    heading = textwrap.wrap(title, int(width * 9.3))
    per_line = int(width * _CHARACTERS_PER_INCH)
    small = [line for text in small_print for line in textwrap.wrap(text, per_line, break_on_hyphens=False)]
    top = _MARGIN_INCHES + _TITLE_INCHES * len(heading)
    bottom = _MARGIN_INCHES + _LINE_INCHES * len(small)
    total = top + height + bottom
    plain: dict[str, Any] = {"ha": "left", "parse_math": False}  # a '$' in a command is a dollar
    with own_settings():
        figure = Figure(figsize=(width, total), dpi=DPI, facecolor="white")
        FigureCanvasAgg(figure)
        parts = np.atleast_1d(np.asarray(figure.subfigures(3, 1, height_ratios=(top, height, bottom), hspace=0)))
        left, lift = _MARGIN_INCHES / width, _MARGIN_INCHES / total
        figure.text(left, 1 - lift, "\n".join(heading), va="top", size=13, weight="bold", color=INK, **plain)
        figure.text(left, lift, "\n".join(small), va="bottom", size=8, color=FAINT, linespacing=1.25, **plain)
        draw(parts[1])
    return figure


def save(figure: Figure, folder: Path) -> None:
    """Write ``figure.png`` and ``figure.pdf``; the same figure gives the same bytes."""
    with own_settings():
        figure.savefig(folder / "figure.png", format="png", dpi=DPI, metadata={"Software": None})
        nothing = {"Creator": None, "Producer": None, "CreationDate": None}
        figure.savefig(folder / "figure.pdf", format="pdf", metadata=nothing)
