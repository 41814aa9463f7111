"""Sections 6 and 4: SIMBA with shrinking and with constant steps, and with and without a bias, per iteration."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from experiments.curve import column, value_at
from experiments.papers.cases import Case, at_most, claim_from_cases, interval_text, judge_claims, scaled, within
from experiments.papers.panels import CurveFigure, Row, name_of
from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.figure_result import FigureResult, Table
from experiments.reproduction.spec import ClaimSpec
from experiments.reproduction.statistics import Interval, bootstrap_groups, bootstrap_mean
from experiments.reproduction.verdict import Claim

ANYTIME: Final = "simba"
CONSTANT: Final = "constant"
MEASURES: Final = {"test_error": "test error", "water_level": "saddle value"}
ALMOST: Final = 0.10
""""Almost" allows a difference of at most this share of the constant steps' value."""
STEPS_RULE: Final = (
    "For each data set and each number of iterations T: test error, and value of the saddle problem (the water level "
    "of the mean iterate), of the anytime version after T iterations less those of the version with constant steps for "
    f"this T, paired by seed, as a share of the latter. Reproduced: the 95 % interval lies within {100 * ALMOST:.0f} % "
    "either way; not reproduced: outside; else partly. The claim is about the algorithm, so stand-ins are judged."
)


@dataclass(frozen=True)
class Comparison:
    """The two versions after T iterations.

    Attributes
    ----------
    anytime, constant : float
        Mean of a measure over the runs.
    differences : tuple of float
        First less second, for each pair of runs.
    """

    anytime: float
    constant: float
    differences: tuple[float, ...]

    @property
    def difference(self) -> Interval:
        """Mean of the differences."""
        return bootstrap_mean(self.differences)

    @property
    def relative(self) -> Interval | None:
        """The difference relative to the constant steps' value; None if that is 0."""
        return scaled(self.difference, 1 / abs(self.constant)) if self.constant else None


def judge_steps(evidence: Evidence, spec: ClaimSpec) -> Claim:
    """Judge claim 2: shrinking steps do almost as well as constant ones after equally many iterations."""
    horizons = evidence.spec.members(CONSTANT)
    cases = [
        _steps_case(panel, int(horizon), series, measure)
        for panel in evidence.panels
        for measure in MEASURES
        for horizon, series in horizons.items()
    ]
    return claim_from_cases(spec, STEPS_RULE, cases)


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
    anytime, constant = pairs.T
    return Comparison(float(anytime.mean()), float(constant.mean()), tuple((anytime - constant).tolist()))


def _after(curve: pd.DataFrame, horizon: int, measure: str) -> float:
    """Value of a measure after `horizon` iterations; NaN if the run ended earlier or the value is missing."""
    iterations = column(curve, "iterations")
    if not len(iterations) or iterations[-1] < horizon:
        return math.nan
    return float(value_at(iterations, column(curve, measure), horizon))


def _steps_case(panel: Panel, horizon: int, series: str, measure: str) -> Case:
    place, about = (panel.paper_dataset, f"{measure} {horizon}"), f"{name_of(panel)}, {MEASURES[measure]}"
    found = compare(panel, horizon, series, measure)
    if found is None:
        return Case(place, about, "not_applicable", note=f"no pair of runs of {horizon:,} iterations")
    relative = found.relative
    statistic: dict[str, Any] = {
        "anytime": found.anytime,
        "constant": found.constant,
        "differences": list(found.differences),
        "difference": found.difference.as_dict(),
        "relative": None if relative is None else relative.as_dict(),
    }
    if relative is None:
        return Case(place, about, "not_applicable", "", statistic, f"{MEASURES[measure]} 0: no relative difference")
    measured = f"after {horizon:,} iterations {interval_text(scaled(relative, 100), '+.1f', ' %')}"
    note = "one pair of runs only, so the interval is a point" if len(found.differences) == 1 else ""
    return Case(place, about, within(relative, ALMOST), measured, statistic, note)


def _table_rows(panels: Sequence[Panel], horizons: Mapping[float, str]) -> list[list[str]]:
    """Both versions' means and their difference: a row for each data set, number of iterations and measure."""
    rows: list[list[str]] = []
    for panel in panels:
        for horizon, series in horizons.items():
            for measure, name in MEASURES.items():
                found = compare(panel, int(horizon), series, measure)
                if found is not None:
                    factor, form, unit = (100.0, ".2f", " %") if measure == "test_error" else (1.0, ".4f", "")
                    values = (f"{factor * value:{form}}{unit}" for value in (found.anytime, found.constant))
                    difference = interval_text(scaled(found.difference, factor), f"+{form}", unit and " points")
                    rows.append([name_of(panel), f"{int(horizon):,}", name, *values, difference])
    return rows


WITHOUT: Final = "simba"
WITH: Final = "biased"
COSTS: Final = {
    "feature_accesses_dense": "accesses counted dense",
    "feature_accesses": "accesses to nonzeros",
    "cpu_seconds": "CPU time",
}
NO_COST: Final = 1.1
""""Costs nothing" allows a ratio up to this: clocks and random rows vary by a few per cent."""
BIAS_RULE: Final = (
    "For each data set the cost of an iteration with the bias over its cost without, over whole runs of equally many "
    f"iterations. Reproduced: the 95 % interval over the runs of both ends at or below {NO_COST:g}; not reproduced: it "
    "begins above; else partly. The claim is about the algorithm, so stand-ins are judged. Which rows and columns are "
    "drawn, and so their nonzeros, differs between the two; counted dense iterations are alike."
)


def judge_bias(evidence: Evidence, spec: ClaimSpec) -> Claim:
    """Judge claim 3: a bias costs nothing per iteration."""
    return claim_from_cases(spec, BIAS_RULE, [_bias_case(panel, cost) for panel in evidence.panels for cost in COSTS])


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


def _bias_case(panel: Panel, cost: str) -> Case:
    place, about = (panel.paper_dataset, cost), name_of(panel)
    found = bias_cost_ratio(panel, cost)
    if found is None:
        return Case(place, about, "not_applicable", note="no finished runs with and without the bias")
    statistic = {"ratio": found.as_dict()} | {
        name: float(per_iteration(panel, name, cost).mean()) for name in (WITHOUT, WITH)
    }
    return Case(place, about, at_most(found, NO_COST), f"{COSTS[cost]} {interval_text(found, '.3f')} times", statistic)


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
