"""Kernel values, rows, Gram matrices and expansions against numpy in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import reference
from cases import STORAGE, expanded, filled, points
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from svm_cost_curves.solvers import Gaussian, Kernel, Linear, Polynomial, Problem, RowPolicy, SettingsError, _core, blas

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


def close(kernel: Kernel, X: np.ndarray, found: np.ndarray, expected: np.ndarray) -> None:
    """1e-6 of the largest value; plus, for a Gaussian far narrower than |x|, the rounding of |x|^2 in float32."""
    atol = 1e-6 * max(np.abs(expected).max(), 1.0)
    if isinstance(kernel, Gaussian):
        atol += 2.0**-22 * float(np.square(X).sum(axis=1).max()) / (2.0 * kernel.sigma2)
    np.testing.assert_allclose(found, expected, rtol=0, atol=atol)


@BY_KERNEL
@STORAGE
@pytest.mark.parametrize("n", [2, 17, 512, 513, 700])
def test_gram(kernel: Kernel, as_csr: bool, n: int) -> None:
    """n below, at and above the tile of 512, and tiles of a single row."""
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


@BY_KERNEL
@pytest.mark.parametrize("d", [1, 3, 8, 31, 300])
def test_widths(kernel: Kernel, d: int) -> None:
    X = (np.random.default_rng(d).normal(size=(33, d)) / np.sqrt(d)).astype(np.float32)
    expected = reference.kernel_matrix(kernel, X, X)
    for as_csr in (False, True):
        close(kernel, X, filled(kernel, core(X, as_csr)), expected)
        rows = _core.CachedRows(kernel.core(), core(X, as_csr), 5, 2)
        close(kernel, X, np.array([rows.row(i) for i in range(33)]), expected)


def test_gram_does_not_depend_on_threads() -> None:
    X, _ = points(1300, 9, zeros=0.5)
    for as_csr in (False, True):
        once = filled(Gaussian(2.0), core(X, as_csr), threads=1)
        for threads in (2, 3, 8):
            np.testing.assert_array_equal(filled(Gaussian(2.0), core(X, as_csr), threads), once)


def test_points_far_from_the_origin() -> None:
    """Elevations around 3,000: |x|^2 + |z|^2 - 2 <x, z> in float32 would lose everything; integers must be exact."""
    rng = np.random.default_rng(0)
    X = (3000 + rng.integers(-200, 200, size=(300, 10))).astype(np.float32)
    y = np.where(rng.random(300) < 0.5, 1, -1)
    kernel = Gaussian(5000.0)
    for provider in ("gram", "on_the_fly"):
        p = Problem(X, y, kernel, rows=RowPolicy(provider=provider, threads=1))
        found = np.array([p.rows.source.row(i) for i in range(p.n)])
        expected = reference.kernel_matrix(kernel, X[p.order], X[p.order])
        np.testing.assert_allclose(found, expected, rtol=0, atol=2e-7)
        naive = X.astype(np.float32) @ X.T
        squares = np.diag(naive)
        assert (
            np.abs(np.exp(-(squares[:, None] + squares - 2 * naive) / 1e4)[np.ix_(p.order, p.order)] - expected).max()
            > 1e-4
        )
    test = (3000 + rng.integers(-200, 200, size=(20, 10))).astype(np.float32)
    weights = np.eye(p.n)[:, :30].copy()
    values = expanded(kernel, p.matrix, p.core_matrix(p.points(test)), weights)
    np.testing.assert_allclose(values.T, reference.kernel_matrix(kernel, X[p.order][:30], test), rtol=0, atol=2e-7)


def test_binary_features_are_exact_to_rounding() -> None:
    """Adult's kind of data: distances are integers, so only exp rounds."""
    rng = np.random.default_rng(2)
    X = (rng.random((200, 123)) < 0.11).astype(np.float32)
    expected = reference.kernel_matrix(Gaussian(10.0), X, X)
    for as_csr in (False, True):
        np.testing.assert_allclose(filled(Gaussian(10.0), core(X, as_csr)), expected, rtol=1e-6)


