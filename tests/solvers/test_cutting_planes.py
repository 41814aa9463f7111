"""SVMperf, OCAS and CPNY: first steps, costs, bounds of CPNY; the line search by itself.

`cpp/tests/test_simplex_qp.cpp` has the master problem by itself.
"""

from __future__ import annotations

from dataclasses import astuple
from typing import Any

import numpy as np
import pytest
from cases import Array, folded, hinge_objective, liblinear_optimum, lower_bound, points, primal, solver, weights
from cases import problem as nystrom_problem
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize_scalar

from svm_cost_curves.solvers import Limit, Linear, Polynomial, Problem, SettingsError, Solver, Status, _core

METHODS = ("ocas", "svmperf")
WIDE, TALL = (30, 40), (80, 6)
"""Points and features: cuts are kept by margins, or by features."""


def problem(n: int, d: int, C: float, seed: int = 0) -> Problem:
    X, y = points(n, d, seed, zeros=0.7)  # so many are stored sparsely
    return Problem(X, y, Linear(), lambda_=1.0 / (C * n))


def look(made: Solver) -> tuple[Array, float]:
    """Weights and lower bound."""
    return weights(made), lower_bound(made)


@pytest.mark.parametrize("shape", [WIDE, TALL])
def test_svmperf_cuts_at_the_minimum_of_the_cuts_before(shape: tuple[int, int]) -> None:
    """Weights minimise lambda/2 |w|^2 + the largest cut, and that minimum is the bound; costs are those of the cuts."""
    p = problem(*shape, 5.0)
    Z, lambda_ = folded(p), p.require_lambda()
    stored = np.count_nonzero(Z, axis=1)
    method = solver("svmperf", p, eps=1e-6)
    w, gap, accesses, rows = np.zeros(p.d), 1.0, 0, 0
    heights, slopes = [0.0], [np.zeros(p.d)]
    t = 0
    while method.advance(Limit(iterations=t + 1)) is not Status.CONVERGED:
        t += 1
        cut = Z @ w < 1.0
        heights.append(float(cut.mean()))
        slopes.append(-Z[cut].sum(axis=0) / p.n)
        accesses += int(stored[cut].sum() + stored.sum())
        rows += int(cut.sum()) + p.n
        w, bound = look(method)
        master = 0.5 * lambda_ * w @ w + max(h + s @ w for h, s in zip(heights, slopes, strict=True))
        assert bound - 1e-12 <= master <= bound + 1.001e-3 * gap
        gap = primal(p, w) - bound
        counters = method.counters
        assert (counters.iterations, counters.presentations, counters.inner_products) == (t, t * p.n, t * p.n)
        assert counters.feature_accesses == accesses
        assert counters.feature_accesses_dense == rows * p.d
        assert counters.kernel_evaluations is None
    assert t > 10


@pytest.mark.parametrize("shape", [WIDE, TALL])
@pytest.mark.parametrize("mu", [0.1, 0.7, 1.0])
def test_the_first_steps_of_ocas(shape: tuple[int, int], mu: float) -> None:
    """The first cut has all examples; then a line search, and a cut between the best weights and the master's."""
    p = problem(*shape, 5.0)
    Z, lambda_ = folded(p), p.require_lambda()
    method = solver("ocas", p, mu=mu)
    w, bound = look(method)
    assert bound == 0.0
    assert not w.any()
    method.advance(Limit(iterations=1))
    mean = Z.mean(axis=0)
    gamma = min(1.0, lambda_ / (mean @ mean))
    master = gamma * mean / lambda_
    w, bound = look(method)
    assert bound == pytest.approx(gamma - 0.5 * lambda_ * master @ master, rel=1e-12)
    line = minimize_scalar(lambda k: primal(p, k * master), bounds=(0.0, 50.0), options={"xatol": 1e-10})
    assert primal(p, w) <= line.fun + 1e-12
    np.testing.assert_allclose(w, line.x * master, rtol=1e-4)
    cut = Z @ (w + mu * (master - w)) < 1.0
    method.advance(Limit(iterations=2))
    stored = np.count_nonzero(Z, axis=1)
    assert method.counters.feature_accesses == 3 * stored.sum() + stored[cut].sum()
    assert method.counters.inner_products == method.counters.presentations == 2 * p.n


