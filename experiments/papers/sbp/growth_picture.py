"""How Table 1's growth is drawn: evaluations against the wanted error, with the slopes of the bounds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from experiments.papers import layout
from experiments.papers.panels import empty, heading, row_of_axes
from experiments.papers.sbp.growth import BOUNDS, DELTAS, KEPT, PRINTED, Growth
from experiments.plotting import INK, PANEL, Style, plain_frame, styles_for

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from experiments.papers.sbp.growth_claim import PanelGrowth

SIZE: Final = (12.0, 5.0)
_LEGEND, _ABOVE, _BELOW = 0.72, 0.5, 0.56  # inches
_CAPTION: Final = (
    "Evaluations from which on the mean test error over the runs stays at or below (1 + δ) E*; open symbols: at the "
    "first checkpoint already.\nThin dotted lines: growth of Table 1's bounds at fixed n, each laid through its "
    "method's first full symbol."
)
_KEPT_CAPTION: Final = " (kept): the same steps, charged n for each changed coefficient."


def draw(figure: Figure | SubFigure, panels: Sequence[PanelGrowth]) -> None:
    """Draw one panel per data set; dotted lines have the slopes of the bounds, and no height of their own."""
    if not panels:
        empty(figure, "no finished runs")
        return
    styles = _styles(dict.fromkeys(name for measured in panels for name in measured.growths))
    rows = row_of_axes(figure, len(panels), above=_LEGEND + _ABOVE, below=_BELOW)
    caption = _CAPTION + (_KEPT_CAPTION if any(name.endswith(KEPT) for name in styles) else "")
    layout.head(figure, rows[0], styles.values(), caption)
    for k, (axes, measured) in enumerate(zip(rows, panels, strict=True)):
        _draw_panel(axes, measured, styles)
        heading(axes, measured.panel, f"E* = {100 * measured.best:.2f} % ({styles[measured.best_by].name})")
        if k == 0:
            axes.set_ylabel("Kernel evaluations", size=PANEL.label, color=INK)


def _styles(names: Iterable[str]) -> dict[str, Style]:
    """Styles of the series; one that is charged in another way only is a pale copy of its method's."""
    from matplotlib.colors import to_hex, to_rgb

    styles: dict[str, Style] = {}
    for name, style in styles_for(dict.fromkeys(name.removesuffix(KEPT) for name in names)).items():
        # these are not its curve, so that nothing is dashed after its first epoch
        styles[name] = replace(style, name="online Perceptron") if style.dashed_after_first_epoch else style
        red, green, blue = (1 - 0.45 * (1 - part) for part in to_rgb(style.color))
        styles[name + KEPT] = replace(
            style, name=f"{style.name} (kept)", color=to_hex((red, green, blue)), width=0.7 * style.width
        )
    return {name: styles[name] for name in names}


def _draw_panel(axes: Axes, measured: PanelGrowth, styles: dict[str, Style]) -> None:
    from matplotlib.ticker import FixedFormatter, FixedLocator, NullLocator

    axes.set_xscale("log")
    axes.set_yscale("log")
    easiest = max((delta for delta in DELTAS if (1 + delta) * measured.best < measured.trivial), default=DELTAS[0])
    axes.set_xlim(easiest * 1.3, DELTAS[-1] / 1.3)  # better errors to the right, like later checkpoints
    axes.xaxis.set_major_locator(FixedLocator(PRINTED))
    axes.xaxis.set_major_formatter(FixedFormatter([f"{delta:g}" for delta in PRINTED]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("δ, where the error wanted is (1 + δ) E*", size=PANEL.label, color=INK)
    plain_frame(axes, PANEL.ticks)
    for name, growth in measured.growths.items():
        _draw_series(axes, growth, styles[name])
    limits = axes.get_ylim()
    for name, growth in measured.growths.items():
        _draw_bound(axes, measured, name, growth, styles[name])
    axes.set_ylim(limits[0], limits[1] * 3)  # a bound grows faster than what it bounds: it may leave at the top


def _draw_series(axes: Axes, growth: Growth, style: Style) -> None:
    deltas = np.array(DELTAS)
    used = growth.used
    marks = style.markers(PANEL.lines)
    if used.any():
        look: dict[str, Any] = {"color": style.color, "linewidth": style.width * PANEL.lines, "linestyle": style.line}
        axes.plot(deltas[used], growth.costs[used], **look, zorder=3)
        axes.plot(deltas[used], growth.costs[used], linestyle="none", **marks, zorder=4)
    early = growth.fair & (growth.costs == 0)
    if early.any():
        open_marks = marks | {"markerfacecolor": "white", "markeredgecolor": style.color, "markeredgewidth": 1.2}
        axes.plot(deltas[early], np.full(early.sum(), growth.grid[0]), linestyle="none", **open_marks, zorder=3)


def _draw_bound(axes: Axes, measured: PanelGrowth, name: str, growth: Growth, style: Style) -> None:
    if name not in BOUNDS or measured.hinge is None or not growth.used.any():
        return
    first = int(np.flatnonzero(growth.used)[0])
    deltas = np.geomspace(DELTAS[first], DELTAS[-1], 40)
    bound = BOUNDS[name].per_example(measured.hinge, deltas * measured.best)
    heights = growth.costs[first] * bound / bound[0]
    axes.plot(deltas, heights, color=style.color, linewidth=1.1, linestyle=(0, (0.8, 1.6)), zorder=2.5)
