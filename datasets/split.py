"""The seeded split, and the random integers behind it, behind samples and behind synthetic data.

The generator is Philox4x64-10 (Salmon et al. 2011), counter-based and fully specified: key =
(seed, purpose), counter from 0. Only its raw 64-bit integers are used, never numpy's distributions,
whose streams may change between versions; so a seed means the same everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from datasets.errors import DataError

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


def split_rows(
    n: int, n_test: int, seed: int, purpose: int = PURPOSE_SPLIT
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Choose test (or validation) rows uniformly without replacement.

    Row i gets the i-th raw integer of the stream (seed, purpose); the ``n_test`` rows with the smallest integers
    (ties: the lower row first) are the test set.

    Returns
    -------
    train, test : (n - n_test,), (n_test,) int64
        Row numbers, each in ascending order: the file's order is kept.

    Raises
    ------
    DataError
        Fewer than one row on either side.
    """
    if not 1 <= n_test <= n - 1:
        raise DataError(f"Cannot hold out {n_test} of {n} rows: both parts need at least one row.")
    order = np.argsort(raw_integers(seed, purpose, n), kind="stable").astype(np.int64)
    return np.sort(order[n_test:]), np.sort(order[:n_test])


def cut_rows(n: int, counts: Sequence[int], seed: int) -> list[NDArray[np.int64]]:
    """Cut all rows, in a random order, into parts of given sizes; rows beyond their sum are in none.

    Row i gets the i-th raw integer of the stream (seed, `PURPOSE_PARTS`); the order is that of these integers
    (ties: the lower row first).

    Parameters
    ----------
    n
        Rows, at least the sum of the counts.
    counts
        Rows of each part.
    seed
        In [0, 2^64).

    Returns
    -------
    list of (count,) int64
        Row numbers, each in ascending order: the file's order is kept.
    """
    order = np.argsort(raw_integers(seed, PURPOSE_PARTS, n), kind="stable").astype(np.int64)
    ends = np.cumsum(counts)
    return [np.sort(order[end - count : end]) for count, end in zip(counts, ends, strict=True)]
