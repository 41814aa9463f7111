"""One panel: curves of a measure against a cost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from ...support.text import power_of_ten
from ..curve import Points, value_at
from .bands import Band
from .styles import DASHED, INK, Style, axis_name, plain_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

WIDE_RANGE: Final = 100.0
"""Ratio of last to first cost above which only powers of ten are labelled."""
LEFT: Final = 0.9
"""Inches from the left edge to the first panel of a row."""
_RIGHT, _BETWEEN = 0.15, 0.66  # inches


@dataclass(frozen=True)
class Drawn:
    """The curves of a drawn panel in the units that are drawn, and what is said of a vertical axis that cuts them."""

    bands: Mapping[str, Band]
    cut: str
    """``axis cut: curves go up to 76.4 %`` if the vertical axis ends below the curves; else empty."""


def row_of_axes(figure: Figure | SubFigure, count: int, *, above: float, below: float) -> list[Axes]:
    """Add `count` axes side by side, with free room `above` and `below` in inches."""
    width, height = figure.bbox.width / figure.dpi, figure.bbox.height / figure.dpi
    wide = (width - LEFT - _RIGHT - _BETWEEN * (count - 1)) / max(count, 1)
    lefts = [LEFT + k * (wide + _BETWEEN) for k in range(count)]
    tall = max(height - above - below, 0.1)
    return [figure.add_axes((left / width, below / height, wide / width, tall / height)) for left in lefts]


def draw_panel(
    axes: Axes,
    curves: Mapping[str, Band],
    styles: Mapping[str, Style],
    *,
    cost: str,
    measure: str,
    bands: bool = True,
    compared: bool = False,
) -> Drawn:
    """Draw the curve of each label, with its spread and markers, and lay out the axes.

    Curves and spreads are steps: between two evaluations the value of the earlier one holds (`experiments.curve`).
    The Perceptron's line is dashed after its first epoch, as in Figure 2 of the SBP paper. Errors are drawn in percent.
    The cost's name is below the axis; the caller writes the measure's name.

    Parameters
    ----------
    axes : Axes
        Empty.
    curves : mapping of str to Band
        At least one.
    styles : mapping of str to Style
        For each label.
    cost, measure : str
        Columns of `experiments.curve`, as in `curves`.
    bands : bool
    compared : bool
        Choose the vertical range from the costs at which all curves have begun, so that the first points of cheap
        methods do not flatten the rest, and begin the horizontal axis where the first curve enters that range. Where a
        curve leaves the range again at the top it has a gap: lines up and down would hide the others.

    Returns
    -------
    Drawn
    """
    factor, unit = (100.0, " %") if measure.endswith("_error") else (1.0, "")
    drawn = {label: curve.times(factor) for label, curve in curves.items()}
    series = [(curve.cost, curve.middle) for curve in drawn.values()]
    low, high = interesting_range(from_common_start(series) if compared else series)
    _lay_out_measure(axes, low, high, unit)
    first, last = min(costs[0] for costs, _ in series), max(costs[-1] for costs, _ in series)
    if compared:
        shown = [costs[values <= high] for costs, values in series]
        first = min(costs[0] for costs in shown if len(costs))
    _lay_out_costs(axes, first, last)
    axes.set_xlabel(axis_name(cost), color=INK)
    for label, curve in drawn.items():
        _draw(axes, _with_gaps(curve, high) if compared else curve, styles[label], spread=bands)
    top = max(float(curve.middle.max()) for curve in drawn.values())
    return Drawn(drawn, f"axis cut: curves go up to {top:.3g}{unit}" if top > high else "")


def _lay_out_measure(axes: Axes, low: float, high: float, unit: str) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axes.set_ylim(max(low, 0.0) if unit else low, high)
    axes.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
    if unit:
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}{unit}"))
    plain_frame(axes)


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


def _with_gaps(curve: Band, top: float) -> Band:
    """Return a curve whose values above `top` become NaN after it has first been at or below `top`."""
    above = curve.middle > top
    return replace(curve, middle=np.where(above & np.logical_or.accumulate(~above), np.nan, curve.middle))


def _draw(axes: Axes, curve: Band, style: Style, *, spread: bool) -> None:
    costs, values = curve.cost, curve.middle
    if spread and (curve.low < curve.high).any():
        draw_spread(axes, costs, curve.low, curve.high, style)
    look: dict[str, Any] = {**style.look, "drawstyle": "steps-post", "solid_capstyle": "round", "zorder": 3}
    split = len(costs)
    if style.dashed_after_first_epoch and curve.first_epoch is not None:
        split = int(np.searchsorted(costs, curve.first_epoch, side="right"))
    axes.plot(costs[:split], values[:split], **look)
    # the pieces share a point, so that the line has no gap
    axes.plot(costs[max(split - 1, 0) :], values[max(split - 1, 0) :], **look | {"linestyle": DASHED})
    spots = _marker_spots(costs, style)
    axes.plot(costs[spots], values[spots], linestyle="none", **style.markers(), zorder=4)


def draw_spread(
    axes: Axes,
    x: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    style: Style,
    *,
    steps: bool = True,
) -> None:
    """Draw the area between two curves, (m,) each, in a style's colour; `steps`: values hold until the next."""
    step: Any = "post" if steps else None
    axes.fill_between(x, low, high, step=step, color=style.color, alpha=0.16, linewidth=0, zorder=2)


