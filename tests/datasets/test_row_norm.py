from __future__ import annotations

from collections.abc import Callable

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from svm_cost_curves.datasets import Dataset
from svm_cost_curves.datasets.transforms import divide_by_longest, normalise_rows

MATRICES = hnp.arrays(
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
            found = part.toarray() if sparse.issparse(part) else part
            np.testing.assert_allclose(found, wanted.astype(np.float32), rtol=1e-6, atol=1e-37)
            assert found.dtype == np.float32


def test_test_rows_are_divided_by_the_training_rows_norm(load_text: Callable[..., Dataset]) -> None:
    text, test = "1 1:3 2:4\n-1 1:1\n1 2:5\n-1\n", "1 1:-5 2:12\n"
    data = load_text(text, test, row_norm="longest", divide_by=7)
    np.testing.assert_allclose(np.asarray(data.X), [[0.6, 0.8], [0.2, 0], [0, 1], [0, 0]], rtol=1e-6)
    np.testing.assert_allclose(np.asarray(data.X_test), [[-1, 2.4]], rtol=1e-6)  # a test row may be longer than 1
    assert data.provenance["transforms"][-1] == "divided by the largest Euclidean norm of a training row"
    assert data.fingerprint != load_text(text, test, row_norm="l2", divide_by=7).fingerprint
