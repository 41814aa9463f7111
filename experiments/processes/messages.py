"""Messages of libraries and of worker processes: one line each on standard error, above a progress bar.

A bar takes what Python writes to `sys.stderr` while it is drawn. What other processes write would end in its line.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from ...support.text import printable
from .streams import print_error

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

_OWN = __package__.partition(".")[0]
_SHIPPED = ("site-packages", "dist-packages")


def tell_plainly() -> None:
    """Show warnings of Python and log records from now on as one line each, without the source line that made them."""
    warnings.showwarning = _show_warning
    logging.lastResort = _Lines(logging.WARNING)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    del category, lineno, line
    text = f"warning: {_library(filename)}{_one_line(str(message))}"
    if file is None:
        print_error(text)
    else:
        file.write(text + "\n")


class _Lines(logging.Handler):
    """Writes each record as one line; without any other handler, Python would write its message alone."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            text = _one_line(record.getMessage())
        except Exception:  # of a library's malformed record
            self.handleError(record)
            return
        if record.name.partition(".")[0] != _OWN:
            text = f"{record.name.partition('.')[0]}: {text}"
        print_error(text if text.startswith(("waiting ", "fetching ")) else f"warning: {text}")


def _library(filename: str) -> str:
    """Return the name of the library that a file belongs to, with a colon; empty for this project and a user's file."""
    parts = Path(filename).parts
    return next((f"{Path(parts[k + 1]).stem}: " for k, name in enumerate(parts[:-1]) if name in _SHIPPED), "")


def _one_line(text: str) -> str:
    return " ".join(text.split())


class WorkerMessages:
    """What the workers of a pool write to standard output and error; a thread shows it line by line.

    A warning that several workers write is shown once.
    """

    def __init__(self, reader: Connection[Any, Any]) -> None:
        self._reader = reader
        self._told: set[str] = set()
        self._thread = threading.Thread(target=self._show, name="messages of workers", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Show the last lines. The workers have ended, and the other end of the pipe is closed here."""
        self._thread.join(timeout=1.0)  # a process that a worker has started may still have the pipe

    def _show(self) -> None:
        with open(self._reader.fileno(), encoding="utf-8", errors="backslashreplace", closefd=False) as lines:
            for line in lines:
                text = printable(line.rstrip(), keep="\t")
                if text and not (text.startswith("warning: ") and text in self._told):
                    self._told.add(text)
                    sys.stderr.write(text + "\n")
                    sys.stderr.flush()


def write_to(writer: Connection[Any, Any]) -> None:
    """Write standard output and error of this worker to a pipe, also what compiled code writes."""
    for descriptor in (1, 2):
        os.dup2(writer.fileno(), descriptor)
