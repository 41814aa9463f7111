"""Unpacks files by content: a wrong suffix does not matter."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zlib
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from svm_cost_curves.datasets.errors import DataError, shorten, shown_path
from svm_cost_curves.datasets.memory import SHARE, gib, machine_memory, require_memory

# Text and numpy files never start with these bytes.
_PACKERS: tuple[tuple[bytes, Callable[[BinaryIO], Any]], ...] = (
    (b"\xfd7zXZ\x00", lzma.open),
    (b"BZh", bz2.open),
    (b"\x1f\x8b", gzip.open),
)
_PIECE = 1 << 20
"""Bytes that are unpacked at a time."""
_PARSING = 3
"""Peak memory of parsing over the size of a file: its bytes, its tokens, and the arrays."""


def unpack(content: bytearray, where: str) -> bytearray:
    """Return the plain bytes of xz, bzip2 or gzip content; plain content itself.

    Raises
    ------
    DataError
        The packed content is damaged or cut short, or its unpacked form does not fit in memory.
    """
    for magic, opened in _PACKERS:
        if content.startswith(magic):
            limit = largest_file()
            try:
                with opened(io.BytesIO(content)) as stream:
                    plain = bytearray()
                    while len(plain) <= limit and (piece := stream.read(_PIECE)):
                        plain += piece
            except (OSError, EOFError, ValueError, MemoryError, lzma.LZMAError, zlib.error) as error:
                raise DataError(f"{where}: the packed file is damaged or cut short ({shorten(str(error))}).") from error
            if len(plain) > limit:
                raise DataError(
                    f"{where}: {len(content):,} packed bytes become more than {gib(limit)}, the limit on this machine."
                )
            return plain
    return content


def largest_file() -> int:
    """Return the largest size of an unpacked file on this machine, in bytes."""
    return int(SHARE * machine_memory()) // _PARSING


def from_archive(content: bytearray, name: str, where: str) -> bytearray:
    """Return the file of this name from any folder of a tar archive; other content is returned unchanged.

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
                    return bytearray(stream.read())
    except (tarfile.TarError, ValueError, KeyError, OverflowError, EOFError) as error:
        raise DataError(f"{where}: not a readable tar archive ({shorten(str(error))}).") from error
    raise DataError(f"{where}: the archive holds no file {name}.")


def read_unpacked(path: Path, where: str = "") -> bytearray:
    """Read a file and unpack it; ``where`` names it in messages, by default its path.

    Raises
    ------
    DataError
        The file cannot be read, is damaged, or does not fit in memory.
    """
    where = where or shown_path(path)
    try:
        require_memory(_PARSING * path.stat().st_size, f"{where}: reading it")
        content = bytearray(path.stat().st_size)
        with path.open("rb") as stream:
            del content[stream.readinto(content) :]
            content += stream.read()
    except OSError as error:
        raise DataError(f"{where}: cannot be read ({error.strerror or error}).") from error
    return unpack(content, where)
