"""Waiting for what happens in another process or thread."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable

PATIENCE = 900.0
"""Seconds after which a test gives up waiting: a program that works never needs them, however busy the machine is."""


def wait_until(
    happened: Callable[[], object], process: subprocess.Popen[str] | subprocess.Popen[bytes] | None = None
) -> None:
    """Wait until something has happened, which a process is to do.

    Raises
    ------
    TimeoutError
        It has not happened within `PATIENCE`, or the process has ended before.
    """
    deadline = time.monotonic() + PATIENCE
    while not happened():
        if process is not None and process.poll() is not None and not happened():
            raise TimeoutError(f"the process has ended before, with status {process.returncode}")
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {PATIENCE:g} s")
        time.sleep(0.01)
