"""Small problems that the solver tests share, and what they ask of a run."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import reference
from numpy.typing import NDArray
from scipy import sparse

from svm_cost_curves.solvers import (
    Gaussian,
    Kernel,
    Limit,
    Linear,
    Polynomial,
    Problem,
    RowPolicy,
    Solver,
    _core,
    blas,
    get,
)

Array = NDArray[Any]
ROOT = Path(__file__).resolve().parents[2]
Python = Callable[..., "subprocess.CompletedProcess[str]"]
"""The type of the fixture `python`."""
KERNELS = [Gaussian(2.0), Polynomial(degree=2, gamma=0.5, coef0=1.0), Linear()]
BY_KERNEL = pytest.mark.parametrize("kernel", KERNELS, ids=str)
BIAS = pytest.mark.parametrize("bias", [False, True], ids=["no bias", "bias"])
STORAGE = pytest.mark.parametrize("as_csr", [False, True], ids=["dense", "csr"])


def points(n: int = 60, d: int = 5, seed: int = 0, *, flips: float = 0.1, zeros: float = 0.0) -> tuple[Array, Array]:
    """(n, d) float32 features and labels of a curved boundary, a share of them flipped; a share of features is zero."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).astype(np.float32)
    X[rng.random(size=X.shape) < zeros] = 0.0
    score = X[:, 0] + 0.7 * X[:, 1 % d] * X[:, 2 % d] - 0.2
    y = np.where(score > 0, 1, -1)
    y[rng.random(size=n) < flips] *= -1
    y[0], y[1] = 1, -1
    return X, y.astype(np.int8)


def problem(n: int = 60, d: int = 5, seed: int = 0, *, as_csr: bool = False, **settings: Any) -> Problem:
    """A `Problem` on `points`: Gaussian kernel of sigma^2 = 2, lambda = 1/n, nu = 0.1, the Gram matrix."""
    flips, zeros = settings.pop("flips", 0.1), settings.pop("zeros", 0.0)
    X, y = points(n, d, seed, flips=flips, zeros=zeros)
    kernel: Kernel = settings.pop("kernel", Gaussian(2.0))
    rows = replace(RowPolicy(provider="gram", threads=1), **settings.pop("rows", {}))
    settings = {"lambda_": 1.0 / n, "nu": 0.1, **settings}
    return Problem(sparse.csr_matrix(X) if as_csr else X, y, kernel, rows=rows, **settings)


def linear(n: int = 60, d: int = 8, seed: int = 0, **settings: Any) -> Problem:
    """A `problem` with the linear kernel, of 8 features."""
    return problem(n, d, seed, kernel=Linear(), **settings)


def examples(n: int = 120, d: int = 5, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.str_]]:
    """Return points, (n, d), and their labels "no" and "yes", (n,), which depend on two features and noise."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d))
    score = X[:, 0] + 0.5 * X[:, 1] + 0.3 * random.normal(size=n)
    return X, np.array(["no", "yes"])[(score > 0).astype(int)]


def dense(p: Problem) -> Array:
    """The problem's points, (n, d) float64."""
    return (p.X if isinstance(p.X, np.ndarray) else p.X.toarray()).astype(np.float64)


def gram(p: Problem) -> NDArray[np.float64]:
    """(n, n) float64: the float32 kernel values that the solvers read, in the problem's order."""
    return np.array([p.rows.source.row(i) for i in range(p.n)], dtype=np.float64)


def solver(name: str, p: Problem, seed: int = 0, **settings: Any) -> Solver:
    """A solver by name, its settings given by keyword."""
    kind = get(name)
    return kind(p, kind.Settings(**settings), seed)


def run(name: str, p: Problem, limit: Limit | None = None, seed: int = 0, **settings: Any) -> Solver:
    """A solver that has been advanced to a limit."""
    made = solver(name, p, seed, **settings)
    made.advance(limit or Limit())
    return made


def core_of(made: Solver) -> Any:
    """The object of the core behind a solver."""
    return vars(made)["_core"]


def coefficients(made: Solver) -> Array:
    """The coefficients of a solver's kernel expansion, (n,)."""
    return made.snapshot().coefficients


def alphas(made: Solver) -> Array:
    """The dual variables of a kernel solver, (n,): its coefficients times the labels."""
    return made.problem.y * coefficients(made)


def dual(p: Problem, made: Solver) -> float:
    """The dual objective of a kernel solver's coefficients."""
    return reference.dual(gram(p), p.y.astype(np.float64), coefficients(made))


