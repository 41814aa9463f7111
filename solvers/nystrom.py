"""Nystrom features: approximate a kernel by its values at a few sampled points (Lee, Wright 2011, equation 16)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svm_cost_curves.solvers import _core, aligned, blas
from svm_cost_curves.solvers.errors import SettingsError
from svm_cost_curves.solvers.features import Features
from svm_cost_curves.solvers.precision import FeaturesPrecision
from svm_cost_curves.solvers.problem import Problem

_EPSILON = float(np.finfo(np.float32).eps)


@dataclass(frozen=True)
class Nystrom:
    """Features V = K_{.S} Q D^{-1/2} of s points S: V V' = K_{.S} K_{SS}^+ K_{S.} for K_SS = Q D Q'.

    Attributes
    ----------
    problem : Problem
    points : (s,) intp
        S: numbers in the problem's order, increasing.
    projection : (s, r) float64
        Q D^{-1/2}, the largest eigenvalues first.
    eigenvalues : (r,) float64
        D, decreasing; small eigenvalues are dropped.
    floor : float
        Eigenvalues below this are dropped.
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
        """Draw `count` training points, uniformly and without replacement, and decompose their kernel matrix.

        Kernel values are float32, the decomposition is float64. Eigenvalues below `eps_d` times the largest are
        dropped, and so are those below sqrt(s) 2^-23 max K(x, x). The latter can be rounding errors of float32, and a
        feature, which is divided by the root of its eigenvalue, would be noise. Those that are not positive are always
        dropped.

        Parameters
        ----------
        problem : Problem
        count : int
            s, from 1 to n.
        eps_d : float
            Between 0 and 1; the paper's is 1e-16.
        seed : int
        threshold : float or None
            Eigenvalues below this times max K(x, x) are dropped, instead of those below sqrt(s) 2^-23 max K(x, x).

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

    def of_training_points(
        self, precision: FeaturesPrecision = FeaturesPrecision.float32
    ) -> tuple[NDArray[Any], float, int]:
        """Return the features of all training points, (n, r), and what `_core.fill_features` returns.

        Computed in blocks of rows, by matrix products of float32; each thread needs some MB besides the result.

        Raises
        ------
        SettingsError
            They do not fit in memory.
        """
        self.problem.require_memory(
            self.problem.n * self.rank * precision.dtype.itemsize,
            f"{self.rank:,} features of {self.problem.n:,} points in {precision.value}",
            "lower algo.features, or",
        )
        return self._features(self.problem.matrix, precision)

    def of(self, X: Features) -> NDArray[np.float32]:
        """Return the features of other points, (m, r) float32, for (m, d) float32 points of the data's space."""
        return self._features(self.problem.core_matrix(self.problem.points(X)), FeaturesPrecision.float32)[0]

    def _features(self, points: _core.Matrix, precision: FeaturesPrecision) -> tuple[NDArray[Any], float, int]:
        problem = self.problem
        out = aligned.empty(points.rows, self.rank, precision.dtype)
        basis = problem.core_matrix(problem.X[self.points])
        rows = np.ascontiguousarray(self.projection.T, dtype=np.float32)
        with blas.connected():
            cpu, refused = _core.fill_features(problem.kernel.core(), points, basis, rows, out, problem.policy.threads)
        return out, cpu, refused

    def coefficients(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the kernel expansion of a linear function of the features: alpha_S = Q D^{-1/2} g, and 0 elsewhere.

        Parameters
        ----------
        weights : (r,) float64
            g.

        Returns
        -------
        (n,) float64
            In the problem's order; s kernel evaluations give the function's value.
        """
        coefficients = np.zeros(self.problem.n)
        coefficients[self.points] = self.projection @ weights
        return coefficients


def _decomposed(gram: NDArray[np.float32]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    # imported here: scipy.linalg takes a quarter of a second, which --help does not need
    from scipy.linalg import eigh

    eigenvalues, vectors = eigh(gram.astype(np.float64))
    return eigenvalues, vectors
