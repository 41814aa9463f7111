"""Cache of parsed files as arrays in numpy's .npy format, so that a second load does not parse.

A prepared file is keyed by the SHA-256 of the unpacked source, the reader and its version.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from svm_cost_curves.datasets.readers import READER_VERSION
from svm_cost_curves.datasets.types import Table
from svm_cost_curves.support import disk_cache


class PreparedCache:
    """Parsed files in ``<cache_dir>/prepared``.

    A file is known by the SHA-256 of its unpacked source, or of the content without a file, and the name of the reader
    with the options that change its result: ``csv:-1``.
    """

    def __init__(self, cache_dir: Path) -> None:
        self._folder = cache_dir / "prepared"

    def path(self, sha256: str, reader: str) -> Path:
        """Return the path of a prepared file."""
        identity = {"version": READER_VERSION, "sha256": sha256, "reader": reader}
        key = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:32]
        return self._folder / f"{reader.partition(':')[0]}-{key}.arrays"

    def get(self, sha256: str, reader: str) -> Table | None:
        """Return the parsed file; None if it is missing, or damaged, which logs a warning."""
        return disk_cache.get(self.path(sha256, reader), _read)

    def put(self, sha256: str, reader: str, table: Table) -> None:
        """Write a parsed file; a cache that cannot be written only logs a warning."""

        def write(file: BinaryIO) -> None:
            arrays = _arrays(table)
            for array in (np.array(list(arrays)), *arrays.values()):
                np.save(file, array, allow_pickle=False)

        disk_cache.put(self.path(sha256, reader), write)

    def table(self, sha256: str, reader: str, make: Callable[[], Table]) -> Table:
        """Return the parsed file; `make` parses it if it is not here."""
        table = self.get(sha256, reader)
        if table is None:
            table = make()
            self.put(sha256, reader, table)
        return table


_NAMES = ("y", "classes", "from_zero", "columns", "label_column")
"""Fields of a table beside its features."""


def _arrays(table: Table) -> dict[str, NDArray[Any]]:
    arrays = {name: np.array(getattr(table, name)) for name in _NAMES}
    if not sparse.issparse(table.X):
        return {"X": np.asarray(table.X), **arrays}
    X = table.X
    return {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": np.array(X.shape, np.int64), **arrays}


def _read(file: BinaryIO) -> Table:
    arrays = {str(name): np.load(file, allow_pickle=False) for name in np.load(file, allow_pickle=False)}
    X = arrays.get("X")
    if X is None:
        parts = (arrays["data"], arrays["indices"], arrays["indptr"])
        n, d = map(int, arrays["shape"])
        X = sparse.csr_matrix(parts, shape=(n, d))
    # files of earlier versions lack the names that were empty
    classes, columns = (tuple(map(str, arrays.get(name, ()))) for name in ("classes", "columns"))
    from_zero, label_column = bool(arrays.get("from_zero", False)), str(arrays.get("label_column", ""))
    return Table(X, arrays["y"], classes, from_zero, columns, label_column)
