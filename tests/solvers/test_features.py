"""The training set by rows and columns, and what reading it costs."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from cases import Array, feature_values, points
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse

from svm_cost_curves.solvers import Linear, Problem, _core
from svm_cost_curves.solvers.features import Features

STORAGE = pytest.mark.parametrize("as_csr", [False, True], ids=["dense", "csr"])


def problem(n: int = 50, d: int = 7, *, as_csr: bool, zeros: float = 0.6) -> Problem:
    X, y = points(n, d, zeros=zeros)
    X[:, 3] = 0.0
    X[5] = 0.0
    return Problem(sparse.csr_matrix(X) if as_csr else X, y, Linear())


def spread(places: Array, values: Array, size: int) -> Array:
    """The vector that a row or column stands for."""
    assert places.dtype == np.int32
    assert values.dtype == np.float32
    assert (np.diff(places) > 0).all(), "rising, each place once"
    full = np.zeros(size, np.float32)
    full[places] = values
    return full


def whole(X: Features) -> Array:
    return X if isinstance(X, np.ndarray) else X.toarray()


def check_all(p: Problem) -> None:
    """Rows and columns are those of the points in the problem's orders, and cost what is stored of them."""
    features, X = p.counted_features(), feature_values(p)
    assert (features.n, features.d, features.positives) == (*X.shape, p.positives)
    sparsely = not isinstance(p.X, np.ndarray) or 2 * np.count_nonzero(X) < X.size
    stored = X != 0.0 if sparsely else np.ones(X.shape, bool)
    accesses = dense = 0
    for i in range(p.n):
        np.testing.assert_array_equal(spread(*features.row(i), p.d), X[i])
        accesses, dense = accesses + stored[i].sum(), dense + p.d
        assert (features.counters.feature_accesses, features.counters.feature_accesses_dense) == (accesses, dense)
    for j in range(p.d):
        np.testing.assert_array_equal(spread(*features.column(j), p.n), X[:, j])
        accesses, dense = accesses + stored[:, j].sum(), dense + p.n
        assert (features.counters.feature_accesses, features.counters.feature_accesses_dense) == (accesses, dense)


@STORAGE
@pytest.mark.parametrize("zeros", [0.1, 0.6])
def test_rows_and_columns(zeros: float, as_csr: bool) -> None:
    p = problem(as_csr=as_csr, zeros=zeros)
    check_all(p)
    assert (p.features.n, p.features.d, p.features.positives) == (50, 7, p.positives)
    assert p.features.largest_norm == pytest.approx(np.linalg.norm(whole(p.X).astype(np.float64), axis=1).max())


@given(
    X=st.tuples(st.integers(2, 12), st.integers(1, 12)).flatmap(
        lambda shape: arrays.arrays(np.float32, shape, elements=st.sampled_from([0.0, 0.0, 0.0, 1.0, -2.5, 1e-30]))
    ),
    labels=st.lists(st.sampled_from([-1, 1]), min_size=10, max_size=10),
    as_csr=st.booleans(),
)
def test_any_points(X: Array, labels: list[int], as_csr: bool) -> None:
    y = np.array([1, -1, *labels])[: len(X)]
    p = Problem(sparse.csr_matrix(X) if as_csr else X, y, Linear())
    np.testing.assert_array_equal(whole(p.X), X[np.argsort(-y, kind="stable")])
    check_all(p)


@pytest.mark.parametrize("nonzero", [9, 10, 11])
def test_few_values_are_stored_sparsely(nonzero: int) -> None:
    """Of dense data too, where fewer than half of the values are not zero: then a row costs less to read."""
    X = np.zeros((4, 5), np.float32)
    X.ravel()[:nonzero] = 1.0
    features = Problem(X, np.array([1, -1, 1, -1]), Linear()).counted_features()
    for i in range(4):
        features.row(i)
    assert features.counters.feature_accesses == (9 if nonzero == 9 else 20)


def test_sparse_input_in_any_order() -> None:
    """Unsorted columns, one place stored twice, a zero that is stored: the matrix that scipy means."""
    X = sparse.csr_matrix(
        (np.array([1, 2, 3, 4, 0], np.float32), np.array([2, 0, 0, 1, 2]), np.array([0, 3, 5])), shape=(2, 3)
    )
    p = Problem(X, np.array([-1, 1]), Linear())
    features, at = p.counted_features(), np.argsort(p.feature_order)
    np.testing.assert_array_equal(spread(*features.row(0), 3)[at], [0.0, 4.0, 0.0])
    np.testing.assert_array_equal(spread(*features.row(1), 3)[at], [5.0, 0.0, 1.0])
    np.testing.assert_array_equal(spread(*features.column(int(at[0])), 2), [0.0, 5.0])


