"""Figures 1 and 4: the water levels of the SBP's responses, without and with a bias."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ...plotting import FAINT, INK
from ...reproduction.evidence import Evidence, FigureResult, Panel
from ...reproduction.statistics.interval import holds
from ..cases import Case, Statistic, case_on, judge_claims
from ..panels import empty, name_of
from .basin import Basin, Check, Filling, Responses, fill, levels_of, run_responses

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

SIZE = (10.0, 5.6)
GROUND, WATER, SURFACE = "#dfd9cf", "#74add6", "#0072b2"
_TITLES = {"all": "", "negative": "negative examples: $c_i - b$", "positive": "positive examples: $c_i + b$"}

# inches
_LEFT, _RIGHT, _BETWEEN, _TOP, _BOTTOM, _GAP = 1.05, 0.25, 0.35, 0.35, 0.55, 0.3
_P_SHARE = 0.24


def _draw(figure: Figure | SubFigure, filling: Filling, name: str) -> None:
    """Draw the basins of a data set side by side on one scale of ranks, each above its probabilities."""
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
        _draw_basin(upper, part, basin, filling)
        _draw_probabilities(lower, part, basin, ticks=max(2, round(wide)))
        title = name if basin is basins[0] else ""
        title = ", ".join(filter(None, [title, _TITLES[basin.name]]))
        upper.set_title(title[:1].upper() + title[1:], loc="left", size="large", weight="bold", color=INK)
        if basin is basins[0]:
            names = _height_name(basin), "$p^*_i$"
            for axes, name in zip((upper, lower), names, strict=True):
                axes.set_ylabel(name, color=INK)
                axes.yaxis.set_label_coords(-0.75 / wide, 0.5)
        else:
            upper.tick_params(labelleft=False)
            lower.tick_params(labelleft=False)
        left += wide + _BETWEEN


def _shares(counts: list[int]) -> list[float]:
    """Return widths proportional to the numbers of examples, but wide enough for the labels."""
    least = 0.28 if len(counts) > 1 else 0.0
    shares = [max(count / sum(counts), least) for count in counts]
    return [share / math.fsum(shares) for share in shares]


def _height_name(basin: Basin) -> str:
    return "response $c_i$" if basin.name == "all" else "height $c_i + y_i b$"


def _draw_basin(axes: Axes, part: pd.DataFrame, basin: Basin, filling: Filling) -> None:
    ranks, heights, level = part["rank"].to_numpy(), part["height"].to_numpy(), filling.level
    lowest = min(float(filled.heights[0]) for filled in filling.basins)
    highest = max(level, *(float(filled.heights[-1]) for filled in filling.basins))
    margin = 0.06 * (highest - lowest) or 1.0
    floor, top = lowest - margin, highest + margin
    axes.fill_between(ranks, floor, heights, color=GROUND, linewidth=0)
    axes.fill_between(ranks, heights, np.maximum(heights, level), color=WATER, linewidth=0)
    axes.plot(ranks, heights, color=INK, linewidth=1.4)
    axes.axhline(level, color=SURFACE, linewidth=1.6, linestyle=(0, (6.0, 2.0)))
    axes.vlines(basin.covered, floor, level, color=FAINT, linewidth=0.9, linestyle=(0, (1.0, 2.0)))
    axes.set_xlim(0, len(basin.heights))
    axes.set_ylim(floor, top)
    axes.tick_params(colors=INK, labelbottom=False)
    axes.spines[["top", "right"]].set_visible(False)
    note: dict[str, Any] = {"size": "large", "color": INK}
    if basin is max(filling.basins, key=lambda filled: len(filled.heights) - filled.covered):
        # in the basin with most room above the ground
        text = rf"water level $\gamma$ = {level:.4g}"
        axes.annotate(text, (1, level), (-4, 5), ("axes fraction", "data"), "offset points", ha="right", **note)
    if basin is filling.basins[0] and filling.given > 0:
        spot = (0.15 * basin.covered, level - 0.2 * (level - float(basin.heights[int(0.15 * basin.covered)])))
        line = {"arrowstyle": "-", "color": INK, "linewidth": 0.8, "shrinkB": 0}
        text = rf"water of volume $n\nu$ = {filling.given:.4g}"
        axes.annotate(text, spot, (0.03, 0.86), "data", "axes fraction", arrowprops=line, **note)


def _draw_probabilities(axes: Axes, part: pd.DataFrame, basin: Basin, *, ticks: int) -> None:
    from matplotlib.ticker import MaxNLocator

    ranks, p = part["rank"].to_numpy(), part["p"].to_numpy()
    axes.fill_between(ranks, 0, p, step="mid", color=WATER, linewidth=0)
    axes.step(ranks, p, where="mid", color=INK, linewidth=1.4)
    axes.set_ylim(0, 1.6 * basin.p)
    axes.set_yticks([0, basin.p], ["0", f"1/{round(1 / basin.p):,}"])
    axes.tick_params(colors=INK)
    axes.xaxis.set_major_locator(MaxNLocator(ticks, integer=True))
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.spines[["top", "right"]].set_visible(False)
    height = "response" if basin.name == "all" else "height"
    axes.set_xlabel(f"examples by rising {height}", color=INK)
    text = f"{basin.covered:,} covered, mass {basin.covered * basin.p:.3g}"
    axes.annotate(text, (0, 1), (5, -1), "axes fraction", "offset points", va="top", color=INK)


@dataclass(frozen=True, kw_only=True)
class WaterLevel(Statistic, kind="water_level"):
    """Checks of the water level, and of the distribution over the examples that it covers: one case for each."""

    checks: list[Check]
    tolerance: float
    """Relative."""

    def cases(self, item: tuple[Panel, Filling], evidence: Evidence) -> Iterator[Case]:
        """Make the checks on the filled basins of a data set."""
        panel, filling = item
        for check in self.checks:
            passed, text, numbers = filling.check(check, self.tolerance)
            yield case_on(panel, check, holds(passed), text, numbers, about=check.replace("_", " "))


COLUMNS = ("dataset", "basin", "rank", "height", "water", "p")
SERIES = "sbp"


def compute(evidence: Evidence) -> dict[str, Any]:
    """Run the SBP on the first data set, with the settings of the evidence; return its responses and their levels."""
    panel = _first(evidence)
    if panel is None:
        return {}
    responses = run_responses(panel.settings[SERIES])
    return {"responses": asdict(responses), "levels": levels_of(responses)}


def make(evidence: Evidence) -> FigureResult:
    """Draw the basins of the SBP's responses, and judge the claims about them.

    With a bias there are two basins, as in Figure 4.
    """
    panel, responses = _first(evidence), evidence.computed.get("responses")
    if panel is None or responses is None:
        nothing = partial(empty, text="no data set, no responses")
        return FigureResult(
            lambda: pd.DataFrame(columns=list(COLUMNS)), nothing, SIZE, claims=judge_claims(evidence, data=[])
        )
    up, down = evidence.computed["levels"]
    filling = fill(Responses(**{**responses, "values": np.array(responses["values"])}), (up, down))
    data = filling.table()
    data.insert(0, "dataset", panel.dataset)
    draw = partial(_draw, filling=filling, name=name_of(panel))
    return FigureResult(lambda: data, draw, SIZE, claims=judge_claims(evidence, data=[(panel, filling)]))


def _first(evidence: Evidence) -> Panel | None:
    return next((panel for panel in evidence.panels if SERIES in panel.runs), None)
