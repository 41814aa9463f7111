"""The loaded data set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from datasets.errors import DataError
from datasets.stream import Stream
from datasets.types import Matrix


@dataclass(frozen=True, eq=False)
class Dataset:
    """A two-class data set, validated.

    Attributes
    ----------
    name
        Name of the specification.
    points, X_test
        (n, d) and (n_test, d) features of one width: dense C-contiguous float32, or canonical CSR
        (float32 data; int32 indices unless they do not fit; sorted, no duplicates, no explicit zeros).
        Training rows may be a `Stream`, which makes rows when they are read; `X` is for rows in memory.
    y, y_test
        (n,) and (n_test,) labels, int8, -1 or +1. Both classes occur in ``y``.
    provenance
        JSON-able record: files with SHA-256 and source, licence, stand-in or not, split, label rule,
        transforms, counts of both parts, remarks.
    fingerprint
        SHA-256 hex; identical to ``datasets.fingerprint(spec)``.
    """

    name: str
    points: Matrix | Stream
    y: NDArray[np.int8]
    X_test: Matrix
    y_test: NDArray[np.int8]
    provenance: dict[str, Any]
    fingerprint: str

    @property
    def n(self) -> int:
        """Number of training rows."""
        return int(self.y.shape[0])

    @property
    def d(self) -> int:
        """Number of features."""
        return int(self.points.shape[1])

    @property
    def X(self) -> Matrix:  # noqa: N802 (the field's name)
        """All training rows.

        Raises
        ------
        DataError
            They are a stream, which is never in memory as a whole.
        """
        if isinstance(self.points, np.ndarray) or sparse.issparse(self.points):
            return self.points
        raise DataError(
            f"Data set {self.name}: its {self.n:,} training rows are made when they are needed, and this needs all of "
            "them at once; dataset.max_train=60000 makes so many at once."
        )
