"""Kernel evaluations needed for an error, and their growth as the error approaches the best one.

Target errors are (1 + delta) E*; growth is the exponent a of kernel evaluations ~ (1/delta)^a. A bound is about
expected errors, so a target counts as reached once the *mean over the runs* stays at or below it. The first time that
a single run meets it is also given: it depends on the test set, and is early for a method whose error fluctuates.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from svm_cost_curves.experiments.curve import known_points, shared_costs, values_on
from svm_cost_curves.experiments.reproduction.statistics import Interval, bootstrap, bootstrap_groups, loglog_slope

COST: Final = "kernel_evaluations"
DELTAS: Final = (10.0, 7.0, 5.0, 3.0, 2.0, 1.5, 1.0, 0.7, 0.5, 0.3, 0.2, 0.15, 0.1, 0.07, 0.05, 0.03, 0.02)
PRINTED: Final = (10.0, 5.0, 2.0, 1.0, 0.5, 0.2, 0.1, 0.05, 0.02)
"""Values of delta with a column in the table."""
LEAST_POINTS: Final = 3
"""Least number of points for a fit."""
RESAMPLES: Final = 1000
_ROUNDING = 1 + 1e-12

Used: TypeAlias = NDArray[np.bool_]
"""Which of `DELTAS`, (deltas,)."""


@dataclass(frozen=True)
class Bound:
    """An upper bound on the evaluations that an excess error epsilon takes: ((L + e)/e)^ratio |u|^4 / e^power.

    It is the product of n = (L + e)/e |u|^2 / e training examples (equation 3.5) and the evaluations per example. Runs
    on one data set have the same n for every error, so their evaluations are compared with the second factor.

    Attributes
    ----------
    method : str
        Its name in Table 1.
    ratio, power : int
    """

    method: str
    ratio: int
    power: int

    @property
    def formula(self) -> str:
        """As text."""
        ratio, power = (f"^{value}" if value > 1 else "" for value in (self.ratio, self.power))
        return f"((L+ε)/ε){ratio} ‖u‖^4/ε{power}"

    def at(self, hinge: float, epsilon: ArrayLike) -> NDArray[np.float64]:
        """Value for a hinge loss L and excess errors, without |u|^4 and constants."""
        excess = np.asarray(epsilon, dtype=np.float64)
        return ((hinge + excess) / excess) ** self.ratio / excess**self.power

    def per_example(self, hinge: float, epsilon: ArrayLike) -> NDArray[np.float64]:
        """Value over n, without |u|^2 and constants."""
        excess = np.asarray(epsilon, dtype=np.float64)
        return self.at(hinge, excess) * excess**2 / (hinge + excess)


BOUNDS: Final[Mapping[str, Bound]] = {
    "sbp": Bound("SBP", 3, 1),
    "smo": Bound("dual decomposition", 2, 2),
    "pegasos": Bound("SGD", 1, 3),
}
"""Bounds of Table 1, by series."""


def settled(costs: NDArray[np.float64], errors: NDArray[np.float64], targets: ArrayLike) -> NDArray[np.float64]:
    """Return the costs from which a curve stays at or below each target, (targets,); costs rise.

    inf: not at the end. 0: already at the first point, so that the cost is unknown.
    """
    worst_to_come = np.maximum.accumulate(errors[::-1])[::-1]
    index = np.searchsorted(-worst_to_come, -np.asarray(targets, dtype=np.float64) * _ROUNDING, side="left")
    return np.concatenate([[0.0], costs[1:], [math.inf]])[index]


def first_met(costs: NDArray[np.float64], errors: NDArray[np.float64], targets: ArrayLike) -> NDArray[np.float64]:
    """Return the costs at which a curve is first at or below each target; as in `settled`, inf: never."""
    best_so_far = np.minimum.accumulate(errors)
    index = np.searchsorted(-best_so_far, -np.asarray(targets, dtype=np.float64) * _ROUNDING, side="left")
    return np.concatenate([[0.0], costs[1:], [math.inf]])[index]


def exponent(deltas: ArrayLike, costs: ArrayLike) -> float | None:
    """Exponent of costs ~ (1/delta)^a; None with fewer than `LEAST_POINTS` costs that are positive and finite."""
    values = np.asarray(costs, dtype=np.float64)
    known = _known(values)
    if np.count_nonzero(known) < LEAST_POINTS:
        return None
    return loglog_slope(1.0 / np.asarray(deltas, dtype=np.float64)[known], values[known])


@dataclass(frozen=True)
class Growth:
    """One method on one data set.

    Attributes
    ----------
    grid : (m,) float64
        Kernel evaluations at the evaluations of all runs, from the first that every run has reached.
    errors : (runs, m) float64
        Test error of each run there, the last one known.
    first : (runs, deltas) float64
        As `first_met` gives them.
    targets : (deltas,) float64
        Errors wanted.
    fair : (deltas,) bool
        Whether the target is below the error of a constant prediction.
    """

    grid: NDArray[np.float64]
    errors: NDArray[np.float64]
    first: NDArray[np.float64]
    targets: NDArray[np.float64]
    fair: Used

    @property
    def runs(self) -> int:
        """Number of runs."""
        return len(self.errors)

    def costs_of(self, runs: Sequence[int]) -> NDArray[np.float64]:
        """Return the kernel evaluations at which the mean error of some runs has `settled`, (deltas,)."""
        return settled(self.grid, self.errors[list(runs)].mean(axis=0), self.targets)

    def first_of(self, runs: Sequence[int]) -> NDArray[np.float64]:
        """Median over some runs of where each error is `first_met`, (deltas,); between two the upper one."""
        middle: NDArray[np.float64] = np.sort(self.first[list(runs)], axis=0)[len(runs) // 2]
        return middle

    @cached_property
    def costs(self) -> NDArray[np.float64]:
        """`costs_of` all runs."""
        return self.costs_of(range(self.runs))

    @cached_property
    def used(self) -> Used:
        """Deltas of the fit: fair, reached, and not already at the first point."""
        return self.fair & _known(self.costs)

    @cached_property
    def interval(self) -> Interval | None:
        """Exponent with its bootstrap interval over the runs; None if too few errors are reached."""
        deltas = np.array(DELTAS)[self.used]
        return bootstrap(lambda runs: exponent(deltas, self.costs_of(runs)[self.used]), self.runs, resamples=RESAMPLES)


def grow(
    frames: Sequence[pd.DataFrame], targets: ArrayLike, fair: Used, cost: str = COST, unit: float = 1.0
) -> Growth | None:
    """Growth of some runs' cost, in `unit` kernel evaluations; None if no run has both costs and errors."""
    points = [known_points(frame, cost, "test_error") for frame in frames]
    runs = [(unit * costs, errors) for costs, errors in points if len(costs)]
    if not runs:
        return None
    wanted = np.asarray(targets, dtype=np.float64)
    grid = shared_costs(runs)
    return Growth(grid, values_on(runs, grid), np.array([first_met(*points, wanted) for points in runs]), wanted, fair)


