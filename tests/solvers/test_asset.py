"""ASSET and ASSET* against a plain replay, the optimum on the features, and their costs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from asset_reference import Reference
from cases import Array, points, problem, solver
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.svm import SVC, LinearSVC

from svm_cost_curves.solvers import Gaussian, KernelSnapshot, Limit, Problem, SettingsError, Status, _core
from svm_cost_curves.solvers.asset import Asset, AssetStar
from svm_cost_curves.solvers.nystrom_solver import NystromSolver
from svm_cost_curves.solvers.snapshots import DeferredResponses

N = 60
KINDS = ("asset", "asset_star")


def made(name: str, p: Problem, seed: int = 0, **own: Any) -> NystromSolver:
    found = solver(name, p, seed, **{"features": 20, **own})
    assert isinstance(found, Asset | AssetStar)
    return found


def features(run: NystromSolver) -> Array:
    return run.nystrom.of_training_points()[0].astype(np.float64)


def core_of(run: NystromSolver) -> _core.Asset:
    assert isinstance(run._core, _core.Asset)
    return run._core


def expansion(run: NystromSolver) -> KernelSnapshot:
    snapshot = run.snapshot()
    assert isinstance(snapshot, KernelSnapshot)
    return snapshot


@pytest.mark.parametrize("lambda_", [1e-6, 1.0 / N, 3.0])
@pytest.mark.parametrize(
    ("name", "bias", "own"),
    [
        ("asset", False, {}),
        ("asset", False, {"window": 1, "step": 3.0, "samples": 7}),
        ("asset", True, {"intercept_bound": 0.7, "window": 30}),
        ("asset_star", False, {}),
        ("asset_star", False, {"window": 1}),
        ("asset_star", False, {"window": 40}),
    ],
)
def test_replay(name: str, bias: bool, own: dict[str, Any], lambda_: float) -> None:
    """Every iterate, average and step; the projection holds at each of them; costs are exact."""
    p = problem(N, lambda_=lambda_, bias=bias)
    run = made(name, p, 4, **own)
    V = features(run)
    stream = _core.Random(4, _core.Purpose.sampling)
    drawn = [stream.below(N) for _ in range(own.get("samples", 100))]
    deviation = float(np.mean((V[drawn] ** 2).sum(axis=1) + 1.0))
    plain = Reference(
        V,
        p.y,
        lambda_,
        deviation=deviation if name == "asset" else None,
        B=own.get("intercept_bound") if bias else None,
        step=own.get("step", 1.0),
    )
    window = own.get("window", 100)
    for t in range(1, 601):
        plain.step(stream.below(N))
        assert run.advance(Limit(iterations=t)) is Status.ITERATIONS
        core = core_of(run)
        g, b = plain.iterates[-1]
        size = max(np.abs(g).max(), 1e-300)
        np.testing.assert_allclose(core.last_weights(), g, rtol=0, atol=1e-9 * size, err_msg=f"iteration {t}")
        assert core.last_bias == pytest.approx(b, abs=1e-12)
        assert core.step_length(t) == pytest.approx(plain.lengths[t], rel=1e-13)
        assert np.linalg.norm(core.last_weights()) * np.sqrt(lambda_) <= 1.0 + 1e-12
        mean, mean_bias = core.average()
        expected, expected_bias = plain.average(window)
        size = max(np.abs(expected).max(), 1e-300)
        np.testing.assert_allclose(mean, expected, rtol=0, atol=1e-9 * size, err_msg=f"iteration {t}")
        assert mean_bias == pytest.approx(expected_bias, abs=1e-12)
    counters, r, stored = run.counters, run.nystrom.rank, p.matrix.stored
    assert (counters.iterations, counters.presentations) == (600, 600)
    assert counters.kernel_evaluations == N * 20
    assert counters.inner_products == N * 20 + 600
    assert counters.feature_accesses == 20 * stored + 600 * r
    assert counters.feature_accesses_dense == 20 * N * p.d + 600 * r


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("bias", [False, True])
def test_the_snapshot_is_an_expansion_on_the_sample(name: str, bias: bool) -> None:
    if bias and name == "asset_star":
        pytest.skip("no intercept")
    p = problem(N, bias=bias)
    run = made(name, p)
    before = expansion(run)
    assert not before.coefficients.any()
    run.advance(Limit(iterations=500))
    snapshot = expansion(run)
    g, b = core_of(run).average()
    assert snapshot.bias == b
    assert (b != 0.0) == bias
    assert set(np.flatnonzero(snapshot.coefficients)) <= set(run.nystrom.points)
    assert snapshot.responses is None
    assert snapshot.deferred is not None
    values = DeferredResponses.batched_values([snapshot.deferred, snapshot.deferred])
    for column in values.T:
        np.testing.assert_allclose(column, features(run) @ g, rtol=0, atol=1e-5 * np.abs(g).max())
    assert not snapshot.dual_feasible


@pytest.mark.parametrize("name", KINDS)
@given(cuts=st.lists(st.integers(1, 700), max_size=8), seed=st.integers(0, 2**40))
@settings(max_examples=15, deadline=None)
def test_interruptions_do_not_change_the_result(name: str, cuts: list[int], seed: int) -> None:
    p = problem(N)
    whole, cut = made(name, p, seed, window=37), made(name, p, seed, window=37)
    whole.advance(Limit(iterations=700))
    for t in sorted(cuts):
        cut.advance(Limit(iterations=t, cpu_seconds=1e9))
        cut.snapshot()
    cut.advance(Limit(presentations=700))
    assert cut.counters == whole.counters
    a, b = expansion(whole), expansion(cut)
    assert a.coefficients.tobytes() == b.coefficients.tobytes()
    assert a.bias == b.bias


def test_limits_count_the_features_too() -> None:
    p = problem(N)
    run = made("asset", p)
    assert run.counters.kernel_evaluations == 0
    run.advance(Limit(iterations=0))
    assert run.counters.kernel_evaluations == 0, "nothing to do, nothing done"
    run.advance(Limit(kernel_evaluations=1))
    assert (run.counters.kernel_evaluations, run.counters.iterations) == (N * 20, 0)
    run.advance(Limit(inner_products=N * 20 + 5))
    assert run.counters.iterations == 5
    run.advance(Limit(feature_accesses=(run.counters.feature_accesses or 0) + 1))
    assert run.counters.iterations == 6
    with pytest.raises(SettingsError, match=r"n s = 1,200 times .* give budget\.epochs or budget\.iterations"):
        run.advance(Limit(kernel_evaluations=N * 20 + 1))
    run.advance(Limit(kernel_evaluations=N * 20 + 1, iterations=9))
    assert run.counters.iterations == 9
    before = run.cpu_seconds
    assert run.advance(Limit(cpu_seconds=before + 0.05)) is Status.CPU_SECONDS
    assert before + 0.05 <= run.cpu_seconds < before + 0.5


@pytest.mark.parametrize("name", KINDS)
def test_converges_to_the_optimum_on_the_features(name: str) -> None:
    p = problem(200, lambda_=0.02)
    run = made(name, p, features=50, window=100)
    V = features(run)
    peer = LinearSVC(loss="hinge", C=p.C, fit_intercept=False, tol=1e-9, max_iter=10**6, random_state=0).fit(V, p.y)

    def primal(w: Array) -> float:
        return float(0.5 * 0.02 * w @ w + np.maximum(0.0, 1.0 - p.y * (V @ w)).mean())

    best = primal(peer.coef_.ravel())
    excess = []
    for epochs in (10, 200, 4000):
        run.advance(Limit(presentations=epochs * 200))
        excess.append(primal(core_of(run).average()[0]) - best)
    assert min(excess) > -1e-7
    assert excess[2] < 0.2 * excess[0]
    assert excess[2] < 5e-3 * best


def test_with_all_points_and_an_intercept_it_converges_to_libsvms_optimum() -> None:
    p = problem(120, lambda_=0.02, bias=True)
    run = made("asset", p, features=120, window=10_000)
    V = features(run)

    def primal(w: Array, b: float) -> float:
        return float(0.5 * 0.02 * w @ w + np.maximum(0.0, 1.0 - p.y * (V @ w + b)).mean())

    peer = SVC(C=p.C, kernel="linear", tol=1e-8).fit(V, p.y)  # V V' is the kernel matrix
    best = primal(peer.coef_.ravel(), peer.intercept_.item())
    excess = []
    for epochs in (100, 10_000):
        run.advance(Limit(presentations=epochs * 120))
        excess.append(primal(*core_of(run).average()) - best)
    assert min(excess) > -1e-6
    assert excess[1] < 0.5 * excess[0]
    assert excess[1] < 5e-3 * best


def test_the_features_are_those_of_the_seed() -> None:
    p = problem(N)
    assert (made("asset", p, 1).nystrom.points == made("asset_star", p, 1).nystrom.points).all()
    assert (made("asset", p, 1).nystrom.points != made("asset", p, 2).nystrom.points).any()
    assert made("asset", p).remarks == ("20 features from as many sampled points",)


@pytest.mark.parametrize(
    ("own", "text"),
    [
        ({"features": 0}, r"algo\.features = 0: .*from 1 to n = 60"),
        ({"features": 61}, r"algo\.features = 61"),
        ({"eps_d": 0.0}, r"algo\.eps_d = 0\.0"),
        ({"eps_d": 1.0}, r"algo\.eps_d = 1\.0"),
        ({"window": 0}, r"algo\.window = 0: it must be from 1 to 10,000"),
        ({"window": 10_001}, r"algo\.window = 10001"),
        ({"samples": 0}, r"algo\.samples = 0: it must be from 1 to 10,000"),
        ({"step": 0.0}, r"algo\.step = 0\.0: it must be positive and at most 1e\+30"),
        ({"step": np.nan}, r"algo\.step = nan"),
        ({"intercept_bound": 0.0}, r"algo\.intercept_bound = 0\.0: it must be positive and at most 1e\+30"),
        ({"intercept_bound": 1e300}, r"algo\.intercept_bound = 1e\+300"),
        ({"step": 1e31}, r"algo\.step = 1e\+31"),
        ({"intercept_bound": -1.0}, r"algo\.intercept_bound = -1\.0"),
        ({"intercept_bound": np.inf}, r"algo\.intercept_bound = inf"),
    ],
)
def test_wrong_settings_are_refused(own: dict[str, Any], text: str) -> None:
    for name in KINDS:
        if set(own) & {"samples", "step", "intercept_bound"} and name == "asset_star":
            continue
        with pytest.raises(SettingsError, match=text):
            made(name, problem(N), **own)


def test_strongly_convex_steps_refuse_an_intercept() -> None:
    with pytest.raises(SettingsError, match=r"algo=asset_star does not solve problems with bias"):
        made("asset_star", problem(N, bias=True))
    with pytest.raises(SettingsError, match=r"lambda form"):
        made("asset", problem(N, lambda_=None))


def test_points_far_from_the_origin() -> None:
    """The training points' shift is that of the sample."""
    X, y = points(N, 4)
    runs = []
    for offset in (0, 1000):
        p = Problem(X + np.float32(offset), y, Gaussian(2.0), lambda_=0.01)
        run = made("asset", p, 1)
        run.advance(Limit(iterations=300))
        found = expansion(run).deferred
        assert found is not None
        runs.append(DeferredResponses.batched_values([found]))
    np.testing.assert_allclose(runs[1], runs[0], atol=0.05 * np.abs(runs[0]).max())
