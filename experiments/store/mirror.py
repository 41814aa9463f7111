"""Uploads runs from this machine's store, the spool, to a server that several machines share, and fetches runs from it.

A run is recorded in the spool like in any store, then uploaded. If the server does not answer, the same calls upload
the run later.

**One finished run for each key.** A run is created on the server with the status ``uploading`` and gets its final
status last, so a partial upload is never found. A finished run on the server is never replaced: a second run of the
key with the same result is not uploaded, one with another result gets the status ``differs``. Two machines may upload a
key at the same moment, so each looks again after its upload: if it finds two finished runs, only the one begun first
stays finished. A finished run whose files do not match their checksums gets the status ``damaged``.
"""

from __future__ import annotations

import enum
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.store import mlflow_writer
from experiments.store.artifacts import CURVE_FILE, RESULT_FILE, parse_verified, read_curve, sha256
from experiments.store.database import Row, Status, ended_rows
from experiments.store.errors import StoreError
from experiments.store.finished_run import load_run
from experiments.store.paths import StorePaths, write_lock
from experiments.store.serialize import metric_points
from experiments.store.server import SPOOL_RUN, Server, ServerRun

if TYPE_CHECKING:
    import pandas as pd

FOLDER = "servers"
"""Subfolder of a store with the spools of servers."""

ADDRESS_FILE = "server"
"""File of a spool with the address of its server."""


DIGITS = 1e-6
"""Relative to the largest value of a curve: runs on other instruction sets round differently."""


class UploadResult(enum.Enum):
    """Result of an upload."""

    UPLOADED = "uploaded"
    THERE = "there already"
    DIFFERS = "with another result than the server's"
    DAMAGED = "damaged here"


