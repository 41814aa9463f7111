"""A finished run: its row in the database together with its artifacts, which must be intact."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.store.artifacts import CURVE_FILE, RESULT_FILE, read_curve, read_intact
from experiments.store.database import Row, finished
from experiments.store.errors import StoreError
from experiments.store.place import Place

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class FinishedRun:
    """A finished run, as recorded.

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
        As recorded, without mlflow's own tags.
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

    @cached_property
    def curve(self) -> pd.DataFrame:
        """The full curve (`experiments.curve`), read when first asked for.

        Raises
        ------
        StoreError
            The file has been lost or damaged since the run was looked up.
        """
        path = self.directory / CURVE_FILE
        try:
            return read_curve(path)
        except (OSError, ValueError) as error:
            raise StoreError(f"the curve of run {self.name} cannot be read from {path}: {error}") from error


def load(place: Place, row: Row) -> FinishedRun | None:
    """Return the run with its artifacts; None if they are not exactly those that were there when it finished."""
    directory = place.directory(row.run_id)
    result = read_intact(directory, row.tags.get("result_sha256"))
    if result is None:
        return None
    return FinishedRun(row.run_id, row.key, row.name, result, directory, row.tags, row.params)


def find(place: Place, keys: Collection[str]) -> dict[str, FinishedRun]:
    """Return the newest intact run of each key that has one."""
    found: dict[str, FinishedRun] = {}
    for row in finished(place, keys):
        if row.key not in found and (run := load(place, row)):
            found[row.key] = run
    return found
