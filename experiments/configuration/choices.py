"""Checks of settings that are one of a few words, or the path of a folder, and what has to be installed for some."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection
from pathlib import Path

from experiments.provenance import PROJECT_ROOT
from solvers import SettingsError


def check_choice(name: str, value: str, allowed: Collection[str], also: str = "") -> None:
    """Refuse a word that is not among those allowed; `also` says what else is.

    Raises
    ------
    SettingsError
        With the words that are allowed.
    """
    if value not in allowed:
        known = ", ".join([*allowed, *([also] if also else [])])
        raise SettingsError(f"{name} must be one of {known}; got {value!r}")


LONGEST_NAME, LONGEST_PATH = 255, 4095
"""Bytes of a file's name and of a path that Linux allows."""


def folder(name: str, text: str) -> Path:
    """Return the path of a folder that a setting names; refuse text that is not a path.

    An address is refused before a path is made of it, which would be a folder of this machine whose name may contain a
    password. Messages do not repeat it.

    Raises
    ------
    SettingsError
        It is empty, an address (``scheme://...``), or longer than a path can be.
    """
    if not text:
        raise SettingsError(f"{name} is empty: it must be the path of a folder")
    if scheme := re.match(r"\s*([A-Za-z][A-Za-z0-9+.-]*):/", text):
        server = "; a server is named by store=server store.uri=http://HOST:5000" if "store" in name else ""
        raise SettingsError(
            f"{name} must be the path of a folder, got an address that begins with {scheme[1]}:{server}"
        )
    path = Path(text)
    if len(text.encode(errors="replace")) > LONGEST_PATH or any(
        len(part.encode(errors="replace")) > LONGEST_NAME for part in path.parts
    ):
        raise SettingsError(
            f"{name} is too long for a path ({len(text)} characters): at most {LONGEST_PATH} bytes, {LONGEST_NAME} "
            "between two slashes"
        )
    return path


def install_command(extra: str) -> str:
    """Return the command that installs an extra of ``pyproject.toml`` where this program runs.

    The environment that ``make`` makes has no pip: there it is ``make extras``, which installs all of them, pinned.
    """
    made = Path(sys.prefix).resolve() == (PROJECT_ROOT / ".venv").resolve()
    return "make extras" if made else f"pip install '.[{extra}]'"


def check_home() -> None:
    """Refuse a user without a home folder, as in some containers: mlflow cannot be imported without one.

    Raises
    ------
    SettingsError
        There is neither HOME nor an entry in the list of users.
    """
    try:
        Path.home()
    except RuntimeError as error:
        raise SettingsError("this user has no home folder: set HOME to a folder that can be written") from error
