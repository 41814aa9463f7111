"""Data for the benchmarks: the real data sets if their files are there, else random data of the same shape."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from omegaconf import OmegaConf

import datasets
from datasets import DataError, Dataset, DatasetConfig, DatasetSpec

CONF = Path(__file__).resolve().parents[2] / "conf" / "dataset"


def spec(name: str, **overrides: object) -> DatasetSpec:
    """Return the specification conf/dataset/<name>.yaml with some fields replaced."""
    config = OmegaConf.merge(OmegaConf.structured(DatasetConfig), OmegaConf.load(CONF / f"{name}.yaml"), overrides)
    made = OmegaConf.to_object(config)
    assert isinstance(made, DatasetConfig)
    return datasets.spec_of(made)


def adult() -> Dataset:
    """Return Adult; timings against LIBSVM are not comparable on other data."""
    return load("adult")


def load(name: str, **overrides: object) -> Dataset:
    """Return the data set of conf/dataset/<name>.yaml with some fields of its specification replaced."""
    return datasets.load(spec(name, **overrides), cache_dir=datasets.default_cache_dir())


def mnist_like(n: int) -> tuple[str, np.ndarray, np.ndarray]:
    """Return (name, X, y) of n points: MNIST's, or random pixels of its shape, a fifth of them not zero."""
    try:
        data = datasets.load(spec("mnist"), cache_dir=datasets.default_cache_dir())
        X, y = np.asarray(data.X)[:n], data.y[:n]
        return "MNIST", np.ascontiguousarray(X), y
    except DataError:
        random = np.random.default_rng(0)
        X = random.random((n, 784), dtype=np.float32) * (random.random((n, 784), dtype=np.float32) < 0.2)
        return "random pixels in MNIST's shape", X, np.where(random.random(n) < 0.1, 1, -1).astype(np.int8)


@contextmanager
def scratch() -> Iterator[Path]:
    """Yield an empty temporary folder for Gram matrices, in shared memory if there is any."""
    shared = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None) as folder:
        yield Path(folder)
