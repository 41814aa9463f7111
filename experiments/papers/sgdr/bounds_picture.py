"""How the bounds are drawn: J from above and L from below, both on their way to the optimum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from experiments.papers import layout
from experiments.papers.bands import Band
from experiments.papers.optimum import optimum_of
from experiments.papers.panels import empty, heading
from experiments.papers.sgdr.bounds_claim import METHODS
from experiments.plotting import INK, PANEL, STYLES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from experiments.reproduction.evidence import Panel

_HEAD: Final = 0.62  # inches
_CAPTION: Final = (
    "C = 1, medians over the runs, bands from the least to the largest: J above 0, L below. Epochs of SGD-m count as "
    "often as each example is presented."
)
_COLORS: Final = {"sgd_s": "#d95f02", "sgd_m": "#08306b"}
"""Their own blues would not be told apart here."""
_NEAR: Final = 1e-4
"""Distances up to this are drawn in proportion, from there on by their logarithm."""
_FAR: Final = 1.0


def size(panels: int) -> tuple[float, float]:
    """Width and height of the drawing, in inches."""
    return layout.WIDTH, _HEAD + layout.height(panels)


def draw(
    figure: Figure | SubFigure, panels: Sequence[Panel], shown: Mapping[str, Mapping[str, Mapping[str, Band]]]
) -> None:
    """Draw one panel per data set."""
    if not panels:
        empty(figure, "no finished runs with an optimum to compare with")
        return
    styles = {series: replace(STYLES[series], color=_COLORS[series]) for series in METHODS}
    axes = layout.places(figure, len(panels), _HEAD)
    layout.head(figure, axes[0], styles.values(), _CAPTION)
    for k, (place, panel) in enumerate(zip(axes, panels, strict=True)):
        layout.dress(place, "Epochs", "J and L, per cent from J_opt", k)
        for series, measures in shown[panel.asked].items():
            for own in measures.values():
                layout.draw_band(place, own, styles[series])
        _lay_out(place)
        heading(place, panel)
        optimum = optimum_of(panel)
        assert optimum is not None  # of the others nothing is shown
        inside: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points"}
        text = f"J_opt = {optimum.upper:.6f}"
        place.annotate(text, (0, 0), (4, 3), size=PANEL.note, color=INK, **inside)


def _lay_out(axes: Axes) -> None:
    """Make the vertical axis logarithmic to both sides of the optimum, and begin with the first epoch."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    axes.set_yscale("symlog", linthresh=_NEAR, linscale=0.6)
    decades = [10.0**-k for k in range(5)]
    axes.yaxis.set_major_locator(FixedLocator([*(-value for value in decades), 0.0, *decades]))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:+g}" if value else "0"))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_ylim(-_FAR, _FAR)
    axes.set_xlim(left=0.9)  # the first lower bound comes at the end of the first epoch
    axes.axhline(0.0, color=INK, linewidth=1.2, zorder=1.5)
