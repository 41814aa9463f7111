"""A tar archive of text messages, one folder a group: which runs of one to a few words occur in each message.

Only the body of a message is read, which is what follows its first blank line: header lines name the group
(Newsgroups, Xref, Path, often the subject) and would give the label away. Words are runs of at least two letters a
to z, without regard to case; everything else stands between words. Folders are numbered from 1 in alphabetical order.
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
    """Turn messages into rows of ones, one for each run of words (n-gram) in them.

    Parameters
    ----------
    content
        The unpacked archive. Rows are in the order of the members' names, whatever their order in the archive.
    where
        Name of the file for messages.
    ngrams
        Longest run of words that is a feature; shorter ones are features as well.
    min_count
        Occurrences in all messages together that make a run of words a feature.

    Returns
    -------
    Table
        CSR float32 of ones, features in alphabetical order; labels 1, 2, ... by folder.

    Raises
    ------
    DataError
        Not a whole tar archive, a member that is not a message in a folder (named), or no words at all.
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
    if end != bytes(tarfile.BLOCKSIZE):  # tarfile takes a damaged header for the end
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
    # The line end in front lets a message that begins with a blank line have no header.
    _, _, body = (b"\n" + stream.read().replace(b"\r\n", b"\n")).partition(b"\n\n")
    return body.decode("latin-1")


def _count(texts: list[str], where: str, ngrams: int, min_count: int) -> sparse.csr_matrix[np.float32]:
    # Imported here: it takes seconds, and a prepared archive does without it.
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer(token_pattern=_WORD, ngram_range=(1, ngrams), dtype=np.int32)
    try:
        counts = vectorizer.fit_transform(texts)
    except ValueError as error:  # an empty vocabulary
        raise DataError(f"{where}: no message holds a word.") from error
    counts = counts[:, np.flatnonzero(np.asarray(counts.sum(axis=0)).ravel() >= min_count)]
    counts.sort_indices()
    return sparse.csr_matrix((np.ones(counts.nnz, np.float32), counts.indices, counts.indptr), shape=counts.shape)
