"""Measures of snapshots against a slow numpy version in float64."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from evaluation_cases import SIGMA2, N, dataset, problem, snapshots
from numpy.typing import NDArray
from scipy import sparse

from svm_cost_curves.datasets import Dataset
from svm_cost_curves.experiments.columns import MEASURES
from svm_cost_curves.solvers import FunctionSnapshot, KernelSnapshot, Limit, Linear, Problem, RowPolicy, derive_nu, get
from svm_cost_curves.solvers.evaluation import Evaluator


def kernel(X: Any, Z: Any) -> NDArray[np.float64]:
    X, Z = (np.asarray(A.toarray() if sparse.issparse(A) else A, np.float64) for A in (X, Z))
    return np.exp(-np.square(X[:, None] - Z[None]).sum(axis=2) / (2.0 * SIGMA2))


def two_levels(c: NDArray[np.float64], y: NDArray[np.float64], volume: float) -> tuple[float, float]:
    """Levels of both classes by counting pairs: the middle of what is free."""
    up, down = np.sort(c[y > 0]), np.sort(c[y < 0])
    for k in range(1, min(len(up), len(down)) + 1):
        both = (volume + up[:k].sum() + down[:k].sum()) / k
        above = np.append(up, np.inf)[k], np.append(down, np.inf)[k]
        lower, upper = max(up[k - 1], both - above[1]), min(above[0], both - down[k - 1])
        if lower <= upper:
            return 0.5 * (lower + upper), both - 0.5 * (lower + upper)
    raise AssertionError("no levels")


def expected(p: Problem, data: Dataset, snapshot: KernelSnapshot) -> dict[str, float | None]:
    """All measures of a kernel expansion, from the raw features."""
    w = snapshot.coefficients
    y, y_test = p.y.astype(np.float64), data.y_test.astype(np.float64)
    X = data.X[p.order]
    f, f_test = kernel(X, X) @ w, kernel(data.X_test, X) @ w
    norm, bias, level, scale = float(np.sqrt(max(w @ f, 0.0))), snapshot.bias, None, 1.0
    if snapshot.volume is not None:
        c = y * f
        if p.bias:
            up, down = two_levels(c, y, snapshot.volume)
            level, bias = 0.5 * (up + down), 0.5 * (down - up)
        else:
            grid = np.sort(c)
            levels = (snapshot.volume + np.cumsum(grid)) / np.arange(1, N + 1)
            level = float(levels[np.argmax(levels <= np.append(grid[1:], np.inf))])
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


def compare(found: dict[str, float | None], wanted: dict[str, float | None]) -> None:
    assert tuple(found) == MEASURES
    for name, value in wanted.items():
        if value is None:
            assert found[name] is None, name
        else:
            # Gaps are differences of numbers of order one, known to 1e-5 relative.
            absolute = 2e-5 if "gap" in name else 1e-6
            assert found[name] == pytest.approx(value, rel=1e-5, abs=absolute), name


@pytest.mark.parametrize("as_csr", [False, True])
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
    p = problem(data, bias=bias, provider=provider)
    # The smallest first iterations have no positive level yet, and few support vectors.
    made = snapshots(p, name, (1, 2, 5, 40, 400))
    for found, snapshot in zip(Evaluator(p, data).evaluate(made), made, strict=True):
        compare(found, expected(p, data, snapshot))


def test_features_of_the_training_points_are_used_where_there_are_any() -> None:
    data = dataset()
    p = problem(data, bias=True)
    kind = get("asset")
    solver = kind(p, kind.Settings(features=12), 1)
    made: list[Any] = [solver.snapshot()]
    for iterations in (1, 50, 500):
        solver.advance(Limit(iterations=iterations))
        made.append(solver.snapshot())
    together = Evaluator(p, data).evaluate(made)
    assert "rows" not in vars(p), "no kernel row is asked for"
    for found, snapshot in zip(together, made, strict=True):
        plain = Evaluator(p, data).evaluate([replace(snapshot, deferred=None)])[0]
        for measure, value in plain.items():
            assert found[measure] == (None if value is None else pytest.approx(value, rel=1e-4, abs=1e-6)), measure
    wrong = replace(made[-1], deferred=replace(made[-1].deferred, weights=-made[-1].deferred.weights))
    assert Evaluator(p, data).evaluate([wrong])[0]["train_error"] != together[-1]["train_error"]


def test_libsvm() -> None:
    data = dataset()
    p = problem(data, bias=True)
    kind = get("libsvm")
    solver = kind(p, kind.Settings(tolerance=1e-6), 0)
    before = solver.snapshot()
    solver.advance(Limit())
    found = Evaluator(p, data).evaluate([before, solver.snapshot()])
    assert "rows" not in vars(p), "a peer's evaluation builds no Gram matrix of ours"
    compare(found[1], expected(p, data, solver.snapshot()))  # type: ignore[arg-type]
    assert found[1]["relative_gap"] is not None
    assert 0.0 <= found[1]["relative_gap"] + 1e-6 < 1e-4
    assert found[0]["support_vectors"] == 0


def test_many_at_once_are_each_alone() -> None:
    data = dataset()
    p = problem(data)
    made = [s for name in ("sbp", "smo", "pegasos") for s in snapshots(p, name, (1, 30, 100))]
    evaluator = Evaluator(p, data)
    together = evaluator.evaluate(made)
    for one, snapshot in zip(together, made, strict=True):
        compare(evaluator.evaluate([snapshot])[0], one)
    assert evaluator.evaluate([]) == []


def test_zero_predictor() -> None:
    """f = 0 everywhere is wrong everywhere; its hinge loss is 1; nothing divides by its norm."""
    data = dataset()
    p = problem(data)
    zero = KernelSnapshot(np.zeros(N), dual_feasible=True)
    (found,) = Evaluator(p, data).evaluate([zero])
    assert found == {
        "test_error": 1.0,
        "train_error": 1.0,
        "primal": 1.0,
        "dual": 0.0,
        "gap": 1.0,
        "relative_gap": 1.0,
        "hinge": 1.0,
        "norm": 0.0,
        "nu": None,
        "water_level": None,
        "bias": 0.0,
        "support_vectors": 0,
    }


def test_zero_predictor_of_the_slack_form() -> None:
    data = dataset()
    for bias in (False, True):
        (found,) = Evaluator(problem(data, bias=bias), data).evaluate([KernelSnapshot(np.zeros(N), volume=0.0)])
        assert found["water_level"] == 0.0
        assert found["hinge"] == 1.0
        assert found["test_error"] == 1.0


def test_sbp_is_divided_by_its_level() -> None:
    """A covered point at the level has margin 1, so the mean hinge loss is volume / (n level)."""
    data = dataset()
    for bias in (False, True):
        p = problem(data, bias=bias, nu=0.05)
        found = Evaluator(p, data).evaluate(snapshots(p, "sbp", (3000,)))[0]
        level = found["water_level"]
        assert level is not None
        assert level > 0.0
        assert found["hinge"] == pytest.approx(0.05 / level, rel=1e-5)
        assert found["nu"] is not None
        assert found["norm"] is not None
        assert found["nu"] * found["norm"] == pytest.approx(found["hinge"], rel=1e-12)


def test_scaling_a_slack_form_predictor_changes_nothing_else() -> None:
    data = dataset()
    p = problem(data)
    (snapshot,) = snapshots(p, "sbp", (2000,))
    double = replace(snapshot, coefficients=2.0 * snapshot.coefficients, volume=2.0 * snapshot.volume)
    one, two = Evaluator(p, data).evaluate([snapshot, double])
    assert one["water_level"] is not None
    assert one["water_level"] > 0.0
    for name in MEASURES:
        factor = 2.0 if name == "water_level" else 1.0
        value = one[name]
        if value is not None:
            assert two[name] == pytest.approx(factor * value, rel=1e-6), name


def test_optimum_has_no_gap_and_gives_nu() -> None:
    data = dataset()
    for bias in (False, True):
        p = problem(data, bias=bias, nu=None)
        kind = get("smo")
        solver = kind(p, kind.Settings(tolerance=1e-9), 0)
        solver.advance(Limit())
        (found,) = Evaluator(p, data).evaluate([solver.snapshot()])
        assert found["relative_gap"] is not None
        assert abs(found["relative_gap"]) < 1e-6
        assert derive_nu(p, relative_gap=1e-8) == pytest.approx(found["nu"], rel=1e-3)


def test_without_lambda_there_are_no_objectives() -> None:
    data = dataset()
    p = problem(data, lambda_=None)
    (found,) = Evaluator(p, data).evaluate(snapshots(p, "sbp", (50,)))
    assert [found[name] for name in ("primal", "dual", "gap", "relative_gap")] == [None] * 4
    assert found["hinge"] is not None


class Centroids(FunctionSnapshot):
    """A predictor that is no kernel expansion."""

    norm = 2.0
    bias = 0.25

    def decision_values(self, X: Any) -> NDArray[np.float64]:
        return np.asarray(X @ np.array([1.0, 0.5, -0.5, 0.0])).ravel() + self.bias


@pytest.mark.parametrize("as_csr", [False, True])
def test_functions(as_csr: bool) -> None:
    """They are asked with raw features, in between kernel expansions, in the order given."""
    data = dataset(as_csr=as_csr)
    p = problem(data)
    (sbp,) = snapshots(p, "sbp", (30,))
    first, found, last = Evaluator(p, data).evaluate([sbp, Centroids(), sbp])
    assert first == last
    raw = Centroids().decision_values
    margins = data.y * raw(data.X)
    hinge = float(np.maximum(0.0, 1.0 - margins).mean())
    assert found["train_error"] == np.mean(margins <= 0)
    assert found["test_error"] == np.mean(data.y_test * raw(data.X_test) <= 0)
    assert found["hinge"] == pytest.approx(hinge)
    assert found["primal"] == pytest.approx(0.5 / N * 4.0 + hinge)
    assert (found["norm"], found["bias"], found["nu"]) == (2.0, 0.25, pytest.approx(hinge / 2.0))
    assert [found[name] for name in ("dual", "gap", "water_level", "support_vectors")] == [None] * 4


def test_fourier() -> None:
    data = dataset()
    p = problem(data)
    made = snapshots(p, "fourier", (0, 1, 5))
    found = Evaluator(p, data).evaluate(made)
    assert found[0]["test_error"] == 1.0
    assert found[0]["norm"] == 0.0
    for measures, snapshot in zip(found, made, strict=True):
        assert measures["test_error"] == np.mean(data.y_test * snapshot.decision_values(data.X_test) <= 0)
        assert measures["train_error"] == np.mean(data.y * snapshot.decision_values(data.X) <= 0)


def test_evaluation_is_not_charged() -> None:
    data = dataset()
    p = problem(data)
    kind = get("sbp")
    solver = kind(p, kind.Settings(), 0)
    solver.advance(Limit(iterations=10))
    before = solver.counters, solver.cpu_seconds
    Evaluator(p, data).evaluate([solver.snapshot()])
    assert (solver.counters, solver.cpu_seconds) == before


def test_moved_points_are_moved_in_the_test_set_too() -> None:
    near = dataset()
    far = replace(near, points=near.X + np.float32(1000.0), X_test=near.X_test + np.float32(1000.0))
    ends = []
    for data in (near, far):
        p = problem(data)
        ends.append(Evaluator(p, data).evaluate(snapshots(p, "smo", (5,)))[0])
    for name in MEASURES:
        value = ends[0][name]
        if value is not None:
            assert ends[1][name] == pytest.approx(value, rel=1e-3, abs=1e-3), name


def test_a_test_set_of_another_width_is_refused() -> None:
    data = dataset()
    with pytest.raises(ValueError, match="3 features, the training set has 4"):
        Evaluator(problem(data), replace(data, X_test=data.X_test[:, :3]))


def test_linear_kernel() -> None:
    data = dataset()
    p = Problem(data.X, data.y, Linear(), lambda_=0.1, rows=RowPolicy(threads=1))
    (snapshot,) = snapshots(p, "sdca", (2000,))
    (found,) = Evaluator(p, data).evaluate([snapshot])
    w = np.asarray(p.X, np.float64).T @ snapshot.coefficients
    hinge = np.maximum(0.0, 1.0 - data.y * (data.X @ w)).mean()
    assert found["primal"] == pytest.approx(0.05 * w @ w + hinge, rel=1e-5)
    assert found["test_error"] == np.mean(data.y_test * (data.X_test @ w) <= 0)
