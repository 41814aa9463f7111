"""Order by class, storage formats, the constant feature, and what the caller's arrays look like afterwards."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import reference
from cases import STORAGE, points, run
from scipy import sparse

from svm_cost_curves.solvers import (
    Gaussian,
    Limit,
    Linear,
    LinearSnapshot,
    Polynomial,
    Problem,
    RowPolicy,
    SettingsError,
)

ON_THE_FLY = RowPolicy(provider="on_the_fly")


def rows(p: Problem) -> np.ndarray:
    return np.array([p.rows.source.row(i) for i in range(p.n)])


def test_order_by_class() -> None:
    X, y = points(30, 3)
    p = Problem(X, y, Linear(), lambda_=0.02)
    np.testing.assert_array_equal(p.order, np.concatenate([np.flatnonzero(y == 1), np.flatnonzero(y == -1)]))
    np.testing.assert_array_equal(p.X, X[p.order])
    np.testing.assert_array_equal(p.y, y[p.order])
    assert p.positives == np.sum(y == 1)
    assert p.y.dtype == np.int8
    assert (p.n, p.d) == (30, 3)
    assert pytest.approx(1.0 / (0.02 * 30)) == p.C


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float32, np.float64])
def test_label_types(dtype: type) -> None:
    X, y = points(30, 3)
    np.testing.assert_array_equal(Problem(X, y.astype(dtype), Linear()).order, Problem(X, y, Linear()).order)


def layouts() -> list[Any]:
    X, _ = points(20, 6, zeros=0.5)
    csr = sparse.csr_matrix(X)
    wide = sparse.csr_matrix(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    shuffled = csr.copy()
    for i in range(20):
        part = slice(shuffled.indptr[i], shuffled.indptr[i + 1])
        shuffled.indices[part] = shuffled.indices[part][::-1].copy()
        shuffled.data[part] = shuffled.data[part][::-1].copy()
    shuffled.has_sorted_indices = False
    halves = sparse.csr_matrix(
        (np.repeat(csr.data / 2, 2), np.repeat(csr.indices, 2), csr.indptr * 2), shape=csr.shape, dtype=np.float32
    )
    return [
        pytest.param(np.asfortranarray(X), id="fortran order"),
        pytest.param(np.repeat(X, 2, axis=0)[::2], id="strided"),
        pytest.param(csr, id="csr"),
        pytest.param(wide, id="int64 indices"),
        pytest.param(sparse.csr_array(X), id="csr array"),
        pytest.param(sparse.csc_matrix(X), id="csc"),
        pytest.param(sparse.coo_matrix(X), id="coo"),
        pytest.param(shuffled, id="unsorted"),
        pytest.param(halves, id="duplicates"),
    ]


@pytest.mark.parametrize("given", layouts())
@pytest.mark.parametrize("kernel", [Gaussian(2.0), Linear()], ids=str)
def test_any_layout_gives_the_same_kernel(given: Any, kernel: Gaussian) -> None:
    X, y = points(20, 6, zeros=0.5)
    before = given.copy()
    p = Problem(given, y, kernel, rows=ON_THE_FLY)
    np.testing.assert_allclose(rows(p), reference.kernel_matrix(kernel, X[p.order], X[p.order]), atol=1e-5)
    if sparse.issparse(given):
        assert p.matrix.stored == np.count_nonzero(X)
        assert given.nnz == before.nnz, "the caller's matrix is left alone"
        if hasattr(given, "indices"):
            np.testing.assert_array_equal(given.indices, before.indices)
            np.testing.assert_array_equal(given.data, before.data)
    else:
        np.testing.assert_array_equal(given, before)


def test_read_only_arrays() -> None:
    """Memory-mapped data; a matrix that is not canonical is copied, not changed."""
    X, y = points(20, 6, zeros=0.5)
    csr = sparse.csr_matrix(X)
    twice = sparse.csr_matrix(
        (np.repeat(csr.data / 2, 2), np.repeat(csr.indices, 2), csr.indptr * 2), shape=csr.shape, dtype=np.float32
    )
    for matrix in (csr, twice):
        for array in (matrix.data, matrix.indices, matrix.indptr):
            array.setflags(write=False)
        p = Problem(matrix, y, Linear(), rows=ON_THE_FLY)
        np.testing.assert_allclose(rows(p), X[p.order] @ X[p.order].T, atol=1e-5)
    X.setflags(write=False)
    np.testing.assert_allclose(rows(Problem(X, y, Linear(), rows=ON_THE_FLY)), X[p.order] @ X[p.order].T, atol=1e-5)


def test_points_of_the_same_space() -> None:
    """Test points are moved as the training points were; their kernel values are those of the raw features."""
    X, y = points(20, 3)
    far = X + np.array([1000.0, 0.0, -50.0], np.float32)
    p = Problem(far, y, Gaussian(2.0))
    moved = p.points(far[:5])
    inverse = np.argsort(p.order)
    np.testing.assert_array_equal(moved, np.asarray(p.X)[inverse[:5]])
    assert np.abs(moved).max() < 10.0
    np.testing.assert_array_equal(Problem(far, y, Linear()).points(far[:5]), far[:5])


@pytest.mark.parametrize("rho", [1.0, -0.5])
@STORAGE
@pytest.mark.parametrize("name", ["dcd", "sdca"])
def test_rho_is_a_constant_feature(name: str, as_csr: bool, rho: float) -> None:
    """The same run as on data with a column of it, kernels included; other points get it too, the caller's stay."""
    X, y = points(60, 5, zeros=0.5)
    X[:, 0] += 1.0  # off the origin, so that the constant has something to do
    column = np.full((60, 1), rho, np.float32)
    given = sparse.csr_matrix(X) if as_csr else X
    p = Problem(given, y, Linear(), lambda_=0.02, rho=rho, rows=ON_THE_FLY)
    explicit = np.hstack([X, column])
    q = Problem(sparse.csr_matrix(explicit) if as_csr else explicit, y, Linear(), lambda_=0.02, rows=ON_THE_FLY)
    assert (p.d, given.shape, isinstance(p.X, np.ndarray)) == (6, (60, 5), not as_csr)
    np.testing.assert_array_equal(p.feature_order, q.feature_order)
    ends = []
    for problem in (p, q):
        made = run(name, problem, Limit(iterations=600)).snapshot()
        ends.append(made.weights if isinstance(made, LinearSnapshot) else made.coefficients)
    np.testing.assert_array_equal(*ends)
    others = p.points(given[:7])
    np.testing.assert_array_equal(others if isinstance(others, np.ndarray) else others.toarray(), explicit[:7])
    with pytest.raises(SettingsError, match="the points have 7 features, the training set has 6"):
        p.points(q.X)


