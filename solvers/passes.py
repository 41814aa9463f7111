"""What library solvers have in common that can be told how many passes to make, but cannot be stopped half way."""

from __future__ import annotations

import abc
import math
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers._core import Purpose, Random
from solvers.base import Counters, Limit, PythonSolver, Status
from solvers.errors import SettingsError
from solvers.features import Features
from solvers.problem import Problem
from solvers.snapshots import LinearSnapshot, Snapshot

OF_NO_LIBRARY = frozenset({"kernel_evaluations", "inner_products", "feature_accesses", "feature_accesses_dense"})
"""Counters that no library tells."""
MOST_PASSES = 2**31 - 1
"""The libraries count passes in 32 bits."""


class Passes(PythonSolver):
    """Runs a library anew, from nothing, for each number of passes over the examples that it is asked for.

    The first k passes are the same whatever comes after them, so that a run of k passes shows how far any longer one is
    after k. The clock is that run's, not the sum over all runs, and never below what it was: it holds all that the
    library does to make k passes, and no conversion of the data that the library lets us make before.

    A count is gone to in one run, however long that takes. Where time is the only limit, passes are doubled until a run
    takes that long.
    """

    needs = frozenset({"lambda"})
    kernels = explicit = frozenset({"linear"})
    timed = True
    uncounted = OF_NO_LIBRARY

    def __init__(self, problem: Problem, settings: Any, seed: int) -> None:
        super().__init__(problem, settings, seed)
        self.cost = "iterations"  # the libraries do not say what they read
        self._data = self.data()
        self._library_seed = Random(seed, Purpose.order).below(2**32)
        # a library's first call imports and prepares what later calls find at hand: one example of each class will do
        self.model(1, self._library_seed).fit(self._data[[0, -1]], problem.y[[0, -1]])
        self._weights = np.zeros(problem.d)
        self._passes = 0
        self._converged = False

    @abc.abstractmethod
    def data(self) -> Features:
        """Return the problem's points, (n, d), in the form that suits the library best."""

    @abc.abstractmethod
    def model(self, passes: int, seed: int) -> Any:
        """Return scikit-learn's estimator, to make so many passes, or fewer where it stops by itself."""

    def advance(self, limit: Limit) -> Status:  # noqa: D102 (inherited)
        while not self._converged:
            if reached := self.reached(limit):
                return reached
            self._run(self._next(limit))
        return Status.CONVERGED

    def _next(self, limit: Limit) -> int:
        counts = [] if limit.iterations is None else [limit.iterations]
        if "presentations" not in self.uncounted and limit.presentations is not None:
            counts.append(math.ceil(limit.presentations / self.problem.n))
        return min(counts, default=2 * self._passes or 1)

    def _run(self, passes: int) -> None:
        if passes > MOST_PASSES:
            raise SettingsError(f"algo={self.name} can make {MOST_PASSES:,} passes at most; more were asked for")
        model = self.model(passes, self._library_seed)
        cpu, wall = self.cpu_clock(), time.monotonic()
        model.fit(self._data, self.problem.y)
        cpu, wall = self.cpu_clock() - cpu, time.monotonic() - wall
        self._cpu, self._wall = max(self._cpu, cpu), max(self._wall, wall)
        self._passes = int(model.n_iter_)
        self._converged = self._passes < passes
        self._weights = self.weights_of(model)

    def weights_of(self, model: Any) -> NDArray[np.float64]:
        """Return what the snapshot needs of a fitted model: the weights, (d,), in the order of `features`."""
        weights: NDArray[np.float64] = model.coef_.ravel().astype(np.float64)
        return weights[self.problem.feature_order]

    @property
    def counters(self) -> Counters:  # noqa: D102 (inherited)
        presented = self._passes * self.problem.n
        return Counters(iterations=self._passes, presentations=presented).without(self.uncounted)

    def snapshot(self) -> Snapshot:  # noqa: D102 (inherited)
        return LinearSnapshot(self._weights)
