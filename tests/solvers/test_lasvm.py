"""LASVM: a step-by-step replay, what finishing leaves, feasibility, costs, the expansion."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import reference
from cases import BIAS, BY_KERNEL, STORAGE, Array, coefficients, core_of, dual, gram, points, problem, run, solver
from lasvm_reference import Lasvm
from scipy import sparse

from svm_cost_curves.solvers import Gaussian, Kernel, Limit, Problem, Status, _core


def seeds_of(p: Problem, seed: int) -> set[int]:
    """Five of each class by the sampling stream, without repetitions."""
    stream, chosen = _core.Random(seed, _core.Purpose.sampling), set[int]()
    for first, count in ((0, p.positives), (p.positives, p.n - p.positives)):
        own = set[int]()
        while len(own) < min(5, count):
            own.add(first + stream.below(count))
        chosen |= own
    return chosen


@STORAGE
@BY_KERNEL
@BIAS
def test_replay(kernel: Kernel, bias: bool, as_csr: bool) -> None:
    """Every iteration of a pass and of finishing: alphas, members, evaluations, coordinates."""
    p = problem(80, 5, kernel=kernel, bias=bias, as_csr=as_csr, zeros=0.5, lambda_=1.0 / 160)
    made = solver("lasvm", p, 7)
    slow = Lasvm(gram(p), p.y.astype(np.float64), p.C, bias, 1e-3, seeds_of(p, 7) if bias else set())
    order = _core.Random(7, _core.Purpose.order).permutation(p.n)

    def follow(t: int, slow: Lasvm, followers: list[Lasvm]) -> Lasvm:
        """The one of those that may come next that the core has gone to."""
        made.advance(Limit(iterations=t))
        found = coefficients(made)
        differences = [float(np.abs(found - after.alpha).max()) for after in followers]
        assert min(differences) < 1e-9, f"iteration {t}"
        slow = followers[int(np.argmin(differences))]
        assert core_of(made).expansion == len(slow.members)
        assert made.counters.kernel_evaluations == slow.evaluations
        slow.alpha = found  # so that rounding does not add up
        return slow

    for t, k in enumerate(order.tolist(), start=1):
        slow = follow(t, slow, [after for first in slow.process(k) for after in first.reprocess()])
        assert made.counters.presentations == t
    assert core_of(made).finishing
    t = p.n
    while slow.delta > 1e-3 and t < p.n + 60:
        t += 1
        slow = follow(t, slow, slow.reprocess())
    assert t > p.n
    assert made.counters.presentations == p.n + (2 if bias else 1) * (t - p.n)
    assert made.counters.feature_accesses_dense == slow.evaluations * p.d
    if not as_csr:
        assert made.counters.feature_accesses == slow.evaluations * p.d


@BIAS
def test_costs_in_coordinates_are_those_of_the_members(bias: bool) -> None:
    """Points of one stored coordinate each: as many coordinates as evaluations."""
    X = np.zeros((40, 4), np.float32)
    X[np.arange(40), np.arange(40) % 4] = np.random.default_rng(0).normal(size=40)
    _, y = points(40)
    p = Problem(sparse.csr_matrix(X), y, Gaussian(1.0), lambda_=1.0 / 40, bias=bias)
    counters = run("lasvm", p).counters
    assert counters.feature_accesses == counters.kernel_evaluations == counters.inner_products
    assert counters.kernel_evaluations > 0


@BIAS
def test_finishing_ends_where_no_member_violates_and_counts_nothing_more(bias: bool) -> None:
    p = problem(150, bias=bias, lambda_=1.0 / 300)
    made = solver("lasvm", p, tolerance=1e-6)
    assert made.advance(Limit(iterations=10**6)) is Status.CONVERGED
    found = made.snapshot()
    assert found.dual_feasible
    assert found.responses is None
    members = np.flatnonzero(found.coefficients)
    assert core_of(made).expansion >= members.size
    slow = Lasvm(gram(p), p.y.astype(np.float64), p.C, bias, 1e-6, set(members.tolist()))
    slow.alpha = found.coefficients
    assert slow.delta <= 1e-6 + 1e-12
    before = made.counters
    assert made.advance(Limit()) is Status.CONVERGED
    assert made.counters == before


@BIAS
def test_more_passes_reduce_the_gap(bias: bool) -> None:
    p = problem(300, bias=bias, lambda_=1.0 / 1500, flips=0.2)
    best = dual(p, run("smo", p, tolerance=1e-8))
    gaps = [1.0 - dual(p, run("lasvm", p, passes=k, tolerance=1e-6)) / best for k in (1, 3, 0)]
    assert gaps[0] >= gaps[1] - 1e-9
    assert abs(gaps[2]) < 1e-8


@BIAS
@pytest.mark.parametrize("delta_max", [None, 0.5])
def test_every_step_is_feasible_and_the_dual_never_falls(bias: bool, delta_max: float | None) -> None:
    p = problem(100, bias=bias, lambda_=1.0 / 500)
    K, y = gram(p), p.y.astype(np.float64)
    made, before = solver("lasvm", p, 3, delta_max=delta_max), 0.0
    for t in range(1, 600):
        if made.advance(Limit(iterations=t)) is Status.CONVERGED:
            break
        signed = coefficients(made)
        alpha = y * signed
        assert alpha.min() >= 0.0
        assert alpha.max() <= p.C
        assert not bias or abs(signed.sum()) < 1e-12 * p.C * p.n
        now = reference.dual(K, y, signed)
        assert now >= before - 1e-12 * max(1.0, before)
        before = now
    assert t > p.n


def test_delta_max_bounds_what_a_fresh_example_meets() -> None:
    """REPROCESS goes on until delta is small enough, at iterations of its own."""
    p = problem(100, bias=True, lambda_=1.0 / 500)
    K, y = gram(p), p.y.astype(np.float64)
    made = solver("lasvm", p, 3, delta_max=0.5)
    t = presented = 0
    deltas: list[float] = []
    slow = Lasvm(K, y, p.C, True, 1e-3)
    while not core_of(made).finishing:
        t += 1
        made.advance(Limit(iterations=t))
        now = made.counters.presentations or 0
        if now - presented == 1 and t > 1:
            deltas.append(slow.delta)
        presented = now
        slow.alpha = coefficients(made)
        slow.members = set(np.flatnonzero(slow.alpha).tolist())
    assert len(deltas) == p.n - 1
    assert max(deltas) <= 0.5 + 1e-9
    assert t > p.n


@BIAS
@pytest.mark.parametrize("share", [0.3, 1.0])
def test_drop_below_changes_the_predictor_and_not_the_training(bias: bool, share: float) -> None:
    p = problem(100, bias=bias, lambda_=1.0 / 500)
    whole, made = solver("lasvm", p, 3), solver("lasvm", p, 3, drop_below=share)
    dropped = 0
    for t in (0, 30, 90, 150):
        whole.advance(Limit(iterations=t))
        made.advance(Limit(iterations=t))
        full, found = whole.snapshot(), made.snapshot()
        size = np.abs(full.coefficients)
        expected = [c if s >= share * size.max() else 0.0 for c, s in zip(full.coefficients, size, strict=True)]
        np.testing.assert_array_equal(found.coefficients, expected)
        assert (found.bias, found.responses) == (full.bias, None)
        assert found.dual_feasible is not bias
        assert made.counters == whole.counters
        dropped += np.count_nonzero(full.coefficients) - np.count_nonzero(found.coefficients)
    assert dropped > 0
    assert core_of(made).coefficients().tobytes() == core_of(whole).coefficients().tobytes()


def test_examples_that_are_not_needed_are_removed() -> None:
    """Two clusters far apart: the expansion stays small."""
    X, y = points(400, 3, flips=0.0)
    X[:, 0] = np.where(y > 0, 3.0, -3.0) + 0.1 * X[:, 0]
    for bias in (False, True):
        made = solver("lasvm", Problem(X, y, Gaussian(8.0), lambda_=1.0 / 400, bias=bias))
        sizes = []
        for t in range(1, 401):
            made.advance(Limit(iterations=t))
            sizes.append(core_of(made).expansion)
        assert max(sizes) < 120
        assert sizes[-1] < 60


def values(X: Array, kernel: Kernel, as_csr: bool, capacity: int) -> tuple[Array, Any]:
    """Coefficients and counters after a pass on a row cache of so many rows."""
    _, y = points(len(X))
    p = Problem(sparse.csr_matrix(X) if as_csr else X, y, kernel, lambda_=1.0 / len(X), bias=True)
    rows = _core.CachedRows(kernel.core(), p.matrix, p.positives, capacity)
    made = _core.Lasvm(rows, C=1.0, bias=True, seed=4)
    made.advance(iterations=3 * len(X))
    return made.coefficients(), made.counters.kernel_evaluations


@BY_KERNEL
@pytest.mark.parametrize("kind", ["dense", "binary", "mostly zeros", "csr"])
def test_cached_values_do_not_change_the_result(kernel: Kernel, kind: str) -> None:
    X = points(120, 6, zeros={"mostly zeros": 0.7, "csr": 0.7}.get(kind, 0.0))[0]
    X = (X > 0).astype(np.float32) if kind == "binary" else X
    small, counted = values(X, kernel, kind == "csr", 2)
    for capacity in (10, 120):
        found, again = values(X, kernel, kind == "csr", capacity)
        np.testing.assert_array_equal(found, small)
        assert again == counted


def test_an_example_is_a_member_once() -> None:
    """With passes = 0 an outsider that has stayed in the expansion with alpha = 0 must not join it again."""
    cases = [(656, 16, 0.3, 0.1, 0.01), (684, 30, 0.3, 1.0, 0.01), (1022, 30, 0.8, 0.1, 0.01)]
    cases += [(seed, 12, 0.3, 0.1, 0.01) for seed in range(40)]
    for seed, n, tolerance, C, gamma in cases:
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(n, 2)).astype(np.float32)
        if seed % 2:
            X[: n // 2] += np.float32(0.5)
        kernel = _core.KernelFunction(_core.KernelFunction.Kind.gaussian, gamma=gamma)
        rows = _core.CachedRows(kernel, _core.Matrix(X), n // 2, n)
        made = _core.Lasvm(rows, C=C, bias=True, tolerance=tolerance, passes=0, seed=seed)
        step = 0
        while made.counters.iterations == step:
            step += 1
            ended = made.advance(iterations=step) == _core.Status.converged
            state = made.state()
            members, alpha = state["expansion.members"], state["alpha"]
            assert len(set(members.tolist())) == len(members), (seed, step)
            assert np.array_equal(made.coefficients()[members], alpha)
            if ended:
                break
        assert ended, (seed, step)
        assert abs(made.coefficients().sum()) <= 1e-12
