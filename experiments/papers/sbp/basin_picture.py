"""Basins filled with water, and the probabilities below them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from experiments.papers.sbp.basin import Basin, Filling
from experiments.plotting import FAINT, INK, PANEL

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

SIZE = (10.0, 5.6)
GROUND, WATER, SURFACE = "#dfd9cf", "#74add6", "#0072b2"
_TITLES = {"all": "", "negative": "negative examples: $c_i - b$", "positive": "positive examples: $c_i + b$"}

# inches
_LEFT, _RIGHT, _BETWEEN, _TOP, _BOTTOM, _GAP = 1.05, 0.25, 0.35, 0.35, 0.55, 0.3
_P_SHARE = 0.24


def draw(figure: Figure | SubFigure, filling: Filling, name: str) -> None:
    """Draw the basins side by side on one scale of ranks, each above its probabilities.

    Parameters
    ----------
    figure : Figure or SubFigure
        Empty.
    filling : Filling
    name : str
        Of the data set.
    """
    width, height = figure.bbox.width / figure.dpi, figure.bbox.height / figure.dpi
    table, basins = filling.table(), filling.basins
    room = width - _LEFT - _RIGHT - _BETWEEN * (len(basins) - 1)
    tall = height - _TOP - _BOTTOM - _GAP
    left = _LEFT
    for basin, share in zip(basins, _shares([len(basin.heights) for basin in basins]), strict=True):
        wide = room * share
        box = (left / width, (_BOTTOM + _GAP + _P_SHARE * tall) / height, wide / width, (1 - _P_SHARE) * tall / height)
        upper = figure.add_axes(box)
        lower = figure.add_axes((left / width, _BOTTOM / height, wide / width, _P_SHARE * tall / height), sharex=upper)
        part = table[table["basin"] == basin.name]
        _basin(upper, part, basin, filling)
        _probabilities(lower, part, basin, ticks=max(2, round(wide)))
        title = name if basin is basins[0] else ""
        title = ", ".join(filter(None, [title, _TITLES[basin.name]]))
        upper.set_title(title[:1].upper() + title[1:], loc="left", size=PANEL.label + 1, weight="bold", color=INK)
        if basin is basins[0]:
            names = _height_name(basin), "$p^*_i$"
            for axes, name in zip((upper, lower), names, strict=True):
                axes.set_ylabel(name, size=PANEL.label, color=INK)
                axes.yaxis.set_label_coords(-0.75 / wide, 0.5)
        else:
            upper.tick_params(labelleft=False)
            lower.tick_params(labelleft=False)
        left += wide + _BETWEEN


def draw_nothing(figure: Figure | SubFigure) -> None:
    """Say that there is nothing to draw."""
    figure.text(0.5, 0.5, "no data set, no responses", size=PANEL.label, color=FAINT, ha="center", va="center")


def _shares(counts: list[int]) -> list[float]:
    """Widths in proportion to the numbers of examples, but none too narrow for its labels."""
    least = 0.28 if len(counts) > 1 else 0.0
    shares = [max(count / sum(counts), least) for count in counts]
    return [share / sum(shares) for share in shares]


def _height_name(basin: Basin) -> str:
    return "response $c_i$" if basin.name == "all" else "height $c_i + y_i b$"


def _basin(axes: Axes, part: pd.DataFrame, basin: Basin, filling: Filling) -> None:
    ranks, heights, level = part["rank"].to_numpy(), part["height"].to_numpy(), filling.level
    lowest = min(float(other.heights[0]) for other in filling.basins)
    highest = max(level, *(float(other.heights[-1]) for other in filling.basins))
    margin = 0.06 * (highest - lowest) or 1.0
    floor, top = lowest - margin, highest + margin
    axes.fill_between(ranks, floor, heights, color=GROUND, linewidth=0)
    axes.fill_between(ranks, heights, np.maximum(heights, level), color=WATER, linewidth=0)
    axes.plot(ranks, heights, color=INK, linewidth=1.4)
    axes.axhline(level, color=SURFACE, linewidth=1.6, linestyle=(0, (6.0, 2.0)))
    axes.vlines(basin.covered, floor, level, color=FAINT, linewidth=0.9, linestyle=(0, (1.0, 2.0)))
    axes.set_xlim(0, len(basin.heights))
    axes.set_ylim(floor, top)
    axes.tick_params(labelsize=PANEL.ticks, colors=INK, labelbottom=False)
    _hide_frame(axes)
    note: dict[str, Any] = {"size": PANEL.label, "color": INK}
    if basin is max(filling.basins, key=lambda other: len(other.heights) - other.covered):
        # over the ground, where there is most room
        text = rf"water level $\gamma$ = {level:.4g}"
        axes.annotate(text, (1, level), (-4, 5), ("axes fraction", "data"), "offset points", ha="right", **note)
    if basin is filling.basins[0] and filling.given > 0:
        spot = (0.15 * basin.covered, level - 0.2 * (level - float(basin.heights[int(0.15 * basin.covered)])))
        line = {"arrowstyle": "-", "color": INK, "linewidth": 0.8, "shrinkB": 0}
        text = rf"water of volume $n\nu$ = {filling.given:.4g}"
        axes.annotate(text, spot, (0.03, 0.86), "data", "axes fraction", arrowprops=line, **note)


def _probabilities(axes: Axes, part: pd.DataFrame, basin: Basin, *, ticks: int) -> None:
    from matplotlib.ticker import MaxNLocator

    ranks, p = part["rank"].to_numpy(), part["p"].to_numpy()
    axes.fill_between(ranks, 0, p, step="mid", color=WATER, linewidth=0)
    axes.step(ranks, p, where="mid", color=INK, linewidth=1.4)
    axes.set_ylim(0, 1.6 * basin.p)
    axes.set_yticks([0, basin.p], ["0", f"1/{round(1 / basin.p):,}"])
    axes.tick_params(labelsize=PANEL.ticks, colors=INK)
    axes.xaxis.set_major_locator(MaxNLocator(ticks, integer=True))
    axes.xaxis.set_major_formatter("{x:,.0f}")
    _hide_frame(axes)
    what = "response" if basin.name == "all" else "height"
    axes.set_xlabel(f"examples by rising {what}", size=PANEL.label, color=INK)
    text = f"{basin.covered:,} covered, mass {basin.covered * basin.p:.3g}"
    axes.annotate(text, (0, 1), (5, -1), "axes fraction", "offset points", va="top", size=PANEL.note, color=INK)


def _hide_frame(axes: Axes) -> None:
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
