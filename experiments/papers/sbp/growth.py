"""Kernel evaluations needed for an error, and their growth as the error approaches the best one.

Target errors are (1 + delta) E*; growth is the exponent a of kernel evaluations ~ (1/delta)^a. A bound is about
expected errors, so a target counts as reached once the *mean over the runs* stays at or below it. The first time that
a single run meets it is also given: it depends on the test set, and is early for a method whose error fluctuates.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from ...columns import MEASURE
from ...curve import Points, first_at_or_below, known_points, shared_costs, values_on
from ...reproduction.evidence import Panel
from ...reproduction.statistics.interval import Draws, Interval
from ...reproduction.statistics.regression import exponent, power
from .methods import COST, KEPT, METHODS, RIVALS

DELTAS: Final = (10.0, 7.0, 5.0, 3.0, 2.0, 1.5, 1.0, 0.7, 0.5, 0.3, 0.2, 0.15, 0.1, 0.07, 0.05, 0.03, 0.02)
PRINTED: Final = (10.0, 5.0, 2.0, 1.0, 0.5, 0.2, 0.1, 0.05, 0.02)
"""Values of delta with a column in the table."""

Used: TypeAlias = NDArray[np.bool_]
"""Which of `DELTAS`, (deltas,)."""


@dataclass(frozen=True)
class Bound:
    """An upper bound on the evaluations that an excess error epsilon takes: ((L + e)/e)^ratio |u|^4 / e^power.

    It is the product of n = (L + e)/e |u|^2 / e training examples (equation 3.5) and the evaluations per example. Runs
    on one data set have the same n for every error, so their evaluations are compared with the second factor.
    """

    method: str
    """Its name in Table 1."""
    ratio: int
    power: int

    @property
    def formula(self) -> str:
        """Return the formula of the bound as text."""
        ratio, power = (f"^{value}" if value > 1 else "" for value in (self.ratio, self.power))
        return f"((L+ε)/ε){ratio} ‖u‖^4/ε{power}"

    def at(self, hinge: float, epsilon: ArrayLike, *, per_example: bool = False) -> NDArray[np.float64]:
        """Value for a hinge loss L and excess errors, whole or over n, without powers of |u| and constants."""
        excess = np.asarray(epsilon, dtype=np.float64)
        whole = ((hinge + excess) / excess) ** self.ratio / excess**self.power
        return whole * excess**2 / (hinge + excess) if per_example else whole


BOUNDS: Final[Mapping[str, Bound]] = {
    "sbp": Bound("SBP", 3, 1),
    "smo": Bound("dual decomposition", 2, 2),
    "pegasos": Bound("SGD", 1, 3),
}
"""Bounds of Table 1, by series."""


def points_of(frames: Sequence[pd.DataFrame], cost: str = COST, unit: float = 1.0) -> list[Points]:
    """Return the cost, in `unit` kernel evaluations, and the test error of each run that has both."""
    points = [known_points(frame, cost, MEASURE) for frame in frames]
    return [(unit * costs, errors) for costs, errors in points if len(costs)]


def cost_of(
    costs: NDArray[np.float64], errors: NDArray[np.float64], targets: ArrayLike, *, settled: bool
) -> NDArray[np.float64]:
    """Return the costs at which a curve is first at or below each target, or from which it stays so, (targets,).

    For several curves on one grid, (curves, rows) errors, it is (curves, targets). inf: never. 0: already at the first
    point, so that the cost is unknown.
    """
    return np.concatenate([[0.0], costs[1:], [math.inf]])[first_at_or_below(errors, targets, settled=settled)]


ChargeName = Literal["iteration", "support_vector", "change"]


@dataclass(frozen=True)
class Charge:
    """A way to charge methods that do not have to store all responses."""

    cost: str
    """Column of the curve."""
    suffix: str
    """Suffix of the rivals' series."""
    text: str
    short: str
    """For a heading, and for a cell of the table."""
    differing: tuple[str, ...]
    """Methods whose costs differ from those under the charges before."""


CHARGES: Final[Mapping[ChargeName, Charge]] = {
    "iteration": Charge("iterations", "", "n evaluations for each iteration", "n per iteration", METHODS),
    "support_vector": Charge(
        COST,
        "",
        "one evaluation per support vector for each response",
        "per support vector",
        (*RIVALS, "perceptron"),
    ),
    "change": Charge(COST, KEPT, "n evaluations for each change of a coefficient", "n per change", RIVALS),
}


@dataclass(frozen=True)
class ErrorCosts:
    """Kernel evaluations that a method takes for some errors."""

    points: Sequence[Points]
    """Kernel evaluations and test error of each run, one or more."""
    targets: NDArray[np.float64]
    """(targets,): errors wanted."""

    @property
    def runs(self) -> int:
        """Number of runs."""
        return len(self.points)

    @cached_property
    def grid(self) -> NDArray[np.float64]:
        """Kernel evaluations at the evaluations of all runs, from the first that every run has reached, (m,)."""
        return shared_costs(self.points)

    @cached_property
    def errors(self) -> NDArray[np.float64]:
        """Test error of each run at each cost of `grid`, (runs, m): the last value known at that cost."""
        return values_on(self.points, self.grid)

    def costs_of(self, runs: Draws) -> NDArray[np.float64]:
        """Return the kernel evaluations from which the mean error of the runs drawn stays at each target: `cost_of`.

        (m, targets).
        """
        return cost_of(self.grid, self.errors[runs].mean(axis=1), self.targets, settled=True)

    @cached_property
    def costs(self) -> NDArray[np.float64]:
        """Kernel evaluations from which the mean error of all runs stays at each target, (targets,)."""
        costs: NDArray[np.float64] = self.costs_of(np.arange(self.runs)[None])[0]
        return costs


