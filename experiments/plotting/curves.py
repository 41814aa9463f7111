"""One picture of one data set: a measure against a cost, every curve named at its end."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.configuration.paper_style import PaperStyle
from experiments.plotting import paper
from experiments.plotting.legend import legend_row, name_curves
from experiments.plotting.means import MeanCurve, mean_curves
from experiments.plotting.panel import PANEL, SINGLE, draw_panel
from experiments.plotting.styles import FAINT, INK, Style, axis_name, own_settings, styles_for
from support.files import new_file

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, HEIGHT, DPI = 9.0, 6.0, 150  # inches, inches, pixels per inch: text stays readable when shown 900 pixels wide
_LINE = 0.026  # height of a line of small print, as a fraction of the figure's


class NothingToDrawError(ValueError):
    """No run has a point to draw: they all ended before they had any cost."""


def plot_curves(
    curves: Mapping[str, Sequence[pd.DataFrame]],
    *,
    cost: str = "kernel_evaluations",
    measure: str = "test_error",
    title: str,
    small_print: str,
    path_png: Path,
    reference: Mapping[str, float] | None = None,
    styles: Mapping[str, Style] | None = None,
    in_order: bool = False,
) -> Path:
    """Draw a measure against a cost: for each label the mean over its runs, with a band of one standard deviation.

    The Perceptron's line is dashed after its first epoch, as in Figure 2 of the SBP paper.

    Parameters
    ----------
    curves : mapping of str to sequence of DataFrame
        Curves (`experiments.curve`) of the runs behind each label. A label without any known value is not drawn, and
        the picture says so.
    cost, measure : str
        Columns; errors are drawn in percent.
    title : str
    small_print : str
        Commit, command, scale, stand-in: what a reader needs to judge the picture. Wrapped at the bottom.
    path_png : Path
        Written beside and renamed; folders are made.
    reference : mapping of str to float, optional
        Horizontal lines, label to value in the measure's unit (a fraction for errors).
    styles : mapping of str to Style, optional
        For each label; None: those of the algorithms that the labels name (`styles_for`).
    in_order : bool
        Name the curves in a column in the order of `curves`, not each at its end.

    Returns
    -------
    Path
        `path_png`.

    Raises
    ------
    NothingToDrawError
        No label has a point to draw.
    """
    means = _means(curves, cost, measure, path_png.name)
    styles = styles or styles_for(curves)
    with own_settings():
        dashed = any(styles[label].dashed_after_first_epoch for label in means)
        caption = _caption(means, curves, styles) + ("; Perceptron dashed after its first epoch" if dashed else "")
        figure = _figure(title, caption, small_print)
        axes = figure.axes[0]
        drawn = draw_panel(axes, means, styles, cost=cost, measure=measure, reference=reference)
        _head(axes, axis_name(measure), drawn.cut)
        name_curves(axes, drawn.curves, styles, in_order=in_order)
        _save(figure, path_png)
    return path_png


def plot_for_paper(
    curves: Mapping[str, Sequence[pd.DataFrame]],
    *,
    cost: str,
    title: str,
    small_print: str,
    stem: Path,
    style: PaperStyle,
    styles: Mapping[str, Style],
    measure: str = "test_error",
) -> list[Path]:
    """Draw the same as `plot_curves` for a paper: one legend above the panel, all other words in the caption.

    Parameters
    ----------
    curves, cost, title, small_print, styles, measure
        As for `plot_curves`.
    stem : Path
        Path without ending, in a folder that exists.
    style : PaperStyle

    Returns
    -------
    list of Path
        The pictures, and the caption as a text file.

    Raises
    ------
    NothingToDrawError
        No label has a point to draw.
    SettingsError
        LaTeX fails (format pgf).
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    means = _means(curves, cost, measure, stem.name)
    with own_settings():
        figure = Figure(figsize=(WIDTH, HEIGHT), dpi=DPI, facecolor="white")
        FigureCanvasAgg(figure)
        axes = figure.add_subplot()
        drawn = draw_panel(axes, means, styles, cost=cost, measure=measure, sizes=PANEL)
        axes.set_ylabel(axis_name(measure), color=INK)
        legend_row(figure, [styles[label] for label in drawn.curves], (0, 1))
        remarks = paper.fit(figure, style.width)
    caption = [_caption(means, curves, styles), *remarks, *([drawn.cut] if drawn.cut else []), small_print]
    return paper.save(figure, stem, style.formats, title, caption)


def _means(curves: Mapping[str, Sequence[pd.DataFrame]], cost: str, measure: str, picture: str) -> dict[str, MeanCurve]:
    """Return the mean curves; raises NothingToDrawError if there is none."""
    means = mean_curves(curves, cost=cost, measure=measure)
    if not means:
        raise NothingToDrawError(f"no curve has both {cost} and {measure}: there is nothing to draw in {picture}")
    return means


def _figure(title: str, caption: str, small_print: str) -> Figure:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, HEIGHT), dpi=DPI, facecolor="white")
    FigureCanvasAgg(figure)
    heading, notes = textwrap.wrap(title, 72), textwrap.wrap(caption, 95)
    small = [line for text in small_print.splitlines() for line in textwrap.wrap(text, 115, break_on_hyphens=False)]
    plain: dict[str, Any] = {"ha": "left", "parse_math": False}  # a '$' in a command is a dollar
    top = 0.975 - 0.040 * len(heading) - 0.032 * len(notes)
    bottom = 0.125 + _LINE * len(small)
    figure.text(0.02, 0.98, "\n".join(heading), va="top", size=13, weight="bold", color=INK, linespacing=1.15, **plain)
    figure.text(0.02, top + 0.032 * len(notes) - 0.004, "\n".join(notes), va="top", size=10, color=FAINT, **plain)
    figure.text(0.02, 0.018, "\n".join(small), va="bottom", size=8.5, color=FAINT, linespacing=1.25, **plain)
    figure.add_axes((0.085, bottom, 0.70, top - 0.065 - bottom))
    return figure


def _head(axes: Axes, name: str, cut: str) -> None:
    """Name the vertical axis above it, not turned along it: easier to read, and tick labels may be of any width."""
    above: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points"}
    axes.annotate(name, (0, 1), (-42, 9), size=SINGLE.label, color=INK, **above)
    if cut:
        axes.annotate(cut, (1, 1), (0, 9), ha="right", size=SINGLE.note, style="italic", color=FAINT, **above)


def _caption(means: Mapping[str, MeanCurve], curves: Mapping[str, Any], styles: Mapping[str, Style]) -> str:
    counts = sorted({mean.runs for mean in means.values()})
    number = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    one = "One run each" if len(means) > 1 else "One run"
    parts = [f"Mean of {number} runs, band of one standard deviation" if counts[-1] > 1 else one]
    if absent := [styles[label].name for label in curves if label not in means]:
        parts.append(f"not drawn, as this cost is not counted: {', '.join(absent)}")
    return "; ".join(parts)


def _save(figure: Figure, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with new_file(path, sync=False) as file:
        figure.savefig(file, format="png", dpi=DPI, metadata={"Software": None})
