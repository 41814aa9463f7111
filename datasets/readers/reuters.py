"""Reads Reuters-21578 (Lewis 1997), a tar archive of SGML files, as n-grams, divided as ModApte says.

ModApte: the documents marked TOPICS="YES", with LEWISSPLIT="TRAIN" or "TEST" (9,603 and 3,299). The text of a document
is its title, dateline and body.
"""

from __future__ import annotations

import html
import re

import numpy as np

from svm_cost_curves.datasets.errors import DataError, shorten
from svm_cost_curves.datasets.readers.archive import read_archive
from svm_cost_curves.datasets.readers.ngrams import find_ngrams
from svm_cost_curves.datasets.types import Table

_DOCUMENT = re.compile(r"<REUTERS ([^>]*)>(.*?)</REUTERS>", re.DOTALL)
_TOPICS = re.compile(r"<TOPICS>(.*?)</TOPICS>", re.DOTALL)
_TEXT = re.compile(r"<TEXT[^>]*>(.*?)</TEXT>", re.DOTALL)


def read_reuters(
    content: bytes | bytearray, where: str, *, role: str, topic: str, ngrams: int, min_count: int
) -> Table:
    """Return a row for each document of a part, with a one for each of its n-grams (see `datasets.readers.ngrams`).

    Parameters
    ----------
    content
        The unpacked archive. Rows are ordered by the names of the ``.sgm`` files, in which they have the file's order.
    where
        Name of the file for messages.
    role
        ``train`` or ``test``.
    topic
        Label 1 is a document of this topic, -1 any other.
    ngrams
        Most words of a feature.
    min_count
        Least occurrences of a feature in the documents of both parts together.

    Returns
    -------
    Table
        CSR float32 of ones, features in alphabetical order, the same ones for both parts.

    Raises
    ------
    DataError
        The archive is damaged, or has no document of the part or of the topic.
    """
    files = read_archive(content, where)
    names = sorted((path for path in files if path.suffix == ".sgm"), key=lambda path: path.name)
    documents = [found for name in names for found in _DOCUMENT.findall(files[name].decode("latin-1"))]
    parts = [
        (attributes, body) for attributes, body in documents if 'TOPICS="YES"' in attributes and _split(attributes)
    ]
    rows = np.array([_split(attributes) == role.upper() for attributes, _ in parts], bool)
    if not rows.any():
        raise DataError(f"{where}: no document of Reuters-21578 is in the {role} part of ModApte.")
    y = np.array([f"<D>{topic}</D>" in _inside(_TOPICS, body) for _, body in parts])
    if not y[rows].any():
        raise DataError(f"{where}: no document of the {role} part has topic {shorten(topic)} (dataset.topic).")
    X = find_ngrams([_words(body) for _, body in parts], where, ngrams, min_count)
    return Table(X[rows], np.where(y[rows], 1.0, -1.0))


def _split(attributes: str) -> str:
    found = re.search('LEWISSPLIT="(TRAIN|TEST)"', attributes)
    return found[1] if found else ""


def _inside(element: re.Pattern[str], body: str) -> str:
    found = element.search(body)
    return found[1] if found else ""


def _words(body: str) -> str:
    # the tags become blanks before the entities become characters: &lt;Company> is text
    return html.unescape(re.sub(r"<[^>]*>", " ", _inside(_TEXT, body)))
