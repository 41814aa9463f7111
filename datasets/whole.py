"""Writing a file so that other processes see all of it or nothing."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def written_whole(path: Path) -> Iterator[BinaryIO]:
    """Open a stream whose content takes the name ``path`` when the block ends without an error.

    The folder is made when missing. Whatever goes wrong, nothing half-written stays.

    Raises
    ------
    OSError
        The folder or the file cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # Not mkstemp: its files are readable by their owner only, and a cache may be shared.
    temporary = path.with_name(f"{path.stem}.{uuid.uuid4().hex}.part")
    try:
        with temporary.open("xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
