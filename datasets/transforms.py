"""Transforms features into the arrays for solvers: width, scaling, dense or sparse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .errors import DataError
from .types import Features, Matrix, require_memory

DENSE_MAX_WIDTH = 1024
DENSE_MIN_DENSITY = 0.10
_ROWS_A_BLOCK = 4096


def stack_rows(parts: Sequence[Features]) -> Features:
    """Stack rows: dense arrays of one width as a dense array, others as CSR of the largest width."""
    dense = [part for part in parts if isinstance(part, np.ndarray)]
    if len(dense) == len(parts):
        return np.asarray(np.concatenate(dense))
    width = max(part.shape[1] for part in parts)
    return sparse.csr_matrix(sparse.vstack([_to_csr(part, width) for part in parts], format="csr"))


def is_dense(nonzero: int, n: int, d: int, storage: str) -> bool:
    """Whether n x d features with ``nonzero`` values are stored as a dense array."""
    if storage != "auto":
        return storage == "dense"
    return d <= DENSE_MAX_WIDTH or nonzero > DENSE_MIN_DENSITY * n * d


def to_matrix(X: Features, d: int, *, dense: bool) -> Matrix:
    """Pad to width d and convert to a new C-contiguous array, or to canonical CSR, which reuses the memory of X.

    Features of float64 stay float64, others become float32.
    """
    if not dense:
        return _to_csr(X, d)
    n, width, dtype = int(X.shape[0]), int(X.shape[1]), _floats(X)
    needed = (4 if dtype == np.float32 else 12) * n * d  # float64 features are converted later
    require_memory(needed, f"{n:,} x {d:,} values as a dense array", "Use dataset.storage=sparse.")
    if sparse.issparse(X):
        return _to_csr(X, d).toarray()
    out = np.zeros((n, d), dtype)
    out[:, :width] = X
    return out


def _floats(X: Features) -> type[np.floating[Any]]:
    return np.float64 if X.dtype == np.float64 else np.float32


def to_float32(X: Features) -> Matrix:
    """Convert to float32; values that become zero are not stored, and zeros have no sign."""
    if X.dtype == np.float32:
        return X
    if sparse.issparse(X):
        out = X.astype(np.float32)
        out.eliminate_zeros()
        return out
    dense: NDArray[np.float32] = X.astype(np.float32)
    dense += np.float32(0)
    return dense


def _to_csr(X: Features, d: int) -> sparse.csr_matrix[Any]:
    rows = X if sparse.issparse(X) else sparse.csr_matrix(np.asarray(X, _floats(X)))
    out = sparse.csr_matrix((rows.data, rows.indices, rows.indptr), shape=(rows.shape[0], d))
    out.sort_indices()
    out.eliminate_zeros()
    return out


def divide(X: Matrix, divisor: float) -> None:
    """Divide all features in place, in the arithmetic of their type."""
    if divisor == 1.0:
        return
    values = X.data if sparse.issparse(X) else X
    with np.errstate(over="ignore"):  # becomes infinite, which check_finite refuses
        np.divide(values, values.dtype.type(divisor), out=values)


def minmax(X: Matrix, X_test: Matrix) -> None:
    """Map each feature in place to [0, 1] with the range of the training rows; a constant feature becomes 0.

    Test values outside the training range fall outside [0, 1].
    """
    X, X_test = _dense("minmax", X, X_test)
    low = X.min(axis=0)
    with np.errstate(over="ignore", invalid="ignore"):  # becomes infinite, which check_finite refuses
        span = X.max(axis=0) - low
        span[span == 0] = 1
        for part in (X, X_test):
            part -= low
            part /= span


def standardise(X: Matrix, X_test: Matrix) -> None:
    """Subtract from each feature in place its mean in the training rows, and divide it by its standard deviation there.

    The divisor of the variance is the number of rows; a constant feature becomes 0. Sums are made in float64.
    """
    X, X_test = _dense("standard", X, X_test)
    constant = X.min(axis=0) == X.max(axis=0)
    mean = np.where(constant, X[0], X.mean(axis=0, dtype=np.float64))  # a mean of equal values may be rounded
    squares = np.zeros(X.shape[1])
    with np.errstate(over="ignore", invalid="ignore"):  # becomes infinite, which check_finite refuses
        for part in (X, X_test):
            np.subtract(part, mean, out=part, casting="same_kind")
        unit = _unit(np.abs(X).max(axis=0))
        for begin in range(0, len(X), _ROWS_A_BLOCK):
            squares += np.square(X[begin : begin + _ROWS_A_BLOCK] / unit, dtype=np.float64).sum(axis=0)
        deviation = np.where(constant, 1.0, np.sqrt(squares / len(X)) * unit)
        for part in (X, X_test):
            np.divide(part, deviation, out=part, casting="same_kind")


def _dense(scaling: str, *parts: Matrix) -> list[NDArray[np.float32]]:
    """Return the parts; raise `DataError` unless they are dense."""
    dense = [part for part in parts if isinstance(part, np.ndarray)]
    if len(dense) < len(parts):
        raise DataError(
            f"dataset.scaling={scaling} shifts features and so needs dense ones; set dataset.storage=dense."
        )
    return dense


def normalise_rows(X: Matrix) -> None:
    """Divide each row in place by its Euclidean norm (float64 arithmetic); a row of zeros stays."""
    norms = row_norms(X)
    norms[norms == 0] = 1
    if isinstance(X, np.ndarray):
        np.divide(X, norms[:, None], out=X, casting="same_kind")
    else:
        np.divide(X.data, np.repeat(norms, np.diff(X.indptr)), out=X.data, casting="same_kind")


def divide_by_longest(X: Matrix, X_test: Matrix) -> None:
    """Divide all features in place by the largest Euclidean norm of a training row (float64 arithmetic)."""
    longest = row_norms(X).max(initial=0.0) or np.float64(1)
    for part in (X, X_test):
        values = part if isinstance(part, np.ndarray) else part.data
        np.divide(values, longest, out=values, casting="same_kind")  # in float64


def _unit(largest: NDArray[Any]) -> NDArray[Any]:
    """Return what values are divided by so that their squares are representable: 1, except for extreme float64."""
    with np.errstate(under="ignore"):
        extreme = (largest > 1e100) | ((largest < 1e-100) & (largest > 0))
    return np.where(extreme, largest, 1).astype(largest.dtype)


def row_norms(X: Matrix) -> NDArray[np.float64]:
    """Euclidean norm of each row, (n,), in float64 arithmetic."""
    values = X if isinstance(X, np.ndarray) else X.data
    unit = float(_unit(np.array([np.abs(values).max(initial=0.0)]))[0]) if values.dtype == np.float64 else 1.0
    if unit != 1:
        scaled: Any = X / unit
        return np.asarray(row_norms(scaled) * unit)
    squares = np.zeros(X.shape[0])
    if isinstance(X, np.ndarray):
        np.einsum("ij,ij->i", X, X, dtype=np.float64, out=squares)
    elif (filled := np.diff(X.indptr) > 0).any():
        squares[filled] = np.add.reduceat(np.square(X.data, dtype=np.float64), X.indptr[:-1][filled])
    return np.sqrt(squares, out=squares)
