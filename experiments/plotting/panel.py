"""One panel: curves of a measure against a cost, with horizontal reference lines."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from experiments.plotting.means import MeanCurve
from experiments.plotting.ranges import from_common_start, interesting_range, spread
from experiments.plotting.styles import DASHED, INK, Style, axis_name, plain_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Sizes:
    """Sizes of text and lines in a panel.

    Attributes
    ----------
    label, ticks, note : float
        Text, in points.
    lines : float
        Factor on the styles' lines and markers.
    intervals : int
        Most vertical tick intervals.
    """

    label: float
    ticks: float
    note: float
    lines: float
    intervals: int


SINGLE: Final = Sizes(label=12, ticks=11, note=9.5, lines=1.0, intervals=7)
"""A panel that fills the picture."""
PANEL: Final = Sizes(label=10, ticks=9, note=8.5, lines=0.85, intervals=5)
"""One of several panels side by side."""

WIDE_RANGE: Final = 100.0
"""Ratio of last to first cost above which only powers of ten are labelled."""


@dataclass(frozen=True)
class Drawn:
    """Content of a drawn panel.

    Attributes
    ----------
    curves : mapping of str to MeanCurve
        In the unit that is drawn.
    cut : str
        ``axis cut: curves go up to 76.4 %`` if the vertical axis ends below the curves; else empty.
    """

    curves: Mapping[str, MeanCurve]
    cut: str


def unit_of(measure: str) -> tuple[float, str]:
    """Return the factor from a measure's unit to the drawn unit, and the drawn unit."""
    return (100.0, " %") if measure.endswith("_error") else (1.0, "")


def draw_panel(
    axes: Axes,
    means: Mapping[str, MeanCurve],
    styles: Mapping[str, Style],
    *,
    cost: str,
    measure: str,
    reference: Mapping[str, float] | None = None,
    sizes: Sizes = SINGLE,
    bands: bool = True,
    compared: bool = False,
) -> Drawn:
    """Draw each label's mean, with a band of one standard deviation and markers, and lay out the axes.

    Curves and bands are steps: between two evaluations the value of the earlier one holds (`experiments.curve`).
    The Perceptron's line is dashed after its first epoch, as in Figure 2 of the SBP paper. Errors are drawn in percent.
    The cost's name is below the axis; the caller writes the measure's name.

    Parameters
    ----------
    axes : Axes
        Empty.
    means : mapping of str to MeanCurve
        At least one.
    styles : mapping of str to Style
        For each label.
    cost, measure : str
        Columns of `experiments.curve`, as in `means`.
    reference : mapping of str to float, optional
        Horizontal lines, label to value in the measure's own unit.
    sizes : Sizes
    bands : bool
    compared : bool
        Choose the vertical range from the costs at which all curves have begun, so that the first points of cheap
        methods do not flatten the rest, and begin the horizontal axis where the first curve enters that range. Where a
        curve leaves the range again at the top it has a gap: lines up and down would hide the others.

    Returns
    -------
    Drawn
    """
    factor, unit = unit_of(measure)
    drawn = {label: mean.times(factor) for label, mean in means.items()}
    references = {label: factor * value for label, value in (reference or {}).items()}
    series = [(mean.cost, mean.mean) for mean in drawn.values()]
    _lay_out_measure(
        axes, interesting_range(from_common_start(series) if compared else series), references, unit, sizes
    )
    first, last = min(costs[0] for costs, _ in series), max(costs[-1] for costs, _ in series)
    if compared:
        shown = [costs[values <= axes.get_ylim()[1]] for costs, values in series]
        first = min(costs[0] for costs in shown if len(costs))
    _lay_out_costs(axes, first, last)
    axes.set_xlabel(axis_name(cost), size=sizes.label, color=INK)
    for label, mean in drawn.items():
        _draw(axes, _with_gaps(mean, axes.get_ylim()[1]) if compared else mean, styles[label], sizes, bands)
    _reference_lines(axes, references, unit, sizes)
    top = max(float(mean.mean.max()) for mean in drawn.values())
    return Drawn(drawn, f"axis cut: curves go up to {top:.3g}{unit}" if top > axes.get_ylim()[1] else "")


