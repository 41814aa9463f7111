"""Reads the documents of a topic in the form of RCV1-v2 (Lewis et al. 2004): lines ``topic document 1``."""

from __future__ import annotations

import numpy as np

from svm_cost_curves.datasets.errors import DataError, shorten
from svm_cost_curves.datasets.types import Table

_MAX_DIGITS = 15
"""Most digits of a document's number: exact in float64."""


def read_topics(content: bytes, where: str, topic: str) -> Table:
    """Return the documents of one topic.

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
        Without features; labels are the numbers of the topic's documents, float64, in the order of the file.

    Raises
    ------
    DataError
        A line is malformed, or no document has this topic.
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
