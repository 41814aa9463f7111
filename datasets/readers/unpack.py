"""Reads files and unpacks them by content, so that a wrong suffix does not matter; reads tar archives."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import tarfile
import zlib
from collections.abc import Callable
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from ...support.files import open_plain
from ..errors import DataError, shorten, shown_path
from ..types import SHARE, gib, machine_memory, require_memory

# Text and numpy files never start with these bytes.
_PACKERS: tuple[tuple[bytes, Callable[[BinaryIO], Any]], ...] = (
    (b"\xfd7zXZ\x00", lzma.open),
    (b"BZh", bz2.open),
    (b"\x1f\x8b", gzip.open),
)
_PIECE = 1 << 20
"""Bytes that are unpacked at a time."""
_PARSING = 4
"""Peak memory of parsing over the size of a file: its bytes, and arrays while they are copied."""


def unpack(content: bytes, where: str) -> bytes:
    """Return the plain bytes of xz, bzip2 or gzip content; plain content itself."""
    for magic, opened in _PACKERS:
        if content.startswith(magic):
            limit = int(SHARE * machine_memory()) // _PARSING
            try:
                with opened(io.BytesIO(content)) as stream:
                    plain = b"".join(islice(iter(lambda: stream.read(_PIECE), b""), limit // _PIECE + 1))
            except (OSError, EOFError, ValueError, MemoryError, lzma.LZMAError, zlib.error) as error:
                raise DataError(f"{where}: the packed file is damaged or cut short ({shorten(str(error))}).") from error
            if len(plain) > limit:
                raise DataError(
                    f"{where}: {len(content):,} packed bytes become more than {gib(limit)}, the limit on this machine."
                )
            return plain
    return content


def read_unpacked(path: Path, where: str = "") -> bytes:
    """Read a file and unpack it; ``where`` names it in messages, by default its path."""
    where = where or shown_path(path)
    try:
        with open_plain(path) as file:
            require_memory(_PARSING * os.fstat(file.fileno()).st_size, f"{where}: reading the file")
            content = file.read()
    except OSError as error:
        raise DataError(f"{where}: cannot be read ({error.strerror or error}).") from error
    return unpack(content, where)


def read_archive(content: bytes, where: str, name: str = "") -> dict[PurePosixPath, bytes]:
    """Return the contents of a tar archive's files, all or those with one name, in the archive's order."""
    files: dict[PurePosixPath, bytes] = {}
    member = None
    try:
        with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as archive:
            for member in archive:
                path = PurePosixPath(member.name)
                if member.isdir() or name not in ("", path.name):
                    continue
                stream = archive.extractfile(member) if member.isfile() else None
                if stream is None:
                    raise DataError(f"{where}, member {shorten(member.name)}: is neither a plain file nor a folder.")
                files[path] = stream.read()
            end = content[archive.offset : archive.offset + tarfile.BLOCKSIZE]
    except DataError:
        raise
    except (tarfile.TarError, ValueError, KeyError, OverflowError, EOFError, OSError) as error:
        raise DataError(f"{where}{_after(member)}: not a readable tar archive ({shorten(str(error))}).") from error
    if end != bytes(tarfile.BLOCKSIZE):  # tarfile stops at a damaged header
        raise DataError(f"{where}{_after(member)}: the archive is damaged or cut short.")
    return files


def _after(member: tarfile.TarInfo | None) -> str:
    return f", member {shorten(member.name)} or after it" if member else ""


def from_archive(content: bytes, name: str, where: str) -> bytes:
    """Return the file of this name from any folder of a tar archive; other content is returned unchanged."""
    if not tarfile.is_tarfile(io.BytesIO(content)):
        return content
    files = read_archive(content, where, name)
    if not files:
        raise DataError(f"{where}: the archive holds no file {name}.")
    return next(iter(files.values()))
