"""Reads a tar archive of text messages, one folder for each group, as n-grams.

Only the body of a message is read, the text after its first blank line: header lines (Newsgroups, Xref, Path, often the
subject) name the group, which is the label. Words are runs of at least two letters a to z in upper or lower case;
all other characters separate words. Folders are numbered from 1 in alphabetical order.
"""

from __future__ import annotations

import io
import tarfile
from pathlib import PurePosixPath

import numpy as np
from scipy import sparse

from datasets.errors import DataError, shorten
from datasets.types import Table

_WORD = "[a-z]{2,}"


def read_messages(content: bytes, where: str, *, ngrams: int, min_count: int) -> Table:
    """Return a row for each message, with a one for each of its n-grams.

    Parameters
    ----------
    content
        The unpacked archive. Rows are ordered by the members' names.
    where
        Name of the file for messages.
    ngrams
        Most words of a feature.
    min_count
        Least occurrences of a feature in all messages.

    Returns
    -------
    Table
        CSR float32 of ones, features in alphabetical order; labels 1, 2, ... by folder.

    Raises
    ------
    DataError
        The archive is damaged, a member is not a message in a folder, or there are no words.
    """
    bodies = _bodies(content, where)
    members = sorted(bodies)
    numbers = {folder: k for k, folder in enumerate(sorted({member.parent for member in members}), start=1)}
    X = _count([bodies[member] for member in members], where, ngrams, min_count)
    return Table(X, np.array([numbers[member.parent] for member in members], np.float64))


def _bodies(content: bytes, where: str) -> dict[PurePosixPath, str]:
    bodies: dict[PurePosixPath, str] = {}
    member = None
    try:
        with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as archive:
            for member in archive:
                if not member.isdir():
                    path = _path(member, where)
                    bodies[path] = _body(archive, member)
            end = content[archive.offset : archive.offset + tarfile.BLOCKSIZE]
    except DataError:
        raise
    except (tarfile.TarError, ValueError, KeyError, OverflowError, EOFError, OSError) as error:
        raise DataError(f"{where}{_after(member)}: not a readable tar archive ({shorten(str(error))}).") from error
    if end != bytes(tarfile.BLOCKSIZE):  # tarfile stops at a damaged header
        raise DataError(f"{where}{_after(member)}: the archive is damaged or cut short.")
    if not bodies:
        raise DataError(f"{where}: the archive holds no message.")
    return bodies


def _after(member: tarfile.TarInfo | None) -> str:
    return f", member {shorten(member.name)} or after it" if member else ""


def _path(member: tarfile.TarInfo, where: str) -> PurePosixPath:
    path = PurePosixPath(member.name)
    if not member.isfile():
        raise DataError(f"{where}, member {shorten(member.name)}: is neither a plain file nor a folder.")
    if path.parent == PurePosixPath("."):
        raise DataError(
            f"{where}, member {shorten(member.name)}: is in no folder; the folder of a message is its group."
        )
    return path


def _body(archive: tarfile.TarFile, member: tarfile.TarInfo) -> str:
    stream = archive.extractfile(member)
    assert stream is not None  # a plain file
    # with the line end in front, a message that begins with a blank line has an empty header
    _, _, body = (b"\n" + stream.read().replace(b"\r\n", b"\n")).partition(b"\n\n")
    return body.decode("latin-1")


def _count(texts: list[str], where: str, ngrams: int, min_count: int) -> sparse.csr_matrix[np.float32]:
    # imported here: it takes seconds
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer(token_pattern=_WORD, ngram_range=(1, ngrams), dtype=np.int32)
    try:
        counts = vectorizer.fit_transform(texts)
    except ValueError as error:  # an empty vocabulary
        raise DataError(f"{where}: no message holds a word.") from error
    counts = counts[:, np.flatnonzero(np.asarray(counts.sum(axis=0)).ravel() >= min_count)]
    counts.sort_indices()
    return sparse.csr_matrix((np.ones(counts.nnz, np.float32), counts.indices, counts.indptr), shape=counts.shape)
