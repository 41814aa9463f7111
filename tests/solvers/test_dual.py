"""SMO and SDCA: optimality conditions, agreement with one another and with LIBSVM."""

from __future__ import annotations

import numpy as np
import pytest
import reference
from cases import assert_optimal, core_rows, gram, problem, run, solver
from sklearn.svm import SVC

from svm_cost_curves.solvers import Gaussian, KernelSnapshot, Limit, Linear, Polynomial, Problem, Status, _core
from svm_cost_curves.solvers.accounting import Accounting

KERNELS = [Gaussian(2.0), Polynomial(degree=2, gamma=0.5, coef0=1.0), Linear()]


def snapshot(name: str, p: Problem, limit: Limit | None = None, **settings: object) -> KernelSnapshot:
    made = run(name, p, limit, **settings).snapshot()
    assert isinstance(made, KernelSnapshot)
    return made


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("bias", [False, True])
def test_kkt_conditions(kernel: Gaussian, bias: bool) -> None:
    p = problem(150, 4, kernel=kernel, bias=bias, lambda_=1.0 / 300)
    smo = solver("smo", p, tolerance=1e-7)
    assert smo.advance(Limit(iterations=2_000_000)) is Status.CONVERGED
    found = smo.snapshot()
    assert isinstance(found, KernelSnapshot)
    assert_optimal(p, found.coefficients, found.bias, 1e-6)
    if bias:
        assert abs(found.coefficients.sum()) < 1e-9 * p.C * p.n
    assert found.responses is not None
    np.testing.assert_allclose(found.responses, p.y * (gram(p) @ found.coefficients), atol=1e-9 * p.C * p.n)
    alpha = p.y * found.coefficients
    assert np.any((alpha > 0) & (alpha < p.C))
    assert np.any(alpha == p.C)
    assert smo.advance(Limit(iterations=3_000_000)) is Status.CONVERGED
    np.testing.assert_array_equal(found.coefficients, smo.snapshot().coefficients)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_agrees_with_libsvm(kernel: Gaussian, seed: int) -> None:
    n = 120 + 13 * seed
    p = problem(n, 4, seed, kernel=kernel, bias=True, lambda_=(0.1, 1.0)[seed % 2] / n)
    K, y = gram(p), p.y.astype(np.float64)
    found = snapshot("smo", p, tolerance=1e-7)
    peer = SVC(C=p.C, kernel="precomputed", tol=1e-8).fit(K, p.y)
    theirs = np.zeros(n)
    theirs[peer.support_] = peer.dual_coef_.ravel()
    assert reference.dual(K, y, found.coefficients) == pytest.approx(reference.dual(K, y, theirs), rel=1e-6)
    np.testing.assert_allclose(K @ found.coefficients + found.bias, peer.decision_function(K), atol=1e-3)
    assert found.bias == pytest.approx(float(peer.intercept_[0]), abs=1e-3)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("as_csr", [False, True])
def test_the_peer_in_the_record_agrees(kernel: Gaussian, as_csr: bool) -> None:
    """`algo=libsvm` fits the same problem from the features."""
    p = problem(140, 4, kernel=kernel, bias=True, as_csr=as_csr, lambda_=1.0 / 140)
    K, y = gram(p), p.y.astype(np.float64)
    found = snapshot("smo", p, tolerance=1e-6)
    peer = snapshot("libsvm", p, tolerance=1e-6)
    assert peer.dual_feasible
    assert reference.dual(K, y, peer.coefficients) == pytest.approx(reference.dual(K, y, found.coefficients), rel=1e-6)
    assert peer.bias == pytest.approx(found.bias, abs=1e-3)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_sdca_and_smo_agree_without_bias(kernel: Gaussian) -> None:
    p = problem(100, 4, kernel=kernel, lambda_=1.0 / 100)
    K, y = gram(p), p.y.astype(np.float64)
    smo = snapshot("smo", p, tolerance=1e-8)
    sdca = snapshot("sdca", p, Limit(iterations=300_000))
    assert reference.dual(K, y, sdca.coefficients) == pytest.approx(reference.dual(K, y, smo.coefficients), rel=1e-6)
    assert_optimal(p, smo.coefficients, 0.0, 1e-7)
    assert_optimal(p, sdca.coefficients, 0.0, 1e-2)
    gap = reference.primal(K, y, smo.coefficients, 0.01) - reference.dual(K, y, smo.coefficients) / (p.C * p.n)
    assert gap + 1e-12 >= 0.0
    assert gap < 1e-7


