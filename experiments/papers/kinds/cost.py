"""Statistics that compare costs: of two series to one target or for equal errors; and the ratio of two counts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial

import numpy as np

from ...columns import MEASURE
from ...reproduction.claim_spec import Cost, Count, Measure
from ...reproduction.evidence import Evidence, Panel
from ...reproduction.statistics.comparison import cost_ratio
from ...reproduction.statistics.interval import UNCLEAR, bootstrap_mean
from ...reproduction.statistics.ratio import Ratio, multiple_text, ratio_of
from ...reproduction.statistics.target import cost_to_target
from ..cases import Case, case_on, interval_text
from .limits import PanelLimits, last, missing_runs, name_of_series


@dataclass(frozen=True, kw_only=True)
class CostRatioToTarget(PanelLimits, kind="cost_to_target"):
    """Ratio of two series' costs to a target; each cost is a median over runs."""

    first: str
    second: str
    """Series."""
    cost: Cost
    measure: Measure = MEASURE
    """Columns of the curves."""
    target: float
    """In the measure's unit."""
    of_last: str = ""
    """Series of whose mean last value the target is the multiple; empty: the target is the value itself."""

    def case(self, panel: Panel, evidence: Evidence) -> Case:
        """Compare the costs."""
        names = [self.first, self.second, *filter(None, [self.of_last])]
        target = self.target
        if self.of_last:
            target *= float(np.mean([last(frame, self.measure) for frame in panel.curves(self.of_last)] or [math.nan]))
        first, second = (cost_to_target(panel.curves(name), self.cost, self.measure, target) for name in names[:2])
        if first is None or second is None or math.isnan(target):
            return missing_runs(evidence, panel, "cost", names, "no run has a known value")
        ratio = ratio_of(first, second)
        text = f"{' over '.join(name_of_series(evidence.spec, name) for name in names[:2])}, to {target:.3g}: "
        if ratio is None:
            return case_on(panel, "cost", UNCLEAR, text + "both miss it", {"ratio": None, "target": target})
        statistic = {"ratio": ratio.as_dict(), "target": target}
        return case_on(panel, "cost", self.decide(ratio), f"{text}{ratio.text()} times", statistic)


@dataclass(frozen=True, kw_only=True)
class CostOverErrors(PanelLimits, kind="cost_over_errors"):
    """Cost of `first` / cost of `second` at equal errors of their mean curves (`statistics.comparison.cost_ratio`)."""

    first: str
    second: str
    """Series."""
    cost: Cost
    measure: Measure = MEASURE
    """Columns of the curves."""
    up_to: float = math.inf
    """Errors above this multiple of the lowest that both reach are left out."""

    def case(self, panel: Panel, evidence: Evidence) -> Case:
        """Compare the costs at errors below that of a constant prediction."""
        names, below = (self.second, self.first), math.inf if panel.trivial_error is None else panel.trivial_error
        # `cost_ratio` divides the costs of its second argument by those of its first
        ratio_below = partial(cost_ratio, *map(panel.curves, names), cost=self.cost, measure=self.measure)
        costs = ratio_below(below=below)  # for the lowest error that both reach, of which `up_to` is a multiple
        if costs is not None:
            costs = ratio_below(below=min(below, self.up_to * costs.low_error))
        if costs is None:
            return missing_runs(evidence, panel, "cost", names, "the two reach no error in common")
        pair = " over ".join(name_of_series(evidence.spec, name) for name in (self.first, self.second))
        low, high = (f"{100 * error:.2f} %" for error in (costs.low_error, costs.high_error))
        text = f"{self.cost.replace('_', ' ')}, {pair}, mean over errors from {low} to {high}, "
        text += f"{Ratio(costs.ratio).text()} ({multiple_text(costs.at_best)} at {low})"
        decision = self.decide(costs.ratio)  # holds, fails or unclear: `limits.Limits`, by `above` or another limit
        return case_on(panel, "cost", decision, text, costs.as_dict())


@dataclass(frozen=True, kw_only=True)
class CountRatio(PanelLimits, kind="count_ratio"):
    """One count of a run over another at its end, such as kernel evaluations over iterations; mean over the runs."""

    series: list[str]
    """One case for each; a series with a grid stands for all its values."""
    count: Count
    per: Cost = "iterations"
    """Counts (`experiments.columns.COUNTS`)."""
    over_n: bool = False
    """Whether the ratio is divided by the number of training examples."""

    def cases(self, panel: Panel, evidence: Evidence) -> list[Case]:
        """Measure the ratio for each series."""
        return [self._case(evidence, panel, name) for name in evidence.spec.expanded(self.series)]

    def _case(self, evidence: Evidence, panel: Panel, series: str) -> Case:
        unit = float(panel.n or 1) if self.over_n else 1.0
        counters = [run.result["counters"] for run in panel.runs.get(series, ())]
        counted = [counts for counts in counters if counts.get(self.count) is not None and counts.get(self.per)]
        if not counted:
            return missing_runs(evidence, panel, series, [series], f"no run counts {self.count} and {self.per}")
        ratio = bootstrap_mean([counts[self.count] / counts[self.per] / unit for counts in counted])
        quotient = f"{self.count} over {self.per}{' and n' if self.over_n else ''}".replace("_", " ")
        text = f"{name_of_series(evidence.spec, series)}: {quotient} {interval_text(ratio, '.6g')}"
        return case_on(panel, series, self.decide(ratio), text, {"ratio": ratio.as_dict()})
