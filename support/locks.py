"""A lock in a file, which ends with its process, and says whom a process waits for."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import socket
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from support.files import same_file

FIRST_POLL_SECONDS, POLL_SECONDS = 0.001, 0.1
"""The first pause between two attempts, and the longest."""
TELL_SECONDS = 1.0
"""Who waits longer is told for whom."""


@contextlib.contextmanager
def locked(path: Path, tell: Callable[[str], None], *, mode: int = 0o666) -> Iterator[None]:
    """Hold a lock; wait while another process holds it. Ctrl-C and SIGTERM end the wait.

    On one machine, and on file systems that hand flock on to other machines.

    Parameters
    ----------
    path : Path
        The lock's file, in a folder that exists; it is there while the lock is held or waited for.
    tell : callable
        Told once, after `TELL_SECONDS`, which process holds the lock: ``process 123 on HOST``.
    mode : int
        Permissions of the file.

    Raises
    ------
    OSError
        The file cannot be made or locked, is a link, or has several names.
    """
    descriptor = _acquire(path, tell, mode)
    try:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)
        yield
    finally:
        with contextlib.suppress(OSError):
            if same_file(descriptor, path):
                path.unlink()  # who waits for this file finds that it has lost its name, and opens anew
        os.close(descriptor)


def _acquire(path: Path, tell: Callable[[str], None], mode: int) -> int:
    began, told, pause = time.monotonic(), False, FIRST_POLL_SECONDS
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, mode)
        try:
            _check_plain(descriptor, path)
            while not _taken(descriptor):
                if not told and time.monotonic() - began >= TELL_SECONDS:
                    tell(os.pread(descriptor, 200, 0).decode("ascii", "replace").strip() or "another process")
                    told = True
                time.sleep(pause)
                pause = min(2 * pause, POLL_SECONDS)
            if same_file(descriptor, path):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _check_plain(descriptor: int, path: Path) -> None:
    """Refuse a file that is not our lock: its content would be overwritten."""
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
        raise OSError(errno.EINVAL, "Not a plain file with one name", str(path))


def _taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
