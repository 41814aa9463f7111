"""The paths of a store, whether they can be written, and the locks in them, which end with their process."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from experiments.store.errors import StoreError
from support.files import check_writable


@dataclass(frozen=True)
class StorePaths:
    """The paths of a store, which need not exist.

    Attributes
    ----------
    database : Path
        mlflow's sqlite database, an absolute path without links.
    """

    database: Path

    @classmethod
    def parse(cls, name: str | Path) -> StorePaths:
        """Return the paths from a folder, a file ending in ``.db``, or ``sqlite:///<path of the database file>``.

        Raises
        ------
        StoreError
            `name` has another form, contains '?', '#' or '%', or cannot be written as UTF-8.
        """
        text = str(name)
        if text.startswith("sqlite:///"):
            path = Path(text.removeprefix("sqlite:///"))
        elif "://" in text or text.startswith(("sqlite:", "file:")):
            raise StoreError(f"the store {text!r} is not a folder, a file ending in .db, or sqlite:///<path>")
        else:
            path = Path(name)
            if path.suffix != ".db" or path.is_dir():
                path = path / "mlflow.db"
        path = Path(os.path.realpath(path.expanduser()))
        try:
            str(path).encode()
        except UnicodeEncodeError as error:
            raise StoreError(
                f"the store's path {path} is not UTF-8, as a database's address is: give another"
            ) from error
        if bad := sorted(set(str(path)) & set("?#%")):
            raise StoreError(f"the store's path {path} contains {bad[0]!r}, which means something else in an address")
        return cls(path)

    @property
    def root(self) -> Path:
        """Folder of the store."""
        return self.database.parent

    @property
    def artifacts(self) -> Path:
        """Folder of all runs' artifacts."""
        return self.root / "artifacts"

    @property
    def uri(self) -> str:
        """Tracking URI for mlflow, with an absolute path."""
        return f"sqlite:///{self.database}"

    def directory(self, run_id: str) -> Path:
        """Folder of one run's artifacts."""
        return self.artifacts / run_id / "artifacts"

    def alive_file(self, run_id: str) -> Path:
        """File that the process of a run holds locked."""
        return self.artifacts / run_id / "alive"

    def check_writable(self) -> None:
        """Check that database and folder can be written; leaves nothing there.

        Raises
        ------
        StoreError
            They cannot: which file or folder, and why.
        """
        if self.database.exists() and not os.access(self.database, os.W_OK):
            raise StoreError(f"the store {self.database} is write-protected: give another place for the store")
        folders = [self.root, self.artifacts] if self.artifacts.exists() else [self.root]
        for folder in folders:
            try:
                check_writable(folder)
            except OSError as error:
                why = f"{error.filename}: {error.strerror}"
                raise StoreError(f"the store {self.database} cannot be written: {why}") from error


@contextlib.contextmanager
def write_lock(folder: Path) -> Iterator[None]:
    """Hold the lock for writing to the store in this folder; wait while another process holds it."""
    with (folder / ".store.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


class AliveLock:
    """Locks a file from now until `end`, or until this process ends."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("a")
        fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def end(self) -> None:
        """Unlock and remove the file."""
        self._path.unlink(missing_ok=True)
        self._file.close()


def is_alive(path: Path) -> bool:
    """Whether the process that made this file with `AliveLock` still runs."""
    try:
        with path.open("r+") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False
