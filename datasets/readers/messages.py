"""Reads a tar archive of text messages, one folder for each group, as n-grams.

Only the body of a message is read, the text after its first blank line: header lines (Newsgroups, Xref, Path, often the
subject) name the group, which is the label. Folders are numbered from 1 in alphabetical order.
"""

from __future__ import annotations

from pathlib import PurePosixPath

import numpy as np

from svm_cost_curves.datasets.errors import DataError, shorten
from svm_cost_curves.datasets.readers.archive import read_archive
from svm_cost_curves.datasets.readers.ngrams import find_ngrams
from svm_cost_curves.datasets.types import Table


def read_messages(content: bytes | bytearray, where: str, *, ngrams: int, min_count: int) -> Table:
    """Return a row for each message, with a one for each of its n-grams (see `datasets.readers.ngrams`).

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
    messages = read_archive(content, where)
    members = sorted(messages)
    if not members:
        raise DataError(f"{where}: the archive holds no message.")
    for member in members:
        if member.parent == PurePosixPath("."):
            raise DataError(
                f"{where}, member {shorten(str(member))}: is in no folder; the folder of a message is its group."
            )
    numbers = {folder: k for k, folder in enumerate(sorted({member.parent for member in members}), start=1)}
    X = find_ngrams([_body(messages[member]) for member in members], where, ngrams, min_count)
    return Table(X, np.array([numbers[member.parent] for member in members], np.float64))


def _body(message: bytes) -> str:
    # with the line end in front, a message that begins with a blank line has an empty header
    _, _, body = (b"\n" + message.replace(b"\r\n", b"\n")).partition(b"\n\n")
    return body.decode("latin-1")
