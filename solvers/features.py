"""Arrays of points, (m, d) float32, dense or CSR: storage, and checks before the core reads them."""

from __future__ import annotations

from threading import RLock
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from . import _core
from .errors import CoreError, FeatureRangeError, SettingsError
from .kernels import Gaussian, Kernel

Features = NDArray[np.float32] | sparse.csr_matrix
MAX_FEATURES = 2**31 - 1
"""Largest number of features and of points: the core numbers them in 32 bits."""


def stored_arrays(features: Features) -> tuple[NDArray[np.generic], ...]:
    """Return the arrays that store (m, d) features: the values, or offsets, indices and values of rows.

    Raises SettingsError if an index does not fit in the core's 32 bits.
    """
    if isinstance(features, np.ndarray):
        return (features,)
    if max(features.shape) > MAX_FEATURES:
        raise SettingsError(f"{max(features.shape):,} features or points: indices have 32 bits, up to {MAX_FEATURES:,}")
    offsets = features.indptr.astype(np.int64, copy=False)
    return offsets, features.indices.astype(np.int32, copy=False), features.data


def core_matrix(X: Features) -> _core.Matrix:
    """Return the core's view of (m, d) features: values are not copied, nor are read-only offsets and indices."""
    if isinstance(X, np.ndarray):
        return _core.Matrix(np.ascontiguousarray(X))
    stored: Any = stored_arrays(X)  # offsets, indices and values, each of its own type
    offsets, indices, values = stored
    for array, given in ((offsets, X.indptr), (indices, X.indices)):
        if array is not given:  # converted: nobody else has it
            array.flags.writeable = False
    return _core.Matrix(offsets, indices, values, int(X.shape[1]))


def read_only(X: Features) -> Features:
    """Make the offsets and indices of sparse features read-only, so that the core borrows them; return the features.

    Only for arrays that the program has made: those of a caller would be frozen.
    """
    if not isinstance(X, np.ndarray):
        for array in (X.indptr, X.indices):
            part: Any = array
            while isinstance(part, np.ndarray):  # a view of a writable array can still change
                part.flags.writeable = False
                part = part.base
    return X


def frequency_order(X: Features) -> NDArray[np.int64]:
    """Return the numbers of features, (d,): the most frequent first, equally frequent ones by first point."""
    if isinstance(X, np.ndarray) and len(X):
        nonzero = X != 0
        return np.lexsort((nonzero.argmax(axis=0), -np.count_nonzero(nonzero, axis=0)))
    stored = sparse.csr_matrix(X)
    return _core.frequency_order(stored.indices.astype(np.int32, copy=False), stored.shape[1])


def in_order(X: Features, order: NDArray[np.int64], *, in_place: bool = False) -> Features:
    """Return points, (m, d), with features in this order, (d,), sparse if most values are zero.

    With `in_place` the arrays of sparse points may be used for the result.
    """
    points = compact(X)
    if isinstance(points, np.ndarray):
        return points.T[order].T  # stored by columns: the layout decides the last bits of products with weights
    if points is X and not in_place:
        points = sparse.csr_matrix(X, copy=True)
    points.sum_duplicates()
    numbers = np.empty(len(order), dtype=np.int32)
    numbers[order] = np.arange(len(order), dtype=np.int32)
    stored: Any = stored_arrays(points)
    offsets, indices, values = stored
    _core.renumber_columns(offsets, numbers, indices, values)
    return sparse.csr_matrix((values, indices, points.indptr), shape=points.shape)


class TrainingPoints:
    """Points, (n, d) float32, with features in the order of the data and of frequency, each made at its first use.

    Sparse points are stored once while only one of the two orders is used; nobody else has their arrays. Offsets and
    indices are read-only.
    """

    def __init__(self, X: Features) -> None:
        self.sparse = bool(sparse.issparse(X))
        self._original: Features | None = X
        self._keeps_original = not self.sparse  # or it has been handed out
        self._order: NDArray[np.int64] | None = None
        self._compact: Features | None = None  # once the order is known, until the points are ordered
        self._ordered: Features | None = None
        self._lock = RLock()

    def original(self) -> Features:
        """Return the points with features in the order of the data."""
        with self._lock:
            if self._original is None:
                assert self._ordered is not None
                self._original = in_order(self._ordered, np.argsort(self.order()))
            self._keeps_original = True
            return read_only(self._original)

    def order(self) -> NDArray[np.int64]:
        """Return the order of features by frequency, (d,): see `frequency_order`."""
        with self._lock:
            if self._order is None:
                assert self._original is not None
                self._compact = compact(self._original)
                self._order = frequency_order(self._compact)
            return self._order

    def ordered(self) -> Features:
        """Return the points with features in that order, sparse if most values are zero."""
        with self._lock:
            if self._ordered is None:
                order, points = self.order(), self._compact
                assert points is not None
                own = points is not self._original or not self._keeps_original
                self._ordered, self._compact = read_only(in_order(points, order, in_place=own)), None
                if not self._keeps_original:
                    self._original = None
            return self._ordered


def augmented(X: Features, rho: float) -> Features:
    """Return (m, d) features with a constant column rho appended."""
    constant = np.full((X.shape[0], 1), rho, dtype=np.float32)
    if isinstance(X, np.ndarray):
        return np.hstack([X, constant])
    return sparse.csr_matrix(sparse.hstack([X, sparse.csr_matrix(constant)]))


