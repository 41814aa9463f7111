"""Claims of Figure 1: feature accesses to an error, lowest test errors, and accesses of an iteration."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Final, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...columns import MEASURE
from ...curve import Points, column, first_at_or_below, known_points, shared_costs, value_at, values_on
from ...plotting import STYLES, Style
from ...reproduction.evidence import Evidence, Panel
from ...reproduction.statistics.comparison import relative_difference
from ...reproduction.statistics.interval import MISSING, Draws, Interval, bootstrap_groups, bootstrap_mean, within
from ...reproduction.statistics.target import grid_step
from ..cases import Case, Statistic, case_on, interval_text, power_text
from ..kinds import Limits
from ..samples import samples

Method = Literal["simba", "simba_printed", "simba_unclipped", "pegasos", "pegasos_k"]
LOOKS: Final[Mapping[str, Style]] = {
    "simba": STYLES["simba"],
    "simba_printed": replace(STYLES["simba"], name="SIMBA, rate as printed", line=(0, (1.5, 1.0)), color="#c2a5cf"),
    "simba_unclipped": replace(STYLES["simba"], name="SIMBA, no clipping", line=(0, (6.0, 1.5)), color="#c2a5cf"),
    "pegasos": STYLES["pegasos"],
    "pegasos_k": replace(STYLES["minibatch_pegasos"], name="Pegasos, k = 100", color="#999999"),
}
"""Name and line of each method."""
SIMBA: Final = ("simba", "simba_printed", "simba_unclipped")
"""SIMBA and its variants; their parameter is nu, Pegasos's is lambda."""
NONZEROS: Final = "feature_accesses"
DENSE: Final = "feature_accesses_dense"
ACCOUNTINGS: Final[Mapping[str, tuple[str, str]]] = {
    "nonzeros": (NONZEROS, NONZEROS),
    "dense": (DENSE, DENSE),
    "mixed": (DENSE, NONZEROS),
}
"""Columns by which Pegasos and SIMBA are charged."""