@STORAGE
def test_features_are_ordered_by_frequency(as_csr: bool) -> None:
    """The most frequent first, equals by their first point inside; weights go back to where the data have them."""
    X = np.zeros((6, 6), np.float32)
    # inside, the points come in the order 0, 2, 4, 1, 3, 5
    for column, rows in enumerate(([], [1, 3], [0, 1, 2, 3, 4, 5], [0, 5], [4, 1], [0, 1, 2, 3])):
        X[rows, column] = 1.0 + column
    p = Problem(sparse.csr_matrix(X) if as_csr else X, np.array([1, -1] * 3), Linear())
    assert p.feature_order.tolist() == [2, 5, 3, 4, 1, 0]
    np.testing.assert_array_equal(
        p.in_data_order(np.array([3.0, 6.0, 4.0, 5.0, 2.0, 1.0])), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    )
    features = p.counted_features()
    assert [len(np.flatnonzero(features.column(j)[1])) for j in range(6)] == [6, 4, 2, 2, 2, 0]
    check_all(p)


@STORAGE
def test_labels_and_presentations(as_csr: bool) -> None:
    p = problem(as_csr=as_csr)
    features = p.counted_features()
    assert [features.label(i) for i in range(p.n)] == p.y.tolist()
    features.present()
    features.present(3)
    counters = features.counters
    assert (counters.iterations, counters.presentations) == (2, 4)
    assert counters.feature_accesses == counters.feature_accesses_dense == 0
    assert counters.kernel_evaluations == counters.inner_products == 0


def test_each_view_counts_for_itself() -> None:
    p = problem(as_csr=True)
    one, other = p.counted_features(), p.counted_features()
    one.row(0)
    assert one.counters.feature_accesses_dense == 7
    assert other.counters.feature_accesses_dense == 0


@STORAGE
def test_no_such_place(as_csr: bool) -> None:
    features = problem(as_csr=as_csr).counted_features()
    for place in (50, 10**6):
        with pytest.raises(ValueError, match=f"there is no row {place}"):
            features.row(place)
        with pytest.raises(ValueError, match=f"there is no row {place}"):
            features.label(place)
    with pytest.raises(ValueError, match="there is no column 7"):
        features.column(7)
    for read in (features.row, features.column):
        with pytest.raises((ValueError, TypeError)):
            read(-1)
    assert features.counters.feature_accesses_dense == 0, "what could not be read costs nothing"


@STORAGE
def test_what_was_read_is_a_copy(as_csr: bool) -> None:
    p = problem(as_csr=as_csr)
    features = p.counted_features()
    before = spread(*features.row(1), p.d)
    places, values = features.row(1)
    places[:] = 0
    values[:] = 99.0
    np.testing.assert_array_equal(spread(*features.row(1), p.d), before)


@STORAGE
def test_a_view_keeps_its_arrays(as_csr: bool) -> None:
    """Of problem, matrix and arrays only the view is left, and memory that was theirs is taken by others."""
    p = problem(400, 30, as_csr=as_csr)
    X, y = feature_values(p), p.y.astype(np.float64)
    features = p.counted_features()
    simba = _core.Simba(p.features, nu=0.1, seed=0)
    del p
    gc.collect()
    others = [np.full(12_000 + k, np.nan, np.float32) for k in range(50)]
    for i in (0, 7, 399):
        np.testing.assert_array_equal(spread(*features.row(i), 30), X[i])
    np.testing.assert_array_equal(spread(*features.column(11), 400), X[:, 11])
    simba.advance(iterations=100)
    w = simba.weights()
    assert np.isfinite(w).all()
    assert (y * (X @ w)).mean() > 0.0
    assert len(others) == 50


def test_simba_needs_both_classes() -> None:
    X = _core.Matrix(np.arange(6, dtype=np.float32).reshape(3, 2))
    for positives in (0, 3):
        with pytest.raises(ValueError, match="both classes"):
            _core.Simba(_core.FeatureMatrix(X, positives), nu=0.1, seed=0)
