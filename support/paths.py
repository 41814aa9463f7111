"""Paths that a user names, in settings and in environment variables."""

from __future__ import annotations

import os
from pathlib import Path

from .errors import SettingsError


def expanded(path: str | Path, name: str) -> Path:
    """Return a user's path, ``~`` and ``~USER`` replaced by home folders; `name` is that of the setting.

    Raises SettingsError: there is no such user, or this one has no home folder.
    """
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        first = Path(path).parts[0]
        why = f"there is no user {first[1:]}" if first[1:] else "this user has no home folder, so set HOME to one"
        raise SettingsError(f"{name}: {path}: {why}; a folder whose name begins with ~ is written ./{first}") from error


def named_by(variable: str) -> list[Path]:
    """Return the paths that an environment variable names, separated as in ``PATH``; errors are those of `expanded`."""
    return [expanded(name, variable) for name in os.environ.get(variable, "").split(os.pathsep) if name]
