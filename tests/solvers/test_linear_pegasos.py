"""Pegasos on explicit weights: replay, the kernel version, costs, convergence."""

from __future__ import annotations

import numpy as np
import pytest
from cases import Array, points, solver
from linear_reference import folded
from scipy import sparse
from sklearn.svm import LinearSVC

from svm_cost_curves.solvers import (
    Gaussian,
    Limit,
    Linear,
    LinearSnapshot,
    Problem,
    RowPolicy,
    SettingsError,
    Status,
    _core,
)
from svm_cost_curves.solvers.accounting import Accounting
from svm_cost_curves.solvers.precision import Precision

N, D = 60, 8


def problem(lambda_: float | None = 0.02, *, as_csr: bool = True, n: int = N, seed: int = 0) -> Problem:
    X, y = points(n, D, seed, zeros=0.5)
    return Problem(sparse.csr_matrix(X) if as_csr else X, y, Linear(), lambda_=lambda_)


def weights(p: Problem, iterations: int, seed: int = 0, **settings: object) -> Array:
    made = solver("pegasos", p, seed, **settings)
    made.advance(Limit(iterations=iterations))
    snapshot = made.snapshot()
    assert isinstance(snapshot, LinearSnapshot)
    assert snapshot.bias == 0.0
    assert snapshot.volume is None
    return snapshot.weights


@pytest.mark.parametrize("as_csr", [False, True], ids=["dense", "csr"])
@pytest.mark.parametrize("project", [False, True])
@pytest.mark.parametrize("lambda_", [1e-13, 1.0 / N, 0.5, 2.0])
def test_replay(lambda_: float, project: bool, as_csr: bool) -> None:
    """w <- (1 - 1/t) w, plus y x / (lambda t) for a violated margin, then the projection: in plain numpy."""
    p = problem(lambda_, as_csr=as_csr)
    Z = folded(p)
    pegasos = solver("pegasos", p, seed=4, project=project)
    stream = _core.Random(4, _core.Purpose.sampling)
    w = np.zeros(D)
    updates = accesses = 0
    for t in range(1, 801):
        i = stream.below(N)
        violated = Z[i] @ w < 1.0
        w = (1.0 - 1.0 / t) * w
        if violated:
            w += Z[i] / (lambda_ * t)
        norm = np.linalg.norm(w)
        if project and norm > 1.0 / np.sqrt(lambda_):
            w /= norm * np.sqrt(lambda_)
        updates += int(violated)
        accesses += int(np.count_nonzero(Z[i])) if as_csr else D
        pegasos.advance(Limit(iterations=t))
        found = pegasos.snapshot()
        assert isinstance(found, LinearSnapshot)
        np.testing.assert_allclose(
            found.weights, w, rtol=0, atol=1e-10 * np.abs(w).max(initial=1e-300), err_msg=f"iteration {t}"
        )
        counters = pegasos.counters
        assert (counters.iterations, counters.presentations) == (t, t)
        assert (counters.feature_accesses, counters.feature_accesses_dense) == (accesses, t * D)
        assert counters.kernel_evaluations is None
        assert counters.inner_products == t
    assert 0 < updates < 800 or lambda_ == 2.0


@pytest.mark.parametrize("project", [False, True])
def test_the_same_run_as_on_kernel_rows(project: bool) -> None:
    """Kernel Pegasos with K(x, z) = <x, z> and the same seed has the same responses."""
    p = problem(0.02)
    kernel = _core.Pegasos(p.rows.source, lambda_=0.02, project=project, seed=9)
    for iterations in (1, 2, 3, 50, 1000):
        kernel.advance(iterations=iterations)
        responses = kernel.responses()
        assert responses is not None
        mine = folded(p) @ weights(p, iterations, 9, project=project)
        np.testing.assert_allclose(mine, responses, rtol=0, atol=1e-5 * np.abs(mine).max())  # rows are float32


def test_projection_keeps_the_norm() -> None:
    norms = {kind: np.linalg.norm(weights(problem(0.01), 1, project=kind)) for kind in (False, True)}
    assert norms[False] > 100.0
    assert norms[True] == pytest.approx(10.0)


