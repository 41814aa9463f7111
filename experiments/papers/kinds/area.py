"""The area between two error curves over the logarithm of the cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from svm_cost_curves.experiments.papers.cases import Case, Findings, case_on
from svm_cost_curves.experiments.papers.kinds.difference import epoch_cost
from svm_cost_curves.experiments.papers.kinds.limits import (
    Limits,
    measure_text,
    missing_runs,
    name_of_series,
    paired_curves,
)
from svm_cost_curves.experiments.papers.panels import MEASURE
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.statistics import area_difference


@dataclass(frozen=True, kw_only=True)
class Area(Limits):
    """The mean of a measure over the logarithm of the cost, first less each other, paired by seed.

    Attributes
    ----------
    first : str
        Series.
    others : list of str
        Series; one case for each.
    cost, measure : str
        Columns of the curves.
    start : float
        The least cost, in iterations of n kernel evaluations each; curves that begin later count from there on.
    to_epoch_of : str
        Series whose first epochs end the range: the earliest end of its runs. Empty: the end of the shorter curve.
    relative : bool
        Whether the difference is divided by the other's mean.
    """

    first: str
    others: list[str]
    cost: str
    measure: str = MEASURE
    start: float = 0.0
    to_epoch_of: str = ""
    relative: bool = False

    def findings(self, data: Any, evidence: Evidence) -> Findings:
        """Compare the first series with each other one on each data set."""
        return Findings([self._case(evidence, panel, other) for panel in evidence.panels for other in self.others])

    def _case(self, evidence: Evidence, panel: Panel, other: str) -> Case:
        runs = paired_curves(panel, self.first, other)
        high = None
        if self.to_epoch_of and runs:
            ends = [
                end for frame in panel.curves(self.to_epoch_of) if (end := epoch_cost(frame, self.cost)) is not None
            ]
            high = min(ends, default=None)
        whole = area_difference(*runs, cost=self.cost, measure=self.measure, high=high) if runs else None
        low = self.start * (1 if self.cost == "iterations" else panel.n or 0)
        if whole is None or runs is None or low >= whole.high:
            return missing_runs(evidence, panel, other, (self.first, other))
        found = whole
        if low > whole.low:
            found = area_difference(*runs, cost=self.cost, measure=self.measure, low=low, high=whole.high) or whole
        interval = found.relative if self.relative else found.interval
        if interval is None:
            return missing_runs(evidence, panel, other, (), "the other mean is 0: there is no relative difference")
        names = [name_of_series(evidence.spec, name) for name in (self.first, other)]
        text = f"{names[0]} less {names[1]} {measure_text(interval, self.measure, relative=self.relative)}"
        statistic = found.as_dict() | ({"relative": interval.as_dict()} if self.relative else {})
        return case_on(panel, other, self.decide(interval), text, statistic)
