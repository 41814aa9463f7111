"""Records of interruptions and failures, which go when their run has finished."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from ...support.errors import reason
from ...support.files import read_plain
from .run_folder import StoreError


def names_in(folder: Path) -> list[str]:
    """Return the names of the run folders in a folder; drafts begin with a dot."""
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry in entries if not entry.name.startswith(".")]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise StoreError(f"the store cannot be read: {reason(error)}") from error


def remove_superseded(runs: Path, unfinished: Path, recorded: Path, key: str = "") -> None:
    """Remove the unfinished records of a run, or of all runs, that has finished, unless a recorder may read one.

    A record in all lists of the folder `recorded` is in mlflow, and not read again; without this folder no recorder has
    ever begun.
    """
    with contextlib.suppress(OSError, StoreError):  # the run has finished all the same
        names = [name for name in names_in(unfinished) if name.endswith(key)]
        gone = [name for name in names if (runs / name.split("-", 2)[-1]).is_dir()]
        if gone and recorded.exists():
            texts = [read_plain(path).decode("utf-8", "replace") for path in recorded.glob("*.txt")]
            lists = [recorded_entries(text.split("\n")) for text in texts]
            gone = [name for name in gone if lists and all(name in names for names in lists)]
        for name in gone:
            shutil.rmtree(unfinished / name, ignore_errors=True)


def recorded_entries(lines: Sequence[str]) -> dict[str, str]:
    """Return the lines of recorded folders by name (`recorded_list`); a later line ``-NAME`` takes a name out again."""
    entries: dict[str, str] = {}
    for line in lines:
        if line.startswith("-"):
            entries.pop(line[1:], None)
        elif line and not line.startswith(('"', "!")):
            entries[line.rpartition(" ")[0] or line] = line
    return entries