@pytest.mark.parametrize("name", METHODS)
def test_the_optimum_can_be_zero(name: str) -> None:
    """If w = 0 is optimal the bound equals the objective at once."""
    twins = np.array([[1.0, 2.0], [1.0, 2.0], [0.0, 0.0]], np.float32)
    for X in (twins[:2], np.zeros((3, 2), np.float32)):
        method = solver(name, Problem(X, np.array([1, -1, 1])[: len(X)], Linear(), lambda_=0.1), eps=1e-12)
        assert method.advance(Limit()) is Status.CONVERGED
        w, bound = look(method)
        np.testing.assert_array_equal(w, np.zeros(2))
        assert bound == 1.0
        assert method.counters.iterations == 1


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("lambda_", [1e-30, 1e-12, 1e28])
def test_extreme_regularisation(name: str, lambda_: float) -> None:
    X, y = points(20, 3)
    method = solver(name, Problem(X, y, Linear(), lambda_=lambda_), eps=1e-3)
    try:
        method.advance(Limit(iterations=300))
    except SettingsError as error:  # weights of 0 are told
        assert "rounding: lambda is too small" in str(error)  # noqa: PT017 (allowed, and not required)
        return
    w, bound = look(method)
    assert np.isfinite(w).all()
    assert 0.0 <= bound <= 1.0


def test_a_norm_smaller_than_rounding_errors() -> None:
    """Features of a thousand: the norm's part of the objective is 1e-10, and the line search has no curvature left."""
    X = 1000.0 * np.random.default_rng(5).normal(size=(40, 10)).astype(np.float32)
    p = Problem(X, np.where(np.arange(40) % 3 == 0, 1, -1), Linear(), lambda_=1.0 / (30 * 40))
    bounds = []
    for name in METHODS:
        method = solver(name, p, eps=1e-6)
        assert method.advance(Limit(iterations=1000)) is Status.CONVERGED
        bounds.append(look(method)[1])
    assert bounds[0] == pytest.approx(bounds[1], rel=1e-6)


def test_an_accuracy_beyond_rounding_is_never_reached() -> None:
    """A run whose accuracy cannot be reached goes on, and stays at the optimum."""
    p = problem(*TALL, 10.0)
    method = solver("ocas", p, eps=1e-30)
    method.advance(Limit(iterations=3000))
    w, bound = look(method)
    assert primal(p, w) == pytest.approx(bound, rel=1e-13)


MARGINS = arrays(np.float64, 9, elements=st.one_of(st.sampled_from([0.0, 1.0, 2.0]), st.floats(-3.0, 4.0)))


@settings(deadline=None, max_examples=80)
@given(start=MARGINS, end=MARGINS, slope=st.floats(-2.0, 0.5), curvature=st.floats(1e-3, 3.0))
def test_line_search(start: Array, end: Array, slope: float, curvature: float) -> None:
    """Nothing on the line is lower: neither a place where a margin passes 1 nor the minimum between two of them."""

    def value(k: Array) -> Array:
        margins = start + np.multiply.outer(k, end - start)
        hinge: Array = np.maximum(0.0, 1.0 - margins).mean(axis=-1)
        return slope * k + 0.5 * curvature * k**2 + hinge

    minimum = _core.hinge_line_minimum(start, end, slope=slope, curvature=curvature)
    assert minimum >= 0.0
    with np.errstate(all="ignore"):
        kinks = (1.0 - start) / (end - start)
    kinks = np.sort(kinks[np.isfinite(kinks) & (kinks > 0.0) & (kinks < 1e6)])
    edges = np.concatenate([[0.0], kinks, [1e6]])
    middle = 0.5 * (edges[1:] + edges[:-1])
    below = start + np.multiply.outer(middle, end - start) < 1.0
    free = ((below * (end - start)).mean(axis=1) - slope) / curvature
    tried = np.concatenate([edges, np.clip(free, edges[:-1], edges[1:])])
    least = value(tried).min()
    assert value(np.array(minimum)) <= least + 1e-9 * (1.0 + abs(least))


# CPNY: the cutting planes of SVMperf on Nystrom features

N = 150


def cpny(p: Problem, seed: int = 0, **algo: Any) -> Any:
    return solver("cpny", p, seed, **{"features": 30, **algo})


def features(run: Any) -> Array:
    return run.nystrom.of_training_points()[0].astype(np.float64)


def on_features(p: Problem, V: Array, w: Array) -> float:
    return hinge_objective(V, p.y, p.require_lambda(), w)


