"""The result of a figure's module: a drawing, its points, a table, judged claims and compared numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from svm_cost_curves.experiments.reproduction.numbers import Number
from svm_cost_curves.experiments.reproduction.verdict import Claim

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure


@dataclass(frozen=True)
class Bold:
    """A table's cell in bold type, such as the best of a row."""

    bold: str


def cell(value: float | None, form: str, after: str = "") -> str:
    """Write a number for a table, such as ``12,000`` with the form ``,.0f``; an empty cell for None and NaN."""
    return "" if value is None or math.isnan(value) else f"{value:{form}}{after}"


@dataclass(frozen=True)
class Table:
    """A table of a paper, as text without markup.

    Attributes
    ----------
    columns : sequence of str
    rows : sequence of sequences of str or Bold
        Each as long as `columns`; an empty string is an empty cell.
    notes : sequence of str
        Paragraphs below the table.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str | Bold]]
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class FigureResult:
    """A figure before it is written.

    Attributes
    ----------
    data : DataFrame
        A row for each drawn point. Curves have the columns ``panel, dataset, series, cost, x, mean, sd, seeds``
        (`seeds` as text: ``0 1 2``; errors as fractions); other figures have their own.
    draw : callable
        Draws into an empty part of a figure, without title and small print.
    size : (float, float)
        Width and height of the drawing in inches.
    table : callable or None
        Makes the table, which a map does not need of the figures whose claims it takes.
    claims : sequence of Claim
    numbers : sequence of Number
    """

    data: pd.DataFrame
    draw: Callable[[Figure | SubFigure], None]
    size: tuple[float, float] = (12.0, 7.0)
    table: Callable[[], Table] | None = None
    claims: Sequence[Claim] = ()
    numbers: Sequence[Number] = ()
