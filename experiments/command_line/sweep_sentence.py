"""What a sweep's curves say, in one sentence: the cost of each algorithm to an error near the least one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

NEAR = 0.1
"""The error is a tenth above the least one of all mean curves."""


def sentence(curves: Mapping[str, Sequence[pd.DataFrame]], cost: str = "kernel_evaluations") -> str:
    """Return the sentence: after which cost the mean test error of each algorithm stays near the least error.

    Parameters
    ----------
    curves : mapping of str to sequence of DataFrame
        Runs of each algorithm.
    cost : str
        Column of the curves.

    Returns
    -------
    str
        Empty if no algorithm stays there.
    """
    from svm_cost_curves.experiments.command_line.sweep_names import called
    from svm_cost_curves.experiments.cost_to_target import cost_to_stay
    from svm_cost_curves.experiments.curve import column
    from svm_cost_curves.experiments.plotting.bands import mean_curves
    from svm_cost_curves.experiments.run.console import count

    means = mean_curves(curves, cost=cost)
    target = (1 + NEAR) * min((float(curve.mean.min()) for curve in means.values()), default=0.0)
    runs = {name: [(column(frame, cost), column(frame, "test_error")) for frame in curves[name]] for name in means}
    stays = {called(name): cost_to_stay(points, target) for name, points in runs.items()}
    reached = sorted((spent, name) for name, spent in stays.items() if spent is not None)
    if not reached:
        return ""
    (least, first), *others = reached
    parts = [
        f"{first} stays at or below {100 * target:.1f} % test error (mean over the runs; a tenth above the least of "
        f"all curves) after {count(least)} {cost.replace('_', ' ')}",
        *(f"{name} needs {spent / least:.1f} times as many" for spent, name in others),
        *(f"{name} does not get there" for name, spent in stays.items() if spent is None),
    ]
    return "; ".join(parts) + "."
