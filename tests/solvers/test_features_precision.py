"""ASSET on features of 16 bits: rounding, the steps on rounded features, memory, and what it refuses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from asset_reference import Reference
from cases import Array, problem, solver

from svm_cost_curves.solvers import KernelSnapshot, Limit, Polynomial, Problem, RowPolicy, SettingsError, _core, blas
from svm_cost_curves.solvers.asset import Asset, AssetStar
from svm_cost_curves.solvers.nystrom import Nystrom
from svm_cost_curves.solvers.precision import FeaturesPrecision
from svm_cost_curves.solvers.snapshots import DeferredResponses

N = 60
HALVES = (FeaturesPrecision.bfloat16, FeaturesPrecision.float16)


def to_bfloat16(x: Array) -> Array:
    """The bits, (...) uint16, of the nearest bfloat16, of two equally near ones the even one."""
    below = x.astype(np.float32).view(np.uint32) >> 16
    near = np.stack([below, below + 1]).astype(np.uint32)
    values = (near << 16).view(np.float32).astype(np.float64)
    distance = np.abs(values - x.astype(np.float64))
    upper = (distance[1] < distance[0]) | ((distance[1] == distance[0]) & (near[1] % 2 == 0))
    return np.where(upper, near[1], near[0]).astype(np.uint16)


def wide(stored: Array) -> Array:
    """The values of features as they are stored, in float64."""
    if stored.dtype == np.uint16:
        return (stored.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return stored.astype(np.float64)


def made(p: Problem, precision: FeaturesPrecision, name: str = "asset", seed: int = 0, **own: Any) -> Asset | AssetStar:
    found = solver(name, p, seed, **{"features": 21, "features_precision": precision, **own})
    assert isinstance(found, Asset | AssetStar)
    return found


def stored(run: Asset | AssetStar) -> Array:
    return run.nystrom.of_training_points(run.precision)[0]


@pytest.mark.parametrize("scale", [1.0, 3e-5, 1e-7, 1e3])  # float16 is subnormal below 6e-5
def test_features_are_rounded_to_the_nearest(scale: float) -> None:
    p = problem(700)
    kernel, points = p.kernel.core(), p.matrix
    basis = p.core_matrix(p.X[:33])
    projection = (scale * np.random.default_rng(0).normal(size=(21, 33))).astype(np.float32)
    out = {name: np.empty((700, 21), name) for name in ("float32", "float16", "uint16")}
    with blas.connected():
        for array in out.values():
            _core.fill_features(kernel, points, basis, projection, array)
    exact = out["float32"]
    assert np.array_equal(out["uint16"], to_bfloat16(exact))
    assert np.array_equal(out["float16"].view(np.uint16), exact.astype(np.float16).view(np.uint16))
    assert len(np.unique(out["float16"])) > 10


@pytest.mark.parametrize("precision", HALVES)
@pytest.mark.parametrize(
    ("name", "bias", "own"),
    [("asset", False, {}), ("asset", True, {"window": 30, "samples": 7}), ("asset_star", False, {"window": 40})],
)
def test_the_steps_are_those_on_rounded_features(
    name: str, bias: bool, own: dict[str, Any], precision: FeaturesPrecision
) -> None:
    """Every iterate and the average are those of a plain replay in float64 on the rounded features; costs are exact."""
    p = problem(N, lambda_=1.0 / N, bias=bias)
    run = made(p, precision, name, 4, **own)
    V = wide(stored(run))
    stream = _core.Random(4, _core.Purpose.sampling)
    drawn = [stream.below(N) for _ in range(own.get("samples", 100))]
    deviation = float(np.mean((V[drawn] ** 2).sum(axis=1) + 1.0)) if name == "asset" else None
    plain = Reference(V, p.y, 1.0 / N, deviation=deviation, B=10.0 if bias else None)
    for t in range(1, 601):
        plain.step(stream.below(N))
        run.advance(Limit(iterations=t))
        core: Any = run._core
        g, b = plain.iterates[-1]
        np.testing.assert_allclose(core.last_weights(), g, rtol=0, atol=1e-9 * np.abs(g).max(), err_msg=f"{t}")
        assert core.last_bias == pytest.approx(b, abs=1e-12)
    mean, mean_bias = core.average()
    expected, expected_bias = plain.average(own.get("window", 100))
    np.testing.assert_allclose(mean, expected, rtol=0, atol=1e-9 * np.abs(expected).max())
    assert mean_bias == pytest.approx(expected_bias, abs=1e-12)
    counters, r = run.counters, run.nystrom.rank
    assert counters.inner_products == N * 21 + 600
    assert counters.feature_accesses == 21 * p.matrix.stored + 600 * r
    assert counters.feature_accesses_dense == 21 * N * p.d + 600 * r


@pytest.mark.parametrize("precision", HALVES)
def test_the_predictor_is_near_that_of_float32_and_its_responses_are_not_rounded(precision: FeaturesPrecision) -> None:
    p = problem(300)
    exact, rounded = made(p, FeaturesPrecision.float32), made(p, precision)
    snapshots = []
    for run in (exact, rounded):
        run.advance(Limit(iterations=20_000))
        snapshots.append(run.snapshot())
    full, half = snapshots
    assert isinstance(full, KernelSnapshot)
    assert isinstance(half, KernelSnapshot)
    assert full.deferred is not None
    assert half.deferred is None, "responses are those of the expansion, which the evaluation computes"
    V = exact.nystrom.of_training_points()[0]
    f, g = (V @ run._core.weights() for run in (exact, rounded))  # type: ignore[union-attr]
    assert not np.array_equal(f, g)
    assert np.linalg.norm(f - g) < 0.1 * np.linalg.norm(f)
    np.testing.assert_allclose(DeferredResponses.batched_values([full.deferred])[:, 0], f, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("kind", ["bfloat16", "float16"])
def test_sixteen_bits_take_half_the_memory(kind: str) -> None:
    p = problem(N)
    sampled = Nystrom.sample(p, 20, 1e-16, seed=0)
    full, half = (sampled.of_training_points(FeaturesPrecision(name))[0] for name in ("float32", kind))
    assert full.nbytes == 2 * half.nbytes
    assert half.ctypes.data % 64 == 0


def test_features_that_do_not_fit_in_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("svm_cost_curves.solvers.problem.WORKING_BYTES", 3 * N * 20)
    p = problem(N)
    p.policy = RowPolicy(memory_bytes=3 * N * 20)  # more than two bytes each, less than four
    sampled = Nystrom.sample(p, 20, 1e-16, seed=0)
    assert sampled.rank == 20
    with pytest.raises(
        SettingsError, match=r"20 features of 60 points in float32 take .* lower algo\.features, or raise"
    ):
        sampled.of_training_points()
    sampled.of_training_points(FeaturesPrecision.bfloat16)


def test_values_beyond_the_range_of_float16_are_refused() -> None:
    p = problem(N, kernel=Polynomial(degree=8, gamma=10.0, coef0=1.0))
    made(p, FeaturesPrecision.bfloat16).advance(Limit(iterations=10))
    with pytest.raises(SettingsError, match=r"algo=asset: feature \d+ of point \d+ is not finite: it is too large"):
        made(p, FeaturesPrecision.float16).advance(Limit(iterations=10))
