"""Reads texts as n-grams: messages in folders, Reuters-21578 (Lewis 1997); and the topics of RCV1-v2 (Lewis 2004).

Words are runs of at least two letters a to z in upper or lower case; all other characters separate words. A feature is
a run of 1 to ``ngrams`` words that occurs at least ``min_count`` times in all texts. Features are in alphabetical
order, and have the value 1 where they occur in a text.
"""

from __future__ import annotations

import html
import re
from pathlib import PurePosixPath

import numpy as np
from scipy import sparse

from ..errors import DataError, shorten
from ..types import Table
from .unpack import read_archive

_DOCUMENT = re.compile(r"<REUTERS ([^>]*)>(.*?)</REUTERS>", re.DOTALL)
_SPLIT = re.compile('LEWISSPLIT="(TRAIN|TEST)"')
_TOPICS = re.compile(r"<TOPICS>(.*?)</TOPICS>", re.DOTALL)
_TEXT = re.compile(r"<TEXT[^>]*>(.*?)</TEXT>", re.DOTALL)
_MAX_DIGITS = 15
"""Most digits of a document's number: exact in float64."""


def read_messages(content: bytes, where: str, *, ngrams: int, min_count: int) -> Table:
    """Return a row for each message of a tar archive, ordered by name; labels number the folders from 1 by name.

    Only the body of a message is read, the text after its first blank line: header lines (Newsgroups, Xref, Path, often
    the subject) name the group, which is the label.
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
    X = _ngrams([_body(messages[member]) for member in members], where, ngrams, min_count)
    return Table(X, np.array([numbers[member.parent] for member in members], np.float64))


def _body(message: bytes) -> str:
    # with the line end in front, a message that begins with a blank line has an empty header
    return (b"\n" + message.replace(b"\r\n", b"\n")).partition(b"\n\n")[2].decode("latin-1")


def read_reuters(content: bytes, where: str, *, role: str, topic: str, ngrams: int, min_count: int) -> Table:
    """Return a row for each document of a part of Reuters-21578, a tar archive of SGML files, divided as ModApte says.

    ModApte: the documents marked TOPICS="YES", with LEWISSPLIT="TRAIN" or "TEST" (9,603 and 3,299). The text of a
    document is its title, dateline and body; features are those of both parts together. Rows have the files' order.

    Parameters
    ----------
    role
        ``train`` or ``test``.
    topic
        Label 1 is a document of this topic, -1 any other.
    """
    files = read_archive(content, where)
    names = sorted((path for path in files if path.suffix == ".sgm"), key=lambda path: path.name)
    documents = [
        (split, body)
        for name in names
        for attributes, body in _DOCUMENT.findall(files[name].decode("latin-1"))
        if 'TOPICS="YES"' in attributes and (split := _inside(_SPLIT, attributes))
    ]
    rows = np.array([split == role.upper() for split, _ in documents], bool)
    if not rows.any():
        raise DataError(f"{where}: no document of Reuters-21578 is in the {role} part of ModApte.")
    y = np.array([f"<D>{topic}</D>" in _inside(_TOPICS, body) for _, body in documents])
    if not y[rows].any():
        raise DataError(f"{where}: no document of the {role} part has topic {shorten(topic)} (dataset.topic).")
    X = _ngrams([_words(body) for _, body in documents], where, ngrams, min_count)
    return Table(X[rows], np.where(y[rows], 1.0, -1.0))


def _inside(element: re.Pattern[str], body: str) -> str:
    match = element.search(body)
    return match[1] if match else ""


def _words(body: str) -> str:
    # the tags become blanks before the entities become characters: &lt;Company> is text
    return html.unescape(re.sub(r"<[^>]*>", " ", _inside(_TEXT, body)))


def _ngrams(texts: list[str], where: str, ngrams: int, min_count: int) -> sparse.csr_matrix[np.float32]:
    """Return a row for each text, with a one for each of its n-grams."""
    # imported here: it takes seconds
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer(token_pattern="[a-z]{2,}", ngram_range=(1, ngrams), dtype=np.int32)
    try:
        counts = vectorizer.fit_transform(texts)
    except ValueError as error:  # an empty vocabulary
        raise DataError(f"{where}: no message holds a word.") from error
    counts = counts[:, np.flatnonzero(np.asarray(counts.sum(axis=0)).ravel() >= min_count)]
    counts.sort_indices()
    return sparse.csr_matrix((np.ones(counts.nnz, np.float32), counts.indices, counts.indptr), shape=counts.shape)


def read_topics(content: bytes, where: str, topic: str) -> Table:
    """Return the numbers of a topic's documents as labels, without features, from lines ``topic document 1``."""
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
            documents.append(float(cells[1]))
    if not documents:
        raise DataError(f"{where}: no document has topic {shorten(topic)} (dataset.topic).")
    return Table(np.empty((len(documents), 0), np.float32), np.array(documents))
