"""Whether a folder can be written, asked before work is done for it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def probe(folder: Path) -> None:
    """Ask a folder, or the nearest one above it that exists, for room for a file; leaves no trace.

    Raises
    ------
    OSError
        It refuses; `filename` is the folder that was asked.
    """
    while not os.path.lexists(folder):
        folder = folder.parent
    try:
        # permissions say nothing about read-only or full file systems, so ask for a nameless file
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(folder)) from error