def final_error(frames: Sequence[pd.DataFrame]) -> float | None:
    """Return the mean over the runs of the last test error; None without a run that has one."""
    ends = [errors[-1] for frame in frames if len(errors := known_points(frame, COST, "test_error")[1])]
    return float(np.mean(ends)) if ends else None


def difference(
    first: Growth,
    second: Growth,
    which: Used,
    costs: Callable[[Growth, Sequence[int]], NDArray[np.float64]] = Growth.costs_of,
) -> Interval | None:
    """Difference of two exponents, first minus second, over the same deltas; None below `LEAST_POINTS` deltas.

    `costs` is `Growth.costs_of` or `Growth.first_of`. The bootstrap resamples the runs of each method independently;
    deltas that either misses in a resample are left out.
    """

    def statistic(one: Sequence[int], other: Sequence[int]) -> float | None:
        a, b = costs(first, one), costs(second, other)
        both = which & _known(a) & _known(b)
        deltas = np.array(DELTAS)[both]
        slopes = exponent(deltas, a[both]), exponent(deltas, b[both])
        return None if slopes[0] is None or slopes[1] is None else slopes[0] - slopes[1]

    return bootstrap_groups(statistic, (first.runs, second.runs), resamples=RESAMPLES)


def never_dearer(first: Growth, second: Growth) -> Used:
    """Whether the first takes at most the evaluations of the second, (deltas,).

    A target met at the first point costs the first method that point's cost, and the second method 0.
    """
    return np.where(first.costs == 0.0, first.grid[0], first.costs) <= second.costs


def _known(costs: NDArray[np.float64]) -> Used:
    return np.isfinite(costs) & (costs > 0)