@given(
    n=st.integers(2, 70),
    d=st.integers(1, 40),
    seed=st.integers(0, 2**32 - 1),
    zeros=st.floats(0, 1),
    kernel=st.sampled_from(KERNELS),
)
@settings(max_examples=60, deadline=None)
def test_sparse_rows_have_the_bits_of_the_gram_matrix(n: int, d: int, seed: int, zeros: float, kernel: Kernel) -> None:
    """Both add a product's terms in the order of the columns."""
    random = np.random.default_rng(seed)
    X = np.where(random.random((n, d)) < zeros, 0.0, random.normal(size=(n, d))).astype(np.float32)
    K = filled(kernel, core(X, as_csr=True))
    close(kernel, X, K, reference.kernel_matrix(kernel, X, X))
    rows = _core.CachedRows(kernel.core(), core(X, as_csr=True), 1, 2)
    np.testing.assert_array_equal(np.array([rows.row(i) for i in range(n)]), K)


@given(
    n=st.integers(2, 40),
    d=st.integers(1, 12),
    seed=st.integers(0, 2**32 - 1),
    zeros=st.sampled_from([0.0, 0.5, 0.95, 1.0]),
    kernel=st.sampled_from(KERNELS),
)
@settings(max_examples=150)
def test_dense_and_sparse_agree(n: int, d: int, seed: int, zeros: float, kernel: Kernel) -> None:
    """Rows without features and columns without entries included."""
    X = points(n, d, seed, zeros=zeros)[0]
    whole = filled(kernel, core(X, False))
    close(kernel, X, whole, reference.kernel_matrix(kernel, X, X))
    close(kernel, X, filled(kernel, core(X, True)), whole)


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
    found = expanded(kernel, core(X, as_csr), core(Z, as_csr), weights, 2)
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance)
    assert found.shape == (1100, 3)
    np.testing.assert_array_equal(found, expanded(kernel, core(X, as_csr), core(Z, as_csr), weights, 1))


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
        found = rows.expand(support, weights)
    np.testing.assert_allclose(found, K[support].T.astype(float) @ weights, rtol=0, atol=1e-14)
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


def test_expand_of_large_coefficients_that_cancel() -> None:
    """As with a large C and a wide kernel: a sum in float32 would be off by as much as the function's own values."""
    X, _ = points(600, 6, 1)
    K = filled(Gaussian(500.0), core(X, False))
    rows = _core.GramRows(Gaussian(500.0).core(), core(X, False), 300, K)
    weights = np.where(np.arange(600) < 300, 1e6, -1e6)[:, np.newaxis]
    with blas.connected():
        found = rows.expand(np.arange(600, dtype=np.uint32), weights)
    np.testing.assert_allclose(found, K.astype(float) @ weights, rtol=0, atol=1e-6)


