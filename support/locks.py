"""A lock file that ends with its process and names the process that holds it."""

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

from svm_cost_curves.support.files import same_file

FIRST_POLL_SECONDS, POLL_SECONDS = 0.001, 0.1
"""First and longest pause between two attempts."""
NOTIFY_SECONDS = 1.0
"""Waiting time after which the holder is reported."""


@contextlib.contextmanager
def locked(path: Path, notify: Callable[[str], None], *, mode: int = 0o666) -> Iterator[None]:
    """Hold a lock; wait while another process holds it. Ctrl-C and SIGTERM end the wait.

    Works on one machine, and between machines on file systems that support flock. The file, in a folder that exists,
    exists while the lock is held or waited for. `notify` is called once, after `NOTIFY_SECONDS`, with the holder:
    ``process 123 on HOST``. OSError: the file cannot be created or locked, is a link, or has several names.
    """
    descriptor = _acquire(path, notify, mode)
    try:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)
        yield
    finally:
        with contextlib.suppress(OSError):
            if same_file(descriptor, path):
                path.unlink()  # waiting processes see that the file has lost its name, and open a new one
        os.close(descriptor)


def _acquire(path: Path, notify: Callable[[str], None], mode: int) -> int:
    began, notified, pause = time.monotonic(), False, FIRST_POLL_SECONDS
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, mode)
        try:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:  # its content is overwritten
                raise OSError(errno.EINVAL, "Not a plain file with one name", str(path))
            while not _try_lock(descriptor):
                if not notified and time.monotonic() - began >= NOTIFY_SECONDS:
                    notify(os.pread(descriptor, 200, 0).decode("ascii", "replace").strip() or "another process")
                    notified = True
                time.sleep(pause)
                pause = min(2 * pause, POLL_SECONDS)
            if same_file(descriptor, path):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
