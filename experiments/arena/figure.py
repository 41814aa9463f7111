"""The arena's figure: curves, profiles, and a table of the costs to the targets; no claims."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Final

import pandas as pd

from svm_cost_curves.experiments.arena import picture
from svm_cost_curves.experiments.arena.comparison import Comparison
from svm_cost_curves.experiments.arena.profile import costs_of, profiles
from svm_cost_curves.experiments.arena.table import table
from svm_cost_curves.experiments.arena.targets import COSTS, TIME, read_costs, read_targets
from svm_cost_curves.experiments.reproduction.evidence import Evidence
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult

COLUMNS: Final = ("what", "dataset", "series", "cost", "x", "median", "low", "high", "runs")
"""Columns of the drawn points; where means are drawn, ``mean`` for ``median``."""


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure and make its table."""
    spec = evidence.spec
    targets = read_targets(spec.options["target"].value, spec.options["reach"].value)
    comparisons = [Comparison(panel, targets) for panel in evidence.panels]
    seeds = spec.scale(evidence.scale).seeds
    found = {cost: profiles(costs_of(comparisons, cost, seeds)) for cost in COSTS}
    costs = _shown(spec.options["cost"].value, comparisons)
    names = list(dict.fromkeys(curve.name for curve in spec.curves))
    drawing = picture.Drawing(comparisons, found, costs, names, seeds)
    draw = partial(picture.draw, drawing=drawing)
    return FigureResult(_points(drawing), draw, picture.size(drawing), table=partial(table, comparisons, found))


def _shown(chosen: str, comparisons: Sequence[Comparison]) -> tuple[str, ...]:
    """Return the costs that are drawn: the chosen ones, or the first of `COSTS` that any solver counts, and time."""
    if costs := read_costs(chosen):
        return costs
    counted = (
        cost
        for cost in COSTS
        if any(each.runs[name] and each.counted(name, cost) for each in comparisons for name in each.entrants)
    )
    return tuple(dict.fromkeys([next(counted, COSTS[0]), TIME]))


def _points(drawing: picture.Drawing) -> pd.DataFrame:
    tables = []
    for cost in drawing.costs:
        for comparison in drawing.comparisons:
            for name, band in drawing.bands(comparison, cost).items():
                values = {"x": band.cost, "median": band.middle, "low": band.low, "high": band.high, "runs": band.runs}
                tables.append(_table("curve", comparison.panel.dataset, name, cost, values))
        for name, profile in drawing.profiles[cost].items():
            tables.append(_table("profile", "", name, cost, {"x": profile.factor, "median": profile.share}))
    points = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=list(COLUMNS))
    return points.rename(columns={"median": "mean"}) if drawing.means else points


def _table(what: str, dataset: str, name: str, cost: str, values: dict[str, Any]) -> pd.DataFrame:
    own = {"what": what, "dataset": dataset, "series": name, "cost": cost, **values}
    return pd.DataFrame(own).reindex(columns=list(COLUMNS))
