"""Reads LIBSVM / SVMlight text: ``label [qid:k] index:value ... [# comment]``, indices from 1, or 0 if 0 occurs.

A careful reader defines the format; its errors name file, line and text. A fast reader is tried first for large files,
a piece at a time from the end. Text that was read is removed, so that memory never holds all text and all arrays.

Allowed: rows without features, explicit zeros (dropped), CRLF, comments, blank lines, unsorted indices, ``qid:``
(skipped). Refused: indices below 0, an index twice in a row, anything that is not ``index:value``.
"""

from __future__ import annotations

import io
import itertools
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from datasets.errors import DataError, shorten
from datasets.types import Table

_MAX_INT32 = 2**31 - 1
_MAX_INDEX = 2**63 - 2
_LONGEST_NUMBER = 1000
"""Most characters of a number: Python raises ValueError for integers of more than 4,300 digits."""
_PIECE = 8 << 20
"""Bytes that the fast reader reads at a time."""
_FAST_FROM = 6 << 20
"""Bytes of a file for the fast reader (17 MB/s): its import takes longer than a smaller file does at 4 MB/s."""


def read_libsvm(content: bytearray, where: str) -> Table:
    """Parse LIBSVM text.

    Parameters
    ----------
    content
        The unpacked file; a large one is emptied.
    where
        Name of the file for messages.

    Returns
    -------
    Table
        CSR float32, with the width of the largest index (explicit zeros included), and float64 labels.

    Raises
    ------
    DataError
        A line is malformed; the message has file, line number and text.
    """
    arrays = _Arrays(content.count(b":"))
    if len(content) >= _FAST_FROM:
        _read_fast(content, arrays)
    if content:
        arrays.put(*_read_careful(bytes(content), where))
    return arrays.table()


def _read_fast(content: bytearray, arrays: _Arrays) -> None:
    """Read with scikit-learn, a piece at a time from the end, and remove what was read.

    Ends before a piece that scikit-learn refuses, or reads less strictly than this module.
    """
    # imported here: it takes one to three seconds
    from sklearn.datasets import load_svmlight_file

    if b"_" in content:  # Python reads 1_0 as 10, in numbers and indices alike
        return
    while content:
        begin = content.rfind(b"\n", 0, max(len(content) - _PIECE, 0)) + 1
        try:
            X, y = load_svmlight_file(io.BytesIO(content[begin:]), dtype=np.float32, zero_based=True)
        except (ValueError, OverflowError, IndexError, UnicodeDecodeError):
            return
        if X.nnz and X.indices.min() < 0:
            return
        arrays.put(X.data, X.indices, np.diff(X.indptr), y)
        del content[begin:]


class _Arrays:
    """The arrays of a table, which are filled from the last row to the first.

    They are allocated once: pieces that are joined at the end would take the memory twice.

    Parameters
    ----------
    most
        Values that the file has at most.
    """

    def __init__(self, most: int) -> None:
        self._start = most
        self._data: NDArray[np.float32] = np.empty(most, np.float32)
        self._indices: NDArray[Any] = np.empty(most, np.int32)
        self._lengths: list[NDArray[Any]] = []
        self._labels: list[NDArray[Any]] = []

    def put(self, data: NDArray[Any], indices: NDArray[Any], lengths: NDArray[Any], labels: NDArray[Any]) -> None:
        """Put rows before those that are there: values, indices (sorted in each row), values a row, labels."""
        if indices.size and int(indices.max()) > _MAX_INT32:
            self._indices = self._indices.astype(np.int64)
        end, self._start = self._start, self._start - data.size
        self._data[self._start : end], self._indices[self._start : end] = data, indices
        self._lengths.append(lengths)
        self._labels.append(labels)

    def table(self) -> Table:
        """Return the table, which uses the memory of these arrays."""
        data, indices = self._data[self._start :], self._indices[self._start :]
        from_zero = bool(indices.size) and int(indices.min()) == 0
        if not from_zero:
            indices -= 1
        d = int(indices.max()) + 1 if indices.size else 0
        integer = np.int32 if max(d, data.size) <= _MAX_INT32 else np.int64
        indptr = np.concatenate([[0], *reversed(self._lengths)]).cumsum(dtype=np.int64)
        y = np.concatenate([[], *reversed(self._labels)])
        X = sparse.csr_matrix(
            (data, indices.astype(integer, copy=False), indptr.astype(integer)), shape=(y.size, d), dtype=np.float32
        )
        X.eliminate_zeros()
        return Table(X, y.astype(np.float64), from_zero=from_zero)


