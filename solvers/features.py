"""Points as arrays, (m, d) float32, dense or CSR: their storage, and the checks before the core reads them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from solvers.errors import CoreError, SettingsError
from solvers.kernels import Kernel

Features = NDArray[np.float32] | sparse.csr_matrix
MAX_FEATURES = 2**31 - 1
"""Most features, and most points: the core numbers them in 32 bits."""


def stored_arrays(features: Features) -> tuple[NDArray[np.generic], ...]:
    """Return what (m, d) features are stored in: the values, or offsets, indices and values of rows.

    Raises
    ------
    SettingsError
        An index does not fit in the core's 32 bits.
    """
    if isinstance(features, np.ndarray):
        return (features,)
    if max(features.shape) > MAX_FEATURES:
        raise SettingsError(f"{max(features.shape):,} features or points: indices have 32 bits, up to {MAX_FEATURES:,}")
    offsets = features.indptr.astype(np.int64, copy=False)
    return offsets, features.indices.astype(np.int32, copy=False), features.data


def augmented(X: Features, rho: float) -> Features:
    """Return (m, d) features with one more column, which is rho everywhere."""
    constant = np.full((X.shape[0], 1), rho, dtype=np.float32)
    if isinstance(X, np.ndarray):
        return np.hstack([X, constant])
    return sparse.csr_matrix(sparse.hstack([X, sparse.csr_matrix(constant)]))


def compact(X: Features) -> Features:
    """Return dense points of which fewer than half of the values are not zero as CSR, and others as they are.

    A stored coordinate of a sparse row takes 8 bytes, one of a dense row 4.
    """
    if isinstance(X, np.ndarray) and 2 * int(np.count_nonzero(X)) < X.size:
        return sparse.csr_matrix(X)
    return X


def transposed(features: Features) -> Features:
    """Return (m, d) features as (d, m), in the same kind of storage."""
    return features.T if isinstance(features, np.ndarray) else features.T.tocsr()


def largest_square(X: Features) -> float:
    """Return the largest |x|^2 of (m, d) features, in float64; 0 where there are none."""
    if isinstance(X, np.ndarray):
        squares = np.einsum("ij,ij->i", X, X, dtype=np.float64)
        return float(squares.max(initial=0.0))
    stored = sparse.csr_matrix((np.square(X.data, dtype=np.float64), X.indices, X.indptr), shape=X.shape)
    return float(np.asarray(stored.sum(axis=1)).max(initial=0.0))


def _square_bound(X: Features) -> float:
    """Return what the largest |x|^2 cannot exceed, in two passes over the values."""
    values = X if isinstance(X, np.ndarray) else X.data
    largest = max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
    return float(X.shape[1] * largest**2)


def check_range(kernel: Kernel, X: Features, what: str) -> None:
    """Refuse points on which the arithmetic of kernels and solvers would overflow.

    Where |x|^2 and |K(x, z)| are at most 1e30 (in the core), float32 has room for a factor of 1e8: for rounding, and
    for methods whose features and weights are float32. In float64, responses of the lambda form are at most |x|^2 /
    lambda, and |w|^2 is at most |x|^2 / lambda^2; sums over n examples are n times that: far from 1e308 for any lambda
    above 1e-100.

    Parameters
    ----------
    kernel : Kernel
    X : (m, d) float32
    what : str
        Which points these are, for the message.

    Raises
    ------
    SettingsError
        |x|^2 or the kernel's values are too large.
    """
    function = kernel.core()
    try:
        function.require_range(_square_bound(X))
        return
    except CoreError:
        pass  # the bound may be d times too large
    try:
        function.require_range(largest_square(X))
    except CoreError as error:
        minmax = "dataset.scaling=minmax, " if isinstance(X, np.ndarray) else ""
        raise SettingsError(
            f"the values of the {what} are too large for kernel={kernel.name}: {error} "
            f"({minmax}dataset.row_norm=longest or dataset.divide_by=NUMBER)"
        ) from error


def canonical(X: Features) -> Features:
    """Return features as the core takes them: finite; sparse ones in CSR, sorted, each place stored once.

    Raises
    ------
    SettingsError
        They are not float32, have no column, or a value is not finite.
    """
    if X.dtype != np.float32:
        raise SettingsError(f"X is float32, got {X.dtype}")
    if X.shape[1] == 0:
        raise SettingsError("X has no features: d = 0")
    if sparse.issparse(X):
        X = sparse.csr_matrix(X)
        if not X.has_canonical_format:
            X = X.copy()  # the caller's arrays stay as they are
            X.sum_duplicates()
    values = X if isinstance(X, np.ndarray) else X.data
    if not np.isfinite(values).all():
        place = int(np.argmax(~np.isfinite(values)))
        if isinstance(X, np.ndarray):
            row, column = divmod(place, X.shape[1])
        else:
            row, column = int(np.searchsorted(X.indptr, place, side="right")) - 1, int(X.indices[place])
        raise SettingsError(f"X[{row}, {column}] is not finite")
    return X
