"""What a sweep's curves say, in one sentence: the cost of each algorithm to an error near the least one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from svm_cost_curves.support.text import power_of_ten

if TYPE_CHECKING:
    import pandas as pd

NEAR = 0.1
"""The error is a tenth above the least one of all mean curves."""


def near_least(curves: Mapping[str, Sequence[pd.DataFrame]], cost: str) -> float:
    """Return the error, a fraction, that `sentence` compares; 0 without curves."""
    from svm_cost_curves.experiments.plotting.bands import mean_curves

    return (1 + NEAR) * min((float(mean.mean.min()) for mean in mean_curves(curves, cost=cost).values()), default=0.0)


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

    target = near_least(curves, cost)
    runs = {
        called(name): [(column(frame, cost), column(frame, "test_error")) for frame in frames]
        for name, frames in curves.items()
    }
    stays = {name: cost_to_stay(points, target) for name, points in runs.items()}
    reached = sorted((spent, name) for name, spent in stays.items() if spent is not None)
    if not reached:
        return ""
    (least, first), *others = reached
    parts = [
        f"By the mean over the runs {first} stays at or below {100 * target:.1f} % test error, a tenth above the "
        f"least, after {_count(least)} {cost.replace('_', ' ')}",
        *([f"{others[0][1]} needs {others[0][0] / least:.1f} times as many"] if others else []),
    ]
    parts[-1] += "".join(f", {name} {spent / least:.1f}" for spent, name in others[1:])
    parts += [f"{name} does not get there" for name, spent in stays.items() if spent is None]
    return "; ".join(parts) + "."


def _count(value: float) -> str:
    """Write a count as in 9,000 and 2.06×10⁷."""
    if value < 1e7:
        return f"{value:,.0f}"
    digits, _, exponent = f"{value:.2e}".partition("e")
    return f"{digits}\N{MULTIPLICATION SIGN}{power_of_ten(int(exponent))}"