def draw_level(axes: Axes, level: float) -> None:
    """Draw a dotted line at a value of the vertical axis, behind all curves."""
    axes.axhline(level, color=INK, linewidth=0.8, linestyle=(0, (1.0, 2.0)), zorder=1.5)


def _marker_spots(costs: NDArray[np.float64], style: Style) -> NDArray[np.intp]:
    """Return the evaluations with a marker: about eight, even in log cost, shifted per style to avoid overlaps."""
    position = np.log(costs)
    shift = (ord(style.marker[0]) * 7 % 10) / 10
    targets = position[0] + (position[-1] - position[0]) * (np.arange(8) + 0.15 + 0.7 * shift) / 8
    return np.unique(np.clip(np.searchsorted(position, targets), 0, len(costs) - 1))


def from_common_start(series: Sequence[Points]) -> list[Points]:
    """Cut curves to the costs from which all have begun, but at most to the second half of the logarithmic range.

    Costs are positive and increasing, with at least one point in each curve. Each result begins with the value at the
    start; of a curve that ended before, only the last value is left.
    """
    first, last = min(cost[0] for cost, _ in series), max(cost[-1] for cost, _ in series)
    start = min(max(cost[0] for cost, _ in series), math.sqrt(first * last))
    result: list[Points] = []
    for cost, value in series:
        after = cost > start
        first_value = value_at(cost, value, start)
        if np.isnan(first_value):
            result.append((cost, value))
        else:
            result.append((np.append(start, cost[after]), np.append(first_value, value[after])))
    return result


def interesting_range(series: Sequence[Points]) -> tuple[float, float]:
    """Return the vertical range that shows the differences of the curves, without their worst beginnings.

    Parameters
    ----------
    series : sequence of (cost, value), each (m,), float64
        Curves with positive, increasing costs; at least one point in all.

    Returns
    -------
    low, high : float
        With a margin. Everything is inside if that takes little room. Otherwise `high` follows the last values and the
        0.9 quantile of a typical curve (over the logarithm of the cost), so that one bad curve does not flatten the
        others.
    """
    last_values = np.array([value[-1] for _, value in series])
    sampled = [value_at(cost, value, np.geomspace(cost[0], cost[-1] * (1 + 1e-12), 100)) for cost, value in series]
    low, top = float(np.min(sampled)), float(np.max(sampled))
    usual = float(np.sort(np.quantile(sampled, 0.9, axis=1))[(len(sampled) - 1) // 2])
    # a curve that even ends very high is cut as well
    high = max(usual, float(last_values[last_values - low <= 3 * (usual - low)].max(initial=usual)))
    high += 0.2 * (high - low)
    if top - low <= 1.5 * (high - low):
        high = top
    margin = 0.06 * (high - low) or 0.05 * abs(high) or 0.01
    return low - margin, high + margin