@pytest.mark.parametrize("project", [False, True])
def test_sparse_and_dense(project: bool) -> None:
    runs = [weights(problem(as_csr=kind), 3000, 2, project=project) for kind in (False, True)]
    np.testing.assert_allclose(*runs, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("project", [False, True])
def test_advancing_in_pieces_has_the_same_bits(project: bool) -> None:
    p = problem(0.001)
    whole, single, pieces = (solver("pegasos", p, 3, project=project) for _ in range(3))
    whole.advance(Limit(iterations=700))
    for t in range(701):
        assert single.advance(Limit(iterations=t)) is Status.ITERATIONS
        single.snapshot()
    for limit in (Limit(feature_accesses=500), Limit(presentations=300), Limit(inner_products=301)):
        pieces.advance(limit)
    assert pieces.counters.iterations == 301
    pieces.advance(Limit(iterations=700))
    found = []
    for run in (whole, single, pieces):
        snapshot = run.snapshot()
        assert isinstance(snapshot, LinearSnapshot)
        found.append((snapshot.weights.tobytes(), run.counters))
    assert found[0] == found[1] == found[2]


def test_stops_at_the_iteration_that_reaches_the_feature_accesses() -> None:
    p = problem()
    stored = np.count_nonzero(folded(p), axis=1)
    stream = _core.Random(0, _core.Purpose.sampling)
    accesses = iterations = 0
    while accesses < 1000:
        accesses, iterations = accesses + int(stored[stream.below(N)]), iterations + 1
    pegasos = solver("pegasos", p)
    pegasos.advance(Limit(feature_accesses=1000))
    assert (pegasos.counters.feature_accesses, pegasos.counters.iterations) == (accesses, iterations)


def test_a_row_of_zeros_costs_nothing_sparse() -> None:
    X = np.zeros((4, 3), np.float32)
    p = Problem(sparse.csr_matrix(X), np.array([1, -1, 1, -1]), Linear(), lambda_=0.1)
    pegasos = solver("pegasos", p)
    pegasos.advance(Limit(iterations=50))
    assert (pegasos.counters.feature_accesses, pegasos.counters.feature_accesses_dense) == (0, 150)
    np.testing.assert_array_equal(weights(p, 50, project=True), np.zeros(3))


@pytest.mark.parametrize("project", [False, True])
def test_converges_to_the_optimum_of_liblinear(project: bool) -> None:
    p = problem(0.05, n=200)
    Z = folded(p)
    peer = LinearSVC(loss="hinge", C=1.0 / (0.05 * 200), fit_intercept=False, tol=1e-9, max_iter=10**6, random_state=0)
    best_w = peer.fit(p.y[:, None] * Z, p.y).coef_.ravel()

    def primal(w: Array) -> float:
        return float(0.5 * 0.05 * w @ w + np.maximum(0.0, 1.0 - Z @ w).mean())

    best = primal(best_w)
    excess = []
    for iterations in (200, 5000, 125_000):
        ends = [primal(weights(p, iterations, seed, project=project)) for seed in range(6)]
        excess.append(float(np.mean(ends)) - best)
        assert min(ends) >= best - 1e-7
    assert excess[1] < 0.2 * excess[0]
    assert excess[2] < 0.2 * excess[1]
    assert excess[2] < 1e-3 * best


def test_a_long_run_keeps_its_precision() -> None:
    """Scales shrink as 1/t and, projected from very far, by orders of magnitude a step: nothing is lost."""
    p = problem(1e-4)
    w = weights(p, 3_000_000, project=True)
    assert np.isfinite(w).all()
    assert np.linalg.norm(w) <= 100.0 * (1.0 + 1e-9)
    for lambda_ in (1e-30, 1e30):
        w = weights(problem(lambda_), 2000, project=True)
        assert np.isfinite(w).all()
        assert np.linalg.norm(w) * np.sqrt(lambda_) <= 1.0 + 1e-9


@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf])
def test_lambda(value: float) -> None:
    with pytest.raises(SettingsError, match=r"lambda = .*must be finite and positive"):
        problem(value)
    with pytest.raises(ValueError, match="lambda must be finite and positive"):
        _core.LinearPegasos(problem().features, lambda_=value, seed=0)


def test_missing_lambda() -> None:
    with pytest.raises(SettingsError, match=r"lambda form: set problem\.lambda_ or problem\.C"):
        solver("pegasos", problem(None))


@pytest.mark.parametrize("project", [False, True])
@pytest.mark.parametrize("as_csr", [False, True], ids=["dense", "csr"])
def test_float32(as_csr: bool, project: bool) -> None:
    """The same examples at the same cost, as long as rounding flips no margin; seven digits instead of sixteen."""
    p = problem(as_csr=as_csr)
    exact, single = (solver("pegasos", p, 3, project=project, precision=kind) for kind in Precision)
    for made in (exact, single):
        made.advance(Limit(iterations=3000))
    assert single.counters == exact.counters
    ends = [made.snapshot() for made in (exact, single)]
    largest = np.abs(ends[0].weights).max()
    np.testing.assert_allclose(ends[1].weights, ends[0].weights, rtol=0, atol=1e-5 * largest)
    assert (ends[1].weights != ends[0].weights).any()
    assert weights(p, 3000, 3, project=project).tobytes() == ends[0].weights.tobytes(), "float64 is the default"


def test_precision_needs_explicit_weights() -> None:
    X, y = points(N, D)
    kernels = Problem(X, y, Gaussian(1.0), lambda_=0.1, rows=RowPolicy(provider="on_the_fly"))
    with pytest.raises(SettingsError, match=r"algo\.precision is about explicit weights.*kernel=linear"):
        solver("pegasos", kernels, precision=Precision.float32)


def test_accounting_needs_a_kernel() -> None:
    """Both conventions count kernel evaluations; explicit weights need none."""
    with pytest.raises(SettingsError, match=r"algo\.accounting"):
        solver("pegasos", problem(), accounting=Accounting.kept)
