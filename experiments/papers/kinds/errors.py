"""Kinds about error curves: areas between them, differences of places, rises, and the point at which an error drops."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal

import numpy as np

from ...columns import MEASURE
from ...curve import epoch_cost, value_at
from ...plotting import MeanCurve, mean_curves
from ...reproduction.claim_spec import Cost, Described, Measure
from ...reproduction.evidence import Evidence, Panel
from ...reproduction.spec import FigureSpec
from ...reproduction.statistics.comparison import area_difference, differences, paired
from ...reproduction.statistics.critical import critical_point
from ...reproduction.statistics.interval import FAILS, MISSING, holds
from ...reproduction.statistics.regression import overfitting_slope
from ..cases import Case, Statistic, case_on, power_text
from .limits import PanelLimits, by_seed, last, measure_at, measure_text, missing_runs, name_of_series, paired_curves


@dataclass(frozen=True, kw_only=True)
class Area(PanelLimits, kind="area"):
    """The first series' mean of a measure over log(cost) - that of each other series, paired by seed."""

    first: str
    """Series."""
    others: list[str]
    """Series; one case for each."""
    cost: Cost
    measure: Measure = MEASURE
    """Columns of the curves."""
    start: float = 0.0
    """The least cost, in iterations of n kernel evaluations each; curves that begin later count from there on."""
    to_epoch_of: str = ""
    """Series whose first epochs end the range: the earliest end of its runs. Empty: the end of the shorter curve."""
    relative: bool = False
    """Whether the difference is divided by the other's mean."""

    def cases(self, panel: Panel, evidence: Evidence) -> list[Case]:
        """Compare the first series with each other one."""
        return [self._case(evidence, panel, second) for second in self.others]

    def _case(self, evidence: Evidence, panel: Panel, second: str) -> Case:
        runs = paired_curves(panel, self.first, second)
        if runs is None:
            return missing_runs(evidence, panel, second, (self.first, second))
        difference_from = partial(area_difference, *runs, cost=self.cost, measure=self.measure)
        epochs = [epoch_cost(frame, self.cost) for frame in panel.curves(self.to_epoch_of)]
        areas = difference_from(high=min((end for end in epochs if end is not None), default=None))
        start = self.start * (1 if self.cost == "iterations" else panel.n or 0)
        if areas is not None and start >= areas.high:
            areas = None
        elif areas is not None and start > areas.low:
            areas = difference_from(low=start, high=areas.high) or areas
        if areas is None:
            return missing_runs(evidence, panel, second, (self.first, second))
        interval = areas.relative if self.relative else areas.interval
        if interval is None:
            return missing_runs(evidence, panel, second, (), "the other mean is 0: there is no relative difference")
        names = [name_of_series(evidence.spec, name) for name in (self.first, second)]
        text = f"{names[0]} less {names[1]} {measure_text(interval, self.measure, relative=self.relative)}"
        statistic = areas.as_dict() | ({"relative": interval.as_dict()} if self.relative else {})
        return case_on(panel, second, self.decide(interval), text, statistic)


@dataclass(frozen=True, kw_only=True)
class CurvePoint(Described):
    """A series and a place of its curves."""

    series: str
    epoch_of: str = ""
    """The place is where the runs of this series, paired by seed, end their first epoch; empty: the end."""

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
        epoch_ends = {seed: epoch_cost(frame, cost) for seed, frame in by_seed(panel, self.epoch_of).items()}
        if len(epoch_ends) == 1:
            epoch_ends = dict.fromkeys(frames, next(iter(epoch_ends.values())))
        elif len(frames) == 1:
            frames = dict.fromkeys(epoch_ends, next(iter(frames.values())))
        return {
            seed: math.nan if end is None else measure_at(frames[seed], cost, measure, end)
            for seed, end in epoch_ends.items()
            if seed in frames
        }


@dataclass(frozen=True, kw_only=True)
class Difference(PanelLimits, kind="difference"):
    """A measure at the first place - the measure at the second, paired by seed; one case per data set."""

    first: CurvePoint
    second: CurvePoint
    cost: Cost = "kernel_evaluations"
    """Column of the curves by which places are equal."""
    measure: Measure = MEASURE
    """Column of the curves."""
    relative: bool = False
    """Whether the difference of the means is divided by the second mean."""

    def case(self, panel: Panel, evidence: Evidence) -> Case:
        """Compare the two places."""
        points = (self.first, self.second)
        pairs = differences(*paired(*(point.values(panel, self.cost, self.measure) for point in points)))
        interval = None if pairs is None else pairs.relative if self.relative else pairs.interval
        if pairs is None or interval is None:
            epochs = [point.epoch_of for point in points if point.epoch_of]
            names = dict.fromkeys([*(point.series for point in points), *epochs])
            otherwise = "no run has an evaluation at the end of its first epoch" if epochs else "no seed in common"
            return missing_runs(evidence, panel, self.measure, list(names), otherwise)
        text = f"{self.first.name(evidence.spec)} less {self.second.name(evidence.spec)} "
        text += measure_text(interval, self.measure, relative=self.relative)
        statistic = pairs.as_dict() | ({"relative": interval.as_dict()} if self.relative else {})
        return case_on(panel, self.measure, self.decide(interval), text, statistic)


