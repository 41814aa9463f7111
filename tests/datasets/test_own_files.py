"""Users' files: format, first index, text labels, names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file

from svm_cost_curves.datasets import DataError, Dataset, FileData, SyntheticData, fingerprint, load
from svm_cost_curves.datasets.readers import format_of
from svm_cost_curves.datasets.spec import named

Loader = Callable[..., Dataset]
ROWS = "u,v,class\n" + "".join(f"{k},{-k},{'spam' if k % 3 else 'ham'}\n" for k in range(10))


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("a9a", "libsvm"),
        ("a9a.t", "libsvm"),
        ("x.svm.gz", "libsvm"),
        ("dir.csv/x.libsvm", "libsvm"),
        ("x.CSV.bz2", "csv"),
        ("x.npz", "npz"),
        ("x.arff.gz", "arff"),
    ],
)
def test_format_by_suffix(name: str, format: str) -> None:
    assert format_of(name, "auto") == format
    assert format_of(name, "csv") == "csv"


@pytest.mark.parametrize("name", ["x.xlsx", "y/x.MAT.gz"])
def test_other_formats_are_refused_by_their_suffix(name: str) -> None:
    with pytest.raises(DataError, match=r"files are not read; save it as CSV"):
        format_of(name, "auto")
    assert format_of(name, "libsvm") == "libsvm"


def test_what_scikit_learn_writes_is_read_back(tmp_path: Path, no_mirror: None) -> None:
    X, y = np.arange(1.0, 13.0).reshape(4, 3), np.array([1, -1, 1, -1])
    spec = FileData(train=str(tmp_path / "train"), test=str(tmp_path / "test"))
    for zero_based in (True, False):
        for path in (spec.train, spec.test):
            dump_svmlight_file(X, y, path, zero_based=zero_based)
        data = load(spec, cache_dir=tmp_path / "c")
        np.testing.assert_array_equal(data.X, X)
        np.testing.assert_array_equal(data.X_test, X)
        assert data.provenance["transforms"] == (["indices counted from 0"] if zero_based else [])


def test_an_index_0_in_either_file_counts_for_both(load_text: Loader) -> None:
    for _ in range(2):  # the second time from the prepared cache
        data = load_text("1 1:1 2:3\n-1 2:1\n", "1 0:5 1:7\n")
        np.testing.assert_array_equal(data.X, [[0, 1, 3], [0, 0, 1]])
        np.testing.assert_array_equal(data.X_test, [[5, 7, 0]])


def test_the_first_index_can_be_set(load_text: Loader) -> None:
    text = "1 1:1 2:3\n-1 2:1\n"
    automatic, said = load_text(text, text), load_text(text, text, zero_based=True)
    assert (automatic.d, said.d) == (2, 3)
    np.testing.assert_array_equal(said.X[:, 0], [0, 0])
    assert automatic.fingerprint != said.fingerprint
    with pytest.raises(DataError, match=r"index 0 occurs, and dataset\.zero_based=false"):
        load_text("1 0:1\n-1 1:1\n", text, zero_based=False)


def test_labels_that_are_texts(load_text: Loader) -> None:
    data = load_text(ROWS, ROWS, suffix=".csv", label_column="class")
    np.testing.assert_array_equal(data.y, [1 if k % 3 else -1 for k in range(10)])  # the later one in the alphabet
    assert data.provenance["label_rule"] == "column 2 ('class'): spam is +1, ham is -1"
    again = load_text(ROWS, ROWS, suffix=".csv", label_column="class")  # as it was prepared
    assert again.provenance == data.provenance
    other = load_text(ROWS, ROWS, suffix=".csv", label_column="class", positive=["ham"])
    np.testing.assert_array_equal(other.y, -data.y)
    assert other.provenance["label_rule"] == "column 2 ('class'): ham is +1, the rest is -1"
    assert other.fingerprint != data.fingerprint
    with pytest.raises(DataError, match=r"label eggs of dataset\.positive never occurs; found ham, spam"):
        load_text(ROWS, ROWS, suffix=".csv", label_column="class", positive=["eggs"])


def test_classes_have_the_same_numbers_in_both_files(load_text: Loader) -> None:
    three = ROWS + "3,3,eggs\n"
    data = load_text(ROWS, three, suffix=".csv", positive=["spam"], negative=["ham"])
    assert data.y_test.size == 10  # without eggs
    np.testing.assert_array_equal(data.y_test, data.y)
    with pytest.raises(DataError, match="row 11: label eggs; the training labels are ham and spam"):
        load_text(ROWS, three, suffix=".csv")
    with pytest.raises(DataError, match="labels are numbers in one file and texts in another"):
        load_text(ROWS, "u,v,class\n1,2,0\n2,3,1\n", suffix=".csv")


def test_own_files_have_the_name_of_the_file_or_the_one_that_is_given() -> None:
    spec = FileData(train="some/folder/points.csv.gz")
    assert named(spec).name == "points"
    assert named(replace(spec, train="x.v2.svm")).name == "x.v2"
    assert named(replace(spec, train="a\x1b[31m\n.svm")).name == r"a\x1b[31m\n"
    assert named(replace(spec, name="mine")).name == "mine"
    assert named(SyntheticData(name="synthetic")).name == "synthetic"
    for name in ("a\x1b[31m", "x" * 200, " a"):
        with pytest.raises(DataError, match="a name has at most 100 printable characters"):
            fingerprint(replace(spec, name=name))
