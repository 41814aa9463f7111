"""Estimates with intervals: percentile bootstrap over whole runs; below `LEAST_RUNS` runs their range."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, lru_cache
from itertools import product
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

LEAST_RUNS: Final = 5
"""Least number of runs for a bootstrap: fewer resamples of four runs differ than an interval of 95 % needs."""
_LARGEST_RANGE = 5000


@dataclass(frozen=True)
class Interval:
    """An estimate and the interval around it.

    Attributes
    ----------
    estimate : float
        From all runs.
    low, high : float
        Percentile bootstrap, 95 % by default; below `LEAST_RUNS` runs the least and largest value of single runs. The
        interval is widened to the estimate where it excludes it (rounding, or a skewed statistic of few runs).
    runs : int
        Runs of the method that has the fewest, without methods of a single run.
    """

    estimate: float
    low: float
    high: float
    runs: int = 1

    @property
    def kind(self) -> str:
        """``95 % bootstrap interval``, ``range``, or ``one run``."""
        return "one run" if self.runs < 2 else "range" if self.runs < LEAST_RUNS else "95 % bootstrap interval"

    def as_dict(self) -> dict[str, float]:
        """JSON-able form."""
        return asdict(self)

    def scaled(self, factor: float) -> Interval:
        """Multiply by a positive factor."""
        return replace(self, estimate=factor * self.estimate, low=factor * self.low, high=factor * self.high)

    def widened(self, down: float, up: float) -> Interval:
        """Divide `low` and multiply `high` by factors: costs are known up to the step of the evaluations."""
        return replace(self, low=self.low / down, high=self.high * up)


def bootstrap_mean(values: ArrayLike, *, seed: int = 0, resamples: int = 10_000, level: float = 0.95) -> Interval:
    """Return the mean of independent values (one per run) with its bootstrap interval.

    Parameters
    ----------
    values : array_like, (runs,)
        NaN: missing, left out. For one value, or equal ones, the interval is a point.
    seed : int
        Seed of the resampling.
    resamples : int
    level : float
        Between 0 and 1.

    Raises
    ------
    ValueError
        There is no value, or an infinite one.
    """
    known = np.asarray(values, dtype=np.float64).ravel()
    known = known[~np.isnan(known)]
    if not known.size or np.isinf(known).any():
        raise ValueError(f"a mean needs finite values, got {'an infinite one' if known.size else 'none'}")
    if known.min() == known.max():
        return Interval(float(known[0]), float(known[0]), float(known[0]), known.size)
    if known.size < LEAST_RUNS:
        return _around(float(known.mean()), known, known.size)
    chosen = _generator(seed).integers(known.size, size=(resamples, known.size))
    return _percentiles(float(known.mean()), known[chosen].mean(axis=1), level, known.size)


def bootstrap_means(
    statistic: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    groups: Sequence[ArrayLike],
    *,
    seed: int = 0,
    resamples: int = 10_000,
    level: float = 0.95,
) -> Interval:
    """Return the interval of a statistic of the means of several groups of runs, resampled independently.

    Parameters
    ----------
    statistic : callable
        From (m, groups) means to (m,) numbers, row by row.
    groups : sequence of array_like, (runs,)
        Finite values, one run or more each. If all have a single run the interval is a point.
    seed, resamples, level
        As in `bootstrap_mean`.

    Raises
    ------
    ValueError
        A group has no value, or one that is not finite.
    """
    values = [np.asarray(group, dtype=np.float64).ravel() for group in groups]
    if not values or not all(own.size and np.isfinite(own).all() for own in values):
        raise ValueError("means need finite values, one or more in each group")
    estimate = float(statistic(np.array([[own.mean() for own in values]]))[0])
    runs = _fewest([own.size for own in values])
    if runs == 1:
        return Interval(estimate, estimate, estimate)
    if runs < LEAST_RUNS:
        singles = _single_runs(tuple(own.size for own in values), seed)
        chosen = [own[singles[:, place]] for place, own in enumerate(values)]
        return _around(estimate, statistic(np.stack(chosen, axis=1)), runs)
    generator = _generator(seed)
    chosen = [own[generator.integers(own.size, size=(resamples, own.size))].mean(axis=1) for own in values]
    return _percentiles(estimate, statistic(np.stack(chosen, axis=1)), level, runs)


def bootstrap(
    statistic: Callable[[Sequence[int]], float | None],
    n: int,
    *,
    seed: int = 0,
    resamples: int = 2000,
    level: float = 0.95,
) -> Interval | None:
    """Return the bootstrap interval of any statistic of n runs.

    Parameters
    ----------
    statistic : callable
        Takes the numbers of runs, between 0 and n - 1, possibly repeated. Returns None or NaN if it is not defined.
    n : int
        Number of runs. With one run the interval is a point, below `LEAST_RUNS` the range of single runs; of resamples
        where the statistic of no single run is defined.
    seed, resamples, level
        As in `bootstrap_mean`.

    Returns
    -------
    Interval or None
        None if the statistic of all runs, or of every resample, is not defined. Other such resamples are left out.
    """
    return bootstrap_groups(statistic, (n,), seed=seed, resamples=resamples, level=level)


def bootstrap_groups(
    statistic: Callable[..., float | None],
    sizes: Sequence[int],
    *,
    seed: int = 0,
    resamples: int = 2000,
    level: float = 0.95,
) -> Interval | None:
    """Return the interval of `bootstrap` for a statistic of several groups of runs, resampled independently.

    Parameters
    ----------
    statistic : callable
        Takes one sequence of run numbers per group.
    sizes : sequence of int
        Runs in each group.
    seed, resamples, level
        As in `bootstrap_mean`.
    """
    if min(sizes) < 1:
        return None
    estimate = _known(statistic(*(range(size) for size in sizes)))
    if estimate is None:
        return None
    runs = _fewest(sizes)
    if runs == 1:
        return Interval(estimate, estimate, estimate)
    if runs < LEAST_RUNS:
        singles = _single_runs(tuple(sizes), seed).tolist()
        of_singles = [_known(statistic(*([run] for run in single))) for single in singles]
        if known := [value for value in of_singles if value is not None]:
            return _around(estimate, np.array(known), runs)

    @cache  # few runs have few different resamples: 729 of two groups of three
    def of(*groups: tuple[int, ...]) -> float | None:
        return _known(statistic(*map(list, groups)))

    results = [result for groups in _drawn(tuple(sizes), seed, resamples) if (result := of(*groups)) is not None]
    if runs < LEAST_RUNS:  # the statistic is not defined for single runs
        return _around(estimate, np.array(results), runs) if results else None
    return _percentiles(estimate, np.array(results), level, runs) if results else None


def relative_difference(
    first: Callable[[Sequence[int]], float],
    second: Callable[[Sequence[int]], float],
    sizes: tuple[int] | tuple[int, int],
    *,
    seed: int = 0,
    resamples: int = 2000,
    level: float = 0.95,
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
    seed, resamples, level
        As in `bootstrap_mean`.

    Returns
    -------
    Interval or None
        None without runs, or if the second is 0. Resamples in which it is 0 are left out.
    """

    def statistic(*chosen: Sequence[int]) -> float | None:
        base = second(chosen[-1])
        return (first(chosen[0]) - base) / abs(base) if base else None

    return bootstrap_groups(statistic, sizes, seed=seed, resamples=resamples, level=level)


