"""The difference of a measure between two series, or between two places of one; and its rise after the first epoch."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from svm_cost_curves.experiments.curve import column, cost_to_reach, value_at
from svm_cost_curves.experiments.papers.cases import Case, Findings, case_on
from svm_cost_curves.experiments.papers.kinds.limits import (
    Limits,
    by_seed,
    measure_text,
    missing_runs,
    name_of_series,
)
from svm_cost_curves.experiments.papers.panels import MEASURE
from svm_cost_curves.experiments.reproduction.claim_spec import Described
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.spec import FigureSpec
from svm_cost_curves.experiments.reproduction.statistics import differences, overfitting_slope, paired


def epoch_cost(frame: pd.DataFrame, cost: str) -> float | None:
    """Return the cost of the first evaluation at the end of a run's first epoch or later; None if it ends before."""
    return cost_to_reach(column(frame, cost), -column(frame, "epochs"), -1.0)


def last(frame: pd.DataFrame, measure: str) -> float:
    """Return the last known value of a measure; NaN without one."""
    values = column(frame, measure)
    known = values[np.isfinite(values)]
    return float(known[-1]) if len(known) else math.nan


def measure_at(frame: pd.DataFrame, cost: str, measure: str, at: float) -> float:
    """Return a measure at a cost: the last value known at or before it, or NaN."""
    return float(value_at(column(frame, cost), column(frame, measure), [at])[0])


@dataclass(frozen=True, kw_only=True)
class Place(Described):
    """A series and a place of its curves.

    Attributes
    ----------
    series : str
    epoch_of : str
        The place is where the runs of this series, paired by seed, end their first epoch; empty: the end.
    """

    series: str
    epoch_of: str = ""

    def name(self, spec: FigureSpec) -> str:
        """Name the series and the place."""
        name = name_of_series(spec, self.series)
        if not self.epoch_of:
            return f"{name} at its end"
        return f"{name} after the first epoch" + (
            "" if self.epoch_of == self.series else f" of {name_of_series(spec, self.epoch_of)}"
        )

    def values(self, panel: Panel, cost: str, measure: str) -> dict[int, float]:
        """Return the measure at the place by seed; NaN where the run of `epoch_of` does not end its first epoch."""
        frames = by_seed(panel, self.series)
        if not self.epoch_of:
            return {seed: last(frame, measure) for seed, frame in frames.items()}
        ends = {seed: epoch_cost(frame, cost) for seed, frame in by_seed(panel, self.epoch_of).items()}
        if len(ends) == 1:
            ends = dict.fromkeys(frames, next(iter(ends.values())))
        elif len(frames) == 1:
            frames = dict.fromkeys(ends, next(iter(frames.values())))
        return {
            seed: math.nan if end is None else measure_at(frames[seed], cost, measure, end)
            for seed, end in ends.items()
            if seed in frames
        }


@dataclass(frozen=True, kw_only=True)
class Difference(Limits):
    """A measure at one place less the same at another, paired by seed; one case for each data set.

    Attributes
    ----------
    first, second : Place
    cost : str
        Column of the curves by which places are equal.
    measure : str
        Column of the curves.
    relative : bool
        Whether the difference of the means is divided by the second mean.
    """

    first: Place
    second: Place
    cost: str = "kernel_evaluations"
    measure: str = MEASURE
    relative: bool = False

    def findings(self, data: Any, evidence: Evidence) -> Findings:
        """Compare the two places on each data set."""
        return Findings([self._case(evidence, panel) for panel in evidence.panels])

    def _case(self, evidence: Evidence, panel: Panel) -> Case:
        places = (self.first, self.second)
        sides = paired(*(place.values(panel, self.cost, self.measure) for place in places))
        found = differences(*sides)
        interval = None if found is None else found.relative if self.relative else found.interval
        if found is None or interval is None:
            epochs = [place.epoch_of for place in places if place.epoch_of]
            names = dict.fromkeys([*(place.series for place in places), *epochs])
            otherwise = "no run has an evaluation at the end of its first epoch" if epochs else "no seed in common"
            return missing_runs(evidence, panel, self.measure, list(names), otherwise)
        text = f"{self.first.name(evidence.spec)} less {self.second.name(evidence.spec)} "
        text += measure_text(interval, self.measure, relative=self.relative)
        statistic = found.as_dict() | ({"relative": interval.as_dict()} if self.relative else {})
        return case_on(panel, self.measure, self.decide(interval), text, statistic)


@dataclass(frozen=True, kw_only=True)
class Rise(Limits):
    """The change of a measure for tenfold further epochs after the first: the slope over log10 of the epochs.

    Attributes
    ----------
    series : str
    measure : str
        Column of the curves.
    """

    series: str
    measure: str = MEASURE

    def findings(self, data: Any, evidence: Evidence) -> Findings:
        """Measure the rise on each data set."""
        return Findings([self._case(evidence, panel) for panel in evidence.panels])

    def _case(self, evidence: Evidence, panel: Panel) -> Case:
        rise = overfitting_slope(panel.curves(self.series), measure=self.measure)
        if rise is None:
            return missing_runs(evidence, panel, "rise", [self.series], "no run goes beyond its first epoch")
        name = name_of_series(evidence.spec, self.series)
        text = f"{name} for tenfold further epochs {measure_text(rise, self.measure)}"
        return case_on(panel, "rise", self.decide(rise), text, {"rise": rise.as_dict()})
