"""What linear methods on Nystrom features have in common: the features made once, their costs, the predictor."""

from __future__ import annotations

import abc
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from solvers import _core
from solvers.base import Counters, Limit, PythonSolver, State, Status, part, under
from solvers.errors import CoreError, SettingsError
from solvers.nystrom import Nystrom
from solvers.problem import Problem
from solvers.rows import threads_refused
from solvers.snapshots import KernelSnapshot, OnFeatures


class OnNystromFeatures(PythonSolver):
    """The features are made in the first call of `advance` that has something to do; then the core iterates on them.

    Charged once, when the features are there: n s kernel evaluations, each of them one inner product and one read of
    x_i. After that an iteration costs what the linear method costs on rows of r features. Both are timed, and so is the
    decomposition of the sample's kernel matrix, which is made at once.

    The settings have `features`, s, and `eps_d`; see `Nystrom.sample`.
    """

    needs = frozenset({"lambda"})
    within_n = ("features",)
    resumes = True
    ends: ClassVar[bool]
    """Whether the linear method has a stop of its own."""

    def __init__(self, problem: Problem, settings: Any, seed: int) -> None:
        super().__init__(problem, settings, seed)
        self.cost = "iterations"
        self._cpu_of_others = 0.0
        with self.clocks():
            self.nystrom = Nystrom.sample(problem, settings.features, settings.eps_d, seed)
        self.remarks = (self.nystrom.remark(),)
        self._features: NDArray[np.float32] | None = None
        self._core: _core.LinearSolver | None = None

    @abc.abstractmethod
    def make(self, features: _core.FeatureMatrix) -> _core.LinearSolver:
        """Return the core's linear method on the features, by rows."""

    def cpu_clock(self) -> float:
        """CPU seconds of this thread, and of those that helped to make the features."""
        return super().cpu_clock() + self._cpu_of_others

    def advance(self, limit: Limit) -> Status:  # noqa: D102 (inherited)
        with self.clocks():
            if reached := self.reached(limit):
                return reached
            core = self._core or self._made()
            if reached := self.reached(limit):
                return reached
            return Status(core.advance(**self._left(limit, core).given()).name)

    def _made(self) -> _core.LinearSolver:
        features, cpu, refused = self.nystrom.of_training_points()
        self._cpu_of_others += cpu
        if refused:
            self.remarks = (*self.remarks, threads_refused(refused, self.problem.policy.threads))
        matrix = _core.FeatureMatrix(_core.Matrix(features), self.problem.positives)
        try:
            self._core = self.make(matrix)
        except CoreError as error:
            raise SettingsError(f"algo={self.name}: {error}") from error
        self._features = features
        return self._core

    def _left(self, limit: Limit, core: _core.LinearSolver) -> Limit:
        """Return a limit of the whole run as one of the iterations alone."""
        made = self._made_costs()
        bounds = set(limit.given()) - {"cpu_seconds"}
        if not self.ends and bounds == {"kernel_evaluations"}:
            raise SettingsError(
                f"algo={self.name} evaluates the kernel n s = {made.kernel_evaluations:,} times and then "
                "never again: a budget of more evaluations would last for ever; give budget.epochs or budget.iterations"
            )
        seconds = limit.cpu_seconds
        return replace(
            limit,
            kernel_evaluations=None,
            inner_products=_less(limit.inner_products, made.inner_products),
            feature_accesses=_less(limit.feature_accesses, made.feature_accesses),
            cpu_seconds=None if seconds is None else core.cpu_seconds + max(seconds - self.cpu_seconds, 0.0),
        )

    def _made_costs(self) -> Counters:
        n, s = self.problem.n, len(self.nystrom.points)
        return Counters(
            kernel_evaluations=n * s,
            inner_products=n * s,
            feature_accesses=s * self.problem.matrix.stored,
            feature_accesses_dense=s * n * self.problem.d,
        )

    def state(self) -> State:
        """Return the iterations' state and the clocks; the features are made again from the problem."""
        return self.clock_state() | ({} if self._core is None else under("core", self._core.state()))

    def restore(self, state: State | None) -> None:  # noqa: D102 (inherited)
        with self.restoring():
            assert state is not None  # one process makes the run
            if core := part("core", state):
                self._made().restore(core)
            self.set_clocks(state)

    @property
    def counters(self) -> Counters:  # noqa: D102 (inherited)
        if self._core is None:
            return Counters()
        made, own = vars(self._made_costs()), self._core.counters
        return Counters(**{name: cost + getattr(own, name) for name, cost in made.items()})

    def snapshot(self) -> KernelSnapshot:  # noqa: D102 (inherited)
        if self._core is None or self._features is None:
            return KernelSnapshot(np.zeros(self.problem.n), responses=np.zeros(self.problem.n))
        weights = self._core.weights()
        coefficients = self.nystrom.coefficients(weights)
        return KernelSnapshot(coefficients, self._core.bias, on_features=OnFeatures(self._features, weights))


def _less(limit: int | None, spent: int | None) -> int | None:
    return None if limit is None else limit - (spent or 0)
