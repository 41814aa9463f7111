"""Claims of Figure 1: feature accesses to Pegasos's best test error, SIMBA's best error, accesses of an iteration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, cached_property, lru_cache
from typing import Any, Final, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from svm_cost_curves.experiments.curve import column, known_points, shared_costs, values_on
from svm_cost_curves.experiments.papers.cases import (
    MISSING,
    Case,
    Choice,
    Findings,
    above,
    at_most,
    case_on,
    interval_text,
    within,
)
from svm_cost_curves.experiments.papers.panels import MEASURE
from svm_cost_curves.experiments.plotting import STYLES
from svm_cost_curves.experiments.reproduction.evidence import Evidence, Panel
from svm_cost_curves.experiments.reproduction.spec import FigureSpec
from svm_cost_curves.experiments.reproduction.statistics import Interval, bootstrap_groups, relative_difference

METHODS: Final = ("simba", "simba_printed", "simba_unclipped", "pegasos", "pegasos_k")
HELD: Final = "_held"
"""Ending of the series that is trained on a part of the training set and tested on the rest."""
NONZEROS: Final = "feature_accesses"
DENSE: Final = "feature_accesses_dense"
ACCOUNTINGS: Final[Mapping[str, tuple[str, str]]] = {
    "nonzeros": (NONZEROS, NONZEROS),
    "dense": (DENSE, DENSE),
    "mixed": (DENSE, NONZEROS),
}
"""Columns by which Pegasos and SIMBA are charged."""
ABOUT: Final = 100.0
"""The paper's ratio, "about 100"."""
RESAMPLES: Final = 2000


@dataclass(frozen=True, eq=False)
class Runs:
    """Test errors of some runs on a common grid of accesses to nonzeros, taken from all their evaluations.

    Attributes
    ----------
    costs : mapping of str to (runs, m) float64
        `NONZEROS`, the same for all runs and rising, and `DENSE`.
    errors : (runs, m) float64
        Fractions.
    step : float
        Factor between two evaluations of a run.
    """

    costs: Mapping[str, NDArray[np.float64]]
    errors: NDArray[np.float64]
    step: float = 1.0

    @property
    def count(self) -> int:
        """Number of runs."""
        return len(self.errors)

    def mean(self, runs: Sequence[int] | None = None) -> NDArray[np.float64]:
        """Mean error over some runs, which may be repeated, or over all; (m,)."""
        chosen = self.errors if runs is None else self.errors[list(runs)]
        mean: NDArray[np.float64] = chosen.mean(axis=0)
        return mean

    def cost(self, column: str, index: int, runs: Sequence[int] | None = None) -> float:
        """Mean cost over some runs, or over all, at one of the m places."""
        at = self.costs[column][:, index]
        return float((at if runs is None else at[list(runs)]).mean())

    def lowest(self, runs: Sequence[int] | None = None) -> float:
        """Lowest mean error over some runs, or over all."""
        return float(self.mean(runs).min())

    @cached_property
    def best(self) -> float:
        """Lowest mean error over all runs."""
        return self.lowest()

    @property
    def spread(self) -> float:
        """Standard deviation over the runs where the mean error is lowest; 0 for a single run."""
        at_best = self.errors[:, int(np.argmin(self.mean()))]
        return float(at_best.std(ddof=1)) if self.count > 1 else 0.0


def tabulate(frames: Sequence[pd.DataFrame]) -> Runs | None:
    """Put curves on one grid; None if none has a known point."""
    usable = [frame for frame in frames if len(known_points(frame, NONZEROS, MEASURE)[0])]
    if not usable:
        return None
    grid = shared_costs([known_points(frame, NONZEROS, MEASURE) for frame in usable])
    errors, nonzeros, dense = (
        values_on([known_points(frame, NONZEROS, name) for frame in usable], grid)
        for name in (MEASURE, NONZEROS, DENSE)
    )
    own = column(usable[0], NONZEROS)
    own = own[own > 0]
    step = float(np.median(own[1:] / own[:-1])) if len(own) > 1 else 1.0
    return Runs({NONZEROS: nonzeros, DENSE: dense}, errors, step)


@dataclass(frozen=True, eq=False)
class Member:
    """One value of a method's parameter on one data set.

    Attributes
    ----------
    value : float
    series : str
        Name of its series.
    runs : Runs
        Tested on the test set.
    held : Runs or None
        Trained on a part of the training set and tested on the rest; None without such runs.
    """

    value: float
    series: str
    runs: Runs
    held: Runs | None


@dataclass(frozen=True, eq=False)
class Sweep:
    """All values of the methods' parameters on one data set, and the chosen ones.

    Attributes
    ----------
    panel : Panel
    members : mapping of str to list of Member
        By method, in the figure's order.
    """

    panel: Panel
    members: Mapping[str, Sequence[Member]]

    @cached_property
    def chosen(self) -> dict[str, dict[str, Member]]:
        """Members of the lowest mean error along their curves, on the test set and on held-out rows, by method."""
        on_test = {name: min(own, key=lambda member: member.runs.best) for name, own in self.members.items() if own}
        tried = {
            name: [(member.held.best, place) for place, member in enumerate(own) if member.held is not None]
            for name, own in self.members.items()
        }
        held_out = {name: self.members[name][min(errors)[1]] for name, errors in tried.items() if errors}
        return {"test": on_test, "held_out": held_out}


