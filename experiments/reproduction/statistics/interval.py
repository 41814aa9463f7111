"""Estimates with intervals, and decisions about limits: percentile bootstrap over whole runs, or the range of few runs.

All intervals of the project are made here: `RESAMPLES` resamples of one generator, numerator and denominator of a ratio
in the same resample. With few runs the intervals of means are too narrow: simulations (`tests/reproduction/
test_statistics_coverage.py`) give a coverage of 78 to 87 % with 5 runs, 85 to 92 % with 10, 90 to 93 % with 20, 92 to
95 % with 50. Intervals of medians, of their ratios and of exponents cover 95 to 98 %.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from itertools import product
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

LEAST_RUNS: Final = 5
"""Least number of runs for a bootstrap: fewer resamples of four runs differ than an interval of 95 % needs."""
RESAMPLES: Final = 2000
LEVEL: Final = 0.95
"""Nominal coverage of the intervals."""
_SEED: Final = 0
_LARGEST_RANGE: Final = 5000
_HUGE: Final = 1e300
_ROWS: Final = 500
"""Resamples that a statistic gets at a time."""

Draws = NDArray[np.int64]
"""Bootstrap indices of the runs of one group, drawn with replacement; (m resamples, runs)."""
Centres = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""A statistic of the centres of groups of runs: from (m, groups) centres to (m,) numbers, row by row."""


@dataclass(frozen=True)
class Interval:
    """An estimate and the interval around it."""

    estimate: float
    """From all runs."""
    low: float
    high: float
    """Ends of the percentile bootstrap of nominally 95 %; below `LEAST_RUNS` runs the least and largest value of single
    runs. The interval is widened to the estimate where it excludes it (rounding, or a skewed statistic of few runs)."""
    runs: int = 1
    """Runs of the method that has the fewest, without methods of a single run."""

    @property
    def method(self) -> str:
        """``95 % bootstrap``, ``range``, or ``one run``."""
        return "one run" if self.runs < 2 else "range" if self.runs < LEAST_RUNS else f"{100 * LEVEL:g} % bootstrap"

    def as_dict(self) -> dict[str, Any]:
        """JSON-able form, with the method."""
        return asdict(self) | {"method": self.method}

    def scaled(self, factor: float) -> Interval:
        """Multiply by a positive factor."""
        return replace(self, estimate=factor * self.estimate, low=factor * self.low, high=factor * self.high)

    def widened(self, down: float, up: float) -> Interval:
        """Divide `low` and multiply `high` by factors: costs are known up to the step of the evaluations."""
        return replace(self, low=self.low / down, high=self.high * up)

    def text(self, written: Callable[[float], str]) -> str:
        """Write the estimate, and the interval in brackets; a range of runs, or of the evaluation grid, is called so.

        ``1.6 [1.2, 2.1]``, ``1.6 (range 1.2 to 2.1)``, ``1.6 (grid 1.5 to 1.7)``.
        """
        low, estimate, high = map(written, (self.low, self.estimate, self.high))
        if self.runs >= LEAST_RUNS:
            return f"{estimate} [{low}, {high}]"
        if self.runs < 2 and self.low == self.high:
            return estimate
        return f"{estimate} ({'grid' if self.runs < 2 else 'range'} {low} to {high})"


def bootstrap_mean(values: ArrayLike) -> Interval:
    """Return the mean of independent values (one per run) with its bootstrap interval.

    Raises ValueError if there is no value, or an infinite one.

    Parameters
    ----------
    values : array_like, (runs,)
        NaN: missing, left out. For one value, or equal ones, the interval is a point.
    """
    present = np.asarray(values, dtype=np.float64).ravel()
    present = present[~np.isnan(present)]
    if not present.size or np.isinf(present).any():
        raise ValueError(f"a mean needs finite values, got {'an infinite one' if present.size else 'none'}")
    if present.min() == present.max():
        return Interval(float(present[0]), float(present[0]), float(present[0]), present.size)
    return bootstrap_means(lambda means: means[:, 0], [present])


def bootstrap_geometric_mean(logs: ArrayLike) -> Interval:
    """Return the geometric mean of independent positive values with its bootstrap interval, from their logarithms.

    Raises ValueError as in `bootstrap_mean`.

    Parameters
    ----------
    logs : array_like, (runs,)
        Natural logarithms; otherwise as in `bootstrap_mean`.
    """
    mean = bootstrap_mean(logs)
    return replace(mean, estimate=math.exp(mean.estimate), low=math.exp(mean.low), high=math.exp(mean.high))


