"""What the rest of the program sees of the store."""

from __future__ import annotations

import contextlib
import re
import shlex
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from experiments.store import mlflow_writer, schema
from experiments.store.database import experiment, finished, running
from experiments.store.errors import StoreError, reason
from experiments.store.finished import FinishedRun, find, load
from experiments.store.handle import RunHandle
from experiments.store.locks import is_alive
from experiments.store.mirror import Mirror, address_of, spool_of, sync_command
from experiments.store.place import Place
from experiments.store.server import SPOOL_RUN, Server
from experiments.store.texts import PARAM_LENGTH, TAG_LENGTH, allowed, entries
from support.files import LOCK, remove_locks
from support.locks import locked

OWN_TAGS = ("key", "status", "result_sha256", "error")
"""Tags that the store writes itself."""


class Store:
    """The runs recorded in one folder. Make it with `Store.open`.

    Attributes
    ----------
    database : Path
        mlflow's sqlite database.
    root : Path
        The folder.
    artifacts : Path
        Folder of all runs' artifacts.
    uri : str
        Tracking URI for mlflow, with an absolute path.
    address : str or None
        That of the server that this store is the spool of.
    """

    def __init__(self, place: Place, mirror: Mirror | None = None, *, read_only: bool = False) -> None:
        self._place = place
        self._mirror = mirror
        self._read_only = read_only
        self.address = mirror and mirror.server.address
        self.database = place.database
        self.root = place.root
        self.artifacts = place.artifacts
        self.uri = place.uri

    @classmethod
    def open(cls, place: str | Path, *, read_only: bool = False, server: str | None = None) -> Store:
        """Open a store, or name the place of one that the first run will create. Writes nothing on this machine.

        Parameters
        ----------
        place : str or Path
            A folder (the database is its ``mlflow.db``), a database file ending in ``.db``, or
            ``sqlite:///<path of the database file>``. Relative paths start at the working directory.
        read_only : bool
            Do not ask for permission to write: for figures made from somebody else's store.
        server : str, optional
            Address of an mlflow tracking server that shares the runs. The store is then that server's spool, a folder
            below `place`: what it finishes is uploaded (`RunHandle.share`), what it lacks is fetched. The server
            must answer once; when it goes away afterwards, runs are kept here.

        Raises
        ------
        StoreError
            `place` is not of these forms, cannot be read or written, or holds something else: another kind of file, the
            database of another version of mlflow, a store of another version of this project. The server cannot be
            used.
        """
        paths = Place.named(place)
        try:
            return cls._opened(paths, read_only, server)
        except OSError as error:
            raise StoreError(f"the store {paths.database} cannot be read: {error.strerror or error}") from error

    @classmethod
    def _opened(cls, paths: Place, read_only: bool, server: str | None) -> Store:
        mirror = None
        if server is not None:
            shared = Server(server)
            paths = Place.named(spool_of(paths.root, shared))
            mirror = Mirror(paths, shared)
            if address_of(paths.root) not in (None, shared.address):
                raise StoreError(f"{paths.root} is the spool of {address_of(paths.root)}, not of {shared.address}")
            try:
                shared.ask()
            except StoreError as error:
                raise StoreError(
                    f"{error}; start it (docs/server.md), or record on this machine by store=local "
                    f"store.root={paths.root} and upload later by {sync_command(paths.root, shared.address)}"
                ) from error
        if paths.database.exists():
            schema.check(paths)
        if not read_only:
            paths.check_writable()
        return cls(paths, mirror, read_only=read_only)

    def ui_command(self) -> str:
        """Command that opens the mlflow UI on this store.

        With mlflow's defaults (four workers and a job queue) the UI is fifteen processes and 1.9 GB; so it is two.
        """
        uri = shlex.quote(self.uri)
        return f"MLFLOW_SERVER_ENABLE_JOB_EXECUTION=false mlflow ui --workers 1 --backend-store-uri {uri}"

    def ui_address(self, port: int = 5000) -> str | None:
        """Address of the page with the runs, in the UI that runs at a port of this machine; None without a store."""
        known = experiment(self._place) if self.database.exists() else None
        return None if known is None else f"http://127.0.0.1:{port}/#/experiments/{known[0]}/runs"

    def create(self) -> None:
        """Create the store if it is not there yet. Any number of processes may do so at once.

        Raises
        ------
        StoreError
            The place cannot be written, or holds something else.
        """
        with mlflow_writer.writing(self._place):
            mlflow_writer.create(self._place)
        if self._mirror:
            self._mirror.remember()

    def find_finished(self, key: str) -> FinishedRun | None:
        """Return the newest finished run with this key whose result and curve are intact; None when there is none.

        What the server has and this machine has not is fetched; a store that is opened for reading only tells of it
        without result and files. A server that has gone away has nothing.
        """
        return self.find_all_finished([key]).get(key)

    def find_all_finished(self, keys: Collection[str]) -> dict[str, FinishedRun]:
        """Return by its key what `find_finished` would for each of the keys, without those that it finds nothing of.

        The database is read once for every `database.KEYS_AT_ONCE` keys.
        """
        found = find(self._place, keys)
        elsewhere = {key: self._on_server(key) for key in dict.fromkeys(keys) if self._mirror and key not in found}
        return found | {key: run for key, run in elsewhere.items() if run is not None}

    def _on_server(self, key: str) -> FinishedRun | None:
        """Return what the server has finished with a key, fetched unless this store is opened for reading only."""
        if self._mirror is None or not self._mirror.may_have(key, at_once=self._read_only):
            return None
        if self._read_only:
            return FinishedRun("", key, "", {}, self._place.artifacts, {}, {})
        return self._fetched(self._mirror, key)

    def runs(self, **filters: Any) -> list[FinishedRun]:
        """Finished runs of this machine, one per key (the newest), ordered by name and key.

        Parameters
        ----------
        **filters
            Tag or parameter (a tag wins) and its value, or a list, tuple, set or range of allowed values. Values are
            compared as recorded: ``runs(algo=["sbp", "smo"], seed=range(3), **{"problem.bias": False})``.
        """
        wanted = {name: allowed(value) for name, value in filters.items()}
        found: dict[str, FinishedRun] = {}
        for row in finished(self._place):
            recorded = row.params | row.tags
            matches = all(recorded.get(name) in values for name, values in wanted.items())
            if matches and row.key not in found and (run := load(self._place, row)):
                found[row.key] = run
        return sorted(found.values(), key=lambda run: (run.name, run.key))

    def warm_up(self) -> None:
        """Load beside other work what `begin` needs, which takes seconds the first time in a process."""
        threading.Thread(target=mlflow_writer.load, name="load mlflow", daemon=True).start()

    def begin(self, key: str, name: str, params: Mapping[str, Any], tags: Mapping[str, Any]) -> RunHandle:
        """Record that a run begins. Runs of the same key that a killed process left behind are closed as killed.

        Parameters
        ----------
        key : str
            Identity of the run.
        name : str
            Name shown in the mlflow UI.
        params : mapping
            Settings; nested mappings are flattened with dots. Values are cut at 6000 characters; characters that
            mlflow does not allow in a name become ``_``.
        tags : mapping
            Where the run comes from and what it is for (`experiments.provenance.as_tags`, paper, figure). None is left
            out.

        Returns
        -------
        RunHandle
            Close it by one of `RunHandle.finish`, `RunHandle.interrupt`, `RunHandle.fail`.

        Raises
        ------
        StoreError
            The store cannot be written, the key is malformed, or `tags` sets a tag of the store's own.
        """
        if not re.fullmatch(r"[0-9A-Za-z_-]{1,64}", key):
            raise StoreError(f"a run's key must be 1 to 64 letters, digits, '_' or '-', got {key!r}")
        if reserved := sorted(set(OWN_TAGS) & set(tags)):
            raise StoreError(f"the tag {reserved[0]!r} is written by the store itself")
        flat_params = entries(params, PARAM_LENGTH)
        flat_tags = entries({tag: value for tag, value in tags.items() if value is not None}, TAG_LENGTH)
        return self._begin(key, name, flat_params, flat_tags)

    @contextlib.contextmanager
    def computing(self, key: str, tell: Callable[[str], None]) -> Iterator[FinishedRun | None]:
        """Keep other processes from making the run of this key; wait while one of them does.

        The lock is a file of the store's folder. It holds for the processes of one machine, and of several machines
        that share the folder; machines that share a server alone may make a run twice, and the server keeps the first.
        Ctrl-C ends the wait.

        Parameters
        ----------
        key : str
        tell : callable
            Told, once, for whom this process waits: ``process 123 on HOST``.

        Yields
        ------
        FinishedRun or None
            What another process has finished here since the run was looked up.

        Raises
        ------
        StoreError
            The store cannot be written.
        """
        folder, stack = self.root / "locks", contextlib.ExitStack()
        new = [path for path in (folder, self.root) if path == folder or not path.exists()]
        try:
            _enter_lock(folder, key, tell, stack)
        except OSError as error:
            raise StoreError(f"the store {self.database} cannot be written: {reason(error)}") from error
        try:
            with stack:
                yield find(self._place, [key]).get(key)
        finally:
            with contextlib.suppress(OSError):  # not empty: others are at work, or the run has left something
                for path in new:
                    path.rmdir()

    def close_dead(self) -> None:
        """Record as killed the runs whose processes have gone without a word.

        On a folder that several machines share, a lock tells of processes on any of them.

        Raises
        ------
        StoreError
            The store cannot be written.
        """
        # mlflow is imported only if there is something to do
        if self.database.exists() and any(not is_alive(self._place.alive_file(run)) for run in running(self._place)):
            with mlflow_writer.writing(self._place):
                mlflow_writer.close_dead(self._place)

    def share(self, run: FinishedRun) -> str:
        """Upload a run that was found here, if the server lacks it; see `RunHandle.share`."""
        return "" if self._mirror is None else self._mirror.share(run.run_id)

    def _begin(
        self, key: str, name: str, params: Mapping[str, str], tags: Mapping[str, str], began: int | None = None
    ) -> RunHandle:
        if self._mirror:
            self._mirror.remember()
        with mlflow_writer.writing(self._place):
            run_id, started = mlflow_writer.begin(self._place, key, name, params, tags, began)
            # locks its sign of life before others can look
            return RunHandle(self._place, run_id, key, name, started, self._mirror)

    def _fetched(self, mirror: Mirror, key: str) -> FinishedRun | None:
        """Copy a run from the server to here."""
        found = mirror.fetch(key)
        if found is None:
            return None
        run, files = found
        tags = {name: value for name, value in run.tags.items() if name not in (*OWN_TAGS, SPOOL_RUN)}
        self._begin(key, run.name, run.params, tags, run.started).adopt(files)
        return find(self._place, [key]).get(key)


def _enter_lock(folder: Path, key: str, tell: Callable[[str], None], stack: contextlib.ExitStack) -> None:
    """Take the lock of a key, in a folder that another process may remove when it leaves it empty."""
    while True:
        folder.mkdir(parents=True, exist_ok=True)
        remove_locks(folder)
        with contextlib.suppress(FileNotFoundError):
            stack.enter_context(locked(folder / f"{key}{LOCK}", tell))
            return
