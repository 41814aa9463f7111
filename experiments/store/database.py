"""mlflow's database in a store's folder: made whole or not at all, and anew where mlflow cannot use it.

mlflow makes its tables in many steps, so a new database is a draft until it has them all, and is then renamed. It keeps
absolute paths of the runs' files: if they are not those of the store, which was moved or copied then, it is made again.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final
from urllib.request import url2pathname

from ...support.errors import reason
from ...support.files import remove_drafts, temporary_folder
from .address import DATABASE, FILES, database_uri
from .causes import is_of_the_machine
from .run_folder import StoreError
from .tracking import ExperimentError, Tracking

_PARTS: Final = ("-journal", "-wal", "-shm")
"""Ends of the names of files that SQLite writes beside a database."""
_ADVICE: Final = "move it away, and svm-store record makes it again from the folders of the runs"


def make_database(root: Path, begin: Callable[[], None], *, is_used: bool) -> str | None:
    """Make the database in the folder of a store unless there is one for this folder; return what was set aside.

    A database that holds paths of another folder, because the store was moved or copied, is set aside with its files.
    So is one that mlflow cannot use, if no run was recorded in it (not `is_used`): the process that made its tables was
    killed, or met a full disk. `begin` is called before a new database gets its name. The caller holds the lock of the
    store's recorders.

    Returns
    -------
    str or None
        A sentence on what was set aside, if anything was.

    Raises
    ------
    StoreError
        The database cannot be used, and stays; or it cannot be made.
    OSError
        The folder cannot be written.
    """
    path, said = root / DATABASE, None
    if os.path.lexists(path) and not path.is_file():
        raise StoreError(f"{path} is no file, but a folder, a pipe or a link to nothing: {_ADVICE}")
    if path.is_file() and path.stat().st_size:
        if (why := _why_made_again(root, is_used=is_used)) is None:
            return None
        said = f"{why}: mlflow's copy of the runs is made again, and the earlier one is in {_set_aside(root)}"
    remove_drafts(root)
    with temporary_folder(root) as draft:
        _ask_for_location(root, draft)
        for suffix in _PARTS:  # SQLite would take them for the new database's
            (root / f"{DATABASE}{suffix}").unlink(missing_ok=True)
        begin()
        (draft / DATABASE).replace(path)
    return said


def _ask_for_location(root: Path, folder: Path) -> Path:
    """Return where the database in a folder keeps the files of the runs of a store; it may be a draft or a copy.

    Raises StoreError: it cannot be used. The message names the database of the store.
    """
    tracking = Tracking(database_uri(folder), root / FILES)
    try:
        location = tracking.artifact_location
    except StoreError as error:
        if folder == root:
            raise
        raise type(error)(str(error).replace(tracking.uri, database_uri(root))) from error
    return Path(url2pathname(location.removeprefix("file://")) if location.startswith("file:") else location)


def _why_made_again(root: Path, *, is_used: bool) -> str | None:
    """Return why the database, a file that is not empty, has to be made again; None: it can be used."""
    path, files = root / DATABASE, root / FILES
    try:
        with path.open("r+b") as file:  # mlflow would try for minutes
            is_database = file.read(16) == b"SQLite format 3\0"
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {reason(error, path)}") from error
    try:
        if not is_database:
            raise StoreError(f"mlflow at {database_uri(root)} cannot be used: it is no database of SQLite")
        if is_used:
            location = _ask_for_location(root, root)
        else:  # it may be somebody's own: mlflow adds its tables even to a file that it cannot use then
            with temporary_folder() as copy:
                for name in (DATABASE, *(f"{DATABASE}{suffix}" for suffix in _PARTS)):
                    with contextlib.suppress(FileNotFoundError):
                        shutil.copyfile(root / name, copy / name)
                location = _ask_for_location(root, copy)
    except ExperimentError:
        raise
    except StoreError as error:
        if is_of_the_machine(error):
            raise
        if is_used:
            raise StoreError(f"{error}; {_ADVICE}") from error
        return f"mlflow cannot use {path}, in which no run of this store was recorded"
    if location == files or (location.exists() and files.exists() and location.samefile(files)):
        return None
    return f"the store was moved or copied from {location.parent}"


def _set_aside(root: Path) -> Path:
    """Move the database and its files to a folder of their own, the database last, and return it."""
    number = 1
    while os.path.lexists(folder := root / f"mlflow-earlier-{number}"):
        number += 1
    folder.mkdir()
    for name in (FILES, *(f"{DATABASE}{suffix}" for suffix in _PARTS), DATABASE):
        if os.path.lexists(root / name):
            (root / name).rename(folder / name)
    return folder
