"""LIBLINEAR's time to a duality gap, and its settings for that: it stops by another rule."""

from __future__ import annotations

import itertools
import math
import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from benchmarks.measure import cpu_seconds
from svm_cost_curves.solvers import Problem
from svm_cost_curves.solvers.liblinear import Liblinear, LiblinearSettings

MOST_PASSES = 20_000
"""Passes of LIBLINEAR at most."""
STRICT = 1e-12
"""A tolerance that LIBLINEAR does not reach."""
TOLERANCES = (1.0, 0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3, 3e-4, 1e-4, 1e-5)


@dataclass(frozen=True)
class Effort:
    """Settings of LIBLINEAR, and the relative duality gap (P - D) / D at its end."""

    tolerance: float = STRICT
    passes: int = MOST_PASSES
    gap: float = math.inf

    def __str__(self) -> str:
        if self.tolerance == STRICT:
            return f"its fewest passes, {self.passes:,}"
        return f"its tolerance {self.tolerance:g}"


class LiblinearRuns:
    """Runs of LIBLINEAR (dual coordinate descent) on one problem, with several tolerances and numbers of passes."""

    def __init__(self, problem: Problem, printed: pytest.CaptureFixture[str]) -> None:
        self._problem = problem
        self._printed = printed
        self._library = Liblinear(problem, LiblinearSettings(), 0)
        self._X = self._library.data()
        self._known: dict[Effort, Effort] = {}

    def seconds(self, effort: Effort) -> float:
        """Return the CPU seconds of a run."""
        return cpu_seconds(lambda: self._fit(effort, verbose=False))

    def least_effort(self, eps: float) -> Effort:
        """Return the faster of two settings that reach a relative duality gap of eps, without the time of the search.

        The fewest passes without a rule to stop by, to some percent; its own rule, at the loosest tolerance of some.
        Where no way gets there, the most passes.
        """
        low, effort = 1, self._measured(Effort(passes=2))
        while effort.gap > eps and effort.passes < MOST_PASSES:
            low, effort = effort.passes, self._measured(Effort(passes=min(2 * effort.passes, MOST_PASSES)))
        while effort.gap <= eps and effort.passes - low > max(1, effort.passes // 20):
            middle = self._measured(Effort(passes=(low + effort.passes) // 2))
            low, effort = (low, middle) if middle.gap <= eps else (middle.passes, effort)
        by_its_rule = (self._measured(Effort(tolerance)) for tolerance in TOLERANCES)
        ways = [effort, *itertools.islice((way for way in by_its_rule if way.gap <= eps), 1)]
        return min((way for way in ways if way.gap <= eps), key=self.seconds, default=effort)

    def _measured(self, effort: Effort) -> Effort:
        """Run it and compute the gap; the library returns weights, and prints the dual objective in verbose mode."""
        if effort not in self._known:
            self._printed.readouterr()
            w = self._fit(effort, verbose=True).coef_.ravel()
            text = self._printed.readouterr().out
            objective = re.search(r"Objective value = (\S+)", text)
            if objective is None:
                raise AssertionError(f"LIBLINEAR printed no objective: {text!r}")
            losses = np.maximum(0.0, 1.0 - self._problem.y * (self._X @ w))
            gap = (0.5 * w @ w + self._problem.C * losses.sum()) / -float(objective.group(1)) - 1.0
            self._known[effort] = replace(effort, gap=float(gap))
        return self._known[effort]

    def _fit(self, effort: Effort, verbose: bool) -> Any:
        model = self._library.model(effort.passes, seed=0).set_params(tol=effort.tolerance, verbose=int(verbose))
        return model.fit(self._X, self._problem.y)
