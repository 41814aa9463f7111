"""Runs of a store of this machine, its spool, and the same runs on a server that several machines share.

A run is begun, computed and ended in the spool, as in any store; then it is uploaded. The server may go away meanwhile:
what it lacks is uploaded later, by the same calls.

**One finished run for each key.** A run comes with the status ``uploading`` and gets its own last, so that nothing half
uploaded is found. What the server has finished is never replaced: a second run of the key that says the same is not
uploaded, one that says something else becomes ``differs``. Two machines may upload a key at the same moment; so each
looks again afterwards, and whoever then sees two finished leaves only the first begun. A finished run whose
files are not what its checksums say becomes ``damaged``, and makes room.
"""

from __future__ import annotations

import enum
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.store import mlflow_writer
from experiments.store.agreement import agree
from experiments.store.artifacts import CURVE_FILE, RESULT_FILE, parse_intact, read_curve, sha256
from experiments.store.database import Row, Status, ended
from experiments.store.errors import StoreError
from experiments.store.finished import load
from experiments.store.locks import exclusive
from experiments.store.metrics import points
from experiments.store.place import Place
from experiments.store.server import SPOOL_RUN, Server, ServerRun

if TYPE_CHECKING:
    import pandas as pd

FOLDER = "servers"
"""Folder below a store's in which the spools of servers are."""

ADDRESS_FILE = "server"
"""File of a spool with the address of its server."""


