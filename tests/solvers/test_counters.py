"""Exact costs of every solver, asserted as numbers computed by hand or by a replay."""

from __future__ import annotations

from dataclasses import astuple
from typing import Any

import numpy as np
import pytest
from cases import gram, problem, run, solver
from numpy.typing import NDArray

from svm_cost_curves.solvers import Limit, Problem, _core
from svm_cost_curves.solvers.accounting import Accounting
from svm_cost_curves.solvers.sbp import Draws

N, D = 60, 5
STORAGE = pytest.mark.parametrize("as_csr", [False, True], ids=["dense", "csr"])


def stored_per_row(p: Problem) -> NDArray[np.int64]:
    """Coordinates that a read of each point touches."""
    return np.full(p.n, p.d) if isinstance(p.X, np.ndarray) else np.diff(p.X.indptr)


def costs(rows: int, p: Problem) -> tuple[int, int, int, int]:
    """What so many whole kernel rows cost: evaluations, inner products, coordinates, coordinates if all are dense."""
    return rows * p.n, rows * p.n, rows * int(stored_per_row(p).sum()), rows * p.n * p.d


@STORAGE
@pytest.mark.parametrize(
    ("bias", "draws", "rows"),
    [(False, Draws.pairs, 1), (True, Draws.pairs, 2), (True, Draws.single, 1)],
    ids=["no bias", "pairs", "single"],
)
def test_sbp(as_csr: bool, bias: bool, draws: Draws, rows: int) -> None:
    p = problem(N, D, bias=bias, as_csr=as_csr, zeros=0.6)
    assert p.matrix.stored == (int(np.count_nonzero(p.X.toarray())) if as_csr else N * D)
    counters = run("sbp", p, Limit(iterations=37), draws=draws).counters
    assert astuple(counters) == (37, 37 * rows, *costs(37 * rows, p))
    assert counters.epochs(N) == 37 * rows / N


@STORAGE
@pytest.mark.parametrize("bias", [False, True])
def test_smo(as_csr: bool, bias: bool) -> None:
    p = problem(N, D, bias=bias, as_csr=as_csr, zeros=0.6)
    rows = 2 if bias else 1
    assert astuple(run("smo", p, Limit(iterations=25)).counters) == (25, 25 * rows, *costs(25 * rows, p))


def test_smo_charges_nothing_when_it_has_converged() -> None:
    for bias in (False, True):
        p = problem(N, D, bias=bias)
        smo = run("smo", p, tolerance=1e-4)
        before = smo.counters
        smo.advance(Limit())
        assert smo.counters == before
        assert before.kernel_evaluations == (before.presentations or 0) * N


@STORAGE
def test_perceptron_is_charged_for_mistakes_only(as_csr: bool) -> None:
    p = problem(N, D, as_csr=as_csr, zeros=0.6)
    perceptron = run("perceptron", p, Limit(iterations=4 * N))
    mistakes = int(np.abs(perceptron.snapshot().coefficients).sum())
    assert 0 < mistakes < 4 * N
    assert astuple(perceptron.counters) == (4 * N, 4 * N, *costs(mistakes, p))


def replay(name: str, p: Problem, iterations: int, seed: int) -> tuple[int, int]:
    """A replay in numpy: sum of the support's sizes before each response, and of its stored coordinates."""
    K, y = gram(p), p.y.astype(np.float64)
    stored = stored_per_row(p)
    stream = _core.Random(seed, _core.Purpose.sampling)
    alpha = np.zeros(p.n)
    evaluations = coordinates = 0
    for t in range(1, iterations + 1):
        i = stream.below(p.n)
        support = alpha > 0
        evaluations += int(support.sum())
        coordinates += int(stored[support].sum())
        response = y[i] * (K[i] @ (y * alpha))
        if name == "pegasos":
            alpha *= 1.0 - 1.0 / t
            if t == 1:
                alpha[:] = 0.0
            if response < 1.0:
                alpha[i] += 1.0 / (p.require_lambda() * t)
        else:
            alpha[i] = np.clip(alpha[i] + (1.0 - response) / K[i, i], 0.0, p.C)
    return evaluations, coordinates


