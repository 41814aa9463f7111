"""Sparse data for the benchmarks: the real data sets if their files are there, and random ones of the same shape."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from datasets import DataError
from experiments.bench import data

COMMON = 10.0
"""This many of the most common words are about equally common; the others follow Zipf's law."""


def text(n: int, d: int, stored: int, seed: int = 0) -> tuple[sparse.csr_matrix, NDArray[np.int8]]:
    """Return points like those of texts, and labels by a random hyperplane.

    A column is stored in about as many rows as Zipf's law gives a word of its rank. Ranks are spread over the columns
    at random, so that neighbours have nothing in common.

    Parameters
    ----------
    n, d : int
    stored : int
        Coordinates that are not zero, in each row.
    seed : int

    Returns
    -------
    X : (n, d) float32 CSR
        Rows of norm 1, coordinates positive.
    y : (n,) int8
    """
    random = np.random.default_rng(seed)
    columns = random.permutation(d).astype(np.int32)
    rows = []
    for _ in range(n):
        ranks = np.unique((COMMON * ((d + COMMON) / COMMON) ** random.random(3 * stored) - COMMON).astype(np.int64))
        rows.append(np.sort(columns[random.choice(ranks, stored, replace=False)]))
    values = random.random((n, stored), dtype=np.float32)
    values /= np.linalg.norm(values, axis=1, keepdims=True)
    offsets = np.arange(0, n * stored + 1, stored, dtype=np.int32)
    X = sparse.csr_matrix((values.ravel(), np.concatenate(rows), offsets), shape=(n, d))
    return X, np.where(X @ random.normal(size=d) > 0, 1, -1).astype(np.int8)


def real(name: str) -> tuple[sparse.csr_matrix, NDArray[np.int8]] | None:
    """Return the training rows of conf/dataset/<name>.yaml, or None without its files."""
    try:
        loaded = data.load(name)
    except DataError:
        return None
    return sparse.csr_matrix(loaded.X), loaded.y
