"""The store's exception, and the cause of errors that libraries wrap."""

from __future__ import annotations


class StoreError(RuntimeError):
    """The store cannot be used, or a call is not allowed; the message is shown to the user unchanged."""


def reason(error: BaseException) -> str:
    """First line of the innermost error: the outer messages of SQLAlchemy contain pages of SQL."""
    while (inner := error.__cause__ or getattr(error, "orig", None) or _context(error)) is not None:
        error = inner
    text = getattr(error, "strerror", None) or str(error)
    return (text.splitlines() or [type(error).__name__])[0]


def _context(error: BaseException) -> BaseException | None:
    return None if error.__suppress_context__ else error.__context__
