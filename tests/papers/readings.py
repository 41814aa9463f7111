"""Readings of judged claims, and what their tests compare."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace

from experiments.reproduction.evidence import Panel
from experiments.reproduction.figure_result import FigureResult
from experiments.reproduction.verdict import Claim, Reading


def claims_of(made: FigureResult) -> dict[str, Claim]:
    """Claims by id; their statistics must be JSON-able, without NaN."""
    for claim in made.claims:
        for each in claim.readings:
            json.dumps(each.statistic, allow_nan=False)
    return {claim.id: claim for claim in made.claims}


def reading(claim: Claim, name: str) -> Reading:
    """One reading of a claim."""
    (found,) = [each for each in claim.readings if each.id == name]
    return found


def rulings(found: Reading, dataset: str) -> dict[str, str]:
    """Rulings of the measured cases on one data set."""
    return {what: value["ruling"] for what, value in found.statistic[dataset].items()}


def on_all(panel: Panel, datasets: Iterable[str]) -> list[Panel]:
    """The same runs on every data set: the claim's cases are then as many as the paper's."""
    return [replace(panel, dataset=name, paper_dataset=name) for name in datasets]


def without(panels: Sequence[Panel], *series: str) -> list[Panel]:
    """Panels in which some series have no runs."""
    return [replace(panel, runs={**panel.runs, **dict.fromkeys(series, ())}) for panel in panels]