class Mirror:
    """A spool and its server.

    Attributes
    ----------
    server : Server
    """

    def __init__(self, paths: StorePaths, server: Server) -> None:
        self.server = server
        self._paths = paths
        self._keys: frozenset[str] | None = None  # of the server's finished runs
        self._lookups = 0
        self._unreachable = False

    def record_address(self) -> None:
        """Write the server's address into the spool."""
        path = self._paths.root / ADDRESS_FILE
        try:
            if address_of(self._paths.root) is None:
                self._paths.root.mkdir(parents=True, exist_ok=True)
                path.write_text(f"{self.server.address}\n", encoding="utf-8")
        except OSError as error:
            raise StoreError(f"the spool {path} cannot be written: {error.strerror}") from error

    def upload(self, run_id: str) -> str:
        """Upload a run that has ended; never raises.

        Returns
        -------
        str
            Why it is not on the server, or what differs there, and what to do; empty if the upload succeeded.
        """
        try:
            rows = list(ended_rows(self._paths, run_id))
            results = [self.upload_run(row) for row in rows]
        except (StoreError, OSError, ValueError, KeyboardInterrupt) as error:
            why = "stopped by Ctrl-C" if isinstance(error, KeyboardInterrupt) else str(error)
            return f"{why}; the run is kept, and uploaded by: {sync_command(self._paths.root)}"
        return self.conflict(rows[0]) if UploadResult.DIFFERS in results else ""

    def conflict(self, row: Row) -> str:
        """Return the message that the server has another result for a run's key."""
        return (
            f"the server {self.server.address} has a finished run of key {row.key} with another result: both are kept, "
            f"this one there with the status differs, and here as {self._paths.directory(row.run_id)}"
        )

    def upload_run(self, row: Row) -> UploadResult:
        """Upload a run, unless the server has it or another run of its key with the same result.

        Raises
        ------
        StoreError
            The server cannot be reached or written. A partial upload has the status ``uploading``.
        """
        folder = self._paths.artifacts / row.run_id
        if not folder.is_dir():
            return UploadResult.DAMAGED
        with write_lock(folder):
            before = self.server.runs(key=row.key)
            mine = [run for run in before if run.tags.get(SPOOL_RUN) == row.run_id]
            for run in mine:
                if run.status != "uploading":
                    return UploadResult.DIFFERS if run.status == "differs" else UploadResult.THERE
            try:
                curve = self._curve(row)
            except (OSError, ValueError):
                return UploadResult.DAMAGED
            if row.tags["status"] != "finished":
                self._upload(row, curve, mine, row.tags["status"])
                return UploadResult.UPLOADED
            if curve is None or load_run(self._paths, row) is None:
                return UploadResult.DAMAGED
            judged = self._compare([run for run in before if run.status == "finished"], curve)
            if judged is UploadResult.THERE:
                return judged
            run_id = self._upload(row, curve, mine, "finished" if judged is None else "differs")
            return judged or self._keep_first(row, run_id)

    def might_have(self, key: str, *, at_once: bool) -> bool:
        """Whether the server may have a finished run of this key.

        From the second lookup on, or from the first with `at_once`, all keys are fetched in few large answers.
        """
        self._lookups += 1
        if self._keys is None and (self._lookups > 1 or at_once):
            try:
                self._keys = self.server.finished_keys()
            except StoreError:
                self._keys, self._unreachable = frozenset(), True
        return not self._unreachable and (self._keys is None or key in self._keys)

    def fetch(self, key: str) -> tuple[ServerRun, dict[str, bytes]] | None:
        """Return a finished run of the server with all of its files, if they match their checksums.

        None if the server does not answer: the upload of the run will report that.
        """
        try:
            for run in self.server.runs(key=key, status="finished"):
                files = self._files(run)
                if files is not None and _is_curve(files[CURVE_FILE]):
                    return run, files
        except StoreError:
            self._unreachable = True
        return None

    def _files(self, run: ServerRun, *, only_curve: bool = False) -> dict[str, bytes] | None:
        text = self.server.file(run.run_id, RESULT_FILE)
        result = None if text is None else parse_verified(text, run.tags.get("result_sha256"))
        if text is None or result is None:
            return None
        files = {RESULT_FILE: text}
        for name, checksum in result["artifacts"].items():
            if only_curve and name != CURVE_FILE:
                continue
            content = self.server.file(run.run_id, name) if Path(name).name == name else None
            if content is None or sha256(content) != checksum:
                return None
            files[name] = content
        return files if CURVE_FILE in files else None

    def _curve(self, row: Row) -> pd.DataFrame | None:
        path = self._paths.directory(row.run_id) / CURVE_FILE
        return read_curve(path) if path.exists() else None

    def _compare(self, others: list[ServerRun], curve: pd.DataFrame) -> UploadResult | None:
        """Compare a curve with the finished runs of its key; None if none of them is intact."""
        for other in others:
            files = self._files(other, only_curve=True)
            if files is None:
                self._set_status(other, "damaged")
            else:
                return (
                    UploadResult.THERE if same_results(curve, read_curve(files[CURVE_FILE])) else UploadResult.DIFFERS
                )
        return None

    def _upload(self, row: Row, curve: pd.DataFrame | None, begun: list[ServerRun], status: str) -> str:
        """Send a run, or the rest of a partial upload, its status last; return its identifier on the server."""
        metrics = [] if curve is None else metric_points(curve, row.started)
        tags = {**row.tags, SPOOL_RUN: row.run_id, "status": "uploading"}
        own: Status = row.tags["status"]  # type: ignore[assignment]
        with mlflow_writer.server_writer(self.server.address) as writer:
            run_id = begun[0].run_id if begun else writer.begin(self.server.experiment(), row.name, row.started, tags)
            writer.fill(run_id, row.params, metrics, self._paths.directory(row.run_id))
            writer.end(run_id, row.ended, own)
            writer.tag(run_id, "status", status)
        return run_id

    def _keep_first(self, row: Row, run_id: str) -> UploadResult:
        """Leave only the first begun run of a key finished; return the result for the run just uploaded."""
        first, *others = self.server.runs(key=row.key, status="finished")
        result = UploadResult.UPLOADED
        for other in others:
            same = self._same(first, other)
            self._set_status(other, "duplicate" if same else "differs")
            if other.run_id == run_id:
                result = UploadResult.THERE if same else UploadResult.DIFFERS
        return result

    def _same(self, one: ServerRun, other: ServerRun) -> bool:
        mine, theirs = (self._files(run, only_curve=True) for run in (one, other))
        if mine is None or theirs is None:
            return False
        return same_results(read_curve(mine[CURVE_FILE]), read_curve(theirs[CURVE_FILE]))

    def _set_status(self, run: ServerRun, status: str) -> None:
        with mlflow_writer.server_writer(self.server.address) as writer:
            writer.tag(run.run_id, "status", status)


def same_results(one: pd.DataFrame, other: pd.DataFrame) -> bool:
    """Whether two curves (`experiments.curve`) have equal counts and measures equal to six digits; times may differ."""
    import numpy as np

    from experiments.columns import COUNTS, MEASURES
    from experiments.curve import column

    if not one[list(COUNTS)].equals(other[list(COUNTS)]):
        return False
    for name in MEASURES:
        mine, theirs = column(one, name), column(other, name)
        largest = np.max(np.abs(mine), initial=0.0, where=np.isfinite(mine))
        if not np.allclose(mine, theirs, rtol=DIGITS, atol=DIGITS * largest, equal_nan=True):
            return False
    return True


def _is_curve(content: bytes) -> bool:
    """Whether this version can read the curve: a later one may have more columns."""
    try:
        read_curve(content)
    except (OSError, ValueError):
        return False
    return True


def spool_of(root: Path, server: Server) -> Path:
    """Folder of a server's spool in a store's folder."""
    return root / FOLDER / server.folder_name


def address_of(folder: Path) -> str | None:
    """Address of the server of a spool; None if the folder is not a spool."""
    try:
        return (folder / ADDRESS_FILE).read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return None


def sync_command(folder: Path, address: str = "") -> str:
    """Command that uploads a spool's missing runs; give the address if the spool may not have recorded it."""
    return shlex.join(["python", "-m", "experiments.store", "sync", str(folder), *filter(None, [address])])
