"""Rows that are made when they are read: a training set that need not fit in memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from datasets.transforms import divide, to_matrix


@dataclass(frozen=True, eq=False)
class Stream:
    """Features as solvers get them, (n, d) float32; a row is made each time it is read.

    Attributes
    ----------
    make
        Returns the raw rows of given numbers, (m,) uint32, as (m, d): the same for a number, whatever the others are.
    numbers
        (n,) uint32: the number of each row.
    d
        Number of features.
    divide_by
        Features are the raw values divided by this, in float32.
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
        X = to_matrix(self.make(self.numbers[rows]), self.d, dense=True)
        divide(X, self.divide_by)
        return np.asarray(X)

    def take(self, rows: NDArray[np.integer]) -> Stream:
        """Return the stream of some of the rows."""
        return replace(self, numbers=self.numbers[rows])

    def raw(self) -> NDArray[Any]:
        """Return all rows as they are made, (n, d)."""
        return self.make(self.numbers)
