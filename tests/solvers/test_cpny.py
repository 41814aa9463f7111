"""CPNY against LIBLINEAR on the same features, its bound, its stopping rule and its costs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cases import Array, problem, solver
from sklearn.svm import LinearSVC

from svm_cost_curves.solvers import KernelSnapshot, Limit, Linear, Polynomial, Problem, SettingsError, Status
from svm_cost_curves.solvers.cpny import Cpny
from svm_cost_curves.solvers.snapshots import DeferredResponses

N = 150


def made(p: Problem, seed: int = 0, **own: Any) -> Cpny:
    found = solver("cpny", p, seed, **{"features": 30, **own})
    assert isinstance(found, Cpny)
    return found


def features(run: Cpny) -> Array:
    return run.nystrom.of_training_points()[0].astype(np.float64)


def expansion(run: Cpny) -> KernelSnapshot:
    snapshot = run.snapshot()
    assert isinstance(snapshot, KernelSnapshot)
    return snapshot


def objective(p: Problem, V: Array, w: Array) -> float:
    return float(0.5 * p.require_lambda() * w @ w + np.maximum(0.0, 1.0 - p.y * (V @ w)).mean())


def optimum(p: Problem, V: Array) -> float:
    """On the features, by LIBLINEAR."""
    peer = LinearSVC(loss="hinge", C=p.C, fit_intercept=False, tol=1e-10, max_iter=10**6, random_state=0)
    return objective(p, V, peer.fit(V, p.y).coef_.ravel())


@pytest.mark.parametrize("kernel", [None, Polynomial(2, 0.3, 1.0), Linear()], ids=str)
@pytest.mark.parametrize("lambda_", [1e-3, 0.05])
def test_the_optimum_on_the_features(kernel: Any, lambda_: float) -> None:
    """The bound never passes the optimum, no objective lies below it, and at the end both are within eps."""
    p = problem(N, lambda_=lambda_, flips=0.1, **({} if kernel is None else {"kernel": kernel}))
    run = made(p, eps=1e-7)
    V = features(run)
    best, bound, t = optimum(p, V), 0.0, 0
    status = None
    while status is not Status.CONVERGED:
        t += 1
        status = run.advance(Limit(iterations=t))
        assert run._core is not None
        assert bound <= run.lower_bound <= best + 1e-9
        bound = run.lower_bound
        assert objective(p, V, run._core.weights()) >= best - 1e-9
    assert run._core is not None
    reached = objective(p, V, run._core.weights())
    assert best - 1e-7 <= bound <= reached + 1e-12 <= bound + 1.001e-7


@pytest.mark.parametrize("eps", [0.1, 0.01, 0.001])
def test_it_stops_at_the_first_violation_within_eps(eps: float) -> None:
    p = problem(N, lambda_=1e-3)
    run = made(p, eps=eps)
    V = features(run)
    assert run.advance(Limit()) is Status.CONVERGED
    assert run._core is not None
    assert objective(p, V, run._core.weights()) - run.lower_bound <= eps
    before = made(p, eps=eps)
    before.advance(Limit(iterations=(run.counters.iterations or 0) - 1))
    assert before._core is not None
    assert objective(p, V, before._core.weights()) - before.lower_bound > eps


def test_the_snapshot_is_the_expansion_of_the_weights() -> None:
    p = problem(N)
    run = made(p)
    assert not expansion(run).coefficients.any()
    run.advance(Limit(iterations=20))
    assert run._core is not None
    snapshot, g = expansion(run), run._core.weights()
    np.testing.assert_array_equal(snapshot.coefficients, run.nystrom.coefficients(g))
    assert snapshot.responses is None
    assert snapshot.deferred is not None
    values = DeferredResponses.batched_values([snapshot.deferred, snapshot.deferred])
    for column in values.T:
        np.testing.assert_allclose(column, features(run) @ g, rtol=0, atol=1e-5 * np.abs(g).max())
    assert snapshot.bias == 0.0
    assert not snapshot.dual_feasible


def test_costs() -> None:
    """The features once; then all rows an iteration for the margins, and those of the cut: all of them at first."""
    p = problem(N, lambda_=1e-3)
    run = made(p)
    run.advance(Limit(kernel_evaluations=1))
    r, stored = run.nystrom.rank, p.matrix.stored
    assert (run.counters.kernel_evaluations, run.counters.iterations) == (N * 30, 0)
    assert (run.counters.inner_products, run.counters.feature_accesses) == (N * 30, 30 * stored)
    V, reads = features(run), 0
    margins = np.zeros(N)
    for t in range(1, 15):
        reads += N + int((margins < 1.0).sum())
        run.advance(Limit(iterations=t))
        assert run._core is not None
        margins = p.y * (V @ run._core.weights())
        counters = run.counters
        assert (counters.iterations, counters.presentations) == (t, t * N)
        assert (counters.kernel_evaluations, counters.inner_products) == (N * 30, N * 30 + t * N)
        assert counters.feature_accesses == 30 * stored + reads * r
        assert counters.feature_accesses_dense == 30 * N * p.d + reads * r


@pytest.mark.parametrize(
    "own",
    [{"qp_precision": 0.5}, {"qp_precision": 1e-9}, {"idle_cuts": 1}, {"idle_cuts": None}],
    ids=str,
)
def test_without_a_safeguard_it_still_ends_within_eps(own: dict[str, Any]) -> None:
    p = problem(N, lambda_=1e-3, flips=0.1)
    run = made(p, eps=1e-5, **own)
    V = features(run)
    assert run.advance(Limit(iterations=20_000)) is Status.CONVERGED
    assert run._core is not None
    best, reached = optimum(p, V), objective(p, V, run._core.weights())
    assert run.lower_bound - 1e-9 <= best <= reached + 1e-9 <= run.lower_bound + 1.001e-5


def test_the_precision_of_the_master_problem() -> None:
    """Its solution is within qp_precision (J - L), of the iteration before, of the largest value of all cuts."""
    p = problem(N, lambda_=1e-3, flips=0.1)
    worst = {}
    for precision in (1e-6, 0.1):
        run = made(p, eps=1e-4, qp_precision=precision, idle_cuts=None)
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
            assert run._core is not None
            w = run._core.weights()
            master = 0.5 * 1e-3 * w @ w + max(h + s @ w for h, s in zip(heights, slopes, strict=True))
            shares.append((master - run.lower_bound) / gap)
            gap = objective(p, V, w) - run.lower_bound
        worst[precision] = max(shares)
        assert worst[precision] <= 1.001 * precision + 1e-9 / gap
    assert worst[0.1] > 1e-3


@pytest.mark.parametrize(("idle", "largest"), [(3, 40), (None, 10**9)])
def test_idle_cuts(idle: int | None, largest: int) -> None:
    """Cut 0 stays; any other cut has had a weight in one of the last `idle` master problems, or is as new as that."""
    run = made(problem(N, lambda_=1e-3, flips=0.1), eps=1e-6, idle_cuts=idle)
    t, stored = 0, []
    while run.advance(Limit(iterations=t + 1)) is not Status.CONVERGED:
        t += 1
        assert run._core is not None
        stored.append(run._core.state()["master.idle"])
    assert t > 60
    assert all(row.size <= largest for row in stored)
    if idle is None:
        assert [row.size for row in stored] == list(range(2, t + 2))
    else:
        assert max(int(row[1:].max(initial=0)) for row in stored) < idle


def test_a_budget_in_kernel_evaluations_does_not_end_it_but_its_stopping_rule_does() -> None:
    assert made(problem(N)).advance(Limit(kernel_evaluations=10**9)) is Status.CONVERGED


@pytest.mark.parametrize(
    ("own", "text"),
    [
        ({"features": 0}, r"algo\.features = 0: .*from 1 to n = 150"),
        ({"features": 151}, r"algo\.features = 151"),
        ({"eps_d": 0.0}, r"algo\.eps_d = 0\.0"),
        ({"eps": 0.0}, r"algo\.eps = 0\.0: it must be finite and positive"),
        ({"eps": -1.0}, r"algo\.eps = -1\.0"),
        ({"eps": np.nan}, r"algo\.eps = nan"),
        ({"eps": np.inf}, r"algo\.eps = inf"),
        ({"qp_precision": 0.0}, r"algo\.qp_precision = 0\.0: it must lie between 0 and 1"),
        ({"qp_precision": 1.0}, r"algo\.qp_precision = 1\.0"),
        ({"idle_cuts": 0}, r"algo\.idle_cuts = 0: it must be at least 1, or null"),
        ({"eigenvalue_threshold": -1.0}, r"algo\.eigenvalue_threshold = -1\.0"),
    ],
)
def test_wrong_settings_are_refused(own: dict[str, Any], text: str) -> None:
    with pytest.raises(SettingsError, match=text):
        made(problem(N), **own)


def test_wrong_problems_are_refused() -> None:
    with pytest.raises(SettingsError, match="lambda form"):
        made(problem(N, lambda_=None))
    with pytest.raises(SettingsError, match=r"problem\.bias=false"):
        made(problem(N, bias=True))
