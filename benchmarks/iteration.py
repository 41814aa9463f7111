"""An iteration beside its cheapest part: a row of the Gram matrix read and added; a row of sparse points; SIMBA."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from benchmarks import data
from benchmarks.measure import Comparisons, cpu_seconds
from svm_cost_curves.solvers import Gaussian, Limit, Linear, Problem, RowPolicy, SettingsError, Solver, _core, get

ITERATIONS = 10_000
SPARSE_ROWS = 200
SIMBA_SECONDS = 25e-6
"""The bar of a SIMBA iteration."""


@pytest.mark.parametrize(
    ("name", "bias", "sigma2", "nu", "bars"),
    [
        ("adult", False, 10.0, 1.10e-2, {"sbp": 1.4, "smo": None}),
        ("adult", True, 10.0, 1.10e-2, {"sbp": None, "smo": None}),
        ("mnist", False, 25.0, 2.21e-4, {"sbp": 1.7}),
    ],
    ids=["adult", "adult bias", "mnist"],
)
def benchmark_row_added(
    name: str, bias: bool, sigma2: float, nu: float, bars: dict[str, float | None], table: Comparisons
) -> None:
    """Compare an iteration of the SBP and of SMO with one row read and added to the responses."""
    loaded = data.load(name)
    with data.scratch() as folder:
        policy = RowPolicy(provider="gram", memory_bytes=data.MEMORY_BYTES, gram_dir=folder)
        n = loaded.n
        problem = Problem(
            np.asarray(loaded.X), loaded.y, Gaussian(sigma2), lambda_=1.0 / n, nu=nu, bias=bias, rows=policy
        )
        try:
            source = problem.rows.source
        except SettingsError as error:  # the matrix does not fit
            pytest.skip(str(error))
        for algo, bar in bars.items():
            kind = get(algo)
            solver = kind(problem, kind.Settings(**({"tolerance": 0.0} if algo == "smo" else {})), seed=0)
            table.alternate(
                f"{algo.upper()} iteration / one row read and added, {name}{', bias' if bias else ''}, n = {n:,}",
                lambda solver=solver: _iteration(solver),  # type: ignore[misc]
                lambda: cpu_seconds(lambda: _core.seconds_of_row_additions(source, ITERATIONS, 1)) / ITERATIONS,
                at_most=bar,
            )


def benchmark_sparse_row(table: Comparisons) -> None:
    """Compare a kernel row of sparse points with SciPy's product of a matrix and a vector."""
    X, _ = data.texts(8_000, 47_236, 76)
    source = _core.CachedRows(Gaussian(1.0).core(), Problem.core_matrix(X), len(X.indptr) // 2, 2)
    points = [X[[i]].toarray().ravel() for i in range(SPARSE_ROWS)]
    table.alternate(
        "a kernel row of sparse points computed and added / SciPy's matrix times dense vector, "
        f"{X.shape[0]:,} x {X.shape[1]:,}, 76 values a row",
        lambda: cpu_seconds(lambda: _core.seconds_of_row_additions(source, SPARSE_ROWS, 1)) / SPARSE_ROWS,
        lambda: cpu_seconds(lambda: [X @ point for point in points]) / SPARSE_ROWS,
        at_most=0.2,
    )


@pytest.mark.parametrize("nu", [0.01, 0.1])
@pytest.mark.parametrize("name", ["newsgroups_binary", "points like texts"])
def benchmark_simba(name: str, nu: float, table: Comparisons) -> None:
    """Compare an iteration of SIMBA with its bar; on random points also with twice as many columns, half of them empty.

    The second has the same draws, steps and accesses: only names of columns differ.
    """
    random = name == "points like texts"
    X, y = data.texts(8_000, 1_360_000, 455) if random else data.load_sparse(name)
    where = f"{name}, n = {X.shape[0]:,}, d = {X.shape[1]:,}, nu = {nu:g}"
    kind = get("simba")

    def started(points: sparse.csr_matrix) -> Solver:
        return kind(Problem(points, y, Linear(), nu=nu), kind.Settings(), seed=0)

    usual = started(X)
    table.alternate(f"SIMBA iteration / 25 us, {where}", lambda: _iteration(usual), lambda: SIMBA_SECONDS, at_most=1.0)
    if random:
        wide = started(sparse.csr_matrix((X.data, 2 * X.indices, X.indptr), shape=(X.shape[0], 2 * X.shape[1])))
        comparison = f"SIMBA iteration, d doubled by an empty column after each / without that, {where}"
        table.alternate(comparison, lambda: _iteration(wide), lambda: _iteration(usual), at_most=1.1)


def _iteration(solver: Solver) -> float:
    """Return the CPU seconds of an iteration, past the first ones, when all responses are equal."""
    begin = max(solver.counters.iterations or 0, ITERATIONS)
    solver.advance(Limit(iterations=begin))
    before = solver.cpu_seconds
    solver.advance(Limit(iterations=begin + ITERATIONS))
    return (solver.cpu_seconds - before) / ITERATIONS