class Fate(enum.Enum):
    """What became of an upload."""

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

    def __init__(self, place: Place, server: Server) -> None:
        self.server = server
        self._place = place
        self._known: frozenset[str] | None = None
        self._asked = 0
        self._lost = False  # it has gone away

    def remember(self) -> None:
        """Note in the spool which server it belongs to."""
        path = self._place.root / ADDRESS_FILE
        try:
            if address_of(self._place.root) is None:
                self._place.root.mkdir(parents=True, exist_ok=True)
                path.write_text(f"{self.server.address}\n", encoding="utf-8")
        except OSError as error:
            raise StoreError(f"the spool {path} cannot be written: {error.strerror}") from error

    def share(self, run_id: str) -> str:
        """Upload a run that has ended; never raises.

        Returns
        -------
        str
            Why it is not on the server, or not alone there, and what to do; empty where nothing is to be said.
        """
        try:
            rows = list(ended(self._place, run_id))
            fates = [self.publish(row) for row in rows]
        except (StoreError, OSError, ValueError, KeyboardInterrupt) as error:
            why = "stopped by Ctrl-C" if isinstance(error, KeyboardInterrupt) else str(error)
            return f"{why}; the run is kept, and uploaded by: {sync_command(self._place.root)}"
        return self.conflict(rows[0]) if Fate.DIFFERS in fates else ""

    def conflict(self, row: Row) -> str:
        """Say that the server has another result for a run's key."""
        return (
            f"the server {self.server.address} has a finished run of key {row.key} with another result: both are kept, "
            f"this one there with the status differs, and here as {self._place.directory(row.run_id)}"
        )

    def publish(self, row: Row) -> Fate:
        """Upload a run, unless the server has it, or one of its key that says the same.

        Raises
        ------
        StoreError
            The server cannot be reached or written. Nothing of the run counts on it.
        """
        folder = self._place.artifacts / row.run_id
        if not folder.is_dir():
            return Fate.DAMAGED
        with exclusive(folder):
            before = self.server.runs(key=row.key)
            mine = [run for run in before if run.tags.get(SPOOL_RUN) == row.run_id]
            for run in mine:
                if run.status != "uploading":
                    return Fate.DIFFERS if run.status == "differs" else Fate.THERE
            try:
                curve = self._curve(row)
            except (OSError, ValueError):
                return Fate.DAMAGED
            if row.tags["status"] != "finished":
                self._upload(row, curve, mine, row.tags["status"])
                return Fate.UPLOADED
            if curve is None or load(self._place, row) is None:
                return Fate.DAMAGED
            judged = self._judged([run for run in before if run.status == "finished"], curve)
            if judged is Fate.THERE:
                return judged
            run_id = self._upload(row, curve, mine, "finished" if judged is None else "differs")
            return judged or self._settle(row, run_id)

    def may_have(self, key: str, *, at_once: bool) -> bool:
        """Whether it is worth while to fetch a run.

        Whoever asks for a second key will ask for hundreds: from then on, or `at_once`, the keys of all finished
        runs are known from few large answers.
        """
        self._asked += 1
        if self._known is None and (self._asked > 1 or at_once):
            try:
                self._known = self.server.finished_keys()
            except StoreError:
                self._known, self._lost = frozenset(), True
        return not self._lost and (self._known is None or key in self._known)

    def fetch(self, key: str) -> tuple[ServerRun, dict[str, bytes]] | None:
        """Return a finished run of the server, with all of its files, if they are what their checksums say.

        A server that has gone away has none: that is said when the run is uploaded.
        """
        try:
            for run in self.server.runs(key=key, status="finished"):
                files = self._files(run)
                if files is not None and _is_curve(files[CURVE_FILE]):
                    return run, files
        except StoreError:
            self._lost = True
        return None

    def _files(self, run: ServerRun, *, only_curve: bool = False) -> dict[str, bytes] | None:
        text = self.server.file(run.run_id, RESULT_FILE)
        result = None if text is None else parse_intact(text, run.tags.get("result_sha256"))
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
        path = self._place.directory(row.run_id) / CURVE_FILE
        return read_curve(path) if path.exists() else None

    def _judged(self, others: list[ServerRun], curve: pd.DataFrame) -> Fate | None:
        """Compare a curve with those of finished runs of its key: None where there is none that is intact."""
        for other in others:
            files = self._files(other, only_curve=True)
            if files is None:
                self._demote(other, "damaged")
            else:
                return Fate.THERE if agree(curve, read_curve(files[CURVE_FILE])) else Fate.DIFFERS
        return None

    def _upload(self, row: Row, curve: pd.DataFrame | None, begun: list[ServerRun], status: str) -> str:
        """Send a run, or the rest of one that was begun, its status last; return its identifier on the server."""
        metrics = [] if curve is None else points(curve, row.started)
        tags = {**row.tags, SPOOL_RUN: row.run_id, "status": "uploading"}
        own: Status = row.tags["status"]  # type: ignore[assignment]
        with mlflow_writer.sending(self.server.address) as sending:
            run_id = begun[0].run_id if begun else sending.begin(self.server.experiment(), row.name, row.started, tags)
            sending.fill(run_id, row.params, metrics, self._place.directory(row.run_id))
            sending.end(run_id, row.ended, own)
            sending.tag(run_id, "status", status)
        return run_id

    def _settle(self, row: Row, run_id: str) -> Fate:
        """Leave one finished run of a key, the first begun; return what that makes of the one just uploaded."""
        first, *others = self.server.runs(key=row.key, status="finished")
        fate = Fate.UPLOADED
        for other in others:
            same = self._same(first, other)
            self._demote(other, "duplicate" if same else "differs")
            if other.run_id == run_id:
                fate = Fate.THERE if same else Fate.DIFFERS
        return fate

    def _same(self, one: ServerRun, other: ServerRun) -> bool:
        mine, theirs = (self._files(run, only_curve=True) for run in (one, other))
        if mine is None or theirs is None:
            return False
        return agree(read_curve(mine[CURVE_FILE]), read_curve(theirs[CURVE_FILE]))

    def _demote(self, run: ServerRun, status: str) -> None:
        with mlflow_writer.sending(self.server.address) as sending:
            sending.tag(run.run_id, "status", status)


def _is_curve(content: bytes) -> bool:
    """Whether it can be read here: a later version of this program may have more columns."""
    try:
        read_curve(content)
    except (OSError, ValueError):
        return False
    return True


def spool_of(root: Path, server: Server) -> Path:
    """Folder of a server's spool, below the folder of a store."""
    return root / FOLDER / server.folder_name


def address_of(folder: Path) -> str | None:
    """Address of the server that a folder is the spool of; None if it is no spool."""
    try:
        return (folder / ADDRESS_FILE).read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return None


def sync_command(folder: Path, address: str = "") -> str:
    """Command that uploads what a server lacks of its spool; with its address where the spool may not know it."""
    return shlex.join(["python", "-m", "experiments.store", "sync", str(folder), *filter(None, [address])])
