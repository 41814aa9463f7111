"""Benchmark 2: the time to fill a Gram matrix, against this machine's SGEMM and against scikit-learn."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from experiments.bench import data
from experiments.bench.measure import Row, alternate, median_ratio, seconds
from solvers import Gaussian, Problem, RowPolicy, _core, blas

SIDE = 4096


def rows(repetitions: int, memory_bytes: int) -> list[Row]:
    """Return the rate on 20,000 x 784 against SGEMM, and the time of Adult's matrix against scikit-learn's."""
    return [_against_sgemm(repetitions), *_against_sklearn(max(repetitions // 2, 1), memory_bytes)]


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


def _against_sklearn(repetitions: int, memory_bytes: int) -> list[Row]:
    from sklearn.metrics.pairwise import rbf_kernel

    threads = os.cpu_count() or 1
    adult = data.adult()
    X = np.asarray(adult.X)

    def problem(folder: Path) -> Problem:
        policy = RowPolicy(provider="gram", memory_bytes=memory_bytes, gram_dir=folder, threads=threads)
        return Problem(X, adult.y, Gaussian(10.0), rows=policy)

    def new_file() -> float:
        with data.scratch() as folder:
            return seconds(problem(folder).describe_rows)

    def theirs() -> float:
        with threadpool_limits(threads):
            return seconds(lambda: rbf_kernel(X, gamma=0.05))

    made = []
    new = median_ratio(alternate(new_file, theirs, repetitions))
    with data.scratch() as folder:
        ready = problem(folder)
        ready.describe_rows()
        matrix = np.memmap(next(folder.glob("*.f32")), dtype=np.float32, mode="r+", shape=(len(X), len(X)))
        _fill(ready, matrix, threads)  # maps every page for writing
        again = median_ratio(alternate(lambda: seconds(lambda: _fill(ready, matrix, threads)), theirs, repetitions))
    for where, (ours, library, ratio, spread), bar in (
        ("computed, in memory that has been touched before", again, 0.2),
        ("computed and written to a new file in shared memory, whose pages the system must first find", new, None),
    ):
        what = f"Adult's whole Gram matrix, {where} / scikit-learn's rbf_kernel, both float32"
        made.append(Row(what, f"{ours:.2f} s", f"{library:.2f} s", ratio, bar, spread=spread))
    return made
