"""Communication between the processes that work on one problem: ranks 0, 1, ..., of which rank 0 leads."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")


class AllReduce:
    """Communication between `ranks` processes, seen by that with the number `rank`, from 0.

    All of them call every method, in the same order. This class itself is one process alone; an engine derives from it.
    """

    rank = 0
    ranks = 1

    def sum(self, values: NDArray[np.float64]) -> None:
        """Replace values, (m,) float64, by their sums over all ranks: in place, the same bits on every rank."""

    def broadcast(self, value: T | None) -> T:
        """Return the value of rank 0; the other ranks pass None."""
        assert value is not None
        return value

    def scatter(self, part_of: Callable[[int], T] | None) -> T:
        """Return what rank 0's function, called for one rank at a time, returns for this one; others pass None."""
        assert part_of is not None
        return part_of(0)

    def gather(self, part: T) -> list[T] | None:
        """Return the parts of all ranks, in their order, on rank 0, and None on the others."""
        return [part]
