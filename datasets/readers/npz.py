"""numpy's .npz with arrays ``X``, ``y`` and, if it has a test part, ``X_test``, ``y_test``."""

from __future__ import annotations

import io
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from datasets.errors import DataError, shorten
from datasets.memory import ask
from datasets.types import Table


def read_npz(content: bytes, where: str) -> tuple[Table, Table | None]:
    """Read the training part and, where present, the test part.

    Raises
    ------
    DataError
        Not an .npz, arrays missing, of the wrong shape or not numbers.
    """
    arrays: dict[str, NDArray[Any]] = {}
    try:
        archive = np.load(io.BytesIO(content), allow_pickle=False)
        names = archive.files if isinstance(archive, np.lib.npyio.NpzFile) else None
        for key in ("X", "y", "X_test", "y_test"):
            if names is not None and key in names:
                _ask(archive, key, where)
                arrays[key] = archive[key]
    except DataError:
        raise
    except Exception as error:  # numpy and zipfile raise some ten kinds for damaged bytes
        raise DataError(f"{where}: not a readable .npz of plain numeric arrays ({shorten(str(error))}).") from error
    if names is None:
        raise DataError(f"{where}: is a single array; an .npz with arrays X and y is needed.")
    found = ", ".join(shorten(name, 40) for name in names[:20]) or "nothing"
    if "X" not in arrays or "y" not in arrays:
        raise DataError(f"{where}: arrays X and y are needed (X_test and y_test optional); found {found}.")
    if ("X_test" in arrays) != ("y_test" in arrays):
        raise DataError(f"{where}: X_test and y_test must come together; found {found}.")
    test = _table(arrays["X_test"], arrays["y_test"], where, "_test") if "X_test" in arrays else None
    return _table(arrays["X"], arrays["y"], where, ""), test


def _ask(archive: np.lib.npyio.NpzFile, key: str, where: str) -> None:
    """Ask for the memory of an array before it is made, and refuse a header that says more than the bytes hold."""
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
    # as it is, and as the table has it
    ask(needed + 8 * math.prod(shape), f"{where}: array {key} of shape {shorten(str(shape))}")


def _table(X: NDArray[Any], y: NDArray[Any], where: str, suffix: str) -> Table:
    for name, array in ((f"X{suffix}", X), (f"y{suffix}", y)):
        if array.dtype.kind not in "biuf":
            raise DataError(f"{where}: array {name} has type {shorten(str(array.dtype))}; real numbers are needed.")
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if X.ndim != 2 or y.ndim != 1:
        raise DataError(
            f"{where}: X{suffix} must be (n, d) and y{suffix} (n,); found "
            f"{shorten(str(X.shape))} and {shorten(str(y.shape))}."
        )
    with np.errstate(over="ignore"):  # too large for float32: found by the check for finite values
        return Table(np.ascontiguousarray(X, np.float32), y.astype(np.float64))
