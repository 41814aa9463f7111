"""When a run stops, and at how many points it is evaluated: the settings ``budget.*``, checked."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from experiments.configuration import presets
from experiments.configuration.schedule import Limits, Looks
from experiments.configuration.schema import BudgetConfig, PresetConfig
from solvers import SettingsError
from solvers.errors import LARGEST_INTEGER

MAX_CHECKPOINTS = 100_000
BUDGET_LIMITS = ("epochs", "iterations", "kernel_evaluations", "inner_products", "feature_accesses", "seconds")
COUNTER_OF = {"epochs": "presentations"}
"""Limits that are not called like their counter."""
_EVEN = ("every", "tail")


@dataclass(frozen=True)
class Budget:
    """Limits of a run, checked; None: not limited. Counts are whole; `seconds` are CPU seconds in the solver."""

    epochs: float | None
    iterations: int | None
    kernel_evaluations: int | None
    inner_products: int | None
    feature_accesses: int | None
    seconds: float | None
    checkpoints: int
    every: float | None = None
    tail: float | None = None

    def looks(self, n: int) -> Looks:
        """Return the schedule of evaluations of a run on `n` training examples."""
        every = None if self.every is None else min(max(1.0, self.every * n), LARGEST_INTEGER)
        return Looks(self.checkpoints, every, math.inf if self.tail is None else self.tail * n)

    def identity(self) -> dict[str, Any]:
        """Its fields; those of even steps only where there are any."""
        return {name: value for name, value in vars(self).items() if name not in _EVEN or value is not None}

    def check_counted(self, algo: str, not_counted: Collection[str]) -> None:
        """Refuse a limit in a counter that a solver does not have: it would never be reached.

        Epochs, the default limit, are let through: a solver that does not count presentations ends by itself.

        Parameters
        ----------
        algo : str
        not_counted : collection of str
            Names of counters, as `solvers.Solver.not_counted` returns them.

        Raises
        ------
        SettingsError
            With the limits that the solver knows.
        """
        if self.every is not None and "presentations" in not_counted:
            raise SettingsError(f"budget.every is a number of epochs, which algo={algo} does not count: leave it out")
        for name in BUDGET_LIMITS:
            if name in not_counted and getattr(self, name) is not None:
                known = [limit for limit in BUDGET_LIMITS if COUNTER_OF.get(limit, limit) not in not_counted]
                raise SettingsError(
                    f"budget.{name} cannot end this run: algo={algo} does not count that here; it can be limited by "
                    f"{', '.join(f'budget.{limit}' for limit in known)}"
                )

    def limits(self, n: int) -> Limits:
        """Limits in counters for `n` training examples; a part of an example counts as a whole one.

        Raises
        ------
        SettingsError
            The epochs are more presentations than 64 bits can count.
        """
        presented = 0.0 if self.epochs is None else self.epochs * n
        if presented > LARGEST_INTEGER:
            raise SettingsError(f"budget.epochs = {self.epochs:g} of {n:,} examples: more than 2^63 - 1 are presented")
        presentations = None if self.epochs is None else max(1, math.ceil(presented))
        return Limits(
            self.iterations,
            presentations,
            self.kernel_evaluations,
            self.inner_products,
            self.feature_accesses,
            self.seconds,
        )


def choose_budget(given: BudgetConfig, preset: PresetConfig) -> tuple[Budget, str | None]:
    """Check the budget; return it, and who chose its epochs if the command line did not name any limit.

    Raises
    ------
    SettingsError
        A limit that is not allowed.
    """
    for name in BUDGET_LIMITS:
        value = getattr(given, name)
        if value is not None and not (math.isfinite(value) and value > 0):
            raise SettingsError(f"budget.{name} must be a number > 0 (or null: no limit), got {value:g}")
    if not 1 <= given.checkpoints <= MAX_CHECKPOINTS:
        raise SettingsError(f"budget.checkpoints must be between 1 and {MAX_CHECKPOINTS}, got {given.checkpoints}")
    epochs, origin = given.epochs, None
    if all(getattr(given, name) is None for name in BUDGET_LIMITS):
        epochs, origin = presets.choose_epochs(preset)
    _check_even(given, epochs)
    return (
        Budget(
            epochs=epochs,
            iterations=_count(given, "iterations"),
            kernel_evaluations=_count(given, "kernel_evaluations"),
            inner_products=_count(given, "inner_products"),
            feature_accesses=_count(given, "feature_accesses"),
            seconds=given.seconds,
            checkpoints=given.checkpoints,
            every=given.every,
            tail=given.tail,
        ),
        origin,
    )


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
        if value is not None and not (math.isfinite(value) and value > 0):
            raise SettingsError(f"budget.{name} must be a number of epochs > 0 (or null), got {value:g}")
    if (steps := min(epochs, budget.tail or epochs) / budget.every) > MAX_CHECKPOINTS:
        raise SettingsError(f"budget.every = {budget.every:g}: {steps:.3g} points are more than {MAX_CHECKPOINTS}")


def _count(budget: BudgetConfig, name: str) -> int | None:
    value: float | None = getattr(budget, name)
    if value is None:
        return None
    if not value.is_integer() or value > LARGEST_INTEGER:
        raise SettingsError(f"budget.{name} counts whole things: give a whole number up to 2^63 - 1, got {value:g}")
    return int(value)
