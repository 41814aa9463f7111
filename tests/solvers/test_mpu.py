"""The margin perceptron with unlearning: box, bound, ascent, its stopping rule, costs."""

from __future__ import annotations

from typing import Any

import baselines_reference as reference
import numpy as np
import pytest
from cases import Array, points, solver
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from linear_reference import folded, optimum, primal

from svm_cost_curves.solvers import Limit, Linear, LinearSnapshot, Problem, SettingsError, Solver, Status


def snapshot(run: Solver) -> LinearSnapshot:
    found = run.snapshot()
    assert isinstance(found, LinearSnapshot)
    return found


def alpha(run: Solver) -> Array:
    core: Any = run
    return np.asarray(core._core.alpha())


def check_dual(p: Problem, run: Solver) -> float:
    """alpha is in the box, w is its sum, the bound is its dual; return the bound."""
    a, found = alpha(run), snapshot(run)
    assert a.min() >= 0.0
    assert a.max() <= p.C * (1.0 + 1e-15)
    w = a @ folded(p)
    np.testing.assert_allclose(found.weights, w, rtol=0, atol=1e-12 * (1.0 + np.abs(w).max()))
    assert found.lower_bound == pytest.approx(p.require_lambda() * (a.sum() - 0.5 * w @ w), rel=1e-9, abs=1e-12)
    return found.lower_bound


@settings(max_examples=60, deadline=None)
@given(
    X=arrays.arrays(np.float32, st.tuples(st.integers(2, 9), st.integers(1, 3)), elements=st.integers(-2, 2)),
    ones=st.integers(1, 2**9),
    C=st.sampled_from([0.01, 1.0, 30.0]),
    eps=st.sampled_from([0.3, 0.01, 1e-5]),
)
def test_stops_at_the_requested_accuracy(X: Array, ones: int, C: float, eps: float) -> None:
    """On any data: duplicates, contradictions, rows of zeros."""
    y = np.array([1, *(1 if ones >> k & 1 else -1 for k in range(len(X) - 2)), -1], np.int8)
    p = Problem(X, y, Linear(), lambda_=1.0 / (C * len(X)))
    run = solver("mpu", p, eps=eps)
    best = optimum(p)
    while run.advance(Limit(presentations=(run.counters.presentations or 0) + 7)) is not Status.CONVERGED:
        assert check_dual(p, run) <= best * (1.0 + 1e-7)
    bound, found = check_dual(p, run), primal(p, snapshot(run).weights)
    assert best * (1.0 - 1e-7) <= found <= bound * (1.0 + eps) * (1.0 + 1e-12)


@pytest.mark.parametrize("zeros", [0.0, 0.7], ids=["dense", "sparse"])
def test_each_change_is_one_step_up(zeros: float) -> None:
    p = reference.linear_problem(1.0 / 60, zeros=zeros)
    Z = folded(p)
    run = solver("mpu", p, 5, eps=1e-6)
    learnt = unlearnt = accesses = 0
    before, bound = alpha(run), check_dual(p, run)
    for t, i in zip(range(1, 1500), reference.order(60, 5), strict=False):
        margin, size = float(Z[i] @ snapshot(run).weights), float(Z[i] @ Z[i])
        step = p.C / run._core.parts  # type: ignore[attr-defined]
        run.advance(Limit(iterations=t))
        change = (alpha(run) - before) / step
        expected = np.zeros(60)
        if margin < 1.0 - 0.5 * step * size and before[i] < p.C:
            expected[i] = 1.0
        if margin > 1.0 + 0.5 * step * size and before[i] > 0.0:
            expected[i] = -1.0
        np.testing.assert_allclose(change, expected, atol=1e-9)
        rise = expected[i] * step * (1.0 - margin) - 0.5 * np.abs(expected[i]) * step**2 * size
        after = check_dual(p, run)
        assert after - bound == pytest.approx(p.require_lambda() * rise, rel=1e-6, abs=1e-13)
        assert rise > 0.0 or not expected.any()
        learnt, unlearnt = learnt + (expected[i] > 0.0), unlearnt + (expected[i] < 0.0)
        accesses += int(np.count_nonzero(Z[i])) if zeros else 8
        before, bound = alpha(run), after
        counters = run.counters
        assert counters.iterations == counters.presentations == counters.inner_products == t
        assert (counters.feature_accesses, counters.feature_accesses_dense) == (accesses, 8 * t)
    assert learnt > 100
    assert unlearnt > 20


def test_the_objective_is_charged() -> None:
    """Besides the presentations, whole passes over all rows; and it goes on doing nothing once it has converged."""
    p = reference.linear_problem(0.02, n=200)
    run = solver("mpu", p, eps=1e-3)
    assert run.advance(Limit()) is Status.CONVERGED
    counters = run.counters
    assert counters.inner_products is not None
    assert counters.presentations is not None
    passes, rest = divmod(counters.inner_products - counters.presentations, 200)
    assert (rest, counters.presentations % 200) == (0, 0)
    assert 1 <= passes <= 8
    assert counters.feature_accesses == 8 * counters.inner_products
    assert run.advance(Limit()) is Status.CONVERGED
    assert run.counters == counters


def test_advancing_in_pieces_has_the_same_bits() -> None:
    p = reference.linear_problem(0.01, zeros=0.7)
    whole, pieces = solver("mpu", p, 3), solver("mpu", p, 3)
    assert whole.advance(Limit()) is Status.CONVERGED
    t = 0
    while pieces.advance(Limit(iterations=t)) is not Status.CONVERGED:
        t += 1
    assert snapshot(whole).weights.tobytes() == snapshot(pieces).weights.tobytes()
    assert snapshot(whole).lower_bound == snapshot(pieces).lower_bound
    assert whole.counters == pieces.counters


@pytest.mark.parametrize("scale", [1e-3, 1.0, 30.0])
def test_it_ends_if_the_accuracy_cannot_be_reached(scale: float) -> None:
    X, y = points(20, 3, flips=0.2)
    X[3] *= np.float32(1e-6)  # so short that its steps are lost in rounding
    p = Problem(X * np.float32(scale), y, Linear(), lambda_=0.05)
    run = solver("mpu", p, eps=1e-300)
    assert run.advance(Limit()) is Status.CONVERGED
    finest_step = p.C / 2**40
    largest = float((folded(p) ** 2).sum(axis=1).max())
    assert primal(p, snapshot(run).weights) - check_dual(p, run) <= 2.0 * finest_step * largest + 1e-9


@pytest.mark.parametrize("eps", [0.0, -0.1, np.nan, np.inf])
def test_eps(eps: float) -> None:
    positive = "algo=mpu: eps must be finite and positive"
    with pytest.raises(SettingsError, match=positive if np.isfinite(eps) else rf"algo\.eps = {eps}: it must be"):
        solver("mpu", reference.linear_problem(0.1), eps=eps)


def test_rows_too_long() -> None:
    with pytest.raises(SettingsError, match=r"algo=mpu: C times the largest squared norm .* at most 2\^40"):
        solver("mpu", reference.linear_problem(1e-14))
