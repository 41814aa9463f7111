"""Writes a figure's folder, ``figures/<id>/<scale>/``: picture, data, table and verdict."""

from __future__ import annotations

import dataclasses
import json
import textwrap
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.configuration.paper_style import PaperStyle
from experiments.plotting import DPI, FAINT, INK, own_settings, paper
from experiments.plotting.interactive import PAGE
from experiments.reproduction.figure_result import FigureResult
from experiments.reproduction.report.rendering import render
from experiments.reproduction.verdict import Verdict
from support.values import plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

OWN = ("figure.*", "paper.*", "data.csv", "table.*", "verdict.*", PAGE)
"""Patterns of the names of a figure's files, which a new one replaces."""
_TITLE_INCHES, _LINE_INCHES, _MARGIN_INCHES = 0.26, 0.17, 0.12
_CHARACTERS_PER_INCH = 13.2  # of small print


def compose_picture(
    draw: Callable[[Figure | SubFigure], None], size: tuple[float, float], title: str, small_print: Sequence[str]
) -> Figure:
    """Draw a picture with a title above and small print below.

    Parameters
    ----------
    draw : callable
        Draws into an empty part of the figure.
    size : (float, float)
        Width and height of that part in inches; title and small print are added to the height.
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


def save_picture(figure: Figure, folder: Path) -> None:
    """Write ``figure.png`` and ``figure.pdf``; the same figure gives the same bytes."""
    with own_settings():
        figure.savefig(folder / "figure.png", format="png", dpi=DPI, metadata={"Software": None})
        nothing = {"Creator": None, "Producer": None, "CreationDate": None}
        figure.savefig(folder / "figure.pdf", format="pdf", metadata=nothing)


def save_for_paper(result: FigureResult, style: PaperStyle, folder: Path, title: str, notes: Sequence[str]) -> None:
    """Write ``paper.<format>`` for each format of the style, and ``paper.txt``, the caption.

    Parameters
    ----------
    result : FigureResult
        Its drawing is drawn again, and laid out for the style's width.
    style : PaperStyle
    folder : Path
    title : str
    notes : sequence of str
        The small print; ends the caption.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    with own_settings():
        figure = Figure(figsize=result.size, dpi=DPI, facecolor="white")
        FigureCanvasAgg(figure)
        result.draw(figure)
        caption = paper.fit(figure, style.width)
    paper.save(figure, folder / "paper", style.formats, title, [*caption, *notes])


def write_texts(folder: Path, result: FigureResult, verdict: Verdict, facts: Mapping[str, Any]) -> None:
    """Write data.csv, table.json, table.md, verdict.json and verdict.md.

    Parameters
    ----------
    folder : Path
        An empty folder.
    result : FigureResult
    verdict : Verdict
    facts : mapping
        Added to verdict.json: the figure, the machine, the time. ``heading`` is the title of verdict.md.
    """
    result.data.to_csv(folder / "data.csv", index=False)
    if result.table is not None:
        _write_json(folder / "table.json", dataclasses.asdict(result.table))
        (folder / "table.md").write_text(render("table.md.j2", table=result.table), encoding="utf-8")
    decided_by = {claim.id: claim.nearest.decided_by for claim in verdict.claims}
    _write_json(folder / "verdict.json", as_json(verdict) | dict(facts) | {"decided_by": decided_by})
    page = render("verdict.md.j2", verdict=verdict, heading=str(facts["heading"]))
    (folder / "verdict.md").write_text(page, encoding="utf-8")


def as_json(verdict: Verdict) -> dict[str, Any]:
    """Return the content of verdict.json, without the facts."""
    numbers = [dataclasses.asdict(number) | {"agrees": number.agrees} for number in verdict.numbers]
    claims = [dataclasses.asdict(claim) | {"verdict": claim.verdict} for claim in verdict.claims]
    for reading in (reading for claim in claims for reading in claim["readings"]):
        del reading["decided_by"], reading["rulings"]
    return dataclasses.asdict(verdict) | {"claims": claims, "numbers": numbers}


def _write_json(path: Path, content: Mapping[str, Any]) -> None:
    text = json.dumps(plain(content, path.name), indent=2, ensure_ascii=False) + "\n"
    path.write_text(text, encoding="utf-8")
