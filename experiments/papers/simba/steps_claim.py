"""Claim 2: steps that shrink with time do almost as well as constant ones, compared after equally many iterations."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from experiments.curve import column, value_at
from experiments.papers.judging import Part, between, put_together, scaled, within
from experiments.papers.panels import name_of
from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.spec import ClaimSpec
from experiments.reproduction.statistics import Interval, bootstrap_mean
from experiments.reproduction.verdict import Claim

ANYTIME: Final = "simba"
CONSTANT: Final = "constant"
MEASURES: Final = {"test_error": "test error", "water_level": "saddle value"}
ALMOST: Final = 0.10
"""Almost equivalent: a difference of at most this share of what constant steps give."""
RULE: Final = (
    "For each data set and each number of iterations T: test error, and value of the saddle problem (the water level "
    "of the mean iterate), of the anytime version after T iterations less those of the version with constant steps for "
    f"this T, paired by seed, as a share of the latter. Reproduced: the 95 % interval lies within {100 * ALMOST:.0f} % "
    "either way; not reproduced: outside; else partly. The claim is about the algorithm, so that stand-ins count."
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
        """The same as a share of what constant steps give; None where that is 0."""
        return scaled(self.difference, 1 / abs(self.constant)) if self.constant else None


def judge(evidence: Evidence, spec: ClaimSpec) -> Claim:
    """Judge the claim."""
    horizons = evidence.spec.members(CONSTANT)
    parts = [
        _part(panel, int(horizon), series, measure)
        for panel in evidence.panels
        for measure in MEASURES
        for horizon, series in horizons.items()
    ]
    return put_together(spec, RULE, parts)


def compare(panel: Panel, horizon: int, series: str, measure: str) -> Comparison | None:
    """Compare the two versions after `horizon` iterations; None where no pair of runs has come so far."""
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
    """Value of a measure after so many iterations; NaN where the run ended before, or it is not known."""
    iterations = column(curve, "iterations")
    if not len(iterations) or iterations[-1] < horizon:
        return math.nan
    return float(value_at(iterations, column(curve, measure), horizon))


def _part(panel: Panel, horizon: int, series: str, measure: str) -> Part:
    place, about = (panel.asked, f"{measure} {horizon}"), f"{name_of(panel)}, {MEASURES[measure]}"
    found = compare(panel, horizon, series, measure)
    if found is None:
        return Part(place, about, "not_applicable", note=f"no pair of runs of {horizon:,} iterations")
    relative = found.relative
    statistic: dict[str, Any] = {
        "anytime": found.anytime,
        "constant": found.constant,
        "differences": list(found.differences),
        "difference": found.difference.as_dict(),
        "relative": None if relative is None else relative.as_dict(),
    }
    if relative is None:
        return Part(
            place, about, "not_applicable", "", statistic, f"{MEASURES[measure]} 0, of which nothing is a share"
        )
    measured = f"after {horizon:,} iterations {between(scaled(relative, 100), '+.1f', ' %')}"
    note = "one pair of runs only, so that an interval is a point" if len(found.differences) == 1 else ""
    return Part(place, about, within(relative, ALMOST), measured, statistic, note)


def table_rows(panels: Sequence[Panel], horizons: Mapping[float, str]) -> list[list[str]]:
    """Both versions' means and their difference: a row for each data set, number of iterations and measure."""
    rows: list[list[str]] = []
    for panel in panels:
        for horizon, series in horizons.items():
            for measure, name in MEASURES.items():
                found = compare(panel, int(horizon), series, measure)
                if found is not None:
                    factor, form, unit = (100.0, ".2f", " %") if measure == "test_error" else (1.0, ".4f", "")
                    values = (f"{factor * value:{form}}{unit}" for value in (found.anytime, found.constant))
                    difference = between(scaled(found.difference, factor), f"+{form}", unit and " points")
                    rows.append([name_of(panel), f"{int(horizon):,}", name, *values, difference])
    return rows
