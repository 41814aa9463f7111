"""Draws the map of claims by data sets, and each claim's number against a property of the data."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ...plotting import FAINT, INK, plain_frame
from ...reproduction.claim_spec import RepeatedClaimSpec
from ...reproduction.report.labels import LABELS
from ...reproduction.report.readings import COLOURS
from ...reproduction.statistics.interval import Ruling
from ...reproduction.verdict import Outcome
from .. import layout
from ..panels import NAMES
from .cells import Cell
from .correlation import rank_correlation
from .properties import PROPERTIES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

OUTCOMES: Final[Mapping[Ruling, Outcome]] = {
    "holds": "reproduced",
    "trivial": "trivial",
    "fails": "contradicted",
    "unclear": "unclear",
    "missing": "not_testable",
}
"""Outcomes whose colour and sign a cell has, as in the pictures of readings."""
WORDS: Final[Mapping[Ruling, str]] = {
    "holds": "holds",
    "trivial": "holds trivially",
    "fails": "fails",
    "unclear": "unclear",
    "missing": "not run",
}

# inches
_ROW, _NAME = 0.5, 2.6
_GAP, _LINE = 0.14, 0.16
_PER_INCH = 15.5  # letters
_PER_INCH_OF_HEAD = 17.0
_TEXT, _TICKS = 7.5, 7.0  # points
_COLUMNS = 4  # panels in a row
_PANEL = (2.2, 1.75)  # width and height of a panel
_ABOVE, _BELOW, _LEFT = 0.75, 0.55, 0.6  # around it


@dataclass(frozen=True)
class MapRow:
    """A claim on all data sets."""

    spec: RepeatedClaimSpec
    says: str
    """The claim in a sentence."""
    paper_cells: Mapping[str, Cell]
    cells: Mapping[str, Cell]
    """On the paper's data sets as published, and on this figure's."""
    properties: Mapping[str, float]
    """Of this figure's data sets, for which it is known."""

    @property
    def points(self) -> dict[str, tuple[float, float, Ruling]]:
        """Property, number and ruling of each data set for which both are known."""
        return {
            name: (self.properties[name], cell.number, cell.ruling)
            for name, cell in self.cells.items()
            if name in self.properties and cell.number is not None
        }


@dataclass(frozen=True)
class Drawing:
    """Content of the picture."""

    rows: Sequence[MapRow]
    datasets: Sequence[str]
    """Columns."""
    left_out: Mapping[str, str]
    """Claims that are not in the map, and why."""

    @property
    def paper_datasets(self) -> list[str]:
        """Columns of the papers' own data sets, before the others."""
        return list(dict.fromkeys(name for row in self.rows for name in row.paper_cells))

    @property
    def panels(self) -> list[MapRow]:
        """The claims whose numbers differ from data set to data set."""
        return [row for row in self.rows if len({y for _, y, _ in row.points.values()}) > 1]

    @property
    def letters(self) -> dict[str, str]:
        """A letter for each column, which stands beside its point in the panels."""
        return {name: chr(ord("a") + index) for index, name in enumerate(self.datasets)}

    @property
    def heads(self) -> list[str]:
        """Names of all columns."""
        short = {
            name: NAMES.get(name, name).partition(",")[0].partition(" (")[0]
            for name in (*self.paper_datasets, *self.datasets)
        }
        lettered = [f"{self.letters[name]}  {short[name]}" for name in self.datasets]
        return [*(short[name] for name in self.paper_datasets), *lettered]

    @property
    def head(self) -> float:
        """Height of the names in inches; they stand upright."""
        return 0.5 + max(map(len, self.heads)) / _PER_INCH_OF_HEAD

    @property
    def notes(self) -> list[str]:
        """Lines below the map."""
        left = (
            "Left of the gap: the papers' own data sets or their stand-ins, as published."
            if self.paper_datasets
            else "The papers' own data sets have no published evidence here."
        )
        signs = ", ".join(f"{LABELS[OUTCOMES[ruling]].symbol} {word}" for ruling, word in WORDS.items())
        texts = [
            f"{signs}. Behind the sign: cases that hold, of those that were run. {left}",
            "Panels: a claim's number on each data set, the median over its cases, against the property that the "
            "theory names; none where it is the same on all. Letters are columns of the map, colours its colours; a "
            "cross is a claim that fails there.",
            *left_out_lines(self.left_out),
        ]
        return [line for text in texts for line in textwrap.wrap(text, int(layout.WIDTH * _PER_INCH * 0.95))]


def left_out_lines(left_out: Mapping[str, str]) -> list[str]:
    """Write each reason once, after the claims that it holds for."""
    names: dict[str, list[str]] = {}
    for name, why in left_out.items():
        names.setdefault(why, []).append(name)
    return [f"Left out: {', '.join(ids)}: {why}." for why, ids in names.items()]


def _map_height(drawing: Drawing) -> float:
    return drawing.head + _ROW * len(drawing.rows) + _LINE * (len(drawing.notes) + 1)


def size(drawing: Drawing) -> tuple[float, float]:
    """Width and height in inches."""
    lines = math.ceil(len(drawing.panels) / _COLUMNS)
    return layout.WIDTH, _map_height(drawing) + lines * (_ABOVE + _PANEL[1] + _BELOW)


