"""Users' files: first index, text labels, Parquet, names."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.datasets import dump_svmlight_file

from svm_cost_curves.datasets import DataError, Dataset, FileData, SyntheticData, fingerprint, load
from svm_cost_curves.datasets.readers.csv_text import read_csv
from svm_cost_curves.datasets.readers.parquet import read_parquet
from svm_cost_curves.datasets.spec import named

Loader = Callable[..., Dataset]
ROWS = "u,v,class\n" + "".join(f"{k},{-k},{'spam' if k % 3 else 'ham'}\n" for k in range(10))


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


@pytest.mark.parametrize("cached", [False, True])
def test_an_index_0_in_either_file_counts_for_both(load_text: Loader, cached: bool) -> None:
    for _ in range(1 + cached):  # the second time from the prepared cache
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


@pytest.mark.parametrize(
    ("text", "rows", "classes"),
    [
        ("1,2,a\n3,4,b\n5,6,a\n", 3, ("a", "b")),  # no header
        ("0,1,class\n1,2,1\n3,4,2\n", 2, ()),  # a header of numbers and a name
        ("u,v,class\n1,2,a\n3,4,b\n", 2, ("a", "b")),
        ("1 2 a\n3 4 b\n", 2, ("a", "b")),
    ],
)
def test_header_or_row(text: str, rows: int, classes: tuple[str, ...]) -> None:
    if text == "1 2 a\n3 4 b\n":
        with pytest.raises(DataError, match="line 1: this may be a header or a row, as its label 'a'"):
            read_csv(text.encode(), "x")
        text += "5 6 a\n"
        rows += 1
    table = read_csv(text.encode(), "x")
    assert table.X.shape == (rows, 2)
    assert table.classes == classes


def test_a_dropped_column_may_hold_texts_and_labels_stay_numbers() -> None:
    table = read_csv(b"name,u,y\nx y,2,10\nz,3,9\n", "f", "y", [0])
    np.testing.assert_array_equal(table.X, [[2], [3]])
    np.testing.assert_array_equal(table.y, [10, 9])
    assert table.classes == ()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"u,class\n1,\xe9\n2,b\n", "line 2, column 1 .* is not UTF-8"),
        (b"u,class\n1,\n2,b\n", "line 2, column 1 .*: the label '' is missing"),
        (b"u,v,class\n1,x,b\n", r"line 2, column 1 \('v'\): 'x' is not a number"),
        (b"u,v,class\n1,b\n", "line 2: 2 cells where the first line has 3"),
        (b"u,u\n1,2\n", "more than one column is called 'u'"),
        (b"1," + b"x" * 140_000 + b"\n", "line 1: field larger than field limit"),
    ],
)
def test_bad_text_labels(content: bytes, said: str) -> None:
    with pytest.raises(DataError, match=said) as caught:
        read_csv(content, "x", "u" if b"u,u" in content else -1)
    assert len(str(caught.value)) < 600


MAIL = "city;length;age;class\nrome;1.5;30;ham\noslo;;31;spam\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            MAIL,
            "line 2, column 0 ('city'): 'rome' is not a number; leave the column out, with column 1, by "
            "dataset.drop_columns=[0,1], or, if it is the label, choose it by dataset.label_column=city",
        ),
        (
            MAIL.replace(";", ","),
            "line 2, column 0 ('city'): 'rome' is not a number",
        ),
        (
            "class,u,v\nham,1,2\nspam,2,3\n",
            "column 0 ('class'): 'ham' is not a number; leave the column out by dataset.drop_columns=[0], or, if it is "
            "the label, choose it by dataset.label_column=class",
        ),
        (
            "u,v,class\n1,2,a\n2,NA,b\n",
            "line 3, column 1 ('v'): the value is missing; fill it in, remove the row, or leave the column out by "
            "dataset.drop_columns=[1]",
        ),
        ("u,v,class\n1,2,a\n2,nan,b\n", "row 2, column 1 ('v') is missing or nan"),
        ("u;v;class\n1,5;2;a\n2;3;b\n", "line 2, column 0 ('u'): '1,5' has a decimal comma; write 1.5."),
        (
            "0,1.5,2.5\n1,2.5,3.5\n0,1.5,4.5\n",
            "3 different labels (2.5, 3.5, 4.5); two are needed: choose by dataset.positive=[4.5] and, if wanted, "
            "dataset.negative=[...]. If the label is another column, choose it by dataset.label_column=NAME",
        ),
    ],
)
def test_a_message_has_the_setting_that_helps(text: str, said: str, load_text: Loader) -> None:
    with pytest.raises(DataError) as caught:
        load_text(text, suffix=".csv")
    assert said in str(caught.value)


def test_the_settings_of_the_messages_help(load_text: Loader) -> None:
    for text in (MAIL, MAIL.replace(";", ",")):
        data = load_text(text, text, suffix=".csv", drop_columns=[0, 1])
        np.testing.assert_array_equal(data.X, [[30], [31]])
    data = load_text("class,u\nham,1\nspam,2\n", "class,u\nham,1\n", suffix=".csv", label_column="class")
    np.testing.assert_array_equal(data.y, [-1, 1])


def parquet(columns: dict[str, object]) -> bytes:
    stream = io.BytesIO()
    pq.write_table(pa.table(columns), stream)
    return stream.getvalue()


def test_parquet_and_csv_are_the_same_data(load_text: Loader, tmp_path: Path) -> None:
    frame = pd.read_csv(io.StringIO(ROWS))
    frame[frame.u >= 0].to_parquet(tmp_path / "plain.parquet")
    frame.sample(frac=1, random_state=0).sort_index().to_parquet(tmp_path / "indexed.parquet")  # keeps row numbers
    expected = load_text(ROWS, ROWS, suffix=".csv")
    for name in ("plain", "indexed"):
        path = str(tmp_path / f"{name}.parquet")
        data = load(FileData(train=path, test=path, label_column="class"), cache_dir=tmp_path / "c")
        np.testing.assert_array_equal(data.X, expected.X)
        np.testing.assert_array_equal(data.y, expected.y)
        assert data.name == name


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"u": [1, None], "y": [0, 1]}, "row 2, column 0 .*u.* is missing or nan"),
        ({"u": ["7", "8"], "y": [0, 1]}, r"row 1, column 0 \('u'\): '7' is not a number"),
        ({"u": [1, 2], "y": ["a", None]}, r"column 1 \('y'\), row 2: the label is missing"),
        ({"u": [[1], [2]], "y": [0, 1]}, r"row 1, column 0 \('u'\): '\[1\]' is not a number"),
        ({"u": [1, 2], "y": [b"a", b"b"]}, r"column 1 \('y'\), row 1: the label is missing"),
    ],
)
def test_parquet_that_is_refused(load_text: Loader, columns: dict[str, object], said: str) -> None:
    with pytest.raises(DataError, match=said):
        load_text(parquet(columns), suffix=".parquet")


def test_parquet_cut_short_is_refused() -> None:
    content = parquet({"u": [1.0, 2.0], "y": [0, 1]})
    for damaged in (content[:-9], b"PAR1", b"", content.replace(b"PAR1", b"PAR2")):
        with pytest.raises(DataError, match="not a readable Parquet file"):
            read_parquet(damaged, "x")


def test_own_files_have_the_name_of_the_file_or_the_one_that_is_given(load_text: Loader) -> None:
    spec = FileData(train="some/folder/points.csv.gz")
    assert named(spec).name == "points"
    assert named(replace(spec, train="x.v2.svm")).name == "x.v2"
    assert named(replace(spec, name="mine")).name == "mine"
    assert named(SyntheticData(name="synthetic")).name == "synthetic"
    for name in ("a\x1b[31m", "x" * 200, " a"):
        with pytest.raises(DataError, match="a name has at most 100 printable characters"):
            fingerprint(replace(spec, name=name))


def test_a_file_with_an_odd_name_gets_a_printable_one() -> None:
    assert named(FileData(train="a\x1b[31m\n.svm")).name == r"a\x1b[31m\n"
