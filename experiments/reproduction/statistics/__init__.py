"""Statistics for claims: areas, slopes, ratios and critical points of curves, with bootstrap intervals.

Pure functions of curves (`experiments.curve`) and numbers; the same input and seed give the same output. Missing values
(NaN) are left out. Without values, functions of curves return None, and functions of numbers raise ValueError.
"""

from svm_cost_curves.experiments.reproduction.statistics.comparison import (
    AreaDifference,
    CostRatio,
    area_difference,
    cost_ratio,
    paired,
)
from svm_cost_curves.experiments.reproduction.statistics.critical import CriticalPoint, critical_point
from svm_cost_curves.experiments.reproduction.statistics.interval import (
    LEAST_RUNS,
    Interval,
    bootstrap,
    bootstrap_groups,
    bootstrap_mean,
    bootstrap_means,
    relative_difference,
)
from svm_cost_curves.experiments.reproduction.statistics.regression import loglog_slope, overfitting_slope, slope

__all__ = [
    "LEAST_RUNS",
    "AreaDifference",
    "CostRatio",
    "CriticalPoint",
    "Interval",
    "area_difference",
    "bootstrap",
    "bootstrap_groups",
    "bootstrap_mean",
    "bootstrap_means",
    "cost_ratio",
    "critical_point",
    "loglog_slope",
    "overfitting_slope",
    "paired",
    "relative_difference",
    "slope",
]
