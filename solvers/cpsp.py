"""CPSP (Joachims, Yu: Sparse kernel SVMs via cutting-plane training, Machine Learning 76, 2009)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from .core_solver import CoreSolver
from .errors import SettingsError, check_setting
from .features import Features, compact
from .kernels import Gaussian
from .predictors import BasisPredictor
from .problem import Problem
from .snapshots import FunctionSnapshot


@dataclass
class CpspSettings:
    """Settings of `Cpsp`."""

    features: int = 512
    """Largest number of basis functions, from 1 to n: K(b, .) at points b that need not be training points."""
    eps: float = 0.001
    """Stops when the next cut is violated by at most eps, in units of the mean hinge loss. SVM-Perf: 0.1 percent."""
    starts: int = 1
    """The search for a preimage starts at the best of this many random examples of the cut."""


@dataclass(frozen=True)
class Basis:
    """The points of a run's basis functions, K(x, z) = exp(-gamma |x - z|^2), in the space of `Problem.X`.

    Points, (d,) float32, are only appended, so snapshots can refer to the first k of them.
    """

    problem: Problem
    gamma: float
    points: list[NDArray[np.float32]] = field(default_factory=list)

    def values(self, X: Features, coefficients: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return sum_j coefficients[j, :] K(b_j, x), (m, columns) float64, over the first k basis functions."""
        return self.predictor(coefficients).values(self.problem.points(X))

    def predictor(self, coefficients: NDArray[np.float64]) -> BasisPredictor:
        """Return the functions with these coefficients, (k,) or (k, columns), of the first k basis functions."""
        points = np.reshape(self.points[: len(coefficients)], (len(coefficients), self.problem.d))
        return BasisPredictor(np.asarray(points, dtype=np.float32), coefficients, self.gamma)


class BasisSnapshot(FunctionSnapshot):
    """f(x) = sum_j coefficients_j K(b_j, x)."""

    def __init__(self, basis: Basis, coefficients: NDArray[np.float64], norm: float) -> None:
        self.basis = basis
        self.coefficients = coefficients
        self.norm = norm
        self.support_vectors = len(coefficients)

    def decision_values(self, X: Features) -> NDArray[np.float64]:  # noqa: D102 (inherited)
        return self.batched_values([self], X)[:, 0]

    def predictor(self) -> BasisPredictor:  # noqa: D102 (inherited)
        return self.basis.predictor(self.coefficients)

    def same_basis(self, other: FunctionSnapshot) -> bool:  # noqa: D102 (inherited)
        return isinstance(other, BasisSnapshot) and other.basis is self.basis

    @staticmethod
    def batched_values(snapshots: Sequence[Any], X: Features) -> NDArray[np.float64]:  # noqa: D102 (inherited)
        coefficients = np.zeros((max(len(snapshot.coefficients) for snapshot in snapshots), len(snapshots)))
        for column, snapshot in enumerate(snapshots):
            coefficients[: len(snapshot.coefficients), column] = snapshot.coefficients
        values: NDArray[np.float64] = snapshots[0].basis.values(X, coefficients)
        return values


def _gamma(problem: Problem) -> float:
    assert isinstance(problem.kernel, Gaussian)  # the base class refuses others
    return 0.5 / problem.kernel.sigma2


class Cpsp(CoreSolver):
    """One-slack cutting planes with weights in the span of at most `features` kernel functions.

    The paper leaves these points open, or its program differs:

    - An iteration makes the cut at the present weights, from all examples with margins below 1, as `svmperf` does. If
      the basis is not full, one function is added for this cut, all cuts are projected on the larger span, and the
      master problem is solved with the new cut. Functions are never moved or removed.
    - The new function approximates the residual, the component of the newest cut orthogonal to the span. Its point z
      maximises <residual, phi(z)>^2 by the fixed-point iteration of Schoelkopf et al. (1999), from a random example of
      the cut. A step that would decrease the value is halved, so a search never ends below its start. With ``starts`` =
      59 the search starts at the best of 59 examples, which is among the best 5 % with probability 95 % (the paper's
      59/95 rule).
    - A point whose image has a squared distance below 10^-6 from the span is not added; the next cut tries again.
    - The run stops when the next cut is violated by at most ``eps``, also if the basis is not full. The objective J
      then exceeds the optimum over the present span by at most eps. SVM-Perf 3.0 has 0.1 in percent.
    - Only the Gaussian kernel is supported: for the polynomial kernel the fixed-point iteration differs, and the linear
      kernel needs no basis.

    The weights of a cut are stored as coordinates in an orthonormal basis of the span (a growing Cholesky factor). So
    is every training point, n s float32: a cut is then a sum of rows, as on any features.

    Kernel evaluations are charged: for a new basis function n, and one with each earlier function; in a search, at
    every point tried, one with each example of the cut and each basis function. Each is an inner product. Rows of k
    coordinates are charged as `svmperf` charges rows of features. A new function reads all rows once more, and one
    value for each example of each stored cut.

    `lower_bound`, the best master value, bounds the optimum over the present span. The optimum of the kernel problem is
    lower, so the bound is not recorded.
    """

    name = "cpsp"
    summary = "CPSP: cutting planes in the span of a few kernel functions (Joachims, Yu 2009)"
    Settings = CpspSettings
    needs = frozenset({"lambda"})
    kernels = frozenset({"gaussian"})
    within_n = ("features",)

    def __init__(self, problem: Problem, settings: CpspSettings, seed: int) -> None:
        if not 1 <= settings.features <= problem.n:
            raise SettingsError(f"algo.features = {settings.features}: it must be from 1 to n = {problem.n:,}")
        if settings.starts < 1:
            raise SettingsError(f"algo.starts = {settings.starts}: it must be at least 1")
        check_setting("algo.eps", settings.eps)
        super().__init__(problem, settings, seed)
        self.cost = "iterations"
        self._basis = Basis(problem, _gamma(problem))

    def make(self) -> _core.Cpsp:  # noqa: D102 (inherited)
        problem = self.problem
        # points that are mostly zero are stored sparsely, also if the data are dense
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
