"""How times are drawn: a table of shades for every C, and below it the ways to the optimum for the middle C."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from experiments.papers import layout
from experiments.papers.bands import Band
from experiments.papers.panels import empty, heading
from experiments.papers.sgdr import heat
from experiments.papers.sgdr.effort import ACCURACY, STOPPING
from experiments.papers.sgdr.timing import Case
from experiments.plotting import FAINT, INK, PANEL, STYLES, axis_name, legend_row

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_HEAD: Final = 0.42  # inches, as below
_LEGEND: Final = 0.26
_PER_LINE: Final = 6
_GAP: Final = 0.55
_NEAREST: Final = 1e-4
_FARTHEST: Final = 10.0


@dataclass(frozen=True)
class Way:
    """How the methods come to the optimum of one case: (J - J_opt) / J_opt against CPU seconds, by method."""

    case: Case
    bands: Mapping[str, Band]


def size(cases: Sequence[Case], ways: Sequence[Way], names: Sequence[str]) -> tuple[float, float]:
    """Width and height of the drawing, in inches."""
    if not _any(cases):
        return layout.WIDTH, layout.height(1)
    return layout.WIDTH, _HEAD + heat.height(len(names)) + _head_of_ways(names) + layout.height(len(ways))


def draw(figure: Figure | SubFigure, cases: Sequence[Case], ways: Sequence[Way], names: Sequence[str]) -> None:
    """Draw both parts."""
    if not _any(cases):
        empty(figure, "no finished runs with an optimum to compare with")
        return
    whole = figure.bbox.height / figure.dpi
    stopping = ", ".join(STYLES[name].name for name in STOPPING if name in names)
    caption = (
        f"CPU time to (J - J_opt) / J_opt <= {ACCURACY:g}, medians over the runs; {stopping}: to the end set by "
        "the method's own rule. >: not reached in this time. *: stand-in."
    )
    figure.text(0.12 / layout.WIDTH, 1 - 0.02 / whole, caption, size=PANEL.note, color=FAINT, va="top")
    heat.key(figure, 0.2)
    heat.draw(figure, cases, names, _HEAD)
    top = _HEAD + heat.height(len(names)) + _GAP
    axes = layout.places(figure, len(ways), top - _GAP + _head_of_ways(names))
    if not ways:
        return
    left = axes[0].get_position().x0
    text = f"The ways there for C = {ways[0].case.C:g}: (J - J_opt) / J_opt against CPU time, medians over the runs"
    figure.text(left, 1 - (top - 0.08) / whole, text, size=PANEL.label, style="italic", color=INK, va="bottom")
    shown = [name for name in names if any(name in way.bands for way in ways)]
    for line in range(0, len(shown), _PER_LINE):
        place = 1 - (top + _LEGEND * line / _PER_LINE) / whole
        legend_row(figure, [STYLES[name] for name in shown[line : line + _PER_LINE]], (left, place))
    for k, (each, way) in enumerate(zip(axes, ways, strict=True)):
        layout.dress(each, axis_name("cpu_seconds"), "(J - J_opt) / J_opt", k)
        _draw_way(each, way)
        heading(each, way.case.panel)


def _any(cases: Sequence[Case]) -> bool:
    return any(case.efforts for case in cases)


def _head_of_ways(names: Sequence[str]) -> float:
    return _GAP + _LEGEND * -(-len(names) // _PER_LINE)


def _draw_way(axes: Axes, way: Way) -> None:
    axes.axhline(ACCURACY, color=INK, linewidth=1.0, linestyle=(0, (1.0, 2.0)), zorder=1.5)
    ends = []
    for name, band in way.bands.items():
        layout.draw_line(axes, band.at_least(_NEAREST / 2), STYLES[name])
        ends += [band.cost[band.median <= _FARTHEST][:1], band.cost[band.median >= _NEAREST][-1:]]
    axes.set_ylim(_NEAREST, _FARTHEST)
    limits = [float(end[0]) for end in ends if len(end)]
    if limits:
        axes.set_xlim(min(limits) / 1.2, max(limits) * 1.2)
