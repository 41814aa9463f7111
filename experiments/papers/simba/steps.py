"""Sections 6 and 4: SIMBA with shrinking and with constant steps, and with and without a bias, per iteration."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Final, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...curve import column
from ...reproduction.evidence import Evidence, FigureResult, Panel, Table
from ...reproduction.statistics.comparison import Differences, differences, ratio_of_means
from ...reproduction.statistics.interval import MISSING, at_most
from ..cases import Case, Statistic, case_on, interval_text, judge_claims
from ..kinds import Limits
from ..kinds.limits import by_seed, measure_at
from ..panels import CurveFigure, called, name_of
from ..samples import Sample, samples

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
class AnytimeSteps(Limits, kind="anytime_steps"):
    """(Anytime steps' measure after T iterations - constant steps') / constant steps', paired by seed."""

    measure: Literal["test_error", "water_level"] = "test_error"
    """Column of the curves: a measure of the mean iterate."""

    def cases(self, item: Panel, evidence: Evidence) -> Iterator[Case]:
        """Compare the two versions for each T of the constant steps."""
        for constant in samples(evidence, [CONSTANT], [item]):
            horizon = constant.value
            key, about = f"{self.measure} {horizon:.0f}", f"{called(item)}, {MEASURES[self.measure]}"
            pairs = compare(constant, self.measure)
            if pairs is None or (relative := pairs.relative) is None:
                note = "0: no relative difference" if pairs else f"no pair of runs of {horizon:,.0f} iterations"
                yield case_on(item, key, MISSING, note=note, about=about)
                continue
            means = dict(zip(("anytime", "constant"), pairs.means, strict=True))
            statistic = {**means, "differences": pairs.values, "relative": relative.as_dict()}
            measured = f"adaptive less constant steps after {horizon:,.0f} iterations "
            measured += interval_text(relative.scaled(100), "+.1f", " %")
            yield case_on(item, key, self.decide(relative), measured, statistic, about=about)


def compare(constant: Sample, measure: str) -> Differences | None:
    """Compare anytime steps with constant ones after the latter's horizon; None if no pair of runs has come so far."""
    horizon = constant.value

    def after(curve: pd.DataFrame) -> float:
        reached = (column(curve, "iterations") >= horizon).any()
        return measure_at(curve, "iterations", measure, horizon) if reached else math.nan

    sides = [by_seed(constant.panel, name) for name in (ANYTIME, constant.name)]
    shared = sorted(sides[0].keys() & sides[1].keys())
    return differences(*([after(curves[seed]) for seed in shared] for curves in sides))


@dataclass(frozen=True, kw_only=True)
class BiasCost(Statistic, kind="bias_cost"):
    """Cost of an iteration with the bias over that without, at most 1 and a margin."""

    cost: Literal["cpu_seconds", "feature_accesses_dense", "feature_accesses"] = "cpu_seconds"
    """Column of the curves."""
    margin: float

    def case(self, item: Panel, evidence: Evidence) -> Case:
        """Compare the costs."""
        costs = {series: per_iteration(item, series, self.cost) for series in (ANYTIME, BIASED)}
        ratio = ratio_of_means(costs[BIASED], costs[ANYTIME])
        if ratio is None:
            return case_on(item, self.cost, MISSING, note="no finished runs with and without the bias")
        statistic = {"ratio": ratio.as_dict()} | {series: float(values.mean()) for series, values in costs.items()}
        measured = f"{COSTS[self.cost]} {interval_text(ratio, '.3f')} times"
        return case_on(item, self.cost, at_most(ratio, 1 + self.margin), measured, statistic)


def per_iteration(panel: Panel, series: str, cost: str) -> NDArray[np.float64]:
    """Cost of an iteration in each run of a series, over the whole run; runs without that cost are left out."""
    curves = [(column(curve, cost), column(curve, "iterations")) for curve in panel.curves(series) if len(curve)]
    values = np.array([costs[-1] / iterations[-1] for costs, iterations in curves if iterations[-1] > 0])
    finite: NDArray[np.float64] = values[np.isfinite(values)]
    return finite


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure and judge the claims."""
    figure = CurveFigure(evidence, evidence.spec.rows)
    return FigureResult(
        lambda: figure.data, figure.draw, figure.size, table=partial(_table, evidence), claims=judge_claims(evidence)
    )


def _table(evidence: Evidence) -> Table:
    """Both versions' means and their difference by data set, T and measure; the costs of the bias as notes."""
    rows: list[list[str]] = []
    for constant, (measure, name) in product(samples(evidence, [CONSTANT]), MEASURES.items()):
        if pairs := compare(constant, measure):
            factor, form, unit = (100.0, ".2f", " %") if measure == "test_error" else (1.0, ".4f", "")
            values = (f"{factor * mean:{form}}{unit}" for mean in pairs.means)
            difference = interval_text(pairs.interval.scaled(factor), f"+{form}", unit and " points")
            rows.append([name_of(constant.panel), f"{constant.value:,.0f}", name, *values, difference])
    notes = [
        "Differences: anytime less constant, means over pairs of runs with their intervals: 95 % bootstrap, below five "
        "pairs the range."
    ]
    for panel, (cost, name) in product(evidence.panels, COSTS.items()):
        biased, plain = (per_iteration(panel, series, cost) for series in (BIASED, ANYTIME))
        if ratio := ratio_of_means(biased, plain):
            factor, unit = (1e6, " µs") if cost == "cpu_seconds" else (1.0, "")
            notes.append(
                f"{name_of(panel)}, {name} per iteration: with the bias {factor * biased.mean():,.1f}{unit}, without "
                f"{factor * plain.mean():,.1f}{unit}, ratio {interval_text(ratio, '.3f')}."
            )
    return Table(["data set", "T", "of the mean iterate", "anytime", "constant", "difference"], rows, notes)
