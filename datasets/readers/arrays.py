"""Reads files of arrays: numpy's .npz, and the idx-ubyte format of the MNIST files."""

from __future__ import annotations

import io
import math
import struct
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..errors import DataError, shorten
from ..types import Table, require_memory
from .columns import labels_in, no_number, numbers_in, place_of, table_of
from .plain_text import number_hint
from .whole_numbers import equal_warnings

CSR = ("data", "indices", "indptr", "shape")
_COPIES = 2
"""Peak memory of an array over its size: the array and its copy in the table."""
_UBYTE = 0x08


def read_npz(content: bytes, where: str, dtype: type[np.floating[Any]] = np.float64) -> tuple[Table, Table | None]:
    """Read arrays ``X``, ``y`` and, for a test part, ``X_test``, ``y_test``; the test part is None if there is none.

    ``columns`` may have the names of the features, ``columns_test`` those of the test part where they differ.

    In place of ``X`` there may be `CSR`, the arrays of a sparse matrix of rows as ``scipy.sparse.save_npz`` names them
    (for the test part with ``_test``). Labels are numbers or texts.
    """
    arrays: dict[str, NDArray[Any]] = {}
    try:
        archive = np.load(io.BytesIO(content), allow_pickle=False)
        names = archive.files if isinstance(archive, np.lib.npyio.NpzFile) else None
        for key in (f"{name}{suffix}" for suffix in ("", "_test") for name in ("X", "y", "format", "columns", *CSR)):
            if names is not None and key in names:
                member = f"{key}.npy" if f"{key}.npy" in archive.zip.namelist() else key
                require_memory(_COPIES * archive.zip.getinfo(member).file_size, f"{where}: array {key}")
                arrays[key] = archive[key]
    except DataError:
        raise
    except Exception as error:  # numpy and zipfile raise some ten kinds for damaged bytes
        raise DataError(f"{where}: not a readable .npz of plain numeric arrays ({shorten(str(error))}).") from error
    if names is None:
        raise DataError(f"{where}: is a single array; an .npz with arrays X and y is needed.")
    listed = ", ".join(shorten(name, 40) for name in names[:20]) or "nothing"
    if not _has_features(arrays, "") or "y" not in arrays:
        raise DataError(
            f"{where}: arrays X and y are needed (X_test and y_test optional; in place of X {', '.join(CSR)} of a "
            f"sparse matrix); found {listed}."
        )
    if _has_features(arrays, "_test") != ("y_test" in arrays):
        raise DataError(f"{where}: X_test and y_test must come together; found {listed}.")
    return _table(arrays, where, "", dtype), _table(arrays, where, "_test", dtype) if "y_test" in arrays else None


def features_of(X: Any, where: str) -> tuple[NDArray[Any], list[str]]:
    """Return features that a caller gives, (n, d) numbers with missing ones as NaN, and the names of a DataFrame's.

    Raises
    ------
    DataError
        A value is a text, or no number at all.
    """
    if hasattr(X, "columns") and hasattr(X, "iloc"):
        if not len(X.columns):
            return np.empty((len(X), 0)), []
        names = [str(name) for name in X.columns]
        columns = [_column(X.iloc[:, k]) for k in range(len(names))]
        parsed = [numbers_in(column, parse=False) for column in columns]
        if texts := [k for k, column in enumerate(parsed) if column is None]:
            column = columns[texts[0]]
            row = next(row for row, cell in enumerate(column) if numbers_in([cell], parse=False) is None)
            raise no_number(f"{where}, row {row + 1}", names, texts, str(column[row]), [], label_is_known=True)
        _warn_of_equal(columns, names)
        return np.stack([column for column in parsed if column is not None], axis=1), names
    try:
        array = np.asarray(_filled(X))
    except (TypeError, ValueError) as error:  # rows of different lengths
        raise DataError(f"{where}: is no table of numbers ({shorten(str(error))}).") from error
    if array.dtype.kind in "biuf":
        return array, []
    values = numbers_in(array.ravel(), parse=False)
    if values is None:
        cell = next(cell for cell in array.ravel() if numbers_in([cell], parse=False) is None)
        hint = number_hint(cell) if isinstance(cell, str) else ""
        shown = shorten(repr(str(cell) if isinstance(cell, str) else cell), 40)
        kind = "a text" if isinstance(cell, str) and numbers_in([cell]) is not None else "not a number"
        raise DataError(f"{where} holds {shown}, which is {kind}; write all features as numbers{hint and f': {hint}'}.")
    if array.ndim == 2:
        _warn_of_equal(array.T, [])
    return values.reshape(array.shape), []


def _warn_of_equal(columns: Iterable[NDArray[Any]], names: Sequence[str]) -> None:
    for text in equal_warnings((column, place_of(k, names)) for k, column in enumerate(columns)):
        warnings.warn(text, stacklevel=3)


