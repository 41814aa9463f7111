"""SVMlight: iterations, costs, shrinking; `cpp/tests/test_box_qp.cpp` has the working set's problem by itself."""

from __future__ import annotations

import numpy as np
import pytest
import reference
from cases import BIAS, BY_KERNEL, STORAGE, Array, alphas, core_of, dual, gram, problem, run, solver

from svm_cost_curves.solvers import Kernel, Limit, Problem, Solver, Status, _core


def test_wrong_quadratic_programmes_are_refused() -> None:
    one = np.ones(1)
    with pytest.raises(ValueError, match="the box must hold 0"):
        _core.box_qp(one, np.ones((1, 1)), low=one, high=2 * one, balanced=False)
    with pytest.raises(ValueError, match="a matrix of m x m"):
        _core.box_qp(one, np.ones((2, 2)), low=-one, high=one, balanced=False)
    assert _core.box_qp(np.empty(0), np.empty((0, 0)), low=np.empty(0), high=np.empty(0), balanced=True).size == 0


@BIAS
@pytest.mark.parametrize("working_set", [2, 10, 50])
def test_all_sizes_of_working_sets_have_the_same_optimum(bias: bool, working_set: int) -> None:
    p = problem(120, bias=bias, lambda_=1.0 / 600)
    best = dual(p, run("smo", p, tolerance=1e-8))
    assert dual(p, run("svmlight", p, working_set=working_set, tolerance=1e-7)) == pytest.approx(best, rel=1e-9)


def steepest(p: Problem, alpha: Array, value: Array, q: int) -> set[int]:
    """Zoutendijk's working set; `value` is y (1 - c)."""
    up = np.where(p.y > 0, alpha < p.C, alpha > 0)
    low = np.where(p.y > 0, alpha > 0, alpha < p.C)
    if not p.bias:
        slope = np.where((value > 0) & up | (value < 0) & low, np.abs(value), 0.0)
        order = np.argsort(-slope, kind="stable")[:q]
        return set(order[slope[order] > 0].tolist())
    top = [i for i in np.argsort(-value, kind="stable") if up[i]][: q // 2]
    bottom = [i for i in np.argsort(value, kind="stable") if low[i]][: q // 2]
    pairs = [(i, j) for i, j in zip(top, bottom, strict=False) if value[i] > value[j]]
    return {int(k) for pair in pairs for k in pair}


@BY_KERNEL
@BIAS
def test_every_iteration_solves_the_problem_of_the_steepest(kernel: Kernel, bias: bool) -> None:
    p = problem(130, kernel=kernel, lambda_=1.0 / 650, bias=bias)
    K, y = gram(p), p.y.astype(np.float64)
    made = solver("svmlight", p, tolerance=1e-9, shrink_after=0)
    alpha, before = np.zeros(p.n), 0.0
    for t in range(1, 200):
        value = y - K @ (y * alpha)
        working = steepest(p, alpha, value, 10)
        if made.advance(Limit(iterations=t)) is Status.CONVERGED:
            break
        now = alphas(made)
        others = sorted(set(np.flatnonzero(now != alpha).tolist()) - working)
        if others:  # near the optimum rounding decides between variables that are equally steep
            gaps = np.abs(np.abs(value[others])[:, None] - np.abs(value[sorted(working)])[None, :])
            assert gaps.min(axis=1).max() < 1e-8, f"iteration {t}"
            break
        assert now.min() >= 0.0
        assert now.max() <= p.C
        if bias:
            assert abs(y @ now) < 1e-12 * p.C * p.n
        # no pair, or no variable, of the working set can gain any more
        value, chosen = y - K @ (y * now), sorted(working)
        rises = np.where(y > 0, now < p.C, now > 0)[chosen]
        falls = np.where(y > 0, now > 0, now < p.C)[chosen]
        top, bottom = value[chosen][rises], value[chosen][falls]
        least = -np.inf if bias else 0.0
        assert top.max(initial=least) - bottom.min(initial=-least) < 1e-8 * max(1.0, p.C)
        objective_now = reference.dual(K, y, y * now)
        assert objective_now >= before - 1e-12 * max(1.0, abs(before))
        alpha, before = now, objective_now
    assert t > 20


def active(made: Solver) -> int:
    return core_of(made).active


@STORAGE
@BIAS
def test_costs_of_every_iteration(as_csr: bool, bias: bool) -> None:
    """A row over those in use for each variable of the working set; for each support vector one over the others."""
    p = problem(90, 5, bias=bias, as_csr=as_csr, zeros=0.6, lambda_=1.0 / 900)
    K, y = gram(p), p.y.astype(np.float64)
    made = solver("svmlight", p, tolerance=1e-6, shrink_after=7)
    alpha, dropped, returns = np.zeros(p.n), False, 0
    costs = made.counters
    for t in range(1, 5000):
        using = active(made)
        sizes = len(steepest(p, alpha, y - K @ (y * alpha), 10)) if using == p.n else None
        status = made.advance(Limit(iterations=t))
        now = made.counters
        presented = now.presentations - costs.presentations
        spent = now.kernel_evaluations - costs.kernel_evaluations
        assert sizes is None or status is Status.CONVERGED or presented == sizes
        dropped |= active(made) < p.n
        if spent != presented * using:
            assert spent == int((alpha > 0).sum()) * (p.n - using) + presented * p.n
            returns += 1
        costs, alpha = now, alphas(made)
        if status is Status.CONVERGED:
            break
    assert dropped
    assert returns > 0
    assert active(made) == p.n
    assert made.counters.kernel_evaluations == made.counters.inner_products
    assert made.counters.feature_accesses_dense == made.counters.kernel_evaluations * p.d
    if not as_csr:
        assert made.counters.feature_accesses == made.counters.feature_accesses_dense


@BY_KERNEL
@BIAS
def test_shrinking_does_not_change_the_optimum(kernel: Kernel, bias: bool) -> None:
    p = problem(160, kernel=kernel, bias=bias, lambda_=1.0 / 800, flips=0.2)
    whole = run("svmlight", p, tolerance=1e-8, shrink_after=0)
    K = gram(p)
    for shrink_after in (1, 10):
        shrunk = run("svmlight", p, tolerance=1e-8, shrink_after=shrink_after)
        assert dual(p, shrunk) == pytest.approx(dual(p, whole), rel=1e-10)
        mine, theirs = shrunk.snapshot(), whole.snapshot()
        np.testing.assert_allclose(K @ mine.coefficients, K @ theirs.coefficients, atol=1e-5)
        assert mine.bias == pytest.approx(theirs.bias, abs=1e-5)


def test_shrunk_variables_are_at_a_bound_and_have_no_responses() -> None:
    p = problem(160, bias=True, lambda_=1.0 / 800, flips=0.2)
    made = solver("svmlight", p, tolerance=1e-6, shrink_after=10)
    sizes = []
    for t in range(1, 10_000):
        if made.advance(Limit(iterations=t)) is Status.CONVERGED:
            break
        sizes.append(active(made))
        snapshot, alpha = made.snapshot(), alphas(made)
        assert (snapshot.responses is None) == (sizes[-1] < p.n)
        assert p.n - sizes[-1] <= np.count_nonzero((alpha == 0.0) | (alpha == p.C))
    assert sizes[8] == p.n, "ten iterations must come first"
    assert min(sizes) < 0.8 * p.n
