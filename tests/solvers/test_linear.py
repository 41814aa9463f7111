"""Methods with explicit weights: optimum, bounds and accuracy of all of them; Pegasos, DCD and MPU step by step.

`cpp/tests/test_linear_solvers.cpp` compares dense with sparse points, and has long runs of shrinking weights.
"""

from __future__ import annotations

from dataclasses import astuple
from typing import Any

import numpy as np
import pytest
from cases import (
    STORAGE,
    Array,
    alphas,
    core_of,
    folded,
    gram,
    linear,
    lower_bound,
    optimum,
    points,
    primal,
    problem,
    run,
    solver,
    stored,
    weights,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse

from svm_cost_curves.solvers import Limit, Linear, Problem, Solver, Status, _core
from svm_cost_curves.solvers.linear import Variant
from svm_cost_curves.solvers.precision import Precision

BOUNDED: dict[str, tuple[str, dict[str, Any], float]] = {
    "dcd": ("dcd", {}, 1e-8),
    "dcd, all coordinates": ("dcd", {"shrinking": False}, 1e-8),
    "dcd, one order": ("dcd", {"permutation": False}, 1e-8),
    "mpu": ("mpu", {}, 1e-5),
    "ocas": ("ocas", {}, 1e-8),
    "svmperf": ("svmperf", {}, 1e-8),
    "sgd_s": ("sgd_s", {}, 0.01),
    "sgd_m": ("sgd_m", {}, 0.01),
    "sgd_m, odd schedule": ("sgd_m", {"multiplicity_schedule": [3, 1, 6]}, 0.03),
}
"""Methods that know a lower bound: solver, settings, and the least accuracy that they are asked for."""
BY_METHOD = pytest.mark.parametrize("method", BOUNDED)


def dual_variables(made: Solver) -> Array | None:
    """The point of the dual, (n,), whose objective is the bound; None for cutting planes."""
    core = core_of(made)
    if made.name.startswith("sgd"):
        return made.problem.C * core.updates() * made.problem.n / max(made.counters.presentations, 1)
    return core.alpha() if hasattr(core, "alpha") else None


def check(made: Solver, best: float) -> tuple[float, float]:
    """J and L of a run: they enclose the optimum, and L is the dual objective of a feasible point that gives w."""
    p, w, bound = made.problem, weights(made), lower_bound(made)
    alpha = dual_variables(made)
    if alpha is not None:
        assert ((alpha >= 0.0) & (alpha <= p.C * (1 + 1e-15))).all()
        np.testing.assert_allclose(w, folded(p).T @ alpha, rtol=0, atol=1e-11 * max(np.abs(w).max(), p.C, 1.0))
        assert bound == pytest.approx(p.require_lambda() * (alpha.sum() - 0.5 * w @ w), rel=1e-9, abs=1e-12)
    objective = primal(p, w)
    assert objective >= best * (1 - 1e-6)
    assert bound <= (best if np.isfinite(best) else objective) * (1 + 1e-7) + 1e-12
    return objective, bound


@BY_METHOD
@STORAGE
@pytest.mark.parametrize("accuracy", ["coarse", "fine"])
@pytest.mark.parametrize(("n", "d", "C"), [(200, 20, 0.01), (150, 8, 10.0), (40, 100, 1.0), (80, 1, 5.0)])
def test_at_the_stop_the_accuracy_is_reached(
    method: str, n: int, d: int, C: float, as_csr: bool, accuracy: str
) -> None:
    name, algo, eps = BOUNDED[method]
    eps = 0.3 if accuracy == "coarse" else eps
    p = linear(n, d, n + d, lambda_=1.0 / (C * n), as_csr=as_csr, zeros=0.6 if as_csr else 0.0)
    best = optimum(p)
    made = solver(name, p, eps=eps, **algo)
    assert made.advance(Limit(presentations=10**7)) is Status.CONVERGED
    objective, bound = check(made, best)
    assert objective - bound <= eps * (1 + 1e-6) * bound + 1e-13
    counters, w = made.counters, weights(made)
    assert made.advance(Limit(iterations=10**12)) is Status.CONVERGED
    assert (made.counters, weights(made).tobytes()) == (counters, w.tobytes()), "after the stop nothing moves"


@BY_METHOD
@given(
    X=st.tuples(st.integers(2, 9), st.integers(1, 3)).flatmap(
        lambda shape: arrays.arrays(np.float32, shape, elements=st.sampled_from([0.0, 0.0, 1.0, -1.0, 0.5, 2.0, -3.0]))
    ),
    labels=st.lists(st.sampled_from([1, -1]), min_size=7, max_size=7),
    C=st.sampled_from([0.01, 0.3, 1.0, 7.0]),
    as_csr=st.booleans(),
)
@settings(max_examples=25)
def test_any_points(method: str, X: Array, labels: list[int], C: float, as_csr: bool) -> None:
    """Equal and contradictory examples, rows of zeros: L <= J_opt <= J on the way, and within eps at the end."""
    name, algo, eps = BOUNDED[method]
    eps = max(eps, 0.05) if name.startswith("sgd") else eps
    y = np.array([1, -1, *labels])[: len(X)]
    p = Problem(sparse.csr_matrix(X) if as_csr else X, y, Linear(), lambda_=1.0 / (C * len(X)))
    best, below = check(run("dcd", p, Limit(iterations=10**6), eps=1e-10), -np.inf)  # its dual says how exact that is
    assert best <= below * (1 + 2e-10)
    made = solver(name, p, eps=eps, **algo)
    step = p.n if name.startswith("sgd") else 1  # the bound of a pass
    before = -np.inf
    for k in range(1, 25):
        made.advance(Limit(iterations=k * step))
        bound = check(made, best)[1]
        assert bound >= before or name not in ("ocas", "svmperf")
        before = bound
    assert made.advance(Limit(iterations=10**6)) is Status.CONVERGED
    objective, bound = check(made, best)
    assert objective - bound <= eps * (1 + 1e-6) * bound + 1e-12


@pytest.mark.parametrize(
    ("name", "algo", "lambda_"),
    [
        ("pegasos", {}, 0.05),
        ("pegasos", {"project": True}, 0.05),
        *(
            (name, {"precision": precision, **algo}, lambda_)
            for precision in Precision
            for name, algo in (("svmsgd", {}), ("sgdqn", {}), ("sgdqn", {"variant": Variant.original}))
            for lambda_ in (0.05, 0.002)
        ),
    ],
)
def test_methods_without_a_bound_converge(name: str, algo: dict[str, Any], lambda_: float) -> None:
    p = linear(200, lambda_=lambda_, zeros=0.5)
    made = run(name, p, Limit(iterations=400 * 200), **algo)
    assert -1e-6 <= primal(p, weights(made)) / optimum(p) - 1.0 <= 0.03


# Pegasos


@pytest.mark.parametrize("form", ["kernel rows", "dense", "csr"])
@pytest.mark.parametrize("project", [False, True])
@pytest.mark.parametrize("lambda_", [1e-13, 1.0 / 60, 0.5, 2.0])
def test_replay_of_pegasos(lambda_: float, project: bool, form: str) -> None:
    """w <- (1 - 1/t) w, plus eta y Phi(x) for a violated margin, then the projection: as an expansion, in numpy."""
    explicit = form != "kernel rows"
    p = problem(60, 8, lambda_=lambda_, zeros=0.5, as_csr=form == "csr", **({"kernel": Linear()} if explicit else {}))
    Z, sizes = folded(p), stored(p)
    K = Z @ Z.T if explicit else gram(p) * np.outer(p.y, p.y)
    made, stream = solver("pegasos", p, seed=4, project=project), _core.Random(4, _core.Purpose.sampling)
    alpha, accesses, updates = np.zeros(p.n), 0, 0
    for t in range(1, 501):
        i = stream.below(p.n)
        violated = K[i] @ alpha < 1.0
        alpha *= 1.0 - 1.0 / t
        alpha[i] += violated / (lambda_ * t)
        norm = np.sqrt(max(alpha @ K @ alpha, 0.0))
        if project and norm > 1.0 / np.sqrt(lambda_):
            alpha /= norm * np.sqrt(lambda_)
        updates, accesses = updates + int(violated), accesses + int(sizes[i])
        made.advance(Limit(iterations=t))
        computed, expected = (weights(made), Z.T @ alpha) if explicit else (alphas(made), alpha)
        size = np.abs(expected).max(initial=1e-300)
        np.testing.assert_allclose(computed, expected, rtol=0, atol=1e-9 * size, err_msg=f"iteration {t}")
        if explicit:
            assert astuple(made.counters) == (t, t, None, t, accesses, t * p.d)
    assert 0 < updates < 500 or lambda_ > 0.1
    if not explicit:
        np.testing.assert_allclose(made.snapshot().responses, K @ alpha, atol=1e-8 * np.abs(alpha).max())


@pytest.mark.parametrize("name", ["sgd_s", "sgd_m"])
@STORAGE
def test_float32(name: str, as_csr: bool) -> None:
    """The same examples at the same cost, as long as rounding flips no margin; seven digits instead of sixteen."""
    p = linear(150, lambda_=0.02, as_csr=as_csr, zeros=0.5)
    exact, single = (run(name, p, Limit(iterations=450), 2, precision=kind, eps=1e-9) for kind in Precision)
    assert single.counters == exact.counters
    size = np.abs(weights(exact)).max()
    np.testing.assert_allclose(weights(single), weights(exact), rtol=0, atol=1e-5 * size)
    assert (weights(single) != weights(exact)).any()
    assert weights(run(name, p, Limit(iterations=450), 2, eps=1e-9)).tobytes() == weights(exact).tobytes()
    assert lower_bound(single) == pytest.approx(lower_bound(exact), rel=1e-5)


# DCD


@STORAGE
@pytest.mark.parametrize("permutation", [False, True])
def test_replay_of_dcd(permutation: bool, as_csr: bool) -> None:
    """Algorithm 1 in numpy: each coordinate to its exact optimum; in a fresh order each pass, or always the same."""
    p = linear(40, 6, lambda_=1.0 / 400, as_csr=as_csr, zeros=0.6 if as_csr else 0.0, flips=0.3)
    Z, stream, order = folded(p), _core.Random(3, _core.Purpose.order), np.arange(p.n)
    dcd = solver("dcd", p, 3, eps=1e-30, shrinking=False, permutation=permutation)
    alpha, w = np.zeros(p.n), np.zeros(p.d)
    for epoch in range(1, 6):
        order = order[stream.permutation(p.n)] if permutation else order
        for i in order:
            step = (1.0 - Z[i] @ w) / (Z[i] @ Z[i]) if Z[i].any() else np.inf
            alpha[i], before = np.clip(alpha[i] + step, 0.0, p.C), alpha[i]
            w += (alpha[i] - before) * Z[i]
        dcd.advance(Limit(iterations=epoch * p.n))
        np.testing.assert_allclose(core_of(dcd).alpha(), alpha, rtol=0, atol=1e-12)
        np.testing.assert_allclose(weights(dcd), w, rtol=0, atol=1e-12)


@STORAGE
def test_costs_of_dcd_without_shrinking(as_csr: bool) -> None:
    """A pass reads all rows once, and so does each look at the gap, which presents nothing."""
    p = linear(150, 6, as_csr=as_csr, zeros=0.6 if as_csr else 0.0)
    counters = run("dcd", p, eps=1e-6, shrinking=False).counters
    passes, rest = divmod(counters.presentations, p.n)
    looks, more = divmod(counters.inner_products - passes * p.n, p.n)
    assert rest == more == 0
    assert counters.iterations == counters.presentations
    assert 1 <= looks <= max(3, passes // 5)
    assert counters.feature_accesses == (passes + looks) * stored(p).sum()
    assert counters.feature_accesses_dense == (passes + looks) * p.n * p.d
    assert counters.kernel_evaluations is None


def test_what_dcd_shrinks_is_not_charged() -> None:
    """The same optimum for less; where coordinates left out are needed after all, they come back."""
    p = linear(300, 5, lambda_=1.0 / 3000, flips=0.2)
    everything, shrinking = (run("dcd", p, eps=1e-7, shrinking=kind) for kind in (False, True))
    assert primal(p, weights(everything)) == pytest.approx(primal(p, weights(shrinking)), rel=1e-7)
    assert shrinking.counters.presentations % p.n != 0
    assert shrinking.counters.presentations < 0.5 * everything.counters.presentations
    assert shrinking.counters.feature_accesses < 0.6 * everything.counters.feature_accesses


# MPU


@pytest.mark.parametrize("zeros", [0.0, 0.7], ids=["dense", "sparse"])
def test_each_change_of_mpu_is_one_step_up(zeros: float) -> None:
    p = linear(zeros=zeros)
    Z, sizes = folded(p), stored(p)
    made, stream, order = solver("mpu", p, 5, eps=1e-6), _core.Random(5, _core.Purpose.order), np.arange(60)
    core, changes, accesses, t = core_of(made), [0, 0], 0, 0
    before, bound = core.alpha(), lower_bound(made)
    for _ in range(25):
        order = order[stream.permutation(60)]
        for i in order:
            t += 1
            margin, size, step = float(Z[i] @ weights(made)), float(Z[i] @ Z[i]), p.C / core.parts
            made.advance(Limit(iterations=t))
            expected = np.zeros(60)
            if margin < 1.0 - 0.5 * step * size and before[i] < p.C:
                expected[i] = 1.0
            if margin > 1.0 + 0.5 * step * size and before[i] > 0.0:
                expected[i] = -1.0
            np.testing.assert_allclose((core.alpha() - before) / step, expected, atol=1e-9)
            rise = expected[i] * step * (1.0 - margin) - 0.5 * np.abs(expected[i]) * step**2 * size
            assert rise > 0.0 or not expected.any()
            assert lower_bound(made) - bound == pytest.approx(p.require_lambda() * rise, rel=1e-6, abs=1e-13)
            changes[0], changes[1] = changes[0] + (expected[i] > 0.0), changes[1] + (expected[i] < 0.0)
            accesses += int(sizes[i])
            before, bound = core.alpha(), lower_bound(made)
            assert astuple(made.counters) == (t, t, None, t, accesses, 8 * t)
    assert changes[0] > 100
    assert changes[1] > 20


@pytest.mark.parametrize("scale", [1e-3, 1.0, 30.0])
def test_mpu_ends_if_the_accuracy_cannot_be_reached(scale: float) -> None:
    X, y = points(20, 3, flips=0.2)
    X[3] *= np.float32(1e-6)  # so short that its steps are lost in rounding
    p = Problem(X * np.float32(scale), y, Linear(), lambda_=0.05)
    made = solver("mpu", p, eps=1e-30)
    assert made.advance(Limit()) is Status.CONVERGED
    largest = float((folded(p) ** 2).sum(axis=1).max())
    objective, bound = check(made, optimum(p))
    assert objective - bound <= 2.0 * p.C / 2**40 * largest + 1e-9
