"""The arena's figure: for each cost the profile over all data sets, and with a few of them a panel for each; no claims.

The table (`arena.table`) says what each entrant spends to reach the targets.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd

from ...support.text import number_of
from ..papers import layout
from ..papers.panels import empty, empty_panel, heading, write_heading
from ..plotting import INK, Style, axis_name, draw_level, interesting_range, plain_frame, styles_for
from ..plotting.bands import Band, band_table
from ..reproduction.evidence import Evidence, FigureResult
from .comparison import Comparison, Profile, costs_of, profiles
from .options import COSTS, TIME, read_costs, read_targets
from .table import table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

COLUMNS: Final = ("what", "dataset", "series", "cost", "x", "median", "low", "high", "runs")
"""Columns of the drawn points; where means are drawn, ``mean`` for ``median``."""
_FEW: Final = 3
"""Most data sets that have panels; the page of curves has the curves of all."""
_NARROW: Final = 6.0
"""Width in inches of a picture of profiles only: its text is legible at the width of a page."""
_PER_LINE, _PER_NARROW_LINE = 6, 3
_NAMED: Final = 1
"""Most solvers named above a panel: two names are longer than a panel of four in a row is wide."""
_MARKERS: Final = 8
"""Markers of a profile, about."""
_MOST: Final = 9e3
"""Largest factor drawn."""
_CURVES: Final = " over the runs, bands from the least to the largest; dotted: targets."
_PROFILES: Final = (
    "Profile: share of problems (data set x target x seed) that are solved",
    "within a factor of the least cost.",
)


@dataclass(frozen=True)
class ArenaDrawing:
    """Content of the picture: of each cost one block of panels, with a profile of each entrant."""

    comparisons: Sequence[Comparison]
    profiles: Mapping[str, Mapping[str, Profile]]
    """By cost and entrant."""
    costs: Sequence[str]
    names: Sequence[str]
    """All series, which determine the colours."""
    seeds: int
    """Runs of an entrant on each data set."""

    def bands(self, comparison: Comparison, cost: str) -> dict[str, Band]:
        """Return the curves of a panel."""
        bands = {name: comparison.band(name, cost) for name in comparison.entrants}
        return {name: band for name, band in bands.items() if band is not None}

    @property
    def styles(self) -> dict[str, Style]:
        """Styles of all series."""
        return styles_for(self.names)

    @property
    def means(self) -> bool:
        """Whether the curves are means over the runs; False: medians."""
        return all(comparison.targets.stays for comparison in self.comparisons)

    @property
    def shown(self) -> Sequence[Comparison]:
        """Data sets that have panels; without them the profiles are below each other, in a narrow picture."""
        return self.comparisons if len(self.comparisons) <= _FEW else ()

    @property
    def columns(self) -> int:
        """Panels in a row: those of one cost."""
        return len(self.shown) + 1

    @property
    def per_line(self) -> int:
        """Names in a line of the legend."""
        return _PER_LINE if self.shown else _PER_NARROW_LINE

    @property
    def head(self) -> float:
        """Height of the legend and the captions, in inches."""
        return 0.45 + 0.26 * math.ceil(max(1, len(self.names)) / self.per_line)

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the drawing, in inches."""
        height = self.head + layout.height(self.columns * len(self.costs), self.columns)
        return layout.WIDTH if self.shown else _NARROW, height


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure and make its table."""
    spec = evidence.spec
    targets = read_targets(spec.options["target"].value, spec.options["reach"].value)
    comparisons = [Comparison(panel, targets) for panel in evidence.panels]
    seeds = spec.scale(evidence.scale).seeds
    by_cost = {cost: profiles(costs_of(comparisons, cost, seeds)) for cost in COSTS}
    costs = _shown(spec.options["cost"].value, comparisons)
    names = list(dict.fromkeys(curve.name for curve in spec.curves))
    drawing = ArenaDrawing(comparisons, by_cost, costs, names, seeds)
    draw = partial(_draw, drawing=drawing)
    return FigureResult(lambda: _points(drawing), draw, drawing.size, table=partial(table, comparisons, by_cost))


def _shown(chosen: str, comparisons: Sequence[Comparison]) -> tuple[str, ...]:
    """Return the costs that are drawn: the chosen ones, or the first of `COSTS` that any solver counts, and time."""
    if costs := read_costs(chosen):
        return costs
    counted = (
        cost
        for cost in COSTS
        if any(data.runs[name] and data.counted(name, cost) for data in comparisons for name in data.entrants)
    )
    return tuple(dict.fromkeys([next(counted, COSTS[0]), TIME]))


def _points(drawing: ArenaDrawing) -> pd.DataFrame:
    tables = []
    for cost in drawing.costs:
        curves = [
            ({"what": "curve", "dataset": comparison.panel.dataset, "series": name, "cost": cost}, band)
            for comparison in drawing.comparisons
            for name, band in drawing.bands(comparison, cost).items()
        ]
        tables += [band_table(curves, "x", COLUMNS)] if curves else []
        for name, profile in drawing.profiles[cost].items():
            values = {"dataset": "", "series": name, "cost": cost, "x": profile.factor, "median": profile.share}
            tables.append(pd.DataFrame({"what": "profile", **values}))
    points = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()
    points = points.reindex(columns=list(COLUMNS))
    return points.rename(columns={"median": "mean"}) if drawing.means else points


def _draw(figure: Figure | SubFigure, drawing: ArenaDrawing) -> None:
    """Draw all panels."""
    shown = [name for name in drawing.names if any(comparison.runs.get(name) for comparison in drawing.comparisons)]
    if not shown:
        empty(figure, "no finished runs")
        return
    places = layout.add_panels(figure, drawing.columns * len(drawing.costs), drawing.head, drawing.columns)
    curves = ("Means" if drawing.means else "Medians") + _CURVES
    if any(comparison.targets.kind == "gap" for comparison in drawing.comparisons):
        curves += " Values below the axis are drawn at its foot."
    captions = (curves, " ".join(_PROFILES)) if drawing.shown else _PROFILES
    styles = [drawing.styles[name] for name in shown]
    layout.legend_and_caption(figure, places[0], styles, *captions, per_line=drawing.per_line)
    for row, cost in enumerate(drawing.costs):
        profile, *panels = places[row * drawing.columns : (row + 1) * drawing.columns]
        _draw_profile(profile, drawing, cost)
        for k, (axes, comparison) in enumerate(zip(panels, drawing.shown, strict=True), start=1):
            _draw_comparison(axes, comparison, drawing, cost, k)


def _draw_comparison(axes: Axes, comparison: Comparison, drawing: ArenaDrawing, cost: str, index: int) -> None:
    gap = comparison.targets.kind == "gap"
    bands = drawing.bands(comparison, cost)
    heading(axes, comparison.panel, _not_counted(comparison, drawing, cost))
    if not bands:
        empty_panel(axes, f"{axis_name(cost)}: nothing to draw")
        return
    labelled = 0 if index == 1 else index  # the panel beside the profile has a label like the first of a row
    layout.log_axes(axes, axis_name(cost), "(P - L) / L" if gap else "Test error, %", labelled, drawing.columns)
    levels = [comparison.threshold(level) for level in comparison.judged]
    least = min(levels, default=1e-3) / 10
    for name, band in bands.items():
        layout.draw_band(axes, band.at_least(least) if gap else band.times(100), drawing.styles[name])
    if gap:  # from below the finest target to the median first value of the curves
        begins = sorted(float(band.middle[0]) for band in bands.values())
        axes.set_ylim(0.8 * least, 3 * max(begins[len(begins) // 2], 100 * least))
    else:
        axes.set_yscale("linear")
        low, high = interesting_range([(band.cost, band.middle) for band in bands.values()])
        axes.set_ylim(100 * max(low, 0.0), 100 * max([high, *(1.05 * level for level in levels)]))
    for level in levels:
        draw_level(axes, level if gap else 100 * level)


def _not_counted(comparison: Comparison, drawing: ArenaDrawing, cost: str) -> str:
    names = [drawing.styles[name].name for name in comparison.entrants if not comparison.counted(name, cost)]
    if len(names) > _NAMED:  # the table names them
        return f"not counted by {len(names)} of {len(comparison.entrants)}"
    return f"not counted: {', '.join(names)}" if names else ""


def _draw_profile(axes: Axes, drawing: ArenaDrawing, cost: str) -> None:
    from matplotlib.ticker import NullFormatter

    profiles = drawing.profiles[cost]
    problems = drawing.seeds * sum(len(comparison.judged) for comparison in drawing.comparisons)
    name = "Profile" if drawing.shown else axis_name(cost)
    write_heading(axes, name, f"{number_of(problems, 'problem')} on {number_of(len(drawing.comparisons), 'data set')}")
    axes.set_xscale("log")
    plain_frame(axes)
    finite = [profile.factor[-1] for profile in profiles.values()]
    right = min(max([*finite, 2.0]) * 1.3, _MOST)
    for name, profile in profiles.items():
        style = drawing.styles[name]
        x, y = np.append(profile.factor, right * 10), np.append(profile.share, profile.solved)
        axes.plot(x, 100 * y, drawstyle="steps-post", zorder=3, **style.look)
        marked = np.flatnonzero(profile.factor <= right)
        marked = marked[:: max(1, len(marked) // _MARKERS)]
        axes.plot(x[marked], 100 * y[marked], linestyle="none", **style.markers(), zorder=4)
    axes.set_xlim(0.97, right)
    layout.plain_ticks(axes.xaxis, (1.0, 2.0, 5.0) if right < 100 else (1.0,))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_ylim(-3, 103)
    axes.set_xlabel("Factor of the least cost", color=INK)
    axes.set_ylabel("Problems solved, %", color=INK, labelpad=1)
