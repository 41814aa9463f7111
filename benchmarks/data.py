"""Data for the benchmarks: the real data sets, and random points like texts."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from omegaconf import OmegaConf
from scipy import sparse

from svm_cost_curves import datasets
from svm_cost_curves.datasets import DataError, Dataset, DatasetConfig

ROOT = Path(__file__).resolve().parents[1]
MEMORY_BYTES = 18 * 10**9
"""Limit of a Gram matrix or a row cache; the Gram matrix of MNIST takes 14.4 GB."""
COMMON = 10.0
"""This many of the most common words are about equally common; the others follow Zipf's law."""


def load(name: str, **overrides: object) -> Dataset:
    """Return the data set of conf/dataset/<name>.yaml with some fields of its specification replaced.

    Without its files the benchmark is skipped.
    """
    file = OmegaConf.load(ROOT / "conf" / "dataset" / f"{name}.yaml")
    config = OmegaConf.merge(OmegaConf.structured(DatasetConfig), file, overrides)
    made = OmegaConf.to_object(config)
    assert isinstance(made, DatasetConfig)
    try:
        return datasets.load(datasets.spec_of(made), cache_dir=datasets.default_cache_dir())
    except DataError as error:
        pytest.skip(str(error))


def load_sparse(name: str) -> tuple[sparse.csr_matrix, NDArray[np.int8]]:
    """Return the training rows of a data set, (n, d) CSR, and their labels."""
    loaded = load(name)
    return sparse.csr_matrix(loaded.X), loaded.y


def texts(n: int, d: int, stored: int, seed: int = 0) -> tuple[sparse.csr_matrix, NDArray[np.int8]]:
    """Return points like those of texts, and labels by a random hyperplane.

    A column is stored in about as many rows as Zipf's law gives a word of its rank. Ranks are spread over the columns
    at random, so that neighbours have nothing in common. Rows, (n, d) float32 CSR, have norm 1 and `stored` positive
    coordinates; labels are int8.
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


@contextmanager
def scratch() -> Iterator[Path]:
    """Yield an empty temporary folder for Gram matrices, in shared memory if there is any."""
    shared = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None) as folder:
        yield Path(folder)
