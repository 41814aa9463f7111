"""ASSET and ASSET* on Nystrom features (Lee, Wright: ASSET, approximate stochastic subgradient estimation, 2011)."""

from __future__ import annotations

import abc
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from . import _core
from .errors import SettingsError, check_setting
from .nystrom import NystromSolver
from .problem import Problem

MAX_STORED_STEPS = 10_000
"""Most steps whose rows a run stores, for the average and for the estimate of D_G."""


@dataclass
class AssetStarSettings:
    """Settings of `AssetStar`."""

    features: int = 512
    """s: number of sampled training points. The number of features is the rank of their kernel matrix, at most s."""
    eps_d: float = 1e-16
    """Eigenvalues below this fraction of the largest are dropped; so are rounding errors of float32."""
    window: int = 100
    """The predictor is the average of this many last iterates, weighted by their steps; 1: the last iterate."""


@dataclass
class AssetSettings(AssetStarSettings):
    """Settings of `Asset`."""

    step: float = 1.0
    """The steps are this times D_X / (D_G sqrt(j))."""
    samples: int = 100
    """M: number of examples from which D_G^2 is estimated, before the first step."""
    intercept_bound: float = 10.0
    """B: the intercept stays in [-B, B]; used with problem.bias=true."""


def iteration_settings(problem: Problem, settings: Any, *, strongly_convex: bool) -> dict[str, Any]:
    """Check the settings of an iteration and return them as the core's arguments; raises SettingsError."""
    given = vars(settings)
    for name in ("window", "samples"):
        if name in given and not 1 <= given[name] <= MAX_STORED_STEPS:
            raise SettingsError(f"algo.{name} = {given[name]}: it must be from 1 to {MAX_STORED_STEPS:,}")
    for name in ("step", "intercept_bound"):
        if name in given:
            check_setting(f"algo.{name}", given[name])
    return {
        "lambda_": problem.require_lambda(),
        "strongly_convex": strongly_convex,
        "bound": settings.intercept_bound if problem.bias else None,
        **{name: given[name] for name in ("window", "step", "samples") if name in given},
    }


class _NystromAsset(NystromSolver):
    """An iteration costs one inner product of r features with the weights, and reading these features."""

    def __init__(self, problem: Problem, settings: Any, seed: int) -> None:
        super().__init__(problem, settings, seed)
        self._iteration = self.iteration()

    @abc.abstractmethod
    def iteration(self) -> dict[str, Any]:
        """Return the core's arguments for an iteration."""

    def make(self, features: NDArray[Any]) -> _core.LinearSolver:
        matrix = _core.FeatureMatrix(_core.Matrix(features), self.problem.positives)
        return _core.Asset(matrix, **self._iteration, seed=self.seed)


class Asset(_NystromAsset):
    """Algorithm 1: projected steps D_X / (D_G sqrt(j)) on examples drawn with replacement; averages the last iterates.

    D_X = sqrt(1/lambda + B^2), with B = 0 without intercept. D_G^2 is the mean of |v|^2 + 1 over `samples` examples: at
    w = 0 all of them violate the margin. Norms of rows are known in advance and cost nothing.
    """

    name = "asset"
    summary = "ASSET: stochastic subgradient steps on Nystrom features, averaged (Lee, Wright 2011)"
    Settings = AssetSettings
    biases = frozenset({False, True})

    def iteration(self) -> dict[str, Any]:  # noqa: D102 (inherited)
        return iteration_settings(self.problem, self.settings, strongly_convex=False)


class AssetStar(_NystromAsset):
    """ASSET*, without intercept: steps 1 / (lambda j), which is Pegasos with projection on the features."""

    name = "asset_star"
    summary = "ASSET*: Pegasos with projection on Nystrom features (Lee, Wright 2011)"
    Settings = AssetStarSettings

    def iteration(self) -> dict[str, Any]:  # noqa: D102 (inherited)
        return iteration_settings(self.problem, self.settings, strongly_convex=True)
