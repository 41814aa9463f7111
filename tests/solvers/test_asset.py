"""ASSET and ASSET* on Nystrom features: the core's run, costs, the optimum."""

from __future__ import annotations

from dataclasses import astuple
from typing import Any

import numpy as np
import pytest
from cases import Array, coefficients, problem, solver
from sklearn.svm import SVC

from svm_cost_curves.solvers import Limit, Problem, RowPolicy, SettingsError, Status, _core
from svm_cost_curves.solvers.nystrom import Nystrom
from svm_cost_curves.solvers.snapshots import DeferredResponses

N = 60
KINDS = ("asset", "asset_star")


def made(name: str, p: Problem, seed: int = 0, **settings: Any) -> Any:
    return solver(name, p, seed, **{"features": 20, **settings})


def features(run: Any) -> Array:
    """The features that the run stores, in float64."""
    stored: Array = run.nystrom.of_training_points()[0].astype(np.float64)
    return stored


@pytest.mark.parametrize(
    ("name", "bias", "settings", "iteration"),
    [
        ("asset", False, {"step": 3.0}, {"step": 3.0}),
        (
            "asset",
            True,
            {"intercept_bound": 0.7, "window": 30, "samples": 7},
            {"bound": 0.7, "window": 30, "samples": 7},
        ),
        ("asset_star", False, {"window": 40}, {"strongly_convex": True, "window": 40}),
    ],
    ids=str,
)
def test_a_run_is_that_of_the_core_on_the_stored_features(
    name: str, bias: bool, settings: dict[str, Any], iteration: dict[str, Any]
) -> None:
    """`cpp/tests/test_asset.cpp` replays the core's iterations."""
    p = problem(N, bias=bias)
    run = made(name, p, 4, **settings)
    V = features(run)
    core = _core.Asset(
        _core.FeatureMatrix(_core.Matrix(V.astype(np.float32)), p.positives),
        lambda_=p.require_lambda(),
        seed=4,
        **iteration,
    )
    drawn = _core.Random(4, _core.Purpose.sampling)
    examples = V[[drawn.below(N) for _ in range(settings.get("samples", 100))]]
    assert core.deviation == pytest.approx((examples**2).sum(axis=1).mean() + 1.0)
    for t in (1, 7, 150, 600):
        assert run.advance(Limit(iterations=t)) is Status.ITERATIONS
        core.advance(iterations=t)
        for (w, b), (expected, intercept) in (
            (run._core.average(), core.average()),
            ((run._core.last_weights(), run._core.last_bias), (core.last_weights(), core.last_bias)),
        ):
            np.testing.assert_allclose(w, expected, rtol=0, atol=1e-9 * np.abs(expected).max())
            assert b == pytest.approx(intercept, abs=1e-12)
        assert run._core.step_length(t) == core.step_length(t)
    assert run.snapshot().deferred is not None
    r, evaluations = run.nystrom.rank, N * 20
    accesses, all_dense = 20 * p.matrix.stored + 600 * r, 20 * N * p.d + 600 * r
    assert astuple(run.counters) == (600, 600, evaluations, evaluations + 600, accesses, all_dense)


@pytest.mark.parametrize(("name", "bias"), [("asset", False), ("asset", True), ("asset_star", False)])
def test_the_snapshot_is_an_expansion_on_the_sample(name: str, bias: bool) -> None:
    p = problem(N, bias=bias)
    run = made(name, p)
    assert not coefficients(run).any()
    run.advance(Limit(iterations=500))
    snapshot = run.snapshot()
    g, b = run._core.average()
    assert snapshot.bias == b
    assert (b != 0.0) == bias
    np.testing.assert_array_equal(snapshot.coefficients, run.nystrom.coefficients(g))
    assert snapshot.responses is None
    values = DeferredResponses.batched_values([snapshot.deferred, snapshot.deferred])
    for column in values.T:
        np.testing.assert_allclose(column, features(run) @ g, rtol=0, atol=1e-5 * np.abs(g).max())
    assert not snapshot.dual_feasible


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
    run.advance(Limit(feature_accesses=run.counters.feature_accesses + 1))
    assert run.counters.iterations == 6
    with pytest.raises(SettingsError, match=r"n s = 1,200 times .* give budget\.epochs or budget\.iterations"):
        run.advance(Limit(kernel_evaluations=N * 20 + 1))
    run.advance(Limit(kernel_evaluations=N * 20 + 1, iterations=9))
    assert run.counters.iterations == 9
    before = run.cpu_seconds
    assert run.advance(Limit(cpu_seconds=before + 0.05)) is Status.CPU_SECONDS
    assert before + 0.05 <= run.cpu_seconds < before + 0.5


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
        excess.append(primal(*run._core.average()) - best)
    assert min(excess) > -1e-6
    assert excess[1] < 0.5 * excess[0]
    assert excess[1] < 5e-3 * best


def test_the_features_are_those_of_the_seed() -> None:
    p = problem(N)
    assert (made("asset", p, 1).nystrom.points == made("asset_star", p, 1).nystrom.points).all()
    assert (made("asset", p, 1).nystrom.points != made("asset", p, 2).nystrom.points).any()
    assert made("asset", p).remarks == ("20 features from as many sampled points",)


def test_features_that_do_not_fit_in_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("svm_cost_curves.solvers.problem.WORKING_BYTES", 3 * N * 20)
    p = problem(N)
    p.policy = RowPolicy(memory_bytes=3 * N * 20)  # less than four bytes each
    sampled = Nystrom.sample(p, 20, 1e-16, seed=0)
    assert sampled.rank == 20
    with pytest.raises(
        SettingsError, match=r"20 features of 60 points in float32 take .* lower algo\.features, or raise"
    ):
        sampled.of_training_points()
    p.policy = RowPolicy(memory_bytes=4 * N * 20)
    sampled.of_training_points()
