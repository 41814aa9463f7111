"""Reads LIBSVM / SVMlight text: ``label [qid:k] index:value ... [# comment]``, indices from 1, or 0 if 0 occurs.

A careful reader defines the format; its errors name file, line and text. A fast reader is tried first for large files.

Allowed: rows without features, explicit zeros (dropped), CRLF, comments, blank lines, unsorted indices, ``qid:``
(skipped). Refused: indices below 0, an index twice in a row, anything that is not ``index:value``.
"""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterator
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
_PIECE = 32 << 20
"""Bytes that the fast reader reads at a time."""
_FAST_FROM = 6 << 20
"""Bytes of a file for the fast reader (17 MB/s): its import takes longer than a smaller file does at 4 MB/s."""

_Rows = tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]
"""Values, indices, lengths of rows, labels."""


def read_libsvm(content: bytes, where: str) -> Table:
    """Parse LIBSVM text.

    Parameters
    ----------
    content
        The unpacked file.
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
    table = _read_fast(content) if len(content) >= _FAST_FROM else None
    return table if table is not None else _read_careful(content, where)


def _read_fast(content: bytes) -> Table | None:
    """Read with scikit-learn, in pieces; None if that fails or is less strict than this module.

    scikit-learn takes 12 bytes a value, with growing arrays, where the result takes 8. A piece at a time keeps the
    peak of memory near that of the text and the result.
    """
    # imported here: it takes one to three seconds
    from sklearn.datasets import load_svmlight_file

    if b"_" in content:  # Python reads 1_0 as 10, in numbers and indices alike
        return None
    pieces: list[_Rows] = []
    for begin, end in _line_ranges(content):
        try:
            X, y = load_svmlight_file(io.BytesIO(content[begin:end]), dtype=np.float32, zero_based=True)
        except (ValueError, OverflowError, IndexError, UnicodeDecodeError):
            return None
        if X.nnz and X.indices.min() < 0:
            return None
        small = not X.nnz or X.indices.max() <= _MAX_INT32
        pieces.append((X.data, X.indices.astype(np.int32 if small else np.int64), np.diff(X.indptr), y))
        del X  # with its int64 indices, before the next piece is read
    return _joined(pieces)


def _line_ranges(content: bytes) -> Iterator[tuple[int, int]]:
    """Yield the ranges of pieces of whole lines, of about `_PIECE` bytes."""
    begin = 0
    while begin < len(content):
        end = content.find(b"\n", begin + _PIECE) + 1 or len(content)
        yield begin, end
        begin = end


def _joined(pieces: list[_Rows]) -> Table:
    """Build the table of all rows; empties the list, so that memory is not doubled."""
    stored = [data.size for data, *_ in pieces]
    integer = np.result_type(np.int32, *(indices.dtype for _, indices, *_ in pieces))
    data, indices = np.empty(sum(stored), np.float32), np.empty(sum(stored), integer)
    indptr = np.concatenate([[0], *(lengths for _, _, lengths, _ in pieces)]).cumsum(dtype=np.int64)
    y = np.concatenate([labels for *_, labels in pieces])
    end = data.size
    while pieces:
        own_data, own_indices, *_ = pieces.pop()
        begin = end - own_data.size
        data[begin:end], indices[begin:end] = own_data, own_indices
        end = begin
    return _table(data, indices, indptr, y)


def _table(data: NDArray[Any], indices: NDArray[Any], indptr: NDArray[Any], y: NDArray[Any]) -> Table:
    """Build the table from the indices of the file, sorted and unique within each row; uses the arrays' memory."""
    from_zero = bool(indices.size) and int(indices.min()) == 0
    if not from_zero:
        indices -= 1
    d = int(indices.max()) + 1 if indices.size else 0
    small = max(d, data.size) <= _MAX_INT32
    integer = np.int32 if small else np.int64
    X = sparse.csr_matrix(
        (data.astype(np.float32, copy=False), indices.astype(integer, copy=False), indptr.astype(integer)),
        shape=(y.size, d),
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


def _read_careful(content: bytes, where: str) -> Table:
    labels: list[float] = []
    data: list[float] = []
    indices: list[int] = []
    indptr = [0]
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
        indptr.append(len(indices))
    with np.errstate(over="ignore"):  # too large for float32: becomes infinite, which check_finite refuses
        values = np.asarray(data, dtype=np.float64).astype(np.float32)
    return _table(values, np.asarray(indices, np.int64), np.asarray(indptr, np.int64), np.asarray(labels, np.float64))


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
            self.refuse(f"index {index} is below 0 (indices are counted from 1, or from 0)")
        if index > _MAX_INDEX:
            self.refuse(f"index {index} does not fit in 64 bits")
        return index, self.number(right, f"the value of index {index},")
