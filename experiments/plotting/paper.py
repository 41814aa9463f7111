"""Figures for a paper: no title and no small print, text of one size, panels in a grid for a width.

A figure is drawn in the style ``paper.mplstyle``, and its panels are put into a grid (`fit`). What its title, captions
and notes say becomes the caption, a text file beside the picture and the picture's metadata.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ...support.errors import SettingsError
from ...support.files import new_file, write_file
from ..configuration.choices import LATEX, latex
from .legend import write_legend
from .styles import INK, PAPER, own_settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

TEXT: Final = 8.0
"""Size of all text, in points, but of long legends."""
SMALL: Final = 6.0
"""Size of the text of a legend that would have more than `_LINES` lines."""
NAME, NOTE = "name", "note"
"""Labels of the texts above a panel: the name stays in the picture, the note becomes part of the caption."""

_LEAST_PANEL, _LEAST_WIDTH = 1.5, 0.75  # inches, as all below: a panel with its labels, without them
_ASPECT, _TALLEST = 0.72, 1.7  # height of a panel over its width, without labels; its largest height
_BESIDE, _ABOVE_AND_BELOW, _LEGEND_LINE = 0.5, 0.6, 0.02  # of the last: for each point of the text
_LINES: Final = 4
_POINTS_PER_CHARACTER, _POINTS_PER_BOLD = 4.4, 5.2  # of text, on average


def fit(figure: Figure, width: float) -> list[str]:
    """Put the panels of a drawn figure into a grid, and return the texts that are no longer in it, as a caption.

    Rows of panels that do not fit into the width (inches) are wrapped. Several panels get the letters (a), (b), ...;
    the lines name them. The figure has an Agg canvas and is drawn in the style `PAPER`; without panels it stays as it
    is, but for its size.
    """
    from matplotlib.layout_engine import ConstrainedLayoutEngine
    from matplotlib.text import Text

    rows = _rows(figure)
    caption, names = _take_texts(figure, rows) if rows else ([], [])
    labels = [label for axes in figure.axes for label in (axes.xaxis.label, axes.yaxis.label)]
    shares = [row[0][0].get_position().height for row in rows]
    for text in figure.findobj(Text):
        text.set_fontsize(TEXT)
    legend = _one_legend(figure, width, caption)
    layout = ConstrainedLayoutEngine()
    for columns in range(_columns(rows, width), 0, -1):
        cell = width / columns
        lines = [line for row in rows for line in _wrapped(row, columns)]
        tall = min(_ASPECT * (cell - _BESIDE), _TALLEST) / max(shares, default=1.0)
        heights = [
            tall * share + _ABOVE_AND_BELOW for row, share in zip(rows, shares, strict=True) for _ in row[::columns]
        ]
        figure.set_size_inches(width, max(sum(heights), 1.0) + legend)
        if lines:
            grid = figure.add_gridspec(len(lines), columns, height_ratios=heights)
        for i, line in enumerate(lines):
            for k, axes in ((k, axes) for k, panel in enumerate(line) for axes in panel):
                axes.set_subplotspec(grid[i, k])
                axes.set_in_layout(True)  # which set_position ends
        for texts, points in ((labels, _POINTS_PER_CHARACTER), (names, _POINTS_PER_BOLD)):
            for text in texts:
                text.set_text(_fill(text.get_text(), int(72 * (cell - _BESIDE) / points)))
        layout.execute(figure)
        if all(axes.get_position().width * width >= _LEAST_WIDTH for axes in figure.axes):
            break
    return caption


def save(figure: Figure, stem: Path, formats: Sequence[str], title: str, caption: Sequence[str]) -> list[Path]:
    """Write a figure in some formats, ``<stem>.<format>``, and its caption, ``<stem>.txt``; return their paths.

    `formats` are some of `experiments.configuration.choices.FORMATS`; dots in the stem's name stay. Raises
    SettingsError if pgf is wanted and LaTeX fails.
    """
    paths = [stem.with_name(f"{stem.name}.{name}") for name in formats]
    with own_settings(PAPER, {"pgf.texsystem": latex() or LATEX[0]}):
        for path in sorted(paths, key=lambda path: path.suffix == ".pgf"):  # last: the other formats have plain text
            write(figure, path, title, caption)
    paths.append(stem.with_name(f"{stem.name}.txt"))
    write_file(paths[-1], ("\n".join([title, *caption]) + "\n").encode(), sync=False)
    return paths


def write(figure: Figure, path: Path, title: str, caption: Sequence[str]) -> None:
    """Write a figure in the format of the path's ending; title and caption are in the metadata of all but pgf."""
    if path.suffix == ".pgf":
        _write_pgf(figure, path)
        return
    text = "\n".join([title, *caption])
    # None: no program and no date, so that the same figure gives the same bytes
    metadata: dict[str, dict[str, Any]] = {
        ".pdf": {"Title": title, "Subject": text, "Creator": None, "Producer": None, "CreationDate": None},
        ".svg": {"Title": title, "Description": text, "Creator": None, "Date": None},
        ".png": {"Title": title, "Description": text, "Software": None},
    }
    with new_file(path, sync=False) as file:
        figure.savefig(file, format=path.suffix[1:], metadata=metadata[path.suffix])


def _write_pgf(figure: Figure, path: Path) -> None:
    from matplotlib.backends.backend_pgf import LatexError

    from . import pgf

    pgf.prepare(figure)
    figure.set_layout_engine("constrained")  # LaTeX's letters have other widths
    try:
        text = StringIO()
        figure.savefig(text, format="pgf")
    except (LatexError, ValueError) as error:
        said = next((line for line in str(error).splitlines() if line.startswith("!")), str(error).partition("\n")[0])
        raise SettingsError(f"format=pgf: LaTeX cannot measure the text of {path.name}: {said.lstrip('! ')}") from error
    write_file(path, text.getvalue().encode(), sync=False)


