"""Where a store is, what is where in it, and whether one may write there."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from experiments.store.errors import StoreError
from support.files import check_writable


@dataclass(frozen=True)
class Place:
    """The paths of a store, which need not exist.

    Attributes
    ----------
    database : Path
        mlflow's sqlite database, an absolute path without links.
    """

    database: Path

    @classmethod
    def named(cls, name: str | Path) -> Place:
        """Place from a folder, a file ending in ``.db``, or ``sqlite:///<path of the database file>``.

        Raises
        ------
        StoreError
            `name` has another form, or a character that an address cannot have.
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
        if bad := sorted(set(str(path)) & set("?#%")):
            raise StoreError(f"the store's path {path} contains {bad[0]!r}, which means something else in an address")
        return cls(path)

    @property
    def root(self) -> Path:
        """Folder that everything is in."""
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
        """File that is locked as long as the run is computed."""
        return self.artifacts / run_id / "alive"

    def check_writable(self) -> None:
        """Refuse a place that cannot be written, without leaving a trace in it.

        Raises
        ------
        StoreError
            Which file or folder refuses, and why.
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
