"""Worker processes are forked from a server that has imported what every run needs: seconds for each of them otherwise.

The server is a process of its own: threads of BLAS and sqlite would not survive a fork of this one.
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

from experiments.processes.stopping import ASKED
from experiments.processes.streams import tolerate
from support.files import keep_folder

PROCESSES = multiprocessing.get_context("forkserver")
SERVER_FOLDERS = "pymp-"
"""How the names of the temporary folders begin in which Python puts the servers' sockets."""


def preload(*modules: str) -> None:
    """Name the modules that the server imports; call this before the first process is started."""
    PROCESSES.set_forkserver_preload([*modules])


def start(process: BaseProcess) -> None:
    """Start a process, and before the first one the server, which takes seconds.

    Ctrl-C and SIGTERM wait until then: of half a process nothing is left but its complaints. The server stays deaf, as
    a terminal or a batch system may send them to all processes, of which it must outlive its children. Those hear again
    when they `follow` their parent.
    """
    _lock_folder()
    resource_tracker.ensure_running()  # which would put an end to the deafness
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ASKED)
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@cache
def _lock_folder() -> None:
    """Have the folder of the server's socket removed by a later command if this process is killed."""
    keep_folder(Path(util.get_temp_dir()))


@cache
def follow() -> None:
    """In a worker: hear signals, and end when the parent has gone, however it went.

    Workers outlive a parent that was killed: they would go on with runs that the user has started again meanwhile.
    Nothing happens in a process that is no worker.
    """
    parent = multiprocessing.parent_process()
    if parent is None:
        return
    tolerate()  # the parent's output may be closed
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ASKED)

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
