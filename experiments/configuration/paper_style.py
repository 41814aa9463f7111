"""``style=paper width=3.25 format=pdf,svg``: the settings of a picture for a paper, the same for both programs."""

from __future__ import annotations

import math
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from svm_cost_curves.experiments.configuration.choices import check_choice
from svm_cost_curves.support.errors import SettingsError

NAMES: Final = ("style", "width", "format")
STYLES: Final = ("screen", "paper")
FORMATS: Final = ("pdf", "svg", "png", "pgf")
ONE_COLUMN, TWO_COLUMNS = 3.25, 6.75
"""Usual widths of a figure in a paper of two columns, in inches."""
LATEX: Final = ("xelatex", "lualatex", "pdflatex")


@dataclass(frozen=True)
class PaperStyle:
    """A picture for a paper.

    Attributes
    ----------
    width : float
        Inches.
    formats : tuple of str
        Some of `FORMATS`.
    """

    width: float = TWO_COLUMNS
    formats: tuple[str, ...] = ("pdf", "png")


def style_of(settings: Mapping[str, str | None]) -> PaperStyle | None:
    """Return the style of the settings `NAMES`, where None means that one is not given; None without ``style=paper``.

    Raises
    ------
    SettingsError
        A value is not allowed, width or format is given without ``style=paper``, or pgf is wanted without LaTeX.
    """
    given = {name: value for name in NAMES if (value := settings.get(name)) is not None}
    style = given.get("style", "screen")
    check_choice("style", style, STYLES)
    own = [name for name in given if name != "style"]
    if style == "screen":
        if own:
            whose = "has it" if len(own) == 1 else "has them"
            words = " and ".join(f"{name}=" for name in own)
            raise SettingsError(f"{words}: only a picture for a paper {whose}: add style=paper")
        return None
    formats = tuple(dict.fromkeys(given["format"].split(","))) if "format" in given else PaperStyle.formats
    for name in formats:
        check_choice("format", name, FORMATS)
    if "pgf" in formats and latex() is None:
        raise SettingsError("format=pgf needs LaTeX, which measures the text: install xelatex, lualatex or pdflatex")
    return PaperStyle(_width(given.get("width", str(PaperStyle.width))), formats)


def latex() -> str | None:
    """Return the LaTeX program that measures the text of a pgf file; None if none is installed."""
    return next((name for name in LATEX if shutil.which(name)), None)


def _width(text: str) -> float:
    try:
        width = float(text)
    except ValueError:
        width = math.nan
    if not 1 <= width <= 40:
        raise SettingsError(f"width must be a number of inches from 1 to 40, got {text!r}")
    return width
