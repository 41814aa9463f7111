"""Kinds of statistics for claims about the curves of any figure: a claim names one in its figure's file.

A figure's module may have kinds of its own: ``STATISTICS = {"water_level": WaterLevel}``.
"""

from svm_cost_curves.experiments.papers.kinds.cost import CostOverErrors, CostRatioToTarget, CountRatio
from svm_cost_curves.experiments.papers.kinds.errors import Area, BeforeCriticalPoint, CriticalPointOf, Difference, Rise
from svm_cost_curves.experiments.papers.kinds.limits import Limits

CURVE_KINDS = {
    "area": Area,
    "before_critical_point": BeforeCriticalPoint,
    "cost_over_errors": CostOverErrors,
    "cost_to_target": CostRatioToTarget,
    "count_ratio": CountRatio,
    "critical_point": CriticalPointOf,
    "difference": Difference,
    "rise": Rise,
}

__all__ = [
    "CURVE_KINDS",
    "Area",
    "BeforeCriticalPoint",
    "CostOverErrors",
    "CostRatioToTarget",
    "CountRatio",
    "CriticalPointOf",
    "Difference",
    "Limits",
    "Rise",
]
