"""Sections 6 and 4: SIMBA with shrinking and with constant steps, and with and without a bias, per iteration."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any, Final, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from svm_cost_curves.experiments.curve import column
from svm_cost_curves.experiments.papers.cases import Case, Findings, Statistic, case_on, interval_text, judge_claims
from svm_cost_curves.experiments.papers.kinds import Limits
from svm_cost_curves.experiments.papers.kinds.limits import by_seed, measure_at
from svm_cost_curves.experiments.papers.panels import CurveFigure, called, name_of
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult, Table
from svm_cost_curves.experiments.reproduction.statistics import (
    MISSING,
    Differences,
    at_most,
    differences,
    ratio_of_means,
)

ANYTIME: Final = "simba"
CONSTANT: Final = "constant"
BIASED: Final = "biased"
MEASURES: Final = {"test_error": "test error", "water_level": "saddle value"}
COSTS: Final = {
    "feature_accesses_dense": "accesses counted dense",
    "feature_accesses": "accesses to nonzeros",
    "cpu_seconds": "CPU time",
}


@dataclass(frozen=True, kw_only=True)
class AnytimeSteps(Limits):
    """Anytime steps after T iterations less constant steps for this T, paired by seed, as a share of the latter.

    Attributes
    ----------
    measure : str
        Column of the curves: a measure of the mean iterate.
    """

    measure: Literal["test_error", "water_level"] = "test_error"

    def findings(self, data: Any, evidence: Evidence) -> Findings:
        """Compare the two versions on each data set, for each T of the constant steps."""
        horizons = evidence.spec.members(CONSTANT).items()
        return Findings([self._case(panel, int(T), series) for panel in evidence.panels for T, series in horizons])

    def _case(self, panel: Panel, horizon: int, series: str) -> Case:
        what, about = f"{self.measure} {horizon}", f"{called(panel)}, {MEASURES[self.measure]}"
        compared = compare(panel, horizon, series, self.measure)
        relative = None if compared is None else compared.relative
        if compared is None or relative is None:
            none = "0: no relative difference" if compared else f"no pair of runs of {horizon:,} iterations"
            return case_on(panel, what, MISSING, note=none, about=about)
        means = dict(zip(("anytime", "constant"), compared.means, strict=True))
        statistic = {**means, "differences": compared.values, "relative": relative.as_dict()}
        measured = f"after {horizon:,} iterations {interval_text(relative.scaled(100), '+.1f', ' %')}"
        return case_on(panel, what, self.decide(relative), measured, statistic, about=about)


def compare(panel: Panel, horizon: int, series: str, measure: str) -> Differences | None:
    """Compare the two versions after `horizon` iterations; None if no pair of runs has come so far."""
    versions = [by_seed(panel, name) for name in (ANYTIME, series)]
    shared = sorted(versions[0].keys() & versions[1].keys())
    return differences(*([_after(curves[seed], horizon, measure) for seed in shared] for curves in versions))


def _after(curve: pd.DataFrame, horizon: int, measure: str) -> float:
    """Value of a measure after `horizon` iterations; NaN if the run ended earlier or the value is missing."""
    reached = (column(curve, "iterations") >= horizon).any()
    return measure_at(curve, "iterations", measure, horizon) if reached else math.nan


@dataclass(frozen=True, kw_only=True)
class BiasCost(Statistic):
    """Cost of an iteration with the bias over that without, at most 1 and a margin.

    Attributes
    ----------
    cost : str
        Column of the curves.
    margin : float
    """

    cost: Literal["cpu_seconds", "feature_accesses_dense", "feature_accesses"] = "cpu_seconds"
    margin: float

    def findings(self, data: Any, evidence: Evidence) -> Findings:
        """Compare the costs on each data set."""
        return Findings([self._case(panel) for panel in evidence.panels])

    def _case(self, panel: Panel) -> Case:
        costs = {series: per_iteration(panel, series, self.cost) for series in (ANYTIME, BIASED)}
        ratio = ratio_of_means(costs[BIASED], costs[ANYTIME])
        if ratio is None:
            return case_on(panel, self.cost, MISSING, note="no finished runs with and without the bias")
        statistic = {"ratio": ratio.as_dict()} | {series: float(values.mean()) for series, values in costs.items()}
        measured = f"{COSTS[self.cost]} {interval_text(ratio, '.3f')} times"
        return case_on(panel, self.cost, at_most(ratio, 1 + self.margin), measured, statistic)


def per_iteration(panel: Panel, series: str, cost: str) -> NDArray[np.float64]:
    """Cost of an iteration in each run of a series, over the whole run; runs without that cost are left out."""
    ends = [(column(curve, cost), column(curve, "iterations")) for curve in panel.curves(series) if len(curve)]
    values = np.array([costs[-1] / iterations[-1] for costs, iterations in ends if iterations[-1] > 0])
    known: NDArray[np.float64] = values[np.isfinite(values)]
    return known


STATISTICS = {"anytime_steps": AnytimeSteps, "bias_cost": BiasCost}


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure and judge the claims."""
    figure = CurveFigure(evidence, evidence.spec.rows)
    return FigureResult(
        figure.data, figure.draw, figure.size, table=partial(_table, evidence), claims=judge_claims(evidence)
    )


def _table(evidence: Evidence) -> Table:
    """Both versions' means and their difference: a row for each data set, number of iterations and measure."""
    rows: list[list[str]] = []
    horizons = evidence.spec.members(CONSTANT)
    for panel, (horizon, series), (measure, name) in product(evidence.panels, horizons.items(), MEASURES.items()):
        compared = compare(panel, int(horizon), series, measure)
        if compared is not None:
            factor, form, unit = (100.0, ".2f", " %") if measure == "test_error" else (1.0, ".4f", "")
            values = (f"{factor * mean:{form}}{unit}" for mean in compared.means)
            difference = interval_text(compared.interval.scaled(factor), f"+{form}", unit and " points")
            rows.append([name_of(panel), f"{int(horizon):,}", name, *values, difference])
    notes = [
        "Differences: anytime less constant, means over pairs of runs with their intervals: 95 % bootstrap, below five "
        "pairs the range.",
        *_bias_notes(evidence.panels),
    ]
    return Table(["data set", "T", "of the mean iterate", "anytime", "constant", "difference"], rows, notes)


def _bias_notes(panels: Sequence[Panel]) -> list[str]:
    """Write the cost of an iteration with and without the bias: one sentence per data set and cost."""
    texts: list[str] = []
    for panel, (cost, name) in product(panels, COSTS.items()):
        biased, plain = (per_iteration(panel, series, cost) for series in (BIASED, ANYTIME))
        ratio = ratio_of_means(biased, plain)
        if ratio is not None:
            factor, unit = (1e6, " µs") if cost == "cpu_seconds" else (1.0, "")
            texts.append(
                f"{name_of(panel)}, {name} per iteration: with the bias {factor * biased.mean():,.1f}{unit}, without "
                f"{factor * plain.mean():,.1f}{unit}, ratio {interval_text(ratio, '.3f')}."
            )
    return texts
