"""Reads numpy's .npz with arrays ``X``, ``y`` and, for a test part, ``X_test``, ``y_test``.

In place of ``X`` there may be ``data``, ``indices``, ``indptr`` and ``shape``, the arrays of a sparse matrix of rows as
``scipy.sparse.save_npz`` names them (for the test part with ``_test``). Labels are numbers or texts.
"""

from __future__ import annotations

import io
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from svm_cost_curves.datasets.errors import DataError, shorten
from svm_cost_curves.datasets.memory import require_memory
from svm_cost_curves.datasets.readers.columns import labels_in
from svm_cost_curves.datasets.types import Table

CSR = ("data", "indices", "indptr", "shape")
_KEYS = tuple(f"{name}{suffix}" for suffix in ("", "_test") for name in ("X", "y", "format", *CSR))


def read_npz(content: bytes | bytearray, where: str) -> tuple[Table, Table | None]:
    """Read the training part and, if present, the test part.

    Raises
    ------
    DataError
        The file is not an .npz, or an array is missing, has a wrong shape or is not numeric.
    """
    arrays: dict[str, NDArray[Any]] = {}
    try:
        archive = np.load(io.BytesIO(content), allow_pickle=False)
        names = archive.files if isinstance(archive, np.lib.npyio.NpzFile) else None
        for key in _KEYS:
            if names is not None and key in names:
                _check_array(archive, key, where)
                arrays[key] = archive[key]
    except DataError:
        raise
    except Exception as error:  # numpy and zipfile raise some ten kinds for damaged bytes
        raise DataError(f"{where}: not a readable .npz of plain numeric arrays ({shorten(str(error))}).") from error
    if names is None:
        raise DataError(f"{where}: is a single array; an .npz with arrays X and y is needed.")
    found = ", ".join(shorten(name, 40) for name in names[:20]) or "nothing"
    there = {suffix: _has_features(arrays, suffix) for suffix in ("", "_test")}
    if not there[""] or "y" not in arrays:
        raise DataError(
            f"{where}: arrays X and y are needed (X_test and y_test optional; in place of X {', '.join(CSR)} of a "
            f"sparse matrix); found {found}."
        )
    if there["_test"] != ("y_test" in arrays):
        raise DataError(f"{where}: X_test and y_test must come together; found {found}.")
    test = _table(arrays, where, "_test") if there["_test"] else None
    return _table(arrays, where, ""), test


def _has_features(arrays: Mapping[str, NDArray[Any]], suffix: str) -> bool:
    return f"X{suffix}" in arrays or all(f"{name}{suffix}" in arrays for name in CSR)


def _check_array(archive: np.lib.npyio.NpzFile, key: str, where: str) -> None:
    """Check an array's header before it is read: memory, and a shape that fits the file."""
    assert archive.zip is not None  # it is open
    member = f"{key}.npy" if f"{key}.npy" in archive.zip.namelist() else key
    with archive.zip.open(member) as stream:
        version = np.lib.format.read_magic(stream)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = read(stream)
        needed = math.prod(shape) * dtype.itemsize
        if needed > archive.zip.getinfo(member).file_size:
            raise DataError(
                f"{where}: array {key} says that it is {shorten(str(shape))}, {needed} bytes, but is shorter."
            )
    # the array itself and its copy in the table
    require_memory(needed + 8 * math.prod(shape), f"{where}: array {key} of shape {shorten(str(shape))}")


def _table(arrays: Mapping[str, NDArray[Any]], where: str, suffix: str) -> Table:
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
    with np.errstate(over="ignore"):  # too large for float32: becomes infinite, which check_finite refuses
        if sparse.issparse(X):
            return Table(sparse.csr_matrix(X, dtype=np.float32), *labels)
        return Table(np.ascontiguousarray(X, np.float32), *labels)


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
