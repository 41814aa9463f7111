"""Nystrom features (Lee, Wright 2011, equation 16), and the base of linear methods on them, which charges for them.

They approximate a kernel by its values at a few sampled points.
"""

from __future__ import annotations

import abc
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core, blas
from .base import Counters, Limit, State, Status
from .errors import SettingsError, core_errors
from .features import Features
from .problem import Problem
from .python_solver import PythonSolver, prefixed, select
from .rows import threads_refused
from .snapshots import DeferredResponses, KernelSnapshot

_EPSILON = float(np.finfo(np.float32).eps)
_LINE = 64  # bytes of a cache line of the processor


@dataclass(frozen=True)
class Nystrom:
    """Features V = K_{.S} Q D^{-1/2} of s points S: V V' = K_{.S} K_{SS}^+ K_{S.} for K_SS = Q D Q'.

    `points` are S, (s,) intp, increasing numbers in the problem's order; `projection` is Q D^{-1/2}, (s, r) float64;
    `eigenvalues` are D, (r,) float64, decreasing, of which those below `floor` are dropped.
    """

    problem: Problem
    points: NDArray[np.intp]
    projection: NDArray[np.float64]
    eigenvalues: NDArray[np.float64]
    floor: float

    @classmethod
    def sample(
        cls, problem: Problem, count: int, eps_d: float, seed: int, *, threshold: float | None = None
    ) -> Nystrom:
        """Draw `count` training points, s, uniformly and without replacement, and decompose their kernel matrix.

        Kernel values are float32, the decomposition is float64. Eigenvalues below `eps_d` (0 to 1; the paper's is
        1e-16) times the largest are dropped, and so are those below `threshold` times max K(x, x). By default that is
        sqrt(s) 2^-23: smaller ones can be rounding errors of float32, and a feature, which is divided by the root of
        its eigenvalue, would be noise. Those that are not positive are always dropped.

        Raises
        ------
        SettingsError
            A number outside its range, or no eigenvalue is left.
        """
        if not 1 <= count <= problem.n:
            raise SettingsError(
                f"algo.features = {count}: it must be from 1 to n = {problem.n:,}, the number of training points"
            )
        if not 0.0 < eps_d < 1.0:
            raise SettingsError(f"algo.eps_d = {eps_d!r}: it must lie between 0 and 1")
        least = math.sqrt(count) * _EPSILON if threshold is None else threshold
        if not 0.0 <= least < math.inf:
            raise SettingsError(f"algo.eigenvalue_threshold = {threshold!r}: it must be finite and not negative")
        drawn = _core.Random(seed, _core.Purpose.features).permutation(problem.n)[:count]
        points = np.sort(drawn.astype(np.intp))
        gram = np.empty((count, count), dtype=np.float32)
        with blas.connected():  # one thread: results must not depend on the number of threads
            _core.fill_gram(problem.kernel.core(), problem.core_matrix(problem.X[points]), gram)
            eigenvalues, vectors = _decomposed(gram)
        largest = float(eigenvalues[-1])
        floor = max(eps_d * largest, least * float(gram.diagonal().max()))
        kept = np.flatnonzero((eigenvalues >= floor) & (eigenvalues > 0.0))[::-1]
        if not len(kept):
            raise SettingsError(
                f"the kernel matrix of the {count:,} sampled points has rank 0: its largest eigenvalue is "
                f"{largest:.3g}, and no feature is left; take another kernel or other data"
            )
        projection = np.ascontiguousarray(vectors[:, kept] / np.sqrt(eigenvalues[kept]))
        return cls(problem, points, projection, eigenvalues[kept], floor)

    @property
    def rank(self) -> int:
        """Number of features, r <= s."""
        return len(self.eigenvalues)

    def remark(self) -> str:
        """Return a sentence about the number of features."""
        count = len(self.points)
        if self.rank == count:
            return f"{count:,} features from as many sampled points"
        return (
            f"{self.rank:,} features from {count:,} sampled points: the other eigenvalues of their kernel matrix lie "
            f"below {self.floor:.3g}"
        )

    def of_training_points(self) -> tuple[NDArray[np.float32], float, int]:
        """Return the features of all training points, (n, r), and what `_core.fill_features` returns.

        Computed in blocks of rows, by matrix products of float32; each thread needs some MB besides the result. Raises
        SettingsError if they do not fit in memory.
        """
        self.problem.require_memory(
            4 * self.problem.n * self.rank,
            f"{self.rank:,} features of {self.problem.n:,} points in float32",
            "lower algo.features, or",
        )
        return self._features(self.problem.matrix)

    def of(self, X: Features) -> NDArray[np.float32]:
        """Return the Nystrom features, (m, r) float32, of (m, d) float32 points."""
        return self._features(self.problem.core_matrix(self.problem.points(X)))[0]

    def _features(self, points: _core.Matrix) -> tuple[NDArray[np.float32], float, int]:
        problem = self.problem
        out = _aligned(points.rows, self.rank)
        basis = problem.core_matrix(problem.X[self.points])
        rows = np.ascontiguousarray(self.projection.T, dtype=np.float32)
        with blas.connected():
            cpu, refused = _core.fill_features(problem.kernel.core(), points, basis, rows, out, problem.policy.threads)
        return out, cpu, refused

    def coefficients(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the kernel expansion, (n,) float64, of the linear function of the features with weights g, (r,).

        It is alpha_S = Q D^{-1/2} g, and 0 elsewhere: s kernel evaluations give the function's value.
        """
        coefficients = np.zeros(self.problem.n)
        coefficients[self.points] = self.projection @ weights
        return coefficients


def _aligned(rows: int, columns: int) -> NDArray[np.float32]:
    """Return an uninitialised array, (rows, columns), that starts at a cache line: numpy aligns to 16 bytes only."""
    size = 4 * rows * columns
    content = np.empty(size + _LINE, dtype=np.uint8)
    first = -content.ctypes.data % _LINE
    return content[first : first + size].view(np.float32).reshape(rows, columns)


def _decomposed(gram: NDArray[np.float32]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    # imported here: scipy.linalg takes a quarter of a second, which --help does not need
    from scipy.linalg import eigh

    eigenvalues, vectors = eigh(gram.astype(np.float64))
    return eigenvalues, vectors


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
            with core_errors(self.name):
                return Status(core.advance(**self._limit_of_core(limit, core).given()).name)

    def _start(self) -> _core.LinearSolver:
        features, cpu, refused = self.nystrom.of_training_points()
        self._helper_cpu_seconds += cpu
        if refused:
            self.remarks = (*self.remarks, threads_refused(refused, self.problem.policy.threads))
        with core_errors(self.name):
            self._core = self.make(features)
        self._features = features
        return self._core

    def _limit_of_core(self, limit: Limit, core: _core.LinearSolver) -> Limit:
        """Return the limit for the core, which counts the iterations only and not the features."""
        features = self._feature_costs()
        bounds = set(limit.given()) - {"cpu_seconds"}
        if not self.has_stopping_rule() and bounds == {"kernel_evaluations"}:
            raise SettingsError(
                f"algo={self.name} evaluates the kernel n s = {features.kernel_evaluations:,} times and then "
                "never again: a larger budget would never end the run; give budget.epochs or budget.iterations"
            )
        return replace(
            limit,
            kernel_evaluations=None,
            inner_products=_less(limit.inner_products, features.inner_products),
            feature_accesses=_less(limit.feature_accesses, features.feature_accesses),
            cpu_seconds=self.time_left(limit, core),
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
        features, counters = vars(self._feature_costs()), self._core.counters
        return Counters(**{name: cost + getattr(counters, name) for name, cost in features.items()})

    def snapshot(self) -> KernelSnapshot:  # noqa: D102 (inherited)
        if self._core is None or self._features is None:
            return KernelSnapshot(np.zeros(self.problem.n), responses=np.zeros(self.problem.n))
        weights = self._core.weights()
        coefficients = self.nystrom.coefficients(weights)
        deferred = DeferredResponses(self._features, weights)
        return KernelSnapshot(coefficients, self._core.bias, deferred=deferred)


def _less(limit: int | None, spent: int | None) -> int | None:
    return None if limit is None else limit - (spent or 0)
