"""ASSET_on and ASSET*_on: one pass over a stream, with random cosine features (Lee, Wright 2011)."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core, blas
from .asset import iteration_settings
from .base import Counters, Limit, State, Status
from .cosines import Cosines
from .errors import CoreError, SettingsError
from .features import Features
from .predictors import CosinePredictor
from .problem import Problem
from .python_solver import PythonSolver, prefixed, select
from .snapshots import FunctionSnapshot


@dataclass
class AssetStarOnlineSettings:
    """Settings of `AssetStarOnline`."""

    features: int = 1024
    """d: number of random cosines, at least 1."""
    window: int = 100
    """The predictor is the average of this many last iterates, weighted by their steps; 1: the last iterate."""


@dataclass
class AssetOnlineSettings(AssetStarOnlineSettings):
    """Settings of `AssetOnline`."""

    step: float = 1.0
    """The steps are this times D_X / (D_G sqrt(j))."""
    samples: int = 100
    """M: D_G^2 is estimated from this many first examples of the stream."""
    intercept_bound: float = 10.0
    """B: the intercept stays in [-B, B]; used with problem.bias=true."""


class CosineSnapshot(FunctionSnapshot):
    """f(x) = <weights, features of x> + bias."""

    def __init__(self, problem: Problem, cosines: Cosines, weights: NDArray[np.float64], bias: float) -> None:
        self._problem = problem
        self._cosines = cosines
        self.weights = weights
        self.bias = bias
        self.norm = float(np.linalg.norm(weights))

    def decision_values(self, X: Features) -> NDArray[np.float64]:  # noqa: D102 (inherited)
        return self.batched_values([self], X)[:, 0]

    def predictor(self) -> CosinePredictor:  # noqa: D102 (inherited)
        return CosinePredictor(self._cosines.frequencies, self._cosines.phases, self.weights)

    def same_basis(self, other: FunctionSnapshot) -> bool:  # noqa: D102 (inherited)
        return isinstance(other, CosineSnapshot) and other._cosines is self._cosines

    @staticmethod
    def batched_values(snapshots: Sequence[Any], X: Features) -> NDArray[np.float64]:  # noqa: D102 (inherited)
        first: CosineSnapshot = snapshots[0]
        weights = np.stack([snapshot.weights for snapshot in snapshots], axis=1)
        values = first._cosines.values(first._problem.points(X), weights)
        values += np.array([snapshot.bias for snapshot in snapshots])
        return values


class _StreamSolver(PythonSolver):
    """One pass over the training examples in a random order, after which the run ends.

    Features are computed block by block, on one thread, and dropped two blocks later. So memory grows with the number
    of examples only by the order of the stream, 4 bytes an example. A presentation costs d inner products with the
    example, d reads of it, and one inner product of its features with the weights.

    If the problem itself is a stream, its examples are made block by block as well. The clocks are stopped while
    examples are made, as they are while data are read from a file.
    """

    needs = frozenset({"lambda"})
    kernels = frozenset({"gaussian"})
    uncounted = frozenset({"kernel_evaluations"})
    resumes = True

    def __init__(self, problem: Problem, settings: Any, seed: int) -> None:
        super().__init__(problem, settings, seed)
        self.cost = "iterations"
        iteration = self.iteration()
        with self.clocks():
            self.cosines = Cosines.draw(problem, settings.features, seed)
            self._fetched: Features | None = None  # the examples of the next block
            self._order = _core.Random(seed, _core.Purpose.order).permutation(problem.n)
            try:
                self._core = _core.AssetStream(problem.n, problem.d, self.cosines.dimension, **iteration)
            except CoreError as error:
                raise SettingsError(f"algo={self.name}: {error}") from error

    @abc.abstractmethod
    def iteration(self) -> dict[str, Any]:
        """Return the core's arguments for an iteration."""

    def advance(self, limit: Limit) -> Status:
        with blas.connected():  # one thread: results must not depend on the number of threads
            while True:
                with self.clocks():
                    status = self._advance_on_block(limit)
                if status is not None:
                    return status
                self._fetched = self.problem.examples(self._next_block())

    def _advance_on_block(self, limit: Limit) -> Status | None:
        """Advance and return the status, or None if the examples of the next block are needed first."""
        while not (reached := self.reached(limit)):
            if self._core.counters.iterations >= self.problem.n:
                self.remarks = (
                    f"the stream ended after its {self.problem.n:,} examples, before the budget: one pass is all",
                )
                return Status.CONVERGED
            if self._core.counters.iterations >= self._core.fed:
                if self._fetched is None:
                    return None
                self._feed(self._fetched)
                self._fetched = None
            self._core.advance(**self._limit_of_core(limit).given())
        return reached

    def _next_block(self) -> NDArray[np.uint32]:
        """Return the numbers of the examples of the next block."""
        return self._order[self._core.fed : self._core.fed + self._core.expected]

    def _feed(self, examples: Features) -> None:
        labels = self.problem.y[self._next_block()]
        stored = np.full(len(labels), self.problem.d) if isinstance(examples, np.ndarray) else np.diff(examples.indptr)
        self._core.feed(self.cosines.of(examples), labels, stored.astype(np.uint32))

    def _limit_of_core(self, limit: Limit) -> Limit:
        """Return the limit for the core: it stops at the last example that it has been given."""
        fed = self._core.fed if limit.iterations is None else min(self._core.fed, limit.iterations)
        seconds = self.time_left(limit, self._core)
        return replace(limit, iterations=fed, kernel_evaluations=None, cpu_seconds=seconds)

    def state(self) -> State:
        return self.clock_state() | prefixed("core", self._core.state())

    def restore(self, state: State | None) -> None:
        with self.restoring():
            assert state is not None  # one process makes the run
            self._core.restore(select("core", state))
            self._fetched = None  # made again when it is needed
            self.set_clocks(state)

    @property
    def counters(self) -> Counters:
        return Counters.of(self._core.counters, self.uncounted)

    def snapshot(self) -> CosineSnapshot:
        return CosineSnapshot(self.problem, self.cosines, *self._core.average())


class AssetOnline(_StreamSolver):
    """ASSET on a stream: steps D_X / (D_G sqrt(j)), projected, the last iterates averaged."""

    name = "asset_online"
    summary = "ASSET on a stream of random Fourier features, one pass (Lee, Wright 2011)"
    Settings = AssetOnlineSettings
    biases = frozenset({False, True})

    def iteration(self) -> dict[str, Any]:  # noqa: D102 (inherited)
        return iteration_settings(self.problem, self.settings, strongly_convex=False)


class AssetStarOnline(_StreamSolver):
    """ASSET* on a stream, without intercept: steps 1 / (lambda j), projected."""

    name = "asset_star_online"
    summary = "ASSET* on a stream of random Fourier features, one pass (Lee, Wright 2011)"
    Settings = AssetStarOnlineSettings

    def iteration(self) -> dict[str, Any]:  # noqa: D102 (inherited)
        return iteration_settings(self.problem, self.settings, strongly_convex=True)
