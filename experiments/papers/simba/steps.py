"""Sections 6 and 4: SIMBA with shrinking and with constant steps, and with and without a bias, per iteration."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from svm_cost_curves.experiments.curve import column, value_at
from svm_cost_curves.experiments.papers.cases import (
    MISSING,
    Case,
    Choice,
    Findings,
    at_most,
    case_on,
    interval_text,
    judge_claims,
    within,
)
from svm_cost_curves.experiments.papers.panels import CurveFigure, Row, name_of
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.figure_result import FigureResult, Table
from svm_cost_curves.experiments.reproduction.statistics import (
    Interval,
    bootstrap_groups,
    bootstrap_mean,
    relative_difference,
)

ANYTIME: Final = "simba"
CONSTANT: Final = "constant"
MEASURES: Final = {"test_error": "test error", "water_level": "saddle value"}


@dataclass(frozen=True, eq=False)
class Comparison:
    """The two versions after T iterations.

    Attributes
    ----------
    anytime, constant : (pairs,) float64
        A measure of each pair of runs.
    """

    anytime: NDArray[np.float64]
    constant: NDArray[np.float64]

    @property
    def differences(self) -> NDArray[np.float64]:
        """Anytime version less constant steps."""
        return self.anytime - self.constant

    @property
    def difference(self) -> Interval:
        """Mean of the differences."""
        return bootstrap_mean(self.differences)

    @property
    def relative(self) -> Interval | None:
        """The difference relative to the constant steps' value; None if that is 0."""
        return relative_difference(
            lambda runs: float(self.anytime[list(runs)].mean()),
            lambda runs: float(self.constant[list(runs)].mean()),
            (len(self.anytime),),
        )


def judge_steps(evidence: Evidence, choice: Choice) -> Findings:
    """Judge simba.2: shrinking steps do almost as well as constant ones after equally many iterations."""
    measure, most = choice.option("measure"), choice["almost"]
    horizons = evidence.spec.members(CONSTANT)
    return Findings(
        [
            _steps_case(panel, int(horizon), series, measure, most)
            for panel in evidence.panels
            for horizon, series in horizons.items()
        ]
    )


def compare(panel: Panel, horizon: int, series: str, measure: str) -> Comparison | None:
    """Compare the two versions after `horizon` iterations; None if no pair of runs has come so far."""
    values = [
        {
            seed: _after(curve, horizon, measure)
            for seed, curve in zip(panel.seeds(name), panel.curves(name), strict=True)
        }
        for name in (ANYTIME, series)
    ]
    pairs = np.array([[side[seed] for side in values] for seed in sorted(values[0].keys() & values[1].keys())])
    pairs = pairs[np.isfinite(pairs).all(axis=1)] if len(pairs) else pairs
    if not len(pairs):
        return None
    return Comparison(*pairs.T)


def _after(curve: pd.DataFrame, horizon: int, measure: str) -> float:
    """Value of a measure after `horizon` iterations; NaN if the run ended earlier or the value is missing."""
    iterations = column(curve, "iterations")
    if not len(iterations) or iterations[-1] < horizon:
        return math.nan
    return float(value_at(iterations, column(curve, measure), horizon))


def _steps_case(panel: Panel, horizon: int, series: str, measure: str, most: float) -> Case:
    what, about = f"{measure} {horizon}", f"{name_of(panel)}, {MEASURES[measure]}"
    found = compare(panel, horizon, series, measure)
    relative = None if found is None else found.relative
    if found is None or relative is None:
        none = f"no pair of runs of {horizon:,} iterations" if found is None else "0: no relative difference"
        return case_on(panel, what, MISSING, note=none, about=about)
    statistic = {
        "anytime": float(found.anytime.mean()),
        "constant": float(found.constant.mean()),
        "differences": found.differences.tolist(),
        "relative": relative.as_dict(),
    }
    measured = f"after {horizon:,} iterations {interval_text(relative.scaled(100), '+.1f', ' %')}"
    return case_on(panel, what, within(relative, -most, most), measured, statistic, about=about)


def _table_rows(panels: Sequence[Panel], horizons: Mapping[float, str]) -> list[list[str]]:
    """Both versions' means and their difference: a row for each data set, number of iterations and measure."""
    rows: list[list[str]] = []
    for panel in panels:
        for horizon, series in horizons.items():
            for measure, name in MEASURES.items():
                found = compare(panel, int(horizon), series, measure)
                if found is not None:
                    factor, form, unit = (100.0, ".2f", " %") if measure == "test_error" else (1.0, ".4f", "")
                    values = (f"{factor * each.mean():{form}}{unit}" for each in (found.anytime, found.constant))
                    difference = interval_text(found.difference.scaled(factor), f"+{form}", unit and " points")
                    rows.append([name_of(panel), f"{int(horizon):,}", name, *values, difference])
    return rows


