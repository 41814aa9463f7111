"""Benchmark 1: an SBP iteration against reading one row of the Gram matrix and adding it."""

from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_limits

from experiments.bench import data
from experiments.bench.measure import Row, alternate, median_ratio
from solvers import Gaussian, Limit, Problem, RowPolicy, _core, get

ITERATIONS = 10_000


def rows(repetitions: int, memory_bytes: int) -> list[Row]:
    """Return one row each for Adult (n = 32,561) and MNIST (n = 60,000)."""
    adult = data.adult()
    made = [_compare("Adult", np.asarray(adult.X), adult.y, 10.0, 1.10e-2, repetitions, memory_bytes)]
    name, X, y = data.mnist_like(60_000)
    made.append(_compare(name, X, y, 25.0, 2.21e-4, repetitions, memory_bytes))
    return made


def _compare(
    name: str, X: np.ndarray, y: np.ndarray, sigma2: float, nu: float, repetitions: int, memory_bytes: int
) -> Row:
    with data.scratch() as folder:
        policy = RowPolicy(provider="gram", memory_bytes=memory_bytes, gram_dir=folder)
        problem = Problem(X, y, Gaussian(sigma2), nu=nu, rows=policy)
        with threadpool_limits(1):
            source = problem.rows.source
        kind = get("sbp")
        solver = kind(problem, kind.Settings(), seed=0)
        solver.advance(Limit(iterations=ITERATIONS))  # past the first iterations, when all responses are equal

        def iterate() -> float:
            before = solver.wall_seconds
            iterations = solver.counters.iterations
            assert iterations is not None
            solver.advance(Limit(iterations=iterations + ITERATIONS))
            return (solver.wall_seconds - before) / ITERATIONS

        def add() -> float:
            return _core.seconds_of_row_additions(source, ITERATIONS, 1) / ITERATIONS

        ours, theirs, ratio, spread = median_ratio(alternate(iterate, add, repetitions))
        what = f"SBP iteration / one row read and added, {name}, n = {problem.n:,}"
        return Row(what, f"{1e6 * ours:.1f} us", f"{1e6 * theirs:.1f} us", ratio, 2.5, spread=spread)