@dataclass(frozen=True, kw_only=True)
class Rise(PanelLimits, kind="rise"):
    """The change of a measure for tenfold further epochs after the first: the slope over log10 of the epochs."""

    series: str
    measure: Measure = MEASURE
    """Column of the curves."""

    def case(self, panel: Panel, evidence: Evidence) -> Case:
        """Measure the rise."""
        rise = overfitting_slope(panel.curves(self.series), measure=self.measure)
        if rise is None:
            return missing_runs(evidence, panel, "rise", [self.series], "no run goes beyond its first epoch")
        name = name_of_series(evidence.spec, self.series)
        text = f"{name} for tenfold further epochs {measure_text(rise, self.measure)}"
        return case_on(panel, "rise", self.decide(rise), text, {"rise": rise.as_dict()})


@dataclass(frozen=True, kw_only=True)
class CriticalPointOf(Statistic, kind="critical_point"):
    """A series makes little progress until a critical point, after which it converges rapidly (`critical_point`)."""

    of_panels: ClassVar[bool] = True

    series: str
    cost: Cost = "kernel_evaluations"
    """Column of the curves."""
    near: float
    """Relative excess over the last error at which the drop has ended."""
    begins: Literal["iteration", "evaluation"] = "iteration"
    """Where the decades before the critical point begin: at one ``iteration``, or at the first ``evaluation``."""

    def case(self, panel: Panel, evidence: Evidence) -> Case:
        """Compare the decades of the drop with those before it."""
        name = name_of_series(evidence.spec, self.series)
        curve = mean_curves({name: panel.curves(self.series)}, cost=self.cost, measure=MEASURE).get(name)
        profile = critical_point(curve.cost, curve.mean, slack=self.near) if curve is not None else None
        if curve is None or profile is None:
            return missing_runs(evidence, panel, "profile", [self.series])
        if profile.half is None or profile.steepness is None:
            return case_on(panel, "profile", FAILS, statistic=profile.as_dict(), note=f"{name}'s error does not drop")
        begin = float(curve.cost[0])
        if self.begins == "iteration":
            begin = min(begin, float(panel.n or math.inf))
        before = math.log10(profile.half / begin)
        text = f"{name} has half of its drop after {before:.2f} decades, at {power_text(profile.half)} evaluations, "
        text += f"and all of it {profile.steepness:.2f} decades later"
        statistic = profile.as_dict() | {"decades_before": before}
        return case_on(panel, "profile", holds(profile.steepness < before), text, statistic)


@dataclass(frozen=True, kw_only=True)
class BeforeCriticalPoint(Statistic, kind="before_critical_point"):
    """Before its critical point a series has a higher median error over the logarithm of the cost than each other."""

    of_panels: ClassVar[bool] = True

    series: str
    others: list[str]
    cost: Cost
    """Column of the curves."""

    def cases(self, panel: Panel, evidence: Evidence) -> list[Case]:
        """Compare the medians up to the first evaluation after the critical point."""
        runs = {name: panel.curves(name) for name in (self.series, *self.others)}
        curves = mean_curves(runs, cost=self.cost, measure=MEASURE)
        curve = curves.get(self.series)
        profile = critical_point(curve.cost, curve.mean) if curve is not None else None
        if curve is None or profile is None:
            return [missing_runs(evidence, panel, name, (self.series, name)) for name in self.others]
        if profile.half is None:
            note = f"{name_of_series(evidence.spec, self.series)}'s error does not drop"
            return [case_on(panel, name, FAILS, note=note) for name in self.others]
        index = int(np.searchsorted(curve.cost, profile.half, side="right"))  # `half` is not the last cost
        end = float(curve.cost[index])
        return [self._case(evidence, panel, name, curve, curves.get(name), end) for name in self.others]

    def _case(
        self, evidence: Evidence, panel: Panel, rival: str, curve: MeanCurve, rival_curve: MeanCurve | None, end: float
    ) -> Case:
        names = [name_of_series(evidence.spec, name) for name in (self.series, rival)]
        if rival_curve is None:
            return missing_runs(evidence, panel, rival, [rival])
        low = max(float(curve.cost[0]), float(rival_curve.cost[0]))
        if not low < end:
            return case_on(panel, rival, MISSING, note=f"{names[1]} has not begun before {names[0]} drops")
        medians = [median_over_log_cost(mean, low, end) for mean in (curve, rival_curve)]
        text = f"{names[1]} {100 * medians[1]:.1f} % ({names[0]} {100 * medians[0]:.1f} %)"
        statistic = {"until": end, self.series: medians[0], rival: medians[1]}
        return case_on(panel, rival, holds(medians[0] >= medians[1]), text, statistic)


def median_over_log_cost(curve: MeanCurve, low: float, high: float) -> float:
    """Return the median value of a step function over log(cost), in the unit of ``curve.mean``.

    0 < low < high are costs of the curve.
    """
    edges = np.concatenate([[low], curve.cost[(curve.cost > low) & (curve.cost < high)], [high]])
    values = value_at(curve.cost, curve.mean, edges[:-1])
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(np.diff(np.log(edges))[order])
    return float(values[order[int(np.searchsorted(reached, 0.5 * reached[-1]))]])
