"""Checksums of files read before: a large packed file whose checksum no specification knows is unpacked only once."""

from __future__ import annotations

import hashlib
import json
import logging
from pathlib import Path

from support.files import write_file

log = logging.getLogger(__name__)


class KnownChecksums:
    """SHA-256 of the unpacked bytes of files, in ``<cache_dir>/known``.

    A note speaks for a file as long as its path, size, inode and times of change are those of the note.
    """

    def __init__(self, cache_dir: Path) -> None:
        self._folder = cache_dir / "known"

    def get(self, path: Path) -> str:
        """Return the checksum of a file, or nothing where the file is new or has changed."""
        try:
            note = json.loads(self._note(path).read_bytes())
            return str(note["sha256"]) if note["state"] == state(path) else ""
        except (OSError, ValueError, KeyError, TypeError):  # no note, or not a whole one
            return ""

    def put(self, path: Path, before: list[int], sha256: str) -> None:
        """Note the checksum of a file whose :func:`state` was ``before`` when it was read."""
        if not before or state(path) != before:
            return
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            note = {"path": str(path), "state": before, "sha256": sha256}
            write_file(self._note(path), json.dumps(note).encode())
        except OSError as error:
            log.debug("Cannot note the checksum of %s (%s).", path, error)

    def _note(self, path: Path) -> Path:
        return self._folder / f"{hashlib.sha256(str(path.absolute()).encode()).hexdigest()[:32]}.json"


def state(path: Path) -> list[int]:
    """Return what changes when a file does: size, inode, both times of change in nanoseconds. Empty: no such file."""
    try:
        found = path.stat()
    except OSError:
        return []
    return [found.st_size, found.st_ino, found.st_mtime_ns, found.st_ctime_ns]
