"""Errors that a command turns into a message; all packages raise them."""

from __future__ import annotations

import os

LARGEST_INTEGER = 2**63 - 1
LONGEST_PATH = 400
"""Characters of a path that a message shows."""


class UserError(Exception):
    """An error that the user can correct: shown as a sentence, exit status 2."""


class SettingsError(UserError, ValueError):
    """A setting, or a combination of settings, that cannot be run; the message says which, why, and what is allowed."""


class NotFiniteError(ArithmeticError):
    """A run's objective has become infinite or NaN; the message names the measures and the cost."""


def reason(error: BaseException, named_file: object = None) -> str:
    """Return the cause of an error in one line; that of the operating system with the file that it names.

    Libraries wrap errors: the outer messages of SQLAlchemy contain pages of SQL. An error of the operating system is
    the cause itself, also where it was raised while another was handled, as by ``mkdir(parents=True)``. If it names no
    file and the working directory is gone, that is the cause. A file that the message names already is `named_file`.
    """
    if isinstance(error, OSError) and error.strerror:
        names = [os.fsdecode(name) for name in (error.filename, error.filename2) if isinstance(name, str | bytes)]
        if not names and isinstance(error, FileNotFoundError):
            try:
                os.getcwd()  # noqa: PTH109 (Path.cwd says the same)
            except FileNotFoundError:
                gone = os.environ.get("PWD", "")
                return f"the working directory {gone}{' ' * bool(gone)}does not exist any more: change to another by cd"
        shown = " -> ".join(name if len(name) < LONGEST_PATH else f"{name[:LONGEST_PATH]}..." for name in names)
        return error.strerror if shown in ("", str(named_file)) else f"{shown}: {error.strerror}"
    context = None if error.__suppress_context__ else error.__context__
    inner = error.__cause__ or getattr(error, "orig", None) or context
    if inner is not None:
        return reason(inner, named_file)
    return (str(error).splitlines() or [type(error).__name__])[0]