def sweep(panel: Panel, spec: FigureSpec) -> Sweep:
    """Return the values of the parameters that have runs on a data set."""
    names = {series.name for series in spec.series}
    members: dict[str, list[Member]] = {method: [] for method in METHODS}
    for method, found in members.items():
        held = spec.members(method + HELD) if method + HELD in names else {}
        for value, series in spec.members(method).items():
            runs = tabulate(panel.curves(series))
            if runs is not None:
                other = tabulate(panel.curves(held[value])) if value in held else None
                found.append(Member(value, series, runs, other))
    return Sweep(panel, members)


Chosen: TypeAlias = tuple[int, ...] | None
"""Runs of a resample; None: all runs."""


@dataclass(frozen=True)
class Reach:
    """Costs to one error.

    Attributes
    ----------
    target : float
        The error to reach.
    pegasos : float
        Cost at which Pegasos's mean error first reaches the target.
    simba : float or None
        SIMBA's; None: not within its budget.
    budget : float
        Whole cost of SIMBA's runs.
    ratio : Interval
        Pegasos's cost over SIMBA's, resampling the runs of both, and widened by the steps of the evaluations; 0 if
        SIMBA misses the target, with the ratio to its budget as upper end.
    """

    target: float
    pegasos: float
    simba: float | None
    budget: float
    ratio: Interval

    def as_dict(self) -> dict[str, Any]:
        """JSON-able form."""
        return asdict(self)

    def text(self) -> str:
        """Write the ratio and both costs."""
        to_error = f"to {100 * self.target:.2f} %: Pegasos {_power(self.pegasos)}"
        if self.simba is None:
            return f"ratio below {self.ratio.high:.3g} ({to_error}, SIMBA not within {_power(self.budget)})"
        return f"ratio {interval_text(self.ratio, '.3g')} ({to_error}, SIMBA {_power(self.simba)})"


@lru_cache(maxsize=256)  # readings and values of the constants ask for the same comparisons
def reach(pegasos: Runs, simba: Runs, columns: tuple[str, str], tolerance: float) -> Reach:
    """Compare the costs of both methods to Pegasos's lowest mean error plus a relative tolerance.

    `columns` are the columns of `Runs.costs` that Pegasos and SIMBA are charged by.
    """

    @cache  # each resample of one method's runs is paired with many of the other's
    def error_and_cost(theirs: Chosen) -> tuple[float, float]:
        mean = pegasos.mean(theirs)
        # the last bits of a mean depend on the order of summation
        target = float(mean.min()) * (1 + tolerance) + 1e-12
        own = _first_below(mean, target)
        assert own is not None  # its lowest error is below the target
        return target, pegasos.cost(columns[0], own, theirs)

    means = cache(simba.mean)

    def costs(theirs: Chosen, ours: Chosen) -> tuple[float, float, float | None]:
        target, own = error_and_cost(theirs)
        other = _first_below(means(ours), target)
        return target, own, None if other is None else simba.cost(columns[1], other, ours)

    def ratio(theirs: Sequence[int], ours: Sequence[int]) -> float:
        _, own, other = costs(tuple(theirs), tuple(ours))
        return 0.0 if other is None else own / other

    interval = bootstrap_groups(ratio, (pegasos.count, simba.count), resamples=RESAMPLES)
    assert interval is not None  # there are runs, and every resample has a ratio
    interval = interval.widened(pegasos.step, simba.step)
    target, own, other = costs(None, None)
    budget = simba.cost(columns[1], -1)
    if other is None:
        interval = replace(interval, high=max(interval.high, own / budget))
    return Reach(target, own, other, budget, interval)


@dataclass(frozen=True)
class Excess:
    """By how much a lowest error is above another one.

    Attributes
    ----------
    interval : Interval
        As a share of the other error; if that is 0, the difference.
    relative : bool
        Whether it is a share.
    """

    interval: Interval
    relative: bool

    def limit(self, share: float) -> float:
        """Return what `interval` is compared with: a share of 0 is 0."""
        return share if self.relative else 0.0

    @property
    def text(self) -> str:
        """The excess for the measurement."""
        form, unit = ("+.1f", " %") if self.relative else ("+.2f", " points")
        return f"excess {interval_text(self.interval.scaled(100), form, unit)}"

    @property
    def statistic(self) -> dict[str, Any]:
        """The share, if there is one."""
        return {"relative_excess": self.interval.as_dict()} if self.relative else {}


@lru_cache(maxsize=64)
def excess(first: Runs, second: Runs) -> Excess:
    """Compare the lowest mean error of some runs with that of others, resampling the runs of both."""
    sizes = (first.count, second.count)
    share = relative_difference(first.lowest, second.lowest, sizes, resamples=RESAMPLES)
    if share is not None:
        return Excess(share, relative=True)
    difference = bootstrap_groups(
        lambda one, other: first.lowest(one) - second.lowest(other), sizes, resamples=RESAMPLES
    )
    assert difference is not None  # there are runs
    return Excess(difference, relative=False)


