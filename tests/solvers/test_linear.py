"""Random Fourier features, and the exact linear SVM on them."""

from __future__ import annotations

import numpy as np
import pytest
import reference
from cases import points, problem, run, solver
from scipy import sparse
from sklearn.svm import LinearSVC

from svm_cost_curves.solvers import Gaussian, Limit, Problem, Status, _core
from svm_cost_curves.solvers.fourier import FourierSnapshot, fourier_features


@pytest.mark.parametrize("as_csr", [False, True])
def test_features_approach_the_kernel(as_csr: bool) -> None:
    """<P(x), P(z)> -> K(x, z) at the rate 1/sqrt(k), in the worst pair."""
    X, _ = points(40, 5, zeros=0.3)
    kernel = Gaussian(3.0)
    K = reference.kernel_matrix(kernel, X, X)
    worst = []
    for k in (64, 1024, 16_384):
        frequencies = (_core.Random(5, _core.Purpose.features).normal(k * 5).reshape(k, 5) / np.sqrt(3.0)).astype(
            np.float32
        )
        P = fourier_features(sparse.csr_matrix(X) if as_csr else X, frequencies)
        assert P.shape == (40, 2 * k)
        assert P.dtype == np.float32
        np.testing.assert_allclose(np.square(P).sum(axis=1), 1.0, atol=1e-4)
        worst.append(np.abs(P @ P.T - K).max())
        assert worst[-1] < 5.0 / np.sqrt(2 * k)
    assert worst[2] < 0.2 * worst[0]


def test_a_run_goes_through_the_powers_of_two() -> None:
    p = problem(80, lambda_=0.01)
    fourier = solver("fourier", p, pairs=6)
    sizes = []
    for iteration in (1, 2, 3):
        assert fourier.advance(Limit(iterations=iteration)) is Status.ITERATIONS
        sizes.append(fourier.counters.inner_products)
    assert sizes == [80, 160, 320]
    assert fourier.advance(Limit()) is Status.CONVERGED, "8 pairs would be more than 6"
    assert fourier.counters.inner_products == 320


def test_the_weights_are_the_optimum_on_the_features() -> None:
    p = problem(120, lambda_=0.01)
    snapshot = run("fourier", p, seed=3, pairs=16, relative_gap=1e-6, max_epochs=100_000).snapshot()
    assert isinstance(snapshot, FourierSnapshot)
    stream = _core.Random(3, _core.Purpose.features)
    frequencies = (stream.normal(16 * p.d).reshape(16, p.d) / np.sqrt(2.0)).astype(np.float32)
    P = fourier_features(p.X, frequencies).astype(np.float64)
    peer = LinearSVC(loss="hinge", C=p.C, fit_intercept=False, tol=1e-8, max_iter=2_000_000).fit(P, p.y)
    np.testing.assert_allclose(snapshot.decision_values(p.X), P @ peer.coef_.ravel(), atol=1e-2)
    assert snapshot.norm == pytest.approx(np.linalg.norm(peer.coef_), rel=1e-2)


def test_more_pairs_reduce_the_distance_to_the_kernel_svm() -> None:
    p = problem(150, lambda_=0.01)
    exact = run("smo", p, tolerance=1e-6).snapshot().responses
    distance = []
    for pairs in (4, 64, 2048):
        values = run("fourier", p, pairs=pairs).snapshot().decision_values(p.X)
        distance.append(float(np.abs(values * p.y - exact).mean()))
    assert distance[0] > 1.5 * distance[1] > 1.5**2 * distance[2]
    assert distance[2] < 0.15


def test_before_the_first_iteration_all_values_are_zero() -> None:
    p = problem(30)
    snapshot = solver("fourier", p, pairs=4).snapshot()
    np.testing.assert_array_equal(snapshot.decision_values(p.X), np.zeros(30))
    assert snapshot.norm == 0.0


def test_points_far_from_the_origin_keep_their_precision() -> None:
    """The training points' shift also applies to the points that are predicted."""
    X, y = points(100, 4)
    far = X + np.float32(1000.0)
    near, moved = (Problem(each, y, Gaussian(2.0), lambda_=0.01) for each in (X, far))
    values = [run("fourier", p, pairs=16).snapshot().decision_values(each) for p, each in ((near, X), (moved, far))]
    agree = np.mean(np.sign(values[0]) == np.sign(values[1]))
    assert agree > 0.8