def _fewest(sizes: Sequence[int]) -> int:
    """Return the size of the smallest group of several runs; 1 without such a group."""
    return min((size for size in sizes if size > 1), default=1)


@lru_cache(maxsize=8)  # a figure has many comparisons with the same numbers of runs
def _single_runs(sizes: tuple[int, ...], seed: int) -> NDArray[np.int64]:
    """Return every choice of one run of each group, or `_LARGEST_RANGE` random ones; (choices, groups)."""
    if math.prod(sizes) <= _LARGEST_RANGE:
        return np.array(list(product(*map(range, sizes))), dtype=np.int64)
    return _generator(seed).integers(np.array(sizes), size=(_LARGEST_RANGE, len(sizes)))


def _around(estimate: float, results: NDArray[np.float64], runs: int) -> Interval:
    """Return an estimate with the range of some results."""
    return Interval(estimate, float(np.min(results, initial=estimate)), float(np.max(results, initial=estimate)), runs)


@lru_cache(maxsize=8)  # a figure has many comparisons with the same numbers of runs
def _drawn(sizes: tuple[int, ...], seed: int, resamples: int) -> list[list[tuple[int, ...]]]:
    generator = _generator(seed)
    return [[tuple(generator.integers(size, size=size).tolist()) for size in sizes] for _ in range(resamples)]


def _known(value: float | None) -> float | None:
    return None if value is None or math.isnan(value) else float(value)


def _generator(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(seed))


def _percentiles(estimate: float, results: NDArray[np.float64], level: float, runs: int) -> Interval:
    if not 0 < level < 1:
        raise ValueError(f"the level of an interval must lie between 0 and 1, got {level}")
    low, high = np.quantile(results, [(1 - level) / 2, (1 + level) / 2])
    return Interval(estimate, min(float(low), estimate), max(float(high), estimate), runs)
