"""``dataset.scaling``: by the training rows; and the warning where columns are left as they are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from svm_cost_curves.datasets import DataError, Dataset
from svm_cost_curves.datasets.transforms import minmax, standardise

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
