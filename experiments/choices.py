"""Settings that are one of a few words, and what has to be installed for some of them."""

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


def install_command(extra: str) -> str:
    """Return the command that installs an extra of ``pyproject.toml`` where this program runs.

    The environment that ``make`` makes has no pip: there it is ``make extras``, which installs all of them, pinned.
    """
    made = Path(sys.prefix).resolve() == (PROJECT_ROOT / ".venv").resolve()
    return "make extras" if made else f"pip install '.[{extra}]'"
