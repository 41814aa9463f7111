"""Reads LIBSVM / SVMlight text: ``label [qid:k] index:value ... [# comment]``, indices from 1, or 0 if 0 occurs.

A careful reader defines the format; its errors name file, line and text. A fast reader is tried first for large files,
a piece at a time from the end. Text that was read is removed, so that memory never holds all text and all arrays:
scikit-learn's own reading of a whole file takes twice as much.

Allowed: rows without features, explicit zeros (dropped), CRLF, comments, blank lines, unsorted indices, ``qid:``
(skipped). Refused: indices below 0, an index twice in a row, anything that is not ``index:value``.
"""

from __future__ import annotations

import io
import itertools
from typing import NoReturn, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from svm_cost_curves.datasets.errors import DataError, shorten
from svm_cost_curves.datasets.transforms import stack_rows
from svm_cost_curves.datasets.types import Table

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
    pieces = _read_fast(content) if len(content) >= _FAST_FROM else []
    if content or not pieces:
        pieces.append(_read_careful(bytes(content), where))
    pieces.reverse()
    from_zero = any(X.nnz and X.indices.min() == 0 for X, _ in pieces)
    if not from_zero:
        for X, _ in pieces:
            X.indices -= 1
    d = max(X.shape[1] for X, _ in pieces) - (not from_zero)
    rows = [sparse.csr_matrix((X.data, X.indices, X.indptr), shape=(X.shape[0], max(d, 0))) for X, _ in pieces]
    return Table(stack_rows(rows), np.concatenate([y for _, y in pieces]), from_zero=from_zero)


_Rows: TypeAlias = "tuple[sparse.csr_matrix[np.float32], NDArray[np.float64]]"
"""Rows of a file, whose columns are numbered as the text's indices, and their labels."""


def _read_fast(content: bytearray) -> list[_Rows]:
    """Read with scikit-learn, a piece at a time from the end, and remove what was read.

    Ends before a piece that scikit-learn refuses, or reads less strictly than this module.
    """
    # imported here: it takes one to three seconds
    from sklearn.datasets import load_svmlight_file

    pieces: list[_Rows] = []
    if b"_" in content:  # Python reads 1_0 as 10, in numbers and indices alike
        return pieces
    while content:
        begin = content.rfind(b"\n", 0, max(len(content) - _PIECE, 0)) + 1
        try:
            X, y = load_svmlight_file(io.BytesIO(content[begin:]), dtype=np.float32, zero_based=True)
        except (ValueError, OverflowError, IndexError, UnicodeDecodeError):
            break
        if X.nnz and X.indices.min() < 0:
            break
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
        pieces.append((X, y.astype(np.float64)))
        del content[begin:]
    return pieces


def with_index_zero(table: Table) -> Table:
    """Return the table with a first column for index 0."""
    if table.from_zero:
        return table
    first = sparse.csr_matrix(np.zeros((table.y.size, 1), np.float32))
    X: sparse.csr_matrix[np.float32] = sparse.hstack([first, sparse.csr_matrix(table.X)], format="csr")
    return Table(X, table.y, table.classes, from_zero=True)


def _read_careful(content: bytes, where: str) -> _Rows:
    """Read line by line."""
    labels: list[float] = []
    data: list[float] = []
    indices: list[int] = []
    starts: list[int] = [0]
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
        starts.append(len(data))
    with np.errstate(over="ignore"):  # too large for float32: becomes infinite, which check_finite refuses
        values = np.asarray(data, dtype=np.float64).astype(np.float32)
    shape = (len(labels), max(indices, default=-1) + 1)
    return sparse.csr_matrix((values, indices, starts), shape=shape), np.asarray(labels, np.float64)


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
