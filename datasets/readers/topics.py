"""Which documents belong to a topic, as RCV1-v2 has it (Lewis et al. 2004): lines ``topic document 1``."""

from __future__ import annotations

import numpy as np

from datasets.errors import DataError, shorten
from datasets.types import Table

_MAX_DIGITS = 15
"""Of a document's number: float64 holds those exactly."""


def read_topics(content: bytes, where: str, topic: str) -> Table:
    """Find the documents of one topic.

    Parameters
    ----------
    content
        The unpacked file.
    where
        Name of the file for messages.
    topic
        Name of the topic.

    Returns
    -------
    Table
        No features; as labels the numbers of the documents of this topic, float64, in the order of the file.

    Raises
    ------
    DataError
        A malformed line (file, line number, text), or no document of this topic.
    """
    wanted, documents = topic.encode(), []
    for number, line in enumerate(content.split(b"\n"), start=1):
        cells = line.split()
        if not cells:
            continue
        if len(cells) != 3 or not cells[1].isdigit() or cells[2] != b"1":
            raise DataError(f"{where}, line {number}: a line must read 'topic document 1'. The line: '{shorten(line)}'")
        if cells[0] == wanted:
            if len(cells[1]) > _MAX_DIGITS:
                raise DataError(f"{where}, line {number}: document {shorten(cells[1])} is above 10^{_MAX_DIGITS}.")
            documents.append(int(cells[1]))
    if not documents:
        raise DataError(f"{where}: no document has topic {shorten(topic)} (dataset.topic).")
    return Table(np.empty((len(documents), 0), np.float32), np.asarray(documents, np.float64))
