"""The limit that a claim sets, and the parts that all kinds share: curves, their values, missing cases, texts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd

from ...columns import MEASURE
from ...curve import column, value_at
from ...plotting import STYLES
from ...reproduction.evidence import Evidence, Panel
from ...reproduction.spec import FigureSpec
from ...reproduction.statistics.comparison import paired
from ...reproduction.statistics.interval import MISSING, Decision, Interval, above, at_most, within
from ...reproduction.statistics.ratio import Ratio
from ..cases import Case, Statistic, case_on, interval_text, points_text


@dataclass(frozen=True, kw_only=True)
class Limits(Statistic):
    """A quantity and its limit, of which a claim gives one."""

    above: float | None = None
    at_most: float | None = None
    below: float | None = None
    """The case holds where the whole interval is above, at most at, or below the limit."""
    between: tuple[float, float] | None = None
    """It holds where the interval lies between two limits."""
    within: float | None = None
    """It holds where the interval lies within this distance of 0."""

    def __post_init__(self) -> None:
        """Check that there is one limit. Raises ValueError."""
        names = ("above", "at_most", "below", "between", "within")
        given = [name for name in names if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"one of {', '.join(names)} must be given, got {', '.join(given) or 'none'}")

    def decide(self, measured: Interval | Ratio) -> Decision:
        """Decide on an interval, or on a ratio whose ends may be open (`Ratio.possible`)."""
        if isinstance(measured, Interval):
            return self._decide(measured)
        if self.above is not None:
            return measured.above(self.above)
        if self.at_most is not None:
            return measured.at_most(self.at_most)
        decision = self._decide(measured.possible)
        return decision if measured.possible == measured.interval else Decision(decision.ruling)

    def _decide(self, measured: Interval) -> Decision:
        if self.above is not None:
            return above(measured, self.above)
        if self.at_most is not None:
            return at_most(measured, self.at_most)
        if self.below is not None:
            return above(Interval(-measured.estimate, -measured.high, -measured.low, measured.runs), -self.below)
        low, high = self.between if self.between is not None else (-(self.within or 0.0), self.within or 0.0)
        return within(measured, low, high)


@dataclass(frozen=True, kw_only=True)
class PanelLimits(Limits):
    """A limit of a quantity on each data set, in figures of any kind."""

    of_panels: ClassVar[bool] = True


def name_of_series(spec: FigureSpec, series: str) -> str:
    """Return the name of a series in sentences: the algorithm's, else its label in the figure's file."""
    if series in STYLES:
        return STYLES[series].name
    return next((curve.label for curve in spec.curves if curve.name == series and curve.label), series)


def missing_runs(
    evidence: Evidence,
    panel: Panel,
    key: str,
    names: Sequence[str],
    otherwise: str = "the curves share no range of cost",
) -> Case:
    """Return a case that was not run, with the series that lack runs; `otherwise` if none does."""
    lacking = [name_of_series(evidence.spec, name) for name in names if not panel.runs.get(name)]
    return case_on(panel, key, MISSING, note=f"no finished runs of {', '.join(lacking)}" if lacking else otherwise)


def by_seed(panel: Panel, series: str) -> Mapping[int, pd.DataFrame]:
    """Return the curves of a series by their seeds."""
    return dict(zip(panel.seeds(series), panel.curves(series), strict=True))


def paired_curves(
    panel: Panel, first: str, second: str
) -> tuple[Sequence[pd.DataFrame], Sequence[pd.DataFrame]] | None:
    """Return the curves of two series paired by seed (`paired`); None without a pair."""
    sides = [by_seed(panel, name) for name in (first, second)]
    pairs = paired(*sides) if all(sides) else ((), ())
    return pairs if all(pairs) else None


def measure_text(interval: Interval, measure: str, *, relative: bool = False) -> str:
    """Write a difference: of errors in percentage points, of other measures in their unit; relative in per cent."""
    if relative:
        return interval_text(interval.scaled(100), "+.1f", " %")
    return points_text(interval) if measure == MEASURE else interval_text(interval, "+.2e")


def last(frame: pd.DataFrame, measure: str) -> float:
    """Return the last known value of a measure; NaN without one."""
    values = column(frame, measure)
    finite = values[np.isfinite(values)]
    return float(finite[-1]) if len(finite) else math.nan


def measure_at(frame: pd.DataFrame, cost: str, measure: str, at: float) -> float:
    """Return a measure at a cost: the last value known at or before it, or NaN."""
    return float(value_at(column(frame, cost), column(frame, measure), [at])[0])