PanelAxes = list["Axes"]
"""Axes at one place: two, if they share it (``twinx``)."""


def _rows(figure: Figure) -> list[list[PanelAxes]]:
    """Return the places of the figure's axes: rows from the top, each from the left."""
    panels: dict[tuple[float, float], PanelAxes] = {}
    for axes in figure.axes:
        box = axes.get_position()
        panels.setdefault((-round(box.y1, 3), round(box.x0, 3)), []).append(axes)
    rows: dict[float, list[PanelAxes]] = {}
    for (top, _), panel in sorted(panels.items(), key=lambda item: item[0]):
        rows.setdefault(top, []).append(panel)
    return list(rows.values())


def _columns(rows: Sequence[list[PanelAxes]], width: float) -> int:
    """Return the number of columns: those of the widest row, or fewer if panels would be narrower than the least."""
    widest = max(map(len, rows), default=1)
    most = max(1, int(width / _LEAST_PANEL))
    return -(-widest // -(-widest // most))


def _wrapped(row: list[PanelAxes], columns: int) -> list[list[PanelAxes]]:
    """Divide a row into lines; the first panel of each is labelled like the panel to its left in the row."""
    label = ""
    for k, panel in enumerate(row):
        label = panel[0].get_ylabel() or label
        if k % columns == 0:
            panel[0].set_ylabel(label, color=INK)
    return [row[k : k + columns] for k in range(0, len(row), columns)]


def _take_texts(figure: Figure, rows: Sequence[list[PanelAxes]]) -> tuple[list[str], list[Text]]:
    """Remove the figure's captions and the panels' notes and make the panels' names titles, with letters.

    Returns the caption's lines from top to bottom, and the titles.
    """
    panels = [panel for row in rows for panel in row]
    lines: list[tuple[float, str]] = []
    headings: list[Text] = []
    for text in figure.texts[:]:
        lines.append((-text.get_position()[1], " ".join(text.get_text().split())))
        text.remove()
    for k, panel in enumerate(panels):
        letter = f"({_letters(k)})" if len(panels) > 1 else ""
        texts = {label: [text for text in panel[0].texts if text.get_label() == label] for label in (NAME, NOTE)}
        titles = [panel[0].get_title(loc) for loc in ("left", "center", "right")]
        for loc in ("left", "center", "right"):
            panel[0].set_title("", loc=loc)
        name = " ".join(filter(None, [*(text.get_text() for text in texts[NAME]), *titles]))
        notes = "; ".join(line for text in texts[NOTE] for line in text.get_text().splitlines())
        for text in (*texts[NAME], *texts[NOTE]):
            text.remove()
        if head := " ".join(filter(None, [letter, name])):
            look: dict[str, Any] = {"weight": "bold", "color": INK, "parse_math": False}
            # a title: its width does not make its panel narrower
            headings.append(panel[0].set_title(head, loc="left", pad=4, **look))
        line = ": ".join(filter(None, [head, notes])) if name or notes else ""
        # a caption above a panel ends above its top
        lines.append((-panel[0].get_position().y1, line))
    return [text for _, text in sorted(lines, key=lambda item: item[0]) if text], headings


def _letters(number: int) -> str:
    """Return a, b, ..., z, aa, ab, ..."""
    return (_letters(number // 26 - 1) if number >= 26 else "") + chr(ord("a") + number % 26)


def _one_legend(figure: Figure, width: float, caption: list[str]) -> float:
    """Replace all legends by one above the panels, with as many columns as fit; return its height in inches.

    Remarks in brackets after the names become lines of the caption. A legend of many lines has small text, and a
    setting that all names have is said once above them.
    """
    handles: dict[str, Any] = {}
    for legend in figure.legends[:]:
        for handle, text in zip(legend.legend_handles, legend.get_texts(), strict=True):
            name, _, remark = text.get_text().partition(" (")
            caption += [f"{name}: {remark.removesuffix(')')}"] if remark and name not in handles else []
            handles.setdefault(name, handle)
        legend.remove()
    if not handles:
        return 0.0
    lines = _write_legend(figure, width, list(handles), list(handles.values()), fontsize=TEXT)
    if lines <= _LINES:
        return _LEGEND_LINE * TEXT * lines
    figure.legends[0].remove()
    settings = {tuple(re.findall(r"[\w.]+(?==)", name)) for name in handles}
    title = settings.pop()[0] if len(settings) == 1 and len(min(settings)) == 1 else None
    names = [name.replace(f"{title}=", "") for name in handles]
    look = {"title": title, "alignment": "left", "fontsize": SMALL, "title_fontsize": SMALL, "handlelength": 1.8}
    lines = _write_legend(figure, width, names, list(handles.values()), **look)
    return _LEGEND_LINE * SMALL * (lines + (title is not None))


def _write_legend(figure: Figure, width: float, names: Sequence[str], handles: Sequence[Any], **look: Any) -> int:
    """Write a legend with the most columns that fit; return the number of its lines."""
    for columns in range(len(names), 0, -1):
        legend = write_legend(figure, handles, names, columns, loc="outside upper left", **look)
        if legend.get_window_extent().width <= width * figure.dpi:
            break
        if columns > 1:
            legend.remove()
    return -(-len(names) // columns)


def _fill(text: str, width: int) -> str:
    """Break a text into lines of at most some characters, but not within a formula (``$...$``)."""
    parts = text.split("$")
    parts[1::2] = [part.replace(" ", "\0") for part in parts[1::2]]
    return textwrap.fill("$".join(parts), width, break_long_words="$" not in text).replace("\0", " ")