@pytest.mark.parametrize("rho", [np.nan, np.inf, -np.inf, 1e39, 1e-50])
def test_rho_is_a_number_that_float32_can_hold_and_for_the_linear_kernel(rho: float) -> None:
    X, y = points(10, 3)
    with pytest.raises(SettingsError, match=r"rho = .*: it must be 0, or a number that float32 can hold"):
        Problem(X, y, Linear(), lambda_=0.1, rho=rho)
    for kernel in (Gaussian(1.0), Polynomial()):
        with pytest.raises(SettingsError, match=r"rho = 1 appends a constant feature, .*kernel=linear"):
            Problem(X, y, kernel, lambda_=0.1, rho=1.0)
        assert Problem(X, y, kernel, lambda_=0.1, rho=0.0).d == 3


def test_a_variant_has_the_points_but_not_the_rows() -> None:
    X, y = points(40, 3)
    p = Problem(X, y, Gaussian(2.0), lambda_=0.1, rows=ON_THE_FLY)
    features, source = p.features, p.rows.source
    q = p.variant(lambda_=0.2, nu=0.3, bias=True, rows=ON_THE_FLY)
    assert (q.lambda_, q.nu, q.bias) == (0.2, 0.3, True)
    assert (p.lambda_, p.nu, p.bias) == (0.1, None, False)
    assert q.features is features
    assert q.rows.source is not source
    fresh = Problem(X, y, Gaussian(2.0), lambda_=0.2, nu=0.3, bias=True, rows=ON_THE_FLY)
    ends = [run("sbp", problem, Limit(iterations=50)).snapshot() for problem in (q, fresh)]
    np.testing.assert_array_equal(ends[0].coefficients, ends[1].coefficients)
    with pytest.raises(SettingsError, match=r"lambda = 0"):
        p.variant(lambda_=0.0, nu=None, bias=False)
