"""The exchange between the processes that ``mpirun`` has started. Importing this starts MPI's library, not MPI."""

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

# Starting and ending MPI is `connect`'s and `Mpi.close`'s, not a matter of imports.
mpi4py.rc.initialize = mpi4py.rc.finalize = False

from mpi4py import MPI  # noqa: E402

T = TypeVar("T")

SPIN_SECONDS = 5e-4
"""A rank that waits asks again and again for so long, then naps: the others may need its core."""
SPIN_SECONDS_CROWDED = 5e-5
"""The same where a machine has more ranks than cores."""
NAPS = 2e-5, 1e-2
"""Shortest and longest nap, seconds; between them it is a twentieth of the time waited so far."""
PATIENCE_SECONDS = 5.0
"""A rank that waits looks this often whether the processes that it may wait for still live."""
SMALL = 4096
"""Bytes up to which all values are handed over, without a look at how many are zero."""
_PLACED = 12
"""Bytes of a value and its place."""


@dataclasses.dataclass
class Communication:
    """What the sums of a run have cost.

    Attributes
    ----------
    exchanges : int
        Sums over all ranks: one or two an iteration.
    sparse_exchanges : int
        Those for which ranks handed over places and values.
    bytes : int
        Handed over to MPI for them: 8 for each value, or 12 for each that is not zero, and 8 for their count where it
        is asked. What travels then is MPI's affair.
    seconds : float
        Wall time inside, waiting for other ranks included.
    """

    exchanges: int = 0
    sparse_exchanges: int = 0
    bytes: int = 0
    seconds: float = 0.0


class Mpi(AllReduce):
    """Between all processes of ``MPI.COMM_WORLD``. Make it with `connect`.

    MPICH and Open MPI wait with a core at full load, and a rank without a core then waits for the scheduler: sums of
    three ranks on two cores took half a second. So nothing here waits inside MPI.

    Attributes
    ----------
    communication : Communication
        This rank's, of this job.
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

        Each rank hands over all values, or the places and values of those that are not zero, whichever is less for
        all ranks together: an all-reduce passes every value twice, a gathered one once. Of few values that is not
        asked: it takes as long as the sum.
        """
        began = time.perf_counter()
        own = self.communication
        if values.nbytes <= SMALL or not self._sum_if_sparse(values):
            self._wait(self._world.Iallreduce(MPI.IN_PLACE, values))
            own.bytes += values.nbytes
        own.exchanges += 1
        own.seconds += time.perf_counter() - began

    def _sum_if_sparse(self, values: NDArray[np.float64]) -> bool:
        """Sum by places and values if that is less; return whether it was."""
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
        # one after the other in the order of ranks: the same bits on each
        values[:] = np.bincount(all_places, all_values, values.size)
        return True

    def everyone(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return what all ranks give, (ranks, m), from (m,) of each."""
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
        """End all ranks, whatever they do."""
        self._world.Abort(code)

    def _send(self, value: Any, rank: int) -> None:
        self._until(self._world.isend(value, rank).Test)

    def _receive(self, rank: int) -> Any:
        messages: list[MPI.Message] = []

        def there() -> bool:
            if (message := self._world.improbe(rank)) is not None:
                messages.append(message)
            return bool(messages)

        self._until(there)
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
        look = PATIENCE_SECONDS
        while not done():
            time.sleep(min(longest, max(shortest, waited / 20)))
            waited = time.perf_counter() - began
            if waited > look:
                self._look_around()
                look += PATIENCE_SECONDS

    def _look_around(self) -> None:
        """End the job if a rank of this machine has gone. ``mpirun`` should; MPICH's misses a death now and then."""
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
    """Start MPI and meet the other ranks.

    Raises
    ------
    SettingsError
        MPI sees another number of processes than ``mpirun`` has started.
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
