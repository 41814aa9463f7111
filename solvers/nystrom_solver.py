"""Base class of linear methods on Nystrom features: computes the features once and charges for them."""

from __future__ import annotations

import abc
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from svm_cost_curves.solvers import _core
from svm_cost_curves.solvers.base import Counters, Limit, State, Status
from svm_cost_curves.solvers.errors import CoreError, SettingsError
from svm_cost_curves.solvers.nystrom import Nystrom
from svm_cost_curves.solvers.precision import FeaturesPrecision
from svm_cost_curves.solvers.problem import Problem
from svm_cost_curves.solvers.python_solver import PythonSolver, prefixed, select
from svm_cost_curves.solvers.rows import threads_refused
from svm_cost_curves.solvers.snapshots import DeferredResponses, KernelSnapshot


class NystromSolver(PythonSolver):
    """The first call of `advance` computes the features; then the core iterates on them.

    The features are charged once: n s kernel evaluations, each of which is one inner product and one read of x_i. Then
    an iteration costs what the linear method costs on rows of r features. Both are timed. The constructor decomposes
    the sample's kernel matrix, which is timed too.

    The settings have `features`, s, and `eps_d`; see `Nystrom.sample`.
    """

    needs = frozenset({"lambda"})
    within_n = ("features",)
    resumes = True
    has_stopping_rule: ClassVar[bool]
    """Whether the linear method can converge."""
    precision = FeaturesPrecision.float32
    """How the features are stored."""

    def __init__(self, problem: Problem, settings: Any, seed: int) -> None:
        super().__init__(problem, settings, seed)
        self.cost = "iterations"
        self._helper_cpu_seconds = 0.0
        with self.clocks():
            self.nystrom = self.sample()
        self.remarks = (self.nystrom.remark(),)
        self._features: NDArray[Any] | None = None
        self._core: _core.LinearSolver | None = None

    def sample(self) -> Nystrom:
        """Return the features' basis."""
        return Nystrom.sample(self.problem, self.settings.features, self.settings.eps_d, self.seed)

    @abc.abstractmethod
    def make(self, features: NDArray[Any]) -> _core.LinearSolver:
        """Return the core's linear method on the features, (n, r)."""

    def cpu_clock(self) -> float:
        """Return the CPU seconds of this thread, and of the threads that helped to compute the features."""
        return super().cpu_clock() + self._helper_cpu_seconds

    def advance(self, limit: Limit) -> Status:  # noqa: D102 (inherited)
        with self.clocks():
            if reached := self.reached(limit):
                return reached
            core = self._core or self._start()
            if reached := self.reached(limit):
                return reached
            return Status(core.advance(**self._limit_of_core(limit, core).given()).name)

    def _start(self) -> _core.LinearSolver:
        features, cpu, refused = self.nystrom.of_training_points(self.precision)
        self._helper_cpu_seconds += cpu
        if refused:
            self.remarks = (*self.remarks, threads_refused(refused, self.problem.policy.threads))
        try:
            self._core = self.make(features)
        except CoreError as error:
            raise SettingsError(f"algo={self.name}: {error}") from error
        self._features = features
        return self._core

    def _limit_of_core(self, limit: Limit, core: _core.LinearSolver) -> Limit:
        """Return the limit for the core, which counts the iterations only and not the features."""
        features = self._feature_costs()
        bounds = set(limit.given()) - {"cpu_seconds"}
        if not self.has_stopping_rule and bounds == {"kernel_evaluations"}:
            raise SettingsError(
                f"algo={self.name} evaluates the kernel n s = {features.kernel_evaluations:,} times and then "
                "never again: a larger budget would never end the run; give budget.epochs or budget.iterations"
            )
        seconds = limit.cpu_seconds
        return replace(
            limit,
            kernel_evaluations=None,
            inner_products=_less(limit.inner_products, features.inner_products),
            feature_accesses=_less(limit.feature_accesses, features.feature_accesses),
            cpu_seconds=None if seconds is None else core.cpu_seconds + max(seconds - self.cpu_seconds, 0.0),
        )

    def _feature_costs(self) -> Counters:
        n, s = self.problem.n, len(self.nystrom.points)
        return Counters(
            kernel_evaluations=n * s,
            inner_products=n * s,
            feature_accesses=s * self.problem.matrix.stored,
            feature_accesses_dense=s * n * self.problem.d,
        )

    def state(self) -> State:
        """Return the state of the iterations and the clocks; `restore` computes the features again."""
        return self.clock_state() | ({} if self._core is None else prefixed("core", self._core.state()))

    def restore(self, state: State | None) -> None:  # noqa: D102 (inherited)
        with self.restoring():
            assert state is not None  # one process makes the run
            if core := select("core", state):
                self._start().restore(core)
            self.set_clocks(state)

    @property
    def counters(self) -> Counters:  # noqa: D102 (inherited)
        if self._core is None:
            return Counters()
        features, own = vars(self._feature_costs()), self._core.counters
        return Counters(**{name: cost + getattr(own, name) for name, cost in features.items()})

    def snapshot(self) -> KernelSnapshot:  # noqa: D102 (inherited)
        if self._core is None or self._features is None:
            return KernelSnapshot(np.zeros(self.problem.n), responses=np.zeros(self.problem.n))
        weights = self._core.weights()
        coefficients = self.nystrom.coefficients(weights)
        # rounded features would give other responses than the expansion has
        exact = self.precision is FeaturesPrecision.float32
        deferred = DeferredResponses(self._features, weights) if exact else None
        return KernelSnapshot(coefficients, self._core.bias, deferred=deferred)


def _less(limit: int | None, spent: int | None) -> int | None:
    return None if limit is None else limit - (spent or 0)
