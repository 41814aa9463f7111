"""Fewer rows of a data set, for trials at a smaller scale: seeded, with the share of each class kept."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from datasets.split import raw_integers


def sample_rows(y: NDArray[np.int8], at_most: int | None, seed: int, purpose: int) -> NDArray[np.int64] | None:
    """Choose rows without replacement, class by class.

    Each class gets its share of the places, rounded by the largest remainder (a tie goes to +1), and one place at
    least. Row i gets the i-th raw integer of the stream (seed, purpose); those rows of a class with the smallest
    integers are chosen (ties: the lower row first). With the same seed a smaller sample is part of a larger one.

    Parameters
    ----------
    y
        (n,) labels, -1 or +1; both or one of them may occur.
    at_most
        Rows wanted, at least 2; None: all.
    seed, purpose
        Stream of random integers, see :mod:`datasets.split`.

    Returns
    -------
    (at_most,) int64 or None
        Row numbers, ascending: the file's order is kept. None where there are no more rows than wanted.
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
    """Return in words for the record how many of the rows of each part are used."""
    parts = ((n_train, train, "training"), (n_test, test, "test"))
    text = ", ".join(f"{f'{kept} of' if kept < rows else 'all'} {rows} {name} rows" for rows, kept, name in parts)
    return text if n_train == train and n_test == test else f"{text}; shares of the classes kept, Philox, seed {seed}"
