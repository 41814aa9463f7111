"""CPSP against the Gram matrix of its basis, SMO, a replay of its costs, and the search for preimages."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import Array, coefficients, dense, points, problem, run, solver
from reference import kernel_matrix
from scipy import sparse

from svm_cost_curves.solvers import Gaussian, Limit, Linear, Problem, Status
from svm_cost_curves.solvers.cpsp import BasisSnapshot, Cpsp

N = 120


def made(p: Problem, seed: int = 0, **settings: Any) -> Cpsp:
    return solver("cpsp", p, seed, **{"features": 20, **settings})


def look(made: Cpsp) -> tuple[Array, Array]:
    """Basis points, (k, d), and coefficients, (k,), of the snapshot."""
    snapshot = made.snapshot()
    count = len(snapshot.coefficients)
    stacked = np.array(snapshot.basis.points[:count], dtype=np.float64).reshape(count, made.problem.d)
    return stacked, snapshot.coefficients


def residual(p: Problem, cut: Array, B: Array) -> tuple[Array, float]:
    """Coefficients of the span's point nearest to the cut of these examples, by lstsq, and the squared distance."""
    X, signs = dense(p), p.y[cut].astype(np.float64)
    inner = kernel_matrix(p.kernel, B, X[cut]) @ signs
    G = kernel_matrix(p.kernel, B, B)
    beta = np.linalg.lstsq(G, inner, rcond=1e-13)[0]
    square = signs @ kernel_matrix(p.kernel, X[cut], X[cut]) @ signs
    return beta, float(square - inner @ beta)


def test_the_weights_are_in_the_span_of_the_projected_cuts() -> None:
    """And these are the nearest points to the cuts, whenever they were made and however the span has grown since."""
    p = problem(N, lambda_=0.01)
    cpsp, cuts = made(p, features=8), [np.arange(N)]
    for t in range(1, 13):
        cpsp.advance(Limit(iterations=t))
        B, beta = look(cpsp)
        P = np.array([residual(p, cut, B)[0] * p.C for cut in cuts])
        root = np.linalg.cholesky(kernel_matrix(p.kernel, B, B)).T
        gamma, *_ = np.linalg.lstsq((P @ root.T).T, root @ beta, rcond=1e-10)
        np.testing.assert_allclose(root @ (P.T @ gamma), root @ beta, atol=1e-4 * np.linalg.norm(root @ beta))
        margins = margins_of(p, B, beta)
        assert np.abs(margins - 1.0).min() > 1e-5, "which cut comes next would be a matter of rounding"
        cuts.append(np.flatnonzero(margins < 1.0))
    assert len(B) == 8


@pytest.mark.parametrize("starts", [1, 10])
def test_each_preimage_reduces_the_residual_and_is_a_fixed_point(starts: int) -> None:
    p = problem(N, lambda_=0.01)
    cpsp, X = made(p, features=10, starts=starts), dense(p)
    cut = np.arange(N)
    for t in range(1, 11):
        before = look(cpsp)[0]
        beta, distance = residual(p, cut, before)
        cpsp.advance(Limit(iterations=t))
        B, coefficients = look(cpsp)
        assert len(B) == t
        z = B[-1:]
        terms = np.concatenate([p.y[cut], -beta]) * kernel_matrix(p.kernel, np.vstack([X[cut], before]), z)[:, 0]
        value = terms.sum()
        assert distance - residual(p, cut, B)[1] >= value**2 - 1e-6 * distance, "at least what the function alone takes"
        assert value**2 > 0.02 * distance
        image = (terms @ np.vstack([X[cut], before]) / value)[None, :]
        moved = np.concatenate([p.y[cut], -beta]) @ kernel_matrix(p.kernel, np.vstack([X[cut], before]), image)[:, 0]
        assert abs(moved) < abs(value) * 1.01
        cut = np.flatnonzero(margins_of(p, B, coefficients) < 1.0)


def test_more_starts_find_better_preimages() -> None:
    """Of the first cut, on average over seeds."""
    p = problem(300, 2, lambda_=0.01, kernel=Gaussian(0.05), flips=0.3)
    left = []
    for starts in (1, 59):
        cpsps = [run("cpsp", p, Limit(iterations=1), seed, features=5, starts=starts) for seed in range(20)]
        left.append(np.mean([residual(p, np.arange(300), look(cpsp)[0])[1] for cpsp in cpsps]))
    assert left[1] < left[0]


@pytest.mark.parametrize("as_csr", [False, True], ids=["dense", "csr"])
def test_decision_values_are_those_of_the_expansion(as_csr: bool) -> None:
    p = problem(N, lambda_=1e-3, as_csr=as_csr, zeros=0.4)
    cpsp = made(p)
    assert not cpsp.snapshot().decision_values(p.X).any()
    early = run("cpsp", p, Limit(iterations=6), features=20).snapshot()
    cpsp.advance(Limit(iterations=6))
    first = cpsp.snapshot()
    cpsp.advance(Limit(iterations=40))
    snapshot = cpsp.snapshot()
    assert (len(first.coefficients), len(snapshot.coefficients), snapshot.support_vectors) == (6, 20, 20)
    B, beta = look(cpsp)
    others = points(5000, 5, 9, zeros=0.4)[0]
    given = sparse.csr_matrix(others) if as_csr else others
    expected = kernel_matrix(p.kernel, others.astype(np.float64), B) @ beta
    np.testing.assert_allclose(snapshot.decision_values(given), expected, rtol=0, atol=1e-12 * np.abs(beta).sum())
    assert snapshot.norm == pytest.approx(np.sqrt(beta @ kernel_matrix(p.kernel, B, B) @ beta), rel=1e-6)
    assert snapshot.same_basis(first)
    assert not snapshot.same_basis(early)
    both = BasisSnapshot.batched_values([first, snapshot], given)
    np.testing.assert_allclose(both[:, 0], early.decision_values(given), rtol=0, atol=1e-9)
    np.testing.assert_allclose(both[:, 1], expected, rtol=0, atol=1e-9)