def test_sdca_with_kept_responses_converges_where_no_step_changes_anything() -> None:
    p = problem(40, 3, bias=False, lambda_=1e3)  # C so small that every alpha ends at C
    sdca = solver("sdca", p, accounting=Accounting.kept)
    limit = Limit(kernel_evaluations=10**9, cpu_seconds=20.0)
    assert sdca.advance(limit) is Status.CONVERGED  # further steps cost no kernel evaluations
    found = sdca.snapshot()
    assert isinstance(found, KernelSnapshot)
    np.testing.assert_array_equal(p.y * found.coefficients, np.full(p.n, p.C))
    assert_optimal(p, found.coefficients, 0.0, 1e-9)


def test_sdca_replay() -> None:
    """Every step moves the drawn alpha to the clipped maximum."""
    p = problem(50, lambda_=1.0 / 100)
    K, y = gram(p), p.y.astype(np.float64)
    stream = _core.Random(11, _core.Purpose.sampling)
    alpha = np.zeros(p.n)
    for _ in range(500):
        i = stream.below(p.n)
        response = y[i] * (K[i] @ (y * alpha))
        alpha[i] = np.clip(alpha[i] + (1.0 - response) / K[i, i], 0.0, p.C)
    found = snapshot("sdca", p, Limit(iterations=500), seed=11)
    np.testing.assert_allclose(y * found.coefficients, alpha, rtol=0, atol=1e-10)


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
        now = y * smo.snapshot().coefficients
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
        now = y * smo.snapshot().coefficients
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


def test_stops_by_libsvms_rule() -> None:
    for bias in (False, True):
        p = problem(120, bias=bias)
        K, y = gram(p), p.y.astype(np.float64)
        loose, tight = (run("smo", p, tolerance=t) for t in (1e-1, 1e-5))
        assert (loose.counters.iterations or 0) < (tight.counters.iterations or 0)
        alpha = y * loose.snapshot().coefficients
        value = y * (1.0 - y * (K @ (y * alpha)))
        if bias:
            up = np.where(y > 0, alpha < p.C, alpha > 0)
            low = np.where(y > 0, alpha > 0, alpha < p.C)
            assert value[up].max() - value[low].min() < 1e-1
        else:
            gradient = y * value
            assert gradient[alpha < p.C].max(initial=0.0) < 1e-1
            assert (-gradient[alpha > 0]).max(initial=0.0) < 1e-1


def test_equal_points_of_both_classes() -> None:
    """Directions without curvature, which LIBSVM gives a small constant: the optimum is all alphas at C."""
    K = np.ones((6, 6))
    for kind in (_core.Smo, _core.SmoWithBias):
        smo = kind(core_rows(K, 3), C=2.0, tolerance=1e-6)
        assert smo.advance(iterations=1000) == _core.Status.converged
        assert np.abs(smo.coefficients()).sum() == pytest.approx(12.0, abs=1e-6)


def test_points_of_no_length() -> None:
    """Under a linear kernel a row of zeros has no curvature; its alpha belongs at C, and nothing divides by zero."""
    p = problem(40, 3, kernel=Linear())
    X = np.array(p.X)
    X[:5] = 0.0
    zeros = Problem(X, p.y, Linear(), lambda_=1.0 / 40, rows=p.policy)
    for name in ("smo", "sdca"):
        alpha = zeros.y * snapshot(name, zeros, Limit(iterations=20_000)).coefficients
        np.testing.assert_array_equal(alpha[:5], zeros.C)