def bootstrap_means(statistic: Centres, groups: Sequence[ArrayLike]) -> Interval:
    """Return the bootstrap interval of a function of group means; each group is resampled by itself.

    Raises ValueError if a group has no value, or one that is not finite.

    Parameters
    ----------
    statistic : callable
        From (m, groups) means to (m,) numbers, row by row.
    groups : sequence of array_like, (runs,)
        Finite values, one run or more each. If all have a single run the interval is a point.
    """
    if not all(np.isfinite(np.asarray(group, dtype=np.float64)).all() for group in groups):
        raise ValueError("means need finite values")
    return _bootstrap_centres(statistic, groups, lambda values: values.mean(axis=1))


def bootstrap_medians(statistic: Centres, groups: Sequence[ArrayLike]) -> Interval:
    """Return the bootstrap interval of a function of group medians; otherwise as `bootstrap_means`.

    Values may be infinite, as costs of runs that miss a target; then an end of the interval may be infinite.
    """
    return _bootstrap_centres(statistic, groups, lambda values: np.median(values, axis=1))


def bootstrap(statistic: Callable[[Draws], NDArray[np.float64]], n: int) -> Interval | None:
    """Return the bootstrap interval of any statistic of n runs: `bootstrap_groups` of one group."""
    return bootstrap_groups(statistic, (n,))


def bootstrap_groups(statistic: Callable[..., NDArray[np.float64]], sizes: Sequence[int]) -> Interval | None:
    """Return the bootstrap interval of any statistic of groups of runs; each group is resampled by itself.

    None if the statistic of all runs, or of every resample, is not defined. Other such resamples are left out.

    Parameters
    ----------
    statistic : callable
        Takes `Draws` of each group, with equally many rows, and returns a number for each row, (m,); NaN where it is
        not defined.
    sizes : sequence of int
        Runs in each group. Where no group has several runs the interval is a point, below `LEAST_RUNS` the range of
        single runs; of resamples where the statistic of no single run is defined.
    """
    if min(sizes) < 1:
        return None
    estimate = float(statistic(*(np.arange(size)[None] for size in sizes))[0])
    if math.isnan(estimate):
        return None
    runs = _fewest(sizes)
    if runs == 1:
        return Interval(estimate, estimate, estimate)
    drawn = _drawn(tuple(sizes))
    if runs >= LEAST_RUNS:
        results = _defined(statistic, drawn)
        return _percentiles(estimate, results, runs) if results.size else None
    for few in (tuple(single[:, None] for single in _single_runs(tuple(sizes)).T), drawn):
        results = _defined(statistic, few)
        if results.size:
            return _around(estimate, results, runs)
    return None


def _defined(statistic: Callable[..., NDArray[np.float64]], drawn: Sequence[Draws]) -> NDArray[np.float64]:
    """Return the values of a statistic, those that are not defined left out; some rows at a time, to save memory."""
    parts = (slice(first, first + _ROWS) for first in range(0, len(drawn[0]), _ROWS))
    values: NDArray[np.float64] = np.concatenate([statistic(*(rows[part] for rows in drawn)) for part in parts])
    return values[~np.isnan(values)]


def _bootstrap_centres(
    statistic: Centres, groups: Sequence[ArrayLike], centre: Callable[[NDArray[np.float64]], NDArray[np.float64]]
) -> Interval:
    """Return the interval of a statistic of the groups' centres; `centre` maps (m, runs) to (m,)."""
    values = [np.asarray(group, dtype=np.float64).ravel() for group in groups]
    if not values or any(not group.size or np.isnan(group).any() for group in values):
        raise ValueError("a bootstrap needs values, one or more in each group, and none of them NaN")

    def of(*rows: Draws) -> NDArray[np.float64]:
        return statistic(np.stack([centre(group[chosen]) for group, chosen in zip(values, rows, strict=True)], axis=1))

    sizes = [group.size for group in values]
    return bootstrap_groups(of, sizes) or Interval(math.nan, math.nan, math.nan, _fewest(sizes))


def _fewest(sizes: Sequence[int]) -> int:
    """Return the size of the smallest group of several runs; 1 without such a group."""
    return min((size for size in sizes if size > 1), default=1)