def test_the_bound_and_the_stopping_rule() -> None:
    """Once the basis is full, its optimum by SMO on the Gram matrix of projections lies between bound and objective."""
    p = problem(N, lambda_=5e-3)
    cpsp = made(p, features=10, eps=1e-6)
    cpsp.advance(Limit(iterations=10))
    B, _ = look(cpsp)
    assert len(B) == 10
    V = np.linalg.solve(np.linalg.cholesky(kernel_matrix(p.kernel, B, B)), kernel_matrix(p.kernel, B, dense(p))).T
    linear = Problem(V.astype(np.float32), p.y, Linear(), lambda_=5e-3)
    dcd = run("dcd", linear, Limit(iterations=10**7), eps=1e-9).snapshot()
    best = dcd.lower_bound
    bound, t = 0.0, 10
    while cpsp.advance(Limit(iterations=t)) is not Status.CONVERGED:
        assert bound <= cpsp.lower_bound <= best + 1e-7
        bound, t = cpsp.lower_bound, t + 1
    reached = objective(p, *look(cpsp))
    assert best - 1e-7 <= reached <= cpsp.lower_bound + 1.1e-6
    assert t > 20


def test_costs() -> None:
    """Replayed with the basis at hand: searches alone are told by what else has been charged."""
    p = problem(N, lambda_=1e-3)
    cpsp = made(p, features=12)
    margins, kept = np.zeros(N), list[int]()
    for t in range(1, 31):
        before, size, k = cpsp.counters, int((margins < 1.0).sum()), min(t - 1, 12)
        cpsp.advance(Limit(iterations=t))
        after = cpsp.counters
        B, beta = look(cpsp)
        margins = margins_of(p, B, beta)
        grown = len(B) - k
        spent = {name: getattr(after, name) - getattr(before, name) for name in vars(after)}
        assert (spent["iterations"], spent["presentations"]) == (1, N)
        searched = spent["kernel_evaluations"] - grown * (N + k)
        assert searched == 0 if not grown else (searched > 0 and searched % (size + k) == 0)
        tried = searched // (size + k)
        assert spent["inner_products"] == spent["kernel_evaluations"] + (grown + 1) * N
        coordinates = size * k + N * len(B) + grown * (N * k + size + sum(kept))
        assert spent["feature_accesses"] == coordinates + p.d * (tried * size + grown * N)
        assert spent["feature_accesses_dense"] == spent["feature_accesses"]
        kept.append(size)
    assert len(B) == 12


def test_equal_points_add_no_functions() -> None:
    """Three distinct points: a fourth function would have to lie elsewhere, and the fixed point finds none worth it."""
    X, y = points(3, 2)
    p = Problem(np.vstack([X] * 10), np.concatenate([y] * 10), Gaussian(0.01), lambda_=1e-3)
    cpsp = made(p, features=30, eps=1e-8)
    cpsp.advance(Limit(iterations=200))
    assert len(look(cpsp)[0]) <= 6
    assert np.isfinite(look(cpsp)[1]).all()


def test_points_so_long_that_float64_loses_their_distances() -> None:
    """gamma |x|^2 of 4e15: the bound of the dual nearly meets the objective, which is computed from differences."""
    X, y = points(N, 3)
    wide = np.hstack([16.0 * np.rint(X), np.zeros((N, 200))])
    p = Problem(sparse.csr_matrix((wide + 2.0**27).astype(np.float32)), y, Gaussian(512.0), lambda_=0.02)
    cpsp = run("cpsp", p, Limit(iterations=400), features=40)
    B, beta = look(cpsp)
    assert cpsp.lower_bound == pytest.approx(objective(p, B, beta), rel=0.005)
    np.testing.assert_allclose(cpsp.snapshot().decision_values(p.X), p.y * margins_of(p, B, beta), rtol=0, atol=1e-6)


def margins_of(p: Problem, B: Array, beta: Array) -> Array:
    return p.y * (kernel_matrix(p.kernel, dense(p), B) @ beta)


def objective(p: Problem, B: Array, beta: Array) -> float:
    """J of an explicit expansion, in float64."""
    norm = beta @ kernel_matrix(p.kernel, B, B) @ beta
    return float(0.5 * p.require_lambda() * norm + np.maximum(0.0, 1.0 - margins_of(p, B, beta)).mean())


def test_with_enough_functions_it_reaches_the_kernel_problems_optimum() -> None:
    """On a line, where a few dozen functions span all; in four dimensions it comes near, and the nearer the more."""
    for d, lambda_, counts in ((1, 1e-3, (N,)), (4, 0.01, (1, 4, 16, N))):
        X, y = points(N, d, flips=0.05)
        p = Problem(X, y, Gaussian(2.0), lambda_=lambda_)
        best, excess = objective(p, dense(p), coefficients(run("smo", p, tolerance=1e-8))), []
        for count in counts:
            cpsp = made(p, features=count, eps=1e-7)
            assert cpsp.advance(Limit(iterations=5000)) is Status.CONVERGED
            excess.append(objective(p, *look(cpsp)) / best - 1.0)
        if d == 1:
            assert abs(excess[0]) <= 1e-5
        else:
            assert excess == sorted(excess, reverse=True)
            assert 0.0 < excess[3] < 0.02 < 0.1 < excess[0]
