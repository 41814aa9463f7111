"""Worker processes are forked from a server that has imported what every run needs: seconds for each of them otherwise.

The server is a process of its own: threads of BLAS and sqlite would not survive a fork of this one.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from functools import cache
from multiprocessing import forkserver, resource_tracker

from experiments.stopping import ASKED

PROCESSES = multiprocessing.get_context("forkserver")


def start_server(*modules: str) -> None:
    """Start the server, which gets ready in the background; there is one for this process.

    Parameters
    ----------
    modules : str
        What it imports besides `experiments.preloaded`.
    """
    PROCESSES.set_forkserver_preload(["experiments.preloaded", *modules])
    with deaf():
        forkserver.ensure_running()


@contextlib.contextmanager
def deaf() -> Iterator[None]:
    """Ctrl-C and SIGTERM wait until a worker has started: seconds, when the server it is forked from starts before it.

    The server stays so: a terminal or a batch system may send them to all processes, of which it must outlive its
    children. Those hear again when they `follow` their parent.
    """
    resource_tracker.ensure_running()  # which would put an end to it
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ASKED)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@cache
def follow() -> None:
    """In a worker: hear signals, and end when the parent has gone, however it went.

    Workers outlive a parent that was killed: they would go on with runs that the user has started again meanwhile.
    Nothing happens in a process that is no worker.
    """
    parent = multiprocessing.parent_process()
    if parent is None:
        return
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ASKED)

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
