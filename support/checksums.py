"""Content of a file with its checksum before it, which is verified before anything is parsed."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator
from typing import BinaryIO

LENGTH = hashlib.sha256().digest_size
"""Bytes of a checksum."""
_BLOCK = 1 << 20


class DamagedError(ValueError):
    """A file has other content than was written."""


@contextlib.contextmanager
def checksummed(file: BinaryIO) -> Iterator[None]:
    """Write the SHA-256 of what the block writes before it.

    Parameters
    ----------
    file : binary file
        Open for writing and reading; the content goes from the present position to the end of the file.
    """
    start = file.tell()
    file.write(bytes(LENGTH))
    yield
    file.seek(start + LENGTH)
    checksum = _sha256(file)
    file.seek(start)
    file.write(checksum)


def check(file: BinaryIO) -> None:
    """Verify what `checksummed` has written at the present position, which is then the first byte of the content.

    Raises
    ------
    DamagedError
        The rest of the file differs from what was written.
    """
    checksum, start = file.read(LENGTH), file.tell()
    if _sha256(file) != checksum:
        raise DamagedError("its checksum differs from the one written with it")
    file.seek(start)


def _sha256(file: BinaryIO) -> bytes:
    digest = hashlib.sha256()
    while block := file.read(_BLOCK):
        digest.update(block)
    return digest.digest()
