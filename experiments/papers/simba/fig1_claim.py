"""Claim 1 of Figure 1: SIMBA reaches Pegasos's best test error with about 100 times fewer feature accesses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any, Final, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from experiments.curve import known_points, shared_costs, values_on
from experiments.papers.cases import Case, claim_from_cases, interval_text, points_text
from experiments.papers.panels import MEASURE, name_of
from experiments.plotting import STYLES
from experiments.reproduction.evidence import Evidence, Panel
from experiments.reproduction.spec import ClaimSpec, FigureSpec
from experiments.reproduction.statistics import Interval, bootstrap_groups
from experiments.reproduction.verdict import Claim, Ruling, in_words

METHODS: Final = ("simba", "pegasos")
HELD: Final = "_held"
"""Ending of the series that is trained on a part of the training set and tested on the rest."""
NONZEROS: Final = "feature_accesses"
DENSE: Final = "feature_accesses_dense"


@dataclass(frozen=True)
class Runs:
    """Test errors of some runs on a common grid of accesses to nonzeros, taken from all their evaluations.

    Attributes
    ----------
    costs : mapping of str to (runs, m) float64
        `NONZEROS`, the same for all runs and rising, and `DENSE`.
    errors : (runs, m) float64
        Fractions.
    """

    costs: Mapping[str, NDArray[np.float64]]
    errors: NDArray[np.float64]

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

    @property
    def best(self) -> float:
        """Lowest mean error over all runs."""
        return float(self.mean().min())

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
    return Runs({NONZEROS: nonzeros, DENSE: dense}, errors)


@dataclass(frozen=True)
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


def sweep(panel: Panel, spec: FigureSpec, method: str) -> list[Member]:
    """Return the values of a method's parameter that have runs on a data set, in the figure's order."""
    held = spec.members(method + HELD)
    found: list[Member] = []
    for value, series in spec.members(method).items():
        runs = tabulate(panel.curves(series))
        if runs is not None:
            found.append(Member(value, series, runs, tabulate(panel.curves(held[value])) if value in held else None))
    return found


def chosen_on_test(members: Sequence[Member]) -> Member | None:
    """Return the value with the lowest mean test error along its curve; None if there is none."""
    return min(members, key=lambda member: member.runs.best, default=None)


def chosen_on_held_out(members: Sequence[Member]) -> Member | None:
    """Return the value with the lowest mean error on the held-out rows along its curve; None if there is none."""
    known = [(member.held.best, k) for k, member in enumerate(members) if member.held is not None]
    return members[min(known)[1]] if known else None


TOLERANCE: Final = 0.02
"""Target relative to the lowest error, which may be a single lucky evaluation, minus 1."""
RESAMPLES: Final = 2000

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
        Pegasos's cost over SIMBA's, resampling the runs of both; 0 if SIMBA misses the target.
    """

    target: float
    pegasos: float
    simba: float | None
    budget: float
    ratio: Interval

    def as_dict(self) -> dict[str, Any]:
        """JSON-able form."""
        return asdict(self)


def reach(pegasos: Runs, simba: Runs, columns: tuple[str, str], tolerance: float = TOLERANCE) -> Reach:
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
    target, own, other = costs(None, None)
    return Reach(target, own, other, simba.cost(columns[1], -1), interval)


def excess(pegasos: Runs, simba: Runs) -> Interval:
    """SIMBA's lowest mean error less Pegasos's, resampling the runs of both."""

    def difference(theirs: Sequence[int], ours: Sequence[int]) -> float:
        return float(simba.mean(ours).min() - pegasos.mean(theirs).min())

    interval = bootstrap_groups(difference, (pegasos.count, simba.count), resamples=RESAMPLES)
    assert interval is not None
    return interval


def _first_below(errors: NDArray[np.float64], target: float) -> int | None:
    reached = np.flatnonzero(errors <= target)
    return int(reached[0]) if len(reached) else None


ABOUT_100: Final = (30.0, 300.0)
FURTHER: Final = (0.0, 0.1, 0.5)
"""Other tolerances for which the ratio is also given."""


@dataclass(frozen=True)
class Accounting:
    """A way of counting the accesses of both methods.

    Attributes
    ----------
    says : str
    columns : (str, str)
        Pegasos's and SIMBA's costs, of `Runs.costs`.
    """

    says: str
    columns: tuple[str, str]

    @property
    def alike(self) -> bool:
        """Whether both are charged in the same way: only then does the ratio decide."""
        return self.columns[0] == self.columns[1]


ACCOUNTINGS: Final[Mapping[str, Accounting]] = {
    "nonzeros": Accounting("nonzeros", (NONZEROS, NONZEROS)),
    "dense": Accounting("all coordinates", (DENSE, DENSE)),
    "mixed": Accounting("Pegasos's coordinates and SIMBA's nonzeros", (DENSE, NONZEROS)),
}

RULE: Final = (
    "For each data set and each way of counting accesses: Pegasos's accesses over SIMBA's until the mean test error "
    f"over the runs is at most {100 * TOLERANCE:.0f} % (relative) above Pegasos's lowest, each with the parameter of "
    "the lowest mean test error; 95 % interval over the runs of both, with a ratio of 0 for an error missed within the "
    f"budget. About 100 is from {ABOUT_100[0]:.0f} to {ABOUT_100[1]:.0f}. Reproduced: the ratio lies there and its "
    "interval above 1; partly: it is above 1; not reproduced: at most 1, or an error that SIMBA does not reach. Judged "
    "are the two ways that charge both methods alike. Also measured, not judged: Pegasos's coordinates and SIMBA's "
    "nonzeros, and parameters chosen on a held-out part of the training set."
)

