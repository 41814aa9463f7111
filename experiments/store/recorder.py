"""The recorder: a process beside a command that records its runs in mlflow.

mlflow takes more than a second to be imported, and 0.1 CPU seconds a run. So a command starts this process with its
first run, goes on computing, and waits at its end until all runs are recorded. The recorder looks for run folders that
are not in the list ``recorded/<address>.txt``; a run's line is added after mlflow has confirmed the run. Wherever a
process is killed, the run's folder stays, and the next command, or ``svm-store record``, records it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Final

from svm_cost_curves.experiments.processes.streams import ElapsedTime
from svm_cost_curves.experiments.store.address import DATABASE, check_address, folder_name
from svm_cost_curves.experiments.store.run_folder import FinishedRun, StoreError
from svm_cost_curves.experiments.store.store import RECORDED, Store
from svm_cost_curves.experiments.store.tracking import Recorded, Tracking, load_mlflow
from svm_cost_curves.support.files import LOCK, locked
from svm_cost_curves.support.text import command_line

OFF: Final = "SVM_MLFLOW"
"""Environment variable: with ``off`` a command leaves its runs to a later ``record``."""
PAUSE_SECONDS: Final = 0.3
"""Between two looks for new runs."""
QUIET_SECONDS: Final = 2.0
"""A command says after this time that it waits."""
RETRY_SECONDS: Final = 10.0
"""Pause after an error, as of a server that does not answer."""


class RecordedList:
    """The names of a store's run folders that are recorded at a server, or (None) in the database in its folder.

    Methods that write raise StoreError if mlflow cannot be used, or the store cannot be written.
    """

    def __init__(self, store: Store, server: str | None) -> None:
        self._store = store
        self._database = store.root / DATABASE if server is None else None
        self._path = store.root / RECORDED / f"{DATABASE if server is None else folder_name(server)}.txt"

    def missing(self) -> list[Path]:
        """Return the folders of the runs that are not in the list."""
        names = self._names()
        return [folder for folder in self._store.ended() if folder.name not in names]

    def _names(self) -> set[str]:
        """Return the names in the list; a later line ``-NAME`` takes a name out again."""
        try:
            lines = [] if self._is_deleted() else self._path.read_text("utf-8", "replace").split("\n")
        except FileNotFoundError:
            return set()
        last = {line.removeprefix("-"): not line.startswith("-") for line in lines}
        return {name for name, is_recorded in last.items() if is_recorded}

    def _is_deleted(self) -> bool:
        """Return whether the database was deleted: then all runs are recorded again."""
        return self._database is not None and not self._database.exists()

    def record_next(self, tracking: Tracking, skipped: Collection[Path]) -> tuple[Path, Recorded] | None:
        """Record one missing run and add it to the list; None if there is none but the skipped ones.

        Recorders of one store take turns: they hold a lock meanwhile.
        """
        with self._lock():
            if self._is_deleted():
                self._path.unlink(missing_ok=True)
            folder = next((folder for folder in self.missing() if folder not in skipped), None)
            if folder is None:
                return None
            recorded = tracking.record(folder)
            if self._is_deleted():
                raise StoreError(f"{self._database} was deleted while this process wrote to it")
            if recorded is not Recorded.DAMAGED:
                self._append([folder.name])
            return folder, recorded

    def forget(self, tracking: Tracking, keys: Sequence[str]) -> None:
        """Delete the finished runs of some keys in mlflow, and remove them from the list."""
        if set(keys) & self._names():
            with self._lock():
                tracking.delete(keys)
                self._append([f"-{key}" for key in keys])

    def _append(self, names: Sequence[str]) -> None:
        with self._path.open("a", encoding="utf-8") as file:
            file.writelines(f"{name}\n" for name in names)

    @contextlib.contextmanager
    def _lock(self) -> Iterator[None]:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with locked(self._path.with_suffix(LOCK), lambda _: None):
                yield
        except OSError as error:
            raise StoreError(f"{self._path.parent} cannot be written: {error.strerror or error}") from error


def tracking_of(store: Store) -> Tracking:
    """Return where the runs of a store are recorded: at its server, or in the database in its folder."""
    return Tracking.of_store(store.root) if store.server is None else Tracking(check_address(store.server))


def record_all(store: Store, tracking: Tracking, warn: Callable[[str], None]) -> Counter[Recorded]:
    """Record all missing runs, and return how many of them were new, there already, different or damaged.

    `warn` takes a line about each run whose result differs from the one that mlflow has, or whose folder is damaged.

    Raises StoreError: mlflow cannot be used; the runs that are recorded so far are in the list.
    """
    runs, counts, damaged = RecordedList(store, tracking.server), Counter[Recorded](), set[Path]()
    while (done := runs.record_next(tracking, damaged)) is not None:
        folder, recorded = done
        counts[recorded] += 1
        if recorded is Recorded.DIFFERS:
            warn(
                f"{tracking.uri} has a finished run of this key with another result: both are kept, this one there "
                f"with the status differs, and here as {folder}"
            )
        if recorded is Recorded.DAMAGED:
            damaged.add(folder)
            warn(f"the run in {folder} is damaged; it is not recorded in mlflow")
    return counts


def delete(store: Store, runs: Sequence[FinishedRun]) -> None:
    """Delete runs, their files, and their copies in mlflow's database in the store's folder.

    Raises StoreError: the store cannot be written, or it belongs to a server.
    """
    store.delete(runs)
    RecordedList(store, None).forget(Tracking.of_store(store.root), [run.key for run in runs])


@contextlib.contextmanager
def recording(store: Store, warn: Callable[[str], None]) -> Iterator[Callable[[], subprocess.Popen[str] | None]]:
    """Record the runs of a block in mlflow; yield a function that starts the recorder, or returns the one that runs.

    With `OFF` it starts none. When the block ends, the recorder has recorded all runs; Ctrl-C ends the wait. `warn`
    takes a line on runs that are not recorded; a recorder that fails loses no run.
    """
    process: subprocess.Popen[str] | None = None
    is_off = os.environ.get(OFF) == "off"

    def begin() -> subprocess.Popen[str] | None:
        nonlocal process
        if process is None and not is_off:
            words = [sys.executable, "-m", __name__, str(store.root), store.server or ""]
            process = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
            )
        return process

    try:
        yield begin
    finally:
        if not is_off:
            try:
                _wait(store, process, begin, warn)
            except StoreError as error:
                warn(str(error))


def _wait(
    store: Store,
    process: subprocess.Popen[str] | None,
    begin: Callable[[], subprocess.Popen[str] | None],
    warn: Callable[[str], None],
) -> None:
    """Wait until a recorder, which is begun if a run is missing, has recorded all runs; warn if some are left."""
    runs = RecordedList(store, store.server)
    recorder = process or (begin() if runs.missing() else None)
    if recorder is None:
        return
    elapsed = ElapsedTime(lambda text: print(f"... {text}", file=sys.stderr, flush=True))
    elapsed.begin("mlflow is recording the runs; Ctrl-C leaves it to itself", after=QUIET_SECONDS)
    with contextlib.suppress(KeyboardInterrupt):  # the process goes on by itself
        reasons = recorder.communicate()[0].strip()  # it ends when its input is closed
        if reasons:
            warn(reasons)
        if count := len(runs.missing()):
            runs_are = "1 run is" if count == 1 else f"{count} runs are"
            where = store.server or f"sqlite:///{store.root / DATABASE}"
            command = command_line("store", "record", str(store.root))
            warn(f"{runs_are} not in mlflow at {where}; record later by: {command}")
    elapsed.end()


def main(root: str, server: str) -> int:
    """Record the runs of a store until the standard input ends and none is left; print why runs are left."""
    for number in (signal.SIGINT, signal.SIGTERM):  # sent to the whole command, which waits for this process
        signal.signal(number, signal.SIG_IGN)
    ended = threading.Event()

    def wait_for_end() -> None:
        sys.stdin.read()
        ended.set()

    threading.Thread(target=wait_for_end, daemon=True).start()
    store = Store(Path(root), server or None)
    lines: list[str] = []
    runs = RecordedList(store, store.server)
    while not (ended.is_set() or store.computes() or runs.missing()):
        ended.wait(PAUSE_SECONDS)
    if ended.is_set() and not runs.missing():
        return 0
    load_mlflow()  # while the first run is computed
    while True:
        last, why = ended.is_set(), ""
        try:
            record_all(store, tracking_of(store), lines.append)
        except StoreError as error:
            why = str(error)
        if last:
            print("\n".join(dict.fromkeys([*lines, *filter(None, [why])])), flush=True)
            return int(bool(why))
        ended.wait(RETRY_SECONDS if why else PAUSE_SECONDS)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