def libsvm_optimum(p: Problem) -> tuple[float, Array, float]:
    """The dual objective, (n,) coefficients and intercept that LIBSVM ends with, far beyond its own tolerance."""
    from sklearn.svm import SVC  # a second, which the processes that tests start would all pay

    peer = SVC(C=p.C, kernel="precomputed", tol=1e-8).fit(gram(p), p.y)
    coefficients = np.zeros(p.n)
    coefficients[peer.support_] = peer.dual_coef_.ravel()
    optimum = reference.dual(gram(p), p.y.astype(np.float64), coefficients)
    return optimum, coefficients, float(peer.intercept_[0])


def assert_optimal(p: Problem, coefficients: Array, bias: float, tolerance: float) -> None:
    """The KKT conditions of the lambda form, with responses computed here."""
    y = p.y.astype(np.float64)
    alpha = y * coefficients
    c = y * (gram(p) @ coefficients + bias)
    assert alpha.min() >= 0.0
    assert alpha.max() <= p.C
    assert np.all(c[alpha == 0.0] >= 1.0 - tolerance)
    assert np.all(c[alpha == p.C] <= 1.0 + tolerance)
    free = (alpha > 0.0) & (alpha < p.C)
    np.testing.assert_allclose(c[free], 1.0, rtol=0, atol=tolerance)


def core_rows(K: Array, positives: int) -> _core.GramRows:
    """Rows of a given Gram matrix of points of unit self-similarity."""
    function = _core.KernelFunction(_core.KernelFunction.Kind.gaussian)
    return _core.GramRows(function, _core.Matrix(np.zeros((len(K), 1), np.float32)), positives, K.astype(np.float32))


def filled(kernel: Kernel, matrix: _core.Matrix, threads: int = 1) -> Array:
    """The whole Gram matrix, (n, n) float32, as the core computes it."""
    out = np.empty((matrix.rows, matrix.rows), np.float32)
    with blas.connected():
        _core.fill_gram(kernel.core(), matrix, out, threads)
    return out


def expanded(kernel: Kernel, support: _core.Matrix, points: _core.Matrix, weights: Array, threads: int = 1) -> Array:
    """sum_k K(support_k, x_j) weights[k, :], (m, vectors) float64, as the core computes it."""
    with blas.connected():
        return _core.expand(kernel.core(), support, points, weights, threads)


class Builder:
    """Fills a Gram matrix with a number or with values, and remembers how often it was asked to."""

    def __init__(self, value: Any = 1.0) -> None:
        self.value = value
        self.calls = 0

    def __call__(self, out: Array, progress: object) -> None:
        self.calls += 1
        out[:] = self.value


def quiet(_: float) -> None:
    """Takes a report of progress."""


def feature_values(p: Problem) -> Array:
    """Values of `p.features`, (n, d) float64: points in order of class, features in order of frequency."""
    return dense(p)[:, p.feature_order]


def folded(p: Problem) -> Array:
    """y_i x_i, (n, d) float64, in the problem's order of examples and features."""
    return p.y[:, None] * feature_values(p)


def stored(p: Problem) -> Array:
    """Coordinates that a read of each example's features touches, (n,): all of a row that is stored densely."""
    nonzero = np.count_nonzero(folded(p), axis=1)
    return nonzero if sparse.issparse(p.X) or 2 * nonzero.sum() < p.X.size else np.full(p.n, p.d)


def hinge_objective(X: Any, y: Array, lambda_: float, w: Array) -> float:
    """lambda/2 |w|^2 + mean hinge loss."""
    return float(0.5 * lambda_ * w @ w + np.maximum(0.0, 1.0 - y * (X @ w)).mean())


def liblinear_optimum(X: Any, y: Array, lambda_: float) -> float:
    """The smallest such objective, by LIBLINEAR."""
    from sklearn.svm import LinearSVC

    C = 1.0 / (lambda_ * len(y))
    peer = LinearSVC(loss="hinge", C=C, fit_intercept=False, tol=1e-10, max_iter=10**6, random_state=0)
    return hinge_objective(X, y, lambda_, peer.fit(X, y).coef_.ravel())


def primal(p: Problem, w: Array) -> float:
    """J of weights in the order of `p.features`."""
    return hinge_objective(p.X, p.y, p.require_lambda(), p.in_data_order(w))


def optimum(p: Problem) -> float:
    """The smallest J of a linear problem, by LIBLINEAR."""
    return liblinear_optimum(p.X.astype(np.float64), p.y, p.require_lambda())


def weights(made: Solver) -> Array:
    """The weights of a linear solver, in the order of `p.features`."""
    snapshot = made.snapshot()
    assert (snapshot.bias, snapshot.volume) == (0.0, None)
    return snapshot.weights


def lower_bound(made: Solver) -> float | None:
    """The lower bound on the optimum that a linear solver knows."""
    return made.snapshot().lower_bound
