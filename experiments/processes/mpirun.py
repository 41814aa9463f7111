"""What ``mpirun`` tells a process before MPI is there, and a parent for each rank that says what became of it."""

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
"""Where launchers write a process's rank and how many there are."""
PASS_ON_SECONDS = 0.5


class Place(NamedTuple):
    """Which of how many processes this is."""

    rank: int
    ranks: int

    def named(self, pid: int | None = None) -> str:
        """Return the words for this rank, or another process of it, in a message."""
        return f"rank {self.rank} of {self.ranks} ({os.uname().nodename}, process {pid or os.getpid()})"


def place(environment: Mapping[str, str] = os.environ) -> Place:
    """Return the place that ``mpirun`` has given this process; without ``mpirun`` it is the only one."""
    for rank, ranks in _VARIABLES:
        if rank in environment and ranks in environment:
            return Place(int(environment[rank]), int(environment[ranks]))
    return Place(0, 1)


def without_place(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment for a process that no ``mpirun`` has started."""
    told = {name for names in _VARIABLES for name in names}
    return {name: value for name, value in environment.items() if name not in told}


def supervise(here: Place) -> None:
    """Go on in a child process, and keep this one to say by its rank what ends the child.

    ``mpirun`` does not say which rank a signal has killed, want of memory as a rule, and the rank itself cannot. The
    parent waits, and ends as the child does. MPI must not have been started yet.
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
        say_last(f"error: {here.named(parent)} was killed: the job ends")
        os._exit(1)

    threading.Thread(target=watch, name="end with parent", daemon=True).start()


def _relay(here: Place, pid: int) -> NoReturn:
    """Wait for the child and end as it does, with a word if a signal has ended it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the child gets it, too, and decides
    signal.signal(signal.SIGTERM, lambda *_: os.kill(pid, signal.SIGTERM))
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if code < 0:
        say_last(f"error: {here.named(pid)} was killed by signal {-code} ({signal.strsignal(-code)}): the job ends")
    os._exit(code if code >= 0 else 128 - code)


def say_last(text: str) -> None:
    """Write a line to standard error, past buffers and locks of this process, and give ``mpirun`` time to pass it on.

    As soon as it sees that a rank has gone it ends, with what the ranks have written but it has not read.
    """
    os.write(2, f"{text}\n".encode())
    time.sleep(PASS_ON_SECONDS)
