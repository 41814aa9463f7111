"""The prepared cache: parsed files kept as arrays, so that a second load need not parse.

A prepared file is an uncompressed .npz, keyed by the SHA-256 of the unpacked source, the reader and its version.
It is written beside its place and renamed, so other processes see all of it or nothing; the zip's
own CRC-32 of each array, read in full at load, and a header inside tell a damaged file from a whole one.
A damaged file is rebuilt with a warning, never trusted.
"""

from __future__ import annotations

import hashlib
import json
import logging
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from datasets.readers import READER_VERSION
from datasets.types import Table
from support.files import new_file

log = logging.getLogger(__name__)

_FOLDER = "prepared"
_DAMAGE = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError)


class PreparedCache:
    """Parsed files in ``<cache_dir>/prepared``."""

    def __init__(self, cache_dir: Path) -> None:
        self._folder = cache_dir / _FOLDER

    def path(self, sha256: str, reader: str) -> Path:
        """Return where the parsed form of a file is kept.

        Parameters
        ----------
        sha256
            Of the unpacked source file (of the content, where there is no file).
        reader
            The reader's name with the options that change its result, e.g. ``csv:-1``.
        """
        key = hashlib.sha256(_header(sha256, reader)).hexdigest()[:32]
        return self._folder / f"{reader.partition(':')[0]}-{key}.npz"

    def get(self, sha256: str, reader: str) -> Table | None:
        """Return the parsed file, or None where it is absent or damaged (then a warning is logged)."""
        path = self.path(sha256, reader)
        try:
            with path.open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
                arrays = {key: archive[key] for key in archive.files}
            if arrays["header"].tobytes() != _header(sha256, reader):
                raise ValueError("its header belongs to another file or version")
            return _to_table(arrays)
        except FileNotFoundError:
            return None
        except _DAMAGE as error:
            log.warning("The prepared file %s is damaged (%s) and is built again.", path, error)
            return None

    def put(self, sha256: str, reader: str, table: Table) -> None:
        """Keep a parsed file; a cache that cannot be written costs time later, so it only warns."""
        path = self.path(sha256, reader)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with new_file(path) as stream:
                np.savez(stream, allow_pickle=False, **_to_arrays(table, sha256, reader))
        except OSError as error:
            log.warning("Cannot keep the prepared file %s (%s); the next load will parse again.", path, error)


def _header(sha256: str, reader: str) -> bytes:
    return json.dumps({"version": READER_VERSION, "sha256": sha256, "reader": reader}, sort_keys=True).encode()


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
