from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from svm_cost_curves.datasets.errors import DataError
from svm_cost_curves.datasets.readers import format_of
from svm_cost_curves.datasets.readers.csv_text import read_csv
from svm_cost_curves.datasets.readers.idx import read_idx
from svm_cost_curves.datasets.readers.npz import read_npz
from svm_cost_curves.datasets.readers.topics import read_topics
from svm_cost_curves.datasets.readers.unpack import unpack

MATRICES = hnp.arrays(
    np.float32,
    st.tuples(st.integers(1, 6), st.integers(2, 5)),
    elements=st.floats(width=32, allow_nan=False, allow_infinity=False),
)


@settings(deadline=None)
@given(MATRICES, st.data())
def test_csv_round_trip(values: np.ndarray, data: st.DataObject) -> None:
    width = values.shape[1]
    column = data.draw(st.integers(-width, width - 1))
    end = data.draw(st.sampled_from(["\n", "\r\n"]))
    separator = data.draw(st.sampled_from([",", ", ", ";", "\t", "  "]))
    header = data.draw(st.booleans())
    lines = [separator.join(f"c{k}" for k in range(width))] if header else []
    lines += [separator.join(repr(float(v)) for v in row) for row in values]
    label = f"c{column % width}" if header and data.draw(st.booleans()) else column
    table = read_csv((end.join(lines) + data.draw(st.sampled_from(["", end]))).encode(), "x", label)
    np.testing.assert_array_equal(table.X, np.delete(values, column, axis=1))
    np.testing.assert_array_equal(table.y, values[:, column])
    assert table.X.dtype == np.float32


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1,2,1\n3,4\n", "line 2: 2 cells where the first line has 3"),
        ("1,2,1\n3,4,5,6\n", "line 2: 4 cells where the first line has 3"),
        ("1,2,1\n\n3,x,1\n", "line 3, column 1: 'x' is not a number; leave the column out by dataset.drop_columns=[1]"),
        (
            "1,2,1\n3,,1\n",
            "line 2, column 1: the value is missing; fill it in, remove the row, or leave the column out by",
        ),
        ("a,b,c\n1,2,1\n3,1_0,1\n", "line 3, column 1 ('b'): '1_0' is not a number"),
        ("a,b\n1,2,3\n", "line 2: 3 cells where the first line has 2"),
    ],
)
def test_csv_malformed(text: str, said: str) -> None:
    with pytest.raises(DataError) as caught:
        read_csv(text.encode(), "x.csv")
    assert said in str(caught.value)
    assert "x.csv" in str(caught.value)


def test_csv_label_column_must_exist() -> None:
    with pytest.raises(DataError, match="no column is called 'income'; the header's names: a, b"):
        read_csv(b"a,b\n1,2\n", "x", "income")
    with pytest.raises(DataError, match="the file has no header"):
        read_csv(b"1,2\n", "x", "income")
    with pytest.raises(DataError, match=r"label_column=2, but the file has 2 columns \(0 to 1\)"):
        read_csv(b"1,2\n", "x", 2)


def test_csv_without_columns_that_are_no_features() -> None:
    text = b"7\t1\t0.5 2 \n 8\t0\t-1\t3\n"
    table = read_csv(text, "x", 1, [0])
    np.testing.assert_array_equal(table.X, [[0.5, 2], [-1, 3]])
    np.testing.assert_array_equal(table.y, [1, 0])
    np.testing.assert_array_equal(read_csv(text, "x", 1, [0, -1]).X, [[0.5], [-1]])
    with pytest.raises(DataError, match="column 1 holds the label and cannot be dropped"):
        read_csv(text, "x", 1, [-3])
    with pytest.raises(DataError, match=r"drop_columns=4, but the file has 4 columns"):
        read_csv(text, "x", 1, [4])
    with pytest.raises(DataError, match=r"line 2: 3 cells where the first line has 4"):
        read_csv(b"7 1 2 3\n8 0 1\n", "x", 1, [0])


def test_topics() -> None:
    text = b"CCAT 2286 1\nC11 2286 1\nGCAT 2287 1\n\nCCAT 2288 1\n"
    table = read_topics(text, "x", "CCAT")
    np.testing.assert_array_equal(table.y, [2286, 2288])
    assert table.X.shape == (2, 0)
    with pytest.raises(DataError, match="no document has topic MCAT"):
        read_topics(text, "x", "MCAT")
    for line in (b"CCAT 2289", b"CCAT x 1", b"CCAT 2289 0"):
        with pytest.raises(DataError, match="line 6: a line must read 'topic document 1'"):
            read_topics(text + line + b"\n", "x", "C11")


@settings(deadline=None)
@given(MATRICES, st.booleans(), st.sampled_from([np.float64, np.float32]))
def test_npz_round_trip(values: np.ndarray, with_test: bool, dtype: type) -> None:
    X, y = values[:, 1:].astype(dtype), values[:, 0]
    stream = io.BytesIO()
    np.savez(stream, X=X, y=y[:, None], **({"X_test": X[:1], "y_test": y[:1]} if with_test else {}))
    train, test = read_npz(stream.getvalue(), "x")
    np.testing.assert_array_equal(train.X, X)
    np.testing.assert_array_equal(train.y, y)
    assert (test is not None) == with_test


def npz(**arrays: object) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, **arrays)  # type: ignore[arg-type]
    return stream.getvalue()


