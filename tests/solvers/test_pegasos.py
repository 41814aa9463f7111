"""Pegasos: replay of the recursion, projection, convergence."""

from __future__ import annotations

import numpy as np
import pytest
import reference
from cases import gram, problem, run, solver

from svm_cost_curves.solvers import Limit, _core


@pytest.mark.parametrize("project", [False, True])
@pytest.mark.parametrize("lambda_", [1e-13, 1.0 / 60, 0.5, 2.0])
def test_replay(project: bool, lambda_: float) -> None:
    """w <- (1 - 1/t) w, plus eta y Phi(x) for a violated margin, then the projection: in plain numpy."""
    p = problem(60, lambda_=lambda_)
    K, y = gram(p), p.y.astype(np.float64)
    pegasos = solver("pegasos", p, seed=4, project=project)
    stream = _core.Random(4, _core.Purpose.sampling)
    w = np.zeros(p.n)
    for t in range(1, 801):
        i = stream.below(p.n)
        violated = y[i] * (K[i] @ w) < 1.0
        w *= 1.0 - 1.0 / t
        if violated:
            w[i] += y[i] / (lambda_ * t)
        norm = np.sqrt(max(w @ K @ w, 0.0))
        if project and norm > 1.0 / np.sqrt(lambda_):
            w /= norm * np.sqrt(lambda_)
        pegasos.advance(Limit(iterations=t))
        snapshot = pegasos.snapshot()
        np.testing.assert_allclose(
            snapshot.coefficients, w, rtol=0, atol=1e-9 * np.abs(w).max(), err_msg=f"iteration {t}"
        )
        if project:
            assert np.sqrt(max(w @ K @ w, 0.0)) <= 1.0 / np.sqrt(lambda_) * (1.0 + 1e-9)
    np.testing.assert_allclose(snapshot.responses, y * (K @ w), atol=1e-8 * np.abs(w).max())


def test_projection_changes_the_run_and_keeps_the_norm() -> None:
    p = problem(60, lambda_=0.01)
    K = gram(p)
    norms = {}
    for project in (False, True):
        w = run("pegasos", p, Limit(iterations=3), project=project).snapshot().coefficients
        norms[project] = float(np.sqrt(w @ K @ w))
    assert norms[False] > 10.0
    assert norms[True] <= 10.0 * (1.0 + 1e-12)


def test_converges_to_smos_optimum() -> None:
    p = problem(80, lambda_=0.05)
    K, y = gram(p), p.y.astype(np.float64)
    best = reference.primal(K, y, run("smo", p, tolerance=1e-9).snapshot().coefficients, 0.05)
    excess = []
    for iterations in (100, 2000, 40_000):
        ends = [run("pegasos", p, Limit(iterations=iterations), seed).snapshot().coefficients for seed in range(5)]
        excess.append(float(np.mean([reference.primal(K, y, w, 0.05) for w in ends])) - best)
        assert excess[-1] > 0.0
    assert excess[1] < 0.3 * excess[0]
    assert excess[2] < 0.3 * excess[1]
    assert excess[2] < 0.01 * best
