"""A data set, its array types, the content of one file, and the memory that arrays may take."""

from __future__ import annotations

import resource
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..support.memory import container_memory
from .errors import DataError

Features: TypeAlias = "NDArray[Any] | sparse.csr_matrix[Any]"
"""Features of a file, dense or CSR: float64 of a user's file, float32 of a published one, uint8 for pixels."""

Matrix: TypeAlias = "NDArray[np.float32] | sparse.csr_matrix[np.float32]"
"""Features as solvers get them: dense C-contiguous float32, or canonical CSR of float32."""


SHARE = 0.75
"""Largest share of this machine's memory for one data set."""


@dataclass(frozen=True, eq=False)
class Table:
    """Content of one file, before label rule, split and transforms.

    Attributes
    ----------
    X
        (n, d) features, CSR without zeros: see `Features`.
    y
        (n,) raw labels, float64; with ``classes`` the position of each row's label there.
    classes
        Text labels in alphabetical order; empty if labels are numbers.
    from_zero
        LIBSVM text only: whether index 0 occurs; column j then has index j, otherwise j + 1.
    columns, label_column
        Where columns may have names: places in the file, ``2 ('age')``, counted from 0 as in ``dataset.drop_columns``.
    indexed
        LIBSVM text: features are called by their index.
    warnings
        What the reader has to tell.
    """

    X: Features
    y: NDArray[np.float64]
    classes: tuple[str, ...] = ()
    from_zero: bool = False
    columns: tuple[str, ...] = ()
    label_column: str = ""
    indexed: bool = False
    warnings: tuple[str, ...] = ()

    def column(self, j: int) -> str:
        """Return the place of a feature for a message: that in the file, or its number, counted from 0."""
        if self.indexed:
            return f"index {j if self.from_zero else j + 1}"
        return f"column {self.columns[j]}" if j < len(self.columns) else f"column {j} (counted from 0)"


def count_nonzero(X: Features) -> int:
    """Count entries that are not zero."""
    return int(np.count_nonzero(X.data if sparse.issparse(X) else X))


@dataclass(frozen=True, eq=False)
class Stream:
    """Training rows that are made on request, (n, d) float32, so that they need not fit in memory.

    ``make`` returns the raw rows of given numbers, (m,) uint32, as (m, d); a row depends on its number alone. Features
    are the raw values divided by ``divide_by``, in float32.
    """

    make: Callable[[NDArray[np.uint32]], NDArray[Any]]
    numbers: NDArray[np.uint32]
    d: int
    divide_by: float = 1.0

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and features."""
        return self.numbers.size, self.d

    def __getitem__(self, rows: NDArray[np.integer]) -> NDArray[np.float32]:
        X: NDArray[np.float32] = np.divide(self.make(self.numbers[rows]), np.float32(self.divide_by), dtype=np.float32)
        return X

    def take(self, rows: NDArray[np.integer]) -> Stream:
        """Return the stream of some of the rows."""
        return replace(self, numbers=self.numbers[rows])

    def raw(self) -> NDArray[Any]:
        """Return all raw rows, (n, d)."""
        return self.make(self.numbers)


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
        Training rows may be a `Stream`; then there is no `X`.
    y, y_test
        (n,) and (n_test,) labels, int8, -1 or +1. Both classes occur in ``y``.
    provenance
        JSON-able record: files with SHA-256 and source, licence, stand-in or not, split, label rule,
        transforms, counts of both parts, remarks.
    fingerprint
        SHA-256 hex; identical to ``datasets.fingerprint(spec)``.
    columns
        (d,) places and names of the features in the training file, as `Table.columns`; empty if they have none.
    """

    name: str
    points: Matrix | Stream
    y: NDArray[np.int8]
    X_test: Matrix
    y_test: NDArray[np.int8]
    provenance: dict[str, Any]
    fingerprint: str
    columns: tuple[str, ...] = ()

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
            They are a stream.
        """
        if isinstance(self.points, np.ndarray) or sparse.issparse(self.points):
            return self.points
        raise DataError(
            f"Data set {self.name}: its {self.n:,} training rows are made when they are needed, and this needs all "
            "of them at once; dataset.max_train=60000 uses 60,000 rows, in memory."
        )


def machine_memory() -> int:
    """Return the memory limit of this process in bytes: the least of machine, container and own limit."""
    address_space, _ = resource.getrlimit(resource.RLIMIT_AS)
    memory = container_memory()
    return memory if address_space == resource.RLIM_INFINITY else min(memory, address_space)


def require_memory(needed: int, subject: str, advice: str = "") -> None:
    """Check that an allocation, in bytes, takes at most `SHARE` of this machine's memory.

    ``subject`` is that of the message, ``advice`` a sentence for the user.
    """
    limit = SHARE * machine_memory()
    if needed > limit:
        raise DataError(
            f"{subject} would take {gib(needed)}; the limit is {gib(limit)}, three quarters of this machine's memory."
            + (f" {advice}" if advice else "")
        )


def gib(size: float) -> str:
    """Write a number of bytes in GiB."""
    return f"{size / 2**30:,.1f} GiB"
