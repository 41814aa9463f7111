"""Where on the cost axis a run is looked at: a geometric grid that ends exactly at the budget, and even steps if asked.

A run has one or several limits (iterations, presentations, kernel evaluations, inner products, feature accesses, CPU
seconds). Each gets its own geometric grid with the same number of points, from one ten-thousandth of the limit (at
least one) to the limit; the k-th checkpoint is where the first of the counters reaches its k-th value. So with one
limit the curve is evenly spaced on a logarithmic axis, and with several it follows the one that will stop the run.

Presentations beyond the first epoch are whole epochs: many methods only know at the end of one how far they are.

Even steps are further checkpoints, counted back from the end: for a paper that looks ten times an epoch, or at the last
iterations only.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields

DECADES = 4.0
"""A curve covers the last four decades of its budget: before them the error still is that of a coin."""


@dataclass(frozen=True)
class Limits:
    """Counter values at which to stop; None: no limit. `presentations` are epochs times n; seconds are CPU seconds.

    The names are those of ``solvers.Limit``.
    """

    iterations: int | None = None
    presentations: int | None = None
    kernel_evaluations: int | None = None
    inner_products: int | None = None
    feature_accesses: int | None = None
    cpu_seconds: float | None = None

    def given(self) -> dict[str, float]:
        """Return the limits that are set."""
        return {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) is not None}

    def counted(self, counters: Mapping[str, float | None]) -> Limits:
        """Return these limits without those whose counter is None: the solver does not count that cost."""
        return Limits(**{name: value for name, value in vars(self).items() if counters.get(name) is not None})

    def fraction(self, counters: Mapping[str, float | None]) -> float:
        """Return how much of the budget is used, 0 to 1: the largest share over all limits."""
        shares = [(counters.get(name) or 0.0) / limit for name, limit in self.given().items()]
        return min(1.0, max(shares, default=0.0))

    def reached(self, counters: Mapping[str, float | None]) -> bool:
        """Tell whether a counter has reached its limit."""
        return any((counters.get(name) or 0.0) >= limit for name, limit in self.given().items())


@dataclass(frozen=True)
class Looks:
    """How often a run is looked at.

    Attributes
    ----------
    points : int
        Checkpoints of the geometric grid at most, >= 1; fewer where whole numbers run out.
    every : float or None
        Presentations from each further checkpoint to the next, >= 1; None: there are no further ones.
    tail : float
        Presentations before the end within which further checkpoints lie.
    """

    points: int
    every: float | None = None
    tail: float = math.inf


def schedule(budget: Limits, looks: Looks, epoch: int = 1) -> list[Limits]:
    """Lay out the checkpoints of a run.

    Parameters
    ----------
    budget : Limits
        Each > 0. With no limit at all the run goes to the solver's own end and is looked at after each of its first
        iterations: so run methods that take few, large steps (LIBSVM takes one).
    looks : Looks
        With `every` the presentations must be the only limit.
    epoch : int
        Presentations in an epoch, n. Beyond the first one the geometric grid is at multiples of it, but for its end.

    Returns
    -------
    list of Limits
        In order; no limit ever goes down, each checkpoint differs from the one before, and the last is `budget`.

    Raises
    ------
    ValueError
        A limit that is not positive, `points` < 1, or `every` < 1 or with other limits than presentations.
    """
    if looks.every is None:
        return _geometric(budget, looks.points, epoch)
    if set(budget.given()) != {"presentations"} or looks.every < 1:
        raise ValueError(f"even steps are of presentations, one at least, got {looks.every} for {budget.given()}")
    end = budget.presentations
    assert end is not None
    back = [looks.every * k for k in range(math.ceil(min(looks.tail, end) / looks.every))]
    places = {end - round(step) for step in back if round(step) < end}
    places |= {checkpoint.presentations or 0 for checkpoint in _geometric(budget, looks.points, epoch)}
    return [Limits(presentations=place) for place in sorted(places)]


def _geometric(budget: Limits, points: int, epoch: int) -> list[Limits]:
    limits = budget.given()
    if min(limits.values(), default=1) <= 0:
        raise ValueError(f"the limits of a budget must be positive, got {limits}")
    if points < 1:
        raise ValueError(f"a curve needs at least one point, got {points}")
    if not limits:
        return [*(Limits(iterations=k) for k in range(1, points)), budget]
    checkpoints: list[Limits] = []
    for back in range(points - 1, -1, -1):
        exponent = 0.0 if points == 1 else -back / (points - 1)
        checkpoint = Limits(
            iterations=_whole(budget.iterations, exponent),
            presentations=_whole(budget.presentations, exponent, epoch),
            kernel_evaluations=_whole(budget.kernel_evaluations, exponent),
            inner_products=_whole(budget.inner_products, exponent),
            feature_accesses=_whole(budget.feature_accesses, exponent),
            cpu_seconds=None if budget.cpu_seconds is None else budget.cpu_seconds * math.pow(10.0, DECADES * exponent),
        )
        if not checkpoints or checkpoint != checkpoints[-1]:
            checkpoints.append(checkpoint)
    return checkpoints


def _whole(limit: int | None, exponent: float, unit: int = 1) -> int | None:
    """Scale a count by 10^(DECADES exponent), -1 <= exponent <= 0, but not below one; zero gives the limit exactly.

    The result is whole, and beyond `unit` a whole number of units, as far as the limit lets it.
    """
    if limit is None or exponent == 0.0:
        return limit
    decades = min(DECADES, math.log10(limit))
    scaled = limit * math.pow(10.0, decades * exponent)
    return min(limit, max(1, round(scaled) if scaled < unit else round(scaled / unit) * unit))
