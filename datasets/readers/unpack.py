"""Unpacking by content, not by name: a mislabelled suffix does no harm."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zlib
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from datasets.errors import DataError

# Text and numpy files never start with these bytes.
_PACKERS: tuple[tuple[bytes, Callable[[bytes], bytes]], ...] = (
    (b"\xfd7zXZ\x00", lzma.decompress),
    (b"BZh", bz2.decompress),
    (b"\x1f\x8b", gzip.decompress),
)


def unpack(content: bytes, where: str) -> bytes:
    """Return the plain bytes of xz, bzip2, gzip or plain content.

    Raises
    ------
    DataError
        The content is packed but damaged or cut short.
    """
    for magic, decompress in _PACKERS:
        if content.startswith(magic):
            try:
                return decompress(content)
            except (OSError, EOFError, ValueError, lzma.LZMAError, zlib.error) as error:
                raise DataError(f"{where}: the packed file is damaged or cut short ({error}).") from error
    return content


def from_archive(content: bytes, name: str, where: str) -> bytes:
    """Return the file of this name from a tar archive, in whatever folder; content that is no archive as it is.

    Raises
    ------
    DataError
        The archive is damaged, or has no such file.
    """
    if not tarfile.is_tarfile(io.BytesIO(content)):
        return content
    try:
        with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as archive:
            for member in archive:
                stream = archive.extractfile(member) if PurePosixPath(member.name).name == name else None
                if stream is not None:
                    return stream.read()
    except tarfile.TarError as error:
        raise DataError(f"{where}: not a readable tar archive ({error}).") from error
    raise DataError(f"{where}: the archive holds no file {name}.")


def read_unpacked(path: Path) -> bytes:
    """Read a file and unpack it.

    Raises
    ------
    DataError
        The file cannot be read or is damaged.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror or error}).") from error
    return unpack(content, str(path))
