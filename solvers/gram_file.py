"""The file of a Gram matrix: its values, then their checksums, which a process verifies when it first maps the file.

The file outlives runs and processes. XXH3 of blocks detects changes by a disk, a crash or another program. Verifying
takes about a tenth of a second for each GB. The time of the last change cannot replace it: in shared memory, a write
through a mapping does not change it.
"""

from __future__ import annotations

import io
import json
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import BinaryIO

import numpy as np
import xxhash
from numpy.typing import NDArray

from svm_cost_curves.support.checksums import check, checksummed

GramMatrix = np.memmap[tuple[int, int], np.dtype[np.float32]]

BLOCK_BYTES = 4 << 20
_LIMIT = 1 << 24
"""Largest size of the checksums in bytes; a matrix with larger ones would not fit in memory."""

_verified: set[tuple[int, int, int, int]] = set()
"""Files that this process has verified: device, inode, size, time of the last change."""


class UnusableFileError(Exception):
    """A file that must not be used; the message is the reason."""


def write_checksums(file: BinaryIO, key: str, matrix: NDArray[np.float32], threads: int) -> None:
    """Append the checksums of a matrix to its file, which already has the values.

    Parameters
    ----------
    file : binary file, open for writing
    key : str
        Identity of the matrix.
    matrix : (n, n) float32
    threads : int
    """
    content = {"key": key, "n": len(matrix), "block": BLOCK_BYTES, "xxh3": _checksums(matrix, threads)}
    file.seek(matrix.nbytes)
    with checksummed(file):
        file.write(json.dumps(content).encode())
    file.flush()


def read_matrix(path: Path, key: str, n: int, threads: int) -> GramMatrix | None:
    """Map the matrix in a file, (n, n) float32, read-only; None if there is no file.

    Raises
    ------
    UnusableFileError
        The file cannot be read, belongs to another user, or is damaged.
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
        checksums = _read_checksums(file, key, n)
        matrix: GramMatrix = np.memmap(file, dtype=np.float32, mode="r", shape=(n, n))
    state = (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)
    if state not in _verified:
        if _checksums(matrix, threads) != checksums:
            raise UnusableFileError("does not hold the values that were written")
        _verified.add(state)
    return matrix


def _read_checksums(file: BinaryIO, key: str, n: int) -> list[int]:
    file.seek(4 * n * n)
    content = io.BytesIO(file.read(_LIMIT))
    try:
        check(content)
        noted = json.load(content)
        written, checksums = (noted["key"], noted["n"], noted["block"]), list(noted["xxh3"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UnusableFileError("has no checksums, or damaged ones") from error
    if written != (key, n, BLOCK_BYTES):
        raise UnusableFileError(f"holds the matrix {noted['key']}")
    return checksums


def _checksums(matrix: NDArray[np.float32], threads: int) -> list[int]:
    """XXH3, 64 bits, of each block of the matrix."""
    content = matrix.reshape(-1).view(np.uint8).data
    starts = range(0, len(content), BLOCK_BYTES)

    def checksum(start: int) -> int:
        return xxhash.xxh3_64_intdigest(content[start : start + BLOCK_BYTES])

    try:
        with ThreadPoolExecutor(threads) as pool:  # xxhash releases the interpreter lock
            return list(pool.map(checksum, starts))
    except RuntimeError:  # the system starts no more threads
        return [checksum(start) for start in starts]
