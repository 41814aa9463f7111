"""Exact costs of kernel methods, by hand or by a replay; the Perceptron, and the mean of its iterates."""

from __future__ import annotations

from dataclasses import astuple
from typing import Any

import numpy as np
import pytest
from cases import STORAGE, Array, alphas, coefficients, gram, problem, run, solver
from scipy import sparse

from svm_cost_curves.solvers import Limit, Linear, Problem, Status, _core
from svm_cost_curves.solvers.accounting import Accounting
from svm_cost_curves.solvers.sbp import Draws

N, D = 60, 5


def costs(rows: int, p: Problem) -> tuple[int, int, int, int]:
    """Costs of so many whole kernel rows: evaluations, inner products, coordinates, coordinates if all are dense."""
    return rows * p.n, rows * p.n, rows * p.matrix.stored, rows * p.n * p.d


@STORAGE
@pytest.mark.parametrize(
    ("name", "bias", "settings", "rows"),
    [
        ("sbp", False, {}, 1),
        ("sbp", True, {"draws": Draws.pairs}, 2),
        ("sbp", True, {"draws": Draws.single}, 1),
        ("smo", False, {}, 1),
        ("smo", True, {}, 2),
    ],
    ids=str,
)
def test_methods_that_read_whole_rows(name: str, bias: bool, settings: dict[str, Any], rows: int, as_csr: bool) -> None:
    p = problem(N, D, bias=bias, as_csr=as_csr, zeros=0.6)
    assert p.matrix.stored == (int(np.count_nonzero(p.X.toarray())) if as_csr else N * D)
    counters = run(name, p, Limit(iterations=25), **settings).counters
    assert astuple(counters) == (25, 25 * rows, *costs(25 * rows, p))
    assert counters.epochs(N) == 25 * rows / N


def replay(name: str, p: Problem, iterations: int, seed: int) -> tuple[int, int, Array]:
    """A replay in numpy: sum of the support's sizes before each response, and of its stored coordinates; alpha."""
    K, y = gram(p), p.y.astype(np.float64)
    sizes = np.diff(p.X.indptr) if sparse.issparse(p.X) else np.full(p.n, p.d)
    stream = _core.Random(seed, _core.Purpose.sampling)
    alpha = np.zeros(p.n)
    evaluations = coordinates = 0
    for t in range(1, iterations + 1):
        i = stream.below(p.n)
        support = alpha > 0
        evaluations += int(support.sum())
        coordinates += int(sizes[support].sum())
        response = y[i] * (K[i] @ (y * alpha))
        if name == "pegasos":
            alpha *= 1.0 - 1.0 / t
            if response < 1.0:
                alpha[i] += 1.0 / (p.require_lambda() * t)
        else:  # the clipped maximum
            alpha[i] = np.clip(alpha[i] + (1.0 - response) / K[i, i], 0.0, p.C)
    return evaluations, coordinates, alpha


def changes(name: str, p: Problem, iterations: int, seed: int) -> tuple[int, int]:
    """Number of iterations that changed the predictor, and of those that removed a support vector."""
    made = solver(name, p, seed)
    before = np.zeros(p.n)
    changed = left = 0
    for t in range(1, iterations + 1):
        made.advance(Limit(iterations=t))
        now = coefficients(made) * (t * p.require_lambda() if name == "pegasos" else 1.0)
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
    evaluations, coordinates, alpha = replay(name, p, iterations, seed=8)
    on_demand = run(name, p, Limit(iterations=iterations), 8, accounting=Accounting.on_demand)
    expected: tuple[Any, ...] = (iterations, iterations, evaluations, evaluations, coordinates, evaluations * D)
    assert astuple(on_demand.counters) == expected
    np.testing.assert_allclose(alphas(on_demand), alpha, rtol=1e-10, atol=1e-10)
    changed, left = changes(name, p, iterations, seed=8)
    assert 0 < changed < iterations
    assert (left > 0) == (name == "sdca"), "the run must see support vectors that come and go"
    kept = run(name, p, Limit(iterations=iterations), 8, accounting=Accounting.kept)
    assert astuple(kept.counters) == (iterations, iterations, *costs(changed, p))
    np.testing.assert_array_equal(kept.snapshot().coefficients, on_demand.snapshot().coefficients)


def test_libsvm_counts_its_iterations_only() -> None:
    counters = run("libsvm", problem(N, D, bias=True)).counters
    assert counters.iterations > 0
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


def test_replay_of_the_perceptrons() -> None:
    """The order of each epoch is the last one, shuffled by the next permutation of the stream."""
    p = problem(70, flips=0.2)
    K, y = gram(p), p.y.astype(np.float64)
    plain, averaged = (solver(name, p, seed=9) for name in ("perceptron", "averaged_perceptron"))
    stream, order = _core.Random(9, _core.Purpose.order), np.arange(p.n)
    w, total, t, mistakes = np.zeros(p.n), np.zeros(p.n), 0, 0
    for _ in range(8):
        order = order[stream.permutation(p.n)]
        for i in order:
            t += 1
            if y[i] * (K[i] @ w) <= 0.0:
                w[i] += y[i]
                mistakes += 1
            total += w
            for made in (plain, averaged):
                made.advance(Limit(iterations=t))
            np.testing.assert_array_equal(coefficients(plain), w, err_msg=f"look {t}")
            np.testing.assert_allclose(coefficients(averaged), total / t, atol=1e-12, err_msg=f"look {t}")
    assert 50 < mistakes < t
    assert plain.counters.kernel_evaluations == mistakes * p.n
    assert averaged.counters == plain.counters
    np.testing.assert_allclose(plain.snapshot().responses, y * (K @ w), atol=1e-9)


@pytest.mark.parametrize("name", ["perceptron", "averaged_perceptron"])
def test_a_perceptron_stops_after_an_epoch_without_a_mistake(name: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3)).astype(np.float32)
    y = np.where(X[:, 0] > 0, 1, -1)
    X[:, 0] += y.astype(np.float32)
    p = Problem(X, y, Linear(), rows=problem(10).policy)
    made = solver(name, p)
    assert made.advance(Limit(presentations=1000 * p.n)) is Status.CONVERGED
    looks = made.counters.iterations
    assert looks % p.n == 0
    assert (p.y * (gram(p) @ coefficients(made))).min() > 0.0
    assert made.advance(Limit()) is Status.CONVERGED
    assert made.counters.iterations == looks
