"""The search of docs/elsewhere.md for a kernel width and C: five folds, a fixed grid, LIBSVM or LIBLINEAR.

LIBSVM (`sklearn.svm.SVC`) has a bias, LIBLINEAR (`sklearn.svm.LinearSVC` with the hinge loss) is used without one.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from svm_cost_curves.datasets.types import Matrix

FOLDS: Final = 5
WIDTHS: Final = (2.0, 1 / 2, 1 / 8, 1 / 32, 1 / 128)
"""Values of sigma^2 as multiples of the median squared distance of two rows, the largest first."""
PENALTIES: Final = {"gaussian": (0.1, 1.0, 10.0, 100.0, 1000.0), "linear": (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)}
"""Values of C for each kernel, ascending."""


@dataclass(frozen=True)
class Choice:
    """One setting of the grid.

    Attributes
    ----------
    C : float
    sigma2 : float or None
        Variance of the Gaussian kernel; None: the kernel is linear.
    error : float
        Mean over the folds of the share of wrong labels, in [0, 1].
    """

    C: float
    sigma2: float | None
    error: float


def search(X: Matrix, y: NDArray[np.int8], kernel: str) -> Choice:
    """Return the setting with the least mean error; ties go to the smaller C, then to the larger width.

    Parameters
    ----------
    X : array or CSR matrix
        (n, d) training rows.
    y : (n,) int8
        Labels -1 and +1, at least `FOLDS` of each.
    kernel : str
        ``gaussian`` or ``linear``.
    """
    # errors that differ by rounding only are equal
    return min(_errors(X, y, kernel), key=lambda each: (round(each.error, 12), each.C, -(each.sigma2 or 0.0)))


def widths(D: NDArray[np.float64]) -> list[float]:
    """Return the values of sigma^2 for squared distances (n, n), with three significant digits, in descending order."""
    median = float(np.median(D[np.triu_indices(len(D), 1)]))
    return [float(f"{factor * median:.3g}") for factor in WIDTHS]


def squared_distances(X: Matrix) -> NDArray[np.float64]:
    """Return the squared Euclidean distances of all pairs of rows, (n, n) float64, at least 0."""
    if sparse.issparse(X):
        products = np.asarray((X @ X.T).todense(), np.float64)
    else:
        wide = np.asarray(X, np.float64)
        products = wide @ wide.T
    squares = np.diag(products)
    return np.maximum(squares[:, None] + squares[None, :] - 2.0 * products, 0.0)


def _errors(X: Matrix, y: NDArray[np.int8], kernel: str) -> Iterator[Choice]:
    # imported here: it takes seconds
    from sklearn.svm import SVC, LinearSVC

    if kernel == "linear":
        for C in PENALTIES[kernel]:
            model = LinearSVC(C=C, loss="hinge", fit_intercept=False, random_state=0)
            yield Choice(C, None, _mean_error(model, X, y))
        return
    D = squared_distances(X)
    for sigma2 in widths(D):
        K = np.exp(D / (-2.0 * sigma2))
        for C in PENALTIES[kernel]:
            yield Choice(C, sigma2, _mean_error(SVC(C=C, kernel="precomputed"), K, y))


def _mean_error(model: Any, X: Matrix | NDArray[np.float64], y: NDArray[np.int8]) -> float:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.model_selection import StratifiedKFold, cross_val_score

    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # LIBLINEAR ends after 1,000 passes
        return 1.0 - float(np.mean(cross_val_score(model, X, y, cv=folds)))
