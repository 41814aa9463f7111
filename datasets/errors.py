"""The exception of this package, and the form of text from files in its messages."""

from __future__ import annotations

from pathlib import Path

from svm_cost_curves.support.errors import LONGEST_PATH, UserError
from svm_cost_curves.support.text import printable

SHOWN = 120
"""Most characters of a line, a cell or a name in a message."""
LONGEST = 2000
"""Most characters of a message."""


class DataError(UserError, ValueError):
    """A problem with data, files, labels or a data set's specification.

    The message is a sentence for the user: what is wrong, where, and what is allowed. Control characters are escaped,
    and it has at most `LONGEST` characters.
    """

    def __init__(self, message: str) -> None:
        super().__init__(shorten(message, LONGEST))


def shorten(text: str | bytes, limit: int = SHOWN) -> str:
    """Return at most ``limit`` characters of a text, then "..."; characters that cannot be printed are escaped.

    Bytes are read as UTF-8.
    """
    cut = text[: limit + 1]
    if isinstance(cut, bytes):
        cut = cut.decode("utf-8", errors="replace")
    shown = printable(cut[:limit])
    return shown if len(text) <= limit and len(shown) <= limit else shown[:limit] + "..."


def shown_path(path: Path | str) -> str:
    """Return a path for a message."""
    return shorten(str(path), LONGEST_PATH)
