"""ASSET on streams of random cosines: the features, the replay, the batch version on the same features, the end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import reference
from asset_reference import Reference
from cases import Array, points, problem, solver
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from svm_cost_curves.solvers import Gaussian, Limit, Linear, Polynomial, Problem, SettingsError, Status, _core
from svm_cost_curves.solvers.asset_online import AssetOnline, AssetStarOnline, CosineSnapshot, _StreamSolver
from svm_cost_curves.solvers.cosines import Cosines

N, D = 700, 5
KINDS = ("asset_online", "asset_star_online")


def made(name: str, p: Problem, seed: int = 0, **own: Any) -> _StreamSolver:
    found = solver(name, p, seed, **{"features": 33, **own})
    assert isinstance(found, AssetOnline | AssetStarOnline)
    return found


def stream(n: int = N, **own: Any) -> Problem:
    return problem(n, D, **{"zeros": 0.3, "rows": {"provider": "on_the_fly"}, **own})


def shown(run: _StreamSolver) -> tuple[Array, float]:
    snapshot = run.snapshot()
    assert isinstance(snapshot, CosineSnapshot)
    return snapshot.weights, snapshot.bias


@pytest.mark.parametrize("as_csr", [False, True], ids=["dense", "csr"])
def test_features_approach_the_kernel(as_csr: bool) -> None:
    """Inner products tend to K(x, z) at the rate 1/sqrt(d), in the worst pair; the printed factor would halve it."""
    p = problem(40, 5, kernel=Gaussian(3.0), as_csr=as_csr, zeros=0.3)
    X = p.X if isinstance(p.X, np.ndarray) else p.X.toarray()
    K = reference.kernel_matrix(p.kernel, X, X)
    worst = []
    for d in (101, 1600, 25_600):
        P = Cosines.draw(p, d, 5).of(p.X)
        assert P.shape == (40, d)
        assert P.dtype == np.float32
        assert P.flags.c_contiguous
        worst.append(float(np.abs(P.astype(np.float64) @ P.T - K).max()))
        assert worst[-1] < 6.0 / np.sqrt(d)
    assert worst[2] < 0.2 * worst[0]


def test_frequencies_and_phases_have_their_distributions() -> None:
    cosines = Cosines.draw(problem(20, 4, kernel=Gaussian(9.0)), 5000, 1)
    assert float(cosines.frequencies.std()) == pytest.approx(1.0 / 3.0, rel=0.02)
    assert abs(float(cosines.frequencies.mean())) < 0.01
    counts, _ = np.histogram(cosines.phases, bins=10, range=(0.0, 2.0 * np.pi))
    assert counts.sum() == 5000
    assert np.abs(counts - 500).max() < 5 * np.sqrt(500)


@pytest.mark.parametrize("lambda_", [1e-6, 1.0 / N])
@pytest.mark.parametrize(
    ("name", "bias", "own"),
    [
        ("asset_online", False, {}),
        ("asset_online", True, {"intercept_bound": 0.7, "window": 300, "step": 0.5, "samples": 10}),
        ("asset_online", False, {"samples": 10_000}),
        ("asset_star_online", False, {}),
        ("asset_star_online", False, {"window": 40}),
    ],
)
def test_replay(name: str, bias: bool, own: dict[str, Any], lambda_: float) -> None:
    """Iterates, averages and costs, from blocks of 256 examples and more."""
    p = stream(lambda_=lambda_, bias=bias, as_csr=True)
    run = made(name, p, 4, **own)
    V = run.cosines.of(p.X).astype(np.float64)
    order = _core.Random(4, _core.Purpose.order).permutation(N)
    first = order[: own.get("samples", 100)]
    deviation = float(np.mean((V[first] ** 2).sum(axis=1) + 1.0)) if name == "asset_online" else None
    plain = Reference(
        V, p.y, lambda_, deviation=deviation, B=own.get("intercept_bound") if bias else None, step=own.get("step", 1.0)
    )
    assert not shown(run)[0].any()
    stored = np.diff(p.X.indptr)
    stride = 29 if own.get("samples", 0) > N else 1  # a long block is a long average
    for t, i in enumerate(order, 1):
        plain.step(int(i))
        if t % stride and t < N:
            continue
        assert run.advance(Limit(iterations=t)) is Status.ITERATIONS
        mean, mean_bias = shown(run)
        expected, expected_bias = plain.average(own.get("window", 100))
        size = max(np.abs(expected).max(), 1e-300)
        np.testing.assert_allclose(mean, expected, rtol=0, atol=1e-5 * size, err_msg=f"iteration {t}")
        assert mean_bias == pytest.approx(expected_bias, abs=1e-6)
        last = run._core.last_weights()
        assert np.linalg.norm(last) * np.sqrt(lambda_) <= 1.0 + 1e-12
        np.testing.assert_allclose(last, plain.iterates[-1][0], rtol=0, atol=1e-5 * np.abs(plain.iterates[-1][0]).max())
        counters = run.counters
        assert (counters.iterations, counters.presentations, counters.kernel_evaluations) == (t, t, None)
        assert counters.inner_products == 34 * t
        assert counters.feature_accesses == 33 * stored[order[:t]].sum()
        assert counters.feature_accesses_dense == 33 * D * t


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("bias", [False, True])
@given(seed=st.integers(0, 2**40), n=st.integers(2, 600), window=st.integers(1, 400), count=st.integers(1, 40))
@settings(max_examples=10, deadline=None)
def test_batch_and_stream_agree_to_the_bit(name: str, bias: bool, seed: int, n: int, window: int, count: int) -> None:
    """On the same features in the same order; memory of the stream is not that of all features."""
    star = name == "asset_star_online"
    p = stream(n, bias=bias and not star)
    run = made(name, p, seed, window=window, features=count)
    order = _core.Random(seed, _core.Purpose.order).permutation(n)
    V = np.empty((n, count), np.float32)
    block = max(256, window)
    for first in range(0, n, block):  # a product's last bits may depend on how many rows it has
        V[order[first : first + block]] = run.cosines.of(p.X[order[first : first + block]])
    matrix = _core.FeatureMatrix(_core.Matrix(V), p.positives)
    batch = _core.Asset(matrix, seed=seed, one_pass=True, **run.iteration())
    for t in (1, n // 2, n):
        run.advance(Limit(iterations=t))
        batch.advance(iterations=t)
        weights, intercept = shown(run)
        expected, expected_intercept = batch.average()
        assert weights.tobytes() == expected.tobytes()
        assert intercept == expected_intercept
        assert run._core.last_weights().tobytes() == batch.last_weights().tobytes()


@pytest.mark.parametrize("name", KINDS)
@given(cuts=st.lists(st.integers(1, N), max_size=8), seed=st.integers(0, 2**40))
@settings(max_examples=10, deadline=None)
def test_interruptions_do_not_change_the_result(name: str, cuts: list[int], seed: int) -> None:
    p = stream()
    whole, cut = made(name, p, seed, window=37), made(name, p, seed, window=37)
    whole.advance(Limit(iterations=N))
    for t in sorted(cuts):
        cut.advance(Limit(inner_products=34 * t, cpu_seconds=1e9))
        assert cut.counters.iterations == t
        cut.snapshot()
    cut.advance(Limit(presentations=N))
    assert cut.counters == whole.counters
    assert shown(whole)[0].tobytes() == shown(cut)[0].tobytes()
    assert shown(whole)[1] == shown(cut)[1]


@pytest.mark.parametrize("name", KINDS)
def test_the_stream_ends(name: str) -> None:
    p = stream(300)
    run = made(name, p)
    assert run.advance(Limit(presentations=300)) is Status.PRESENTATIONS
    assert run.remarks == ()
    before = shown(run)[0]
    assert run.advance(Limit(presentations=301)) is Status.CONVERGED
    assert run.remarks == ("the stream ended after its 300 examples, before the budget: one pass is all",)
    assert run.counters.presentations == 300
    assert shown(run)[0].tobytes() == before.tobytes()
    assert run.advance(Limit()) is Status.CONVERGED


@pytest.mark.parametrize("as_csr", [False, True], ids=["dense", "csr"])
def test_the_snapshot_is_linear_in_the_features(as_csr: bool) -> None:
    p = stream(bias=True, as_csr=as_csr)
    run = made("asset_online", p)
    run.advance(Limit(iterations=200))
    one = run.snapshot()
    run.advance(Limit(iterations=500))
    two = run.snapshot()
    assert isinstance(one, CosineSnapshot)
    assert isinstance(two, CosineSnapshot)
    Z = points(30, D, 3)[0]
    others = sparse.csr_matrix(Z) if as_csr else Z
    V = run.cosines.of(p.points(others)).astype(np.float64)
    for snapshot in (one, two):
        assert snapshot.bias != 0.0
        assert snapshot.norm == np.linalg.norm(snapshot.weights)
        np.testing.assert_allclose(
            snapshot.decision_values(others), V @ snapshot.weights + snapshot.bias, atol=1e-5 * snapshot.norm
        )
    assert one.same_basis(two)
    assert not one.same_basis(made("asset_online", p).snapshot())
    both = CosineSnapshot.batched_values([one, two], others)
    np.testing.assert_allclose(both[:, 0], one.decision_values(others), atol=1e-5 * one.norm)
    np.testing.assert_allclose(both[:, 1], two.decision_values(others), atol=1e-5 * two.norm)


def test_one_pass_reduces_the_test_error() -> None:
    """Far better than the class shares, and more features are better than few."""
    p = stream(4000, flips=0.0, kernel=Gaussian(2.0), lambda_=1e-4)
    error = []
    for count in (2, 400):
        run = made("asset_online", p, features=count)
        run.advance(Limit(presentations=4000))
        error.append(float(np.mean(p.y * run.snapshot().decision_values(p.X) <= 0)))
    assert error[1] < 0.1
    assert error[1] < 0.5 * error[0]


def test_a_limit_in_seconds_stops_the_run() -> None:
    run = made("asset_online", stream(4000), features=20_000)
    before = run.cpu_seconds
    run.advance(Limit(cpu_seconds=before + 0.05))
    assert before + 0.05 <= run.cpu_seconds < before + 1.0
    assert run.advance(Limit()) is Status.CONVERGED


@pytest.mark.parametrize("kernel", [Linear(), Polynomial()], ids=str)
@pytest.mark.parametrize("name", KINDS)
def test_other_kernels_are_refused(name: str, kernel: Any) -> None:
    with pytest.raises(SettingsError, match=f"algo={name} works with kernel=gaussian only"):
        made(name, stream(60, kernel=kernel))
    with pytest.raises(SettingsError, match=f"random cosines are for kernel=gaussian, got kernel={kernel.name}"):
        Cosines.draw(stream(60, kernel=kernel), 3, 0)


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("count", [0, -2])
def test_a_wrong_number_of_features_is_refused(name: str, count: int) -> None:
    with pytest.raises(SettingsError, match=rf"algo\.features = {count}: it must be at least 1"):
        made(name, stream(60), features=count)


@pytest.mark.parametrize(
    ("own", "text"),
    [
        ({"window": 0}, r"algo\.window = 0"),
        ({"samples": 0}, r"algo\.samples = 0"),
        ({"step": -1.0}, r"algo\.step = -1\.0"),
        ({"intercept_bound": 0.0}, r"algo\.intercept_bound = 0\.0"),
    ],
)
def test_wrong_settings_are_refused(own: dict[str, Any], text: str) -> None:
    with pytest.raises(SettingsError, match=text):
        made("asset_online", stream(60), **own)
    with pytest.raises(SettingsError, match=r"algo=asset_star_online does not solve problems with bias"):
        made("asset_star_online", stream(60, bias=True))


def test_blocks_of_a_wrong_size_are_refused() -> None:
    core = _core.AssetStream(5, 3, 2, lambda_=0.1)
    rows, labels, stored = np.zeros((5, 2), np.float32), np.ones(5, np.int8), np.ones(5, np.uint32)
    with pytest.raises(ValueError, match=r"a block is \(examples, features\)"):
        core.feed(rows, labels[:4], stored)
    with pytest.raises(ValueError, match="a block has 5 examples here, not 4"):
        core.feed(rows[:4], labels[:4], stored[:4])
    core.feed(rows, labels, stored)
    with pytest.raises(ValueError, match="have not all been presented"):
        core.feed(rows, labels, stored)
