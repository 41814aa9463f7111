"""Predictors without the problem that they were trained on: arrays and numbers only, so that they can be saved.

`values` takes points as the problem has them: with its constant feature, and shifted (`solvers.models.Model`).
"""

from __future__ import annotations

import abc
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from . import _core, blas
from .features import Features, core_matrix
from .kernels import Kernel

_BLOCK = 4096  # features and kernel values are computed for so many points at a time
_LARGEST_EXPONENT = 1e6  # of gamma (|x|^2 + |b|^2): float64 then has ten digits of gamma |x - b|^2 after the point


class Predictor(abc.ABC):
    """A function of points without bias: a dataclass whose fields are arrays, CSR matrices, numbers or a kernel."""

    @property
    @abc.abstractmethod
    def width(self) -> int:
        """Number of coordinates of a point."""

    @abc.abstractmethod
    def values(self, X: Features, threads: int = 1) -> NDArray[np.float64]:
        """Return f(x), (m,) float64, for (m, width) float32 points; they do not depend on the number of threads."""


@dataclass(frozen=True)
class LinearPredictor(Predictor):
    """f(x) = <weights, x>, with weights (d,) float64."""

    weights: NDArray[np.float64]

    @property
    def width(self) -> int:  # noqa: D102 (inherited)
        return len(self.weights)

    def values(self, X: Features, threads: int = 1) -> NDArray[np.float64]:  # noqa: D102 (inherited)
        return np.asarray(X @ self.weights, dtype=np.float64)


@dataclass(frozen=True)
class KernelPredictor(Predictor):
    """f(x) = sum_i coefficients_i K(x_i, x); kernel values are float32. Points are (s, d) float32, dense or CSR."""

    kernel: Kernel
    points: Features
    coefficients: NDArray[np.float64]

    @property
    def width(self) -> int:  # noqa: D102 (inherited)
        return int(self.points.shape[1])

    def values(self, X: Features, threads: int = 1) -> NDArray[np.float64]:  # noqa: D102 (inherited)
        out = np.zeros(X.shape[0])
        if not len(self.coefficients):
            return out
        support, weights = core_matrix(self.points), np.ascontiguousarray(self.coefficients[:, None])
        for first in range(0, X.shape[0], _BLOCK):
            block = _stored_like(self.points, X[first : first + _BLOCK])
            with blas.connected():
                values = _core.expand(self.kernel.core(), support, core_matrix(block), weights, threads)
            out[first : first + _BLOCK] = values[:, 0]
        return out


@dataclass(frozen=True)
class BasisPredictor(Predictor):
    """f(x) = sum_j coefficients_j ``exp(-gamma |x - b_j|^2)``, computed in float64.

    Basis points, (s, d) float32, can lie close to each other, and their coefficients are then large: float32 would not
    be enough. Coefficients are (s,) or, for several functions on one basis, (s, columns).
    """

    points: NDArray[np.float32]
    coefficients: NDArray[np.float64]
    gamma: float

    @property
    def width(self) -> int:  # noqa: D102 (inherited)
        return int(self.points.shape[1])

    def values(self, X: Features, threads: int = 1) -> NDArray[np.float64]:
        """Return the values of each function, (m,) or (m, columns) float64."""
        out = np.zeros((X.shape[0], *self.coefficients.shape[1:]))
        if not len(self.coefficients):
            return out
        points = self.points.astype(np.float64)
        squares = np.einsum("ij,ij->i", points, points)
        for first in range(0, X.shape[0], _BLOCK):
            block = X[first : first + _BLOCK].astype(np.float64)
            distances = np.asarray(block @ (-2.0 * points.T))
            norms = (block**2).sum(axis=1) if isinstance(block, np.ndarray) else block.multiply(block).sum(axis=1)
            sums = squares + np.asarray(norms).reshape(-1, 1)
            far = self.gamma * sums > _LARGEST_EXPONENT
            distances += sums
            np.maximum(distances, 0.0, out=distances)
            for j in np.flatnonzero(far.any(axis=0)):  # from differences: their squares do not cancel
                some = np.flatnonzero(far[:, j])
                rows = block[some] if isinstance(block, np.ndarray) else block[some].toarray()
                distances[some, j] = np.square(rows - points[j]).sum(axis=1)
            distances *= -self.gamma
            out[first : first + _BLOCK] = np.exp(distances, out=distances) @ self.coefficients
        return out


@dataclass(frozen=True)
class CosinePredictor(Predictor):
    """f(x) = sum_k weights_k sqrt(2/r) cos(<nu_k, x> + beta_k); frequencies nu are (r, d), phases beta (r,) float32.

    Computed in float64: the last bits of a product in float32 depend on the number of points.
    """

    frequencies: NDArray[np.float32]
    phases: NDArray[np.float32]
    weights: NDArray[np.float64]

    @property
    def width(self) -> int:  # noqa: D102 (inherited)
        return int(self.frequencies.shape[1])

    def values(self, X: Features, threads: int = 1) -> NDArray[np.float64]:  # noqa: D102 (inherited)
        out = np.zeros(X.shape[0])
        if not len(self.weights):
            return out
        frequencies, weights = self.frequencies.T.astype(np.float64), math.sqrt(2.0 / len(self.weights)) * self.weights
        for first in range(0, X.shape[0], _BLOCK):
            angles = np.asarray(X[first : first + _BLOCK].astype(np.float64) @ frequencies) + self.phases
            out[first : first + _BLOCK] = np.cos(angles, out=angles) @ weights
        return out


def _stored_like(points: Features, X: Features) -> Features:
    """Return other points dense or sparse as the first ones are: the core does not mix both."""
    if isinstance(points, np.ndarray):
        return X if isinstance(X, np.ndarray) else X.toarray()
    return sparse.csr_matrix(X)
