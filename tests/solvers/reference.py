"""Slow, plain numpy versions of what the core does: what the tests hold it against."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from svm_cost_curves.solvers import Gaussian, Kernel, Polynomial

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]


def kernel_matrix(kernel: Kernel, X: NDArray[Any], Z: NDArray[Any]) -> Matrix:
    """K(x, z), (n, m) float64, from differences: nothing cancels."""
    X, Z = np.asarray(X, np.float64), np.asarray(Z, np.float64)
    if isinstance(kernel, Gaussian):
        return np.exp(-np.square(X[:, None, :] - Z[None, :, :]).sum(axis=2) / (2.0 * kernel.sigma2))
    if isinstance(kernel, Polynomial):
        return (kernel.gamma * (X @ Z.T) + kernel.coef0) ** kernel.degree
    return X @ Z.T


def primal(K: Matrix, y: Vector, coefficients: Vector, lambda_: float, bias: float = 0.0) -> float:
    """P(w) = lambda/2 |w|^2 + mean hinge loss."""
    f = K @ coefficients
    return float(0.5 * lambda_ * coefficients @ f + np.maximum(0.0, 1.0 - y * (f + bias)).mean())


def dual(K: Matrix, y: Vector, coefficients: Vector) -> float:
    """sum alpha - |w|^2 / 2, LIBSVM's scaling."""
    return float((y * coefficients).sum() - 0.5 * coefficients @ K @ coefficients)


class Asset:
    """Algorithm 1: every iterate is kept. V has rows phi(x_i), y their labels; B None: no intercept."""

    def __init__(
        self,
        V: NDArray[Any],
        y: NDArray[Any],
        lambda_: float,
        *,
        deviation: float | None = None,
        B: float | None = None,
        step: float = 1,
    ) -> None:
        self.V, self.y, self.lambda_, self.B = V.astype(np.float64), y.astype(np.float64), lambda_, B
        self.deviation, self.scale = deviation, step  # of ASSET; None: ASSET*
        self.iterates = [(np.zeros(V.shape[1]), 0.0)]
        self.lengths = [0.0]

    def length(self, j: int) -> float:
        """eta_j."""
        if self.deviation is None:
            return 1.0 / (self.lambda_ * j)
        diameter = np.sqrt(1.0 / self.lambda_ + (self.B or 0.0) ** 2)
        return float(self.scale * diameter / (np.sqrt(self.deviation) * np.sqrt(j)))

    def step(self, i: int) -> None:
        """Example i."""
        g, b = self.iterates[-1]
        eta = self.length(len(self.iterates))
        d = -1.0 if self.y[i] * (self.V[i] @ g + b) < 1.0 else 0.0
        g = (1.0 - eta * self.lambda_) * g - eta * d * self.y[i] * self.V[i]
        if (norm := np.linalg.norm(g)) > 1.0 / np.sqrt(self.lambda_):
            g = g / (norm * np.sqrt(self.lambda_))
        if self.B is not None:
            b = float(np.clip(b - eta * d * self.y[i], -self.B, self.B))
        self.iterates.append((g, b))
        self.lengths.append(eta)

    def average(self, window: int) -> tuple[NDArray[Any], float]:
        """The mean of the last iterates, as (27) has it: weighted by their steps."""
        if len(self.iterates) == 1:
            return self.iterates[0]
        first = max(1, len(self.iterates) - window)
        weights = np.array(self.lengths[first:])
        g = weights @ np.array([w for w, _ in self.iterates[first:]])
        b = weights @ np.array([b for _, b in self.iterates[first:]])
        return g / weights.sum(), float(b / weights.sum())
