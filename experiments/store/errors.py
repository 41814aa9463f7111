"""The one exception of the store, and what is behind those of others."""

from __future__ import annotations


class StoreError(RuntimeError):
    """The store cannot be used, or was asked for something impossible; the message is shown to the user as it is."""


def reason(error: BaseException) -> str:
    """First line of the error that libraries wrapped: SQLAlchemy's goes on for pages of SQL, others' tell of pools."""
    while (inner := error.__cause__ or getattr(error, "orig", None) or _context(error)) is not None:
        error = inner
    text = getattr(error, "strerror", None) or str(error)
    return (text.splitlines() or [type(error).__name__])[0]


def _context(error: BaseException) -> BaseException | None:
    return None if error.__suppress_context__ else error.__context__
