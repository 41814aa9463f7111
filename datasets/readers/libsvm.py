"""Reads LIBSVM / SVMlight text: ``label [qid:k] index:value ... [# comment]``, indices from 1, or 0 if 0 occurs.

A careful reader defines the format; its errors name file, line and text. scikit-learn's reader is tried first for large
files. Allowed: rows without features, explicit zeros (dropped), CRLF, comments, blank lines, unsorted indices, ``qid:``
(skipped). Refused: indices below 0, an index twice in a row, anything that is not ``index:value``.
"""

from __future__ import annotations

import io
import itertools
import math
import re
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..errors import DataError, read_as, shorten
from ..transforms import to_matrix
from ..types import Table
from .plain_text import MISSING, NO_LABEL, TRUTH, decoded, encoding_of, lines_of, number_hint
from .whole_numbers import EXACT, refuse_equal

_MAX_INDEX = 2**63 - 2
_LONGEST_NUMBER = 1000
"""Most characters of a number: Python raises ValueError for integers of more than 4,300 digits."""
_FAST_FROM = 6 << 20
"""Bytes of a file for scikit-learn (17 MB/s): its import takes longer than a smaller file does at 4 MB/s."""


def read_libsvm(content: bytes, where: str, dtype: type[np.floating[Any]] = np.float64) -> Table:
    """Parse LIBSVM text: CSR, with the width of the largest index (explicit zeros included), and labels."""
    if encoding_of(content, where) != "utf-8" or b"\r" in content:
        content = "\n".join(lines_of(decoded(content, where))).encode()
    rows = _read_fast(content, dtype) if len(content) >= _FAST_FROM else None
    X, y = rows or _read_careful(content, where, dtype)
    from_zero = bool(X.nnz and X.indices.min() == 0)
    if not from_zero:
        X.indices -= 1
    width = max(X.shape[1] - (not from_zero), 0)
    return Table(to_matrix(X, width, dense=False), y, from_zero=from_zero, indexed=True)


def with_index_zero(table: Table) -> Table:
    """Return the table with a first column for index 0."""
    if table.from_zero:
        return table
    first = sparse.csr_matrix(np.zeros((table.y.size, 1), table.X.dtype))
    X: sparse.csr_matrix[Any] = sparse.hstack([first, sparse.csr_matrix(table.X)], format="csr")
    return replace(table, X=X, from_zero=True)


def _read_fast(
    content: bytes, dtype: type[np.floating[Any]]
) -> tuple[sparse.csr_matrix[Any], NDArray[np.float64]] | None:
    """Read with scikit-learn; None if it refuses the text, or is less strict on it than the careful reader."""
    # imported here: it takes one to three seconds
    from sklearn.datasets import load_svmlight_file

    if b"_" in content:  # Python reads 1_0 as 10, in numbers and indices alike
        return None
    try:
        X, y = load_svmlight_file(io.BytesIO(content), dtype=dtype, zero_based=True)
    except (ValueError, OverflowError, IndexError, UnicodeDecodeError):
        return None
    if (X.nnz and X.indices.min() < 0) or (np.abs(y) >= EXACT).any():  # the labels' digits are lost
        return None
    return X, y.astype(np.float64)


def _read_careful(
    content: bytes, where: str, dtype: type[np.floating[Any]]
) -> tuple[sparse.csr_matrix[Any], NDArray[np.float64]]:
    """Read line by line."""
    labels: list[float] = []
    data: list[float] = []
    indices: list[int] = []
    starts: list[int] = [0]
    large: list[str] = []  # labels of which float64 may make two equal
    for number, line in enumerate(content.split(b"\n"), start=1):
        tokens = line.split(b"#", 1)[0].split()
        if not tokens:
            continue
        try:
            labels.append(_number(tokens[0], "the label"))
            if abs(labels[-1]) >= EXACT:
                large.append(tokens[0].decode())
            row = sorted(_entry(t) for k, t in enumerate(tokens[1:]) if not (k == 0 and t.startswith(b"qid:")))
            for (left, _), (right, _) in itertools.pairwise(row):
                if left == right:
                    raise ValueError(f"index {left} appears twice")
        except ValueError as error:
            table = "" if b":" in line or (len(tokens) == 1 and not re.search(b"[,;|]", line)) else _table()
            raise DataError(
                f"{where}, line {number}: {error}; a line must read 'label index:value ...' with indices from 1 (or "
                f"from 0), each once.{table} The line: '{shorten(line[:_LONGEST_NUMBER].strip())}'"
            ) from error
        indices.extend(i for i, _ in row)
        data.extend(v for _, v in row)
        starts.append(len(data))
    refuse_equal(large, where, "as smaller numbers")
    with np.errstate(over="ignore"):  # too large for float32: becomes infinite, which check_table refuses
        values = np.asarray(data, dtype=np.float64).astype(dtype)
    shape = (len(labels), max(indices, default=-1) + 1)
    return sparse.csr_matrix((values, indices, starts), shape=shape), np.asarray(labels, np.float64)


def _table() -> str:
    return f" If the file is a table of columns, {read_as('csv', '.csv')}."


def _number(token: bytes, part: str) -> float:
    text = token[:_LONGEST_NUMBER].decode("utf-8", errors="replace")
    if part == "the label":
        if text.lower() in NO_LABEL:
            raise ValueError("the label is missing: remove the line or fill it in")
    elif text and text.lower() in MISSING:
        return math.nan  # refused by `check_table`, which counts them
    try:
        if b"_" in token or len(token) > _LONGEST_NUMBER:
            raise ValueError
        return float(token)
    except ValueError:
        several = " (several labels of a row are not read)" if part == "the label" and b"," in token else ""
        hint = number_hint(text) if len(token) <= _LONGEST_NUMBER else ""
        if text.lower() in TRUTH:
            hint = "write 1 for true and 0 for false"
        raise ValueError(f"{part} '{shorten(token)}' is not a number{several}{hint and f': {hint}'}") from None


def _entry(token: bytes) -> tuple[int, float]:
    left, colon, right = token.partition(b":")
    if not colon:
        raise ValueError(f"'{shorten(token)}' is not of the form index:value")
    if not left.removeprefix(b"-").removeprefix(b"+").isdigit():
        raise ValueError(f"'{shorten(token)}' has an index that is not a whole number")
    if len(left) > _LONGEST_NUMBER or int(left) > _MAX_INDEX:
        raise ValueError(f"index {shorten(left)} does not fit in 64 bits")
    index = int(left)
    if index < 0:
        raise ValueError(f"index {shorten(left)} is below 0 (indices are counted from 1, or from 0)")
    return index, _number(right, f"the value of index {index},")