@pytest.mark.parametrize(
    ("lambda_", "arguments"),
    [
        (1e-3, {"kernel": Polynomial(2, 0.3, 1.0)}),
        (0.05, {"kernel": Linear()}),
        (1e-3, {"qp_precision": 0.5}),
        (1e-3, {"qp_precision": 1e-9}),
        (1e-3, {"idle_cuts": 1}),
        (1e-3, {"idle_cuts": None}),
    ],
    ids=str,
)
def test_the_optimum_on_the_features(lambda_: float, arguments: dict[str, Any]) -> None:
    """The bound never passes the optimum, no objective lies below it, and at the end both are within eps."""
    kernel = {key: arguments[key] for key in arguments if key == "kernel"}
    p = nystrom_problem(N, lambda_=lambda_, flips=0.1, **kernel)
    run = cpny(p, eps=1e-5, **{key: arguments[key] for key in arguments if key != "kernel"})
    V = features(run)
    best, bound, t = liblinear_optimum(V, p.y, p.require_lambda()), 0.0, 0
    while run.advance(Limit(iterations=t + 1)) is not Status.CONVERGED:
        t += 1
        assert bound - 1e-12 <= run.lower_bound <= best + 1e-9
        bound = run.lower_bound
        assert on_features(p, V, run._core.weights()) >= best - 1e-9
    assert best <= on_features(p, V, run._core.weights()) + 1e-9 <= bound + 1.001e-5


@pytest.mark.parametrize("eps", [0.1, 0.01, 0.001])
def test_it_stops_at_the_first_violation_within_eps(eps: float) -> None:
    p = nystrom_problem(N, lambda_=1e-3)
    run = cpny(p, eps=eps)
    V = features(run)
    assert run.advance(Limit()) is Status.CONVERGED
    assert on_features(p, V, run._core.weights()) - run.lower_bound <= eps
    before = cpny(p, eps=eps)
    before.advance(Limit(iterations=run.counters.iterations - 1))
    assert on_features(p, V, before._core.weights()) - before.lower_bound > eps


def test_costs_of_cpny() -> None:
    """The features once; then all rows an iteration for the margins, and those of the cut: all of them at first."""
    p = nystrom_problem(N, lambda_=1e-3)
    run = cpny(p)
    run.advance(Limit(kernel_evaluations=1))
    r, stored = run.nystrom.rank, p.matrix.stored
    assert (run.counters.kernel_evaluations, run.counters.iterations) == (N * 30, 0)
    assert (run.counters.inner_products, run.counters.feature_accesses) == (N * 30, 30 * stored)
    V, reads = features(run), 0
    margins = np.zeros(N)
    for t in range(1, 15):
        reads += N + int((margins < 1.0).sum())
        run.advance(Limit(iterations=t))
        margins = p.y * (V @ run._core.weights())
        counters = run.counters
        accesses, all_dense = 30 * stored + reads * r, 30 * N * p.d + reads * r
        assert astuple(counters) == (t, t * N, N * 30, N * 30 + t * N, accesses, all_dense)


def test_the_precision_of_the_master_problem() -> None:
    """Its solution is within qp_precision (J - L), of the iteration before, of the largest value of all cuts."""
    p = nystrom_problem(N, lambda_=1e-3, flips=0.1)
    worst = {}
    for precision in (1e-6, 0.1):
        run = cpny(p, eps=1e-4, qp_precision=precision, idle_cuts=None)
        V = features(run)
        heights, slopes, w, gap, t = [0.0], [np.zeros(V.shape[1])], np.zeros(V.shape[1]), 1.0, 0
        shares = []
        while True:
            cut = p.y * (V @ w) < 1.0
            if run.advance(Limit(iterations=t + 1)) is Status.CONVERGED:
                break
            t += 1
            heights.append(float(cut.mean()))
            slopes.append(-(p.y[cut, None] * V[cut]).sum(axis=0) / N)
            w = run._core.weights()
            master = 0.5 * 1e-3 * w @ w + max(h + s @ w for h, s in zip(heights, slopes, strict=True))
            shares.append((master - run.lower_bound) / gap)
            gap = on_features(p, V, w) - run.lower_bound
        worst[precision] = max(shares)
        assert worst[precision] <= 1.001 * precision + 1e-9 / gap
    assert worst[0.1] > 1e-3


@pytest.mark.parametrize(("idle", "largest"), [(3, 40), (None, 10**9)])
def test_idle_cuts(idle: int | None, largest: int) -> None:
    """Cut 0 stays; any other cut has had a weight in one of the last `idle` master problems, or is as new as that."""
    run = cpny(nystrom_problem(N, lambda_=1e-3, flips=0.1), eps=1e-6, idle_cuts=idle)
    t, stored = 0, []
    while run.advance(Limit(iterations=t + 1)) is not Status.CONVERGED:
        t += 1
        stored.append(run._core.state()["master.idle"])
    assert t > 60
    assert all(row.size <= largest for row in stored)
    if idle is None:
        assert [row.size for row in stored] == list(range(2, t + 2))
    else:
        assert max(int(row[1:].max(initial=0)) for row in stored) < idle


def test_a_budget_in_kernel_evaluations_does_not_end_it_but_its_stopping_rule_does() -> None:
    assert cpny(nystrom_problem(N)).advance(Limit(kernel_evaluations=10**9)) is Status.CONVERGED
