"""What the processes that share a problem tell each other. They are ranks 0, 1, ..., and rank 0 leads.

Every method is called by all ranks, in the same order.
"""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")


class Exchange(abc.ABC):
    """Between `ranks` processes, of which this is one.

    Attributes
    ----------
    rank : int
        Which one, from 0.
    ranks : int
        How many there are.
    """

    rank: int
    ranks: int

    @abc.abstractmethod
    def sum(self, values: NDArray[np.float64]) -> None:
        """Replace values, (m,) float64, by their sums over all ranks: in place, the same bits on every rank."""

    @abc.abstractmethod
    def broadcast(self, value: T | None) -> T:
        """Return what rank 0 gives; the others give None."""

    @abc.abstractmethod
    def scatter(self, part_of: Callable[[int], T] | None) -> T:
        """Return what rank 0's function gives for this rank; the others give None. One part exists there at a time."""

    @abc.abstractmethod
    def gather(self, part: T) -> list[T] | None:
        """Return the parts of all ranks, in their order, on rank 0, and None on the others."""


class Alone(Exchange):
    """One process, which has nobody to tell anything."""

    rank = 0
    ranks = 1

    def sum(self, values: NDArray[np.float64]) -> None:
        """Leave the values as they are."""

    def broadcast(self, value: T | None) -> T:  # noqa: D102 (inherited)
        assert value is not None
        return value

    def scatter(self, part_of: Callable[[int], T] | None) -> T:  # noqa: D102 (inherited)
        assert part_of is not None
        return part_of(0)

    def gather(self, part: T) -> list[T] | None:  # noqa: D102 (inherited)
        return [part]
