"""A small made-up data set, problems on it and snapshots of solvers, for the tests of the evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from svm_cost_curves.datasets import Dataset
from svm_cost_curves.solvers import Gaussian, Limit, Problem, RowPolicy, get

N, M, D = 90, 70, 4
SIGMA2 = 2.0


def drawn(count: int, seed: int) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(count, D)).astype(np.float32)
    X[rng.random(X.shape) < 0.3] = 0.0
    y = np.where(X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.3 * rng.normal(size=count) > 0.2, 1, -1)
    return X, y.astype(np.int8)


def dataset(*, as_csr: bool = False) -> Dataset:
    (X, y), (X_test, y_test) = drawn(N, 0), drawn(M, 1)
    if as_csr:
        X, X_test = sparse.csr_matrix(X), sparse.csr_matrix(X_test)  # type: ignore[assignment]
    return Dataset("test", X, y, X_test, y_test, {}, "0")


def problem(data: Dataset, **settings: Any) -> Problem:
    provider = settings.pop("provider", "gram")
    settings = {"lambda_": 1.0 / N, "nu": 0.05, "bias": False, **settings}
    return Problem(data.X, data.y, Gaussian(SIGMA2), rows=RowPolicy(provider=provider, threads=2), **settings)


def snapshots(p: Problem, name: str, limits: Sequence[int]) -> list[Any]:
    kind = get(name)
    solver = kind(p, kind.Settings(), 1)
    made = []
    for iterations in limits:
        solver.advance(Limit(iterations=iterations))
        made.append(solver.snapshot())
    return made
