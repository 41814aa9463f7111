"""The picture of one data set: a measure against a cost, as means over runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from svm_cost_curves.experiments.plotting import paper
from svm_cost_curves.experiments.plotting.bands import MeanCurve, mean_curves
from svm_cost_curves.experiments.plotting.legend import DASHED_WHEN, legend_row, name_curves, names_height
from svm_cost_curves.experiments.plotting.panel import draw_panel, row_of_axes
from svm_cost_curves.experiments.plotting.picture import Picture
from svm_cost_curves.experiments.plotting.styles import FAINT, INK, Style, axis_name, styles_for

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure, SubFigure

_WIDTH, _HEIGHT = 9.0, 4.9  # inches, as below
_ABOVE, _BELOW = 0.5, 0.55


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
) -> Picture:
    """Return the picture of a measure against a cost: of each label the mean, with a band of one standard deviation.

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

    Raises
    ------
    NothingToDrawError
        No label has a point to draw.
    """
    means = mean_curves(curves, cost=cost, measure=measure)
    if not means:
        raise NothingToDrawError(f"no curve has both {cost} and {measure}: there is nothing to draw")
    styles = styles or styles_for(curves)
    shown = [styles[label] for label in means]
    caption = _caption(means, [styles[label] for label in curves if label not in means])
    if names and any(style.dashed_after_first_epoch for style in shown):
        caption += f"; Perceptron{DASHED_WHEN}"

    def draw(figure: Figure | SubFigure) -> None:
        (axes,) = row_of_axes(figure, 1, above=_ABOVE, below=_BELOW)
        bands = {label: mean.band for label, mean in means.items()}
        drawn = draw_panel(axes, bands, styles, cost=cost, measure=measure)
        axes.set_ylabel(axis_name(measure), color=INK)
        left, height = axes.get_position().x0, figure.bbox.height / figure.dpi
        figure.text(left, 1 - 0.05 / height, caption, color=FAINT, va="top", parse_math=False)
        place: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points", "ha": "right"}
        axes.annotate(drawn.cut, (1, 1), (0, 7), color=FAINT, label=paper.NOTE, **place)
        if names:
            name_curves(axes, drawn.bands, styles, in_order=in_order)
        else:
            legend_row(figure, shown, (left, 1), dashed=True)

    height = max(_HEIGHT, names_height(shown) + _ABOVE + _BELOW)
    return Picture(draw, (_WIDTH, height), title, small_print.splitlines())


def _caption(means: Mapping[str, MeanCurve], absent: Sequence[Style]) -> str:
    counts = sorted({mean.runs for mean in means.values()})
    number = str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    one = "One run each" if len(means) > 1 else "One run"
    parts = [f"Mean of {number} runs, band of one standard deviation" if counts[-1] > 1 else one]
    if absent:
        parts.append(f"not drawn, as this cost is not counted: {', '.join(style.name for style in absent)}")
    return "; ".join(parts)
