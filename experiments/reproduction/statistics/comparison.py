"""Comparisons of two methods: differences and ratios of means, areas under their curves, costs of equal errors."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ...curve import ROUNDING, error_area, first_at_or_below, known_points, shared_costs, values_on
from .interval import Draws, Interval, bootstrap_groups, bootstrap_mean, bootstrap_means

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Differences:
    """Differences of two values for each pair of runs, and their mean."""

    pairs: NDArray[np.float64]
    """(pairs, 2): the values."""

    @cached_property
    def interval(self) -> Interval:
        """Mean of the differences."""
        return bootstrap_mean(self.pairs[:, 0] - self.pairs[:, 1])

    @property
    def values(self) -> list[float]:
        """The differences, for each pair."""
        values: list[float] = (self.pairs[:, 0] - self.pairs[:, 1]).tolist()
        return values

    @property
    def means(self) -> tuple[float, float]:
        """Means of the first values, and of those that were subtracted."""
        first, second = self.pairs.mean(axis=0).tolist()
        return first, second

    @property
    def relative(self) -> Interval | None:
        """Difference of the means over the second mean; None if that is 0."""
        first, second = self.pairs.T
        return relative_difference(
            lambda runs: first[runs].mean(axis=1), lambda runs: second[runs].mean(axis=1), (len(first),)
        )

    def as_dict(self) -> dict[str, Any]:
        """JSON-able form."""
        return {"differences": self.values, "interval": self.interval.as_dict()}


def differences(first: Sequence[float], second: Sequence[float]) -> Differences | None:
    """Subtract values pair by pair; a single one is paired with all others. None without a pair that is known."""
    if not len(first) or not len(second):
        return None
    pairs = np.column_stack(np.broadcast_arrays(np.asarray(first, float), np.asarray(second, float)))
    pairs = pairs[np.isfinite(pairs).all(axis=1)]
    return Differences(pairs) if len(pairs) else None


def difference(first: Sequence[ArrayLike], second: Sequence[ArrayLike]) -> Interval | None:
    """Return the mean over several sizes of the difference of two means over runs, first minus second.

    None without runs.

    Parameters
    ----------
    first, second : sequence of array_like, (runs,)
        One group of runs per size, without NaN. The k-th runs of all groups must have the same seed: they are paired
        where each group has several, and surplus runs are left out; else the groups are resampled independently.
    """
    sides = [[np.asarray(group, dtype=np.float64) for group in side] for side in (first, second)]
    if not all(sides) or not all(group.size for side in sides for group in side):
        return None
    runs = min(group.size for side in sides for group in side)
    if runs > 1:
        first_means, second_means = (np.mean([group[:runs] for group in side], axis=0) for side in sides)
        return bootstrap_mean(first_means - second_means)
    k = len(sides[0])
    return bootstrap_means(lambda means: means[:, :k].mean(axis=1) - means[:, k:].mean(axis=1), [*sides[0], *sides[1]])


def ratio_of_means(first: ArrayLike, second: ArrayLike) -> Interval | None:
    """Return the ratio of two groups' means, both resampled; None if a group is empty or the second mean is 0."""
    groups = [np.asarray(values, dtype=np.float64) for values in (first, second)]
    if not all(group.size for group in groups) or not groups[1].mean():
        return None
    return bootstrap_means(lambda means: means[:, 0] / means[:, 1], groups)


def relative_difference(
    first: Callable[[Draws], NDArray[np.float64]],
    second: Callable[[Draws], NDArray[np.float64]],
    sizes: tuple[int] | tuple[int, int],
) -> Interval | None:
    """Return the interval of (first - second) / abs(second); in each resample both are of the runs drawn.

    So it is -1 or more for two quantities that are not negative, such as errors. With the second held at its value of
    all runs, as if that were known, it would not be. None without runs, or if the second is 0. Resamples in which it is
    0 are left out.

    Parameters
    ----------
    first, second : callable
        Take the runs drawn of their group, as the statistic of `bootstrap_groups`.
    sizes : (int,) or (int, int)
        Number of pairs of runs, which are drawn together; or runs of the first and of the second method, which are
        drawn independently.
    """

    def statistic(*chosen: Draws) -> NDArray[np.float64]:
        base = second(chosen[-1])
        base = np.where(base == 0.0, np.nan, base)
        return (first(chosen[0]) - base) / np.abs(base)

    return bootstrap_groups(statistic, sizes)


@dataclass(frozen=True, eq=False)
class AreaDifference(Differences):
    """Differences of the areas under the curves of two methods over the same costs; negative: the first is lower.

    `pairs` are the mean errors of the first and of the second over the logarithm of the cost.
    """

    low: float
    high: float
    """Limits of the cost."""
    share: float
    """Share of the logarithm of the cost, between the limits, over which the mean over runs of the first is at or below
    that of the second."""

    def as_dict(self) -> dict[str, Any]:
        """JSON-able form."""
        limits, means = {"low": self.low, "high": self.high}, dict(zip(("first", "second"), self.means, strict=True))
        return limits | super().as_dict() | {"share": self.share} | means


@dataclass(frozen=True)
class CostRatio:
    """Costs of the second method over those of the first for equal errors; above 1: the second costs more."""

    ratio: Interval
    """Geometric mean over errors between the limits."""
    low_error: float
    high_error: float
    """Limits of the errors compared."""
    at_best: float
    """Ratio at `low_error`, the lowest error that both reach. It depends on single evaluations: no interval."""

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

    None without a pair, or without a common range of costs. Raises ValueError if both methods have several runs, but
    not equally many; or a curve begins only after the `low` given.

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

    The interval is from resampled runs of both methods; each resample has its own limits. None if a method has no run,
    or the means have no error in common.

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

    def at_levels(*chosen: Draws) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return the errors and the ratios at them, (m, levels), and the upper limit, (m,); NaN without a range."""
        means = [matrix[rows].mean(axis=1) for matrix, rows in zip(values, chosen, strict=True)]
        low = np.maximum(*(mean.min(axis=1) for mean in means))
        high = np.minimum(below, np.minimum(*(mean[:, 0] for mean in means)))
        errors = np.linspace(low, np.where(low < high, high, np.nan), levels, endpoint=False, axis=1)
        indices = [first_at_or_below(mean, errors) for mean in means]
        costs = [np.append(grid, np.nan)[index] for grid, index in zip(grids, indices, strict=True)]
        return errors, costs[1] / costs[0], high

    def mean_ratio(*chosen: Draws) -> NDArray[np.float64]:
        mean: NDArray[np.float64] = np.exp(np.log(at_levels(*chosen)[1]).mean(axis=1))
        return mean

    ratio = bootstrap_groups(mean_ratio, [len(matrix) for matrix in values])
    if ratio is None:
        return None
    errors, ratios, high = at_levels(*(np.arange(len(matrix))[None] for matrix in values))
    return CostRatio(ratio, low_error=float(errors[0, 0]), high_error=float(high[0]), at_best=float(ratios[0, 0]))
