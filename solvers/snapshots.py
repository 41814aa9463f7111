"""Predictors that solvers return: a kernel expansion, explicit weights, or another function."""

from __future__ import annotations

import abc
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .features import Features
from .predictors import Predictor


@dataclass(frozen=True)
class DeferredResponses:
    """Responses that are computed later, as features times weights: many snapshots take one matrix product.

    `features`, (n, r) float32, are those of the problem's ordered points, one array for all snapshots of a run;
    `weights` are (r,) float64.
    """

    features: NDArray[np.float32]
    weights: NDArray[np.float64]

    @staticmethod
    def batched_values(several: Sequence[DeferredResponses]) -> NDArray[np.float32]:
        """Return f(x_i) - bias for k snapshots of one run, (n, k)."""
        weights = np.stack([snapshot.weights for snapshot in several], axis=1).astype(np.float32)
        values: NDArray[np.float32] = several[0].features @ weights
        return values


@dataclass(frozen=True)
class KernelSnapshot:
    """A predictor f(x) = sum_i coefficients_i K(x_i, x) + bias, over the problem's ordered points.

    `coefficients`, (n,) float64, are signed: y_i alpha_i. `responses`, (n,) float64, are y_i (f(x_i) - bias), if the
    solver stores them; `deferred` are the same, if it has features of the training points. If `dual_feasible`, y_i
    coefficients_i lie in [0, C] and are a feasible point of the lambda form's dual. `volume` is n nu, if the predictor
    has to be divided by its water level at this volume; with a bias the water levels also give the bias. None: it is
    complete.
    """

    coefficients: NDArray[np.float64]
    bias: float = 0.0
    responses: NDArray[np.float64] | None = None
    deferred: DeferredResponses | None = None
    dual_feasible: bool = False
    volume: float | None = None


@dataclass(frozen=True)
class LinearSnapshot:
    """A predictor f(x) = <weights, x> + bias, with weights (d,) float64 in the order of the problem's `features`.

    `volume` is n nu, if the predictor has to be divided by its water level at this volume; None: it is complete.
    `lower_bound` is one on the optimum of the lambda form, if the solver has one.
    """

    weights: NDArray[np.float64]
    bias: float = 0.0
    volume: float | None = None
    lower_bound: float | None = None


class FunctionSnapshot(abc.ABC):
    """A predictor that is neither a kernel expansion nor linear."""

    norm: float
    """||w|| in the feature space of the predictor."""
    bias: float = 0.0
    support_vectors: int | None = None

    @abc.abstractmethod
    def decision_values(self, X: Features) -> NDArray[np.float64]:
        """Return f(x), (m,) float64, for (m, d) raw features."""

    def predictor(self) -> Predictor:
        """Return the function without bias and without the problem, so that it can be saved.

        Raises
        ------
        NotImplementedError
            The snapshot's class does not say how.
        """
        raise NotImplementedError(f"{type(self).__name__} has no method `predictor`: it cannot be saved as a model")

    def same_basis(self, other: FunctionSnapshot) -> bool:
        """Whether both have the same basis functions, so that `batched_values` of both costs less than two calls."""
        return False

    @staticmethod
    def batched_values(snapshots: Sequence[Any], X: Features) -> NDArray[np.float64]:
        """Return f(x) of each of k snapshots, (m, k) float64. All of them have the same basis."""
        return np.stack([snapshot.decision_values(X) for snapshot in snapshots], axis=1)


Snapshot = KernelSnapshot | LinearSnapshot | FunctionSnapshot
