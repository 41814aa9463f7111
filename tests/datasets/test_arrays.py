"""Files of arrays: numpy's .npz, and idx."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from svm_cost_curves.datasets import DataError, types
from svm_cost_curves.datasets.readers.arrays import read_idx, read_npz

MATRICES = hnp.arrays(
    np.float32,
    st.tuples(st.integers(1, 6), st.integers(2, 5)),
    elements=st.floats(width=32, allow_nan=False, allow_infinity=False),
)


def npz(damage: Callable[[bytes], bytes] = lambda content: content, **arrays: object) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, **(arrays or {"X": np.ones((4, 2)), "y": np.arange(4) % 2}))  # type: ignore[arg-type]
    return damage(stream.getvalue())


def csr(X: np.ndarray) -> dict[str, object]:
    rows = sparse.csr_matrix(X)
    return {"data": rows.data, "indices": rows.indices, "indptr": rows.indptr, "shape": np.array(rows.shape)}


@settings(deadline=None)
@given(MATRICES, st.booleans(), st.sampled_from([np.float64, np.float32]))
def test_npz_round_trip(values: np.ndarray, with_test: bool, dtype: type) -> None:
    X, y = values[:, 1:].astype(dtype), values[:, 0]
    train, test = read_npz(npz(X=X, y=y[:, None], **({"X_test": X[:1], "y_test": y[:1]} if with_test else {})), "x")
    np.testing.assert_array_equal(train.X, X)
    np.testing.assert_array_equal(train.y, y)
    assert (test is not None) == with_test


@settings(deadline=None)
@given(MATRICES)
def test_npz_of_a_sparse_matrix_is_that_of_the_dense_one(values: np.ndarray) -> None:
    X, names = values[:, 1:], np.where(values[:, 0] > 0, "up", "down")
    thin, test = read_npz(npz(**csr(X), y=names, **{f"{k}_test": v for k, v in csr(X[:1]).items()}, y_test=[1]), "x")
    assert test is not None
    for table, rows in ((thin, X), (test, X[:1])):
        assert sparse.issparse(table.X)
        np.testing.assert_array_equal(table.X.toarray(), rows)
        assert np.count_nonzero(table.X.data) == table.X.nnz
    assert [thin.classes[int(k)] for k in thin.y] == names.tolist()
    assert thin.classes == tuple(sorted(set(names.tolist())))


def one_array() -> bytes:
    stream = io.BytesIO()
    np.save(stream, np.ones(3))
    return stream.getvalue()


def members_with(offset: int, value: int) -> Callable[[bytes], bytes]:
    """Return what sets a byte of all members' local headers, and the same one, two bytes later, of the directory's."""

    def damage(content: bytes) -> bytes:
        damaged = bytearray(content)
        for signature, place in ((b"PK\x03\x04", offset), (b"PK\x01\x02", offset + 2)):
            at = damaged.find(signature)
            while at >= 0:
                damaged[at + place] = value
                at = damaged.find(signature, at + 1)
        return bytes(damaged)

    return damage


def with_header(text: str) -> bytes:
    """Return an .npz of which the header of X is this text."""
    stream, y = io.BytesIO(), io.BytesIO()
    np.save(y, np.arange(4) % 2)
    with zipfile.ZipFile(stream, "w") as archive:
        header = text.encode().ljust(118) + b"\n"
        archive.writestr("X.npy", b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(64))
        archive.writestr("y.npy", y.getvalue())
    return stream.getvalue()


def test_the_way_in_which_these_tests_write_a_header_is_right() -> None:
    content = with_header("{'descr': '<f8', 'fortran_order': False, 'shape': (4, 2), }")
    assert read_npz(content, "x")[0].X.shape == (4, 2)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"1 1:2\n", "not a readable .npz"),
        (b"", "not a readable .npz"),
        (npz(lambda content: content[:-40]), "not a readable .npz"),
        (npz(members_with(6, 1)), "not a readable .npz"),  # encrypted
        (npz(members_with(8, 97)), "not a readable .npz"),  # an unknown compression
        (with_header("{'descr': '<f8', 'fortran_order': False, 'shape': (9999999999, 99999), }"), "not a readable"),
        (with_header("{'descr': '<f8', 'fortran_order': False, 'shape': (-4, 2), }"), "not a readable .npz"),
        (with_header("{'descr': '<f8', 'fortran_order': False"), "not a readable .npz"),
        (with_header("((((((" * 19), "not a readable .npz"),
        (with_header("{'descr': '|O', 'fortran_order': False, 'shape': (4, 2), }"), "not a readable .npz"),
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
    with pytest.raises(DataError, match=said) as caught:
        read_npz(content, "x")
    assert str(caught.value).isprintable()


def test_an_npz_that_would_not_fit_in_memory_is_refused_before_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.BytesIO()
    np.savez_compressed(stream, X=np.zeros((1000, 500)), y=np.arange(1000) % 2)
    monkeypatch.setattr(types, "machine_memory", lambda: 1 << 20)
    with pytest.raises(DataError, match="array X would take"):
        read_npz(stream.getvalue(), "x")


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
