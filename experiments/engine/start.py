"""``ranks=4``: one process starts the ranks of a run and shows what rank 0 reports."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path
from typing import Any, NoReturn

import solvers
from experiments.configuration.engine import mpirun
from experiments.configuration.settings import RunSettings
from experiments.processes.mpirun import place, without_place
from experiments.processes.outcome import EXIT_CODES, STOPPED, Outcome, OutcomeStatus, status_of
from experiments.processes.stopping import deferred
from experiments.run.console import Curve, Display, Facts
from experiments.run.errors import outcome_of
from support.files import temporary_folder

SOCKET = "socket"
JOB = "job.pickle"
RANK = "import experiments.processes.program_start, experiments.engine.start as start; start.exit_as_rank()"
"""Python code of a rank."""
GRACE = 10.0
"""Seconds that ``mpirun`` has to exit by itself after rank 0 has disconnected without an outcome."""


def run(settings: RunSettings, display: Display, command: Sequence[str]) -> Outcome:
    """Start ``mpirun`` on this machine with one process for each rank of a run, and wait for it.

    Ctrl-C and SIGTERM are passed on to the ranks as Ctrl-C: they record what they have reached.

    Parameters
    ----------
    settings : RunSettings
    display : Display
        Shows what rank 0 reports.
    command : sequence of str
        The command line, for the record.

    Returns
    -------
    Outcome
        ``failed`` if the ranks have ended without one; they write the reason to standard error.
    """
    job = (dataclasses.replace(settings, starts_ranks=False), tuple(command), display.pause)
    with temporary_folder() as folder:
        address = str(folder / SOCKET)
        (folder / JOB).write_bytes(pickle.dumps(job))
        with Listener(address, "AF_UNIX") as listener:
            process = subprocess.Popen(
                [mpirun(), "-n", str(settings.ranks), sys.executable, "-c", RANK, str(folder)],
                stdin=subprocess.DEVNULL,
                env=without_place(os.environ),
                start_new_session=True,  # signals reach the ranks from here only: mpirun does not pass on SIGTERM
            )
            threading.Thread(target=_end_wait, args=(process, address), daemon=True).start()
            try:
                # an exception could leave a message of rank 0 half read, so signals never raise in here
                with deferred(always=True, on_signal=lambda: process.send_signal(signal.SIGINT)) as stop_request:
                    outcome = _show(listener, display)
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
    if outcome.status in STOPPED and stop_request.kind:  # the ranks always get Ctrl-C
        return dataclasses.replace(outcome, status=status_of(stop_request.kind()))
    return outcome


def _end_wait(process: subprocess.Popen[bytes], address: str) -> None:
    """Wait for the ranks to exit, then connect in place of rank 0, so that `_show` does not wait for it forever."""
    process.wait()
    with contextlib.suppress(OSError):
        Client(address, "AF_UNIX").close()


def _show(listener: Listener, display: Display) -> Outcome | None:
    """Show what rank 0 reports until it sends the outcome; None if it disconnects before."""
    with listener.accept() as connection:
        while True:
            try:
                message = connection.recv()
            except (EOFError, OSError):  # disconnected between two messages, or within one
                return None
            if isinstance(message, Outcome):
                return message
            name, arguments, named = message
            getattr(display, name)(*arguments, **named)


class RemoteDisplay(Display):
    """Sends each call over a connection, to be made on the display of the process that started the ranks."""

    def __init__(self, connection: Connection[Any, Any], pause: float) -> None:
        self._connection = connection
        self.pause = pause

    def note(self, text: str) -> None:  # noqa: D102 (inherited)
        self._send("note", text)

    def warn(self, text: str) -> None:  # noqa: D102 (inherited)
        self._send("warn", text)

    def header(  # noqa: D102 (inherited)
        self, run: RunSettings, facts: Facts, settings: Mapping[str, Any], origins: Mapping[str, str]
    ) -> None:
        self._send("header", run, dict(facts), dict(settings), dict(origins))

    def progress(  # noqa: D102 (inherited)
        self, fraction: float, point: Mapping[str, Any], latest: Mapping[str, Any] | None
    ) -> None:
        self._send("progress", fraction, dict(point), latest)

    def finished(  # noqa: D102 (inherited)
        self, result: Mapping[str, Any], curve: Callable[[], Curve], *, found: bool
    ) -> None:
        self._send("finished", dict(result), partial(list, curve()), found=found)

    def result_path(self, path: Path) -> None:  # noqa: D102 (inherited)
        self._send("result_path", path)

    def close(self) -> None:  # noqa: D102 (inherited)
        self._send("close")

    def _send(self, name: str, *arguments: Any, **named: Any) -> None:
        self._connection.send((name, arguments, named))


def exit_as_rank() -> NoReturn:
    """Run as one of the ranks that `run` has started; ``sys.argv[1]`` is the folder with the job and the socket."""
    folder = Path(sys.argv[1])
    solvers.names()  # loads the user's solvers, whose classes are in the settings
    settings, command, pause = pickle.loads((folder / JOB).read_bytes())
    if place().rank:
        sys.exit(_compute(settings, Display(), command).exit_code)
    with Client(str(folder / SOCKET), "AF_UNIX") as connection:
        outcome = _compute(settings, RemoteDisplay(connection, pause), command)
        connection.send(outcome)
    sys.exit(outcome.exit_code)


def _compute(settings: RunSettings, display: Display, command: Sequence[str]) -> Outcome:
    from experiments.engine import ranks

    return outcome_of(lambda: ranks.run(settings, display, command), settings.label)
