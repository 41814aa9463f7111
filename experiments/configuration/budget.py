"""When a run stops, and at how many points it is evaluated: the settings ``budget.*``, checked."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from svm_cost_curves.experiments.configuration import presets
from svm_cost_curves.experiments.configuration.schedule import EvaluationSchedule
from svm_cost_curves.experiments.configuration.schema import BudgetConfig, PresetConfig
from svm_cost_curves.solvers import Limit, SettingsError
from svm_cost_curves.solvers.errors import LARGEST_INTEGER

MAX_EVALUATIONS = 100_000
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
                known = [limit for limit, counter in COUNTER_OF.items() if counter not in not_counted]
                raise SettingsError(
                    f"budget.{name} cannot end this run: algo={algo} does not count that here; it can be limited by "
                    f"{', '.join(f'budget.{limit}' for limit in known)}"
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
    limit = Limit(**{name: _count(given, name) for name in BUDGET_LIMITS[1:-1]}, cpu_seconds=given.seconds)
    return Budget(epochs, limit, given.evaluations, given.every, given.tail), origin


def _check_even(budget: BudgetConfig, epochs: float | None) -> None:
    """Refuse even steps that have no meaning, or that are too many."""
    if budget.every is None:
        if budget.tail is not None:
            raise SettingsError("budget.tail says where the steps of budget.every lie: give that as well")
        return
    others = [name for name in BUDGET_LIMITS if name != "epochs" and getattr(budget, name) is not None]
    if epochs is None or others:
        raise SettingsError(f"budget.every goes with budget.epochs alone, got {', '.join(others)}")
    for name in _EVEN:
        value = getattr(budget, name)
        if value is not None and not _is_positive(value):
            raise SettingsError(f"budget.{name} must be a number of epochs > 0 (or null), got {value:g}")
    if (steps := min(epochs, budget.tail or epochs) / budget.every) > MAX_EVALUATIONS:
        raise SettingsError(f"budget.every = {budget.every:g}: {steps:.3g} points are more than {MAX_EVALUATIONS}")


def _is_positive(value: float) -> bool:
    return math.isfinite(value) and value > 0


def _count(budget: BudgetConfig, name: str) -> int | None:
    value: float | None = getattr(budget, name)
    if value is None:
        return None
    if not value.is_integer() or value > LARGEST_INTEGER:
        raise SettingsError(f"budget.{name} counts whole things: give a whole number up to 2^63 - 1, got {value:g}")
    return int(value)
