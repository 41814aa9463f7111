"""Nystrom features against the matrices that define them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import reference
from cases import STORAGE, Array, dense, points, problem
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import linalg, sparse

from svm_cost_curves.solvers import Gaussian, Linear, Polynomial, Problem, SettingsError, _core
from svm_cost_curves.solvers.nystrom import Nystrom


def by_hand(p: Problem, nystrom: Nystrom) -> Array:
    """K_{.S} K_SS^+ K_{S.} in float64; eigenvalues below the floor count as zero."""
    X = dense(p)
    K = reference.kernel_matrix(p.kernel, X, X[nystrom.points])
    eigenvalues, Q = linalg.eigh(K[nystrom.points])
    kept = eigenvalues >= nystrom.floor
    return (K @ Q[:, kept] / eigenvalues[kept]) @ (K @ Q[:, kept]).T


@STORAGE
@pytest.mark.parametrize("kernel", [Gaussian(2.0), Polynomial(2, 0.3, 1.0), Linear()], ids=str)
@pytest.mark.parametrize("count", [1, 7, 40])
def test_products_of_features(kernel: Gaussian, as_csr: bool, count: int) -> None:
    p = problem(60, 5, as_csr=as_csr, zeros=0.3, kernel=kernel)
    nystrom = Nystrom.sample(p, count, 1e-16, seed=3)
    V, *_ = nystrom.of_training_points()
    assert V.shape == (60, nystrom.rank)
    assert V.dtype == np.float32
    expected = by_hand(p, nystrom)
    np.testing.assert_allclose(V.astype(np.float64) @ V.T, expected, rtol=0, atol=2e-4 * np.abs(expected).max())


@given(seed=st.integers(0, 2**32), n=st.integers(4, 40), share=st.floats(0.05, 1.0), sigma2=st.floats(0.05, 50.0))
@settings(max_examples=40, deadline=None)
def test_any_sample(seed: int, n: int, share: float, sigma2: float) -> None:
    """V V' never exceeds K, as the projection that it is, and equals it on the sampled points."""
    p = problem(n, 3, seed=seed % 1000, kernel=Gaussian(sigma2), rows={"provider": "on_the_fly"})
    count = max(1, int(share * n))
    nystrom = Nystrom.sample(p, count, 1e-16, seed)
    assert sorted(set(nystrom.points.tolist())) == nystrom.points.tolist()
    assert len(nystrom.points) == count
    V, *_ = nystrom.of_training_points()
    X = dense(p)
    K = reference.kernel_matrix(p.kernel, X, X)
    products = V.astype(np.float64) @ V.T
    slack = 1e-4 * n
    assert linalg.eigvalsh(K - products)[0] > -slack
    block = np.ix_(nystrom.points, nystrom.points)
    np.testing.assert_allclose(products[block], K[block], rtol=0, atol=slack)


def test_equal_points_add_no_features() -> None:
    X, y = points(10, 3)
    p = Problem(np.vstack([X, X, X]), np.concatenate([y, y, y]), Gaussian(1.0))
    nystrom = Nystrom.sample(p, 30, 1e-16, 0)
    assert nystrom.rank == 10
    assert "10 features from 30 sampled points" in nystrom.remark()
    V, *_ = nystrom.of_training_points()
    K = reference.kernel_matrix(p.kernel, dense(p), dense(p))
    np.testing.assert_allclose(V.astype(np.float64) @ V.T, K, rtol=0, atol=1e-5)


