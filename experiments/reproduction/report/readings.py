"""Draws the claims of a paper by their readings: one row a claim, one cell a reading, coloured by its outcome."""

from __future__ import annotations

import textwrap
import warnings
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Final

from svm_cost_curves.experiments.plotting import FAINT, INK, own_settings
from svm_cost_curves.experiments.reproduction.report.labels import LABELS
from svm_cost_curves.experiments.reproduction.verdict import Claim, Outcome

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

_WIDTH, _ROW, _LETTERS, _NAME_LETTERS = 12.0, 0.62, 17.0, 13.0  # inches; letters per inch in a cell and in a name


def readings_picture(claims: Sequence[Claim]) -> bytes:
    """Draw the claims of a paper by their readings.

    Parameters
    ----------
    claims : sequence of Claim
        At least one. The first cell of a row is the reading to which the paper's own words come nearest.

    Returns
    -------
    bytes
        A PNG picture.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    height = _ROW * len(claims) + 0.5
    most = max(len(claim.readings) for claim in claims)
    names = 0.3 + max(len(claim.id) for claim in claims) / _NAME_LETTERS
    cell = (_WIDTH - names) / most
    letters = int((cell - 0.1) * _LETTERS)
    with own_settings():
        figure = Figure(figsize=(_WIDTH, height))
        FigureCanvasAgg(figure)
        axes = figure.add_axes((0, 0, 1, 1), xlim=(0, _WIDTH), ylim=(0, height))
        axes.set_axis_off()
        for row, claim in enumerate(claims):
            bottom = height - 0.1 - _ROW * (row + 1)
            axes.text(0.1, bottom + _ROW / 2, claim.id, va="center", size=9, weight="bold", color=INK, parse_math=False)
            for column, reading in enumerate(claim.readings):
                left = names + column * cell
                ground = COLOURS[reading.outcome]
                axes.add_patch(Rectangle((left, bottom + 0.04), cell - 0.06, _ROW - 0.08, color=ground, linewidth=0))
                lines = textwrap.wrap(f"{LABELS[reading.outcome].symbol} {reading.text}", letters)
                says = reading.says or claim.paper_says
                lines += textwrap.wrap(says, letters, max_lines=max(3 - len(lines), 1), placeholder=" …")
                axes.text(
                    left + 0.06, bottom + _ROW / 2, "\n".join(lines), va="center", size=7.2, color=INK,
                    linespacing=1.15, parse_math=False,
                )  # fmt: skip
        note = "Left: the reading to which the paper's own words come nearest."
        axes.text(names, 0.12, note, size=8, color=FAINT)
        stream = BytesIO()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # letters that the font does not have are boxes
            figure.savefig(stream, format="png", metadata={"Software": None})
    return stream.getvalue()
