"""One reproduce at a time for each store: two would make the same runs twice, and want the memory twice."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

FILE = "reproduce.lock"
POLL_SECONDS = 0.2


@contextlib.contextmanager
def alone(root: Path, say: Callable[[str], None]) -> Iterator[None]:
    """Wait until no other process reproduces from this store; the lock ends with the process, however it ends.

    Parameters
    ----------
    root : Path
        Folder of the store; made when missing.
    say : callable
        Told, once, whom it waits for.

    Raises
    ------
    OSError
        The folder cannot be made or written.
    """
    root.mkdir(parents=True, exist_ok=True)
    path = root / FILE
    with path.open("a+") as file:
        told = False
        while not _taken(file.fileno()):
            if not told:
                holder = path.read_text(encoding="ascii", errors="replace").strip()
                say(f"waiting: process {holder or 'unknown'} is reproducing from the store {root}")
                told = True
            time.sleep(POLL_SECONDS)
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        try:
            yield
        finally:
            file.truncate(0)


def _taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
