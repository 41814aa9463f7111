"""The arena's figure: curves, profiles, a table of what it costs to get there; nothing is judged."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import pandas as pd

from experiments.arena import picture
from experiments.arena.profile import costs_of, profiles
from experiments.arena.race import Race
from experiments.arena.table import table
from experiments.arena.targets import COSTS, TIME, read_costs, read_targets
from experiments.reproduction.evidence import Evidence
from experiments.reproduction.made import Made

COLUMNS: Final = ("what", "dataset", "series", "cost", "x", "median", "low", "high", "runs")


def make(evidence: Evidence) -> Made:
    """Draw the figure and make its table."""
    spec = evidence.spec
    races = [Race(panel, read_targets(spec.options["target"].value)) for panel in evidence.panels]
    seeds = spec.scale(evidence.scale).seeds
    found = {cost: profiles(costs_of(races, cost, seeds)) for cost in COSTS}
    costs, names = _shown(spec.options["cost"].value, races), list(dict.fromkeys(curve.name for curve in spec.curves))
    scene = picture.Scene(races, found, costs, names, seeds)
    return Made(_points(scene), partial(picture.draw, scene=scene), picture.size(scene), table=table(races, found))


def _shown(asked: str, races: Sequence[Race]) -> tuple[str, ...]:
    """Return the costs that are drawn: those asked for, or the most telling one that anybody counts, and time."""
    if costs := read_costs(asked):
        return costs
    told = (
        cost
        for cost in COSTS
        if any(race.tracks[name] and race.counted(name, cost) for race in races for name in race.entrants)
    )
    return tuple(dict.fromkeys([next(told, COSTS[0]), TIME]))


def _points(scene: picture.Scene) -> pd.DataFrame:
    tables = []
    for cost in scene.costs:
        for race in scene.races:
            for name, band in scene.bands(race, cost).items():
                values = {"x": band.cost, "median": band.median, "low": band.low, "high": band.high, "runs": band.runs}
                tables.append(_table("curve", race.panel.dataset, name, cost, values))
        for name, profile in scene.profiles[cost].items():
            tables.append(_table("profile", "", name, cost, {"x": profile.factor, "median": profile.share}))
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=list(COLUMNS))


def _table(what: str, dataset: str, name: str, cost: str, values: dict[str, Any]) -> pd.DataFrame:
    own = {"what": what, "dataset": dataset, "series": name, "cost": cost, **values}
    return pd.DataFrame(own).reindex(columns=list(COLUMNS))