def _first_below(errors: NDArray[np.float64], target: float) -> int | None:
    reached = np.flatnonzero(errors <= target)
    return int(reached[0]) if len(reached) else None


Sweeps: TypeAlias = Sequence[Sweep]


def judge_accesses(sweeps: Sweeps, _: Evidence, choice: Choice) -> Findings:
    """Judge simba.1: SIMBA has Pegasos's best test error with about 100 times fewer accesses."""
    accounting = choice.option("accounting")
    cases = []
    for found in sweeps:
        pair = _pair(found, choice)
        if isinstance(pair, Case):
            cases.append(pair)
            continue
        pegasos, simba = pair
        result = reach(pegasos.runs, simba.runs, ACCOUNTINGS[accounting], choice["tolerance"])
        decision = within(result.ratio, ABOUT / choice["factor"], ABOUT * choice["factor"])
        statistic = {**result.as_dict(), "parameters": {"simba": simba.value, "pegasos": pegasos.value}}
        cases.append(case_on(found.panel, "ratio", decision, result.text(), statistic))
    return Findings(cases)


def judge_error(sweeps: Sweeps, _: Evidence, choice: Choice) -> Findings:
    """Judge simba.error: SIMBA reaches Pegasos's lowest test error."""
    cases = []
    for found in sweeps:
        pair = _pair(found, choice)
        if isinstance(pair, Case):
            cases.append(pair)
            continue
        pegasos, simba = pair
        above_pegasos = excess(simba.runs, pegasos.runs)
        errors = {"simba": simba.runs.best, "pegasos": pegasos.runs.best}
        lowest = " and ".join(f"{100 * error:.2f} %" for error in errors.values())
        measured, statistic = f"SIMBA and Pegasos {lowest}, {above_pegasos.text}", errors | above_pegasos.statistic
        decision = at_most(above_pegasos.interval, above_pegasos.limit(choice["tolerance"]))
        cases.append(case_on(found.panel, "error", decision, measured, statistic))
    return Findings(cases)


def judge_clipping(sweeps: Sweeps, _: Evidence, choice: Choice) -> Findings:
    """Judge simba.clipping: without clipping SIMBA's lowest test error is higher."""
    cases = []
    for found in sweeps:
        pair = [found.chosen["test"].get(name) for name in ("simba", "simba_unclipped")]
        if pair[0] is None or pair[1] is None:
            cases.append(case_on(found.panel, "clipping", MISSING, note="no finished runs with and without clipping"))
            continue
        clipped, free = pair[0].runs, pair[1].runs
        rise = excess(free, clipped)
        measured = f"{100 * free.best:.2f} % without and {100 * clipped.best:.2f} % with clipping, {rise.text}"
        statistic = {"unclipped": free.best, "clipped": clipped.best, **rise.statistic}
        decision = above(rise.interval, rise.limit(choice["worse"]))
        cases.append(case_on(found.panel, "clipping", decision, measured, statistic))
    return Findings(cases)


def judge_sparse(sweeps: Sweeps, _: Evidence, choice: Choice) -> Findings:
    """Judge simba.sparse: an iteration of SIMBA accesses O~(alpha (n + d)) nonzeros."""
    cases = []
    for found in sweeps:
        pair = _pair(found, choice)
        if isinstance(pair, Case):
            cases.append(pair)
            continue
        pegasos, simba = (member.runs for member in pair)
        # Pegasos draws rows uniformly, so its share of nonzeros estimates that of the data
        alpha = pegasos.cost(NONZEROS, -1) / pegasos.cost(DENSE, -1)
        # a dense iteration accesses n + d coordinates: the ratio of both costs is the nonzeros' share of it
        shares = simba.costs[NONZEROS][:, -1] / simba.costs[DENSE][:, -1] / alpha
        ratio = Interval(float(shares.mean()), float(shares.min()), float(shares.max()), len(shares))
        measured = f"{interval_text(ratio, '.2f')} times alpha (n + d), alpha = {alpha:.2e}"
        statistic = {"ratio": ratio.as_dict(), "alpha": alpha}
        cases.append(case_on(found.panel, "iteration", at_most(ratio, choice["factor"]), measured, statistic))
    return Findings(cases)


def _pair(found: Sweep, choice: Choice) -> tuple[Member, Member] | Case:
    """Return the chosen members of a reading's Pegasos and SIMBA, or a case without runs."""
    members = found.chosen[choice.option("chosen")]
    names = choice.option("pegasos"), choice.option("simba")
    if lacking := [STYLES[name.partition("_")[0]].name for name in names if name not in members]:
        return case_on(found.panel, "", MISSING, note=f"no finished runs of {' and '.join(lacking)}")
    pegasos, simba = (members[name] for name in names)
    return pegasos, simba


def _power(value: float) -> str:
    """Write 1.2e6 for 1234567."""
    mantissa, _, exponent = f"{value:.1e}".partition("e")
    return f"{mantissa}e{int(exponent)}"
