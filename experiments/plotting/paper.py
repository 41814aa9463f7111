"""Figures for a paper: no title and no small print, text of one size, panels laid out for a width.

A figure is drawn as for the screen and then laid out again (`fit`), so every figure has this style. What its title,
captions and notes said becomes the caption, a text file beside the picture and the picture's metadata.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from experiments.configuration.paper_style import LATEX, latex
from experiments.plotting.styles import INK, own_settings
from support.errors import SettingsError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend
    from matplotlib.text import Annotation

DPI: Final = 300
TEXT: Final = 8.0
"""Size of all text, in points."""
NAME, NOTE = "name", "note"
"""Labels of the texts above a panel: the name stays in the picture, the note becomes part of the caption."""

_LEAST_PANEL: Final = 1.5  # inches, as all below
_ASPECT, _TALLEST = 0.72, 1.7  # height of a panel over its width, without labels; its largest height
_BESIDE, _ABOVE_AND_BELOW, _LEGEND_LINE = 0.5, 0.6, 0.16
_POINTS_PER_CHARACTER: Final = 4.4  # of text, on average
_LINES: Final = 0.6  # factor on lines and markers


def fit(figure: Figure, width: float) -> list[str]:
    """Lay a drawn figure out for a width, and return what is no longer in it, as lines of a caption.

    Rows of panels that do not fit are wrapped. Several panels get the letters (a), (b), ...; the lines name them.

    Parameters
    ----------
    figure : Figure
        With an Agg canvas. A figure without panels stays as it is, but for its size.
    width : float
        Inches.
    """
    rows = _rows(figure)
    columns = _columns(rows, width)
    caption = _take_texts(figure, rows) if rows else []
    legend_lines = [_legend_for(figure, legend, width, caption) for legend in figure.legends[:]]
    cell = width / columns
    tallest = max((place[0].get_position().height for row in rows for place in row), default=1.0)
    lines = [wrapped for row in rows for wrapped in _wrapped(row, columns)]
    panel = min(_ASPECT * (cell - _BESIDE), _TALLEST)
    heights = [panel * line[0][0].get_position().height / tallest + _ABOVE_AND_BELOW for line in lines]
    figure.set_size_inches(width, max(sum(heights), 1.0) + _LEGEND_LINE * sum(legend_lines))
    figure.set_layout_engine("constrained", w_pad=0.04, h_pad=0.03, wspace=0.03, hspace=0.03)
    if lines:
        grid = figure.add_gridspec(len(lines), columns, height_ratios=heights)
        for i, line in enumerate(lines):
            for k, place in enumerate(line):
                for axes in place:
                    axes.set_subplotspec(grid[i, k])
                    _restyle(axes, cell - _BESIDE)
    return caption


def save(figure: Figure, stem: Path, formats: Sequence[str], title: str, caption: Sequence[str]) -> list[Path]:
    """Write a figure in some formats and its caption as text; the same figure gives the same bytes.

    Parameters
    ----------
    figure : Figure
    stem : Path
        Path without ending; dots in its name stay.
    formats : sequence of str
        Some of `experiments.configuration.paper_style.FORMATS`.
    title : str
    caption : sequence of str
        Lines. The caption is also in the metadata of all formats but pgf.

    Returns
    -------
    list of Path
        The pictures, and the text file.

    Raises
    ------
    SettingsError
        pgf is wanted, and LaTeX fails.
    """
    text = "\n".join([title, *caption])
    paths = [stem.with_name(f"{stem.name}.{name}") for name in formats]
    # Type 42 fonts: publishers refuse Type 3, which is matplotlib's default
    settings: dict[str, Any] = {"pdf.fonttype": 42, "ps.fonttype": 42, "svg.hashsalt": "svm-cost-curves"}
    settings |= {"pgf.rcfonts": False, "pgf.texsystem": latex() or LATEX[0]}
    with own_settings(settings):
        for name, path in sorted(zip(formats, paths, strict=True), key=lambda pair: pair[0] == "pgf"):
            if name == "pgf":  # last: the other formats have plain text
                _save_pgf(figure, path)
            else:
                figure.savefig(path, format=name, dpi=DPI, **_metadata(name, title, text))
    paths.append(stem.with_name(f"{stem.name}.txt"))
    paths[-1].write_text(text + "\n", encoding="utf-8")
    return paths


def _save_pgf(figure: Figure, path: Path) -> None:
    from matplotlib.backends.backend_pgf import LatexError

    from experiments.plotting import pgf

    pgf.prepare(figure)
    try:
        figure.savefig(path, format="pgf")
    except (LatexError, ValueError) as error:
        said = next((line for line in str(error).splitlines() if line.startswith("!")), str(error).partition("\n")[0])
        raise SettingsError(f"format=pgf: LaTeX cannot measure the text of {path.name}: {said.lstrip('! ')}") from error


def _metadata(name: str, title: str, text: str) -> dict[str, Any]:
    """Return the argument ``metadata`` of savefig, without program and date."""
    known: dict[str, dict[str, Any]] = {
        "pdf": {"Title": title, "Subject": text, "Creator": None, "Producer": None, "CreationDate": None},
        "svg": {"Title": title, "Description": text, "Creator": None, "Date": None},
        "png": {"Title": title, "Description": text, "Software": None},
    }
    return {"metadata": known[name]}


Place = list["Axes"]
"""Axes at one place: two, if they share it (``twinx``)."""


def _rows(figure: Figure) -> list[list[Place]]:
    """Return the places of the figure's axes: rows from the top, each from the left."""
    places: dict[tuple[float, float], Place] = {}
    for axes in figure.axes:
        box = axes.get_position()
        places.setdefault((-round(box.y1, 3), round(box.x0, 3)), []).append(axes)
    rows: dict[float, list[Place]] = {}
    for (top, _), place in sorted(places.items(), key=lambda item: item[0]):
        rows.setdefault(top, []).append(place)
    return list(rows.values())


