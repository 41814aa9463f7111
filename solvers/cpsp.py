"""CPSP (Joachims, Yu: Sparse kernel SVMs via cutting-plane training, Machine Learning 76, 2009)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solvers import _core
from solvers.base import CoreSolver
from solvers.cpny import check_eps
from solvers.errors import SettingsError
from solvers.features import Features, compact
from solvers.kernels import Gaussian
from solvers.problem import Problem
from solvers.snapshots import FunctionSnapshot

_BLOCK = 4096  # points whose kernel values are made at a time


@dataclass
class CpspSettings:
    """Settings of `Cpsp`."""

    features: int = 512
    """Basis functions at most, from 1 to n; each is the kernel at a point that need not be a training point."""
    eps: float = 0.001
    """Ends when the next cut is violated by no more, in units of the mean hinge loss; SVM-Perf's is 0.1 percent."""
    starts: int = 1
    """Examples of a cut, drawn at random, of which the best is where the search for a preimage begins."""


@dataclass(frozen=True)
class Basis:
    """The points of a run's basis functions; it grows with the run, and what snapshots use of it stays.

    Attributes
    ----------
    problem : Problem
    gamma : float
        K(x, z) = exp(-gamma |x - z|^2).
    points : list of (d,) float32
        In the space of `Problem.X`.
    """

    problem: Problem
    gamma: float
    points: list[NDArray[np.float32]] = field(default_factory=list)

    def values(self, X: Features, coefficients: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return sum_j coefficients[j, :] K(b_j, x), (m, columns) float64, over the first so many basis functions.

        In float64: coefficients are as large as the points are near to each other.

        Parameters
        ----------
        X : (m, d) float32
        coefficients : (k, columns) float64
        """
        X = self.problem.points(X)
        out = np.zeros((X.shape[0], coefficients.shape[1]))
        if not len(coefficients):
            return out
        points = np.stack(self.points[: len(coefficients)]).astype(np.float64)
        squares = np.einsum("ij,ij->i", points, points)
        for first in range(0, X.shape[0], _BLOCK):
            block = X[first : first + _BLOCK].astype(np.float64)
            distances = np.asarray(block @ (-2.0 * points.T))
            norms = (block**2).sum(axis=1) if isinstance(block, np.ndarray) else block.multiply(block).sum(axis=1)
            distances += squares + np.asarray(norms).reshape(-1, 1)
            np.maximum(distances, 0.0, out=distances)
            distances *= -self.gamma
            out[first : first + _BLOCK] = np.exp(distances, out=distances) @ coefficients
        return out


class BasisSnapshot(FunctionSnapshot):
    """f(x) = sum_j coefficients_j K(b_j, x)."""

    def __init__(self, basis: Basis, coefficients: NDArray[np.float64], norm: float) -> None:
        self.basis = basis
        self.coefficients = coefficients
        self.norm = norm
        self.support_vectors = len(coefficients)

    def decision_values(self, X: Features) -> NDArray[np.float64]:  # noqa: D102 (inherited)
        return self.values_together([self], X)[:, 0]

    def together(self, other: FunctionSnapshot) -> bool:  # noqa: D102 (inherited)
        return isinstance(other, BasisSnapshot) and other.basis is self.basis

    @staticmethod
    def values_together(snapshots: Sequence[Any], X: Features) -> NDArray[np.float64]:  # noqa: D102 (inherited)
        coefficients = np.zeros((max(len(each.coefficients) for each in snapshots), len(snapshots)))
        for column, each in enumerate(snapshots):
            coefficients[: len(each.coefficients), column] = each.coefficients
        values: NDArray[np.float64] = snapshots[0].basis.values(X, coefficients)
        return values


def _gamma(problem: Problem) -> float:
    assert isinstance(problem.kernel, Gaussian)  # the base has refused others
    return 0.5 / problem.kernel.sigma2


class Cpsp(CoreSolver):
    """One-slack cutting planes whose weights lie in the span of at most `features` kernel functions.

    The paper leaves open, or its program does otherwise; our reading:

    - An iteration makes the cut at the weights, of all examples with margins below 1, as `svmperf` does. While there is
      room, the basis then grows by one function for this cut, all cuts are projected on the larger span, and the master
      problem is solved with the new one. A function added for a cut is never moved or taken away again.
    - What is brought near is the residual, the part of the newest cut beside the span: the preimage is the z that
      climbs <residual, phi(z)>^2 by the fixed-point iteration of Schoelkopf et al. (1999), from a random example of the
      cut. Its step is halved where it would lead down, so that every search ends no lower than it began. With
      ``starts`` = 59 the search begins at the best of so many examples: one of the best twentieth, with probability
      95 % (the paper's 59/95 rule).
    - A point whose image lies within a squared distance of 10^-6 of the span is not added; the next cut tries again.
    - It ends where the next cut is violated by no more than ``eps``, whether or not the basis is full: the objective J
      then exceeds the optimum over the present span by so much at most. SVM-Perf 3.0 has 0.1 in percent.
    - The Gaussian kernel only: of a polynomial one the fixed point is another, and a linear one needs no basis.

    The weights of a cut are kept as coordinates on an orthonormal basis of the span (a Cholesky factor that grows), and
    so is every training point, n s float32: then a cut is a sum of rows, as on any features.

    Charged are kernel evaluations: n for a new basis function and one with each of those before it, and in a search one
    for each example of the cut and each function of the basis at every point tried. Each is an inner product. Rows of
    the k coordinates are read, and charged, as `svmperf` reads rows of features; a new function reads them all once
    more, and one value for each example of each cut that is kept.

    The best master value on the present span, `lower_bound`, bounds the optimum over that span, not the kernel
    problem's, which is lower: the record does not get it.
    """

    name = "cpsp"
    summary = "CPSP: cutting planes in the span of a few kernel functions (Joachims, Yu 2009)"
    Settings = CpspSettings
    needs = frozenset({"lambda"})
    kernels = frozenset({"gaussian"})
    within_n = ("features",)

    def __init__(self, problem: Problem, settings: CpspSettings, seed: int) -> None:
        if not 1 <= settings.features <= problem.n:
            raise SettingsError(
                f"algo.features = {settings.features}: so many basis functions at most, from 1 to all n = {problem.n:,}"
            )
        if settings.starts < 1:
            raise SettingsError(f"algo.starts = {settings.starts}: it must be at least 1")
        check_eps(settings.eps)
        super().__init__(problem, settings, seed)
        self.cost = "iterations"
        self._basis = Basis(problem, _gamma(problem))

    def make(self) -> _core.Cpsp:  # noqa: D102 (inherited)
        problem = self.problem
        # points that are mostly zero are read sparsely, whatever the form of the data
        points = _core.FeatureMatrix(problem.core_matrix(compact(problem.X)), problem.positives)
        return _core.Cpsp(
            points,
            gamma=_gamma(problem),
            lambda_=problem.require_lambda(),
            eps=self.settings.eps,
            capacity=self.settings.features,
            starts=self.settings.starts,
            seed=self.seed,
        )

    @property
    def lower_bound(self) -> float:
        """A lower bound on the optimum of the lambda form over the span of the present basis."""
        return float(self._core.lower_bound)

    def snapshot(self) -> BasisSnapshot:  # noqa: D102 (inherited)
        core, points = self._core, self._basis.points
        points.extend(core.point(j) for j in range(len(points), core.size))
        return BasisSnapshot(self._basis, core.coefficients(), float(np.linalg.norm(core.weights())))
