"""``ranks=4``: the ranks of a run are started for it, and what the first of them says is shown here."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from multiprocessing.connection import Client, Listener

from experiments.configuration.engine import mpirun
from experiments.configuration.settings import RunSettings
from experiments.processes.mpirun import without_place
from experiments.processes.outcome import EXIT_CODES, STOPPED, Outcome, OutcomeStatus, status_of
from experiments.processes.stopping import deferred
from experiments.run.console import Display
from support.files import temporary_folder

SOCKET = "socket"
JOB = "job.pickle"
GRACE = 10.0
"""Seconds that ``mpirun`` has to end with a status of its own, when rank 0 has gone without a word."""


def run(settings: RunSettings, display: Display, command: Sequence[str]) -> Outcome:
    """Start ``mpirun`` on this machine with one process for each rank of a run, and wait for it.

    Ctrl-C and SIGTERM here are Ctrl-C for the ranks: they record how far they are.

    Parameters
    ----------
    settings : RunSettings
    display : Display
        Shows what rank 0 says.
    command : sequence of str
        The command line, for the record.

    Returns
    -------
    Outcome
        ``failed`` if the ranks have ended without one; they say why on standard error.
    """
    job = Job(dataclasses.replace(settings, starts_ranks=False), tuple(command), display.pause)
    with temporary_folder() as folder:
        address = str(folder / SOCKET)
        (folder / JOB).write_bytes(pickle.dumps(job))
        with Listener(address, "AF_UNIX") as listener:
            process = subprocess.Popen(
                [mpirun(), "-n", str(settings.ranks), sys.executable, "-m", "experiments.engine.started", str(folder)],
                stdin=subprocess.DEVNULL,
                env=without_place(os.environ),
                start_new_session=True,  # a terminal's Ctrl-C is handed on, which mpirun does not do with SIGTERM
            )
            threading.Thread(target=_end, args=(process, address), daemon=True).start()
            try:
                # never an exception, which might leave what the ranks say half read
                with deferred(always=True, heard=lambda: process.send_signal(signal.SIGINT)) as wish:
                    outcome = _shown(listener, display)
                    with contextlib.suppress(subprocess.TimeoutExpired):
                        process.wait(None if outcome else GRACE)
            finally:
                process.terminate()
                process.wait()
    if outcome is None:
        display.close()
        ends: dict[int, OutcomeStatus] = {EXIT_CODES[status]: status for status in STOPPED}
        status = ends.get(process.returncode, "failed")
        return Outcome(settings.label(), status, f"mpirun has ended with status {process.returncode}")
    if outcome.status in STOPPED and wish.kind:  # for the ranks it was Ctrl-C in any case
        return dataclasses.replace(outcome, status=status_of(wish.kind()))
    return outcome


@dataclasses.dataclass(frozen=True)
class Job:
    """What the ranks are told.

    Attributes
    ----------
    settings : RunSettings
    command : tuple of str
    pause : float
        Seconds between two new test errors that are shown.
    """

    settings: RunSettings
    command: tuple[str, ...]
    pause: float


def _end(process: subprocess.Popen[bytes], address: str) -> None:
    """When the ranks have gone, end the wait for a first word of them."""
    process.wait()
    with contextlib.suppress(OSError):
        Client(address, "AF_UNIX").close()


def _shown(listener: Listener, display: Display) -> Outcome | None:
    """Show what rank 0 says until it says what has become of the run; None if it goes before."""
    with listener.accept() as connection:
        while True:
            try:
                told = connection.recv()
            except (EOFError, OSError):  # gone between two messages, or within one
                return None
            if isinstance(told, Outcome):
                return told
            name, words, named = told
            getattr(display, name)(*words, **named)
