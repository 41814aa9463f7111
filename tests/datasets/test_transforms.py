"""``dataset.scaling`` and ``dataset.row_norm``, and the warning where columns are left as they are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse

from svm_cost_curves.datasets import DataError, Dataset
from svm_cost_curves.datasets.transforms import divide_by_longest, minmax, normalise_rows, standardise

VALUES = st.integers(-1000, 1000).map(lambda k: k / 8)  # exact in float32, so that equal columns stay equal


@settings(deadline=None)
@given(arrays.arrays(np.float32, st.tuples(st.integers(2, 30), st.integers(1, 4)), elements=VALUES))
def test_training_columns_have_mean_0_and_deviation_1_or_are_0(X: np.ndarray) -> None:
    scaled = X.copy()
    standardise(scaled, X[:1].copy())
    constant = (X[0] == X).all(axis=0)
    np.testing.assert_allclose(scaled.mean(axis=0, dtype=np.float64), 0, atol=1e-5)
    np.testing.assert_allclose(scaled.std(axis=0, dtype=np.float64)[~constant], 1, rtol=1e-4)
    assert not scaled[:, constant].any()


@settings(deadline=None)
@given(
    arrays.arrays(np.float32, (12, 2), elements=VALUES),
    st.floats(0.25, 16).map(np.float32),
    st.integers(-64, 64),
    st.sampled_from([minmax, standardise]),
)
def test_units_and_origin_of_a_column_do_not_matter(
    X: np.ndarray, unit: np.float32, origin: int, scale: Callable[[np.ndarray, np.ndarray], None]
) -> None:
    both = []
    for values in (X, X * unit + np.float32(origin)):
        train, test = values[:8].copy(), values[8:].copy()
        scale(train, test)
        both.append(np.concatenate([train, test])[:, (X[:8] != X[0]).any(axis=0)])
    np.testing.assert_allclose(*both, rtol=1e-3, atol=1e-3)


def test_test_rows_are_scaled_by_the_training_rows(load_text: Callable[..., Dataset]) -> None:
    data = load_text("1,5,1\n3,5,0\n", "5,7,1\n", suffix=".csv", scaling="standard")
    np.testing.assert_array_equal(data.X, [[-1, 0], [1, 0]])
    np.testing.assert_array_equal(data.X_test, [[3, 2]])
    assert "standardised by the training rows" in data.provenance["transforms"][-1]
    with pytest.raises(DataError, match=r"dataset\.scaling=standard shifts features .*; set dataset\.storage=dense"):
        load_text("1 1:1\n0 2:1\n", "1 1:1\n", scaling="standard", storage="sparse")


def test_a_column_on_another_scale_is_named(load_text: Callable[..., Dataset]) -> None:
    rows = "length,age,caps,class\n" + "".join(f"{k % 3},{20 + 7 * k},{k % 2},{k % 2}\n" for k in range(12))
    (warning,) = load_text(rows, rows, suffix=".csv").provenance["warnings"]
    assert warning.startswith("column 1 ('age') has values from 20 to 97, a range 38 times that of the median column")
    assert "dataset.scaling=standard" in warning
    for quiet in ({"scaling": "standard"}, {"drop_columns": [1]}, {"storage": "sparse"}):
        assert load_text(rows, rows, suffix=".csv", **quiet).provenance["warnings"] == []


MATRICES = arrays.arrays(
    np.float32,
    st.tuples(st.integers(1, 6), st.integers(1, 5)),
    elements=st.sampled_from([0.0]) | st.floats(width=32, allow_nan=False, allow_infinity=False),
)


@settings(deadline=None)
@given(MATRICES)
def test_dense_and_sparse_rows_get_unit_length_and_zeros_stay(values: np.ndarray) -> None:
    exact = values.astype(np.longdouble)
    lengths = np.sqrt((exact**2).sum(axis=1, keepdims=True))
    expected = np.divide(exact, lengths, out=np.zeros_like(exact), where=lengths > 0)
    dense, thin = values.copy(), sparse.csr_matrix(values)
    normalise_rows(dense)
    normalise_rows(thin)
    np.testing.assert_allclose(dense, expected.astype(np.float32), rtol=1e-6, atol=1e-37)
    np.testing.assert_array_equal(thin.toarray() == 0, dense == 0)
    np.testing.assert_allclose(thin.toarray(), dense, rtol=1e-6, atol=1e-37)
    assert dense.dtype == thin.dtype == np.float32


def test_row_norms_are_applied_last(load_text: Callable[..., Dataset]) -> None:
    text, test = "1 1:3 2:4\n-1 1:1\n1 2:5\n-1\n", "1 1:-5 2:12\n"
    data = load_text(text, test, row_norm="l2", divide_by=7)
    np.testing.assert_allclose(data.X, [[0.6, 0.8], [1, 0], [0, 1], [0, 0]], rtol=1e-6)
    np.testing.assert_allclose(data.X_test, [[-5 / 13, 12 / 13]], rtol=1e-6)
    assert data.provenance["transforms"] == ["divided by 7", "each row divided by its Euclidean norm"]
    scaled = load_text(text, test, row_norm="l2", scaling="minmax")
    np.testing.assert_allclose(scaled.X[0], np.array([1, 0.8]) / np.hypot(1, 0.8), rtol=1e-6)
    thin = load_text(text, test, row_norm="l2", storage="sparse")
    assert isinstance(thin.X, sparse.csr_matrix)
    np.testing.assert_allclose(thin.X.toarray(), data.X, rtol=1e-6)
    assert len({data.fingerprint, scaled.fingerprint, thin.fingerprint, load_text(text, test).fingerprint}) == 4


@settings(deadline=None)
@given(MATRICES)
def test_dense_and_sparse_rows_keep_their_proportions(values: np.ndarray) -> None:
    exact = values.astype(np.longdouble)
    longest = np.sqrt((exact**2).sum(axis=1)).max()
    expected = exact / longest if longest > 0 else exact
    for wrap in (np.array, sparse.csr_matrix):
        rows, test = wrap(values.copy()), wrap(values[:1] * np.float32(1))
        divide_by_longest(rows, test)
        for part, wanted in ((rows, expected), (test, expected[:1])):
            scaled = part.toarray() if sparse.issparse(part) else part
            np.testing.assert_allclose(scaled, wanted.astype(np.float32), rtol=1e-6, atol=1e-37)
            assert scaled.dtype == np.float32


def test_test_rows_are_divided_by_the_training_rows_norm(load_text: Callable[..., Dataset]) -> None:
    text, test = "1 1:3 2:4\n-1 1:1\n1 2:5\n-1\n", "1 1:-5 2:12\n"
    data = load_text(text, test, row_norm="longest", divide_by=7)
    np.testing.assert_allclose(np.asarray(data.X), [[0.6, 0.8], [0.2, 0], [0, 1], [0, 0]], rtol=1e-6)
    np.testing.assert_allclose(np.asarray(data.X_test), [[-1, 2.4]], rtol=1e-6)  # a test row may be longer than 1
    assert data.provenance["transforms"][-1] == "divided by the largest Euclidean norm of a training row"
    assert data.fingerprint != load_text(text, test, row_norm="l2", divide_by=7).fingerprint
