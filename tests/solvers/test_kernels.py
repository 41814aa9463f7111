"""Kernel values, rows, Gram matrices and expansions against numpy in float64."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import reference
from cases import STORAGE, expanded, filled, points
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from svm_cost_curves.solvers import Gaussian, Kernel, Linear, Polynomial, Problem, SettingsError, _core, blas

KERNELS: list[Kernel] = [
    Gaussian(2.0),
    Gaussian(0.05),
    Gaussian(1e4),
    Polynomial(3, 0.5, 1.0),
    Polynomial(1, 2.0, 0.0),
    Linear(),
]
BY_KERNEL = pytest.mark.parametrize("kernel", KERNELS, ids=str)


def core(X: np.ndarray, as_csr: bool) -> _core.Matrix:
    return Problem.core_matrix(sparse.csr_matrix(X) if as_csr else X)


def close(kernel: Kernel, X: np.ndarray, computed: np.ndarray, expected: np.ndarray) -> None:
    """1e-6 of the largest value; plus, for a Gaussian far narrower than |x|, the rounding of |x|^2 in float32."""
    atol = 1e-6 * max(np.abs(expected).max(), 1.0)
    if isinstance(kernel, Gaussian):
        atol += 2.0**-22 * float(np.square(X).sum(axis=1).max()) / (2.0 * kernel.sigma2)
    np.testing.assert_allclose(computed, expected, rtol=0, atol=atol)


@BY_KERNEL
@STORAGE
@pytest.mark.parametrize("n", [2, 513])
def test_gram(kernel: Kernel, as_csr: bool, n: int) -> None:
    """n below and above the tile of 512; `cpp/tests/test_gram.cpp` has other sizes, and threads."""
    X, _ = points(n, 7, zeros=0.5)
    K = filled(kernel, core(X, as_csr))
    expected = reference.kernel_matrix(kernel, X, X)
    close(kernel, X, K, expected)
    np.testing.assert_array_equal(K, K.T)
    np.testing.assert_allclose(np.diag(K), np.diag(expected), rtol=1e-6)
    if isinstance(kernel, Gaussian):
        assert np.all(np.diag(K) == 1.0)
        assert K.max() <= 1.0
        assert K.min() >= 0.0
    rows = _core.CachedRows(kernel.core(), core(X, as_csr), 1, 2)
    np.testing.assert_array_equal(rows.diagonal, np.diag(K))
    for i in (0, n // 2, n - 1):
        close(kernel, X, rows.row(i), expected[i])
        assert rows.row(i)[i] == rows.diagonal[i]


@given(
    n=st.integers(2, 40),
    d=st.sampled_from([1, 3, 8, 31, 40, 300]),
    seed=st.integers(0, 2**32 - 1),
    zeros=st.sampled_from([0.0, 0.5, 0.95, 1.0]),
    kernel=st.sampled_from(KERNELS),
)
@settings(max_examples=60, deadline=None)
def test_dense_and_sparse_agree(n: int, d: int, seed: int, zeros: float, kernel: Kernel) -> None:
    """Rows without features included. Rows of sparse points have the bits of the matrix: terms in one order."""
    random = np.random.default_rng(seed)
    X = (np.where(random.random((n, d)) < zeros, 0.0, random.normal(size=(n, d))) / np.sqrt(d)).astype(np.float32)
    expected = reference.kernel_matrix(kernel, X, X)
    for as_csr in (False, True):
        K = filled(kernel, core(X, as_csr))
        close(kernel, X, K, expected)
        rows = _core.CachedRows(kernel.core(), core(X, as_csr), 1, 2)
        by_row = np.array([rows.row(i) for i in range(n)])
        close(kernel, X, by_row, expected)
        assert np.array_equal(by_row, K) or not as_csr


@BY_KERNEL
@STORAGE
def test_expand(kernel: Kernel, as_csr: bool) -> None:
    """Sums over support points, more than a tile of either side, for several coefficient vectors at once."""
    X, _ = points(600, 6, 1, zeros=0.4)
    Z, _ = points(1100, 6, 2, zeros=0.4)
    rng = np.random.default_rng(3)
    weights = rng.normal(size=(600, 3))
    expected = reference.kernel_matrix(kernel, Z, X) @ weights
    tolerance = 1e-5 * np.abs(reference.kernel_matrix(kernel, Z, X)).sum(axis=1).max()
    sums = expanded(kernel, core(X, as_csr), core(Z, as_csr), weights, 2)
    np.testing.assert_allclose(sums, expected, rtol=0, atol=tolerance)
    assert sums.shape == (1100, 3)
    np.testing.assert_array_equal(sums, expanded(kernel, core(X, as_csr), core(Z, as_csr), weights, 1))


@pytest.mark.parametrize("counts", [(10, 300, 600), (300, 300, 600), (0, 0, 500), (600, 0, 20), (0, 0, 0)])
def test_expand_of_vectors_with_zeros(counts: tuple[int, ...]) -> None:
    """Vector k has `counts[k]` coefficients: zeros fill a part of a tile of 256 support points, a tile, or all."""
    X, _ = points(600, 6, 1)
    weights = np.random.default_rng(3).normal(size=(600, 3)) * (np.arange(600)[:, np.newaxis] < counts)
    expected = reference.kernel_matrix(Gaussian(2.0), X, X) @ weights
    np.testing.assert_allclose(expanded(Gaussian(2.0), core(X, False), core(X, False), weights), expected, atol=1e-3)
    K = filled(Gaussian(2.0), core(X, False))
    rows = _core.GramRows(Gaussian(2.0).core(), core(X, False), 300, K)
    with blas.connected():
        sums = rows.expand(np.arange(600, dtype=np.uint32), weights)
    np.testing.assert_allclose(sums, K.astype(float) @ weights, rtol=0, atol=1e-12)


@BY_KERNEL
@pytest.mark.parametrize("d", [1, 64, 65, 300])
def test_expand_at_binary_points_and_others(kernel: Kernel, d: int) -> None:
    rng = np.random.default_rng(d)
    X, Z = ((rng.random((count, d)) < 0.3).astype(np.float32) for count in (300, 70))
    weights = rng.normal(size=(300, 2))
    for others in (Z, 0.5 * Z):  # packed as X is, and not
        K = reference.kernel_matrix(kernel, others, X)
        tolerance = 1e-5 * np.abs(K).sum(axis=1).max() + 1e-30
        sums = expanded(kernel, core(X, False), core(others, False), weights)
        np.testing.assert_allclose(sums, K @ weights, rtol=0, atol=tolerance)


def test_expand_from_the_gram_matrix() -> None:
    X, _ = points(600, 6, 1)
    K = filled(Gaussian(2.0), core(X, False))
    rows = _core.GramRows(Gaussian(2.0).core(), core(X, False), 300, K)
    support = np.array([5, 599, 0, 77], dtype=np.uint32)
    weights = np.random.default_rng(0).normal(size=(4, 2))
    with blas.connected():
        sums = rows.expand(support, weights)
    np.testing.assert_allclose(sums, K[support].T.astype(float) @ weights, rtol=0, atol=1e-14)
    with pytest.raises(ValueError, match="no row 600"):
        rows.expand(np.array([600], dtype=np.uint32), weights[:1])


def test_expand_refuses_coefficients_that_are_not_aligned() -> None:
    coefficients = np.zeros(25, np.uint8)[1:].view(np.float64).reshape(3, 1)
    matrix = core(np.eye(3, dtype=np.float32), False)
    gram = _core.GramRows(Linear().core(), matrix, 1, np.eye(3, dtype=np.float32))
    with pytest.raises(ValueError, match="does not begin at a multiple"):
        expanded(Linear(), matrix, matrix, coefficients)
    with pytest.raises(ValueError, match="does not begin at a multiple"):
        gram.expand(np.arange(3, dtype=np.uint32), coefficients)


X6 = points(6, 3)[0]
M6 = core(X6, False)
FROZEN = np.empty((6, 6), np.float32)
FROZEN.setflags(write=False)
CACHED = _core.CachedRows(Gaussian().core(), M6, 3, 2)


def csr(offsets: list[int], indices: list[int], columns: int = 3) -> _core.Matrix:
    return _core.Matrix(np.array(offsets), np.array(indices, np.int32), np.ones(len(offsets) - 1, np.float32), columns)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: csr([0, 2], [0]), "from 0 to the number"),
        (lambda: _core.Matrix(np.array([0, 2, 1, 2]), np.zeros(2, np.int32), np.ones(2, np.float32), 3), "row 1"),
        (lambda: csr([0, 1], [3]), r"outside \[0, 3\)"),
        (lambda: csr([0, 1], [-1]), r"outside \[0, 3\)"),
        (lambda: csr([0, 1], [0, 1]), "one length"),
        (lambda: _core.Matrix(np.zeros(4, np.float32)), "two dimensions, got 1"),
        (lambda: _core.fill_gram(Gaussian().core(), M6, np.empty((6, 5), np.float32)), "n x n"),
        (lambda: _core.fill_gram(Gaussian().core(), M6, np.empty((6, 6), np.float32, order="F")), "n x n"),
        (lambda: _core.fill_gram(Gaussian().core(), M6, np.empty((12, 6), np.float32)[::2]), "n x n"),
        (lambda: _core.fill_gram(Gaussian().core(), M6, FROZEN), "writable"),
        (lambda: expanded(Gaussian(), M6, core(X6[:, :2].copy(), False), np.ones((6, 1))), "same width"),
        (lambda: expanded(Gaussian(), M6, core(X6, True), np.ones((6, 1))), "same width and storage"),
        (lambda: expanded(Gaussian(), M6, M6, np.ones((5, 1))), "support points, vectors"),
        (lambda: _core.CachedRows(Gaussian().core(), M6, 3, 1), "at least 2 rows, got 1"),
        (lambda: _core.CachedRows(Gaussian().core(), M6, 0, 2), "both classes"),
        (lambda: _core.CachedRows(Gaussian().core(), M6, 6, 2), "both classes"),
        (lambda: CACHED.row(6), "no row 6"),
    ],
)
def test_broken_matrices_and_arguments_of_wrong_sizes_are_refused(call: Callable[[], Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        call()
    with pytest.raises(TypeError):
        _core.Matrix(X6.astype(np.float64))


def test_the_arrays_live_as_long_as_the_rows() -> None:
    def make() -> _core.CachedRows:
        X, _ = points(200, 50)
        return _core.CachedRows(Linear().core(), _core.Matrix(X), 100, 2)

    rows = make()
    rubbish = [np.full((200, 50), 9.0, np.float32) for _ in range(20)]
    X, _ = points(200, 50)
    close(Linear(), X, rows.row(3), X.astype(float) @ X[3])
    assert len(rubbish) == 20


@BY_KERNEL
@pytest.mark.parametrize("d", [1, 63, 64, 65, 128, 129, 300, 1024, 1025])
def test_rows_of_binary_points_equal_the_gram_matrix(kernel: Kernel, d: int) -> None:
    """Packed words below and above one word, at the widths with code of their own, and just too wide to be packed."""
    X = (np.random.default_rng(d).random((70, d)) < 0.3).astype(np.float32)
    rows = _core.CachedRows(kernel.core(), core(X, as_csr=False), 1, 2)
    by_row = np.stack([rows.row(i) for i in range(len(X))])
    expected = reference.kernel_matrix(kernel, X, X)
    np.testing.assert_allclose(by_row, expected, rtol=2e-6, atol=1e-30)
    K = filled(kernel, core(X, as_csr=False))
    if d <= 1024:
        np.testing.assert_array_equal(by_row, K)
    np.testing.assert_allclose(by_row, K, rtol=1e-6, atol=1e-30)


def test_a_width_whose_inverse_overflows_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"kernel\.sigma2 = 4\.94066e-324: it is too small"):
        Gaussian(5e-324)