def labels_of(y: Any, where: str) -> NDArray[Any]:
    """Return labels that a caller gives as numbers, or as texts without blanks at their ends.

    Raises
    ------
    DataError
        A label is missing, or neither number nor text.
    """
    try:
        array = np.asarray(_column(y) if hasattr(y, "dtype") and hasattr(y, "array") else _filled(y))
    except (TypeError, ValueError) as error:  # rows of different lengths
        raise DataError(f"{where} must be a list with one label for each row ({shorten(str(error))}).") from error
    if array.dtype.kind in "biuf":
        return array  # `read_npz` refuses another shape
    flat = array[:, 0] if array.ndim == 2 and array.shape[1] == 1 else array
    if flat.ndim != 1:
        found = f"an array of shape {shorten(str(array.shape))}" if array.ndim else f"one {type(y).__name__}"
        raise DataError(f"{where} is {found}; it must be a list or an array, (n,), with the label of each row.")
    numbers, classes = labels_in(flat, where, parse=False)
    return np.array(classes)[numbers.astype(np.intp)] if classes else numbers


def _filled(values: Any) -> Any:
    """Return the values; in a masked array of numpy, None (missing) replaces each masked value."""
    if not isinstance(values, np.ma.MaskedArray) or values.dtype.names is not None or not np.ma.is_masked(values):
        return values
    cells = np.array(values.data, object)
    cells[np.ma.getmaskarray(values)] = None
    return cells


def _column(column: Any) -> NDArray[Any]:
    """Return the cells of a column of pandas: numbers, or objects."""
    if column.dtype.kind in "biuf" and isinstance(column.dtype, np.dtype):
        return np.asarray(column)
    return np.asarray(column.astype(object))


def _has_features(arrays: Mapping[str, NDArray[Any]], suffix: str) -> bool:
    return f"X{suffix}" in arrays or all(f"{name}{suffix}" in arrays for name in CSR)


def _table(arrays: Mapping[str, NDArray[Any]], where: str, suffix: str, dtype: type[np.floating[Any]]) -> Table:
    y = arrays[f"y{suffix}"]
    names = [f"X{suffix}"] if f"X{suffix}" in arrays else [f"{name}{suffix}" for name in CSR]
    for name, kinds in ((f"y{suffix}", "biufU"), *((name, "biuf") for name in names)):
        if arrays[name].dtype.kind not in kinds:
            kind = shorten(str(arrays[name].dtype))
            raise DataError(f"{where}: array {name} has type {kind}; real numbers are needed.")
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    X = arrays[names[0]] if len(names) == 1 else _csr(arrays, where, suffix)
    if X.ndim != 2 or y.ndim != 1:
        raise DataError(
            f"{where}: X{suffix} must be (n, d) and y{suffix} (n,); found "
            f"{shorten(str(X.shape))} and {shorten(str(y.shape))}."
        )
    labels = labels_in(y, f"{where}, array y{suffix}")
    if sparse.issparse(X):
        return Table(sparse.csr_matrix(X, dtype=dtype), *labels)
    columns = arrays.get(f"columns{suffix}", arrays.get("columns"))
    if columns is None or columns.dtype.kind != "U" or columns.shape != X.shape[1:]:
        columns = np.empty(0, str)
    names = columns.tolist()
    equal = equal_warnings((X[:, k], place_of(k, names)) for k in range(X.shape[1]))
    X = np.ascontiguousarray(X, dtype)
    table = table_of(X, *labels, names, range(len(names))) if names else Table(X, *labels)
    return replace(table, warnings=(*table.warnings, *equal))


def _csr(arrays: Mapping[str, NDArray[Any]], where: str, suffix: str) -> sparse.csr_matrix[Any]:
    """Return the sparse matrix of the arrays `CSR`, without stored zeros, its columns sorted within each row."""
    data, indices, indptr, shape = (arrays[f"{name}{suffix}"] for name in CSR)
    try:
        order = arrays.get(f"format{suffix}", np.array("csr")).astype(str)  # scipy writes bytes
        if str(order) != "csr":
            raise ValueError(f"it is stored as {order}; scipy.sparse.csr_matrix(X) makes rows of it")
        X = sparse.csr_matrix((data, indices, indptr), shape=(int(shape[0]), int(shape[1])), copy=True)
        X.check_format(full_check=True)
    except (ValueError, TypeError, IndexError, OverflowError) as error:
        raise DataError(f"{where}: {', '.join(CSR)} are no sparse matrix of rows ({shorten(str(error))}).") from error
    X.sum_duplicates()
    X.eliminate_zeros()
    return X


def read_idx(content: bytes, where: str) -> Table:
    """Read an idx file of unsigned bytes, a big-endian header and the bytes.

    Of one dimension they are the labels, else the features, (n, product of the others) uint8: images, row by row.
    """
    if len(content) < 4 or content[:2] != b"\0\0" or content[2] != _UBYTE or content[3] < 1:
        raise DataError(f"{where}: not an idx file of unsigned bytes (first bytes {content[:4].hex() or 'none'}).")
    header = 4 + 4 * content[3]
    if len(content) < header:
        raise DataError(f"{where}: the idx header is cut short.")
    shape = struct.unpack(f">{content[3]}I", content[4:header])
    if len(content) - header != math.prod(shape):
        raise DataError(
            f"{where}: the header {shorten(str(shape))} asks for {shorten(str(math.prod(shape)))} bytes, found "
            f"{len(content) - header}."
        )
    array = np.frombuffer(content, np.uint8, offset=header)
    if len(shape) == 1:
        return Table(np.empty((array.size, 0), np.uint8), array.astype(np.float64))
    return Table(array.reshape(shape[0], math.prod(shape[1:])), np.empty(0))
