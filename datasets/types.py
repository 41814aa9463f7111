"""The arrays that data sets are made of, and a table as it is read from a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

#: Features as solvers get them: dense C-contiguous float32, or canonical CSR of float32.
Matrix: TypeAlias = "NDArray[np.float32] | sparse.csr_matrix[np.float32]"

#: Features before they are converted: of any type, dense or CSR.
Features: TypeAlias = "NDArray[Any] | sparse.csr_matrix[np.float32]"


@dataclass(frozen=True, eq=False)
class Table:
    """The content of one file, before label rule, split and transforms.

    Attributes
    ----------
    X
        (n, d) features: a dense array (float32, or uint8 for pixels) or CSR float32 without zeros.
    y
        (n,) raw labels, float64; with ``classes`` the number of each row's class.
    classes
        Class names in alphabetical order, if labels are texts; empty: labels are numbers.
    from_zero
        LIBSVM text only: index 0 occurs, so that column j has index j; else it has index j + 1.
    """

    X: NDArray[Any] | sparse.csr_matrix[np.float32]
    y: NDArray[np.float64]
    classes: tuple[str, ...] = ()
    from_zero: bool = False
