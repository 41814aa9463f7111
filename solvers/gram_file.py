"""The file of a Gram matrix: its values, then their checksum, which a process verifies when it first maps the file.

The file outlives runs and processes. XXH3 detects changes by a disk, a crash or another program. Verifying
takes about a tenth of a second for each GB. The time of the last change cannot replace it: in shared memory, a write
through a mapping does not change it.
"""

from __future__ import annotations

import io
import json
import os
import stat
from pathlib import Path
from typing import BinaryIO

import numpy as np
import xxhash
from numpy.typing import NDArray

from svm_cost_curves.support.disk_cache import check, checksummed

GramMatrix = np.memmap[tuple[int, int], np.dtype[np.float32]]

_LIMIT = 1 << 16
"""Largest size in bytes of what follows the values."""

_verified: set[tuple[int, int, int, int]] = set()
"""Files that this process has verified: device, inode, size, time of the last change."""


class UnusableFileError(Exception):
    """A file that must not be used; the message is the reason."""


def write_checksum(file: BinaryIO, key: str, matrix: NDArray[np.float32]) -> None:
    """Append the checksum of the matrix `key`, (n, n) float32, to its file, which already has the values."""
    file.seek(matrix.nbytes)
    with checksummed(file):
        file.write(json.dumps({"key": key, "n": len(matrix), "xxh3": _checksum(matrix)}).encode())
    file.flush()


def read_matrix(path: Path, key: str, n: int) -> GramMatrix | None:
    """Map the matrix in a file, (n, n) float32, read-only; None if there is no file.

    Raises UnusableFileError if it cannot be read, belongs to another user, or is damaged.
    """
    try:
        # do not follow a link, and do not wait for a pipe
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UnusableFileError(f"cannot be read ({error.strerror})") from error
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise UnusableFileError("is not a file")
        if found.st_uid != os.geteuid():
            raise UnusableFileError(f"belongs to another user (uid {found.st_uid})")
        checksum = _read_checksum(file, key, n)
        matrix: GramMatrix = np.memmap(file, dtype=np.float32, mode="r", shape=(n, n))
    state = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)
    if state not in _verified:
        if _checksum(matrix) != checksum:
            raise UnusableFileError("does not hold the values that were written")
        _verified.add(state)
    return matrix


def _read_checksum(file: BinaryIO, key: str, n: int) -> str:
    file.seek(4 * n * n)
    content = io.BytesIO(file.read(_LIMIT))
    try:
        check(content)
        noted = json.load(content)
        written, checksum = (noted["key"], noted["n"]), str(noted["xxh3"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UnusableFileError("has no checksum, or a damaged one") from error
    if written != (key, n):
        raise UnusableFileError(f"holds the matrix {noted['key']}")
    return checksum


def _checksum(matrix: NDArray[np.float32]) -> str:
    return xxhash.xxh3_128_hexdigest(matrix.reshape(-1).view(np.uint8).data)
