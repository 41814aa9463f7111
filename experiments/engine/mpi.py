"""Communication between the processes that ``mpirun`` has started. Importing this loads MPI but does not start it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

import mpi4py
import numpy as np
from numpy.typing import NDArray

from ...solvers import SettingsError
from ...solvers.all_reduce import AllReduce
from ..processes.streams import mpi_process

# `connect` starts MPI and `Mpi.close` ends it, not the import
mpi4py.rc.initialize = mpi4py.rc.finalize = False

from mpi4py import MPI  # noqa: E402

T = TypeVar("T")

SPIN_SECONDS, LONGEST_NAP = 1e-4, 1e-3
"""A waiting rank polls for so long, then sleeps between two looks, at most so long: others may need its core."""


class Mpi(AllReduce):
    """Communication between all processes of ``MPI.COMM_WORLD``. Make it with `connect`.

    No method waits inside MPI, which waits with a core at full load. Three ranks on two busy cores would take up to a
    second for a sum of 47,236 values, a hundred times as long.

    Attributes
    ----------
    exchanges, handed_over : int
        Sums over all ranks, one or two an iteration, and the bytes that this rank has handed over for them.
    seconds : float
        Wall time of this rank in sums, including the wait for other ranks.
    """

    def __init__(self, world: MPI.Intracomm) -> None:
        self._world = world
        self.rank, self.ranks = world.rank, world.size
        self.exchanges = self.handed_over = 0
        self.seconds = 0.0

    def sum(self, values: NDArray[np.float64]) -> None:  # noqa: D102 (inherited)
        began = time.perf_counter()
        _wait(self._world.Iallreduce(MPI.IN_PLACE, values).Test)
        self.seconds += time.perf_counter() - began
        self.exchanges += 1
        self.handed_over += values.nbytes

    def broadcast(self, value: T | None) -> T:  # noqa: D102 (inherited)
        return self.scatter(None if self.rank else lambda _: value)  # type: ignore[return-value]

    def scatter(self, part_of: Callable[[int], T] | None) -> T:  # noqa: D102 (inherited)
        if part_of is None:
            return self._receive(0)  # type: ignore[no-any-return]
        for rank in range(1, self.ranks):
            self._world.send(part_of(rank), rank)
        return part_of(0)

    def gather(self, part: T) -> list[T] | None:  # noqa: D102 (inherited)
        if self.rank:
            self._world.send(part, 0)
            return None
        return [part, *(self._receive(rank) for rank in range(1, self.ranks))]

    def _receive(self, rank: int) -> Any:
        _wait(lambda: self._world.iprobe(rank))
        return self._world.recv(source=rank)

    def close(self) -> None:
        """End MPI. All ranks call this together."""
        MPI.Finalize()

    def abort(self, code: int) -> None:
        """End all ranks at once."""
        self._world.Abort(code)


def _wait(done: Callable[[], bool]) -> None:
    began = time.perf_counter()
    while not done():
        if (waited := time.perf_counter() - began) > SPIN_SECONDS:
            time.sleep(min(waited / 20, LONGEST_NAP))


def connect() -> Mpi:
    """Start MPI and connect to the other ranks.

    Raises
    ------
    SettingsError
        MPI's number of processes differs from the number that ``mpirun`` has started.
    """
    MPI.Init_thread(MPI.THREAD_FUNNELED)
    world, started = MPI.COMM_WORLD, mpi_process().ranks
    if world.size != started:
        MPI.Finalize()
        raise SettingsError(
            f"mpirun has started {started} processes, but mpi4py's MPI ({MPI.get_vendor()[0]}) sees {world.size}: "
            "use the mpirun of that MPI"
        )
    return Mpi(world)
