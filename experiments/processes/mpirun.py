"""The rank of a process under ``mpirun``, known before MPI starts; and a parent process that reports its death."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Mapping
from typing import NamedTuple, NoReturn

_VARIABLES = (
    ("PMI_RANK", "PMI_SIZE"),  # MPICH, Intel MPI
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),  # Open MPI
    ("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"),  # MVAPICH
)
"""Environment variables with a process's rank and the number of ranks, by MPI library."""
PASS_ON_SECONDS = 0.5


class Place(NamedTuple):
    """A process's rank, and the number of ranks."""

    rank: int
    ranks: int

    def named(self, pid: int | None = None) -> str:
        """Describe this rank, or another process of it, for a message."""
        return f"rank {self.rank} of {self.ranks} ({os.uname().nodename}, process {pid or os.getpid()})"


def place(environment: Mapping[str, str] = os.environ) -> Place:
    """Return this process's rank from the environment; without ``mpirun``: rank 0 of 1."""
    for rank, ranks in _VARIABLES:
        if rank in environment and ranks in environment:
            return Place(int(environment[rank]), int(environment[ranks]))
    return Place(0, 1)


def without_place(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment without the variables of ``mpirun``."""
    set_by_mpirun = {name for names in _VARIABLES for name in names}
    return {name: value for name, value in environment.items() if name not in set_by_mpirun}


def supervise(here: Place) -> None:
    """Continue in a child process; the parent reports the rank if a signal kills the child.

    ``mpirun`` does not say which rank was killed (usually out of memory), and the killed rank cannot. The parent waits
    and ends with the child's status. Call this before MPI starts.
    """
    reading, writing = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    if pid := os.fork():
        os.close(reading)
        _relay(here, pid)
    os.close(writing)
    parent = os.getppid()

    def watch() -> None:
        os.read(reading, 1)  # returns when the parent is gone
        # The end of MPI waits for the parent and holds the interpreter's lock: then the alarm ends this process.
        signal.setitimer(signal.ITIMER_REAL, 2 * PASS_ON_SECONDS)
        say_last(f"error: {here.named(parent)} was killed: the job ends")
        os._exit(1)

    threading.Thread(target=watch, name="end with parent", daemon=True).start()


def _relay(here: Place, pid: int) -> NoReturn:
    """Wait for the child and end with its status; report a signal that killed it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the child gets it, too, and decides
    signal.signal(signal.SIGTERM, lambda *_: os.kill(pid, signal.SIGTERM))
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code < 0:
        say_last(f"error: {here.named(pid)} was killed by signal {-code} ({signal.strsignal(-code)}): the job ends")
    os._exit(code if code >= 0 else 128 - code)


def say_last(text: str) -> None:
    """Write a line to standard error without buffers or locks, and wait until ``mpirun`` has read it.

    ``mpirun`` ends as soon as a rank ends, and drops output that it has not read.
    """
    os.write(2, f"{text}\n".encode())
    time.sleep(PASS_ON_SECONDS)
