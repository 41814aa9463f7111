"""Standard output and standard error that never raise: a run continues when they are closed, full, or not read."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
from collections.abc import Callable
from typing import Any, TextIO

QUIET = (errno.EPIPE, errno.EBADF)
"""The reader has left (``| head -1``), or the stream was closed from the start (``>&-``): no message."""


class TolerantFile(io.FileIO):
    """A descriptor for writing, which stays open and never raises: after the first `error` it discards all content."""

    def __init__(self, descriptor: int) -> None:
        super().__init__(descriptor, "w", closefd=False)
        self.error: OSError | None = None

    def write(self, content: Any) -> int:
        """Write, and return the number of bytes given; after an error nothing is written."""
        if self.error is None:
            try:
                return super().write(content) or 0
            except OSError as error:
                self.error = error
        return memoryview(content).nbytes


def tolerate() -> TolerantFile:
    """Make `sys.stdout` and `sys.stderr` discard what cannot be written, instead of raising OSError; return stdout's.

    Closed descriptors among 0 to 2 are opened on the null device. Otherwise other files would get their numbers.
    """
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest number that is free
    output = TolerantFile(1)
    for name, file in (("stdout", output), ("stderr", TolerantFile(2))):
        before: TextIO | None = getattr(sys, name)
        if before is not None:
            with contextlib.suppress(OSError):
                before.flush()
        stream = io.TextIOWrapper(
            io.BufferedWriter(file),
            encoding=before.encoding if before else "utf-8",
            errors="backslashreplace",
            line_buffering=name == "stderr" or file.isatty(),
        )
        setattr(sys, name, stream)
    return output


def run(main: Callable[[], int]) -> int:
    """Run a command with such streams and return its exit status; 2 if it succeeds but its output is not complete."""
    output = tolerate()
    status = main()
    sys.stdout.flush()
    error = output.error
    if error is not None and error.errno not in QUIET:
        sys.stderr.write(f"error: standard output: {error.strerror}: what was to be written there is not complete\n")
        status = status or 2
    sys.stderr.flush()
    return status
