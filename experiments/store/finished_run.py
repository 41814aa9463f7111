"""A finished run: its row in the database and its artifacts, whose checksums must match."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.store.artifacts import CURVE_FILE, RESULT_FILE, read_curve, read_verified
from experiments.store.database import Row, finished_rows
from experiments.store.errors import StoreError
from experiments.store.paths import StorePaths

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class FinishedRun:
    """A finished run.

    Attributes
    ----------
    run_id : str
        mlflow's identifier.
    key : str
        Identity of the run (`experiments.run.identity.run_key`).
    name : str
        Name shown in the mlflow UI.
    result : dict
        Content of result.json.
    directory : Path
        Folder of the run's artifacts.
    tags, params : dict of str to str
        Without mlflow's own tags.
    """

    run_id: str
    key: str
    name: str
    result: dict[str, Any]
    directory: Path
    tags: dict[str, str]
    params: dict[str, str]

    @property
    def result_path(self) -> Path:
        """Path of result.json."""
        return self.directory / RESULT_FILE

    @property
    def alone(self) -> bool:
        """Whether its command made one run at a time; False if the record does not say it."""
        return bool(self.result.get("provenance", {}).get("jobs") == 1)

    @cached_property
    def curve(self) -> pd.DataFrame:
        """The full curve (`experiments.curve`), read on first access.

        Raises
        ------
        StoreError
            The file was lost or damaged after the lookup.
        """
        path = self.directory / CURVE_FILE
        try:
            return read_curve(path)
        except (OSError, ValueError) as error:
            raise StoreError(f"the curve of run {self.name} cannot be read from {path}: {error}") from error


def load_run(paths: StorePaths, row: Row) -> FinishedRun | None:
    """Return the run with its artifacts; None if their checksums do not match."""
    directory = paths.directory(row.run_id)
    result = read_verified(directory, row.tags.get("result_sha256"))
    if result is None:
        return None
    return FinishedRun(row.run_id, row.key, row.name, result, directory, row.tags, row.params)


def find_runs(paths: StorePaths, keys: Collection[str]) -> dict[str, FinishedRun]:
    """Return the newest intact run of each key that has one."""
    found: dict[str, FinishedRun] = {}
    for row in finished_rows(paths, keys):
        if row.key not in found and (run := load_run(paths, row)):
            found[row.key] = run
    return found
