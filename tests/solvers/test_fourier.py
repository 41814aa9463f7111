"""Random Fourier features, as pairs and with random phases, and the exact linear SVM on the pairs."""

from __future__ import annotations

from dataclasses import astuple

import numpy as np
import pytest
import reference
from cases import STORAGE, Array, dense, problem, run, solver
from sklearn.svm import LinearSVC

from svm_cost_curves.solvers import Gaussian, Limit, Problem, Status, _core
from svm_cost_curves.solvers.cosines import Cosines
from svm_cost_curves.solvers.fourier import fourier_features

N, D = 60, 5


def pairs_of(p: Problem, k: int) -> Array:
    """The first k pairs of a problem's features, (n, 2 k), with seed 5."""
    sigma = np.sqrt(p.kernel.sigma2)
    frequencies = _core.Random(5, _core.Purpose.features).normal(k * p.d).reshape(k, p.d) / sigma
    return fourier_features(p.X, frequencies.astype(np.float32))


@STORAGE
@pytest.mark.parametrize("kind", ["pairs", "cosines"])
def test_features_approach_the_kernel(kind: str, as_csr: bool) -> None:
    """Inner products tend to K(x, z) at the rate 1/sqrt(d), in the worst pair."""
    p = problem(40, 5, kernel=Gaussian(3.0), as_csr=as_csr, zeros=0.3)
    K = reference.kernel_matrix(p.kernel, dense(p), dense(p))
    worst = []
    for d in (128, 1024, 8192):
        P = Cosines.draw(p, d, 5).of(p.X) if kind == "cosines" else pairs_of(p, d // 2)
        assert P.shape == (40, d)
        assert P.dtype == np.float32
        assert P.flags.c_contiguous
        if kind == "pairs":
            np.testing.assert_allclose(np.square(P).sum(axis=1), 1.0, atol=1e-4)
        worst.append(float(np.abs(P.astype(np.float64) @ P.T - K).max()))
        assert worst[-1] < 6.0 / np.sqrt(d)
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
    assert fourier.advance(Limit(kernel_evaluations=5, presentations=5)) is Status.CONVERGED, "charged in neither"
    assert fourier.counters.inner_products == 320


def test_the_weights_are_the_optimum_on_the_features() -> None:
    p = problem(120, lambda_=0.01)
    snapshot = run("fourier", p, seed=3, pairs=16, relative_gap=1e-6, max_epochs=100_000).snapshot()
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


@STORAGE
def test_costs(as_csr: bool) -> None:
    """The first k frequencies are also the first of 2k: costs are those of the largest k."""
    p = problem(N, D, as_csr=as_csr, zeros=0.6)
    for iterations, k in ((0, 0), (1, 1), (2, 2), (4, 8)):
        counters = run("fourier", p, Limit(iterations=iterations), pairs=64).counters
        assert astuple(counters) == (iterations, None, None, k * N, k * p.matrix.stored, k * N * D)
        assert counters.epochs(N) is None
