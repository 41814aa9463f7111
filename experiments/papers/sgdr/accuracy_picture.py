"""How the accuracy study is drawn: accuracy against epochs on logarithmic axes, a curve for each C."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from experiments.papers import layout
from experiments.papers.panels import empty, heading
from experiments.papers.sgdr.study import Study
from experiments.plotting import INK, Style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from experiments.reproduction.evidence import Panel

_HEAD: Final = 0.62  # inches
_CAPTION: Final = (
    "SGD-s, medians over the runs, bands from the least to the largest. Full: (J - L) / L, which the method knows "
    "itself; dashed: (J - J_opt) / J_opt. Dotted: 1 / epochs."
)
_LOOKS: Final = (("#d95f02", "o"), ("#1b9e77", "s"), ("#54479e", "^"), ("#e7298a", "D"), ("#666666", "v"))
"""Colour and marker of each C, in their order; beyond these from the first on."""
_DASHES: Final = (0, (4.0, 1.6))
_SMALLEST: Final = 1e-7
"""What is nearer to the optimum is drawn here: it itself is not known much better."""
_LARGEST: Final = 30.0


def size(panels: int) -> tuple[float, float]:
    """Width and height of the drawing, in inches."""
    return layout.WIDTH, _HEAD + layout.height(panels)


def draw(figure: Figure | SubFigure, panels: Sequence[Panel], found: Sequence[Study]) -> None:
    """Draw one panel per data set."""
    if not panels:
        empty(figure, "no finished runs")
        return
    values = dict.fromkeys(study.C for study in found)
    looks = {C: _LOOKS[k % len(_LOOKS)] for k, C in enumerate(values)}
    styles = {C: Style(f"C = {C:g}", color, "-", marker) for C, (color, marker) in looks.items()}
    axes = layout.places(figure, len(panels), _HEAD)
    layout.head(figure, axes[0], styles.values(), _CAPTION)
    for k, (place, panel) in enumerate(zip(axes, panels, strict=True)):
        own = [study for study in found if study.panel is panel]
        layout.dress(place, "Epochs", "Relative accuracy", k)
        _draw_one(place, own, styles)
        heading(place, panel)


def _draw_one(axes: Axes, own: Sequence[Study], styles: dict[float, Style]) -> None:
    last = 1.0
    for study in own:
        style = styles[study.C]
        if study.accuracy is not None:
            layout.draw_band(axes, study.accuracy.at_least(_SMALLEST), style)
            last = max(last, float(study.accuracy.cost[-1]))
        if study.excess is not None:
            thin = replace(style, line=_DASHES, width=0.6 * style.width)
            layout.draw_line(axes, study.excess.at_least(_SMALLEST), thin)
    low, high = axes.get_ylim()
    first, last = 0.8, 1.3 * last
    axes.plot([first, last], [1 / first, 1 / last], color=INK, linewidth=1.0, linestyle=(0, (1.0, 2.0)), zorder=1)
    axes.set_xlim(first, last)  # the first lower bound comes at the end of the first epoch
    axes.set_ylim(low, min(high, _LARGEST))
