"""`Store`, the interface of this package."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from experiments.store import mlflow_writer, schema, writer
from experiments.store.artifacts import RESULT_FILE
from experiments.store.database import durations, experiment, finished_rows, reading, running_ids
from experiments.store.errors import StoreError, reason
from experiments.store.finished_run import FinishedRun, find_runs, load_run
from experiments.store.mirror import Mirror, address_of, spool_of, sync_command
from experiments.store.paths import StorePaths, is_alive
from experiments.store.run_handle import RunHandle
from experiments.store.serialize import PARAM_LENGTH, TAG_LENGTH, filter_texts, flat_texts
from experiments.store.server import SPOOL_RUN, Server
from support.files import LOCK, remove_locks
from support.locks import locked

OWN_TAGS = ("key", "status", "result_sha256", "error")
"""Tags that the store writes itself."""


class Store:
    """The runs recorded in one folder. Open it with `Store.open`.

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
        Address of the server, if this store is a spool.
    """

    def __init__(self, location: StorePaths, mirror: Mirror | None = None, *, read_only: bool = False) -> None:
        self._paths = location
        self._mirror = mirror
        self._read_only = read_only
        self.address = mirror and mirror.server.address
        self.database = location.database
        self.root = location.root
        self.artifacts = location.artifacts
        self.uri = location.uri

    @classmethod
    def open(cls, location: str | Path, *, read_only: bool = False, server: str | None = None) -> Store:
        """Open a store that exists, or that the first run will create. Writes nothing on this machine.

        Parameters
        ----------
        location : str or Path
            A folder (the database is its ``mlflow.db``), a database file ending in ``.db``, or
            ``sqlite:///<path of the database file>``. Relative paths start at the working directory.
        read_only : bool
            Skip the check that the store can be written.
        server : str, optional
            Address of an mlflow tracking server that shares the runs. The store is then that server's spool, a folder
            below `location`: finished runs are uploaded (`RunHandle.upload`), missing runs are fetched. The server must
            answer now; if it stops answering later, runs stay in the spool.

        Raises
        ------
        StoreError
            `location` has another form, cannot be read or written, or holds another kind of file, a database of
            another version of mlflow, or a store of another version of this project. The server cannot be used.
        """
        paths = StorePaths.parse(location)
        try:
            return cls._open(paths, read_only, server)
        except OSError as error:
            raise StoreError(f"the store {paths.database} cannot be read: {error.strerror or error}") from error

    @classmethod
    def _open(cls, paths: StorePaths, read_only: bool, server: str | None) -> Store:
        mirror = None
        if server is not None:
            shared = Server(server)
            paths = StorePaths.parse(spool_of(paths.root, shared))
            mirror = Mirror(paths, shared)
            if address_of(paths.root) not in (None, shared.address):
                raise StoreError(f"{paths.root} is the spool of {address_of(paths.root)}, not of {shared.address}")
            try:
                shared.check_reachable()
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

        mlflow's defaults (four workers and a job queue) start fifteen processes with 1.9 GB; these options start two.
        """
        uri = shlex.quote(self.uri)
        return f"MLFLOW_SERVER_ENABLE_JOB_EXECUTION=false mlflow ui --workers 1 --backend-store-uri {uri}"

    def ui_address(self, port: int = 5000) -> str | None:
        """Address of the page with the runs in the UI at a port of this machine; None without a store."""
        if not self.database.exists():
            return None
        with reading(self._paths) as connection:
            known = experiment(self._paths, connection)
        return None if known is None else f"http://127.0.0.1:{port}/#/experiments/{known[0]}/runs"

    def create(self) -> None:
        """Create the store if it does not exist. Any number of processes may call this at once.

        Raises
        ------
        StoreError
            The folder cannot be written, or holds something else.
        """
        with writer.writing(self._paths, create=True):
            pass
        if self._mirror:
            self._mirror.record_address()

    def find_finished(self, key: str) -> FinishedRun | None:
        """Return the newest finished run with this key whose result and curve are intact; None if there is none.

        A run that only the server has is fetched; a store opened with `read_only` returns it without result and files.
        A server that does not answer counts as empty.
        """
        return self.find_all_finished([key]).get(key)

    def find_all_finished(self, keys: Collection[str]) -> dict[str, FinishedRun]:
        """Return the run that `find_finished` finds for each key; keys without a run are missing from the result.

        The database is read once for `database.KEYS_AT_ONCE` keys.
        """
        found = find_runs(self._paths, keys)
        elsewhere = {key: self._on_server(key) for key in dict.fromkeys(keys) if self._mirror and key not in found}
        return found | {key: run for key, run in elsewhere.items() if run is not None}

    def _on_server(self, key: str) -> FinishedRun | None:
        """Return the server's finished run of a key, fetched unless this store is read-only."""
        if self._mirror is None or not self._mirror.might_have(key, at_once=self._read_only):
            return None
        if self._read_only:
            return FinishedRun("", key, "", {}, self._paths.artifacts, {}, {})
        return self._fetch(self._mirror, key)

    def runs(self, **filters: Any) -> list[FinishedRun]:
        """Return the finished runs of this machine, the newest of each key, ordered by name and key.

        Parameters
        ----------
        **filters
            Tag or parameter (a tag wins) and its value, or a list, tuple, set or range of allowed values. Values are
            compared as recorded: ``runs(algo=["sbp", "smo"], seed=range(3), **{"problem.bias": False})``.
        """
        wanted = {name: filter_texts(value) for name, value in filters.items()}
        found: dict[str, FinishedRun] = {}
        for row in finished_rows(self._paths):
            recorded = row.params | row.tags
            matches = all(recorded.get(name) in values for name, values in wanted.items())
            if matches and row.key not in found and (run := load_run(self._paths, row)):
                found[row.key] = run
        return sorted(found.values(), key=lambda run: (run.name, run.key))

    def durations(self, cpu: str) -> dict[tuple[str, str], list[tuple[Path, float]]]:
        """Return how long the finished runs of this machine's model of processor took, by solver and data set.

        Parameters
        ----------
        cpu : str
            `experiments.provenance.cpu_model`.

        Returns
        -------
        dict
            Solver and data set to pairs of result.json and the wall seconds from the begin of the record to its end.
        """
        found: dict[tuple[str, str], list[tuple[Path, float]]] = {}
        for algo, dataset, run_id, seconds in durations(self._paths, cpu):
            found.setdefault((algo, dataset), []).append((self._paths.directory(run_id) / RESULT_FILE, seconds))
        return found

    def warm_up(self) -> None:
        """Import mlflow in a thread if there is a server: the first upload of a process would take seconds for it."""
        if self._mirror:
            threading.Thread(target=mlflow_writer.load, name="load mlflow", daemon=True).start()

    def begin(self, key: str, name: str, params: Mapping[str, Any], tags: Mapping[str, Any]) -> RunHandle:
        """Record that a run begins. Runs of the same key whose processes were killed are recorded as killed.

        Parameters
        ----------
        key : str
            Identity of the run.
        name : str
            Name shown in the mlflow UI.
        params : mapping
            Settings; nested mappings are flattened with dots. Values are cut at 6000 characters; characters that mlflow
            does not allow in a name become ``_``.
        tags : mapping
            Origin and purpose of the run (`experiments.provenance.as_tags`, paper, figure). None is left out.

        Returns
        -------
        RunHandle
            End it by `RunHandle.finish`, `RunHandle.interrupt` or `RunHandle.fail`.

        Raises
        ------
        StoreError
            The store cannot be written, the key is malformed, or `tags` sets a tag of the store's own.
        """
        if not re.fullmatch(r"[0-9A-Za-z_-]{1,64}", key):
            raise StoreError(f"a run's key must be 1 to 64 letters, digits, '_' or '-', got {key!r}")
        if reserved := sorted(set(OWN_TAGS) & set(tags)):
            raise StoreError(f"the tag {reserved[0]!r} is written by the store itself")
        flat_params = flat_texts(params, PARAM_LENGTH)
        flat_tags = flat_texts({tag: value for tag, value in tags.items() if value is not None}, TAG_LENGTH)
        return self._begin(key, name, flat_params, flat_tags)

    @contextlib.contextmanager
    def computing(self, key: str, notify: Callable[[str], None]) -> Iterator[FinishedRun | None]:
        """Hold the lock for computing the run of this key; wait while another process holds it.

        The lock is a file in the store's folder, so it works for the processes of one machine and of machines that
        share the folder. Machines that only share a server may compute a run twice; the server keeps the first. Ctrl-C
        ends the wait.

        Parameters
        ----------
        key : str
        tell : callable
            Called once with the process that holds the lock: ``process 123 on HOST``.

        Yields
        ------
        FinishedRun or None
            The run, if another process has finished it since the last lookup.

        Raises
        ------
        StoreError
            The store cannot be written.
        """
        folder, stack = self.root / "locks", contextlib.ExitStack()
        new = [path for path in (folder, self.root) if path == folder or not path.exists()]
        try:
            _take_lock(folder, key, notify, stack)
        except OSError as error:
            raise StoreError(f"the store {self.database} cannot be written: {reason(error)}") from error
        try:
            with stack:
                yield find_runs(self._paths, [key]).get(key)
        finally:
            with contextlib.suppress(OSError):  # not empty: other processes use the folder
                for path in new:
                    path.rmdir()

    def close_dead(self) -> None:
        """Record as killed the running runs whose processes have ended, on any machine that shares the folder.

        Raises
        ------
        StoreError
            The store cannot be written.
        """
        if not self.database.exists():
            return
        with reading(self._paths) as connection:
            running = running_ids(connection)
        if not all(is_alive(self._paths.alive_file(run_id)) for run_id in running):
            with writer.writing(self._paths) as connection:
                writer.close_dead(self._paths, connection)

    def remove_dead_locks(self) -> None:
        """Remove the lock files of runs whose processes were killed while they recorded a run's begin or end.

        Raises
        ------
        StoreError
            The store cannot be written.
        """
        if self.database.exists():
            writer.remove_dead_locks(self._paths)

    def delete(self, runs: Collection[FinishedRun]) -> None:
        """Delete runs and their files.

        Raises
        ------
        StoreError
            The store cannot be written, or it is a server's spool: the server would send the runs again.
        """
        if self.address is not None or address_of(self.root) is not None:
            raise StoreError(f"{self.root} has the runs of a server: runs are deleted there")
        writer.delete(self._paths, [run.run_id for run in runs])

    def upload(self, run: FinishedRun) -> str:
        """Upload a finished run, if the server does not have it; see `RunHandle.upload`."""
        return "" if self._mirror is None else self._mirror.upload(run.run_id)

    def _begin(
        self, key: str, name: str, params: Mapping[str, str], tags: Mapping[str, str], started_at: int | None = None
    ) -> RunHandle:
        if self._mirror:
            self._mirror.record_address()
        with writer.writing(self._paths, create=True) as connection:
            run_id, started = writer.begin(self._paths, connection, key, name, params, tags, started_at)
            # takes the lock that shows that the run is alive, before other processes can check it
            return RunHandle(self._paths, run_id, key, name, started, self._mirror)

    def _fetch(self, mirror: Mirror, key: str) -> FinishedRun | None:
        """Copy a run from the server into this store."""
        found = mirror.fetch(key)
        if found is None:
            return None
        run, files = found
        tags = {name: value for name, value in run.tags.items() if name not in (*OWN_TAGS, SPOOL_RUN)}
        self._begin(key, run.name, run.params, tags, run.started).store_fetched(files, run.ended)
        return find_runs(self._paths, [key]).get(key)


def _take_lock(folder: Path, key: str, notify: Callable[[str], None], stack: contextlib.ExitStack) -> None:
    """Take the lock of a key, in a folder that another process removes when it is empty."""
    while True:
        with contextlib.suppress(FileNotFoundError):
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except FileExistsError:  # also raised if the folder was there and has just been removed
                if os.path.lexists(folder) and not folder.is_dir():
                    raise
                continue
            remove_locks(folder)
            stack.enter_context(locked(folder / f"{key}{LOCK}", notify))
            return
