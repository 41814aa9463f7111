"""Starts worker processes: they are forked from a server process that has imported what every run needs.

The imports take seconds in each worker otherwise. This process cannot be forked itself: the threads of BLAS and sqlite
do not survive a fork.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from functools import cache
from multiprocessing import resource_tracker, util
from multiprocessing.process import BaseProcess
from pathlib import Path

from experiments.processes.stopping import STOP_SIGNALS
from experiments.processes.streams import tolerate
from support.files import keep_folder

PROCESSES = multiprocessing.get_context("forkserver")
SERVER_FOLDERS = "pymp-"
"""Prefix of the temporary folders in which Python puts the sockets of such servers."""


def preload(*modules: str) -> None:
    """Name the modules that the server imports; call this before the first process is started."""
    PROCESSES.set_forkserver_preload([*modules])


def start(process: BaseProcess) -> None:
    """Start a process; the first call also starts the server, which takes seconds.

    Ctrl-C and SIGTERM are blocked until the process has started. The server inherits the blocked signals and keeps
    them: a terminal or a batch system may send a signal to all processes, and the server must outlive its children.
    The children unblock them in `follow`.
    """
    _lock_folder()
    resource_tracker.ensure_running()  # starting it later would unblock the signals
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@cache
def _lock_folder() -> None:
    """Mark the folder of the server's socket, so that a later command removes it if this process is killed."""
    keep_folder(Path(util.get_temp_dir()))


@cache
def follow() -> None:
    """In a worker: unblock signals, and end when the parent process ends.

    Otherwise workers outlive a killed parent, and compute runs that the user has started again meanwhile. Does nothing
    in a process that is not a worker.
    """
    parent = multiprocessing.parent_process()
    if parent is None:
        return
    tolerate()  # the parent's output may be closed
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
