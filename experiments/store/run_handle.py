"""A run in progress, and the three ways in which it can end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.store import writer
from experiments.store.artifacts import CURVE_FILE, RESULT_FILE, copy_files, read_curve, write_all
from experiments.store.database import Status
from experiments.store.errors import StoreError
from experiments.store.finished_run import FinishedRun, find_runs
from experiments.store.paths import AliveLock, StorePaths
from experiments.store.serialize import TAG_LENGTH, metric_points, plain

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
        Folder of the run's artifacts; it exists.
    """

    def __init__(
        self, paths: StorePaths, run_id: str, key: str, name: str, started: int, mirror: Mirror | None = None
    ) -> None:
        self.run_id = run_id
        self.key = key
        self.name = name
        self.directory = paths.directory(run_id)
        self._paths = paths
        self._started = started
        self._mirror = mirror
        self._open = True
        self.directory.mkdir(parents=True, exist_ok=True)
        self._alive = AliveLock(paths.alive_file(run_id))

    @property
    def result_path(self) -> Path:
        """Path of result.json, which is written when the run ends."""
        return self.directory / RESULT_FILE

    def finish(self, result: Mapping[str, Any], curve: pd.DataFrame, files: Sequence[Path] = ()) -> FinishedRun:
        """Record the run as finished, so that `Store.find_finished` finds it.

        Parameters
        ----------
        result : mapping
            Content of result.json. ``key``, ``status`` and ``artifacts`` (file name to SHA-256) are added; numbers that
            are not finite become null.
        curve : DataFrame
            A curve (`experiments.curve`): all points go to curve.parquet, at most 300 to mlflow.
        files : sequence of Path
            Further files, copied under their own names.

        Raises
        ------
        StoreError
            `curve` is not a curve, a file is missing or its name is in use, the store cannot be written, or the run has
            already ended. The run is then not finished and can be ended by `fail`.
        """
        self._end("finished", result, curve, files)
        found = find_runs(self._paths, [self.key]).get(self.key)
        if found is None:
            raise StoreError(f"the record of run {self.name} was damaged while it was written: {self.directory}")
        return found

    def interrupt(self, result: Mapping[str, Any], curve: pd.DataFrame, files: Sequence[Path] = ()) -> None:
        """Record the run as interrupted, with what it has reached; parameters as in `finish`."""
        self._end("interrupted", result, curve, files)

    def fail(self, message: str) -> None:
        """Record the run as failed, with the reason."""
        self._end("failed", {"error": message}, tags={"error": message[:TAG_LENGTH]})

    def store_fetched(self, files: Mapping[str, bytes], ended: int) -> None:
        """Record as finished the run of another machine.

        Parameters
        ----------
        files : mapping of str to bytes
            Content of all of the run's files; their checksums match.
        ended : int
            When it ended, in milliseconds since 1970.

        Raises
        ------
        StoreError
            The curve cannot be read, or the store cannot be written.
        """
        try:
            curve = read_curve(files[CURVE_FILE])
            checksum = copy_files(self.directory, files)
        except (OSError, ValueError) as error:
            raise StoreError(f"the record of run {self.name} cannot be written: {error}") from error
        self._close("finished", checksum, curve, ended=ended)

    def upload(self) -> str:
        """Upload this run, which has ended, if the store has a server.

        Returns
        -------
        str
            Why it is not on the server, or what differs there, and what to do; empty if the upload succeeded.
        """
        return "" if self._mirror is None else self._mirror.upload(self.run_id)

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
        content = {**own, **plain(result, "result"), **own}  # first for the order, last for the values
        try:
            checksum = write_all(self.directory, content, curve, files)
        except (OSError, ValueError) as error:
            raise StoreError(f"the record of run {self.name} cannot be written: {error}") from error
        self._close(status, checksum, curve, tags)

    def _close(
        self,
        status: Status,
        checksum: str,
        curve: pd.DataFrame | None,
        tags: Mapping[str, str] | None = None,
        ended: int | None = None,
    ) -> None:
        metrics = metric_points(curve, self._started) if curve is not None else []
        writer.close(self._paths, self.run_id, status, metrics, {**(tags or {}), "result_sha256": checksum}, ended)
        self._open = False
        self._alive.end()
