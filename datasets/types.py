"""Array types of data sets, and the content of one file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Features: TypeAlias = "NDArray[Any] | sparse.csr_matrix[np.float32]"
"""Features of a file: a dense array (float32, or uint8 for pixels) or CSR of float32."""

Matrix: TypeAlias = "NDArray[np.float32] | sparse.csr_matrix[np.float32]"
"""Features as solvers get them: dense C-contiguous float32, or canonical CSR of float32."""


@dataclass(frozen=True, eq=False)
class Table:
    """Content of one file, before label rule, split and transforms.

    Attributes
    ----------
    X
        (n, d) features: a dense array (float32, or uint8 for pixels) or CSR float32 without zeros.
    y
        (n,) raw labels, float64; with ``classes`` the position of each row's label there.
    classes
        Text labels in alphabetical order; empty if labels are numbers.
    from_zero
        LIBSVM text only: whether index 0 occurs; column j then has index j, otherwise j + 1.
    columns
        CSV, Parquet and ARFF only: the place of each feature in the file, ``2 ('age')``, counted from 0 as in
        ``dataset.drop_columns``.
    label_column
        CSV, Parquet and ARFF only: the label's place in the file, likewise.
    """

    X: Features
    y: NDArray[np.float64]
    classes: tuple[str, ...] = ()
    from_zero: bool = False
    columns: tuple[str, ...] = ()
    label_column: str = ""

    def column(self, j: int) -> str:
        """Return the place of a feature for a message: that in the file, or its number, counted from 1."""
        return f"column {self.columns[j]}" if self.columns else f"column {j + 1} (counted from 1)"


def count_nonzero(X: Features) -> int:
    """Count entries that are not zero."""
    return int(np.count_nonzero(X.data if sparse.issparse(X) else X))
