"""How the arena is drawn: for each cost a panel for every data set, and the profile over all of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from experiments.arena.profile import Profile
from experiments.arena.race import Race
from experiments.papers import layout
from experiments.papers.bands import Band
from experiments.papers.panels import empty, heading
from experiments.plotting import FAINT, INK, PANEL, Style, axis_name, interesting_range, plain_frame, styles_for

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

_COLUMNS: Final = 4
"""Panels in a row at most."""
_PER_LINE: Final = 7
_NAMED: Final = 2
"""Solvers that are named above a panel."""
_MOST: Final = 1e4
"""Factors beyond this are not drawn."""
_CAPTIONS: Final = (
    "Medians over the runs, bands from the least to the largest; dotted: targets.",
    "Profile: share of problems (data set x target x seed) that are solved within a factor of the least cost.",
)


@dataclass(frozen=True)
class Scene:
    """What is drawn.

    Attributes
    ----------
    races : sequence of Race
    profiles : mapping of str to mapping of str to Profile
        By cost and entrant.
    costs : sequence of str
        A block of panels for each.
    names : sequence of str
        All series, which decide on colours.
    seeds : int
        Runs that an entrant has on each data set.
    """

    races: Sequence[Race]
    profiles: Mapping[str, Mapping[str, Profile]]
    costs: Sequence[str]
    names: Sequence[str]
    seeds: int

    def bands(self, race: Race, cost: str) -> dict[str, Band]:
        """Return the curves of a panel."""
        bands = {name: race.band(name, cost) for name in race.entrants}
        return {name: band for name, band in bands.items() if band is not None}

    @property
    def styles(self) -> dict[str, Style]:
        """Styles of all series."""
        return styles_for(self.names)

    @property
    def columns(self) -> int:
        """Panels in a row."""
        return min(_COLUMNS, len(self.races) + 1)

    @property
    def block(self) -> int:
        """Places of a cost's panels, some of them free."""
        return self.columns * math.ceil((len(self.races) + 1) / self.columns)


def size(scene: Scene) -> tuple[float, float]:
    """Width and height of the drawing, in inches."""
    return layout.WIDTH, _head(scene) + layout.height(scene.block * len(scene.costs), scene.columns)


def draw(figure: Figure | SubFigure, scene: Scene) -> None:
    """Draw all panels."""
    shown = [name for name in scene.names if any(race.tracks.get(name) for race in scene.races)]
    if not shown:
        empty(figure, "no finished runs")
        return
    places = layout.add_panels(figure, scene.block * len(scene.costs), _head(scene), scene.columns)
    layout.legend_and_caption(figure, places[0], [scene.styles[name] for name in shown], *_CAPTIONS, per_line=_PER_LINE)
    for row, cost in enumerate(scene.costs):
        own = places[row * scene.block : (row + 1) * scene.block]
        for k, (axes, race) in enumerate(zip(own, scene.races, strict=False)):
            _draw_race(axes, race, scene, cost, k)
        _draw_profile(own[len(scene.races)], scene, cost)
        for axes in own[len(scene.races) + 1 :]:
            axes.remove()


def _head(scene: Scene) -> float:
    return 0.45 + 0.26 * math.ceil(max(1, len(scene.names)) / _PER_LINE)


def _draw_race(axes: Axes, race: Race, scene: Scene, cost: str, place: int) -> None:
    gap = race.targets.kind == "gap"
    bands = scene.bands(race, cost)
    heading(axes, race.panel, _not_counted(race, scene, cost))
    if not bands:
        axes.set_axis_off()
        nothing = f"{axis_name(cost)}: nothing to draw"
        axes.text(0.5, 0.5, nothing, transform=axes.transAxes, size=PANEL.label, color=FAINT, ha="center")
        return
    layout.log_axes(axes, axis_name(cost), "(P - L) / L" if gap else "Test error, %", place, scene.columns)
    levels = [race.threshold(level) for level in race.decided]
    least = min(levels, default=1e-3) / 10
    for name, band in bands.items():
        layout.draw_band(axes, band.at_least(least) if gap else band.times(100), scene.styles[name])
    if gap:
        _cut_gaps(axes, bands, least)
    else:
        axes.set_yscale("linear")
        low, high = interesting_range([(band.cost, band.median) for band in bands.values()])
        axes.set_ylim(100 * max(low, 0.0), 100 * max([high, *(1.05 * level for level in levels)]))
    for level in levels:
        axes.axhline(level if gap else 100 * level, color=INK, linewidth=0.8, linestyle=(0, (1.0, 2.0)), zorder=1.5)


def _cut_gaps(axes: Axes, bands: Mapping[str, Band], least: float) -> None:
    """Show what lies between the finest target and what the worse half of the curves begin with."""
    begins = sorted(float(band.median[0]) for band in bands.values())
    axes.set_ylim(0.8 * least, 3 * max(begins[len(begins) // 2], 100 * least))


def _not_counted(race: Race, scene: Scene, cost: str) -> str:
    names = [scene.styles[name].name for name in race.entrants if not race.counted(name, cost)]
    if len(names) > _NAMED:  # there is no room; the table has them
        return f"not counted by {len(names)} of {len(race.entrants)}"
    return f"not counted: {', '.join(names)}" if names else ""


def _draw_profile(axes: Axes, scene: Scene, cost: str) -> None:
    from matplotlib.ticker import NullFormatter

    own = scene.profiles[cost]
    above: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points"}
    axes.annotate("Profile", (0, 1), (0, 20), size=PANEL.label + 1, weight="bold", color=INK, **above)
    problems = scene.seeds * sum(len(race.decided) for race in scene.races)
    axes.annotate(f"{problems} problems", (0, 1), (0, 7), size=PANEL.note, color=FAINT, **above)
    axes.set_xscale("log")
    plain_frame(axes, PANEL.ticks)
    finite = [profile.factor[-1] for profile in own.values()]
    right = min(max([*finite, 2.0]) * 1.3, _MOST)
    for name, profile in own.items():
        style = scene.styles[name]
        x, y = np.append(profile.factor, right * 10), np.append(profile.share, profile.solved)
        look: dict[str, Any] = {"color": style.color, "linewidth": style.width * PANEL.lines, "linestyle": style.line}
        axes.plot(x, 100 * y, drawstyle="steps-post", zorder=3, **look)
        spots = profile.factor <= right
        axes.plot(x[:-1][spots], 100 * y[:-1][spots], linestyle="none", **style.markers(PANEL.lines), zorder=4)
    axes.set_xlim(0.97, right)
    layout.plain_ticks(axes.xaxis, (1.0, 2.0, 5.0) if right < 100 else (1.0,))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_ylim(-3, 103)
    axes.set_xlabel("Factor of the least cost", size=PANEL.label, color=INK)
    axes.set_ylabel("Problems solved, %", size=PANEL.label, color=INK, labelpad=1)
