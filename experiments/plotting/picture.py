"""A picture: a drawing below its title and above its small print, or the same drawing for a paper, with a caption."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..configuration.choices import PaperStyle
from . import paper
from .styles import FAINT, INK, PAPER, own_settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

_TITLE, _LINE, _MARGIN = 0.26, 0.17, 0.12  # inches: a line of the title, a line of small print, the edge
_TITLE_LETTERS, _LETTERS = 9.3, 13.2  # per inch


@dataclass(frozen=True)
class Picture:
    """A drawing with its words; the same picture gives the same bytes.

    `draw` draws into an empty figure or a part of one, `size` is the drawing's width and height in inches, and
    `small_print` has paragraphs: paper, scale, commit and command; counts of runs and of what restricts them.
    """

    draw: Callable[[Figure | SubFigure], None]
    size: tuple[float, float]
    title: str
    small_print: Sequence[str]

    def figure(self) -> Figure:
        """Return the picture as a figure of matplotlib."""
        with own_settings():
            return self._framed()

    def save(self, *paths: Path) -> None:
        """Write the picture, in the formats that the paths' endings name (png, pdf); folders are made."""
        with own_settings():
            figure = self._framed()
            for path in paths:
                path.parent.mkdir(parents=True, exist_ok=True)
                paper.write(figure, path, self.title, self.small_print)

    def save_for_paper(self, stem: Path, style: PaperStyle) -> list[Path]:
        """Write the drawing for a paper, ``<stem>.<format>``, and its caption, ``<stem>.txt``; return their paths.

        Raises SettingsError if LaTeX fails (format pgf).
        """
        with own_settings(PAPER):
            figure = _figure(*self.size)
            self.draw(figure)
            caption = paper.fit(figure, style.width)
        return paper.save(figure, stem, style.formats, self.title, [*caption, *self.small_print])

    def _framed(self) -> Figure:
        width, height = self.size
        title = textwrap.wrap(self.title, int(width * _TITLE_LETTERS))
        letters = int(width * _LETTERS)
        small = [line for text in self.small_print for line in textwrap.wrap(text, letters, break_on_hyphens=False)]
        above, below = _MARGIN + _TITLE * len(title), _MARGIN + _LINE * len(small)
        total = above + height + below
        figure = _figure(width, total)
        # one column, so an array of three
        parts: Any = figure.subfigures(3, 1, height_ratios=(above, height, below), hspace=0)
        left, edge = _MARGIN / width, _MARGIN / total
        plain: dict[str, Any] = {"ha": "left", "parse_math": False}  # a '$' in a command is a dollar
        figure.text(left, 1 - edge, "\n".join(title), va="top", size=13, weight="bold", color=INK, **plain)
        figure.text(left, edge, "\n".join(small), va="bottom", size=8, color=FAINT, linespacing=1.25, **plain)
        self.draw(parts[1])
        return figure


def _figure(width: float, height: float) -> Figure:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    class ShownFigure(Figure):
        """As the last value of a notebook's cell it becomes a PNG, also where pyplot was never imported."""

        def _repr_png_(self) -> bytes:
            file = BytesIO()
            self.savefig(file, format="png")
            return file.getvalue()

    figure = ShownFigure(figsize=(width, height))
    FigureCanvasAgg(figure)
    return figure
