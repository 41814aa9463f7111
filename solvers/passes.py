"""Base class of libraries' solvers that accept a number of passes but cannot be interrupted."""

from __future__ import annotations

import abc
import math
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svm_cost_curves.solvers._core import Purpose, Random
from svm_cost_curves.solvers.base import Counters, Limit, Status
from svm_cost_curves.solvers.errors import SettingsError
from svm_cost_curves.solvers.features import Features
from svm_cost_curves.solvers.kernels import Gaussian, Kernel, Polynomial
from svm_cost_curves.solvers.problem import Problem
from svm_cost_curves.solvers.python_solver import PythonSolver
from svm_cost_curves.solvers.snapshots import LinearSnapshot, Snapshot

NOT_REPORTED = frozenset({"kernel_evaluations", "inner_products", "feature_accesses", "feature_accesses_dense"})
"""Counters that no library reports."""
MAX_PASSES = 2**31 - 1
"""The libraries count passes in 32 bits."""


class Passes(PythonSolver):
    """Runs a library from the start for each number of passes over the examples.

    The first k passes of a longer run are those of a run of k passes. So one run of k passes gives the point of the
    curve after k. Its time is the time of that run, not the sum over all runs, and it never decreases. It contains all
    that the library does for k passes; data are converted before the clock starts where the library allows it.

    To reach a limit in passes takes one run, however long. With a limit in seconds only, the number of passes is
    doubled until a run takes that long.
    """

    needs = frozenset({"lambda"})
    kernels = explicit = frozenset({"linear"})
    timed = True
    libraries = ("scikit-learn",)
    uncounted = NOT_REPORTED

    def __init__(self, problem: Problem, settings: Any, seed: int) -> None:
        super().__init__(problem, settings, seed)
        self.cost = "iterations"  # the libraries do not report what they read
        self._data = self.data()
        self._library_seed = Random(seed, Purpose.order).below(2**32)
        # the first call of a library also imports modules: make it here, on one example of each class
        self.model(1, self._library_seed).fit(self._data[[0, -1]], problem.y[[0, -1]])
        self._weights = np.zeros(problem.d)
        self._passes = 0
        self._converged = False

    @abc.abstractmethod
    def data(self) -> Features:
        """Return the problem's points, (n, d), in the storage that is fastest for the library."""

    @abc.abstractmethod
    def model(self, passes: int, seed: int) -> Any:
        """Return scikit-learn's estimator with this limit on passes; it may converge earlier."""

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
        if passes > MAX_PASSES:
            raise SettingsError(f"algo={self.name} can make {MAX_PASSES:,} passes at most; more were asked for")
        model = self.model(passes, self._library_seed)
        cpu, wall = self.cpu_clock(), time.monotonic()
        model.fit(self._data, self.problem.y)
        cpu, wall = self.cpu_clock() - cpu, time.monotonic() - wall
        self._cpu, self._wall = max(self._cpu, cpu), max(self._wall, wall)
        self._passes = int(model.n_iter_)
        self._converged = self._passes < passes
        self._weights = self.weights_of(model)

    def weights_of(self, model: Any) -> NDArray[np.float64]:
        """Return the weights of a fitted model, (d,), in the order of `features`."""
        weights: NDArray[np.float64] = model.coef_.ravel().astype(np.float64)
        return weights[self.problem.feature_order]

    @property
    def counters(self) -> Counters:  # noqa: D102 (inherited)
        presented = self._passes * self.problem.n
        return Counters(iterations=self._passes, presentations=presented).without(self.uncounted)

    def snapshot(self) -> Snapshot:  # noqa: D102 (inherited)
        return LinearSnapshot(self._weights)


def sklearn_kernel(kernel: Kernel) -> dict[str, Any]:
    """Return a kernel as arguments of scikit-learn's estimators."""
    if isinstance(kernel, Gaussian):
        return {"kernel": "rbf", "gamma": 0.5 / kernel.sigma2}
    if isinstance(kernel, Polynomial):
        return {"kernel": "poly", "degree": kernel.degree, "gamma": kernel.gamma, "coef0": kernel.coef0}
    return {"kernel": "linear"}
