"""Cache of file checksums: a large packed file without a checksum in its specification is unpacked only once."""

from __future__ import annotations

import hashlib
import json
import logging
from pathlib import Path

from support.checksums import check, checksummed
from support.files import new_file

log = logging.getLogger(__name__)


class ChecksumCache:
    """SHA-256 of the unpacked bytes of files, in ``<cache_dir>/known``.

    An entry is valid while the file's path, size, inode and modification times are unchanged.
    """

    def __init__(self, cache_dir: Path) -> None:
        self._folder = cache_dir / "known"

    def get(self, path: Path) -> str:
        """Return the checksum of a file; empty if the file is new or has changed."""
        try:
            with self._note(path).open("rb") as file:
                check(file)
                note = json.load(file)
            return str(note["sha256"]) if note["state"] == file_state(path) else ""
        except (OSError, ValueError):  # no entry, or a damaged one
            return ""

    def put(self, path: Path, before: list[int], sha256: str) -> None:
        """Store the checksum of a file whose `file_state` was ``before`` when it was read."""
        if not before or file_state(path) != before:
            return
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            note = {"path": str(path), "state": before, "sha256": sha256}
            with new_file(self._note(path)) as file, checksummed(file):
                file.write(json.dumps(note).encode())
        except OSError as error:
            log.debug("Cannot store the checksum of %s (%s).", path, error)

    def _note(self, path: Path) -> Path:
        return self._folder / f"{hashlib.sha256(str(path.absolute()).encode()).hexdigest()[:32]}"


def file_state(path: Path) -> list[int]:
    """Return size, inode, modification and change time in nanoseconds; empty if there is no such file."""
    try:
        found = path.stat()
    except OSError:
        return []
    return [found.st_size, found.st_ino, found.st_mtime_ns, found.st_ctime_ns]
