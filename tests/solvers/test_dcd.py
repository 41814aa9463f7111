"""Dual coordinate descent: the optimum, its conditions, the gap, what is shrunk, costs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import Array, points, run, solver
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from linear_reference import folded, lower_bound, optimum, primal, weights
from scipy import sparse

from svm_cost_curves.solvers import Gaussian, Limit, Linear, Problem, SettingsError, Status, _core

STORAGE = pytest.mark.parametrize("as_csr", [False, True], ids=["dense", "csr"])
SHRINKING = pytest.mark.parametrize("shrinking", [False, True], ids=["all", "shrinking"])


def problem(n: int = 60, d: int = 6, seed: int = 0, *, C: float = 1.0, as_csr: bool = False, **own: Any) -> Problem:
    X, y = points(n, d, seed, zeros=0.6 if as_csr else 0.0, flips=own.pop("flips", 0.1))
    return Problem(sparse.csr_matrix(X) if as_csr else X, y, Linear(), lambda_=1.0 / (C * n), **own)


def check_solution(p: Problem, alpha: Array, w: Array, bound: float | None, eps: float) -> None:
    """alpha is feasible, w and the bound belong to it, and the relative gap is at most eps."""
    assert ((alpha >= 0.0) & (alpha <= p.C)).all()
    Z = folded(p)
    np.testing.assert_allclose(w, Z.T @ alpha, rtol=0, atol=1e-11 * max(np.abs(w).max(), p.C))
    assert bound == pytest.approx(p.require_lambda() * (alpha.sum() - 0.5 * w @ w), rel=1e-11)
    assert 0.0 < bound * (1 - 1e-12) <= primal(p, w) <= bound * (1 + eps * (1 + 1e-9))


@SHRINKING
@STORAGE
@pytest.mark.parametrize(
    ("n", "d", "C"), [(50, 3, 1.0), (200, 20, 0.01), (200, 20, 10.0), (40, 200, 1.0), (80, 1, 5.0)]
)
def test_agrees_with_liblinear(n: int, d: int, C: float, as_csr: bool, shrinking: bool) -> None:
    p = problem(n, d, n + d, C=C, as_csr=as_csr)
    dcd = solver("dcd", p, eps=1e-8, shrinking=shrinking)
    assert dcd.advance(Limit(presentations=10**7)) is Status.CONVERGED
    alpha, w = dcd._core.alpha(), weights(dcd)
    check_solution(p, alpha, w, lower_bound(dcd), 1e-8)
    assert primal(p, w) == pytest.approx(optimum(p), rel=2e-8)
    # the conditions of Karush, Kuhn and Tucker: the projected gradient is 0
    gradient = folded(p) @ w - 1.0
    projected = np.where(
        alpha == 0.0, np.minimum(gradient, 0.0), np.where(alpha == p.C, np.maximum(gradient, 0.0), gradient)
    )
    assert np.abs(projected).max() < 1e-3


@given(
    st.tuples(st.integers(2, 9), st.integers(1, 3)).flatmap(
        lambda shape: arrays.arrays(np.float32, shape, elements=st.sampled_from([0.0, 0.0, 1.0, -1.0, 0.5, -3.0]))
    ),
    st.lists(st.sampled_from([1, -1]), min_size=7, max_size=7),
    st.sampled_from([0.01, 0.3, 1.0, 7.0]),
    st.booleans(),
    st.booleans(),
)
@settings(max_examples=60)
def test_any_points(X: Array, labels: list[int], C: float, shrinking: bool, permutation: bool) -> None:
    """Equal and contradictory examples, rows of zeros: always feasible, never past the optimum, there at the end."""
    p = Problem(X, np.array([1, -1, *labels])[: len(X)], Linear(), lambda_=1.0 / (C * len(X)))
    best = optimum(p)
    dcd = solver("dcd", p, eps=1e-9, shrinking=shrinking, permutation=permutation)
    bound = lower_bound(dcd)
    assert bound == 0.0
    for iterations in range(1, 3 * p.n):
        dcd.advance(Limit(iterations=iterations))
        before, bound = bound, lower_bound(dcd)
        assert before is not None
        assert bound is not None
        assert before * (1 - 1e-12) <= bound <= best * (1 + 1e-9)
        assert ((dcd._core.alpha() >= 0.0) & (dcd._core.alpha() <= p.C)).all()
    assert dcd.advance(Limit(iterations=10**6)) is Status.CONVERGED
    check_solution(p, dcd._core.alpha(), weights(dcd), lower_bound(dcd), 1e-9)
    assert lower_bound(dcd) == pytest.approx(best, rel=1e-6)


@STORAGE
@pytest.mark.parametrize("permutation", [False, True])
def test_replay(permutation: bool, as_csr: bool) -> None:
    """Algorithm 1 in numpy: each coordinate to its exact optimum; in a fresh order each pass, or always the same."""
    p = problem(40, C=10.0, as_csr=as_csr, flips=0.3)
    Z, stream, order = folded(p), _core.Random(3, _core.Purpose.order), np.arange(p.n)
    dcd = solver("dcd", p, 3, eps=1e-300, shrinking=False, permutation=permutation)
    alpha, w = np.zeros(p.n), np.zeros(p.d)
    for epoch in range(1, 6):
        order = order[stream.permutation(p.n)] if permutation else order
        for i in order:
            step = (1.0 - Z[i] @ w) / (Z[i] @ Z[i]) if Z[i].any() else np.inf
            alpha[i], before = np.clip(alpha[i] + step, 0.0, p.C), alpha[i]
            w += (alpha[i] - before) * Z[i]
        dcd.advance(Limit(iterations=epoch * p.n))
        np.testing.assert_allclose(dcd._core.alpha(), alpha, rtol=0, atol=1e-12)
        np.testing.assert_allclose(weights(dcd), w, rtol=0, atol=1e-12)
    seeds = [
        weights(run("dcd", p, Limit(iterations=99), seed, permutation=permutation)).tobytes() for seed in (1, 1, 2)
    ]
    assert seeds[0] == seeds[1]
    assert (seeds[1] == seeds[2]) != permutation


@STORAGE
def test_costs_without_shrinking(as_csr: bool) -> None:
    """A pass reads all rows once, and so does each look at the gap, which presents nothing."""
    p = problem(150, as_csr=as_csr)
    dcd = run("dcd", p, eps=1e-6, shrinking=False)
    counters = dcd.counters
    passes, rest = divmod(counters.presentations or 0, p.n)
    looks, more = divmod((counters.inner_products or 0) - passes * p.n, p.n)
    assert rest == more == 0
    assert counters.iterations == counters.presentations
    assert 1 <= looks <= max(3, passes // 5)
    stored = np.count_nonzero(folded(p)) if as_csr else p.n * p.d
    assert counters.feature_accesses == (passes + looks) * stored
    assert counters.feature_accesses_dense == (passes + looks) * p.n * p.d
    assert counters.kernel_evaluations is None
    assert dcd.advance(Limit()) is Status.CONVERGED
    assert dcd.counters == counters, "after the stop nothing moves"


def test_what_is_shrunk_is_not_charged() -> None:
    """The same optimum for less; where coordinates left out are needed after all, they come back."""
    p = problem(300, 5, C=10.0, flips=0.2)
    everything, shrinking = (run("dcd", p, eps=1e-7, shrinking=kind) for kind in (False, True))
    ends = [(primal(p, weights(made)), lower_bound(made)) for made in (everything, shrinking)]
    assert ends[0] == (pytest.approx(ends[1][0], rel=1e-7), pytest.approx(ends[1][1], rel=1e-7))
    assert (shrinking.counters.presentations or 0) % p.n != 0
    assert (shrinking.counters.presentations or 0) < 0.5 * (everything.counters.presentations or 0)
    assert (shrinking.counters.feature_accesses or 0) < 0.6 * (everything.counters.feature_accesses or 0)


@SHRINKING
@pytest.mark.parametrize("eps", [0.3, 1e-2, 1e-5])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_the_gap_is_what_was_asked_for(C: float, eps: float, shrinking: bool) -> None:
    p = problem(150, C=C, flips=0.3)
    dcd = solver("dcd", p, eps=eps, shrinking=shrinking)
    assert dcd.advance(Limit(presentations=10**7)) is Status.CONVERGED
    check_solution(p, dcd._core.alpha(), weights(dcd), lower_bound(dcd), eps)


@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf])
def test_settings(value: float) -> None:
    positive = r"^algo=dcd: eps must be finite and positive$"
    with pytest.raises(SettingsError, match=positive if np.isfinite(value) else rf"^algo\.eps = {value}: it must be a"):
        solver("dcd", problem(), eps=value)
    with pytest.raises(ValueError, match="C must be finite and positive"):
        _core.Dcd(problem().features, C=value, eps=0.1, seed=0)


def test_problems_of_another_kind() -> None:
    X, y = points(20, 3)
    with pytest.raises(SettingsError, match="algo=dcd works with kernel=linear only"):
        solver("dcd", Problem(X, y, Gaussian(1.0), lambda_=0.1))
    with pytest.raises(SettingsError, match=r"algo=dcd .*set problem\.bias=false"):
        solver("dcd", Problem(X, y, Linear(), lambda_=0.1, bias=True))
    with pytest.raises(SettingsError, match=r"lambda form: set problem\.lambda_ or problem\.C"):
        solver("dcd", Problem(X, y, Linear()))
