"""When a run stops, and at which costs it is evaluated: the settings ``budget.*``, checked.

Each limit of a run (iterations, kernel evaluations, CPU seconds, ...) gets its own geometric grid with the same number
of points, from one ten-thousandth of the limit (at least one) to the limit. The k-th evaluation is where the first of
the counters reaches its k-th value. With one limit the curve is evenly spaced on a logarithmic axis; with several it
follows the limit that stops the run.

Beyond the first epoch, presentations are rounded to whole epochs: many methods count them at the end of an epoch only.

Even steps are further evaluations, counted back from the end: for papers that evaluate ten times an epoch, or the last
iterations only.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from ...solvers import Limit, SettingsError
from ...solvers.errors import LARGEST_INTEGER
from . import presets
from .schema import BudgetConfig, PresetConfig

MAX_EVALUATIONS = 100_000
DECADES = 4.0
"""A curve covers the last four decades of its budget: before them the error is near that of guessing."""
COUNTER_OF = {
    "epochs": "presentations",
    "iterations": "iterations",
    "kernel_evaluations": "kernel_evaluations",
    "inner_products": "inner_products",
    "feature_accesses": "feature_accesses",
    "seconds": "cpu_seconds",
}
"""Name of a limit on the command line to its name in `solvers.Limit`."""
BUDGET_LIMITS = tuple(COUNTER_OF)
_EVEN = ("every", "tail")


@dataclass(frozen=True)
class EvaluationSchedule:
    """Places of the evaluations in a run.

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
        counts = {end - round(step) for step in back if round(step) < end}
        counts |= {limit.presentations or 0 for limit in self._geometric(budget)}
        return [Limit(presentations=count) for count in sorted(counts)]

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


@dataclass(frozen=True)
class Budget:
    """When a run stops and where it is evaluated, checked; the number of training examples is not known yet.

    `epochs` are the limit on presentations, divided by the number of training examples; `limit` has the other limits.
    `evaluations`, `every` and `tail` (epochs) are those of `BudgetConfig`.
    """

    epochs: float | None
    limit: Limit
    evaluations: int
    every: float | None = None
    tail: float | None = None

    def schedule(self, n: int) -> EvaluationSchedule:
        """Return the schedule of evaluations of a run on `n` training examples."""
        every = None if self.every is None else min(max(1.0, self.every * n), LARGEST_INTEGER)
        return EvaluationSchedule(self.evaluations, every, math.inf if self.tail is None else self.tail * n, epoch=n)

    def identity(self) -> dict[str, Any]:
        """Return the part of a run's identity: `every` and `tail` only where they are set.

        Run keys and stored records depend on these names: `evaluations` has the name ``checkpoints`` here.
        """
        limits = {name: getattr(self.limit, COUNTER_OF[name]) for name in BUDGET_LIMITS[1:]}
        even = {name: value for name in _EVEN if (value := getattr(self, name)) is not None}
        return {"epochs": self.epochs, **limits, "checkpoints": self.evaluations, **even}

    def check_counted(self, algo: str, not_counted: Collection[str]) -> None:
        """Refuse a limit in a counter that a solver does not have: it would never be reached.

        `not_counted` are names of counters, as `solvers.Solver.not_counted` returns them. Epochs, the default limit,
        are allowed: a solver that does not count presentations ends by itself.
        """
        if self.every is not None and "presentations" in not_counted:
            raise SettingsError(f"budget.every is a number of epochs, which algo={algo} does not count: leave it out")
        for name in self.limit.given():
            if name in not_counted:
                counted = [limit for limit, counter in COUNTER_OF.items() if counter not in not_counted]
                raise SettingsError(
                    f"budget.{name} cannot end this run: algo={algo} does not count that here; it can be limited by "
                    f"{', '.join(f'budget.{limit}' for limit in counted)}"
                )

    def limits(self, n: int) -> Limit:
        """Return all limits for `n` training examples; a fraction of a presentation is rounded up."""
        if self.epochs is None:
            return self.limit
        presented = self.epochs * n
        if presented > LARGEST_INTEGER:
            raise SettingsError(f"budget.epochs = {self.epochs:g} of {n:,} examples: more than 2^63 - 1 are presented")
        return dataclasses.replace(self.limit, presentations=max(1, math.ceil(presented)))


def choose_budget(given: BudgetConfig, preset: PresetConfig) -> tuple[Budget, str | None]:
    """Check the budget; return it, and who chose its epochs if the command line did not name any limit."""
    for name in BUDGET_LIMITS:
        value = getattr(given, name)
        if value is not None and not _is_positive(value):
            raise SettingsError(f"budget.{name} must be a number > 0 (or null: no limit), got {value:g}")
    if not 1 <= given.evaluations <= MAX_EVALUATIONS:
        raise SettingsError(f"budget.evaluations must be between 1 and {MAX_EVALUATIONS}, got {given.evaluations}")
    epochs, origin = given.epochs, None
    if all(getattr(given, name) is None for name in BUDGET_LIMITS):
        epochs, origin = presets.choose_epochs(preset)
    _check_even(given, epochs)
    counts: dict[str, int] = {}
    for name in BUDGET_LIMITS[1:-1]:
        if (count := getattr(given, name)) is not None:
            if not count.is_integer() or count > LARGEST_INTEGER:
                raise SettingsError(
                    f"budget.{name} counts whole things: give a whole number up to 2^63 - 1, got {count:g}"
                )
            counts[name] = int(count)
    limit = Limit(**counts, cpu_seconds=given.seconds)
    return Budget(epochs, limit, given.evaluations, given.every, given.tail), origin


def _check_even(budget: BudgetConfig, epochs: float | None) -> None:
    """Refuse even steps that have no meaning, or that are too many."""
    if budget.every is None:
        if budget.tail is not None:
            raise SettingsError("budget.tail says where the steps of budget.every lie: give that as well")
        return
    other_limits = [name for name in BUDGET_LIMITS if name != "epochs" and getattr(budget, name) is not None]
    if epochs is None or other_limits:
        raise SettingsError(f"budget.every goes with budget.epochs alone, got {', '.join(other_limits)}")
    for name in _EVEN:
        value = getattr(budget, name)
        if value is not None and not _is_positive(value):
            raise SettingsError(f"budget.{name} must be a number of epochs > 0 (or null), got {value:g}")
    if (steps := min(epochs, budget.tail or epochs) / budget.every) > MAX_EVALUATIONS:
        raise SettingsError(f"budget.every = {budget.every:g}: {steps:.3g} points are more than {MAX_EVALUATIONS}")


def _is_positive(value: float) -> bool:
    return math.isfinite(value) and value > 0
