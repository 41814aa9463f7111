"""Output of a command's processes: streams that never raise, errors, and lines on work that takes long.

A run continues when standard output or standard error is closed, full, or not read. Of the processes that ``mpirun``
has started rank 0 writes.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TextIO

from ...support.errors import SettingsError, UserError
from ...support.text import printable
from .stopping import STOP_SIGNALS

QUIET = (errno.EPIPE, errno.EBADF)
"""The reader has left (``| head -1``), or the stream was closed from the start (``>&-``): no message."""
_VARIABLES = (
    ("PMI_RANK", "PMI_SIZE"),  # MPICH, Intel MPI
    ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),  # Open MPI
    ("MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"),  # MVAPICH
)
"""Environment variables with a process's rank and the number of ranks, by MPI library."""
CONNECT_SECONDS = 3.0
"""For a connection to a server or a cluster that a command needs."""
PAUSE = 5.0
"""Seconds between two lines in the first minute."""
LATER_PAUSE = 30.0
"""Seconds between two lines after it."""


class MpiProcess(NamedTuple):
    """A process's rank, and the number of ranks."""

    rank: int
    ranks: int


def mpi_process() -> MpiProcess:
    """Return this process's rank from the environment; without ``mpirun``: rank 0 of 1.

    Raises SettingsError: the variables are no rank and no number of ranks.
    """
    for names in _VARIABLES:
        if all(name in os.environ for name in names):
            rank, ranks = (_whole_number(os.environ[name]) for name in names)
            if not 0 <= rank < ranks:
                said = " and ".join(f"{name}={os.environ[name]!r}" for name in names)
                raise SettingsError(
                    f"{said} in the environment: mpirun sets them to a rank, from 0, and to the number of ranks, which "
                    f"is larger; without mpirun: unset {' '.join(names)}"
                )
            return MpiProcess(rank, ranks)
    return MpiProcess(0, 1)


def _whole_number(text: str) -> int:
    """Return a number of at most nine digits; -1 for any other text."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1


def without_mpi(environment: Mapping[str, str]) -> dict[str, str]:
    """Return an environment without the variables of ``mpirun``."""
    return {name: value for name, value in environment.items() if not any(name in names for names in _VARIABLES)}


class TolerantFile(io.FileIO):
    """A descriptor for writing, which stays open and never raises: after the first `error` it discards all content."""

    def __init__(self, descriptor: int) -> None:
        super().__init__(descriptor, "w", closefd=False)
        self.error: OSError | None = None

    def write(self, content: Any) -> int:
        """Write, and return the number of bytes given; after an error nothing is written."""
        if self.error is None:
            try:
                return super().write(content) or 0
            except OSError as error:
                self.error = error
        return memoryview(content).nbytes


def tolerate() -> TolerantFile:
    """Make `sys.stdout` and `sys.stderr` discard what cannot be written, instead of raising OSError; return stdout's.

    Closed descriptors among 0 to 2 are opened on the null device, also for processes that this one starts. Otherwise
    other files would get their numbers.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # gets the lowest number that is free
    if sys.stdin is None:
        sys.stdin = open(0, closefd=False)  # noqa: SIM115 (not a path; it stays open)
    output = TolerantFile(1)
    for name, file in (("stdout", output), ("stderr", TolerantFile(2))):
        before: TextIO | None = getattr(sys, name)
        if before is not None:
            with contextlib.suppress(OSError):
                before.flush()
        stream = io.TextIOWrapper(
            io.BufferedWriter(file),
            encoding=before.encoding if before else "utf-8",
            errors="backslashreplace",
            line_buffering=name == "stderr" or file.isatty(),
        )
        setattr(sys, name, stream)
    return output


def print_error(text: str) -> None:
    """Write to standard error, in one call; of the processes that ``mpirun`` has started only rank 0 does.

    Control characters other than line ends and tabs are escaped: the text may quote a command line or a server.
    """
    with contextlib.suppress(SettingsError):  # which `mpi_process` raises; it is an error to show
        if mpi_process().rank:
            return
    sys.stderr.write(printable(text.rstrip(), keep="\n\t") + "\n")
    sys.stderr.flush()


def print_text(make_text: Callable[[], str]) -> int:
    """Print the text, or the user error that making it raises; return the exit status."""
    try:
        print(make_text(), flush=True)
    except UserError as error:
        print_error(f"error: {error}")
        return 2
    return 0


def pause_after(elapsed: float) -> float:
    """Return the pause in seconds between two progress lines, `elapsed` seconds after the command began."""
    return PAUSE if elapsed < 60.0 else LATER_PAUSE


class ElapsedTime:
    """Gives `write` lines on one piece of work after another, from a thread that ends with the piece."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._over = threading.Event()

    def begin(self, text: str, *, after: float = 0.0) -> None:
        """Begin the piece of work `text`: name it now, or `after` seconds if it has not ended by then."""
        self.end()
        over = self._over = threading.Event()
        if not after:
            self._write(text)
        threading.Thread(target=self._repeat, args=(text, over, after), name="elapsed time", daemon=True).start()

    def end(self) -> None:
        """End the piece of work: write nothing more on it."""
        self._over.set()

    def _repeat(self, text: str, over: threading.Event, after: float) -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)  # the main thread may have to block them for a moment
        begun = time.monotonic()
        pause = after or PAUSE
        while not over.wait(pause):
            elapsed = time.monotonic() - begun
            self._write(f"{text}, {elapsed:.0f} s" if elapsed >= PAUSE else text)
            pause = pause_after(elapsed)
