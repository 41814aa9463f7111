"""Cache of parsed files as arrays, so that a second load does not parse.

A prepared file has a checksum, the names of some arrays, and these arrays in numpy's .npy format. It is keyed by the
SHA-256 of the unpacked source, the reader and its version, and written atomically. A damaged file is rebuilt with a
warning.
"""

from __future__ import annotations

import hashlib
import json
import logging
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from datasets.readers import READER_VERSION
from datasets.types import Table
from support.checksums import check, checksummed
from support.files import new_file

log = logging.getLogger(__name__)

_FOLDER = "prepared"


class PreparedCache:
    """Parsed files in ``<cache_dir>/prepared``."""

    def __init__(self, cache_dir: Path) -> None:
        self._folder = cache_dir / _FOLDER

    def path(self, sha256: str, reader: str) -> Path:
        """Return the path of a prepared file.

        Parameters
        ----------
        sha256
            Of the unpacked source file, or of the content without a file.
        reader
            Reader with the options that change its result: ``csv:-1``.
        """
        key = hashlib.sha256(_header(sha256, reader)).hexdigest()[:32]
        return self._folder / f"{reader.partition(':')[0]}-{key}.arrays"

    def get(self, sha256: str, reader: str) -> Table | None:
        """Return the parsed file; None if it is missing, or damaged, which logs a warning."""
        path = self.path(sha256, reader)
        try:
            with path.open("rb") as file:
                check(file)
                arrays = _read(file)
            if arrays["header"].tobytes() != _header(sha256, reader):
                raise ValueError("its header belongs to another file or version")
            return _to_table(arrays)
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            log.warning("The prepared file %s is damaged (%s) and is built again.", path, error)
            return None

    def put(self, sha256: str, reader: str, table: Table) -> None:
        """Write a parsed file; a cache that cannot be written only logs a warning."""
        path = self.path(sha256, reader)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with new_file(path) as file, checksummed(file):
                _write(file, _to_arrays(table, sha256, reader))
        except OSError as error:
            log.warning("Cannot keep the prepared file %s (%s); the next load will parse again.", path, error)


def _header(sha256: str, reader: str) -> bytes:
    return json.dumps({"version": READER_VERSION, "sha256": sha256, "reader": reader}, sort_keys=True).encode()


def _write(file: BinaryIO, arrays: dict[str, NDArray[Any]]) -> None:
    for array in (np.array(list(arrays)), *arrays.values()):
        np.save(file, array, allow_pickle=False)


def _read(file: BinaryIO) -> dict[str, NDArray[Any]]:
    names = np.load(file, allow_pickle=False)
    return {str(name): np.load(file, allow_pickle=False) for name in names}


def _to_arrays(table: Table, sha256: str, reader: str) -> dict[str, NDArray[Any]]:
    arrays: dict[str, NDArray[Any]] = {"header": np.frombuffer(_header(sha256, reader), np.uint8), "y": table.y}
    if sparse.issparse(table.X):
        X = table.X
        arrays |= {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": np.array(X.shape, np.int64)}
    else:
        arrays["X"] = np.asarray(table.X)
    if table.classes:
        arrays["classes"] = np.array(table.classes)
    if table.from_zero:
        arrays["from_zero"] = np.array(True)
    return arrays


def _to_table(arrays: dict[str, NDArray[Any]]) -> Table:
    classes = tuple(map(str, arrays.get("classes", ())))
    if "X" in arrays:
        return Table(arrays["X"], arrays["y"], classes)
    n, d = (int(v) for v in arrays["shape"])
    X = sparse.csr_matrix((arrays["data"], arrays["indices"], arrays["indptr"]), shape=(n, d))
    return Table(X, arrays["y"], classes, "from_zero" in arrays)