def csr(X: np.ndarray) -> dict[str, object]:
    rows = sparse.csr_matrix(X)
    return {"data": rows.data, "indices": rows.indices, "indptr": rows.indptr, "shape": np.array(rows.shape)}


@settings(deadline=None)
@given(MATRICES)
def test_npz_of_a_sparse_matrix_is_that_of_the_dense_one(values: np.ndarray) -> None:
    X, names = values[:, 1:], np.where(values[:, 0] > 0, "up", "down")
    dense, _ = read_npz(npz(X=X, y=names), "x")
    thin, test = read_npz(npz(**csr(X), y=names, **{f"{k}_test": v for k, v in csr(X[:1]).items()}, y_test=[1]), "x")
    assert test is not None
    for table, rows in ((thin, slice(None)), (test, slice(1))):
        assert sparse.issparse(table.X)
        np.testing.assert_array_equal(table.X.toarray(), np.asarray(dense.X)[rows])
        assert np.count_nonzero(table.X.data) == table.X.nnz
    assert [thin.classes[int(k)] for k in thin.y] == names.tolist()
    assert thin.classes == tuple(sorted(set(names.tolist())))


def one_array() -> bytes:
    stream = io.BytesIO()
    np.save(stream, np.ones(3))
    return stream.getvalue()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"1 1:2\n", "not a readable .npz"),
        (b"", "not a readable .npz"),
        (npz(X=np.ones((2, 2)), y=np.ones(2))[:-40], "not a readable .npz"),
        (one_array(), "single array"),
        (npz(A=np.ones(2)), "arrays X and y are needed .* found A"),
        (npz(X=np.ones((2, 2)), y=np.ones(2), X_test=np.ones((2, 2))), "must come together"),
        (npz(X=np.ones(2), y=np.ones(2)), "must be"),
        (npz(X=np.ones((2, 2), complex), y=np.ones(2)), "X has type complex128"),
        (npz(X=np.ones((2, 2)), y=np.ones(2, complex)), "y has type complex128"),
        (npz(X=np.array([["a"]]), y=np.ones(1)), "X has type <U1"),
        (npz(X=np.ones((2, 2)), y=np.array(["a", ""])), "row 2: the label is missing"),
        (npz(**csr(np.eye(2)), format="csc", y=np.ones(2)), "stored as csc; "),
        (npz(**csr(np.eye(2)) | {"indices": np.array([0, 7])}, y=np.ones(2)), "no sparse matrix of rows"),
        (npz(**csr(np.eye(2)) | {"indptr": np.array([0, 9, 2])}, y=np.ones(2)), "no sparse matrix of rows"),
        (npz(**csr(np.eye(2)) | {"shape": np.array([2])}, y=np.ones(2)), "no sparse matrix of rows"),
        (npz(X=np.array([[None]]), y=np.ones(1)), "not a readable .npz"),
    ],
)
def test_npz_refused(content: bytes, said: str) -> None:
    with pytest.raises(DataError, match=said):
        read_npz(content, "x")


def test_idx() -> None:
    images = struct.pack(">4B3I", 0, 0, 8, 3, 2, 2, 3) + bytes(range(12))
    np.testing.assert_array_equal(read_idx(images, "x").X, np.arange(12).reshape(2, 6))
    labels = struct.pack(">4BI", 0, 0, 8, 1, 3) + b"\x05\x00\x09"
    np.testing.assert_array_equal(read_idx(labels, "x").y, [5, 0, 9])
    for damaged, said in (
        (images[:-1], r"asks for 12 bytes, found 11"),
        (images[:9], "cut short"),
        (b"", "not an idx file"),
        (b"\0\0\x0d\x01" + images[4:], "not an idx file of unsigned bytes"),
    ):
        with pytest.raises(DataError, match=said):
            read_idx(damaged, "x")


@pytest.mark.parametrize("pack", [lzma.compress, bz2.compress, gzip.compress, bytes])
def test_unpack_goes_by_content(pack: object) -> None:
    assert unpack(bytearray(pack(b"1 1:1\n")), "x") == b"1 1:1\n"  # type: ignore[operator]


@pytest.mark.parametrize("pack", [lzma.compress, bz2.compress, gzip.compress])
def test_unpack_refuses_a_cut_archive(pack: object) -> None:
    with pytest.raises(DataError, match=r"x\.svm: the packed file is damaged or cut short"):
        unpack(bytearray(pack(b"1 1:1\n" * 100)[:-12]), "x.svm")  # type: ignore[operator]


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("a9a", "libsvm"),
        ("a9a.t", "libsvm"),
        ("x.svm.gz", "libsvm"),
        ("x.txt", "libsvm"),
        ("dir.csv/x.libsvm", "libsvm"),
        ("x.csv", "csv"),
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


@pytest.mark.parametrize("text", ["", "\n\n", "a,b\n", "a,b\n\n"])
def test_csv_without_data_has_no_rows(text: str) -> None:
    assert read_csv(text.encode(), "x").y.size == 0


def test_csv_reads_quotes_blank_lines_and_a_byte_order_mark() -> None:
    table = read_csv(b'\xef\xbb\xbf\r\n"income","a"\r\n\r\n"1", 2\r\n 0 ,3', "x", "income")
    np.testing.assert_array_equal(table.X, [[2], [3]])
    np.testing.assert_array_equal(table.y, [1, 0])
