"""Costs at which a run is evaluated: a geometric grid that ends exactly at the budget, plus optional even steps.

Each limit of a run (iterations, kernel evaluations, CPU seconds, ...) gets its own geometric grid with the same number
of points, from one ten-thousandth of the limit (at least one) to the limit. The k-th evaluation is where the first of
the counters reaches its k-th value. With one limit the curve is evenly spaced on a logarithmic axis; with several it
follows the limit that stops the run.

Beyond the first epoch, presentations are rounded to whole epochs: many methods count them at the end of an epoch only.

Even steps are further evaluations, counted back from the end: for papers that evaluate ten times an epoch, or the last
iterations only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

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
        """Return the limits up to which a run advances before each evaluation; the last is the budget.

        No limit ever decreases, and each element differs from the one before. A budget without any limit goes to the
        solver's own end and is evaluated after each of its first iterations; this suits methods that take few, large
        steps (LIBSVM takes one).

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
            exponent = -back / max(1, self.points - 1)
            limit = Limit(**{name: self._share(name, value, exponent) for name, value in given.items()})
            if limit not in limits[-1:]:
                limits.append(limit)
        return limits

    def _share(self, name: str, limit: float, exponent: float) -> Any:
        """Scale a limit by 10^(DECADES exponent), -1 <= exponent <= 0; zero gives the limit exactly.

        A count stays whole and at least one. Presentations beyond an epoch are a multiple of it, or the limit.
        """
        if exponent == 0.0:
            return limit
        if name == "cpu_seconds":
            return limit * math.pow(10.0, DECADES * exponent)
        unit = self.epoch if name == "presentations" else 1
        scaled = limit * math.pow(10.0, min(DECADES, math.log10(limit)) * exponent)
        return min(limit, max(1, round(scaled) if scaled < unit else round(scaled / unit) * unit))
