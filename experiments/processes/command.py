"""A command of the program from its first moment to its end: streams, signals, what its children see, exit status.

Nothing large is imported here: what `run` does at its beginning holds while the rest of the command is imported.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from ...support.errors import UserError, reason
from . import streams
from .stopping import EXIT_STATUS, STOP_SIGNALS, ignore_signals, leave_at_signals, send_again, status_of, terminable

Main = Callable[[], int]
"""Does what the command line says, and returns the exit status."""


def run(load: Callable[[], Main]) -> int:
    """Run the command of this process and return its exit status; `load` imports it.

    While it is imported, one of `STOP_SIGNALS` ends the process with one line. Then such a signal raises its exception
    in the command, and after the command's end it changes nothing. An error of the user is one line and status 2; other
    exceptions are raised.
    """
    output = streams.tolerate()
    leave_at_signals()
    from .messages import tell_plainly

    tell_plainly()
    sys.unraisablehook = send_again
    os.environ["PYTHONSAFEPATH"] = "1"  # children: the working directory may have any file, such as mlflow.py
    _leave_out_first_folder()
    # The imports of a command make a million objects that stay. Searching them for garbage while they are made, and
    # once more at the end, took a fifth of a short command's time.
    gc.set_threshold(50_000)
    atexit.register(gc.freeze)
    status = _status(load)
    sys.stdout.flush()
    if (error := output.error) is not None and error.errno not in streams.QUIET:
        sys.stderr.write(f"error: standard output: {error.strerror}: what was to be written there is not complete\n")
        status = status or 2
    sys.stderr.flush()
    return status


def _status(load: Callable[[], Main]) -> int:
    try:
        streams.mpi_process()  # raises where mpirun's variables make no sense
        return _with_signals(load())
    except UserError as error:
        streams.print_error(f"error: {error}")
    except OSError as error:
        streams.print_error(f"error: {reason(error)}")
    except KeyboardInterrupt as stopped:
        streams.print_error(status_of(stopped))
        return EXIT_STATUS[type(stopped)]
    return 2


def _with_signals(main: Main) -> int:
    """Run a command that is imported. At no moment between two handlers a signal is lost, or ends the process."""
    signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    try:
        with terminable():
            try:
                signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
                return main()
            finally:
                signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    finally:
        ignore_signals()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)


def _leave_out_first_folder() -> None:
    """Import nothing from the folder that Python searches first: the script's, or with -m the working directory."""
    script = getattr(sys.modules["__main__"], "__file__", None)
    with contextlib.suppress(FileNotFoundError):  # the working directory was removed
        folders = [Path().resolve(), *([Path(script).resolve().parent] if script else [])]
        if not sys.flags.safe_path and sys.path and Path(sys.path[0]).resolve() in folders:
            del sys.path[0]
