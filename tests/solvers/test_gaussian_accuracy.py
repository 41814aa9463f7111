"""Gaussian kernel values against differences in float64: all ways to get them, for points of any length."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import reference
from cases import STORAGE, Array, expanded, filled
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import sparse

from svm_cost_curves.solvers import Gaussian, Problem, RowPolicy, _core, blas
from svm_cost_curves.solvers.cosines import Cosines, angles_of
from svm_cost_curves.solvers.features import Features
from svm_cost_curves.solvers.fourier import fourier_features
from svm_cost_curves.solvers.predictors import BasisPredictor, KernelPredictor

N = 24
LONG = 8192.5
"""Where gamma (|x|^2 + |z|^2) is larger, no kernel value of x and z is computed in float32."""


KINDS: dict[str, Callable[[np.random.Generator, int], Array]] = {
    "one cluster": lambda rng, d: rng.normal(size=(N, d)) + 1e3 * rng.normal(size=d),
    "two clusters": lambda rng, d: rng.normal(size=(N, d)) + np.where(rng.random(N) < 0.5, 3000.0, -3000.0)[:, None],
    "days": lambda rng, d: np.hstack([rng.integers(0, 1158, (N, 1)), rng.random((N, d - 1))]),
    "around zero": lambda rng, d: rng.normal(size=(N, d)) * (rng.random((N, d)) < 0.7),
    "outlier": lambda rng, d: np.vstack([np.full((1, d), 1e4), 1e-2 * rng.normal(size=(N - 1, d))]),
    "binary": lambda rng, d: (rng.random((N, d)) < 0.5).astype(float),
}


def made(kind: str, seed: int, d: int, scale: float) -> Array:
    """(N, d) float32, some points twice."""
    X = (scale * KINDS[kind](np.random.default_rng(seed), d)).astype(np.float32)
    X[-4:] = X[:4]
    return X


def check(computed: Array, expected: Array, long: Array) -> None:
    """A thousandth or so where float32 is used; the last bits of float32 where it is not."""
    np.testing.assert_allclose(computed, expected, rtol=0, atol=4e-3)
    np.testing.assert_allclose(computed[long], expected[long], rtol=0, atol=2e-7)


@given(
    kind=st.sampled_from(list(KINDS)),
    seed=st.integers(0, 2**32 - 1),
    d=st.integers(1, 12),
    scale=st.sampled_from([10.0**k for k in range(-6, 7)]),
    width=st.sampled_from([1e-4, 1e-2, 1.0, 30.0, 1e3, 1e6]),
    as_csr=st.booleans(),
)
@example(kind="two clusters", seed=0, d=4, scale=1.0, width=1.0, as_csr=False)
@example(kind="one cluster", seed=0, d=4, scale=10.0, width=1.0, as_csr=True)
@example(kind="days", seed=0, d=2, scale=1.0, width=1.0, as_csr=False)
@settings(max_examples=60, deadline=None)
def test_kernel_values(kind: str, seed: int, d: int, scale: float, width: float, as_csr: bool) -> None:
    """Rows, Gram matrices, expansions and features; where values come from differences they all have the same bits.

    Rows and Gram matrices are symmetric to the bit. Expansions and features are blocks of a matrix product: BLAS may
    add the terms of x'z and of z'x in another order.
    """
    X = made(kind, seed, d, scale)
    kernel = Gaussian((width * scale) ** 2)
    expected = reference.kernel_matrix(kernel, X, X)
    norms = np.square(X.astype(float)).sum(axis=1) / (2.0 * kernel.sigma2)
    long = norms[:, None] + norms > LONG
    matrix = Problem.core_matrix(sparse.csr_matrix(X) if as_csr else X)
    K = filled(kernel, matrix)
    check(K, expected, long)
    assert np.array_equal(K, K.T)
    assert np.all(np.diag(K) == 1.0)
    assert np.all(K[-4:, :4][np.diag_indices(4)][long[-4:, :4][np.diag_indices(4)]] == 1.0), "the same point twice"
    rows = _core.CachedRows(kernel.core(), matrix, 1, 2)
    by_row = np.array([rows.row(i) for i in range(N)])
    assert np.array_equal(by_row, by_row.T)
    values = expanded(kernel, matrix, matrix, np.eye(N))
    features = np.empty((N, N), np.float32)
    with blas.connected():
        _core.fill_features(kernel.core(), matrix, matrix, np.eye(N, dtype=np.float32), features)
    packed = kind == "binary" and not as_csr  # a row of binary points is looked up, by a whole distance
    for computed in (by_row, values, features):
        check(computed, expected, long)
        assert packed or np.array_equal(computed[long], K[long])


@given(
    kind=st.sampled_from(list(KINDS)[:-1]),
    seed=st.integers(0, 2**32 - 1),
    d=st.integers(1, 6),
    scale=st.sampled_from([10.0**k for k in range(-6, 7)]),
    width=st.sampled_from([1e-2, 1.0, 30.0]),
    as_csr=st.booleans(),
)
@example(kind="outlier", seed=0, d=4, scale=1.0, width=1e-2, as_csr=False)
@settings(max_examples=30, deadline=None)
def test_a_problem_and_its_predictors(kind: str, seed: int, d: int, scale: float, width: float, as_csr: bool) -> None:
    """The shift included, which may not round points that lie close to each other."""
    X = made(kind, seed, d, scale)
    kernel = Gaussian((width * scale) ** 2)
    y = np.where(np.arange(N) % 2 == 0, 1, -1)
    given = sparse.csr_matrix(X) if as_csr else X
    p = Problem(given, y, kernel, rows=RowPolicy(provider="on_the_fly"))
    expected = reference.kernel_matrix(kernel, X[p.order], X[p.order])
    rows = np.array([p.rows.source.row(i) for i in range(N)])
    np.testing.assert_allclose(rows, expected, rtol=0, atol=4e-3)
    others = p.points(given)
    for k in range(3):
        one = KernelPredictor(kernel, p.X[k : k + 1], np.ones(1)).values(others)
        np.testing.assert_allclose(one, reference.kernel_matrix(kernel, X, X[p.order])[:, k], rtol=0, atol=4e-3)
    basis = p.X if isinstance(p.X, np.ndarray) else p.X.toarray()
    values = BasisPredictor(basis, np.eye(N), 0.5 / kernel.sigma2).values(others)
    np.testing.assert_allclose(values, reference.kernel_matrix(kernel, X, X[p.order]), rtol=0, atol=1e-4)
    np.testing.assert_array_equal(np.diag(values[p.order]) > 1.0 - 1e-6, True)


@STORAGE
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e3, 1e6])
def test_random_features_of_long_points(scale: float, as_csr: bool) -> None:
    """Angles of millions: float32 would keep one digit of their cosine."""
    X = made("two clusters", 1, 5, scale)
    X[1] = 0.0  # short points among them
    Z: Features = sparse.csr_matrix(X) if as_csr else X
    frequencies = np.random.default_rng(2).normal(size=(40, 5)).astype(np.float32)
    angles = X.astype(float) @ frequencies.T.astype(float)
    assert angles_of(Z, frequencies).dtype == np.float32
    np.testing.assert_allclose(np.cos(angles_of(Z, frequencies)), np.cos(angles), rtol=0, atol=2e-3)
    pairs = fourier_features(Z, frequencies) * np.sqrt(40.0)
    np.testing.assert_allclose(pairs, np.hstack([np.cos(angles), np.sin(angles)]), rtol=0, atol=2e-3)
    cosines = Cosines(frequencies, np.full(40, 0.5, np.float32))
    np.testing.assert_allclose(cosines.of(Z) * np.sqrt(20.0), np.cos(angles + 0.5), rtol=0, atol=2e-3)
