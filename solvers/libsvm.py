"""LIBSVM, called through scikit-learn's SVC, to compare running times (Chang, Lin 2011)."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from .base import Counters, Limit, Status
from .errors import SettingsError, check_setting
from .passes import NOT_REPORTED, sklearn_kernel
from .problem import Problem
from .python_solver import PythonSolver
from .snapshots import KernelSnapshot

MAX_ITERATIONS = 10_000_000
"""LIBSVM's own program stops after this many iterations, or 100 n if that is more; scikit-learn's has no limit."""


@dataclass
class LibsvmSettings:
    """Settings of `Libsvm`."""

    tolerance: float = 1e-3
    """LIBSVM's eps: it stops when the two largest violations of KKT conditions add up to less."""
    cache_mb: int = 0
    """LIBSVM's kernel cache in MB; 0 takes three quarters of the run's memory."""
    shrinking: bool = True
    """LIBSVM's shrinking heuristic."""


class Libsvm(PythonSolver):
    """One call that runs to LIBSVM's own stopping rule. It cannot be interrupted and counts no kernel evaluations."""

    name = "libsvm"
    summary = "LIBSVM through scikit-learn, for running times (Chang, Lin 2011)"
    Settings = LibsvmSettings
    needs = frozenset({"lambda"})
    biases = frozenset({True})
    uncounted = NOT_REPORTED | {"presentations"}
    cost = "iterations"
    timed = True
    libraries = ("scikit-learn",)

    def __init__(self, problem: Problem, settings: LibsvmSettings, seed: int) -> None:
        super().__init__(problem, settings, seed)
        check_setting("algo.tolerance", settings.tolerance)
        if settings.cache_mb < 0:
            raise SettingsError(f"algo.cache_mb = {settings.cache_mb}: it must not be negative")
        self._cache_mb = settings.cache_mb or max(problem.policy.memory_bytes * 3 // 4 >> 20, 1)
        self._snapshot = KernelSnapshot(np.zeros(problem.n), dual_feasible=True)
        self._iterations = 0

    def advance(self, limit: Limit) -> Status:  # noqa: D102 (inherited)
        del limit  # LIBSVM cannot continue after a limit
        if self._iterations:
            return Status.CONVERGED
        from sklearn.svm import SVC

        max_iterations = max(MAX_ITERATIONS, 100 * self.problem.n)
        # reported in a remark instead; not removed again for the reason given in `Liblinear.model`
        warnings.filterwarnings("ignore", message="Solver terminated early")
        model = SVC(
            C=self.problem.C,
            tol=self.settings.tolerance,
            cache_size=self._cache_mb,
            shrinking=self.settings.shrinking,
            max_iter=max_iterations,
            **sklearn_kernel(self.problem.kernel),
        )
        with self.clocks():
            model.fit(self.problem.X, self.problem.y)
        self._iterations = max(int(np.sum(model.n_iter_)), 1)
        if self._iterations >= max_iterations:
            self.remarks = (f"LIBSVM gave up after {max_iterations:,} iterations: its stopping rule does not hold",)
        coefficients = np.zeros(self.problem.n)
        dual = model.dual_coef_
        coefficients[model.support_] = np.asarray(dual.todense() if hasattr(dual, "todense") else dual).ravel()
        self._snapshot = KernelSnapshot(coefficients, bias=float(model.intercept_[0]), dual_feasible=True)
        return Status.CONVERGED

    @property
    def counters(self) -> Counters:  # noqa: D102 (inherited)
        return Counters(iterations=self._iterations).without(self.uncounted)

    def snapshot(self) -> KernelSnapshot:  # noqa: D102 (inherited)
        return self._snapshot