WITHOUT: Final = "simba"
WITH: Final = "biased"
COSTS: Final = {
    "feature_accesses_dense": "accesses counted dense",
    "feature_accesses": "accesses to nonzeros",
    "cpu_seconds": "CPU time",
}


def judge_bias(evidence: Evidence, choice: Choice) -> Findings:
    """Judge simba.3: a bias costs nothing per iteration."""
    cost = choice.option("cost")
    return Findings([_bias_case(panel, cost, choice["margin"]) for panel in evidence.panels])


def per_iteration(panel: Panel, series: str, cost: str) -> NDArray[np.float64]:
    """Cost of an iteration in each run of a series, over the whole run; runs without that cost are left out."""
    ends = [(column(curve, cost), column(curve, "iterations")) for curve in panel.curves(series) if len(curve)]
    values = np.array([costs[-1] / iterations[-1] for costs, iterations in ends if iterations[-1] > 0])
    known: NDArray[np.float64] = values[np.isfinite(values)]
    return known


def bias_cost_ratio(panel: Panel, cost: str) -> Interval | None:
    """Cost of an iteration with the bias over that without, as means over the runs; None if either is missing."""
    biased, plain = (per_iteration(panel, series, cost) for series in (WITH, WITHOUT))
    if not len(biased) or not len(plain) or not plain.all():
        return None

    def of(first: Sequence[int], second: Sequence[int]) -> float:
        return float(biased[list(first)].mean() / plain[list(second)].mean())

    return bootstrap_groups(of, (len(biased), len(plain)))


def _bias_case(panel: Panel, cost: str, margin: float) -> Case:
    found = bias_cost_ratio(panel, cost)
    if found is None:
        return case_on(panel, cost, MISSING, note="no finished runs with and without the bias")
    statistic = {"ratio": found.as_dict()} | {
        name: float(per_iteration(panel, name, cost).mean()) for name in (WITHOUT, WITH)
    }
    measured = f"{COSTS[cost]} {interval_text(found, '.3f')} times"
    return case_on(panel, cost, at_most(found, 1 + margin), measured, statistic)


def _bias_notes(panels: Sequence[Panel]) -> list[str]:
    """Write the cost of an iteration with and without the bias: one sentence per data set and cost."""
    texts: list[str] = []
    for panel in panels:
        for cost, name in COSTS.items():
            found = bias_cost_ratio(panel, cost)
            if found is not None:
                factor, unit = (1e6, " µs") if cost == "cpu_seconds" else (1.0, "")
                biased, plain = (factor * per_iteration(panel, series, cost).mean() for series in (WITH, WITHOUT))
                texts.append(
                    f"{name_of(panel)}, {name} per iteration: with the bias {biased:,.1f}{unit}, without "
                    f"{plain:,.1f}{unit}, ratio {interval_text(found, '.3f')}."
                )
    return texts


OPTIONS = {
    "simba.2": {"measure": tuple(MEASURES)},
    "simba.3": {"cost": ("cpu_seconds", *(name for name in COSTS if name != "cpu_seconds"))},
}
JUDGES = {"simba.2": judge_steps, "simba.3": judge_bias}


def make(evidence: Evidence) -> FigureResult:
    """Draw the figure and judge the claims."""
    horizons = evidence.spec.members(CONSTANT)
    versions = {"SIMBA anytime": ANYTIME} | {f"constant, T = {int(T):,}": name for T, name in horizons.items()}
    biases = {"SIMBA anytime": WITHOUT, "anytime, with bias": WITH}
    figure = CurveFigure(
        evidence,
        (
            Row(
                "iterations",
                "Means over {runs}; runs with constant steps end after their T",
                bands=True,
                series=versions,
            ),
            Row(
                "iterations",
                "Value of the saddle problem: the water level of the mean iterate, the higher the better",
                bands=True,
                series=versions,
                measure="water_level",
            ),
            Row("cpu_seconds", "With and without bias, against time", bands=True, series=biases),
        ),
    )
    table = Table(
        ["data set", "T", "of the mean iterate", "anytime", "constant", "difference"],
        _table_rows(evidence.panels, horizons),
        [
            "Differences: anytime less constant, means over pairs of runs with their 95 % bootstrap intervals.",
            *_bias_notes(evidence.panels),
        ],
    )
    return FigureResult(figure.data, figure.draw, figure.size, table=table, claims=judge_claims(evidence, JUDGES))
