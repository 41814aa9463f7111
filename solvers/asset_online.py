"""ASSET_on and ASSET*_on: one pass over a stream, on random cosines made when they are needed (Lee, Wright 2011)."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers import _core, blas
from solvers.asset import iteration_settings
from solvers.base import Counters, Limit, PythonSolver, State, Status, part, under
from solvers.cosines import Cosines
from solvers.errors import CoreError, SettingsError
from solvers.features import Features
from solvers.problem import Problem
from solvers.snapshots import FunctionSnapshot


@dataclass
class AssetOnlineSettings:
    """Settings of `AssetOnline`."""

    features: int = 1024
    """d: random cosines; any number from 1 on."""
    window: int = 100
    """The predictor is the average of so many last iterates, weighted by their steps; 1: the last iterate."""
    step: float = 1.0
    """The steps are this times D_X / (D_G sqrt(j))."""
    samples: int = 100
    """M: the first examples of the stream, from which D_G^2 is estimated."""
    intercept_bound: float = 10.0
    """B: the intercept stays in [-B, B]; used with problem.bias=true."""


@dataclass
class AssetStarOnlineSettings:
    """Settings of `AssetStarOnline`."""

    features: int = 1024
    """d: random cosines; any number from 1 on."""
    window: int = 1
    """The predictor is the average of so many last iterates, weighted by their steps; 1: the last iterate."""


class CosineSnapshot(FunctionSnapshot):
    """f(x) = <weights, features of x> + bias."""

    def __init__(self, problem: Problem, cosines: Cosines, weights: NDArray[np.float64], bias: float) -> None:
        self._problem = problem
        self._cosines = cosines
        self.weights = weights
        self.bias = bias
        self.norm = float(np.linalg.norm(weights))

    def decision_values(self, X: Features) -> NDArray[np.float64]:  # noqa: D102 (inherited)
        return self.values_together([self], X)[:, 0]

    def together(self, other: FunctionSnapshot) -> bool:  # noqa: D102 (inherited)
        return isinstance(other, CosineSnapshot) and other._cosines is self._cosines

    @staticmethod
    def values_together(snapshots: Sequence[Any], X: Features) -> NDArray[np.float64]:  # noqa: D102 (inherited)
        first: CosineSnapshot = snapshots[0]
        weights = np.stack([snapshot.weights for snapshot in snapshots], axis=1)
        values = first._cosines.values(first._problem.points(X), weights)
        values += np.array([snapshot.bias for snapshot in snapshots])
        return values


class _OnStream(PythonSolver):
    """The training examples in one random order are the stream; it ends with them, and so does the run.

    The features of a block of examples are made when it is due, and forgotten two blocks later: besides the order of
    the stream, 4 bytes an example, memory does not grow with their number. A presentation costs d inner products with
    the example, d reads of it, and one inner product of its features with the weights. Features are made on one thread.

    Where the problem is a stream its examples are made block by block, too, and memory does not grow with their number
    at all but for the order. How they are had is not the method's affair: the clocks rest meanwhile, as they rest while
    data are read from a file.
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
            self._fetched: Features | None = None  # the examples of the block that is due
            self._order = _core.Random(seed, _core.Purpose.order).permutation(problem.n)
            try:
                self._core = _core.AssetStream(problem.n, problem.d, self.cosines.dimension, **iteration)
            except CoreError as error:
                raise SettingsError(f"algo={self.name}: {error}") from error

    @abc.abstractmethod
    def iteration(self) -> dict[str, Any]:
        """Return what the core is told of the iteration."""

    def advance(self, limit: Limit) -> Status:
        with blas.connected():  # one thread, so that the bits are the same for any number of them
            while True:
                with self.clocks():
                    status = self._go_on(limit)
                if status is not None:
                    return status
                self._fetched = self.problem.examples(self._due())

    def _go_on(self, limit: Limit) -> Status | None:
        """Advance until there is a reason to come back, or None: the examples of the next block are due."""
        while not (reached := self.reached(limit)):
            if self._core.counters.iterations == self.problem.n:
                self.remarks = (
                    f"the stream ended after its {self.problem.n:,} examples, before the budget: one pass is all",
                )
                return Status.CONVERGED
            if self._core.counters.iterations == self._core.fed:
                if self._fetched is None:
                    return None
                self._feed(self._fetched)
                self._fetched = None
            self._core.advance(**self._left(limit).given())
        return reached

    def _due(self) -> NDArray[np.uint32]:
        """Return the numbers of the examples of the next block."""
        return self._order[self._core.fed : self._core.fed + self._core.expected]

    def _feed(self, examples: Features) -> None:
        labels = self.problem.y[self._due()]
        stored = np.full(len(labels), self.problem.d) if isinstance(examples, np.ndarray) else np.diff(examples.indptr)
        self._core.feed(self.cosines.of(examples), labels, stored.astype(np.uint32))

    def _left(self, limit: Limit) -> Limit:
        """Return the limit as one of the core, which knows no further than the examples that it has."""
        core, seconds = self._core, limit.cpu_seconds
        fed = core.fed if limit.iterations is None else min(core.fed, limit.iterations)
        return replace(
            limit,
            iterations=fed,
            kernel_evaluations=None,
            cpu_seconds=None if seconds is None else core.cpu_seconds + max(seconds - self.cpu_seconds, 0.0),
        )

    def state(self) -> State:
        return self.clock_state() | under("core", self._core.state())

    def restore(self, state: State | None) -> None:
        with self.restoring():
            assert state is not None  # one process makes the run
            self._core.restore(part("core", state))
            self._fetched = None  # had again when it is due
            self.set_clocks(state)

    @property
    def counters(self) -> Counters:
        return Counters.of(self._core.counters).without(self.uncounted)

    def snapshot(self) -> CosineSnapshot:
        return CosineSnapshot(self.problem, self.cosines, *self._core.average())


class AssetOnline(_OnStream):
    """ASSET on a stream: steps D_X / (D_G sqrt(j)), projected, the last iterates averaged."""

    name = "asset_online"
    summary = "ASSET on a stream of random Fourier features, one pass (Lee, Wright 2011)"
    Settings = AssetOnlineSettings
    biases = frozenset({False, True})

    def iteration(self) -> dict[str, Any]:  # noqa: D102 (inherited)
        return iteration_settings(self.problem, self.settings, strongly_convex=False)


class AssetStarOnline(_OnStream):
    """ASSET* on a stream, without intercept: steps 1 / (lambda j), projected."""

    name = "asset_star_online"
    summary = "ASSET* on a stream of random Fourier features, one pass (Lee, Wright 2011)"
    Settings = AssetStarOnlineSettings

    def iteration(self) -> dict[str, Any]:  # noqa: D102 (inherited)
        return iteration_settings(self.problem, self.settings, strongly_convex=True)