@dataclass(frozen=True, eq=False)
class Runs:
    """One value of a method's parameter on one data set: test errors of its runs on a common grid of accesses."""

    costs: Mapping[str, NDArray[np.float64]]
    """(runs, m) each: `NONZEROS` and `DENSE`, rising, of each run's last evaluation up to the grid's accesses."""
    errors: NDArray[np.float64]
    """(runs, m): fractions."""
    evaluations: Sequence[Points] = ()
    """Accesses to nonzeros and iterations, (evaluations,) each, of each run, where the error is known."""
    value: float = math.nan
    series: str = ""
    held_error: float = math.inf
    """Lowest mean error of runs that are trained on a part of the training set and tested on the rest; inf without such
    runs."""

    @property
    def count(self) -> int:
        """Number of runs."""
        return len(self.errors)

    @cached_property
    def mean(self) -> NDArray[np.float64]:
        """Mean error over the runs, (m,)."""
        mean: NDArray[np.float64] = self.errors.mean(axis=0)
        return mean

    @cached_property
    def best(self) -> float:
        """Lowest mean error over the runs."""
        return float(self.mean.min())

    @property
    def spread(self) -> float:
        """Standard deviation over the runs where the mean error is lowest; 0 for a single run."""
        return float(self.errors[:, int(np.argmin(self.mean))].std(ddof=1)) if self.count > 1 else 0.0

    def means(self, runs: Draws) -> NDArray[np.float64]:
        """Mean error over the runs drawn, (draws, m)."""
        means: NDArray[np.float64] = self.errors[runs].mean(axis=1)
        return means

    def lowest(self, runs: Draws) -> NDArray[np.float64]:
        """Lowest mean error over the runs drawn, (draws,)."""
        lowest: NDArray[np.float64] = self.means(runs).min(axis=1)
        return lowest

    def costs_to(
        self, targets: NDArray[np.float64], column: str, runs: Draws, means: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Mean cost over the runs drawn where their `means` first meet a target, (draws,); inf if they miss it."""
        index = first_at_or_below(means, targets[:, None])
        costs = np.pad(self.costs[column], ((0, 0), (0, 1)), constant_values=math.inf)
        mean: NDArray[np.float64] = costs[runs, index].mean(axis=1)
        return mean

    def cost_to(self, target: float, column: str) -> float:
        """Mean cost over all runs where their mean error first meets a target; inf if it misses it."""
        every = np.arange(self.count)[None]
        return float(self.costs_to(np.array([target]), column, every, self.means(every))[0])

    def whole_cost(self, column: str) -> float:
        """Mean cost of whole runs."""
        return float(self.costs[column][:, -1].mean())

    def step(self, target: float) -> float:
        """Width of the evaluation grid where the mean error of all runs first meets a target; 1 if it misses it."""
        index = int(first_at_or_below(self.mean, target))
        if index == len(self.mean):
            return 1.0
        # some run is evaluated there, and the others before
        return grid_step(self.evaluations, float(self.costs[NONZEROS][:, index].max()))


def tabulate(frames: Sequence[pd.DataFrame]) -> Runs | None:
    """Put curves on one grid; None if none has a known point."""
    usable = [frame for frame in frames if len(known_points(frame, NONZEROS, MEASURE)[0])]
    if not usable:
        return None
    points = [known_points(frame, NONZEROS, MEASURE) for frame in usable]
    grid = shared_costs(points)
    costs = {
        cost: values_on([known_points(frame, NONZEROS, cost) for frame in usable], grid) for cost in (NONZEROS, DENSE)
    }
    evaluations = [
        (spent, value_at(column(frame, NONZEROS), column(frame, "iterations"), spent))
        for frame, (spent, _) in zip(usable, points, strict=True)
    ]
    return Runs(costs, values_on(points, grid), evaluations)


@dataclass(frozen=True, eq=False)
class Sweep:
    """All values of each method's parameter on one data set, in the figure's order, and the chosen ones."""

    panel: Panel
    members: Mapping[str, Sequence[Runs]]

    @cached_property
    def chosen(self) -> dict[str, dict[str, Runs]]:
        """Runs of the lowest mean error along their curves, on the test set and on held-out rows, by method."""
        tried = {method: members for method, members in self.members.items() if members}
        held = {method: min(members, key=lambda runs: runs.held_error) for method, members in tried.items()}
        return {
            "test": {method: min(members, key=lambda runs: runs.best) for method, members in tried.items()},
            "held_out": {method: runs for method, runs in held.items() if math.isfinite(runs.held_error)},
        }


def sweep(evidence: Evidence, panel: Panel) -> Sweep:
    """Return the values of the parameters that have runs on a data set.

    A series that ends in ``_held`` is trained on a part of the training set, and tested on the rest.
    """
    tables = {(sample.series, sample.value): tabulate(sample.frames) for sample in samples(evidence, panels=[panel])}
    members: dict[str, list[Runs]] = {method: [] for method in LOOKS}
    for sample in samples(evidence, LOOKS, [panel]):
        runs, on_held = (tables.get((sample.series + end, sample.value)) for end in ("", "_held"))
        if runs is not None:
            held_error = math.inf if on_held is None else on_held.best
            runs = replace(runs, value=sample.value, series=sample.name, held_error=held_error)
            members[sample.series].append(runs)
    return Sweep(panel, members)


@lru_cache(maxsize=256)  # readings and values of the constants ask for the same comparisons
def access_ratio(first: Runs, second: Runs, columns: tuple[str, str], tolerance: float) -> Interval:
    """Return the ratio first / second of the costs to reach the first's lowest mean error times 1 + `tolerance`.

    `columns` are those that both are charged by. Runs of both are resampled, and the interval is widened by the steps
    of the evaluations. The ratio is 0 if the second misses the error, with the ratio to its whole cost as upper end.
    """

    def ratio(firsts: Draws, seconds: Draws) -> NDArray[np.float64]:
        means = first.means(firsts)
        targets = means.min(axis=1) * (1 + tolerance)
        cost = first.costs_to(targets, columns[0], firsts, means)
        return cost / second.costs_to(targets, columns[1], seconds, second.means(seconds))

    sample = bootstrap_groups(ratio, (first.count, second.count))
    assert sample is not None  # there are runs, and every resample has a ratio
    target = first.best * (1 + tolerance)
    interval = sample.widened(first.step(target), second.step(target))
    if math.isfinite(second.cost_to(target, columns[1])):
        return interval
    return replace(interval, high=max(interval.high, first.cost_to(target, columns[0]) / second.whole_cost(columns[1])))


@lru_cache(maxsize=64)
def excess(first: Runs, second: Runs) -> tuple[Interval, bool]:
    """Return the excess of a lowest mean error over another, resampling both, and whether it is a share of the other.

    Where the other is 0 it is the difference.
    """
    sizes = (first.count, second.count)
    share = relative_difference(first.lowest, second.lowest, sizes)
    if share is not None:
        return share, True
    difference = bootstrap_groups(
        lambda first_draw, second_draw: first.lowest(first_draw) - second.lowest(second_draw), sizes
    )
    assert difference is not None  # there are runs
    return difference, False


@dataclass(frozen=True, kw_only=True)
class TwoMethods(Statistic):
    """A comparison of two methods, each with one value of its parameter; one case for each data set."""

    first: Method
    second: Method
    """Series with a grid."""
    chosen: Literal["test", "held_out"] = "test"
    """The value has the lowest mean error on the ``test`` set, or on ``held_out`` training rows."""

    def case(self, item: Sweep, evidence: Evidence) -> Case:
        """Compare the methods on one data set."""
        members = item.chosen[self.chosen]
        if lacking := [LOOKS[method].name for method in (self.first, self.second) if method not in members]:
            return case_on(item.panel, "", MISSING, note=f"no finished runs of {' and '.join(lacking)}")
        return self.compare(item.panel, members[self.first], members[self.second])

    def compare(self, panel: Panel, first: Runs, second: Runs) -> Case:
        """Measure and decide one case."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class AccessRatio(TwoMethods, kind="access_ratio"):
    """Ratio of feature accesses, Pegasos / SIMBA, at Pegasos's lowest error; holds near the claimed factor."""

    first: Method = "pegasos"
    second: Method = "simba"
    accounting: Literal["nonzeros", "dense", "mixed"] = "nonzeros"
    """Key of `ACCOUNTINGS`."""
    tolerance: float
    """Share above Pegasos's lowest error that counts as reached."""
    about: float
    factor: float
    """The ratio lies between ``about / factor`` and ``about * factor``."""

    def compare(self, panel: Panel, first: Runs, second: Runs) -> Case:
        """Compare the accesses of both methods."""
        columns = ACCOUNTINGS[self.accounting]
        ratio = access_ratio(first, second, columns, self.tolerance)
        target, budget = first.best * (1 + self.tolerance), second.whole_cost(columns[1])
        first_cost, second_cost = first.cost_to(target, columns[0]), second.cost_to(target, columns[1])
        reached = math.isfinite(second_cost)
        pair = f"{LOOKS[self.first].name} over {LOOKS[self.second].name}"
        times = interval_text(ratio, ".3g") if reached else f"below {ratio.high:.3g}"
        text = f"accesses to {100 * target:.2f} %, {pair}, {times}"
        text += "" if reached else f" (not within {power_text(budget)})"
        costs = {self.first: first_cost, self.second: second_cost if reached else None}
        values = {self.first: first.value, self.second: second.value}
        statistic = {"ratio": ratio.as_dict(), "target": target, "budget": budget, "costs": costs, "parameters": values}
        decision = within(ratio, self.about / self.factor, self.about * self.factor)
        return case_on(panel, "ratio", decision, text, statistic)


@dataclass(frozen=True, kw_only=True)
class LowestError(TwoMethods, Limits, kind="lowest_error"):
    """By what share the lowest mean error of the first method is above that of the second (`above` or `at_most`)."""

    def compare(self, panel: Panel, first: Runs, second: Runs) -> Case:
        """Compare the lowest errors; a share of an error of 0 is 0."""
        interval, relative = excess(first, second)
        zero = Limits(above=0.0) if self.at_most is None else Limits(at_most=0.0)
        form, unit = ("+.1f", " %") if relative else ("+.2f", " points")
        errors = {self.first: first.best, self.second: second.best}
        lowest = ", ".join(f"{LOOKS[method].name} {100 * error:.2f} %" for method, error in errors.items())
        measured = f"{lowest}, excess {interval_text(interval.scaled(100), form, unit)}"
        statistic = errors | ({"relative_excess": interval.as_dict()} if relative else {})
        return case_on(panel, "error", (self if relative else zero).decide(interval), measured, statistic)


@dataclass(frozen=True, kw_only=True)
class IterationAccesses(TwoMethods, Limits, kind="iteration_accesses"):
    """Nonzeros that SIMBA reads in an iteration, over alpha (n + d), with alpha the share of nonzeros in the data."""

    first: Method = "simba"
    second: Method = "pegasos"

    def compare(self, panel: Panel, first: Runs, second: Runs) -> Case:
        """Measure the accesses of an iteration."""
        # Pegasos draws rows uniformly, so its share of nonzeros estimates that of the data
        alpha = second.whole_cost(NONZEROS) / second.whole_cost(DENSE)
        # a dense iteration accesses n + d coordinates: the ratio of both costs is the nonzeros' share of it
        ratio = bootstrap_mean(first.costs[NONZEROS][:, -1] / first.costs[DENSE][:, -1] / alpha)
        measured = f"{interval_text(ratio, '.2f')} times alpha (n + d), alpha = {alpha:.2e}"
        return case_on(panel, "iteration", self.decide(ratio), measured, {"ratio": ratio.as_dict(), "alpha": alpha})
