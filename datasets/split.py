"""Seeded choice of rows: splits, parts and samples.

The generator is Philox4x64-10 (Salmon et al. 2011) with key (seed, purpose) and counter from 0. Only its raw 64-bit
integers are used: numpy's distributions may change between versions. So a seed gives the same rows everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .errors import DataError

PURPOSE_SPLIT = 1
PURPOSE_SYNTHETIC = 2
PURPOSE_SAMPLE_TRAIN = 3
PURPOSE_SAMPLE_TEST = 4
PURPOSE_VALIDATION = 5
PURPOSE_PARTS = 6


def raw_integers(seed: int, purpose: int, count: int) -> NDArray[np.uint64]:
    """Return the first ``count`` 64-bit integers of the stream (seed, purpose)."""
    generator = np.random.Philox(counter=0, key=np.array([seed, purpose], dtype=np.uint64))
    return generator.random_raw(count).astype(np.uint64, copy=False)


def fraction_of(n: int, fraction: float) -> int:
    """Return a fraction of ``n`` rows, rounded to the nearest whole number, halves upwards."""
    return int(n * fraction + 0.5)


def split_rows(
    n: int, n_test: int, seed: int, purpose: int = PURPOSE_SPLIT
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Choose test (or validation) rows uniformly without replacement; return the numbers of train and test rows.

    Row i gets the i-th raw integer of the stream (seed, purpose); the ``n_test`` rows with the smallest integers
    (ties: the lower row first) are the test set. Numbers, int64, are ascending: the file's order is kept.
    """
    if not 1 <= n_test <= n - 1:
        raise DataError(f"Cannot hold out {n_test} of {n} rows: both parts need at least one row.")
    order = np.argsort(raw_integers(seed, purpose, n), kind="stable").astype(np.int64)
    return np.sort(order[n_test:]), np.sort(order[:n_test])


def cut_rows(n: int, counts: Sequence[int], seed: int) -> list[NDArray[np.int64]]:
    """Cut all rows, in a random order, into parts of given sizes, int64 ascending; rows beyond the sum are left out.

    The order is that of the raw integers of the stream (seed, `PURPOSE_PARTS`), one for each row (ties: the lower row
    first).
    """
    order = np.argsort(raw_integers(seed, PURPOSE_PARTS, n), kind="stable").astype(np.int64)
    stops = np.cumsum(counts)
    return [np.sort(order[end - count : end]) for count, end in zip(counts, stops, strict=True)]


def sample_rows(y: NDArray[np.int8], at_most: int | None, seed: int, purpose: int) -> NDArray[np.int64] | None:
    """Draw rows without replacement, in the proportions of the classes -1 and +1 of the labels, (n,).

    The number of rows of a class is rounded by the largest remainder (a tie goes to +1) and is at least one. Row i gets
    the i-th raw integer of the stream (seed, purpose); the rows of a class with the smallest integers are drawn (ties:
    the lower row first). With the same seed a smaller sample is part of a larger one.

    Returns
    -------
    (at_most,) int64 or None
        Row numbers, ascending. None if there are not more rows than wanted, or ``at_most`` is None.
    """
    if at_most is None or y.size <= at_most:
        return None
    n_positive = int(np.count_nonzero(y > 0))
    # with two classes the largest remainder is the nearest whole number
    positives = (2 * at_most * n_positive + y.size) // (2 * y.size)
    positives = min(max(positives, min(n_positive, 1)), at_most - min(y.size - n_positive, 1))
    order = np.argsort(raw_integers(seed, purpose, y.size), kind="stable").astype(np.int64)
    is_positive = y[order] > 0
    chosen = [order[is_positive][:positives], order[~is_positive][: at_most - positives]]
    return np.sort(np.concatenate(chosen))


def describe_sample(n_train: int, train: int, n_test: int, test: int, seed: int) -> str:
    """Describe for the record how many rows of each part are used."""
    parts = ((n_train, train, "training"), (n_test, test, "test"))
    text = ", ".join(f"{f'{kept} of' if kept < rows else 'all'} {rows} {name} rows" for rows, kept, name in parts)
    return text if n_train == train and n_test == test else f"{text}; shares of the classes kept, Philox, seed {seed}"
