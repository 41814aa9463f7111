"""ASSET and ASSET* on Nystrom features (Lee, Wright: ASSET, approximate stochastic subgradient estimation, 2011)."""

from __future__ import annotations

import abc
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers import _core
from solvers.base import Counters, KernelSnapshot, Limit, PythonSolver, Status
from solvers.errors import CoreError, SettingsError
from solvers.nystrom import Nystrom
from solvers.problem import Problem

MOST_KEPT = 10_000
"""Steps whose rows a run keeps at hand, for the average and for the estimate of D_G."""


@dataclass
class AssetSettings:
    """Settings of `Asset`."""

    features: int = 512
    """s: training points that are sampled; features are as many, or fewer where their kernel matrix has less rank."""
    eps_d: float = 1e-16
    """Eigenvalues below this share of the largest are dropped, and those that are rounding errors of float32."""
    window: int = 100
    """The predictor is the average of so many last iterates, weighted by their steps; 1: the last iterate."""
    step: float = 1.0
    """The steps are this times D_X / (D_G sqrt(j))."""
    samples: int = 100
    """M: examples from which D_G^2 is estimated, at the start."""
    intercept_bound: float = 10.0
    """B: the intercept stays in [-B, B]; used with problem.bias=true."""


@dataclass
class AssetStarSettings:
    """Settings of `AssetStar`."""

    features: int = 512
    """s: training points that are sampled; features are as many, or fewer where their kernel matrix has less rank."""
    eps_d: float = 1e-16
    """Eigenvalues below this share of the largest are dropped, and those that are rounding errors of float32."""
    window: int = 1
    """The predictor is the average of so many last iterates, weighted by their steps; 1: the last iterate."""


def iteration_settings(problem: Problem, settings: Any, *, strongly_convex: bool) -> dict[str, Any]:
    """Return what the core is told of the iteration, checked.

    Raises
    ------
    SettingsError
        A number outside its range.
    """
    own = vars(settings)
    for name in ("window", "samples"):
        if name in own and not 1 <= own[name] <= MOST_KEPT:
            raise SettingsError(f"algo.{name} = {own[name]}: it must be from 1 to {MOST_KEPT:,}")
    for name in ("step", "intercept_bound"):
        if name in own and not 0.0 < own[name] < np.inf:
            raise SettingsError(f"algo.{name} = {own[name]!r}: it must be finite and positive")
    return {
        "lambda_": problem.require_lambda(),
        "strongly_convex": strongly_convex,
        "bound": settings.intercept_bound if problem.bias else None,
        **{name: own[name] for name in ("window", "step", "samples") if name in own},
    }


class _OnNystromFeatures(PythonSolver):
    """The features are made in the first call of `advance` that has something to do; then the core iterates on them.

    Charged once, when the features are there: n s kernel evaluations, each of them one inner product and one read of
    x_i. After that an iteration costs one inner product, of r features with the weights, and a read of these. Both are
    timed, and so is the decomposition of the sample's kernel matrix, which is made at once.
    """

    needs = frozenset({"lambda"})

    def __init__(self, problem: Problem, settings: Any, seed: int) -> None:
        super().__init__(problem, settings, seed)
        self.cost = "iterations"
        self._iteration = self.iteration()
        self._cpu_of_others = 0.0
        with self.clocks():
            self.nystrom = Nystrom.sample(problem, settings.features, settings.eps_d, seed)
        self.remarks = (self.nystrom.remark(),)
        self._features: NDArray[np.float32] | None = None
        self._core: _core.Asset | None = None

    @abc.abstractmethod
    def iteration(self) -> dict[str, Any]:
        """Return what the core is told of the iteration."""

    def cpu_clock(self) -> float:
        """CPU seconds of this thread, and of those that helped to make the features."""
        return super().cpu_clock() + self._cpu_of_others

    def advance(self, limit: Limit) -> Status:
        with self.clocks():
            if self.reached(limit):
                return Status.LIMIT
            core = self._core or self._made()
            if not self.reached(limit):
                core.advance(**self._left(limit, core).given())
        return Status.LIMIT

    def _made(self) -> _core.Asset:
        features, cpu = self.nystrom.of_training_points()
        self._cpu_of_others += cpu
        matrix = _core.FeatureMatrix(_core.Matrix(features), self.problem.positives)
        try:
            self._core = _core.Asset(matrix, seed=self.seed, **self._iteration)
        except CoreError as error:
            raise SettingsError(f"algo={self.name}: {error}") from error
        self._features = features
        return self._core

    def _left(self, limit: Limit, core: _core.Asset) -> Limit:
        """Return a limit of the whole run as one of the iterations alone."""
        if limit.kernel_evaluations is not None and set(limit.given()) <= {"kernel_evaluations", "cpu_seconds"}:
            raise SettingsError(
                f"algo={self.name} evaluates the kernel n s = {self._made_costs().kernel_evaluations:,} times and then "
                "never again: a budget of more evaluations would last for ever; give budget.epochs or budget.iterations"
            )
        made = self._made_costs()
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

    @property
    def counters(self) -> Counters:
        if self._core is None:
            return Counters()
        made, own = vars(self._made_costs()), self._core.counters
        return Counters(**{name: cost + getattr(own, name) for name, cost in made.items()})

    def snapshot(self) -> KernelSnapshot:
        if self._core is None or self._features is None:
            return KernelSnapshot(np.zeros(self.problem.n), responses=np.zeros(self.problem.n))
        weights, bias = self._core.average()
        values: NDArray[np.float64] = (self._features @ weights.astype(np.float32)).astype(np.float64)
        responses = self.problem.y.astype(np.float64) * values
        return KernelSnapshot(self.nystrom.coefficients(weights), bias, responses)


def _less(limit: int | None, spent: int | None) -> int | None:
    return None if limit is None else limit - (spent or 0)


class Asset(_OnNystromFeatures):
    """Algorithm 1: steps D_X / (D_G sqrt(j)) from examples drawn with replacement, projected, the last ones averaged.

    D_X = sqrt(1/lambda + B^2), with B = 0 where there is no intercept; D_G^2 is the mean of |v|^2 + 1 over `samples`
    examples, at the origin where all of them violate the margin. The norm of a row is known, and is not charged.
    """

    name = "asset"
    summary = "ASSET: stochastic subgradient steps on Nystrom features, averaged (Lee, Wright 2011)"
    Settings = AssetSettings
    biases = frozenset({False, True})

    def iteration(self) -> dict[str, Any]:  # noqa: D102 (inherited)
        return iteration_settings(self.problem, self.settings, strongly_convex=False)


class AssetStar(_OnNystromFeatures):
    """ASSET*, without intercept: steps 1 / (lambda j), which is Pegasos with projection on the features."""

    name = "asset_star"
    summary = "ASSET*: Pegasos with projection on Nystrom features (Lee, Wright 2011)"
    Settings = AssetStarSettings

    def iteration(self) -> dict[str, Any]:  # noqa: D102 (inherited)
        return iteration_settings(self.problem, self.settings, strongly_convex=True)
