"""The statistics of claims: one definition of each, with its interval.

=========================== ===================================================================================
cost to a target            `cost_to_target`, with the width of the evaluation grid (`Effort`)
ratio of costs              `ratio_of`, `product`; on mean curves, over many errors: `cost_ratio`
difference of errors        `difference`, `differences`; relative: `relative_difference`, `ratio_of_means`
exponent                    `exponent`, also as a difference; along single runs: `mean_exponent`
change for each doubling    `trend`
error over the cost         `area_difference`, `overfitting_slope`, `critical_point`
any other                   `bootstrap`, `bootstrap_groups`, `bootstrap_mean`, `bootstrap_means`, `bootstrap_medians`
decision about a limit      `above`, `at_most`, `within`, `under_bound`
=========================== ===================================================================================

An `Interval` has the estimate, its ends, the number of runs and the method. All come from the same resamples
(`interval.RESAMPLES`); below `LEAST_RUNS` runs an interval is the range of single runs. First evaluations at or below a
target are found by `experiments.curve.first_at_or_below`, with `experiments.curve.ROUNDING`.

Pure functions of curves (`experiments.curve`) and numbers: the same input gives the same output. Missing values (NaN)
are left out. Without values, functions of curves return None, and functions of numbers raise ValueError.
"""

from svm_cost_curves.experiments.reproduction.statistics.comparison import (
    AreaDifference,
    CostRatio,
    Differences,
    area_difference,
    cost_ratio,
    difference,
    differences,
    paired,
    ratio_of_means,
    relative_difference,
)
from svm_cost_curves.experiments.reproduction.statistics.critical import CriticalPoint, critical_point
from svm_cost_curves.experiments.reproduction.statistics.interval import (
    BESIDE,
    FAILS,
    HOLDS,
    LEAST_RUNS,
    MISSING,
    RESAMPLES,
    TRIVIAL,
    TRIVIAL_SLACK,
    UNCLEAR,
    Decision,
    Draws,
    Interval,
    Ruling,
    above,
    at_most,
    bootstrap,
    bootstrap_geometric_mean,
    bootstrap_groups,
    bootstrap_mean,
    bootstrap_means,
    bootstrap_medians,
    holds,
    under_bound,
    within,
)
from svm_cost_curves.experiments.reproduction.statistics.ratio import Ratio, multiple_text, product, ratio_of
from svm_cost_curves.experiments.reproduction.statistics.regression import (
    LEAST_POINTS,
    exponent,
    mean_exponent,
    means_of,
    medians_of,
    overfitting_slope,
    power,
    slope,
    trend,
)
from svm_cost_curves.experiments.reproduction.statistics.target import (
    Crossing,
    Effort,
    cost_to_target,
    crossing,
    effort_of,
    grid_step,
)

__all__ = [
    "BESIDE",
    "FAILS",
    "HOLDS",
    "LEAST_POINTS",
    "LEAST_RUNS",
    "MISSING",
    "RESAMPLES",
    "TRIVIAL",
    "TRIVIAL_SLACK",
    "UNCLEAR",
    "AreaDifference",
    "CostRatio",
    "CriticalPoint",
    "Crossing",
    "Decision",
    "Differences",
    "Draws",
    "Effort",
    "Interval",
    "Ratio",
    "Ruling",
    "above",
    "area_difference",
    "at_most",
    "bootstrap",
    "bootstrap_geometric_mean",
    "bootstrap_groups",
    "bootstrap_mean",
    "bootstrap_means",
    "bootstrap_medians",
    "cost_ratio",
    "cost_to_target",
    "critical_point",
    "crossing",
    "difference",
    "differences",
    "effort_of",
    "exponent",
    "grid_step",
    "holds",
    "mean_exponent",
    "means_of",
    "medians_of",
    "multiple_text",
    "overfitting_slope",
    "paired",
    "power",
    "product",
    "ratio_of",
    "ratio_of_means",
    "relative_difference",
    "slope",
    "trend",
    "under_bound",
    "within",
]