def _lay_out_measure(
    axes: Axes,
    limits: tuple[float, float],
    references: Mapping[str, float],
    unit: str,
    sizes: Sizes,
) -> None:
    """Lay out the measure's axis: room for the reference lines, few ticks, the unit."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    low, high = limits
    for value in references.values():
        margin = 0.06 * (high - low)
        low, high = min(low, value - margin), max(high, value + margin)
    axes.set_ylim(max(low, 0.0) if unit else low, high)
    axes.yaxis.set_major_locator(MaxNLocator(sizes.intervals))
    if unit:
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}{unit}"))
    plain_frame(axes, sizes.ticks)


def _lay_out_costs(axes: Axes, first: float, last: float) -> None:
    """Lay out the logarithmic cost axis; wide ranges have unlabelled ticks at 2 and 5 between the powers of ten.

    matplotlib takes a millisecond for each tick and five for a formula, so powers are plain text.
    """
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.set_xscale("log")
    axes.set_xlim(first / 1.15, last * 1.02) if first < last else axes.set_xlim(first / 2, first * 2)
    if last > WIDE_RANGE * first:
        axes.xaxis.set_minor_locator(LogLocator(subs=(2, 5)))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: power_of_ten(round(math.log10(value)))))


def power_of_ten(exponent: int) -> str:
    """Return 10 with raised digits, as in 10⁻³."""
    return "10" + str(exponent).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def _with_gaps(curve: MeanCurve, top: float) -> MeanCurve:
    """Return a curve without the values above a limit, once it has been below."""
    above = curve.mean > top
    return replace(curve, mean=np.where(above & np.logical_or.accumulate(~above), np.nan, curve.mean))


def _draw(axes: Axes, curve: MeanCurve, style: Style, sizes: Sizes, band: bool) -> None:
    costs, values, sd = curve.cost, curve.mean, curve.sd
    if band and sd.any():
        axes.fill_between(
            costs, values - sd, values + sd, step="post", color=style.color, alpha=0.16, linewidth=0, zorder=2
        )
    look: dict[str, Any] = {
        "color": style.color,
        "linewidth": style.width * sizes.lines,
        "drawstyle": "steps-post",
        "solid_capstyle": "round",
        "zorder": 3,
    }
    split = len(costs)
    if style.dashed_after_first_epoch and curve.first_epoch is not None:
        split = int(np.searchsorted(costs, curve.first_epoch, side="right"))
    axes.plot(costs[:split], values[:split], linestyle=style.line, **look)
    # the pieces share a point, so that the line has no gap
    axes.plot(costs[max(split - 1, 0) :], values[max(split - 1, 0) :], linestyle=DASHED, **look)
    spots = _marker_spots(costs, style)
    axes.plot(costs[spots], values[spots], linestyle="none", **style.markers(sizes.lines), zorder=4)


def _marker_spots(costs: NDArray[np.float64], style: Style) -> NDArray[np.intp]:
    """Return the evaluations with a marker: about eight, even in log cost, shifted per style to avoid overlaps."""
    position = np.log(costs)
    shift = (ord(style.marker[0]) * 7 % 10) / 10
    targets = position[0] + (position[-1] - position[0]) * (np.arange(8) + 0.15 + 0.7 * shift) / 8
    return np.unique(np.clip(np.searchsorted(position, targets), 0, len(costs) - 1))


def _reference_lines(axes: Axes, references: Mapping[str, float], unit: str, sizes: Sizes) -> None:
    low, high = axes.get_ylim()
    gap = 0.045 * (high - low)
    texts = spread([value + 0.012 * (high - low) for value in references.values()], gap, low, high - gap)
    for (label, value), height in zip(references.items(), texts, strict=True):
        axes.axhline(value, color=INK, linewidth=1.0, linestyle=(0, (1.0, 2.0)), zorder=2.5)
        number = f"{value:.3g}{unit}" if unit else f"{value:.4g}"
        axes.annotate(
            f"{label} {number}",
            (0.01, height),
            xycoords=("axes fraction", "data"),
            va="bottom",
            size=sizes.note,
            color=INK,
            parse_math=False,
            zorder=5,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8, "alpha": 0.75},
        )
