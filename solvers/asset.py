"""ASSET and ASSET* on Nystrom features (Lee, Wright: ASSET, approximate stochastic subgradient estimation, 2011)."""

from __future__ import annotations

import abc
from dataclasses import dataclass
from typing import Any

from solvers import _core
from solvers.errors import SettingsError
from solvers.on_nystrom import OnNystromFeatures
from solvers.problem import Problem

MOST_KEPT = 10_000
"""Steps whose rows a run keeps at hand, for the average and for the estimate of D_G."""
LARGEST = 1e30
"""Of the step and of the intercept's bound: with larger ones responses overflow float32."""


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
        if name in own and not 0.0 < own[name] <= LARGEST:
            raise SettingsError(f"algo.{name} = {own[name]!r}: it must be positive and at most {LARGEST:g}")
    return {
        "lambda_": problem.require_lambda(),
        "strongly_convex": strongly_convex,
        "bound": settings.intercept_bound if problem.bias else None,
        **{name: own[name] for name in ("window", "step", "samples") if name in own},
    }


class _Iterates(OnNystromFeatures):
    """An iteration costs one inner product, of r features with the weights, and a read of these."""

    ends = False

    def __init__(self, problem: Problem, settings: Any, seed: int) -> None:
        super().__init__(problem, settings, seed)
        self._iteration = self.iteration()

    @abc.abstractmethod
    def iteration(self) -> dict[str, Any]:
        """Return what the core is told of the iteration."""

    def make(self, features: _core.FeatureMatrix) -> _core.Asset:
        return _core.Asset(features, seed=self.seed, **self._iteration)


class Asset(_Iterates):
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


class AssetStar(_Iterates):
    """ASSET*, without intercept: steps 1 / (lambda j), which is Pegasos with projection on the features."""

    name = "asset_star"
    summary = "ASSET*: Pegasos with projection on Nystrom features (Lee, Wright 2011)"
    Settings = AssetStarSettings

    def iteration(self) -> dict[str, Any]:  # noqa: D102 (inherited)
        return iteration_settings(self.problem, self.settings, strongly_convex=True)
