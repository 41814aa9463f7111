"""The statistics of claims: one definition of each, with its interval.

=========================== ========================================================================================
cost to a target            `target.cost_to_target`, with the width of the evaluation grid (`target.Effort`)
ratio of costs              `ratio.ratio_of`, `ratio.product`; on mean curves, over many errors: `comparison.cost_ratio`
difference of errors        `comparison.difference`, `differences`, `relative_difference`, `ratio_of_means`
exponent                    `regression.exponent`, also as a difference; along single runs: `mean_exponent`
change for each doubling    `regression.trend`
error over the cost         `comparison.area_difference`, `regression.overfitting_slope`, `critical.critical_point`
any other                   `interval.bootstrap`, `bootstrap_groups`, `_mean`, `_means`, `_medians`
decision about a limit      `interval.above`, `at_most`, `within`, `under_bound`
=========================== ========================================================================================

An `Interval` has the estimate, its ends, the number of runs and the method. All come from the same resamples
(`interval.RESAMPLES`); below `LEAST_RUNS` runs an interval is the range of single runs. First evaluations at or below a
target are found by `experiments.curve.first_at_or_below`, with `experiments.curve.ROUNDING`.

Pure functions of curves (`experiments.curve`) and numbers: the same input gives the same output. Missing values (NaN)
are left out. Without values, functions of curves return None, and functions of numbers raise ValueError.
"""