@lru_cache(maxsize=8)  # a figure has many comparisons with the same numbers of runs
def _single_runs(sizes: tuple[int, ...]) -> NDArray[np.int64]:
    """Return all combinations of one run per group, (combinations, groups); a sample of `_LARGEST_RANGE` if more."""
    if math.prod(sizes) <= _LARGEST_RANGE:
        return np.array(list(product(*map(range, sizes))), dtype=np.int64)
    return _generator().integers(np.array(sizes), size=(_LARGEST_RANGE, len(sizes)))


@lru_cache(maxsize=64)
def _drawn(sizes: tuple[int, ...]) -> tuple[Draws, ...]:
    """Return the runs of each group that the resamples draw, (`RESAMPLES`, size) each."""
    below = np.repeat(sizes, sizes)  # for each draw the number of runs that it chooses from
    drawn = _generator().integers(np.broadcast_to(below, (RESAMPLES, below.size)))
    return tuple(np.split(drawn, np.cumsum(sizes)[:-1], axis=1))


def _around(estimate: float, results: NDArray[np.float64], runs: int) -> Interval:
    """Return an estimate with the range of some results."""
    return Interval(estimate, float(np.min(results, initial=estimate)), float(np.max(results, initial=estimate)), runs)


def _generator() -> np.random.Generator:
    return np.random.Generator(np.random.Philox(_SEED))


def _percentiles(estimate: float, results: NDArray[np.float64], runs: int) -> Interval:
    limits = np.quantile(np.minimum(results, _HUGE), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])  # inf - inf is NaN
    low, high = (math.inf if end > 1e-3 * _HUGE else float(end) for end in limits)
    return Interval(estimate, min(low, estimate), max(high, estimate), runs)


Ruling = Literal["holds", "trivial", "fails", "unclear", "missing", "beside"]
"""Ruling on one case of a claim.

``trivial``: it holds with a slack above 100. ``unclear``: the interval contains the limit. ``missing``: the claim is
about this case, but its runs or data are missing. ``beside``: measured, but the claim is not about it.
"""


@dataclass(frozen=True)
class Decision:
    """The ruling on one case."""

    ruling: Ruling
    more_runs: int | None = None
    """Runs in addition that would settle an unclear case if its estimate stays; None if it is not known."""


HOLDS: Final = Decision("holds")
TRIVIAL: Final = Decision("trivial")
FAILS: Final = Decision("fails")
UNCLEAR: Final = Decision("unclear")
MISSING: Final = Decision("missing")
BESIDE: Final = Decision("beside")

TRIVIAL_SLACK: Final = 100.0
"""A bound that exceeds the measurement by more than this factor holds trivially."""
_MOST_RUNS = 1_000


def at_most(interval: Interval, limit: float) -> Decision:
    """Decide whether a quantity is at most a limit; unclear if its interval contains the limit."""
    if interval.high <= limit:
        return HOLDS
    return FAILS if interval.low > limit else Decision("unclear", more_runs(interval, limit))


def above(interval: Interval, limit: float) -> Decision:
    """Decide whether a quantity is above a limit; unclear if its interval contains the limit."""
    if interval.low > limit:
        return HOLDS
    return FAILS if interval.high <= limit else Decision("unclear", more_runs(interval, limit))


def within(interval: Interval, low: float, high: float) -> Decision:
    """Decide whether a quantity lies between two limits; unclear if its interval contains one of them."""
    if low <= interval.low and interval.high <= high:
        return HOLDS
    if interval.low > high or interval.high < low:
        return FAILS
    runs = [more_runs(interval, limit) for limit in (low, high) if interval.low <= limit <= interval.high]
    counts = [count for count in runs if count is not None]
    return Decision("unclear", max(counts) if counts and len(counts) == len(runs) else None)


def under_bound(measured: Interval, bound: float) -> Decision:
    """Decide whether a positive quantity is at most a theoretical bound; trivially beyond `TRIVIAL_SLACK`."""
    return TRIVIAL if TRIVIAL_SLACK * measured.high < bound else at_most(measured, bound)


def holds(condition: bool) -> Decision:
    """Decide by a condition that is true or false."""
    return HOLDS if condition else FAILS


def more_runs(interval: Interval, limit: float) -> int | None:
    """Return how many more runs bring the interval's end to the limit, if its width falls with the root of the runs."""
    distance = abs(interval.estimate - limit)
    reach = interval.estimate - interval.low if limit < interval.estimate else interval.high - interval.estimate
    if not distance or interval.runs < 2 or (reach / distance) ** 2 * interval.runs > _MOST_RUNS:
        return None
    return max(math.ceil(interval.runs * (reach / distance) ** 2) - interval.runs, LEAST_RUNS - interval.runs, 1)
