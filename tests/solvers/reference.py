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