def compact(X: Features) -> Features:
    """Convert dense points to CSR if fewer than half of the values are not zero; return others unchanged.

    A stored coordinate of a sparse row takes 8 bytes, one of a dense row 4.
    """
    if isinstance(X, np.ndarray) and 2 * int(np.count_nonzero(X)) < X.size:
        return _to_csr(X)
    return X


def _to_csr(X: NDArray[np.float32]) -> sparse.csr_matrix:
    """Convert dense points to CSR as scipy does, in a third of its time."""
    nonzero = X != 0
    places = np.flatnonzero(nonzero)
    offsets = np.concatenate([[0], np.cumsum(np.count_nonzero(nonzero, axis=1))])
    columns = places - np.repeat(np.arange(len(X)) * X.shape[1], np.diff(offsets))
    return sparse.csr_matrix((X.ravel()[places], columns.astype(np.int32), offsets), shape=X.shape)


def squares(X: Features) -> NDArray[np.float64]:
    """Return |x|^2 of (m, d) features, (m,) float64."""
    if isinstance(X, np.ndarray):
        dense: NDArray[np.float64] = np.einsum("ij,ij->i", X, X, dtype=np.float64)
        return dense
    stored = sparse.csr_matrix((np.square(X.data, dtype=np.float64), X.indices, X.indptr), shape=X.shape)
    return np.asarray(stored.sum(axis=1), dtype=np.float64).ravel()


def largest_square(X: Features) -> float:
    """Return the largest |x|^2 of (m, d) features, in float64; 0 if m = 0."""
    return float(squares(X).max(initial=0.0))


def sigma2_from_data(X: Features) -> float:
    """Return the default width of a Gaussian kernel, d Var(X) / 2, for (n, d) float32 points.

    Var(X) is the variance of all n d numbers of X; the same rule is known as ``gamma="scale"`` elsewhere, since gamma =
    1/(2 sigma2) = 1/(d Var(X)). Raises SettingsError if all numbers are equal.
    """
    values: NDArray[np.float32] = X if isinstance(X, np.ndarray) else X.data
    size = X.shape[0] * X.shape[1]
    mean = float(np.sum(values, dtype=np.float64)) / size
    square = float(np.sum(np.square(values, dtype=np.float64))) / size
    variance = square - mean**2
    if not variance > 1e-12 * square:
        raise SettingsError("all features are equal, so that no kernel width follows from them: give kernel.sigma2")
    return float(X.shape[1] * variance / 2)


def _square_bound(X: Features) -> float:
    """Return an upper bound on the largest |x|^2, computed in two passes over the values."""
    return float(X.shape[1] * _largest_value(X) ** 2)


def _largest_value(X: Features) -> float:
    """Return the largest magnitude of a value."""
    values = X if isinstance(X, np.ndarray) else X.data
    return max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))


def check_range(kernel: Kernel, X: Features, label: str) -> None:
    """Raise FeatureRangeError for points, (m, d) float32, called `label`, for which kernels or solvers would overflow.

    The core's limit on |x|^2 and |K(x, z)| is 1e30. Float32 holds 1e8 times that, which is enough for rounding and for
    methods with features and weights in float32. In float64, responses of the lambda form are at most |x|^2 / lambda,
    |w|^2 is at most |x|^2 / lambda^2, and sums over n examples are n times that: below 1e308, since lambda >= 1e-30.
    """
    function = kernel.core()
    try:
        function.require_range(_square_bound(X))
        return
    except CoreError:
        pass  # the bound may be too large by a factor of d
    largest = largest_square(X)
    try:
        function.require_range(largest)
    except CoreError as error:
        if kernel.name == Gaussian.name and largest <= 1.0:  # the width alone is out of range
            raise SettingsError(f"{kernel.name} kernel: sigma2 is too small, since {error}") from error
        raise FeatureRangeError(f"the values of the {label} are too large for kernel={kernel.name}: {error}") from error


def check_resolution(kernel: Kernel, X: Features) -> None:
    """Raise FeatureRangeError if training points, (n, d) float32, are nonzero but too small for kernel values.

    The core's limit on the largest |x|^2 and the largest |K(x, z)| is 1e-30. Float32 holds 1e-8 times that. The rule is
    the same for methods that compute no kernel values.
    """
    function = kernel.core()
    try:
        function.require_resolution(_largest_value(X) ** 2)  # |x|^2 is at least that
        return
    except CoreError:
        pass
    try:
        function.require_resolution(largest_square(X))
    except CoreError as error:
        raise FeatureRangeError(
            f"the values of the training points are too small for kernel={kernel.name}: {error}"
        ) from error


def canonical(X: Features) -> Features:
    """Check features, and return them as the core reads them: CSR sorted, with one entry for each index.

    Raises SettingsError if they are not float32, have no column, or a value is not finite.
    """
    if X.dtype != np.float32:
        raise SettingsError(f"X is float32, got {X.dtype}")
    if X.shape[1] == 0:
        raise SettingsError("X has no features: d = 0")
    if sparse.issparse(X):
        X = sparse.csr_matrix(X)
        if not X.has_canonical_format:
            X = X.copy()  # the caller's arrays are not changed
            X.sum_duplicates()
    values = X if isinstance(X, np.ndarray) else X.data
    if not np.isfinite(values).all():
        flat = int(np.argmax(~np.isfinite(values)))
        if isinstance(X, np.ndarray):
            row, column = divmod(flat, X.shape[1])
        else:
            row, column = int(np.searchsorted(X.indptr, flat, side="right")) - 1, int(X.indices[flat])
        raise SettingsError(f"X[{row}, {column}] is not finite")
    return X
