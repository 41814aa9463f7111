"""Differences and ratios of means over runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from svm_cost_curves.experiments.reproduction.statistics.interval import (
    Interval,
    bootstrap_groups,
    bootstrap_mean,
    bootstrap_means,
)


@dataclass(frozen=True, eq=False)
class Differences:
    """Differences of two values for each pair of runs, and their mean.

    Attributes
    ----------
    pairs : (pairs, 2) float64
        The values.
    """

    pairs: NDArray[np.float64]

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
            lambda runs: float(first[list(runs)].mean()), lambda runs: float(second[list(runs)].mean()), (len(first),)
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

    Parameters
    ----------
    first, second : sequence of array_like, (runs,)
        One group of runs per size, without NaN. The k-th runs of all groups must have the same seed: they are paired
        where each group has several, and surplus runs are left out; else the groups are resampled independently.

    Returns
    -------
    Interval or None
        None without runs.
    """
    sides = [[np.asarray(own, dtype=np.float64) for own in side] for side in (first, second)]
    if not all(sides) or not all(own.size for side in sides for own in side):
        return None
    runs = min(own.size for side in sides for own in side)
    if runs > 1:
        one, two = (np.mean([own[:runs] for own in side], axis=0) for side in sides)
        return bootstrap_mean(one - two)
    k = len(sides[0])
    return bootstrap_means(lambda means: means[:, :k].mean(axis=1) - means[:, k:].mean(axis=1), [*sides[0], *sides[1]])


def ratio_of_means(first: ArrayLike, second: ArrayLike) -> Interval | None:
    """Return the mean of some runs over that of others, resampling both; None without runs, or if the second is 0."""
    groups = [np.asarray(values, dtype=np.float64) for values in (first, second)]
    if not all(own.size for own in groups) or not groups[1].mean():
        return None
    return bootstrap_means(lambda means: means[:, 0] / means[:, 1], groups)


def relative_difference(
    first: Callable[[Sequence[int]], float],
    second: Callable[[Sequence[int]], float],
    sizes: tuple[int] | tuple[int, int],
) -> Interval | None:
    """Return the interval of (first - second) / abs(second); in each resample both are of the runs drawn.

    So it is -1 or more for two quantities that are not negative, such as errors. With the second held at its value of
    all runs, as if that were known, it would not be.

    Parameters
    ----------
    first, second : callable
        Take run numbers, as the statistic of `bootstrap_groups`.
    sizes : (int,) or (int, int)
        Number of pairs of runs, which are drawn together; or runs of the first and of the second method, which are
        drawn independently.

    Returns
    -------
    Interval or None
        None without runs, or if the second is 0. Resamples in which it is 0 are left out.
    """

    def statistic(*chosen: Sequence[int]) -> float | None:
        base = second(chosen[-1])
        return (first(chosen[0]) - base) / abs(base) if base else None

    return bootstrap_groups(statistic, sizes)
