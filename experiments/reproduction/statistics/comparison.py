"""Comparisons of two methods: areas under their curves, and costs of equal errors."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from svm_cost_curves.experiments.curve import (
    ROUNDING,
    error_area,
    first_at_or_below,
    known_points,
    shared_costs,
    values_on,
)
from svm_cost_curves.experiments.reproduction.statistics.difference import Differences
from svm_cost_curves.experiments.reproduction.statistics.interval import Interval, bootstrap_groups

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class AreaDifference(Differences):
    """Differences of the areas under the curves of two methods over the same costs; negative: the first is lower.

    `pairs` are the mean errors of the first and of the second over the logarithm of the cost.

    Attributes
    ----------
    low, high : float
        Limits of the cost.
    share : float
        Share of the logarithm of the cost, between the limits, over which the mean over runs of the first is at or
        below that of the second.
    """

    low: float
    high: float
    share: float

    def as_dict(self) -> dict[str, Any]:
        """JSON-able form."""
        limits, means = {"low": self.low, "high": self.high}, dict(zip(("first", "second"), self.means, strict=True))
        return limits | super().as_dict() | {"share": self.share} | means


@dataclass(frozen=True)
class CostRatio:
    """Costs of the second method over those of the first for equal errors; above 1: the second costs more.

    Attributes
    ----------
    ratio : Interval
        Geometric mean over errors between the limits.
    low_error, high_error : float
        Limits of the errors compared.
    at_best : float
        Ratio at `low_error`, the lowest error that both reach. It depends on single evaluations: no interval.
    """

    ratio: Interval
    low_error: float
    high_error: float
    at_best: float

    def as_dict(self) -> dict[str, Any]:
        """JSON-able form."""
        return asdict(self) | {"ratio": self.ratio.as_dict()}


def paired(first: Mapping[int, T], second: Mapping[int, T]) -> tuple[tuple[T, ...], tuple[T, ...]]:
    """Pair the runs of two methods by seed; a single run of one is paired with every run of the other.

    Parameters
    ----------
    first, second : mapping of int to run
        Seed to curve (or to anything else).

    Returns
    -------
    first, second : tuple of run
        By rising seed; equally many, or a single run of one method.
    """
    if len(first) == 1 or len(second) == 1:
        return tuple(first[seed] for seed in sorted(first)), tuple(second[seed] for seed in sorted(second))
    common = sorted(first.keys() & second.keys())
    return tuple(first[seed] for seed in common), tuple(second[seed] for seed in common)


def area_difference(
    first: Sequence[pd.DataFrame],
    second: Sequence[pd.DataFrame],
    *,
    cost: str,
    measure: str = "test_error",
    low: float | None = None,
    high: float | None = None,
) -> AreaDifference | None:
    """Compare the areas under two methods' curves, run by run (`experiments.curve.error_area`).

    Parameters
    ----------
    first, second : sequence of DataFrame
        Curves, paired by position (see `paired`). A method with one run is compared with every run of the other.
        Pairs in which a run has no known point are left out.
    cost, measure : str
        Columns.
    low, high : float, optional
        Limits of the cost, as in `error_area`. By default the largest first and the smallest last cost of all curves,
        without evaluations of cost 0: between them all curves are known.

    Returns
    -------
    AreaDifference or None
        None without a pair, or without a common range of costs.

    Raises
    ------
    ValueError
        Both methods have several runs, but not equally many; or a curve begins only after the `low` given.
    """
    if len(first) != len(second) and min(len(first), len(second)) > 1:
        raise ValueError(f"{len(first)} runs cannot be paired with {len(second)}")
    count = max(len(first), len(second)) if len(first) and len(second) else 0
    pairs = [
        (known_points(first[i % len(first)], cost, measure), known_points(second[i % len(second)], cost, measure))
        for i in range(count)
    ]
    pairs = [pair for pair in pairs if len(pair[0][0]) and len(pair[1][0])]
    if not pairs:
        return None
    runs = [run for pair in pairs for run in pair]
    low = max(float(costs[0]) for costs, _ in runs) if low is None else low
    high = min(float(costs[-1]) for costs, _ in runs) if high is None else high
    if not low < high:
        return None
    areas = np.array([[error_area(*run, low, high) for run in pair] for pair in pairs])
    inside = shared_costs(runs)
    edges = np.concatenate([[low], inside[(inside > low) & (inside < high)], [high]])
    means = [values_on([pair[k] for pair in pairs], edges[:-1]).mean(axis=0) for k in (0, 1)]
    lengths = np.diff(np.log(edges))
    # equal errors averaged in another order may differ in the last bits
    not_above = means[0] <= means[1] + ROUNDING * np.abs(means[1])
    return AreaDifference(areas, low, high, share=float(lengths[not_above].sum() / lengths.sum()))


def cost_ratio(
    first: Sequence[pd.DataFrame],
    second: Sequence[pd.DataFrame],
    *,
    cost: str,
    measure: str = "test_error",
    levels: int = 50,
    below: float = math.inf,
) -> CostRatio | None:
    """Compare the costs of two methods for equal errors, on the mean of each method's curves.

    A mean curve reaches an error at its first cost with at most this error. Compared are `levels` errors, evenly spaced
    from the lowest that both means reach to the lower one of their first errors, excluded: the cost of an error above a
    curve's first one is not known. With `below`, only smaller errors are compared.

    The interval is from resampled runs of both methods; each resample has its own limits.

    Parameters
    ----------
    first, second : sequence of DataFrame
        Curves; not paired. Runs without a known point and evaluations of cost 0 are left out.
    cost, measure : str
        Columns.
    levels : int
        At least 1.
    below : float
        In the measure's unit: the error of a constant prediction, which costs nothing.

    Returns
    -------
    CostRatio or None
        None if a method has no run, or the means have no error in common.
    """
    if levels < 1:
        raise ValueError(f"levels must be at least 1, got {levels}")
    grids: list[NDArray[np.float64]] = []
    values: list[NDArray[np.float64]] = []
    for frames in (first, second):
        runs = [run for run in (known_points(frame, cost, measure) for frame in frames) if len(run[0])]
        if not runs:
            return None
        grids.append(shared_costs(runs))
        values.append(values_on(runs, grids[-1]))

    def at_levels(*chosen: Sequence[int]) -> tuple[NDArray[np.float64], NDArray[np.float64], float] | None:
        means = [matrix[list(rows)].mean(axis=0) for matrix, rows in zip(values, chosen, strict=True)]
        low, high = max(float(mean.min()) for mean in means), min(below, *(float(mean[0]) for mean in means))
        if not low < high:
            return None
        errors = np.linspace(low, high, levels, endpoint=False)
        costs = [grid[first_at_or_below(mean, errors)] for grid, mean in zip(grids, means, strict=True)]
        return errors, costs[1] / costs[0], high

    def mean_ratio(*chosen: Sequence[int]) -> float | None:
        found = at_levels(*chosen)
        return None if found is None else math.exp(float(np.log(found[1]).mean()))

    whole = at_levels(*(range(len(matrix)) for matrix in values))
    ratio = bootstrap_groups(mean_ratio, [len(matrix) for matrix in values])
    if whole is None or ratio is None:
        return None
    errors, ratios, high = whole
    return CostRatio(ratio, low_error=float(errors[0]), high_error=high, at_best=float(ratios[0]))
