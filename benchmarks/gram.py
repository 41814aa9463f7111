"""The time to fill a Gram matrix, beside this machine's SGEMM and scikit-learn's rbf_kernel; all cores."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import rbf_kernel
from threadpoolctl import threadpool_limits

from benchmarks import data
from benchmarks.measure import Comparisons, seconds
from svm_cost_curves.solvers import Gaussian, Problem, RowPolicy, _core, blas

SIDE = 4096
THREADS = os.cpu_count() or 1


def _fill(problem: Problem, out: NDArray[np.float32]) -> None:
    with blas.connected():
        _core.fill_gram(problem.kernel.core(), problem.matrix, out, THREADS)


def benchmark_sgemm(table: Comparisons) -> None:
    """Compare the rate on 20,000 rows of MNIST with SGEMM's."""
    loaded = data.load("mnist")
    X = np.ascontiguousarray(loaded.X[:20_000])
    problem = Problem(X, loaded.y[:20_000], Gaussian(25.0))
    n, d = X.shape
    out = np.zeros((n, n), dtype=np.float32)
    _fill(problem, out)  # touches the memory
    square = np.random.default_rng(0).random((SIDE, SIDE), dtype=np.float32)
    product = np.empty_like(square)
    with threadpool_limits(THREADS):
        table.alternate(
            f"Gram matrix of MNIST, {n:,} x {d}, exp included, 2 n^2 d operations counted / SGEMM",
            lambda: 2.0 * n * n * d / seconds(lambda: _fill(problem, out)),
            lambda: 2.0 * SIDE**3 / seconds(lambda: np.matmul(square, square, out=product)),
            "FLOP/s",
            at_least=0.8,
        )


def benchmark_rbf_kernel(table: Comparisons) -> None:
    """Compare the time of Adult's matrix with scikit-learn's."""
    adult = data.load("adult")
    X = np.asarray(adult.X)

    def problem(folder: Path) -> Problem:
        policy = RowPolicy(provider="gram", memory_bytes=data.MEMORY_BYTES, gram_dir=folder, threads=THREADS)
        return Problem(X, adult.y, Gaussian(10.0), rows=policy)

    def new_file() -> float:
        with data.scratch() as folder:
            return seconds(problem(folder).describe_rows)

    def library() -> float:
        return seconds(lambda: rbf_kernel(X, gamma=0.05))

    with threadpool_limits(THREADS), data.scratch() as folder:
        comparison = "Adult's whole Gram matrix, {} / scikit-learn's rbf_kernel, both float32"
        table.alternate(comparison.format("computed and written to a new file in shared memory"), new_file, library)
        ready = problem(folder)
        ready.describe_rows()
        matrix = np.memmap(next(folder.glob("*.f32")), dtype=np.float32, mode="r+", shape=(len(X), len(X)))
        _fill(ready, matrix)  # maps every page for writing
        again = comparison.format("computed, in memory that has been touched before")
        table.alternate(again, lambda: seconds(lambda: _fill(ready, matrix)), library, at_most=0.2)
