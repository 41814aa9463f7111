"""Communication between the processes that work on one problem: ranks 0, 1, ..., of which rank 0 leads.

All ranks call every method, in the same order.
"""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")


class AllReduce(abc.ABC):
    """Communication between `ranks` processes, seen by one of them.

    Attributes
    ----------
    rank : int
        Number of this process, from 0.
    ranks : int
        Number of processes.
    """

    rank: int
    ranks: int

    @abc.abstractmethod
    def sum(self, values: NDArray[np.float64]) -> None:
        """Replace values, (m,) float64, by their sums over all ranks: in place, the same bits on every rank."""

    @abc.abstractmethod
    def broadcast(self, value: T | None) -> T:
        """Return the value of rank 0; the other ranks pass None."""

    @abc.abstractmethod
    def scatter(self, part_of: Callable[[int], T] | None) -> T:
        """Return what rank 0's function returns for this rank; the other ranks pass None.

        Rank 0 makes one part at a time.
        """

    @abc.abstractmethod
    def gather(self, part: T) -> list[T] | None:
        """Return the parts of all ranks, in their order, on rank 0, and None on the others."""


class SingleProcess(AllReduce):
    """One process: a sum is the value itself."""

    rank = 0
    ranks = 1

    def sum(self, values: NDArray[np.float64]) -> None:
        """Leave the values unchanged."""

    def broadcast(self, value: T | None) -> T:  # noqa: D102 (inherited)
        assert value is not None
        return value

    def scatter(self, part_of: Callable[[int], T] | None) -> T:  # noqa: D102 (inherited)
        assert part_of is not None
        return part_of(0)

    def gather(self, part: T) -> list[T] | None:  # noqa: D102 (inherited)
        return [part]