Choice = Mapping[str, Member | None]
"""By method."""


def judge_accesses(
    evidence: Evidence, spec: ClaimSpec, by_test: Mapping[str, Choice], held: Mapping[str, Choice]
) -> Claim:
    """Judge claim 1: SIMBA has Pegasos's best test error with about 100 times fewer accesses.

    By data set, the parameters are chosen on test error (`by_test`) and on held-out training rows (`held`).
    """
    cases: list[Case] = []
    for panel in evidence.panels:
        judged = evidence.declared(panel)
        cases += [_case(panel, by_test[panel.paper_dataset], name, judged=judged) for name in ACCOUNTINGS]
        cases.append(_lowest_case(panel, by_test[panel.paper_dataset]))
        if all(held[panel.paper_dataset].values()):
            cases += [_case(panel, held[panel.paper_dataset], name, HELD, judged=judged) for name in ACCOUNTINGS]
    return claim_from_cases(spec, RULE, cases)


def ratios(panel: Panel, choice: Choice) -> list[str]:
    """Write the ratio for several tolerances: one sentence, or none without runs."""
    simba, pegasos = choice.get("simba"), choice.get("pegasos")
    if simba is None or pegasos is None:
        return []
    tolerances = sorted((TOLERANCE, *FURTHER))
    texts: list[str] = []
    for accounting in ACCOUNTINGS.values():
        found = [reach(pegasos.runs, simba.runs, accounting.columns, tolerance) for tolerance in tolerances]
        values = ("not reached" if each.simba is None else f"{each.ratio.estimate:.3g}" for each in found)
        texts.append(f"counting {accounting.says} {', '.join(values)}")
    errors = ", ".join(f"{100 * tolerance:g} %" for tolerance in tolerances)
    return [
        f"{name_of(panel)}: Pegasos's accesses over SIMBA's to an error {errors} (relative) above Pegasos's lowest: "
        f"{'; '.join(texts)}."
    ]


def _case(panel: Panel, choice: Choice, name: str, ending: str = "", *, judged: bool) -> Case:
    accounting, place, about = ACCOUNTINGS[name], (panel.paper_dataset, name + ending), name_of(panel)
    simba, pegasos = choice.get("simba"), choice.get("pegasos")
    if simba is None or pegasos is None:
        lacking = " and ".join(STYLES[method].name for method in METHODS if choice.get(method) is None)
        return Case(place, about, "not_applicable", note=f"no finished runs of {lacking}")
    found = reach(pegasos.runs, simba.runs, accounting.columns)
    further = {
        f"{tolerance:g}": reach(pegasos.runs, simba.runs, accounting.columns, tolerance).ratio.as_dict()
        for tolerance in FURTHER
    }
    members = {"simba": simba.value, "pegasos": pegasos.value}
    by_itself, measured = _ruling(found), _text(found, accounting)
    statistic = {**found.as_dict(), "parameters": members, "at_tolerance": further, "by_itself": by_itself}
    if ending:
        return Case(place, f"{about}, parameters chosen on held-out rows", "not_applicable", measured, statistic)
    if not accounting.alike:
        return Case(place, about, "not_applicable", measured, statistic)
    if not judged:
        measured += f" (by itself {in_words(by_itself)})"
        return Case(place, about, "not_applicable", measured, statistic, "measured, not judged")
    note = "a stand-in, judged too: both methods use the same data" if panel.stand_in else ""
    return Case(place, about, by_itself, measured, statistic, note)


def _lowest_case(panel: Panel, choice: Choice) -> Case:
    """Return the lowest errors of both methods, measured and not judged."""
    place = (panel.paper_dataset, "lowest_errors")
    simba, pegasos = choice.get("simba"), choice.get("pegasos")
    if simba is None or pegasos is None:
        return Case(place, name_of(panel), "not_applicable")
    difference = excess(pegasos.runs, simba.runs)
    statistic: dict[str, Any] = {
        "simba": simba.runs.best,
        "pegasos": pegasos.runs.best,
        "difference": difference.as_dict(),
    }
    measured = (
        f"lowest errors SIMBA {100 * simba.runs.best:.2f} %, Pegasos {100 * pegasos.runs.best:.2f} %, difference "
        f"{points_text(difference)}"
    )
    return Case(place, name_of(panel), "not_applicable", measured, statistic)


def _ruling(found: Reach) -> Ruling:
    low, high = ABOUT_100
    if found.simba is None or found.ratio.estimate <= 1:
        return "not_reproduced"
    return "reproduced" if low <= found.ratio.estimate <= high and found.ratio.low > 1 else "partly"


def _text(found: Reach, accounting: Accounting) -> str:
    to_error = f"to {100 * found.target:.2f} %: Pegasos {_power(found.pegasos)}"
    if found.simba is None:
        below = f"ratio below {found.pegasos / found.budget:.3g} counting {accounting.says}"
        return f"{below} ({to_error}, SIMBA not within {_power(found.budget)})"
    ratio = interval_text(found.ratio, ".3g")
    return f"ratio {ratio} counting {accounting.says} ({to_error}, SIMBA {_power(found.simba)})"


def _power(value: float) -> str:
    """Write 1.2e6 for 1234567."""
    mantissa, _, exponent = f"{value:.1e}".partition("e")
    return f"{mantissa}e{int(exponent)}"
