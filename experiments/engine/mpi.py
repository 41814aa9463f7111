"""Communication between the processes that ``mpirun`` has started. Importing this loads MPI but does not start it."""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Callable
from typing import Any, TypeVar

import mpi4py
import numpy as np
import psutil
from numpy.typing import NDArray

from experiments.configuration.settings import available_cores
from experiments.processes.mpirun import Place, say_last
from solvers import SettingsError
from solvers.all_reduce import AllReduce

# `connect` starts MPI and `Mpi.close` ends it, not the import
mpi4py.rc.initialize = mpi4py.rc.finalize = False

from mpi4py import MPI  # noqa: E402

T = TypeVar("T")

SPIN_SECONDS = 5e-4
"""A waiting rank polls for this long, then sleeps between polls: the others may need its core."""
SPIN_SECONDS_CROWDED = 5e-5
"""The same on a machine with more ranks than cores."""
NAPS = 2e-5, 1e-2
"""Shortest and longest sleep, seconds; between them a twentieth of the time waited so far."""
PATIENCE_SECONDS = 5.0
"""A waiting rank checks this often that the other ranks of its machine still live."""
SMALL = 4096
"""Up to this many bytes all values are sent, without counting zeros."""
_PLACED = 12
"""Bytes of a value and its index."""


@dataclasses.dataclass
class Communication:
    """Costs of the sums of a run.

    Attributes
    ----------
    exchanges : int
        Sums over all ranks: one or two an iteration.
    sparse_exchanges : int
        The sums for which ranks sent indices and values.
    bytes : int
        Bytes passed to MPI: 8 for each value, or 12 for each value that is not zero, and 8 for a count of these. MPI
        may send more or fewer over the network.
    seconds : float
        Wall time of the sums, including waiting for other ranks.
    """

    exchanges: int = 0
    sparse_exchanges: int = 0
    bytes: int = 0
    seconds: float = 0.0


class Mpi(AllReduce):
    """Communication between all processes of ``MPI.COMM_WORLD``. Make it with `connect`.

    MPICH and Open MPI wait with a core at full load, and a rank without a core then waits for the scheduler: sums over
    three ranks on two cores took half a second. So no method here waits inside MPI.

    Attributes
    ----------
    communication : Communication
        Costs of this rank in this job.
    """

    def __init__(self, world: MPI.Intracomm) -> None:
        self._world = world
        self.rank, self.ranks = world.rank, world.size
        self.communication = Communication()
        neighbours = world.Split_type(MPI.COMM_TYPE_SHARED)
        self._spin = SPIN_SECONDS if neighbours.size <= available_cores() else SPIN_SECONDS_CROWDED
        self._neighbours = [pid for pid in neighbours.allgather(os.getpid()) if _lives(pid)]
        neighbours.Free()

    def sum(self, values: NDArray[np.float64]) -> None:
        """Sum values in place, (m,) float64.

        The ranks send either all values or the indices and values of the nonzeros, whichever is less over all ranks:
        an all-reduce sends every value twice, a gather once. The nonzeros of up to `SMALL` bytes are not counted:
        counting would take as long as the sum.
        """
        began = time.perf_counter()
        own = self.communication
        if values.nbytes <= SMALL or not self._sum_if_sparse(values):
            self._wait(self._world.Iallreduce(MPI.IN_PLACE, values))
            own.bytes += values.nbytes
        own.exchanges += 1
        own.seconds += time.perf_counter() - began

    def _sum_if_sparse(self, values: NDArray[np.float64]) -> bool:
        """Sum by indices and values if that is less; return whether it was."""
        own = self.communication
        counts = self.everyone(np.array([np.count_nonzero(values)], dtype=np.int64)).ravel()
        own.bytes += counts.itemsize
        if _PLACED * int(counts.sum()) >= 2 * values.nbytes:
            return False
        own.sparse_exchanges += 1
        own.bytes += _PLACED * int(counts[self.rank])
        places = np.flatnonzero(values != 0.0)
        all_places, all_values = np.empty(counts.sum(), dtype=np.int32), np.empty(counts.sum())
        requests = [
            self._world.Iallgatherv(places.astype(np.int32), (all_places, counts)),
            self._world.Iallgatherv(values[places], (all_values, counts)),
        ]
        for request in requests:
            self._wait(request)
        # bincount adds in the order of ranks: the same bits on each
        values[:] = np.bincount(all_places, all_values, values.size)
        return True

    def everyone(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the values of all ranks, (ranks, m), from the (m,) of each."""
        gathered = np.empty((self.ranks, values.size), dtype=values.dtype)
        self._wait(self._world.Iallgather(values, gathered))
        return gathered

    def broadcast(self, value: T | None) -> T:  # noqa: D102 (inherited)
        return self.scatter(None if self.rank else lambda _: value)  # type: ignore[return-value]

    def scatter(self, part_of: Callable[[int], T] | None) -> T:  # noqa: D102 (inherited)
        if part_of is None:
            return self._receive(0)  # type: ignore[no-any-return]
        for rank in range(1, self.ranks):
            self._send(part_of(rank), rank)
        return part_of(0)

    def gather(self, part: T) -> list[T] | None:  # noqa: D102 (inherited)
        if self.rank:
            self._send(part, 0)
            return None
        return [part, *(self._receive(rank) for rank in range(1, self.ranks))]

    def close(self) -> None:
        """End MPI. All ranks call this together."""
        MPI.Finalize()

    def abort(self, code: int) -> None:
        """End all ranks at once."""
        self._world.Abort(code)

    def _send(self, value: Any, rank: int) -> None:
        self._until(self._world.isend(value, rank).Test)

    def _receive(self, rank: int) -> Any:
        messages: list[MPI.Message] = []

        def arrived() -> bool:
            if (message := self._world.improbe(rank)) is not None:
                messages.append(message)
            return bool(messages)

        self._until(arrived)
        return messages[0].recv()

    def _wait(self, request: MPI.Request) -> None:
        self._until(request.Test)

    def _until(self, done: Callable[[], bool]) -> None:
        if done():
            return
        began = time.perf_counter()
        while (waited := time.perf_counter() - began) < self._spin:
            if done():
                return
            os.sched_yield()
        shortest, longest = NAPS
        check = PATIENCE_SECONDS
        while not done():
            time.sleep(min(longest, max(shortest, waited / 20)))
            waited = time.perf_counter() - began
            if waited > check:
                self._check_neighbours()
                check += PATIENCE_SECONDS

    def _check_neighbours(self) -> None:
        """End the job if a rank of this machine has died: MPICH's ``mpirun`` sometimes misses a death."""
        for pid in self._neighbours:
            if not _lives(pid):
                say_last(f"error: process {pid} of this job has gone: the job ends")
                self.abort(1)


def _lives(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def connect(here: Place) -> Mpi:
    """Start MPI and connect to the other ranks.

    Raises
    ------
    SettingsError
        MPI's number of processes differs from the number that ``mpirun`` has started.
    """
    MPI.Init_thread(MPI.THREAD_FUNNELED)
    world = MPI.COMM_WORLD
    if world.size != here.ranks:
        MPI.Finalize()
        raise SettingsError(
            f"mpirun has started {here.ranks} processes, but mpi4py's MPI ({MPI.get_vendor()[0]}) sees {world.size}: "
            "use the mpirun of that MPI"
        )
    return Mpi(world)
