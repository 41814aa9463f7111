"""ARFF files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from svm_cost_curves.datasets import DataError, FileData, load
from svm_cost_curves.datasets.readers.arff import read_arff

HEAD = """% a comment
@relation r
@attribute age numeric
@ATTRIBUTE works {no, yes}
@attribute class {big,small}
@data
"""


@settings(deadline=None)
@given(arrays.arrays(np.float32, st.tuples(st.integers(1, 6), st.integers(2, 4)), elements=st.floats(-9, 9, width=32)))
def test_round_trip(values: np.ndarray) -> None:
    names = [f"f{k}" for k in range(values.shape[1])]
    head = "".join(f"@attribute {name} real\n" for name in names)
    rows = "\n".join(",".join(map(repr, row)) for row in values.tolist())
    for label, column in ((-1, -1), (0, "f0")):
        table = read_arff(f"@relation r\n{head}@data\n{rows}\n".encode(), "x", column)
        np.testing.assert_array_equal(table.X, np.delete(values, label, axis=1))
        np.testing.assert_array_equal(table.y, values[:, label])


def test_texts_as_labels_and_columns_left_out(tmp_path: Path) -> None:
    path = tmp_path / "mine.arff"
    path.write_text(HEAD + "30,yes,small\n40,no,big\n50,no,small\n60,yes,big\n", encoding="utf-8")
    data = load(FileData(train=str(path), test=str(path), drop_columns=[1]), cache_dir=tmp_path / "c")
    np.testing.assert_array_equal(data.X[:, 0], [30, 40, 50, 60])
    np.testing.assert_array_equal(data.y, [1, -1, 1, -1])  # small is the later one in the alphabet
    assert data.provenance["label_rule"] == "column 2 ('class'): small is +1, big is -1"


@pytest.mark.parametrize(
    ("rows", "fields", "said"),
    [
        ("30,yes,small\n", {}, r"column 1 \('works'\): 'yes' is not a number; .*dataset.drop_columns=\[1\]"),
        ("30,yes,huge\n", {}, "not a readable ARFF file"),
        ("30,yes\n", {}, "not a readable ARFF file"),
        ("{0 30, 2 small}\n", {}, "sparse ARFF, which is not read; save it as LIBSVM text"),
        (
            "?,yes,small\n40,no,big\n",
            {"drop_columns": [1]},
            "row 1, column 0 .* is missing or nan; .*fill the value in",
        ),
        ("30,yes,?\n40,no,big\n", {"drop_columns": [1]}, "row 1: the label is missing.*; remove the row"),
        ("30,yes,small\n", {"label_column": "klass"}, "no column is called 'klass'; the header's names: age, works"),
    ],
)
def test_refused(rows: str, fields: dict[str, object], said: str, tmp_path: Path) -> None:
    path = tmp_path / "x.arff"
    path.write_text(HEAD + rows, encoding="utf-8")
    with pytest.raises(DataError, match=said):
        load(FileData(train=str(path), **fields), cache_dir=tmp_path / "c")  # type: ignore[arg-type]
