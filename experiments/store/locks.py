"""Locks that die with their process: one for writing to the store, and one per run, as its sign of life."""

from __future__ import annotations

import contextlib
import fcntl
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Wait until nobody else writes to the store in this folder, and keep others out meanwhile."""
    with (folder / ".store.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


class SignOfLife:
    """A file that this process keeps locked from now on, until it dies or calls `end`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("a")
        fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def end(self) -> None:
        """Unlock and remove the file."""
        self._path.unlink(missing_ok=True)
        self._file.close()


def is_alive(path: Path) -> bool:
    """Whether the process whose `SignOfLife` this file is still lives."""
    try:
        with path.open("r+") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False
