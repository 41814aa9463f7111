"""What is behind an error of mlflow: the machine, a connection that was closed, or what was asked."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from typing import Final

from .limits import LimitError

_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO)
_BUSY: Final = ("SQLITE_FULL", "SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_IOERR")


def is_of_the_machine(error: BaseException) -> bool:
    """Return whether the disk or another process is behind an error, and not what was to be read or written."""
    return any(
        (isinstance(cause, OSError) and cause.errno in _FULL)
        or str(getattr(cause, "sqlite_errorname", "")).startswith(_BUSY)
        for cause in _causes(error)
    )


def is_hung_up(error: BaseException) -> bool:
    """Return whether the other side has closed the connection to which a request was sent."""
    kinds = (ConnectionResetError, ConnectionAbortedError, BrokenPipeError)
    return not isinstance(error, LimitError) and any(isinstance(cause, kinds) for cause in _causes(error))


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and those behind it, also those that it carries: of urllib3, of SQLAlchemy."""
    seen, inner = set[int](), [error]
    while inner:
        error = inner.pop()
        if id(error) not in seen:
            seen.add(id(error))
            yield error
            more = (error.__cause__, error.__context__, getattr(error, "orig", None), *error.args)
            inner += [cause for cause in more if isinstance(cause, BaseException)]