@dataclass(frozen=True)
class Growth(ErrorCosts):
    """One method on one data set; the targets belong to `DELTAS`."""

    fair: Used
    """(deltas,): whether the target is below the error of a constant prediction."""

    @cached_property
    def first(self) -> NDArray[np.float64]:
        """Kernel evaluations at which each run first meets each target: `cost_of`, (runs, deltas)."""
        return np.array([cost_of(*points, self.targets, settled=False) for points in self.points])

    def first_of(self, runs: Draws) -> NDArray[np.float64]:
        """Return the median of `first` over the runs drawn, (m, deltas).

        Between two it is the upper one: a cost that is not known is not averaged with another.
        """
        median: NDArray[np.float64] = np.sort(self.first[runs], axis=1)[:, runs.shape[1] // 2]
        return median

    @cached_property
    def used(self) -> Used:
        """Which deltas the fit uses: those that are fair and are reached after the first evaluation."""
        return self.fair & np.isfinite(self.costs) & (self.costs > 0)

    @cached_property
    def interval(self) -> Interval | None:
        """Exponent with its bootstrap interval over the runs; None if too few errors are reached."""
        used = self.used
        return exponent(1 / np.array(DELTAS)[used], lambda runs: self.costs_of(runs)[:, used], [self.runs])

    def never_dearer(self, other: Growth) -> Used:
        """Whether this method takes at most the evaluations of another.

        A target met at the first point costs this method that point's cost, and the other 0.
        """
        return np.where(self.costs == 0.0, self.grid[0], self.costs) <= other.costs


def growth_over(values: NDArray[np.float64], used: Used) -> float | None:
    """Return the exponent of 1/delta in values at `DELTAS`, over some of these; None with too few known values."""
    return power(1 / np.array(DELTAS)[used], values[used])


def difference(
    first: Growth,
    second: Growth,
    used: Used,
    costs: Callable[[Growth, Draws], NDArray[np.float64]] = Growth.costs_of,
) -> Interval | None:
    """Difference of two exponents, first minus second, over the same deltas; None below `LEAST_POINTS` deltas.

    `costs` is `Growth.costs_of` or `Growth.first_of`. The bootstrap resamples the runs of each method independently;
    deltas that either misses in a resample are left out.
    """
    sides = [(lambda runs, growth=growth: costs(growth, runs)[:, used], [growth.runs]) for growth in (first, second)]
    return exponent(1 / np.array(DELTAS)[used], *sides[0], *sides[1])


@dataclass(frozen=True)
class PanelGrowth:
    """Growth of all methods on one data set."""

    panel: Panel
    best: float
    best_by: str
    """E*, the lowest final test error (mean over runs) of any method, and that method."""
    trivial: float
    """Test error of one answer for every example."""
    hinge: float | None
    """L: mean hinge loss on the training set of SMO's last predictor, the optimum of the lambda form."""
    growths: dict[str, Growth] = field(default_factory=dict)
    """By method; methods without runs are left out."""

    def bounds(self, series: str, *, per_example: bool = False) -> NDArray[np.float64]:
        """Return a series' bound at each delta, whole or over n, (deltas,); NaN without a bound or without L."""
        bound = BOUNDS.get(series)
        if bound is None or self.hinge is None:
            return np.full(len(DELTAS), math.nan)
        return bound.at(self.hinge, np.array(DELTAS) * self.best, per_example=per_example)

    def bound_exponent(self, series: str, used: Used, *, per_example: bool = False) -> float | None:
        """Return the growth of a series' bound over some deltas; None without a bound or L, or with too few deltas."""
        return growth_over(self.bounds(series, per_example=per_example), used)


def measure_growth(panel: Panel, charge: Charge) -> PanelGrowth | None:
    """Growth of every method on one data set; None without a run, or if the best error is 0."""
    unit = 1.0 if charge.cost == COST else float(panel.n or 1)
    curves = {name: panel.curves(name + charge.suffix * (name in RIVALS)) for name in METHODS}
    points = {name: runs for name, frames in curves.items() if (runs := points_of(frames, charge.cost, unit))}
    finals = {name: float(np.mean([errors[-1] for _, errors in runs])) for name, runs in points.items()}
    if not finals or min(finals.values()) == 0.0:
        return None
    best_by = min(finals, key=lambda name: finals[name])
    best, trivial = finals[best_by], panel.trivial_error
    assert trivial is not None  # a panel with a run has it
    targets = (1 + np.array(DELTAS)) * best
    growths = {name: Growth(runs, targets, targets < trivial) for name, runs in points.items()}
    hinges = [run.result["final"].get("hinge") for run in panel.runs.get("smo", ())]
    hinge = next((float(value) for value in hinges if value is not None), None)
    return PanelGrowth(panel, best, best_by, trivial, hinge, growths)
