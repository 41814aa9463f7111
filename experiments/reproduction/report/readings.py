"""Draws the claims of a paper by their readings: one row a claim, one cell a reading, coloured by its outcome."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

from ...plotting import INK, own_settings
from ..verdict import Claim, Outcome, Reading, in_words
from .labels import LABELS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS: Final[Mapping[Outcome, str]] = {
    "reproduced": "#4fa98b",
    "trivial": "#bcd9cf",
    "mostly": "#a8d8b9",
    "mixed": "#f2c261",
    "unclear": "#dcdcdc",
    "contradicted": "#e8806a",
    "not_testable": "#f4f3f0",
}
"""Ground of a cell, by the outcome in it."""

_WIDTH, _CELL, _ROW, _KEY, _GAP = 9.0, 1.5, 0.42, 0.27, 0.04  # inches
_NAME_LETTERS, _LETTERS = 11.5, 14.5
"""Letters in an inch, of a claim's and of a reading's name."""
_SYMBOL: Final = 0.24
"""Inches for the symbol in a cell."""


def readings_picture(claims: Sequence[Claim]) -> bytes:
    """Return the picture of a paper's claims by their readings, as PNG; parameters as in `draw_readings`."""
    stream = BytesIO()
    with own_settings():
        draw_readings(claims).savefig(stream, format="png", metadata={"Software": None})
    return stream.getvalue()


def draw_readings(claims: Sequence[Claim]) -> Figure:
    """Draw the claims of a paper, at least one, by their readings.

    The first cell of a row is the reading to which the paper's own words come nearest.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    readings = [reading for claim in claims for reading in claim.readings]
    names = 0.3 + max(len(claim.id) for claim in claims) / _NAME_LETTERS
    cell = min(_CELL, (_WIDTH - names) / max(len(claim.readings) for claim in claims))
    key = _key(readings)
    height = _ROW * len(claims) + _KEY * len(key) + 0.4
    figure = Figure(figsize=(_WIDTH, height))
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, _WIDTH), ylim=(0, height))
    axes.set_axis_off()
    for row, claim in enumerate(claims):
        bottom = height - 0.1 - _ROW * (row + 1)
        axes.text(0.1, bottom + _ROW / 2, claim.id, va="center", size=9, weight="bold", color=INK, parse_math=False)
        for column, reading in enumerate(claim.readings):
            box = (names + column * cell, bottom + _GAP / 2, cell - _GAP, _ROW - _GAP)
            _draw_cell(axes, box, reading.outcome, reading.id.replace("_", " "), framed=reading.likely)
    for line, (outcome, text) in enumerate(key):
        bottom = 0.1 + _KEY * (len(key) - 1 - line)
        if outcome is None:
            axes.text(names, bottom + _KEY / 2, text, va="center", size=8.5, color=INK)
        else:
            _draw_cell(axes, (names, bottom + _GAP / 2, 2 * _SYMBOL, _KEY - _GAP), outcome, "")
            axes.text(names + 2.5 * _SYMBOL, bottom + _KEY / 2, text, va="center", size=8.5, color=INK)
    return figure


def _key(readings: Sequence[Reading]) -> list[tuple[Outcome | None, str]]:
    """Return the lines below the cells: outcomes that occur, with their words, and what place and frame mean."""
    by_outcome: dict[Outcome, list[str]] = {outcome: [] for outcome in COLOURS}
    for reading in readings:
        by_outcome[reading.outcome].append(in_words(reading.outcome, reading.type))
    key: list[tuple[Outcome | None, str]] = [
        (outcome, ", or ".join(dict.fromkeys(texts))) for outcome, texts in by_outcome.items() if texts
    ]
    frame = "; framed: the one that the authors most likely mean" if any(reading.likely for reading in readings) else ""
    return [*key, (None, f"First cell: the reading to which the paper's own words come nearest{frame}.")]


def _draw_cell(
    axes: Axes, box: tuple[float, float, float, float], outcome: Outcome, name: str, *, framed: bool = False
) -> None:
    """Draw a cell at left, bottom, width and height: its colour, its symbol and the name of a reading."""
    from matplotlib.patches import Rectangle

    left, bottom, width, height = box
    frame: dict[str, Any] = {"edgecolor": INK, "linewidth": 1.6} if framed else {"linewidth": 0}
    axes.add_patch(Rectangle((left, bottom), width, height, facecolor=COLOURS[outcome], **frame))
    look: dict[str, Any] = {"va": "center", "color": INK, "parse_math": False}
    axes.text(left + _SYMBOL / 2, bottom + height / 2, LABELS[outcome].symbol, ha="center", size=9, **look)
    lines = textwrap.wrap(name, int((width - _SYMBOL) * _LETTERS))
    axes.text(left + _SYMBOL, bottom + height / 2, "\n".join(lines), size=7, linespacing=1.0, **look)
