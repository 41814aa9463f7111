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
LATEX: Final = ("xelatex", "lualatex", "pdflatex")


@dataclass(frozen=True)
class PaperStyle:
    """A picture for a paper: its width in inches, and some of `FORMATS`."""

    width: float = 6.75  # of a paper with two columns
    formats: tuple[str, ...] = ("pdf", "png")


def style_of(settings: Mapping[str, str | None]) -> PaperStyle | None:
    """Return the style of the settings `NAMES`, of which None means not given; None without ``style=paper``."""
    given = {name: value for name in NAMES if (value := settings.get(name)) is not None}
    style = given.get("style", "screen")
    check_choice("style", style, STYLES)
    extra = [name for name in given if name != "style"]
    if style == "screen":
        if extra:
            whose = "has it" if len(extra) == 1 else "has them"
            words = " and ".join(f"{name}=" for name in extra)
            raise SettingsError(f"{words}: only a picture for a paper {whose}: add style=paper")
        return None
    formats = tuple(dict.fromkeys(given["format"].split(","))) if "format" in given else PaperStyle.formats
    for name in formats:
        check_choice("format", name, FORMATS)
    if "pgf" in formats and latex() is None:
        raise SettingsError("format=pgf needs LaTeX, which measures the text: install xelatex, lualatex or pdflatex")
    text = given.get("width", str(PaperStyle.width))
    try:
        width = float(text)
    except ValueError:
        width = math.nan
    if not 1 <= width <= 40:
        raise SettingsError(f"width must be a number of inches from 1 to 40, got {text!r}")
    return PaperStyle(width, formats)


def latex() -> str | None:
    """Return the LaTeX program that measures the text of a pgf file; None if none is installed."""
    return next((name for name in LATEX if shutil.which(name)), None)