def test_the_expansion_is_the_linear_function() -> None:
    """sum over S of alpha k(t_i, t) = <g, features of t>, for training points and others."""
    p = problem(80, 4)
    nystrom = Nystrom.sample(p, 30, 1e-16, 2)
    g = np.random.default_rng(0).normal(size=nystrom.rank)
    alpha = nystrom.coefficients(g)
    assert np.flatnonzero(alpha).tolist() == nystrom.points.tolist()
    X = dense(p)
    others = points(25, 4, 9)[0]
    for Z, V in ((X, nystrom.of_training_points()[0]), (p.points(others), nystrom.of(others))):
        values = reference.kernel_matrix(p.kernel, Z.astype(np.float64), X) @ alpha
        np.testing.assert_allclose(V @ g, values, rtol=0, atol=1e-3 * np.abs(values).max())
    K = reference.kernel_matrix(p.kernel, X, X)
    assert alpha @ K @ alpha == pytest.approx(g @ g, rel=1e-3), "the norms are one, too"


def test_the_threshold_takes_the_place_of_the_floor_of_float32() -> None:
    p = problem(200, 4, kernel=Gaussian(1e3))
    thresholds = (0.0, 1e-7, None, 1e-2)
    samples = [Nystrom.sample(p, 100, 1e-16, 0, threshold=threshold) for threshold in thresholds]
    ranks = [one.rank for one in samples]
    assert ranks == sorted(ranks, reverse=True)
    assert len(set(ranks)) == 4
    for one, threshold in zip(samples, thresholds, strict=True):
        floor = np.sqrt(100) * 2.0**-23 if threshold is None else max(threshold, 1e-16 * one.eigenvalues[0])
        assert one.floor == pytest.approx(floor)
        assert one.eigenvalues[-1] >= one.floor
    assert samples[0].eigenvalues[-1] > 0.0


def test_a_sample_of_rank_0_is_refused() -> None:
    X = np.zeros((10, 3), dtype=np.float32)
    p = Problem(sparse.csr_matrix(X), np.array([1, -1] * 5), Linear())
    with pytest.raises(SettingsError, match="4 sampled points has rank 0"):
        Nystrom.sample(p, 4, 1e-16, 0)


def test_the_core_checks_shapes() -> None:
    p = problem(20, 3)
    function, matrix = p.kernel.core(), p.matrix
    with pytest.raises(ValueError, match=r"a projection is \(features, basis points\)"):
        _core.fill_features(function, matrix, matrix, np.zeros((4, 19), np.float32), np.zeros((20, 4), np.float32))
    for shape in ((19, 4), (20, 5), (20,)):
        with pytest.raises(ValueError, match="writable C-contiguous array of points x features"):
            _core.fill_features(function, matrix, matrix, np.zeros((4, 20), np.float32), np.zeros(shape, np.float32))
    with pytest.raises(TypeError):
        _core.fill_features(function, matrix, matrix, np.zeros((4, 20)), np.zeros((20, 4), np.float32))
    with pytest.raises(RuntimeError, match="enough"):
        _core.fill_features(
            function, matrix, matrix, np.zeros((4, 20), np.float32), np.zeros((20, 4), np.float32), 1, _refusing
        )


def _refusing(done: float) -> None:
    raise RuntimeError("that is enough")


def test_the_floor_of_float32() -> None:
    """Dropped eigenvalues are rounding errors: with a very wide kernel most eigenvalues are noise."""
    p = problem(200, 4, kernel=Gaussian(1e6))
    nystrom = Nystrom.sample(p, 100, 1e-16, 0)
    assert nystrom.rank < 10
    V, *_ = nystrom.of_training_points()
    np.testing.assert_allclose(V.astype(np.float64) @ V.T, np.ones((200, 200)), atol=1e-3)
    assert replace(nystrom, floor=1.0).remark().endswith("lie below 1")


def test_a_larger_eps_d_keeps_fewer() -> None:
    samples = [Nystrom.sample(problem(100, 5), 50, eps_d, 0) for eps_d in (1e-16, 1e-3, 1e-1, 0.999)]
    assert [samples[0].rank, samples[3].rank] == [50, 1]
    assert samples[0].rank >= samples[1].rank > samples[2].rank > 1
    kept = samples[1].eigenvalues
    assert (np.diff(kept) <= 0).all()
    assert kept[-1] >= 1e-3 * kept[0]
