"""Benchmark 1: iterations against reading one row of the Gram matrix and adding it, and a row of sparse points."""

from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_limits

from experiments.bench import data, sparse
from experiments.bench.measure import Row, alternate, cpu_seconds, median_ratio
from solvers import Gaussian, Limit, Problem, RowPolicy, Solver, _core, get

ITERATIONS = 10_000
SPARSE_ROWS = 200


def rows(repetitions: int, memory_bytes: int) -> list[Row]:
    """Return rows for SBP on Adult (n = 32,561) and MNIST (n = 60,000), SMO on Adult, and a row of sparse points."""
    adult = data.adult()
    X = np.asarray(adult.X)
    made = _compare("Adult", X, adult.y, 10.0, 1.10e-2, {"sbp": 1.4, "smo": None}, repetitions, memory_bytes)
    made += _compare("Adult, bias", X, adult.y, 10.0, 1.10e-2, {"sbp": None, "smo": None}, repetitions, memory_bytes)
    name, X, y = data.mnist_like(60_000)
    made += _compare(name, X, y, 25.0, 2.21e-4, {"sbp": 1.7}, repetitions, memory_bytes)
    return [*made, _sparse_row(repetitions)]


def _compare(
    name: str,
    X: np.ndarray,
    y: np.ndarray,
    sigma2: float,
    nu: float,
    bars: dict[str, float | None],
    repetitions: int,
    memory_bytes: int,
) -> list[Row]:
    made = []
    with data.scratch() as folder:
        policy = RowPolicy(provider="gram", memory_bytes=memory_bytes, gram_dir=folder)
        problem = Problem(X, y, Gaussian(sigma2), lambda_=1.0 / len(y), nu=nu, bias=name.endswith("bias"), rows=policy)
        with threadpool_limits(1):
            source = problem.rows.source
        for algo, bar in bars.items():
            kind = get(algo)
            solver = kind(problem, kind.Settings(**({"tolerance": 0.0} if algo == "smo" else {})), seed=0)
            solver.advance(Limit(iterations=ITERATIONS))  # past the first iterations, when all responses are equal

            def iterate(solver: Solver = solver) -> float:
                before = solver.cpu_seconds
                iterations = solver.counters.iterations
                assert iterations is not None
                solver.advance(Limit(iterations=iterations + ITERATIONS))
                return (solver.cpu_seconds - before) / ITERATIONS

            def add() -> float:
                return cpu_seconds(lambda: _core.seconds_of_row_additions(source, ITERATIONS, 1)) / ITERATIONS

            ours, theirs, ratio, spread = median_ratio(alternate(iterate, add, repetitions))
            what = f"{algo.upper()} iteration / one row read and added, {name}, n = {problem.n:,}"
            made.append(Row(what, f"{1e6 * ours:.1f} us", f"{1e6 * theirs:.1f} us", ratio, bar, spread=spread))
    return made


def _sparse_row(repetitions: int) -> Row:
    X, _ = sparse.text(8_000, 47_236, 76)
    source = _core.CachedRows(Gaussian(1.0).core(), Problem.core_matrix(X), len(X.indptr) // 2, 2)
    points = [X[[i]].toarray().ravel() for i in range(SPARSE_ROWS)]

    def ours() -> float:
        return cpu_seconds(lambda: _core.seconds_of_row_additions(source, SPARSE_ROWS, 1)) / SPARSE_ROWS

    def theirs() -> float:
        return cpu_seconds(lambda: [X @ point for point in points]) / SPARSE_ROWS

    row, library, ratio, spread = median_ratio(alternate(ours, theirs, repetitions))
    what = f"a kernel row of sparse points computed and added / SciPy's matrix times dense vector, {X.shape[0]:,} x"
    what += f" {X.shape[1]:,}, 76 values a row"
    return Row(what, f"{1e6 * row:.1f} us", f"{1e6 * library:.1f} us", ratio, 0.2, spread=spread)
