"""Decisions on one case of a claim: an interval compared with a limit."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Literal

from svm_cost_curves.experiments.reproduction.statistics.interval import LEAST_RUNS, Interval

Ruling = Literal["holds", "trivial", "fails", "unclear", "missing", "beside"]
"""Ruling on one case of a claim.

``trivial``: it holds with a slack above 100. ``unclear``: the interval contains the limit. ``missing``: the claim is
about this case, but its runs or data are missing. ``beside``: measured, but the claim is not about it.
"""


@dataclass(frozen=True)
class Decision:
    """The ruling on one case.

    Attributes
    ----------
    ruling : Ruling
    more_runs : int or None
        Runs in addition that would settle an unclear case if its estimate stays; None if it is not known.
    """

    ruling: Ruling
    more_runs: int | None = None


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
    known = [count for count in runs if count is not None]
    return Decision("unclear", max(known) if known and len(known) == len(runs) else None)


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