def with_index_zero(table: Table) -> Table:
    """Return the table with a first column for index 0."""
    if table.from_zero:
        return table
    X = sparse.csr_matrix(table.X)
    wide = X.shape[1] + 1 > _MAX_INT32
    integer = np.dtype(np.int64 if wide else np.int32)
    indices: NDArray[Any] = X.indices.astype(integer)
    indptr: NDArray[Any] = X.indptr.astype(integer)
    shifted = sparse.csr_matrix((X.data, indices + integer.type(1), indptr), shape=(X.shape[0], X.shape[1] + 1))
    return Table(sparse.csr_matrix(shifted, dtype=np.float32), table.y, table.classes, from_zero=True)


def _read_careful(content: bytes, where: str) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return the arguments of `_Arrays.put`."""
    labels: list[float] = []
    data: list[float] = []
    indices: list[int] = []
    lengths: list[int] = []
    for number, raw in enumerate(content.split(b"\n"), start=1):
        tokens = raw.split(b"#", 1)[0].split()
        if not tokens:
            continue
        line = _Line(where, number, raw)
        labels.append(line.number(tokens[0], "the label"))
        row = sorted(line.entry(t) for k, t in enumerate(tokens[1:]) if not (k == 0 and t.startswith(b"qid:")))
        for (left, _), (right, _) in itertools.pairwise(row):
            if left == right:
                line.refuse(f"index {left} appears twice")
        indices.extend(i for i, _ in row)
        data.extend(v for _, v in row)
        lengths.append(len(row))
    with np.errstate(over="ignore"):  # too large for float32: becomes infinite, which check_finite refuses
        values = np.asarray(data, dtype=np.float64).astype(np.float32)
    return values, np.asarray(indices, np.int64), np.asarray(lengths, np.int64), np.asarray(labels, np.float64)


class _Line:
    """One line of a file: parses its tokens, raises errors with its place."""

    def __init__(self, where: str, number: int, raw: bytes) -> None:
        self._where, self._number, self._raw = where, number, raw

    def refuse(self, why: str) -> NoReturn:
        raise DataError(
            f"{self._where}, line {self._number}: {why}; a line must read 'label index:value ...' "
            f"with indices from 1 (or from 0), each once. The line: '{shorten(self._raw[:_LONGEST_NUMBER].strip())}'"
        )

    def number(self, token: bytes, what: str) -> float:
        try:
            if b"_" in token or len(token) > _LONGEST_NUMBER:
                raise ValueError
            return float(token)
        except ValueError:
            self.refuse(f"{what} '{shorten(token)}' is not a number")

    def entry(self, token: bytes) -> tuple[int, float]:
        left, colon, right = token.partition(b":")
        if not colon:
            self.refuse(f"'{shorten(token)}' is not of the form index:value")
        if not left.removeprefix(b"-").removeprefix(b"+").isdigit():
            self.refuse(f"'{shorten(token)}' has an index that is not a whole number")
        if len(left) > _LONGEST_NUMBER:
            self.refuse(f"index {shorten(left)} does not fit in 64 bits")
        index = int(left)
        if index < 0:
            self.refuse(f"index {shorten(left)} is below 0 (indices are counted from 1, or from 0)")
        if index > _MAX_INDEX:
            self.refuse(f"index {shorten(left)} does not fit in 64 bits")
        return index, self.number(right, f"the value of index {index},")
