"""Reads the files of a tar archive."""

from __future__ import annotations

import io
import tarfile
from pathlib import PurePosixPath

from svm_cost_curves.datasets.errors import DataError, shorten


def read_archive(content: bytes | bytearray, where: str) -> dict[PurePosixPath, bytes]:
    """Return the content of each file of an archive, in the archive's order.

    Parameters
    ----------
    content
        The unpacked archive.
    where
        Name of the archive for messages.

    Raises
    ------
    DataError
        The archive is damaged, or a member is neither a plain file nor a folder.
    """
    files: dict[PurePosixPath, bytes] = {}
    member = None
    try:
        with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as archive:
            for member in archive:
                if not member.isdir():
                    files[PurePosixPath(member.name)] = _content(archive, member, where)
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


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo, where: str) -> bytes:
    if not member.isfile():
        raise DataError(f"{where}, member {shorten(member.name)}: is neither a plain file nor a folder.")
    stream = archive.extractfile(member)
    assert stream is not None  # a plain file
    return stream.read()