def _columns(rows: Sequence[list[Place]], width: float) -> int:
    """Return the number of columns: those of the widest row, or fewer if panels would be narrower than the least."""
    own = max(map(len, rows), default=1)
    most = max(1, int(width / _LEAST_PANEL))
    return -(-own // -(-own // most))


def _wrapped(row: list[Place], columns: int) -> list[list[Place]]:
    """Divide a row into lines; the first panel of each gets the label of the row's vertical axis."""
    lines = [row[k : k + columns] for k in range(0, len(row), columns)]
    label = row[0][0].get_ylabel()
    for line in lines:
        if not line[0][0].get_ylabel():
            line[0][0].set_ylabel(label, color=INK)
    return lines


def _take_texts(figure: Figure, rows: Sequence[list[Place]]) -> list[str]:
    """Remove the figure's captions and the panels' notes and return them, from top to bottom, with panel letters."""
    places = [place for row in rows for place in row]
    found: list[tuple[float, str]] = []
    for text in figure.texts[:]:
        found.append((-text.get_position()[1], " ".join(text.get_text().split())))
        text.remove()
    for k, place in enumerate(places):
        letter = f"({_letters(k)})" if len(places) > 1 else ""
        texts = {label: [text for text in place[0].texts if text.get_label() == label] for label in (NAME, NOTE)}
        titles = [place[0].get_title(loc) for loc in ("left", "center", "right")]
        for loc in ("left", "center", "right"):
            place[0].set_title("", loc=loc)
        name = " ".join(filter(None, [*(text.get_text() for text in texts[NAME]), *titles]))
        notes = "; ".join(text.get_text() for text in texts[NOTE] if text.get_text())
        for text in (*texts[NAME], *texts[NOTE]):
            text.remove()
        if head := " ".join(filter(None, [letter, name])):
            place[0].annotate(head, (0, 1), (0, 4), label=NAME, weight="bold", **_above())
        line = ": ".join(filter(None, [head, notes])) if name or notes else ""
        # a caption above a panel ends above its top
        found.append((-place[0].get_position().y1, line))
    return [text for _, text in sorted(found, key=lambda item: item[0]) if text]


def _above() -> dict[str, Any]:
    return {"xycoords": "axes fraction", "textcoords": "offset points", "color": INK, "parse_math": False}


def _letters(number: int) -> str:
    """Return a, b, ..., z, aa, ab, ..."""
    return (_letters(number // 26 - 1) if number >= 26 else "") + chr(ord("a") + number % 26)


def _legend_for(figure: Figure, legend: Legend, width: float, caption: list[str]) -> int:
    """Replace a legend by one above the panels, with as many columns as fit; return the number of its lines.

    Remarks in brackets after the names become lines of the caption.
    """
    handles: list[Any] = list(legend.legend_handles)
    names: list[str] = []
    for text in legend.get_texts():
        name, _, remark = text.get_text().partition(" (")
        names.append(name)
        caption += [f"{name}: {remark.removesuffix(')')}"] if remark else []
    legend.remove()
    for handle in handles:
        _thin(handle)
    for columns in range(len(names), 0, -1):
        new = figure.legend(
            handles,
            names,
            loc="outside upper left",
            ncols=columns,
            frameon=False,
            fontsize=TEXT,
            labelcolor=INK,
            handlelength=2.4,
            columnspacing=1.2,
            handletextpad=0.5,
            labelspacing=0.3,
            borderaxespad=0.25,
            borderpad=0.0,
        )
        for text in new.get_texts():
            text.set_parse_math(False)
        if new.get_window_extent().width <= width * figure.dpi or columns == 1:
            return -(-len(names) // columns)
        new.remove()
    return 0


def _restyle(axes: Axes, width: float) -> None:
    """Give text its size, and thinner lines; wrap names and labels to a panel's width in inches."""
    wrap = int(72 * width / _POINTS_PER_CHARACTER)
    axes.tick_params(labelsize=TEXT, which="major", width=0.5, length=2.5, pad=2)
    axes.tick_params(which="minor", width=0.4, length=1.5)
    for label in (axes.xaxis.label, axes.yaxis.label):
        label.set_text(_fill(label.get_text(), wrap))
    axes.xaxis.labelpad = axes.yaxis.labelpad = 2
    names: list[Annotation] = [text for text in axes.texts if text.get_label() == NAME]  # type: ignore[misc]
    for name in names:
        name.set_text(_fill(name.get_text(), wrap))
    for text in (*axes.texts, axes.xaxis.label, axes.yaxis.label):
        text.set_fontsize(TEXT)
        if (arrow := getattr(text, "arrow_patch", None)) is not None:
            arrow.set_linewidth(_LINES * arrow.get_linewidth())
    for artist in (*axes.lines, *axes.collections):
        _thin(artist)
    for spine in axes.spines.values():
        spine.set_linewidth(0.5)
    axes.grid(linewidth=0.4) if any(line.get_visible() for line in axes.get_xgridlines()) else None
    if (own := axes.get_legend()) is not None:
        for text in own.get_texts():
            text.set_fontsize(TEXT)


def _fill(text: str, width: int) -> str:
    """Break a text into lines of at most some characters, but not within a formula (``$...$``)."""
    parts = text.split("$")
    parts[1::2] = [part.replace(" ", "\0") for part in parts[1::2]]
    return textwrap.fill("$".join(parts), width, break_long_words=False).replace("\0", " ")


def _thin(artist: Any) -> None:
    """Scale lines and markers."""
    from matplotlib.collections import Collection, PathCollection
    from matplotlib.lines import Line2D

    if isinstance(artist, Line2D):
        artist.set_markersize(_LINES * artist.get_markersize())
        artist.set_markeredgewidth(_LINES * artist.get_markeredgewidth())
        artist.set_linewidth(_LINES * artist.get_linewidth())
    elif isinstance(artist, Collection):
        if isinstance(artist, PathCollection):
            artist.set_sizes(_LINES**2 * artist.get_sizes())
        artist.set_linewidth([_LINES * float(each) for each in np.atleast_1d(artist.get_linewidth())])
