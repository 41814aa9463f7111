"""Readings of judged claims, and what their tests compare."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace

from svm_cost_curves.experiments.reproduction.evidence import FigureResult, Panel
from svm_cost_curves.experiments.reproduction.verdict import Claim, Reading


def claims_of(made: FigureResult, prefix: str = "") -> dict[str, Claim]:
    """Claims by id without the prefix; their statistics must be JSON-able, without NaN."""
    json.dumps([variant.statistic for claim in made.claims for variant in claim.readings], allow_nan=False)
    return {claim.id.removeprefix(prefix): claim for claim in made.claims}


def reading(claim: Claim, name: str) -> Reading:
    """One reading of a claim."""
    (chosen,) = [variant for variant in claim.readings if variant.id == name]
    return chosen


def outcomes(claim: Claim) -> dict[str, str]:
    """The outcome of each reading."""
    return {variant.id: variant.outcome for variant in claim.readings}


def rulings(claim: Claim, dataset: str, number: int = 0) -> dict[str, str]:
    """Rulings of one reading on the measured cases of a data set."""
    return {case: value["ruling"] for case, value in claim.readings[number].statistic[dataset].items()}


def on_all(panel: Panel, datasets: Iterable[str]) -> list[Panel]:
    """The same runs on every data set: the claim's cases are then as many as the paper's."""
    return [replace(panel, dataset=name, paper_dataset=name) for name in datasets]


def without(panels: Sequence[Panel], *series: str) -> list[Panel]:
    """Panels in which some series have no runs."""
    return [replace(panel, runs={**panel.runs, **dict.fromkeys(series, ())}) for panel in panels]
