"""The picture of one data set: a measure against a cost, as means over runs."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from . import paper
from .bands import mean_curves
from .legend import DASHED_WHEN, legend_row, name_curves, names_height
from .panel import draw_level, draw_panel, row_of_axes
from .picture import Picture
from .styles import FAINT, INK, Style, axis_name, styles_for

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure, SubFigure

_WIDTH, _HEIGHT = 9.0, 4.9  # inches, as below
_ABOVE, _BELOW, _LINE = 0.5, 0.55, 0.18
_LETTERS = 108
"""Characters of a line of the sentence."""


class NothingToDrawError(ValueError):
    """No run has a point to draw: they all ended before they had any cost."""


def curves_picture(
    curves: Mapping[str, Sequence[pd.DataFrame]],
    *,
    cost: str = "kernel_evaluations",
    measure: str = "test_error",
    title: str,
    small_print: str,
    styles: Mapping[str, Style] | None = None,
    in_order: bool = False,
    names: bool = True,
    coloured: Collection[str] = (),
    sentence: str = "",
    level: float | None = None,
) -> Picture:
    """Return the picture of a measure against a cost: of each label the mean, with a band of one standard deviation.

    Raises NothingToDrawError if no label has a point to draw.

    Parameters
    ----------
    curves : mapping of str to sequence of DataFrame
        Curves (`experiments.curve`) of the runs behind each label. A label without any known value is not drawn, and
        the picture says so.
    cost, measure : str
        Columns; errors are drawn in percent.
    title, small_print : str
    styles : mapping of str to Style, optional
        For each label; None: those of the algorithms that the labels name (`styles_for`).
    in_order : bool
        Name the curves in a column in the order of `curves`, not each at its end.
    names : bool
        Name the curves beside the panel; False: in a row above it, as papers do.
    coloured : collection of str
        Labels in their colours and in front; the others are pale and without a band. Empty: all.
    sentence : str
        Written below the title.
    level : float, optional
        A value of the measure at which there is a dotted line.
    """
    bands = {label: mean.band for label, mean in mean_curves(curves, cost=cost, measure=measure).items()}
    if not bands:
        raise NothingToDrawError(f"no curve has both {cost} and {measure}: there is nothing to draw")
    styles = styles or styles_for(curves)
    if coloured:
        styles = {label: style if label in coloured else style.pale for label, style in styles.items()}
        behind = {label: band for label, band in bands.items() if label not in coloured}
        pale = {label: replace(band, low=band.middle, high=band.middle) for label, band in behind.items()}
        bands = pale | {label: band for label, band in bands.items() if label in coloured}
    shown = [styles[label] for label in bands]
    counts = sorted({band.runs for band in bands.values()})
    caption = _caption(counts, len(bands), [styles[label].name for label in coloured if label in bands])
    if absent := [styles[label].name for label in curves if label not in bands]:
        caption += f"; not drawn, as this cost is not counted: {', '.join(absent)}"
    if names and any(style.dashed_after_first_epoch for style in shown):
        caption += f"; Perceptron{DASHED_WHEN}"
    said = textwrap.wrap(sentence, _LETTERS)
    above = _ABOVE + _LINE * len(said)

    def draw(figure: Figure | SubFigure) -> None:
        (axes,) = row_of_axes(figure, 1, above=above, below=_BELOW)
        drawn = draw_panel(axes, bands, styles, cost=cost, measure=measure, compared=bool(coloured))
        axes.set_ylabel(axis_name(measure), color=INK)
        if level is not None:
            draw_level(axes, 100 * level if measure.endswith("_error") else level)
        left, height = axes.get_position().x0, figure.bbox.height / figure.dpi
        below: dict[str, Any] = {"va": "top", "parse_math": False}
        figure.text(left, 1 - 0.05 / height, "\n".join(said), color=INK, size="large", **below)
        figure.text(left, 1 - (0.05 + _LINE * len(said)) / height, caption, color=FAINT, **below)
        offset: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points", "ha": "right"}
        axes.annotate(drawn.cut, (1, 1), (0, 7), color=FAINT, label=paper.NOTE, **offset)
        if names:
            name_curves(axes, drawn.bands, styles, in_order=in_order)
        else:
            legend_row(figure, shown, (left, 1), dashed=True)

    height = max(_HEIGHT, names_height(shown) + _ABOVE + _BELOW) + above - _ABOVE
    return Picture(draw, (_WIDTH, height), title, small_print.splitlines())


def _caption(counts: Sequence[int], drawn: int, coloured: Sequence[str]) -> str:
    if counts[-1] == 1:
        return "One run each" if drawn > 1 else "One run"
    number = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    of = f" of {', '.join(coloured)}: " if coloured else " of "
    return f"Mean of {number} runs, band{of}one standard deviation"
