"""Measures of snapshots that are explicit weights, against numpy in float64."""

from __future__ import annotations

import numpy as np
import pytest
from evaluation_cases import D, N, dataset, snapshots
from scipy import sparse

from svm_cost_curves.solvers import Linear, LinearSnapshot, Problem
from svm_cost_curves.solvers.evaluation import Evaluator


@pytest.mark.parametrize("as_csr", [False, True], ids=["dense", "csr"])
@pytest.mark.parametrize("volume", [None, 0.6 * N], ids=["as it is", "by its level"])
def test_a_linear_predictor(volume: float | None, as_csr: bool) -> None:
    """Weights belong to features in order of frequency, which is not that of the data; the bias is not scaled away."""
    data = dataset(as_csr=as_csr)
    p = Problem(data.X, data.y, Linear(), lambda_=1.0 / N)
    assert p.feature_order.tolist() != list(range(D))
    w, bias = np.array([0.3, -0.2, 0.5, 0.1]), 0.07
    found = Evaluator(p, data).evaluate([LinearSnapshot(w[p.feature_order], bias, volume)])[0]
    X, X_test = (np.asarray(A.toarray() if sparse.issparse(A) else A, np.float64) for A in (data.X, data.X_test))
    f, f_test, scale, level = X @ w + bias, X_test @ w + bias, 1.0, None
    if volume is not None:
        c = np.sort(data.y * f)
        level = float(np.min((np.cumsum(c) + volume) / np.arange(1, N + 1)))
        assert level > 0.0, "else nothing is scaled"
        scale = 1.0 / level
    hinge, norm = np.maximum(0.0, 1.0 - scale * data.y * f).mean(), scale * np.linalg.norm(w)
    assert found["water_level"] == (None if level is None else pytest.approx(level))
    assert found["test_error"] == np.mean(data.y_test * f_test <= 0.0)
    assert found["train_error"] == np.mean(data.y * f <= 0.0)
    assert found["hinge"] == pytest.approx(hinge, rel=1e-6)
    assert found["norm"] == pytest.approx(norm)
    assert found["bias"] == pytest.approx(scale * bias)
    assert found["primal"] == pytest.approx(0.5 / N * norm**2 + hinge, rel=1e-6)
    assert found["dual"] is found["gap"] is found["support_vectors"] is None


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
    for found in (early, late):
        assert found["primal"] is not None
        assert found["dual"] is not None
        assert found["gap"] == found["primal"] - found["dual"] > 0.0
        assert found["relative_gap"] == found["gap"] / found["primal"]
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
    found = Evaluator(p, data).evaluate([LinearSnapshot(np.array([-5.0, 0.0, 0.0, 0.0]), 0.0, 1e-3 * N)])[0]
    assert found["water_level"] is not None
    assert found["water_level"] < 0.0
    assert found["norm"] == pytest.approx(5.0)
