"""What features lose when they are converted to float32, in which the solvers store them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Points: TypeAlias = "NDArray[Any] | sparse.csr_matrix[Any]"

COARSE = 1e-3
"""Rounding error of a column, over its standard deviation, from which it is told."""
SMALL = 1e-30
"""Largest squared length of a row below which inner products come near the smallest float32, 1e-38."""
_NOISE = 1e-11
"""Difference of two values, over the largest of their column, that is taken for the rounding of a computation."""
_SAMPLE = 20_000
"""Rows in which equal values are counted; a column's rounding error is that of all rows."""
_SHOWN = 3
_BLOCK = 1 << 22
"""Values that are converted at a time."""


def float32_losses(X: Points, names: Sequence[str] | Callable[[int], str] | None = None) -> list[str]:
    """Return a clause about each kind of loss in the conversion of features to float32; empty if nothing is lost.

    The values are finite in float32. Named are columns in which different values become equal, or whose rounding error
    is above `COARSE` of their standard deviation (a large offset with a small spread, values near the smallest of
    float32), and points whose squares are too small. Chance does not count: among many random numbers a few pairs are
    equal in float32.

    Parameters
    ----------
    X
        (n, d) features before the conversion, dense or CSR. Others than float64 lose nothing, except large integers.
    names
        How each column is called in the text; by default ``column 3 (counted from 0)``.
    """
    if (X.dtype.kind == "f" and X.dtype.itemsize <= 4) or 0 in X.shape:
        return _too_small(X)
    if callable(names):
        name = names
    elif names is not None:
        given = names
        name = lambda j: str(given[j])  # noqa: E731
    else:
        name = "column {} (counted from 0)".format
    if sparse.issparse(X):
        X, used = used_columns(X)
        name_of = name
        name = lambda j: name_of(int(used[j]))  # noqa: E731
    error, spread = _errors(X)
    doubtful = np.flatnonzero(error > 0)
    before, after = _distinct(X, doubtful)
    # of m random numbers in one octave, m^2 / 2^24 pairs are equal in float32
    chance = np.select([before < 40, before < 400], [0.0, 1.0], 2 + 10 * np.square(before) / 2**24)
    whole = np.array([bool((column == np.rint(column)).all()) for column in _columns(X, doubtful)], bool)
    merged = before - after > np.where(whole, 0.0, chance)
    coarse = (
        ~merged & (spread[doubtful] > 0) & np.isfinite(error[doubtful]) & (error[doubtful] > COARSE * spread[doubtful])
    )
    clauses = [
        f"{name(j)}: {before[k]:,.0f} different values become {after[k]:,.0f} in float32"
        for k, j in _first(doubtful, merged)
    ]
    clauses += [
        f"{name(j)}: rounding to float32 changes its values by {error[j] / spread[j]:.2g} of their standard deviation"
        for k, j in _first(doubtful, coarse)
    ]
    more = int(merged.sum() + coarse.sum()) - len(clauses)
    if more > 0:
        clauses.append(f"{more:,} more columns lose as much in float32")
    return clauses + _too_small(X)


def used_columns(X: sparse.csr_matrix[Any]) -> tuple[sparse.csr_matrix[Any], NDArray[Any]]:
    """Return a sparse matrix of its columns with stored values, and their numbers: it may have 2^31 columns."""
    used, indices = np.unique(X.indices, return_inverse=True)
    return sparse.csr_matrix((X.data, indices, X.indptr), shape=(X.shape[0], len(used))), used


def becomes_constant(X: Points) -> bool:
    """Whether features differ between rows, and no longer do when they are converted to float32."""
    if (X.dtype.kind == "f" and X.dtype.itemsize <= 4) or sparse.issparse(X) or X.shape[0] < 2:
        return False
    assert isinstance(X, np.ndarray)
    with np.errstate(over="ignore"):
        first = X[0].astype(np.float32)
        same = all((block.astype(np.float32) == first).all() for block in _blocks(X))
    return same and bool((X[0] != X).any())


def _first(columns: NDArray[np.intp], chosen: NDArray[np.bool_]) -> list[tuple[int, int]]:
    return [(int(k), int(columns[k])) for k in np.flatnonzero(chosen)[:_SHOWN]]


def _blocks(X: NDArray[Any]) -> list[NDArray[Any]]:
    rows = max(1, _BLOCK // max(1, X.shape[1]))
    return [X[begin : begin + rows] for begin in range(0, X.shape[0], rows)]


def _errors(X: Points) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the root mean square of each column's rounding error, (d,), and its standard deviation."""
    n, d = X.shape
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        if isinstance(X, np.ndarray):
            # divided by the largest value: squares of 1e-200 and of 1e200 are not representable
            scale = np.maximum(np.abs(X).max(axis=0).astype(np.float64), np.finfo(np.float64).tiny)
            mean = sum((block / scale).sum(axis=0) for block in _blocks(X)) / n
            squares, errors = np.zeros(d), np.zeros(d)
            for block in _blocks(X):
                exact = block.astype(np.float64)
                squares += np.square(exact / scale - mean).sum(axis=0)
                errors += np.square((exact - block.astype(np.float32)) / scale).sum(axis=0)
        else:
            stored = np.bincount(X.indices, minlength=d)
            scale = np.full(d, np.finfo(np.float64).tiny)
            np.maximum.at(scale, X.indices, np.abs(X.data))
            values = X.data / scale[X.indices]
            mean = np.bincount(X.indices, values, minlength=d) / n
            squares = np.zeros(d) + np.bincount(X.indices, np.square(values - mean[X.indices]), minlength=d)
            squares += (n - stored) * np.square(mean)
            lost = (X.data - X.data.astype(np.float32)) / scale[X.indices]
            errors = np.zeros(d) + np.bincount(X.indices, np.square(lost), minlength=d)
        # not that of rounding the mean of equal values
        spread = np.where(squares > n * 1e-30, np.sqrt(squares / n), 0.0)
        return np.sqrt(errors / n) * scale, spread * scale


def _columns(X: Points, columns: NDArray[np.intp]) -> list[NDArray[np.float64]]:
    """Return the stored values of some columns, from at most `_SAMPLE` rows."""
    X = X[:: -(-X.shape[0] // _SAMPLE)]
    if isinstance(X, np.ndarray):
        return [X[:, j].astype(np.float64) for j in columns]
    by_column = X[:, columns].tocsc()
    pointers = by_column.indptr
    return [by_column.data[pointers[k] : pointers[k + 1]] for k in range(len(columns))]


def _distinct(X: Points, columns: NDArray[np.intp]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Count the different values of some columns, before and after the conversion."""
    before, after = np.zeros(len(columns)), np.zeros(len(columns))
    for k, column in enumerate(_columns(X, columns)):
        values = np.sort(column)
        if not values.size:
            continue
        differ = np.diff(values) > _NOISE * max(abs(values[0]), abs(values[-1]))
        with np.errstate(over="ignore"):
            still = np.diff(values.astype(np.float32)) != 0
        before[k], after[k] = 1 + np.count_nonzero(differ), 1 + np.count_nonzero(differ & still)
    return before, after


def _too_small(X: Points) -> list[str]:
    values = X if isinstance(X, np.ndarray) else X.data
    largest = float(np.abs(values).max(initial=0.0))
    if not 0 < largest < math.sqrt(SMALL / X.shape[1]):
        return []
    return [f"all features are so small (at most {largest:.3g}) that their products are near 0 in float32"]
