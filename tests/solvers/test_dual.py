"""SMO, SVMlight, LASVM and SDCA: optimality conditions, agreement with LIBSVM and with one another, hard cases."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from cases import (
    BIAS,
    BY_KERNEL,
    Array,
    alphas,
    assert_optimal,
    coefficients,
    core_rows,
    dual,
    gram,
    libsvm_optimum,
    points,
    problem,
    run,
    solver,
)

from svm_cost_curves.solvers import Gaussian, Kernel, Limit, Linear, Problem, Status, _core
from svm_cost_curves.solvers.accounting import Accounting

EXACT = {
    "smo": {"tolerance": 1e-7},
    "svmlight": {"tolerance": 1e-7, "shrink_after": 20},
    "lasvm": {"tolerance": 1e-7, "passes": 0},
}
"""Settings at which each method ends at the optimum of the whole problem."""
BY_METHOD = pytest.mark.parametrize("name", EXACT)
SEEDS = pytest.mark.parametrize("seed", range(3))


def on_rows(name: str, K: Array, positives: int, C: float, bias: bool) -> Any:
    """A method of the core, made and run to its end on a given Gram matrix."""
    rows, arguments = core_rows(K, positives), {"C": C, "tolerance": 1e-9}
    if name == "smo":
        made = (_core.SmoWithBias if bias else _core.Smo)(rows, **arguments)
    elif name == "svmlight":
        made = _core.SvmLight(rows, bias=bias, **arguments)
    else:
        made = _core.Lasvm(rows, bias=bias, passes=0, seed=0, **arguments)
    assert made.advance(iterations=10_000) == _core.Status.converged
    return made


@BY_METHOD
@BY_KERNEL
@BIAS
def test_kkt_conditions_after_which_nothing_is_charged(name: str, kernel: Kernel, bias: bool) -> None:
    p = problem(150, 4, kernel=kernel, bias=bias, lambda_=1.0 / 300)
    made = solver(name, p, **EXACT[name])
    assert made.advance(Limit(iterations=2_000_000)) is Status.CONVERGED
    snapshot, counters = made.snapshot(), made.counters
    assert snapshot.dual_feasible
    assert_optimal(p, snapshot.coefficients, snapshot.bias, 1e-6)
    assert not bias or abs(snapshot.coefficients.sum()) < 1e-9 * p.C * p.n
    if name == "lasvm":
        assert snapshot.responses is None
    else:
        responses = p.y * (gram(p) @ snapshot.coefficients)
        np.testing.assert_allclose(snapshot.responses, responses, atol=1e-9 * p.C * p.n)
    alpha = alphas(made)
    assert np.any((alpha > 0) & (alpha < p.C))
    assert np.any(alpha == p.C)
    assert made.advance(Limit()) is Status.CONVERGED
    assert made.counters == counters
    np.testing.assert_array_equal(snapshot.coefficients, coefficients(made))


@cache
def with_bias(kernel: Kernel, seed: int, C: float) -> tuple[Problem, float, Array, float]:
    """A problem, and what LIBSVM ends with: dual objective, coefficients, intercept."""
    n = 60 + 13 * seed
    p = problem(n, 4, seed, kernel=kernel, bias=True, lambda_=1.0 / (C * n))
    return p, *libsvm_optimum(p)


@pytest.mark.parametrize("name", [*EXACT, "libsvm"])
@SEEDS
@BY_KERNEL
@pytest.mark.parametrize("C", [0.01, 1.0, 30.0])
def test_agrees_with_libsvm(name: str, kernel: Kernel, seed: int, C: float) -> None:
    """The peer of the record, `libsvm`, fits the same problem from its features."""
    p, best, theirs, intercept = with_bias(kernel, seed, C)
    assert dual(p, run(name, p, **({"passes": 0} if name == "lasvm" else {}))) == pytest.approx(best, rel=1e-3)
    exact = run(name, p, **EXACT.get(name, {"tolerance": 1e-7}))
    assert dual(p, exact) == pytest.approx(best, rel=1e-6)
    assert exact.snapshot().dual_feasible
    free = (np.abs(theirs) > 1e-6 * C) & (np.abs(theirs) < (1 - 1e-6) * C)
    if free.any():  # else a whole interval is optimal
        assert exact.snapshot().bias == pytest.approx(intercept, abs=1e-3)


@pytest.mark.parametrize("as_csr", [False, True])
def test_the_peer_reads_sparse_points(as_csr: bool) -> None:
    p = problem(140, 4, bias=True, as_csr=as_csr, lambda_=1.0 / 140)
    assert dual(p, run("libsvm", p, tolerance=1e-6)) == pytest.approx(dual(p, run("smo", p, tolerance=1e-6)), rel=1e-6)


@pytest.mark.parametrize("name", ["svmlight", "lasvm", "sdca"])
@SEEDS
@BY_KERNEL
def test_agrees_with_smo_without_bias(name: str, kernel: Kernel, seed: int) -> None:
    n = 60 + 13 * seed
    p = problem(n, 4, seed, kernel=kernel, lambda_=(10.0, 1.0, 1.0 if name == "sdca" else 0.1)[seed % 3] / n)
    best = dual(p, run("smo", p, tolerance=1e-8))
    settings = {"svmlight": {"shrink_after": 5}, "lasvm": {"passes": 0}, "sdca": {}}[name]
    if name == "sdca":
        exact = run(name, p, Limit(iterations=300_000))
        assert_optimal(p, coefficients(exact), 0.0, 1e-2)
    else:
        assert dual(p, run(name, p, **settings)) == pytest.approx(best, rel=1e-3)
        exact = run(name, p, tolerance=1e-7, **settings)
    assert dual(p, exact) == pytest.approx(best, rel=1e-6)


# Hard cases


@BY_METHOD
@BIAS
@pytest.mark.parametrize("C", [1e-12, 1e-3, 1e3, 1e9])
def test_boxes_of_any_size(name: str, bias: bool, C: float) -> None:
    X, y = points(40, 3, flips=0.0)
    X[20:24], y[20:24] = X[0:4], y[0:4]
    p = Problem(X, y, Gaussian(0.1), lambda_=1.0 / (C * 40), bias=bias)  # so narrow that all can be separated
    snapshot = run(name, p, Limit(iterations=200_000), **EXACT[name] | {"tolerance": 1e-6}).snapshot()
    assert_optimal(p, snapshot.coefficients, snapshot.bias, 1e-5)


@BY_METHOD
@BIAS
def test_one_example_of_each_class(name: str, bias: bool) -> None:
    """Both responses are 1, with bias by w = x_+ - x_-."""
    made = on_rows(name, np.array([[1.0, 0.5], [0.5, 1.0]]), 1, 10.0, bias)
    np.testing.assert_allclose(made.coefficients(), [2.0, -2.0], atol=1e-8)
    assert made.bias == pytest.approx(0.0, abs=1e-8)


@BY_METHOD
@BIAS
def test_equal_points_of_both_classes(name: str, bias: bool) -> None:
    """Directions without curvature, which LIBSVM gives a small constant: the optimum is all alphas at C."""
    made = on_rows(name, np.ones((6, 6)), 3, 2.0, bias)
    assert np.abs(made.coefficients()).sum() == pytest.approx(12.0, abs=1e-6)


@pytest.mark.parametrize("name", [*EXACT, "sdca"])
def test_points_of_no_length(name: str) -> None:
    """Under a linear kernel a row of zeros has no curvature; its alpha belongs at C, and nothing divides by zero."""
    p = problem(40, 3, kernel=Linear())
    X = np.array(p.X)
    X[:5] = 0.0
    zeros = Problem(X, p.y, Linear(), lambda_=1.0 / 40, rows=p.policy)
    np.testing.assert_array_equal(alphas(run(name, zeros, Limit(iterations=20_000)))[:5], zeros.C)


# Steps


def test_sdca_with_kept_responses_converges_where_no_step_changes_anything() -> None:
    p = problem(40, 3, bias=False, lambda_=1e3)  # C so small that every alpha ends at C
    sdca = solver("sdca", p, accounting=Accounting.kept)
    limit = Limit(kernel_evaluations=10**9, cpu_seconds=20.0)
    assert sdca.advance(limit) is Status.CONVERGED  # further steps cost no kernel evaluations
    np.testing.assert_array_equal(alphas(sdca), np.full(p.n, p.C))
    assert_optimal(p, coefficients(sdca), 0.0, 1e-9)


def test_smo_without_bias_is_greedy_by_exact_gain() -> None:
    """Each iteration takes the coordinate whose clipped step gains most (ties aside, a property of every step)."""
    p = problem(130, lambda_=1.0 / 130)
    K, y = gram(p), p.y.astype(np.float64)
    Q = K * np.outer(y, y)
    smo = solver("smo", p, tolerance=0.0)
    alpha = np.zeros(p.n)
    for t in range(1, 301):
        gradient = 1.0 - Q @ alpha
        step = np.clip(alpha + gradient / np.diag(Q), 0.0, p.C) - alpha
        gains = step * (gradient - 0.5 * step * np.diag(Q))
        smo.advance(Limit(iterations=t))
        now = alphas(smo)
        i = int(np.argmax(np.abs(now - alpha)))
        assert gains[i] >= gains.max() - 1e-12, f"iteration {t}"
        assert now[i] == pytest.approx(alpha[i] + step[i], abs=1e-12)
        assert np.array_equal(np.delete(now, i), np.delete(alpha, i))
        alpha = now


def test_smo_with_bias_picks_pairs_by_second_order() -> None:
    """Fan, Chen, Lin 2005, working set selection 2, and the exact clipped step along the pair."""
    p = problem(130, lambda_=1.0 / 130, bias=True)
    K, y = gram(p), p.y.astype(np.float64)
    smo = solver("smo", p, tolerance=0.0)
    alpha = np.zeros(p.n)
    for t in range(1, 301):
        value = y * (1.0 - y * (K @ (y * alpha)))
        up = np.where(y > 0, alpha < p.C, alpha > 0)
        low = np.where(y > 0, alpha > 0, alpha < p.C)
        smo.advance(Limit(iterations=t))
        now = alphas(smo)
        i, j = np.flatnonzero(now != alpha)
        if y[i] * (now[i] - alpha[i]) < 0:
            i, j = j, i
        assert up[i]
        assert value[i] >= value[up].max() - 1e-12
        descent = np.maximum(value[i] - value, 0.0)
        score = np.where(low, descent**2 / np.maximum(2.0 - 2.0 * K[i], 1e-12), -1.0)
        assert score[j] >= score.max() * (1.0 - 1e-9)
        moved = y[i] * (now[i] - alpha[i])
        assert y[j] * (now[j] - alpha[j]) == pytest.approx(-moved, abs=1e-12)
        room = min(p.C - alpha[i] if y[i] > 0 else alpha[i], alpha[j] if y[j] > 0 else p.C - alpha[j])
        assert moved == pytest.approx(min(descent[j] / (2.0 - 2.0 * K[i, j]), room), abs=1e-10)
        alpha = now
