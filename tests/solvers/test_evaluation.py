"""Measures of snapshots against a slow numpy version in float64."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from cases import STORAGE, dense, run, solver
from numpy.typing import NDArray
from reference import kernel_matrix
from scipy import sparse

from svm_cost_curves.datasets import Dataset
from svm_cost_curves.experiments.columns import MEASURES
from svm_cost_curves.solvers import (
    FunctionSnapshot,
    Gaussian,
    KernelSnapshot,
    Limit,
    Linear,
    LinearSnapshot,
    Problem,
    RowPolicy,
    _core,
    derive_nu,
)
from svm_cost_curves.solvers.evaluation import Evaluator

N, M, D = 90, 70, 4
SIGMA2 = 2.0


def drawn(count: int, seed: int) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(count, D)).astype(np.float32)
    X[rng.random(X.shape) < 0.3] = 0.0
    y = np.where(X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.3 * rng.normal(size=count) > 0.2, 1, -1)
    return X, y.astype(np.int8)


def dataset(*, as_csr: bool = False) -> Dataset:
    (X, y), (X_test, y_test) = drawn(N, 0), drawn(M, 1)
    if as_csr:
        X, X_test = sparse.csr_matrix(X), sparse.csr_matrix(X_test)
    return Dataset("test", X, y, X_test, y_test, {}, "0")


def on(data: Dataset, **settings: Any) -> Problem:
    provider = settings.pop("provider", "gram")
    settings = {"lambda_": 1.0 / N, "nu": 0.05, "bias": False, **settings}
    return Problem(data.X, data.y, Gaussian(SIGMA2), rows=RowPolicy(provider=provider, threads=2), **settings)


def snapshots(p: Problem, name: str, limits: Sequence[int]) -> list[Any]:
    made, method = [], solver(name, p, 1)
    for iterations in limits:
        method.advance(Limit(iterations=iterations))
        made.append(method.snapshot())
    return made


def expected(p: Problem, data: Dataset, snapshot: KernelSnapshot) -> dict[str, float | None]:
    """All measures of a kernel expansion, from the raw features."""
    w = snapshot.coefficients
    y, y_test = p.y.astype(np.float64), data.y_test.astype(np.float64)
    X = dense(p)
    f, f_test = kernel_matrix(p.kernel, X, X) @ w, kernel_matrix(p.kernel, as_array(data.X_test), X) @ w
    norm, bias, level, scale = float(np.sqrt(max(w @ f, 0.0))), snapshot.bias, None, 1.0
    if snapshot.volume is not None:
        up, down = _core.water_levels_sorted(y * f, p.positives, snapshot.volume, p.bias)
        level, bias = 0.5 * (up + down), 0.5 * (down - up) if p.bias else bias
        scale = 1.0 / level if level > 0 else 1.0
    margins = y * scale * (f + bias)
    hinge = float(np.maximum(0.0, 1.0 - margins).mean())
    lambda_ = p.lambda_
    primal = None if lambda_ is None else 0.5 * lambda_ * (scale * norm) ** 2 + hinge
    dual = None
    if snapshot.dual_feasible and lambda_ is not None:
        dual = lambda_ * float((y * w).sum()) - 0.5 * lambda_ * norm**2
    gap = None if primal is None or dual is None else primal - dual
    return {
        "test_error": float(np.mean(y_test * (f_test + bias) <= 0)),
        "train_error": float(np.mean(margins <= 0)),
        "primal": primal,
        "dual": dual,
        "gap": gap,
        "relative_gap": None if gap is None or primal is None else gap / primal,
        "hinge": hinge,
        "norm": scale * norm,
        "nu": hinge / (scale * norm) if norm > 0 else None,
        "water_level": level,
        "bias": scale * bias,
        "support_vectors": int(np.count_nonzero(w)),
    }


def compare(measured: dict[str, float | None], wanted: dict[str, float | None]) -> None:
    assert tuple(measured) == MEASURES
    for name, value in wanted.items():
        if value is None:
            assert measured[name] is None, name
        else:
            # Gaps are differences of numbers of order one, known to 1e-5 relative.
            absolute = 2e-5 if "gap" in name else 1e-6
            assert measured[name] == pytest.approx(value, rel=1e-5, abs=absolute), name


def as_array(X: Any) -> NDArray[np.float64]:
    return np.asarray(X.toarray() if sparse.issparse(X) else X, np.float64)


@STORAGE
@pytest.mark.parametrize("provider", ["gram", "on_the_fly"])
@pytest.mark.parametrize(
    ("name", "bias"),
    [
        ("sbp", False),
        ("sbp", True),
        ("pegasos", False),
        ("sdca", False),
        ("smo", False),
        ("smo", True),
        ("svmlight", True),
        ("lasvm", True),
        ("perceptron", False),
    ],
)
def test_every_kind_of_snapshot(name: str, bias: bool, provider: str, as_csr: bool) -> None:
    data = dataset(as_csr=as_csr)
    p = on(data, bias=bias, provider=provider)
    # The smallest first iterations have no positive level yet, and few support vectors.
    made = snapshots(p, name, (1, 2, 5, 40, 400))
    for measured, snapshot in zip(Evaluator(p, data).evaluate(made), made, strict=True):
        compare(measured, expected(p, data, snapshot))


def test_features_of_the_training_points_are_used_where_there_are_any() -> None:
    data = dataset()
    p = on(data, bias=True)
    asset = solver("asset", p, 1, features=12)
    made: list[Any] = [asset.snapshot()]
    for iterations in (1, 50, 500):
        asset.advance(Limit(iterations=iterations))
        made.append(asset.snapshot())
    together = Evaluator(p, data).evaluate(made)
    assert "rows" not in vars(p), "no kernel row is asked for"
    for measured, snapshot in zip(together, made, strict=True):
        plain = Evaluator(p, data).evaluate([replace(snapshot, deferred=None)])[0]
        for measure, value in plain.items():
            assert measured[measure] == (None if value is None else pytest.approx(value, rel=1e-4, abs=1e-6)), measure
    wrong = replace(made[-1], deferred=replace(made[-1].deferred, weights=-made[-1].deferred.weights))
    assert Evaluator(p, data).evaluate([wrong])[0]["train_error"] != together[-1]["train_error"]


def test_libsvm() -> None:
    data = dataset()
    p = on(data, bias=True)
    peer = solver("libsvm", p, tolerance=1e-6)
    before = peer.snapshot()
    peer.advance(Limit())
    measured = Evaluator(p, data).evaluate([before, peer.snapshot()])
    assert "rows" not in vars(p), "a peer's evaluation builds no Gram matrix of ours"
    compare(measured[1], expected(p, data, peer.snapshot()))
    assert 0.0 <= measured[1]["relative_gap"] + 1e-6 < 1e-4
    assert measured[0]["support_vectors"] == 0


def test_zero_predictor() -> None:
    """f = 0 everywhere is wrong everywhere; its hinge loss is 1; nothing divides by its norm."""
    data = dataset()
    p = on(data)
    zero = KernelSnapshot(np.zeros(N), dual_feasible=True)
    (measured,) = Evaluator(p, data).evaluate([zero])
    ones = dict.fromkeys(("test_error", "train_error", "primal", "gap", "relative_gap", "hinge"), 1.0)
    nothing = {"nu": None, "water_level": None}
    assert measured == dict.fromkeys(MEASURES, 0) | ones | nothing


def test_optimum_has_no_gap_and_gives_nu() -> None:
    data = dataset()
    for bias in (False, True):
        p = on(data, bias=bias, nu=None)
        (measured,) = Evaluator(p, data).evaluate([run("smo", p, tolerance=1e-9).snapshot()])
        assert abs(measured["relative_gap"]) < 1e-6
        assert derive_nu(p, relative_gap=1e-8) == pytest.approx(measured["nu"], rel=1e-3)


def test_without_lambda_there_are_no_objectives() -> None:
    data = dataset()
    p = on(data, lambda_=None)
    (measured,) = Evaluator(p, data).evaluate(snapshots(p, "sbp", (50,)))
    assert [measured[name] for name in ("primal", "dual", "gap", "relative_gap")] == [None] * 4
    assert measured["hinge"] is not None


class Centroids(FunctionSnapshot):
    """A predictor that is no kernel expansion."""

    norm = 2.0
    bias = 0.25

    def decision_values(self, X: Any) -> NDArray[np.float64]:
        return np.asarray(X @ np.array([1.0, 0.5, -0.5, 0.0])).ravel() + self.bias


@STORAGE
def test_functions(as_csr: bool) -> None:
    """They are asked with raw features, in between kernel expansions, in the order given."""
    data = dataset(as_csr=as_csr)
    p = on(data)
    (sbp,) = snapshots(p, "sbp", (30,))
    first, centroids, last = Evaluator(p, data).evaluate([sbp, Centroids(), sbp])
    assert first == last
    raw = Centroids().decision_values
    margins = data.y * raw(data.X)
    hinge = float(np.maximum(0.0, 1.0 - margins).mean())
    assert centroids["train_error"] == np.mean(margins <= 0)
    assert centroids["test_error"] == np.mean(data.y_test * raw(data.X_test) <= 0)
    assert centroids["hinge"] == pytest.approx(hinge)
    assert centroids["primal"] == pytest.approx(0.5 / N * 4.0 + hinge)
    assert (centroids["norm"], centroids["bias"], centroids["nu"]) == (2.0, 0.25, pytest.approx(hinge / 2.0))
    assert [centroids[name] for name in ("dual", "gap", "water_level", "support_vectors")] == [None] * 4


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("smo", {}),
        ("asset", {"features": 20}),
        ("cpsp", {"features": 20}),
        ("fourier", {"pairs": 16}),
        ("asset_online", {"features": 30}),
    ],
)
def test_moved_points_are_moved_in_the_test_set_too(name: str, settings: dict[str, Any]) -> None:
    """Multiples of 1/64, which float32 holds with 1,000 added: training and test points have the same bits again."""
    data, ends = dataset(), []
    for offset in (0.0, 1000.0):
        X, X_test = (np.rint(64.0 * points) / 64.0 + offset for points in (data.X, data.X_test))
        moved = replace(data, points=X.astype(np.float32), X_test=X_test.astype(np.float32))
        p = on(moved)
        ends.append(Evaluator(p, moved).evaluate([run(name, p, Limit(iterations=8), **settings).snapshot()])[0])
    assert ends[0] == ends[1]


# Explicit weights


@STORAGE
@pytest.mark.parametrize("volume", [None, 0.6 * N], ids=["as it is", "by its level"])
def test_a_linear_predictor(volume: float | None, as_csr: bool) -> None:
    """Weights belong to features in order of frequency, which is not that of the data; the bias is not scaled away."""
    data = dataset(as_csr=as_csr)
    p = Problem(data.X, data.y, Linear(), lambda_=1.0 / N)
    assert p.feature_order.tolist() != list(range(D))
    w, bias = np.array([0.3, -0.2, 0.5, 0.1]), 0.07
    measured = Evaluator(p, data).evaluate([LinearSnapshot(w[p.feature_order], bias, volume)])[0]
    X, X_test = as_array(data.X), as_array(data.X_test)
    f, f_test, scale, level = X @ w + bias, X_test @ w + bias, 1.0, None
    if volume is not None:
        c = np.sort(data.y * f)
        level = float(np.min((np.cumsum(c) + volume) / np.arange(1, N + 1)))
        assert level > 0.0, "else nothing is scaled"
        scale = 1.0 / level
    hinge, norm = np.maximum(0.0, 1.0 - scale * data.y * f).mean(), scale * np.linalg.norm(w)
    assert measured["water_level"] == (None if level is None else pytest.approx(level))
    assert measured["test_error"] == np.mean(data.y_test * f_test <= 0.0)
    assert measured["train_error"] == np.mean(data.y * f <= 0.0)
    assert measured["hinge"] == pytest.approx(hinge, rel=1e-6)
    assert measured["norm"] == pytest.approx(norm)
    assert measured["bias"] == pytest.approx(scale * bias)
    assert measured["primal"] == pytest.approx(0.5 / N * norm**2 + hinge, rel=1e-6)
    assert measured["dual"] is measured["gap"] is measured["support_vectors"] is None


@pytest.mark.parametrize("rho", [0.0, 2.0])
def test_a_lower_bound_is_the_dual_value(rho: float) -> None:
    """What a solver knows of the optimum gives the gap; a constant feature counts as the others do."""
    data = dataset()
    p = Problem(data.X, data.y, Linear(), lambda_=1.0 / N, rho=rho)
    before, early, late = Evaluator(p, data).evaluate(snapshots(p, "sgd_s", (0, N, 500 * N)))
    assert [before[name] for name in ("primal", "dual", "gap", "relative_gap")] == [1.0, None, None, None]
    w = p.in_data_order(snapshots(p, "sgd_s", (N,))[0].weights)
    X = np.hstack([data.X, np.full((N, 1), rho)]) if rho else data.X
    primal = 0.5 / N * w @ w + np.maximum(0.0, 1.0 - data.y * (X @ w)).mean()
    assert early["primal"] == pytest.approx(primal, rel=1e-6)
    for measured in (early, late):
        assert measured["gap"] == measured["primal"] - measured["dual"] > 0.0
        assert measured["relative_gap"] == measured["gap"] / measured["primal"]
    assert early["relative_gap"] > 10.0 * late["relative_gap"]
    (dcd,) = Evaluator(p, data).evaluate(snapshots(p, "dcd", (10**6,)))
    assert late["dual"] <= dcd["primal"]
    assert dcd["dual"] <= late["primal"]
    assert dcd["relative_gap"] <= 1e-3
    (weights_alone,) = Evaluator(p, data).evaluate([LinearSnapshot(w[p.feature_order])])
    assert weights_alone["primal"] == pytest.approx(primal, rel=1e-6)
    assert weights_alone["dual"] is weights_alone["gap"] is weights_alone["relative_gap"] is None


def test_a_level_below_zero_scales_nothing() -> None:
    data = dataset()
    p = Problem(data.X, data.y, Linear())
    measured = Evaluator(p, data).evaluate([LinearSnapshot(np.array([-5.0, 0.0, 0.0, 0.0]), 0.0, 1e-3 * N)])[0]
    assert measured["water_level"] < 0.0
    assert measured["norm"] == pytest.approx(5.0)