def draw(figure: Figure | SubFigure, drawing: Drawing) -> None:
    """Draw the map, and below it a panel for each claim whose numbers differ."""
    if not drawing.rows:
        return
    height, whole = _map_height(drawing), size(drawing)[1]
    axes = figure.add_axes((0, 1 - height / whole, 1, height / whole), xlim=(0, layout.WIDTH), ylim=(height, 0))
    axes.set_axis_off()
    _draw_map(axes, drawing)
    for index, row in enumerate(drawing.panels):
        line, column = divmod(index, _COLUMNS)
        left = _LEFT + column * layout.WIDTH / _COLUMNS
        bottom = whole - height - line * (_ABOVE + _PANEL[1] + _BELOW) - _ABOVE - _PANEL[1]
        box = (left / layout.WIDTH, bottom / whole, _PANEL[0] / layout.WIDTH, _PANEL[1] / whole)
        _draw_panel(figure.add_axes(box), row, drawing.letters)


def _draw_map(axes: Axes, drawing: Drawing) -> None:
    paper_datasets, datasets = drawing.paper_datasets, drawing.datasets
    gap = _GAP if paper_datasets else 0.0
    width = (layout.WIDTH - _NAME - 0.1 - gap) / max(1, len(paper_datasets) + len(datasets))
    lefts = [_NAME + k * width for k in range(len(paper_datasets))] + [
        _NAME + gap + (len(paper_datasets) + k) * width for k in range(len(datasets))
    ]
    for left, text in zip(lefts, drawing.heads, strict=True):
        look: dict[str, Any] = {"rotation": 90, "ha": "center", "va": "bottom", "parse_math": False}
        axes.text(left + width / 2, drawing.head - 0.06, text, size=7.5, color=INK, **look)
    for number, row in enumerate(drawing.rows):
        top = drawing.head + _ROW * number
        says = textwrap.wrap(textwrap.shorten(row.says, 100, placeholder=" …"), int(_NAME * _PER_INCH * 1.15))
        axes.text(0.1, top + 0.04, row.spec.id, size=8.5, weight="bold", color=INK, va="top", parse_math=False)
        axes.text(0.1, top + 0.18, "\n".join(says[:3]), size=6, color=FAINT, va="top", parse_math=False)
        cells = [*(row.paper_cells.get(name) for name in paper_datasets), *(row.cells.get(name) for name in datasets)]
        for left, cell in zip(lefts, cells, strict=True):
            if cell is not None:
                _draw_cell(axes, (left, top, width), cell, row.spec)
    bottom = drawing.head + _ROW * len(drawing.rows) + 0.08
    for k, line in enumerate(drawing.notes):
        axes.text(0.1, bottom + _LINE * k, line, size=7.5, color=FAINT, va="top", parse_math=False)


def _draw_cell(axes: Axes, box: tuple[float, float, float], cell: Cell, spec: RepeatedClaimSpec) -> None:
    from matplotlib.patches import Rectangle

    left, top, width = box
    outcome = OUTCOMES[cell.ruling]
    axes.add_patch(Rectangle((left, top), width - 0.04, _ROW - 0.04, color=COLOURS[outcome], linewidth=0))
    lines = [LABELS[outcome].symbol]
    if cell.ruling != "missing":
        lines[0] += f" {cell.held}/{cell.cases}"
        lines += [short_number(cell.number)] if spec.number and cell.number is not None else []
    look: dict[str, Any] = {"ha": "center", "va": "center", "color": INK, "linespacing": 1.25, "parse_math": False}
    axes.text(left + width / 2 - 0.02, top + _ROW / 2 - 0.02, "\n".join(lines), size=7, **look)


def short_number(value: float) -> str:
    """Write a number in at most six characters; below 1e-12 it is the rounding of a 0."""
    size = abs(value)
    if size < 1e-12:
        return "0"
    if not 1e-3 <= size < 1e4:
        return f"{value:.0e}".replace("e-0", "e-").replace("e+0", "e")
    return f"{value:.0f}" if size >= 100 else f"{value:.2g}"


def _draw_panel(axes: Axes, row: MapRow, letters: Mapping[str, str]) -> None:
    """Draw a claim's number on each data set against the property; colour and shape are the ruling's."""
    points = row.points
    plain_frame(axes)
    axes.tick_params(labelsize=_TICKS)
    axes.set_xlabel(PROPERTIES[row.spec.against].name, size=_TEXT, color=INK, labelpad=2)
    correlation = rank_correlation([x for x, _, _ in points.values()], [y for _, y, _ in points.values()])
    says = correlation.text if correlation else "too few or equal values for a rank correlation"
    look: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points", "parse_math": False}
    for height, text in ((30, row.spec.id), (18, row.spec.unit or "share of the cases that hold"), (6, says)):
        weight = "bold" if text == row.spec.id else "normal"
        axes.annotate(text, (0, 1), (-20, height), size=_TEXT, color=INK, weight=weight, **look)
    if _spans(x for x, _, _ in points.values()):
        axes.set_xscale("log")
    if _spans(y for _, y, _ in points.values()):
        axes.set_yscale("log")
    signs = {"holds": "o", "trivial": "o", "fails": "X"}
    for name, (x, y, ruling) in points.items():
        look = {"markerfacecolor": COLOURS[OUTCOMES[ruling]], "markeredgecolor": INK, "markeredgewidth": 0.5}
        axes.plot([x], [y], signs.get(ruling, "s"), linestyle="none", **look)
        axes.annotate(letters[name], (x, y), (4, 2), textcoords="offset points", size=6, color=INK)
    axes.margins(0.12)


def _spans(values: Any) -> bool:
    """Whether values are positive and span more than a decade and a half."""
    numbers = list(values)
    return min(numbers) > 0 and math.log10(max(numbers) / min(numbers)) > 1.5
