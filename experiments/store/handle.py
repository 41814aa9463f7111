"""A run in progress, and the three ways in which it can end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.store import mlflow_writer
from experiments.store.artifacts import CURVE_FILE, RESULT_FILE, keep_all, read_curve, write_all
from experiments.store.database import Status
from experiments.store.errors import StoreError
from experiments.store.finished import FinishedRun, find
from experiments.store.locks import SignOfLife
from experiments.store.metrics import points
from experiments.store.place import Place
from experiments.store.texts import TAG_LENGTH, plain

if TYPE_CHECKING:
    import pandas as pd

    from experiments.store.mirror import Mirror


class RunHandle:
    """A run in progress. It ends with `finish`, `interrupt` or `fail`; if its process dies first, it counts as killed.

    Attributes
    ----------
    run_id : str
        mlflow's identifier.
    key, name : str
        As given to `Store.begin`.
    directory : Path
        Folder of the run's artifacts (it exists from the beginning).
    """

    def __init__(
        self, place: Place, run_id: str, key: str, name: str, started: int, mirror: Mirror | None = None
    ) -> None:
        self.run_id = run_id
        self.key = key
        self.name = name
        self.directory = place.directory(run_id)
        self._place = place
        self._started = started
        self._mirror = mirror
        self._open = True
        self.directory.mkdir(parents=True, exist_ok=True)
        self._alive = SignOfLife(place.alive_file(run_id))

    @property
    def result_path(self) -> Path:
        """Path of result.json, which is there once the run has ended."""
        return self.directory / RESULT_FILE

    def finish(self, result: Mapping[str, Any], curve: pd.DataFrame, files: Sequence[Path] = ()) -> FinishedRun:
        """Record the run as finished: from now on `Store.find_finished` finds it.

        Parameters
        ----------
        result : mapping
            Content of result.json. ``key``, ``status`` and ``artifacts`` (file name to SHA-256) are put in here;
            numbers that are not finite become null.
        curve : DataFrame
            A curve (`experiments.curve`). All of it goes to curve.parquet, at most 300 points of it to mlflow.
        files : sequence of Path
            Further files to keep beside these, by their own names.

        Raises
        ------
        StoreError
            The curve is not one, a file is missing or has a name in use, the store cannot be written, or the run has
            already ended. The run is then not finished, and can still be closed by `fail`.
        """
        self._end("finished", result, curve, files)
        found = find(self._place, [self.key]).get(self.key)
        if found is None:
            raise StoreError(f"the record of run {self.name} was damaged while it was written: {self.directory}")
        return found

    def interrupt(self, result: Mapping[str, Any], curve: pd.DataFrame, files: Sequence[Path] = ()) -> None:
        """Record what an interrupted run has reached. It does not count as finished. See `finish`."""
        self._end("interrupted", result, curve, files)

    def fail(self, message: str) -> None:
        """Record that the run failed, and why."""
        self._end("failed", {"error": message}, tags={"error": message[:TAG_LENGTH]})

    def adopt(self, files: Mapping[str, bytes]) -> None:
        """Record as finished what another machine has computed.

        Parameters
        ----------
        files : mapping of str to bytes
            All of the run's files, byte for byte, whose checksums have been compared.

        Raises
        ------
        StoreError
            The curve cannot be read, or the store cannot be written.
        """
        try:
            curve = read_curve(files[CURVE_FILE])
            checksum = keep_all(self.directory, files)
        except (OSError, ValueError) as error:
            raise StoreError(f"the record of run {self.name} cannot be written: {error}") from error
        self._close("finished", checksum, curve)

    def share(self) -> str:
        """Upload the record of this run, which has ended, to the server, if the store has one.

        Returns
        -------
        str
            Why it is not there, or not alone there, and what to do; empty where nothing is to be said.
        """
        return "" if self._mirror is None else self._mirror.share(self.run_id)

    def _end(
        self,
        status: Status,
        result: Mapping[str, Any],
        curve: pd.DataFrame | None = None,
        files: Sequence[Path] = (),
        tags: Mapping[str, str] | None = None,
    ) -> None:
        if not self._open:
            raise StoreError(f"run {self.name} has already ended")
        own = {"key": self.key, "status": status}
        content = {**own, **plain(result, "result"), **own}  # once for their position, once for their values
        try:
            checksum = write_all(self.directory, content, curve, files)
        except (OSError, ValueError) as error:
            raise StoreError(f"the record of run {self.name} cannot be written: {error}") from error
        self._close(status, checksum, curve, tags)

    def _close(
        self, status: Status, checksum: str, curve: pd.DataFrame | None, tags: Mapping[str, str] | None = None
    ) -> None:
        metrics = points(curve, self._started) if curve is not None else []
        mlflow_writer.close(self._place, self.run_id, status, metrics, {**(tags or {}), "result_sha256": checksum})
        self._open = False
        self._alive.end()
