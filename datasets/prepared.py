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
    """Parsed files in ``<cache_dir>/prepared``."""

    def __init__(self, cache_dir: Path) -> None:
        self._folder = cache_dir / "prepared"

    def path(self, sha256: str, reader: str) -> Path:
        """Return the path of a prepared file.

        Parameters
        ----------
        sha256
            Of the unpacked source file, or of the content without a file.
        reader
            Reader with the options that change its result: ``csv:-1``.
        """
        identity = {"version": READER_VERSION, "sha256": sha256, "reader": reader}
        key = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:32]
        return self._folder / f"{reader.partition(':')[0]}-{key}.arrays"

    def get(self, sha256: str, reader: str) -> Table | None:
        """Return the parsed file; None if it is missing, or damaged, which logs a warning."""
        return disk_cache.get(self.path(sha256, reader), _read)

    def table(self, sha256: str, reader: str, make: Callable[[], Table]) -> Table:
        """Return the parsed file; `make` parses it if it is not here."""
        table = self.get(sha256, reader)
        if table is None:
            table = make()
            self.put(sha256, reader, table)
        return table

    def put(self, sha256: str, reader: str, table: Table) -> None:
        """Write a parsed file; a cache that cannot be written only logs a warning."""
        arrays = _arrays(table)

        def write(file: BinaryIO) -> None:
            for array in (np.array(list(arrays)), *arrays.values()):
                np.save(file, array, allow_pickle=False)

        disk_cache.put(self.path(sha256, reader), write)


def _arrays(table: Table) -> dict[str, NDArray[Any]]:
    arrays: dict[str, NDArray[Any]] = {"y": table.y}
    if sparse.issparse(table.X):
        X = table.X
        arrays |= {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": np.array(X.shape, np.int64)}
    else:
        arrays["X"] = np.asarray(table.X)
    if table.classes:
        arrays["classes"] = np.array(table.classes)
    if table.columns:
        arrays |= {"columns": np.array(table.columns), "label_column": np.array(table.label_column)}
    if table.from_zero:
        arrays["from_zero"] = np.array(True)
    return arrays


def _read(file: BinaryIO) -> Table:
    arrays = {str(name): np.load(file, allow_pickle=False) for name in np.load(file, allow_pickle=False)}
    classes = tuple(map(str, arrays.get("classes", ())))
    if "X" in arrays:
        columns, label_column = tuple(map(str, arrays.get("columns", ()))), str(arrays.get("label_column", ""))
        return Table(arrays["X"], arrays["y"], classes, columns=columns, label_column=label_column)
    n, d = (int(v) for v in arrays["shape"])
    X = sparse.csr_matrix((arrays["data"], arrays["indices"], arrays["indptr"]), shape=(n, d))
    return Table(X, arrays["y"], classes, "from_zero" in arrays)
