"""`Store`, the interface of this package."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from ...support.errors import reason
from ...support.files import LOCK, check_writable, locked, read_plain, remove_drafts, remove_locks, write_file
from ...support.paths import expanded
from ...support.text import command_line, printable
from ...support.values import plain
from .address import check_address, folder_name
from .run_folder import RESULT_FILE, DamagedRunError, FinishedRun, StoreError, read_run, write_run
from .serialize import filter_texts, named_values
from .tracking import Tracking
from .unfinished import names_in, remove_superseded

if TYPE_CHECKING:
    import pandas as pd

log = logging.getLogger(__name__)

RUNS: Final = "runs"
UNFINISHED: Final = "unfinished"
LOCKS: Final = "locks"
CHECKPOINTS: Final = "checkpoints"
SWEEPS: Final = "sweeps"
SERVERS: Final = "servers"
"""Folder of a store with the stores of servers, one for each."""
RECORDED: Final = "recorded"
"""Folder of a store with the lists of the runs that mlflow has (`experiments.store.recorder`)."""
ADDRESS: Final = "server"
"""File of a server's store with the server's address."""
MOST_ADDRESS: Final = 4096
"""Most bytes of that file."""


class Store:
    """The runs recorded in one folder. Open it with `Store.open`.

    A folder in the place of a run that is none, or is damaged, counts as missing; a warning names it, once.

    Attributes
    ----------
    root : Path
        The folder, absolute.
    server : str or None
        Address of the mlflow server that shares these runs.
    checkpoints : Path
        Folder of the checkpoints of runs that have not finished.
    """

    def __init__(self, root: Path, server: str | None = None) -> None:
        self.root = root
        self.server = server or _address_of(root)
        self._read_only = False
        self._unwritable: StoreError | None = None
        self._told: set[str] = set()
        self._tracking: Tracking | None = None
        self._runs = root / RUNS
        self._unfinished = root / UNFINISHED
        self.checkpoints = root / CHECKPOINTS

    @classmethod
    def at(cls, root: str | Path, server: str | None = None) -> Store:
        """Return the store that `open` opens, without its checks; it fetches nothing from the server."""
        folder = Path(os.path.realpath(expanded(root, "store")))
        try:
            str(folder).encode()
        except UnicodeEncodeError as error:
            raise StoreError(f"the store's path {folder} is not UTF-8: give another") from error
        if server is None:
            return cls(folder)
        address = check_address(server)
        return cls(folder / SERVERS / folder_name(address), address)

    @classmethod
    def open(cls, root: str | Path, *, read_only: bool = False, server: str | None = None) -> Store:
        """Open a store that exists, or that the first run will create. Writes nothing on this machine.

        Parameters
        ----------
        root : str or Path
            A folder; a relative path starts at the working directory.
        read_only : bool
            Skip the check that the store can be written. Without it a store that has runs and cannot be written is
            opened as well, to find them: `computing` raises the error.
        server : str, optional
            Address of an mlflow tracking server that shares the runs. The store is then a folder for this server below
            `root`, and runs that only the server has are fetched. The server must answer now; if it stops answering
            later, runs stay in the folder until they can be recorded.

        Raises
        ------
        StoreError
            `root` is no folder, is not UTF-8, cannot be written and has no runs, or holds a store of edition 1.0. The
            server cannot be used, or its address has another form.
        """
        if "://" in str(root):
            raise StoreError(f"the store {str(root)!r} is not a folder; a server is named by store.uri=")
        store = cls.at(root, server)
        store._read_only, folder = read_only, store.root
        if server is not None:
            try:
                store._tracking = Tracking.reached(server)
            except StoreError as error:
                later = command_line("store", "record", str(folder), str(store.server))
                raise StoreError(
                    f"{error}; start it (docs/server.md), or record on this machine by store=local "
                    f"store.root={folder} and at the server later by {later}"
                ) from error
        if folder.exists() and not folder.is_dir():
            raise StoreError(f"the store {folder} is not a folder")
        if (folder / "artifacts").is_dir() and not store._runs.exists():
            raise StoreError(f"{folder} is a store of edition 1.0: give another folder, or move its files away")
        try:
            for path in () if read_only else (folder, store._runs, store._unfinished):
                check_writable(path)
        except OSError as error:
            store._unwritable = StoreError(f"the store {folder} cannot be written: {reason(error, folder)}")
            if not store.exists():
                raise store._unwritable from error
        return store

    def exists(self) -> bool:
        """Return whether a run has been recorded here."""
        return self._runs.is_dir() or self._unfinished.is_dir()

    def find_finished(self, key: str) -> FinishedRun | None:
        """Return the finished run with this key, if its result and curve are intact; else None.

        A run that only the server has is fetched; a store opened with `read_only` returns it without result and files.
        A server that does not answer counts as empty.
        """
        if (run := self._read(key)) is not None or self._tracking is None:
            return run
        directory = self._runs / key
        if self._read_only:
            return FinishedRun(key, {}, directory) if self._tracking.might_have(key, at_once=True) else None
        return self._read(key) if self._tracking.fetch(key, directory) else None

    def _read(self, key: str, *, with_curve: bool = True) -> FinishedRun | None:
        """Return the run in a folder; None if it is missing, or, with a warning, if it is damaged."""
        try:
            return read_run(self._runs / key, with_curve=with_curve)
        except DamagedRunError as error:
            self._warn_of(key, error)
            return None

    def _warn_of(self, key: str, damage: DamagedRunError) -> None:
        if key not in self._told:
            self._told.add(key)
            log.warning("%s; it counts as missing", printable(str(damage)))

    def readable(self, runs: Sequence[FinishedRun]) -> list[FinishedRun]:
        """Return the runs whose curves can be read; a warning names each other one."""
        kept = []
        for run in runs:
            try:
                _ = run.curve
            except DamagedRunError as error:
                self._warn_of(run.key, error)
            else:
                kept.append(run)
        return kept

    def find_all_finished(self, keys: Collection[str]) -> dict[str, FinishedRun]:
        """Return the run that `find_finished` finds for each key; keys without a run are missing from the result."""
        return {key: run for key in dict.fromkeys(keys) if (run := self.find_finished(key)) is not None}

    def runs(self, **filters: Any) -> list[FinishedRun]:
        """Return the finished runs of this machine, ordered by algorithm, data set, seed and key.

        Runs with a damaged result are left out; a curve is verified when it is read (`readable`).

        Parameters
        ----------
        **filters
            Setting (``problem.nu``) or entry of the provenance (``commit``) and its value, or a list, tuple, set or
            range of allowed values: ``runs(algo=["sbp", "smo"], seed=range(3))``. A number may be a text.
        """
        wanted = {name: filter_texts(value) for name, value in filters.items()}
        runs = [
            run
            for name in names_in(self._runs)
            if (run := self._read(name, with_curve=False)) and (not wanted or _has(run, wanted))
        ]
        return sorted(runs, key=lambda run: (*(run.result[name] for name in ("algo", "dataset", "seed")), run.key))

    @contextlib.contextmanager
    def computing(self, key: str, notify: Callable[[str], None]) -> Iterator[FinishedRun | None]:
        """Hold the lock for computing the run of this key; wait while another process holds it.

        The lock is a file in the store's folder, so it works for the processes of one machine and of machines that
        share the folder. Machines that only share a server may compute a run twice; the server keeps the first. Ctrl-C
        ends the wait. `notify` is called once with the process that holds the lock: ``process 123 on HOST``.

        Yields
        ------
        FinishedRun or None
            The run, if another process has finished it since the last lookup.

        Raises
        ------
        StoreError
            The key is malformed, or the store cannot be written.
        """
        if self._unwritable is not None:
            raise self._unwritable
        if not re.fullmatch(r"[0-9A-Za-z_-]{1,64}", key):
            raise StoreError(f"a run's key must be 1 to 64 letters, digits, '_' or '-', got {key!r}")
        folder, stack = self.root / LOCKS, contextlib.ExitStack()
        new = [folder] if self.root.exists() else [folder, self.root]
        try:
            _take_lock(folder, key, notify, stack)
        except OSError as error:
            raise StoreError(f"the store {self.root} cannot be used: {reason(error, self.root)}") from error
        try:
            with stack:
                yield self._read(key)
        finally:
            with contextlib.suppress(OSError):  # not empty: other processes use the folder
                for path in new:
                    path.rmdir()

    def computes(self) -> bool:
        """Return whether a process computes a run, or was killed while it did."""
        return any((self.root / LOCKS).glob(f"*{LOCK}"))

    def finish(
        self, key: str, result: Mapping[str, Any], curve: pd.DataFrame, files: Sequence[Path] = ()
    ) -> FinishedRun:
        """Record a finished run, so that `find_finished` finds it; it replaces an earlier run of this key.

        To `result`, the content of result.json, ``key`` and ``status`` are added; numbers that are not finite become
        null. `curve` is one of `experiments.curve`; `files` are copied under their names.

        Raises
        ------
        StoreError
            `curve` is not a curve, a file is missing or its name is in use, or the store cannot be written.
        """
        self._write(self._runs / key, key, "finished", result, curve, files)
        run = read_run(self._runs / key)
        if run is None:
            raise StoreError(f"the record of run {key} was removed while it was written: {self._runs / key}")
        remove_superseded(self._runs, self._unfinished, self.root / RECORDED, key)
        return run

    def leave_unfinished(
        self,
        key: str,
        status: Literal["interrupted", "failed"],
        result: Mapping[str, Any],
        curve: pd.DataFrame | None = None,
    ) -> Path:
        """Record a run that was interrupted or has failed, in a folder of its own, and return the path of result.json.

        Parameters and errors are those of `finish`.
        """
        now = datetime.now(UTC)
        directory = self._unfinished / f"{now:%Y%m%dT%H%M%S}-{time.time_ns() % 10**9:09d}-{key}"
        self._write(directory, key, status, result, curve)
        return directory / RESULT_FILE

    def _write(
        self,
        directory: Path,
        key: str,
        status: str,
        result: Mapping[str, Any],
        curve: pd.DataFrame | None,
        files: Sequence[Path] = (),
    ) -> None:
        named = {"key": key, "status": status}
        try:
            if self.server is not None and _address_of(self.root) is None:
                self.root.mkdir(parents=True, exist_ok=True)
                write_file(self.root / ADDRESS, f"{self.server}\n".encode())
            # first for the order of the entries, last for their values
            write_run(directory, named | plain(result, "result") | named, curve, files)
        except (OSError, TypeError, ValueError) as error:
            why = reason(error) if isinstance(error, OSError) else error
            raise StoreError(f"the record of run {key} cannot be written: {why}") from error

    def ended(self) -> list[Path]:
        """Return the folders of all runs that have ended: the finished ones first, the others by time."""
        return [folder / name for folder in (self._runs, self._unfinished) for name in sorted(names_in(folder))]

    def remove_leftovers(self) -> None:
        """Remove what killed processes have left: drafts of runs and of files, and temporary folders.

        A process holds a lock that ends with it (`support.files`). Files of other users are not touched. Also remove
        the records of interruptions and failures of runs that have finished since.
        """
        remove_superseded(self._runs, self._unfinished, self.root / RECORDED)
        for folder in (self.root, self._runs, self._unfinished, self.checkpoints):
            remove_drafts(folder)
        remove_drafts(Path(tempfile.gettempdir()))

    def remove_leftovers_of_sweeps(self) -> None:
        """Remove what killed processes have left in the folders of sweeps, which grow; once for a sweep."""
        for folder in (self.root / SWEEPS).glob("*"):
            remove_drafts(folder)

    def delete(self, runs: Collection[FinishedRun]) -> None:
        """Delete runs and their files.

        Raises
        ------
        StoreError
            The store cannot be written, or it belongs to a server, which would send the runs again.
        """
        if self.server is not None:
            raise StoreError(f"{self.root} has the runs of a server: runs are deleted there")
        for run in runs:
            try:
                shutil.rmtree(run.directory)
            except FileNotFoundError:
                continue
            except OSError as error:
                raise StoreError(f"{run.directory} cannot be deleted: {reason(error, run.directory)}") from error


def _address_of(root: Path) -> str | None:
    """Return the address of the server that a folder mirrors; None for a local store."""
    try:
        return read_plain(root / ADDRESS, MOST_ADDRESS).decode("utf-8", "replace").strip()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise StoreError(f"{root / ADDRESS} cannot be read: {reason(error, root / ADDRESS)}") from error


def _has(run: FinishedRun, wanted: Mapping[str, set[str]]) -> bool:
    """Return whether a run has settings with one of the given texts each."""
    values = named_values(run.result)
    return all(name in values and filter_texts(values[name]) & texts for name, texts in wanted.items())


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