def test_expand_of_nothing_is_zero() -> None:
    X, _ = points(5, 3)
    nothing = expanded(Gaussian(), core(X[:0], False), core(X, False), np.empty((0, 2)))
    np.testing.assert_array_equal(nothing, np.zeros((5, 2)))


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((np.array([0, 2], np.int64), np.array([0], np.int32), np.ones(1, np.float32), 3), "from 0 to the number"),
        ((np.array([0, 2, 1, 2], np.int64), np.zeros(2, np.int32), np.ones(2, np.float32), 3), "row 1"),
        ((np.array([0, 1], np.int64), np.array([3], np.int32), np.ones(1, np.float32), 3), r"outside \[0, 3\)"),
        ((np.array([0, 1], np.int64), np.array([-1], np.int32), np.ones(1, np.float32), 3), r"outside \[0, 3\)"),
        ((np.array([0, 1], np.int64), np.array([0, 1], np.int32), np.ones(1, np.float32), 3), "one length"),
        ((np.zeros(4, np.float32),), "two dimensions, got 1"),
    ],
)
def test_refuses_broken_matrices(arguments: tuple[Any, ...], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        _core.Matrix(*arguments)


def test_arguments_of_wrong_sizes_are_refused() -> None:
    X, _ = points(6, 3)
    matrix = core(X, False)
    with pytest.raises(TypeError):
        _core.Matrix(X.astype(np.float64))
    for out in (
        np.empty((6, 5), np.float32),
        np.empty((6, 6), np.float32, order="F"),
        np.empty((12, 6), np.float32)[::2],
    ):
        with pytest.raises(ValueError, match="n x n"):
            _core.fill_gram(Gaussian().core(), matrix, out)
    frozen = np.empty((6, 6), np.float32)
    frozen.setflags(write=False)
    with pytest.raises(ValueError, match="writable"):
        _core.fill_gram(Gaussian().core(), matrix, frozen)
    with pytest.raises(ValueError, match="same width"):
        expanded(Gaussian(), matrix, core(X[:, :2].copy(), False), np.ones((6, 1)))
    with pytest.raises(ValueError, match="same width and storage"):
        expanded(Gaussian(), matrix, core(X, True), np.ones((6, 1)))
    with pytest.raises(ValueError, match="support points, vectors"):
        expanded(Gaussian(), matrix, matrix, np.ones((5, 1)))
    with pytest.raises(ValueError, match="at least 2 rows, got 1"):
        _core.CachedRows(Gaussian().core(), matrix, 3, 1)
    for positives in (0, 6):
        with pytest.raises(ValueError, match="both classes"):
            _core.CachedRows(Gaussian().core(), matrix, positives, 2)
    rows = _core.CachedRows(Gaussian().core(), matrix, 3, 2)
    with pytest.raises(ValueError, match="no row 6"):
        rows.row(6)


def test_the_arrays_live_as_long_as_the_rows() -> None:
    def make() -> _core.CachedRows:
        X, _ = points(200, 50)
        return _core.CachedRows(Linear().core(), _core.Matrix(X), 100, 2)

    rows = make()
    rubbish = [np.full((200, 50), 9.0, np.float32) for _ in range(20)]
    X, _ = points(200, 50)
    close(Linear(), X, rows.row(3), X.astype(float) @ X[3])
    assert len(rubbish) == 20


def test_row_cache_keeps_the_last_rows() -> None:
    X, _ = points(30, 4)
    rows = _core.CachedRows(Gaussian().core(), core(X, False), 10, 3)
    for i in (0, 1, 2, 0, 1, 2):
        rows.row(i)
    assert rows.computed == 3
    rows.row(3)  # 0 goes
    rows.row(1)
    rows.row(2)
    assert rows.computed == 4
    rows.row(0)
    assert rows.computed == 5
    rows.row(1)  # it was more recently used than 3, which went
    assert rows.computed == 5
    assert _core.CachedRows(Gaussian().core(), core(X, False), 10, 1000).capacity == 30


@BY_KERNEL
@pytest.mark.parametrize("d", [1, 63, 64, 65, 128, 129, 300, 1024, 1025])
def test_rows_of_binary_points_equal_the_gram_matrix(kernel: Kernel, d: int) -> None:
    """Packed words below and above one word, at the widths with code of their own, and just too wide to be packed."""
    X = (np.random.default_rng(d).random((70, d)) < 0.3).astype(np.float32)
    rows = _core.CachedRows(kernel.core(), core(X, as_csr=False), 1, 2)
    found = np.stack([rows.row(i) for i in range(len(X))])
    expected = reference.kernel_matrix(kernel, X, X)
    np.testing.assert_allclose(found, expected, rtol=2e-6, atol=1e-30)
    K = filled(kernel, core(X, as_csr=False))
    if d <= 1024:
        np.testing.assert_array_equal(found, K)
    np.testing.assert_allclose(found, K, rtol=1e-6, atol=1e-30)


def test_a_width_whose_inverse_overflows_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"kernel\.sigma2 = 4\.94066e-324: it is too small"):
        Gaussian(5e-324)
