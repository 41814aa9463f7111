"""Bar 2: how fast a Gram matrix is filled, against this machine's SGEMM and against scikit-learn."""

from __future__ import annotations

import os

import numpy as np
from threadpoolctl import threadpool_limits

from experiments.bench import data
from experiments.bench.measure import Row, alternate, median_ratio, seconds
from solvers import Gaussian, Problem, RowPolicy, _core, blas

SIDE = 4096


def rows(repetitions: int, memory_bytes: int) -> list[Row]:
    """Return the rate on 20,000 x 784 against SGEMM, and the time of Adult's matrix against scikit-learn's."""
    return [_against_sgemm(repetitions), _against_sklearn(max(repetitions // 2, 1), memory_bytes)]


def _fill(problem: Problem, out: np.ndarray, threads: int) -> None:
    with blas.connected():
        _core.fill_gram(problem.kernel.core(), problem.matrix, out, threads)


def _against_sgemm(repetitions: int) -> Row:
    threads = os.cpu_count() or 1
    name, X, y = data.mnist_like(20_000)
    problem = Problem(X, y, Gaussian(25.0))
    n, d = len(X), X.shape[1]
    out = np.zeros((n, n), dtype=np.float32)
    _fill(problem, out, threads)  # touches the memory
    square = np.random.default_rng(0).random((SIDE, SIDE), dtype=np.float32)
    product = np.empty_like(square)

    def ours() -> float:
        return 2.0 * float(n * n * d) / seconds(lambda: _fill(problem, out, threads)) / 1e9

    def theirs() -> float:
        with threadpool_limits(threads):
            return 2.0 * SIDE**3 / seconds(lambda: np.matmul(square, square, out=product)) / 1e9

    rate, machine, ratio, spread = median_ratio(alternate(ours, theirs, repetitions))
    what = f"Gram matrix of {name}, {n:,} x {d}, exp included, 2 n^2 d operations counted / SGEMM"
    return Row(what, f"{rate:.0f} GFLOP/s", f"{machine:.0f} GFLOP/s", ratio, 0.8, at_most=False, spread=spread)


def _against_sklearn(repetitions: int, memory_bytes: int) -> Row:
    from sklearn.metrics.pairwise import rbf_kernel

    threads = os.cpu_count() or 1
    adult = data.adult()
    X = np.asarray(adult.X)

    def ours() -> float:
        with data.scratch() as folder:
            rows = RowPolicy(provider="gram", memory_bytes=memory_bytes, gram_dir=folder, threads=threads)
            return seconds(Problem(X, adult.y, Gaussian(10.0), rows=rows).describe_rows)

    def theirs() -> float:
        with threadpool_limits(threads):
            return seconds(lambda: rbf_kernel(X, gamma=0.05))

    time_ours, time_theirs, ratio, spread = median_ratio(alternate(ours, theirs, repetitions))
    what = "Adult's whole Gram matrix, into a new file in shared memory / scikit-learn's rbf_kernel, both float32"
    return Row(what, f"{time_ours:.2f} s", f"{time_theirs:.2f} s", ratio, 0.2, spread=spread)
