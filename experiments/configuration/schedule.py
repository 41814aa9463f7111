"""Costs at which a run is evaluated: a geometric grid that ends exactly at the budget, plus optional even steps.

A run has one or several limits (iterations, presentations, kernel evaluations, inner products, feature accesses, CPU
seconds). Each gets its own geometric grid with the same number of points, from one ten-thousandth of the limit (at
least one) to the limit. The k-th evaluation is where the first of the counters reaches its k-th value. With one limit
the curve is evenly spaced on a logarithmic axis; with several it follows the limit that stops the run.

Beyond the first epoch, presentations are rounded to whole epochs: many methods count them at the end of an epoch only.

Even steps are further evaluations, counted back from the end: for papers that evaluate ten times an epoch, or the last
iterations only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from svm_cost_curves.solvers import Limit

DECADES = 4.0
"""A curve covers the last four decades of its budget: before them the error is near that of guessing."""


@dataclass(frozen=True)
class EvaluationSchedule:
    """How often a run is evaluated.

    Attributes
    ----------
    points : int
        Evaluations of the geometric grid at most, >= 1; fewer where whole numbers run out.
    every : float or None
        Presentations from each further evaluation to the next, >= 1; None: there are no further ones.
    tail : float
        Presentations before the end within which further evaluations lie.
    epoch : int
        Presentations in an epoch, n. Beyond the first epoch the geometric grid is at multiples of it, except its end.
    """

    points: int
    every: float | None = None
    tail: float = math.inf
    epoch: int = 1

    def limits(self, budget: Limit) -> list[Limit]:
        """Return the limits up to which a run advances before each evaluation.

        Parameters
        ----------
        budget : Limit
            Each limit > 0. Without any limit the run goes to the solver's own end and is evaluated after each of its
            first iterations; this suits methods that take few, large steps (LIBSVM takes one). With `every` the
            presentations must be the only limit.

        Returns
        -------
        list of Limit
            In order: no limit ever decreases, each element differs from the one before, and the last is `budget`.

        Raises
        ------
        ValueError
            A limit that is not positive, `points` < 1, or `every` < 1 or with other limits than presentations.
        """
        if self.every is None:
            return self._geometric(budget)
        if set(budget.given()) != {"presentations"} or self.every < 1:
            raise ValueError(f"even steps are of presentations, one at least, got {self.every} for {budget.given()}")
        end = budget.presentations
        assert end is not None
        back = [self.every * k for k in range(math.ceil(min(self.tail, end) / self.every))]
        places = {end - round(step) for step in back if round(step) < end}
        places |= {limit.presentations or 0 for limit in self._geometric(budget)}
        return [Limit(presentations=place) for place in sorted(places)]

    def _geometric(self, budget: Limit) -> list[Limit]:
        given = budget.given()
        if min(given.values(), default=1) <= 0:
            raise ValueError(f"the limits of a budget must be positive, got {given}")
        if self.points < 1:
            raise ValueError(f"a curve needs at least one point, got {self.points}")
        if not given:
            return [*(Limit(iterations=k) for k in range(1, self.points)), budget]
        limits: list[Limit] = []
        for back in range(self.points - 1, -1, -1):
            exponent = 0.0 if self.points == 1 else -back / (self.points - 1)
            seconds = budget.cpu_seconds
            limit = Limit(
                iterations=_whole(budget.iterations, exponent),
                presentations=_whole(budget.presentations, exponent, self.epoch),
                kernel_evaluations=_whole(budget.kernel_evaluations, exponent),
                inner_products=_whole(budget.inner_products, exponent),
                feature_accesses=_whole(budget.feature_accesses, exponent),
                cpu_seconds=None if seconds is None else seconds * math.pow(10.0, DECADES * exponent),
            )
            if not limits or limit != limits[-1]:
                limits.append(limit)
        return limits


def _whole(limit: int | None, exponent: float, unit: int = 1) -> int | None:
    """Scale a count by 10^(DECADES exponent), -1 <= exponent <= 0, but not below one; zero gives the limit exactly.

    The result is whole, and beyond `unit` a multiple of it, or the limit.
    """
    if limit is None or exponent == 0.0:
        return limit
    decades = min(DECADES, math.log10(limit))
    scaled = limit * math.pow(10.0, decades * exponent)
    return min(limit, max(1, round(scaled) if scaled < unit else round(scaled / unit) * unit))
