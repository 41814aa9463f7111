"""The exception of this package, and the form of text from files in its messages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from ..support.errors import LONGEST_PATH, UserError
from ..support.text import LONGEST_MESSAGE, printable

SHOWN = 120
"""Most characters of a line, a cell or a name in a message."""


class DataError(UserError, ValueError):
    """A problem with data, files, labels or a data set's specification.

    The message is a sentence for the user: what is wrong, where, and what is allowed. Control characters are escaped,
    and it has at most `LONGEST_MESSAGE` characters.
    """

    def __init__(self, message: str) -> None:
        super().__init__(shorten(message, LONGEST_MESSAGE))


MOST_SENTENCES = 5
"""Warnings of one kind about a table."""
_HAS_SETTINGS = ContextVar("has_settings", default=True)


@contextmanager
def without_settings() -> Iterator[None]:
    """Leave advice on ``dataset.*`` settings out of the messages in a block: the command has no such settings."""
    token = _HAS_SETTINGS.set(False)
    try:
        yield
    finally:
        _HAS_SETTINGS.reset(token)


def advice(by_settings: str, otherwise: str = "") -> str:
    """Return `by_settings`, the advice on settings of a run; inside `without_settings` return `otherwise`."""
    return by_settings if _HAS_SETTINGS.get() else otherwise


def read_as(format: str, ending: str) -> str:
    """Return the advice on a file of another format than the one in which it was read."""
    return advice(f"set dataset.format={format}", f"let its name end in {ending}")


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
