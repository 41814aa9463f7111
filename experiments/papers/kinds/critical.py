"""The critical point of an error curve, at which it drops, and the errors before it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from svm_cost_curves.experiments.curve import value_at
from svm_cost_curves.experiments.papers.cases import Case, Findings, Statistic, case_on
from svm_cost_curves.experiments.papers.kinds.limits import missing_runs, name_of_series
from svm_cost_curves.experiments.plotting import MeanCurve, mean_curves
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.row_spec import MEASURE
from svm_cost_curves.experiments.reproduction.statistics import FAILS, MISSING, critical_point, holds


@dataclass(frozen=True, kw_only=True)
class CriticalPointOf(Statistic):
    """A series makes little progress until a critical point, after which it converges rapidly (`critical_point`).

    Attributes
    ----------
    series : str
    cost : str
        Column of the curves.
    near : float
        Relative excess over the last error at which the drop has ended.
    begins : str
        Where the decades before the critical point begin: at one ``iteration``, or at the first ``evaluation``.
    """

    series: str
    cost: str = "kernel_evaluations"
    near: float
    begins: Literal["iteration", "evaluation"] = "iteration"

    def findings(self, data: Any, evidence: Evidence) -> Findings:
        """Compare the decades of the drop with those before it, on each data set."""
        return Findings([self._case(evidence, panel) for panel in evidence.panels])

    def _case(self, evidence: Evidence, panel: Panel) -> Case:
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
        drop = f"within {profile.steepness:.2f} decades after {before:.2f}"
        text = f"{name} drops at {_power(profile.half)} evaluations, {drop}"
        statistic = profile.as_dict() | {"decades_before": before}
        return case_on(panel, "profile", holds(profile.steepness < before), text, statistic)


@dataclass(frozen=True, kw_only=True)
class BeforeCriticalPoint(Statistic):
    """Before its critical point a series has a higher median error over the logarithm of the cost than each other.

    Attributes
    ----------
    series : str
    others : list of str
    cost : str
        Column of the curves.
    """

    series: str
    others: list[str]
    cost: str

    def findings(self, data: Any, evidence: Evidence) -> Findings:
        """Compare the medians on each data set, up to the first evaluation after the critical point."""
        return Findings([case for panel in evidence.panels for case in self._cases(evidence, panel)])

    def _cases(self, evidence: Evidence, panel: Panel) -> list[Case]:
        runs = {name: panel.curves(name) for name in (self.series, *self.others)}
        curves = mean_curves(runs, cost=self.cost, measure=MEASURE)
        own = curves.get(self.series)
        profile = critical_point(own.cost, own.mean) if own is not None else None
        if own is None or profile is None:
            return [missing_runs(evidence, panel, name, (self.series, name)) for name in self.others]
        if profile.half is None:
            note = f"{name_of_series(evidence.spec, self.series)}'s error does not drop"
            return [case_on(panel, name, FAILS, note=note) for name in self.others]
        end = float(own.cost[int(np.searchsorted(own.cost, profile.half, side="right"))])  # `half` is not the last cost
        return [self._case(evidence, panel, name, own, curves.get(name), end) for name in self.others]

    def _case(
        self, evidence: Evidence, panel: Panel, other: str, own: MeanCurve, curve: MeanCurve | None, end: float
    ) -> Case:
        names = [name_of_series(evidence.spec, name) for name in (self.series, other)]
        if curve is None:
            return missing_runs(evidence, panel, other, [other])
        low = max(float(own.cost[0]), float(curve.cost[0]))
        if not low < end:
            return case_on(panel, other, MISSING, note=f"{names[1]} has not begun before {names[0]} drops")
        early, late = (median_over_log_cost(each, low, end) for each in (own, curve))
        text = f"{names[1]} {100 * late:.1f} % ({names[0]} {100 * early:.1f} %)"
        return case_on(panel, other, holds(early >= late), text, {"until": end, self.series: early, other: late})


def median_over_log_cost(curve: MeanCurve, low: float, high: float) -> float:
    """Median of a step function over the logarithm of the cost, for 0 < low < high within the curve's costs."""
    edges = np.concatenate([[low], curve.cost[(curve.cost > low) & (curve.cost < high)], [high]])
    values = value_at(curve.cost, curve.mean, edges[:-1])
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(np.diff(np.log(edges))[order])
    return float(values[order[int(np.searchsorted(reached, 0.5 * reached[-1]))]])


def _power(value: float) -> str:
    return f"{value:.1e}".replace("e+0", "e")
