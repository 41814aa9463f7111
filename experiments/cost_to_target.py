"""The cost to a target, as sentences, tables and pages mean it where they name no other meaning.

It is the cost from which the mean over the runs stays at or below the target. The other meaning, the first evaluation
of a run at or below the target, is `cost_to_reach`.
"""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from .curve import Points, aligned, first_at_or_below, without_missing


def cost_to_stay(runs: Sequence[Points], target: float) -> float | None:
    """Return the cost from which the mean over runs stays at or below a target, until the last run ends.

    The mean changes at the evaluations of all runs. It is known from where all runs have begun; a run that has ended
    keeps its last value.

    Parameters
    ----------
    runs : sequence of (cost, value), each (rows,), float64
        Cost non-decreasing. Rows without a value are left out, and runs without other rows.
    target : float
        In the value's unit; compared as in `first_at_or_below`.

    Returns
    -------
    float or None
        Positive. None if the mean ends above the target, or without runs.
    """
    costs, values = aligned(runs)
    costs, values = costs[costs > 0], values[:, costs > 0]
    if not costs.size:
        return None
    place = int(first_at_or_below(values.mean(axis=0), target, settled=True))
    return float(costs[place]) if place < len(costs) else None


def cost_to_reach(cost: ArrayLike, value: ArrayLike, target: float) -> float | None:
    """Return the smallest cost at which the value, both (rows,), is at or below a target; None if it never is."""
    costs, values = without_missing(cost, value)
    place = int(first_at_or_below(values, target))
    return float(costs[place]) if place < len(costs) else None
