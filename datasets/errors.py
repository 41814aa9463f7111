"""The one exception of this package, and how text from files is shown in its messages."""

from __future__ import annotations

from pathlib import Path

SHOWN = 120
"""Characters of a line, a cell or a name that a message quotes."""
LONGEST_PATH = 400
"""Characters of a path."""
LONGEST = 2000
"""Characters of a whole message."""


class DataError(ValueError):
    """A problem with data, files, labels or a data set's specification.

    The message is a complete sentence for the user: what was wrong, where, and what is allowed. Control characters in
    it are escaped, and it has at most `LONGEST` characters, whatever the data are.
    """

    def __init__(self, message: str) -> None:
        super().__init__(shorten(message, LONGEST))


def shorten(text: str | bytes, limit: int = SHOWN) -> str:
    """Return at most ``limit`` characters of a text, then "..."; what a terminal would not print is escaped.

    Bytes are read as UTF-8.
    """
    cut = text[: limit + 1]
    if isinstance(cut, bytes):
        cut = cut.decode("utf-8", errors="replace")
    shown = "".join(c if c.isprintable() else repr(c)[1:-1] for c in cut[:limit])
    return shown if len(text) <= limit and len(shown) <= limit else shown[:limit] + "..."


def shown_path(path: Path | str) -> str:
    """Return a path as a message shows it."""
    return shorten(str(path), LONGEST_PATH)