def changes(name: str, p: Problem, iterations: int, seed: int) -> tuple[int, int]:
    """How many iterations changed the predictor, and how many removed a support vector."""
    made = solver(name, p, seed)
    before = np.zeros(p.n)
    changed = left = 0
    for t in range(1, iterations + 1):
        made.advance(Limit(iterations=t))
        now = made.snapshot().coefficients * (t * p.require_lambda() if name == "pegasos" else 1.0)
        changed += not np.allclose(now, before, rtol=0.0 if name == "sdca" else 1e-12, atol=0.0)
        left += bool(np.any((before != 0.0) & (now == 0.0)))
        before = now
    return changed, left


@STORAGE
@pytest.mark.parametrize("name", ["pegasos", "sdca"])
def test_methods_that_compute_one_response(name: str, as_csr: bool) -> None:
    """on_demand: a response costs one evaluation per support vector; kept: a changed alpha costs n."""
    p = problem(N, D, as_csr=as_csr, zeros=0.6, lambda_=0.005)
    iterations = 10 * N
    evaluations, coordinates = replay(name, p, iterations, seed=8)
    on_demand = run(name, p, Limit(iterations=iterations), 8, accounting=Accounting.on_demand)
    expected: tuple[Any, ...] = (iterations, iterations, evaluations, evaluations, coordinates, evaluations * D)
    assert astuple(on_demand.counters) == expected
    changed, left = changes(name, p, iterations, seed=8)
    assert 0 < changed < iterations
    assert (left > 0) == (name == "sdca"), "the run must see support vectors that come and go"
    kept = run(name, p, Limit(iterations=iterations), 8, accounting=Accounting.kept)
    assert astuple(kept.counters) == (iterations, iterations, *costs(changed, p))
    np.testing.assert_array_equal(kept.snapshot().coefficients, on_demand.snapshot().coefficients)


@STORAGE
def test_fourier(as_csr: bool) -> None:
    """The first k frequencies are also the first of 2k: costs are those of the largest k."""
    p = problem(N, D, as_csr=as_csr, zeros=0.6)
    for iterations, k in ((0, 0), (1, 1), (2, 2), (4, 8)):
        counters = run("fourier", p, Limit(iterations=iterations), pairs=64).counters
        assert astuple(counters) == (iterations, None, None, k * N, k * p.matrix.stored, k * N * D)
        assert counters.epochs(N) is None


def test_libsvm_counts_its_iterations_only() -> None:
    counters = run("libsvm", problem(N, D, bias=True)).counters
    assert (counters.iterations or 0) > 0
    assert astuple(counters)[1:] == (None,) * 5


def test_rows_for_a_solver_in_python() -> None:
    p = problem(N, D, as_csr=True, zeros=0.6)
    rows = p.counted_rows()
    np.testing.assert_array_equal(rows.row(3), p.rows.source.row(3))
    rows.row(4)
    rows.present()
    rows.present(3)
    counters = rows.counters
    assert (counters.iterations, counters.presentations) == (2, 4)
    assert (counters.kernel_evaluations, counters.inner_products, counters.feature_accesses) == costs(2, p)[:3]
    assert [rows.label(0), rows.label(N - 1), rows.diagonal(0)] == [1.0, -1.0, 1.0]
    with pytest.raises(ValueError, match="no row 60"):
        rows.row(N)


@pytest.mark.parametrize("name", ["sbp", "smo", "pegasos", "sdca", "perceptron", "fourier"])
def test_snapshots_and_counters_are_free(name: str) -> None:
    """Snapshots and counters cost nothing and change nothing."""
    p = problem(N, D)
    made = run(name, p, Limit(iterations=3))
    before = made.counters
    for _ in range(3):
        made.snapshot()
    assert made.counters == before
    assert made.cpu_seconds >= 0.0
    assert made.wall_seconds > 0.0
