"""Readings of judged claims, and what their tests compare."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace

from svm_cost_curves.experiments.reproduction.evidence import FigureResult, Panel
from svm_cost_curves.experiments.reproduction.verdict import Claim, Reading


def claims_of(made: FigureResult, prefix: str = "") -> dict[str, Claim]:
    """Claims by id without the prefix; their statistics must be JSON-able, without NaN."""
    json.dumps([each.statistic for claim in made.claims for each in claim.readings], allow_nan=False)
    return {claim.id.removeprefix(prefix): claim for claim in made.claims}


def reading(claim: Claim, name: str) -> Reading:
    """One reading of a claim."""
    (found,) = [each for each in claim.readings if each.id == name]
    return found


def outcomes(claim: Claim) -> dict[str, str]:
    """The outcome of each reading."""
    return {each.id: each.outcome for each in claim.readings}


def rulings(claim: Claim, dataset: str, number: int = 0) -> dict[str, str]:
    """Rulings of one reading on the measured cases of a data set."""
    return {what: value["ruling"] for what, value in claim.readings[number].statistic[dataset].items()}


def on_all(panel: Panel, datasets: Iterable[str]) -> list[Panel]:
    """The same runs on every data set: the claim's cases are then as many as the paper's."""
    return [replace(panel, dataset=name, paper_dataset=name) for name in datasets]


def without(panels: Sequence[Panel], *series: str) -> list[Panel]:
    """Panels in which some series have no runs."""
    return [replace(panel, runs={**panel.runs, **dict.fromkeys(series, ())}) for panel in panels]
