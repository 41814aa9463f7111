"""``ranks=4``: one process starts the ranks of a run and shows what rank 0 reports.

Rank 0 reports through the standard output of ``mpirun``: a line for each call of a method of `Display`, and one for the
outcome. What else is written there belongs to MPI, and is passed on to standard error.
"""

from __future__ import annotations

import base64
import dataclasses
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any, cast

from ... import solvers
from ...support.files import temporary_folder
from ..configuration.choices import mpirun
from ..configuration.settings import RunSettings
from ..processes.outcome import EXIT_CODES, STOPPED, Outcome, OutcomeStatus, outcome_of
from ..processes.stopping import deferred, status_of
from ..processes.streams import mpi_process, without_mpi
from ..run.console import Display

RANK = """
import sys
from svm_cost_curves.experiments.processes.command import run
def load():
    from svm_cost_curves.experiments.processes.core import load_core
    load_core()
    from svm_cost_curves.experiments.engine.start import run_as_rank
    return run_as_rank
sys.exit(run(load))
"""
"""Python code of a rank."""
MARK = b"svm "
"""Begins each line of rank 0."""


def run(settings: RunSettings, display: Display, command: Sequence[str]) -> Outcome:
    """Start ``mpirun`` on this machine with one process for each rank of a run, and wait for it.

    Signals are passed on to the ranks as Ctrl-C: they record what they have reached. The display shows what rank 0
    reports, `command` is for the record. The outcome is ``failed`` if the ranks have ended without one; they write the
    reason to standard error.
    """
    with temporary_folder() as folder:
        job = folder / "job.pickle"
        job.write_bytes(pickle.dumps((dataclasses.replace(settings, starts_ranks=False), command, display.pause)))
        process = subprocess.Popen(
            [mpirun(), "-n", str(settings.ranks), sys.executable, "-P", "-c", RANK, str(job)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            env=without_mpi(os.environ),
            start_new_session=True,  # signals reach the ranks from here only: mpirun does not pass on SIGTERM
        )
        assert process.stdout is not None
        with process, deferred(always=True, on_signal=lambda: process.send_signal(signal.SIGINT)) as stop_request:
            try:
                outcome = _show(process.stdout, display)
            except BaseException:
                process.terminate()
                raise
    if outcome is None:
        display.close()
        statuses: dict[int, OutcomeStatus] = {EXIT_CODES[status]: status for status in STOPPED}
        status = statuses.get(process.returncode, "failed")
        return Outcome(settings.label(), status, f"mpirun has ended with status {process.returncode}")
    if outcome.status in STOPPED and stop_request.kind:  # the ranks always get Ctrl-C
        return dataclasses.replace(outcome, status=status_of(stop_request.kind()))
    return outcome


def _show(lines: Iterable[bytes], display: Display) -> Outcome | None:
    """Show what rank 0 reports; return the outcome, or None if the lines end before it."""
    outcome = None
    for line in lines:
        if not (line.startswith(MARK) and line.endswith(b"\n")):
            sys.stderr.write(line.decode(errors="replace"))
            continue
        name, arguments, named = pickle.loads(base64.b64decode(line.removeprefix(MARK)))
        if name == "outcome":
            (outcome,) = arguments
        else:
            getattr(display, name)(*arguments, **named)
    return outcome


def line_of(name: str, arguments: Sequence[Any], named: Mapping[str, Any]) -> bytes:
    """Return the line with which rank 0 reports a call."""
    return MARK + base64.b64encode(pickle.dumps((name, arguments, named))) + b"\n"


class _Reports:
    """Writes each call of a method as a line: on rank 0, in place of a `Display`."""

    def __init__(self, out: IO[bytes], pause: float) -> None:
        self._out = out
        self.pause = pause

    def __getattr__(self, name: str) -> Any:
        return partial(self._report, name)

    def _report(self, name: str, *arguments: Any, **named: Any) -> None:
        plain = [partial(list, argument()) if callable(argument) else argument for argument in arguments]
        self._out.write(line_of(name, plain, named))
        self._out.flush()


def run_as_rank() -> int:
    """Run as one of the ranks of `run` and return the exit status; ``sys.argv[1]`` is the file with the job."""
    from . import ranks

    solvers.names()  # loads the user's solvers, whose classes are in the settings
    settings, command, pause = pickle.loads(Path(sys.argv[1]).read_bytes())
    with os.fdopen(os.dup(1), "wb") as out:
        os.dup2(2, 1)
        reports = _Reports(out, pause)
        display = Display() if mpi_process().rank else cast(Display, reports)
        outcome = outcome_of(lambda: ranks.run(settings, display, command), settings.label)
        if not mpi_process().rank:
            reports.outcome(outcome)
    return outcome.exit_code
