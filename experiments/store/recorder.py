"""The recorder: a process beside a command that records its runs in mlflow.

mlflow takes seconds to be imported, and 0.1 CPU seconds a run. So a command starts this process with its first run, and
goes on computing. A run is recorded in the store when its folder is there; the copy in mlflow is the recorder's work,
which it finishes after the command has ended. The recorder looks for run folders that are not in the list
``recorded/<address>.txt``; a run's line is added after mlflow has confirmed the run. Wherever a process is killed, the
run's folder stays, and the next command, or ``svm-store record``, records it.

The recorder has a session of its own, so neither Ctrl-C nor the end of the terminal ends it, and no stream of the
command, so no reader of these waits for it. One recorder of a store works at a time; others wait until it has ended.
What a recorder has to say is in ``recorded/<address>.messages``, from where a command shows it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from ...support.errors import reason
from ...support.files import QUIET_SECONDS
from ...support.text import command_line
from ..processes.stopping import STOP_SIGNALS
from ..processes.streams import pause_after
from .address import DATABASE, check_address
from .recorded_list import RecordedList
from .run_copy import UnfitRunError
from .run_folder import FinishedRun, StoreError
from .store import Store
from .tracking import Recorded, Tracking, load_mlflow

OFF: Final = "SVM_MLFLOW"
"""Environment variable: with ``off`` a command leaves its runs to a later ``record``."""
PAUSE_SECONDS: Final = 0.3
"""Between two looks for new runs."""
RETRY_SECONDS: Final = 10.0
"""Pause after an error, as of a server that does not answer."""
PATIENCE_SECONDS: Final = 60.0
"""A recorder whose command has ended waits so long for one that works and gets nowhere."""
SAFE_PATH: Final = {"PYTHONSAFEPATH": "1"}
"""Environment of child processes, also of mlflow's own: Python imports nothing from the working directory."""


def tracking_of(store: Store) -> Tracking:
    """Return where the runs of a store are recorded: at its server, or in the database in its folder."""
    return Tracking.of_store(store.root) if store.server is None else Tracking(check_address(store.server))


def record_all(
    store: Store, tracking: Tracking, warn: Callable[[str], None], *, again: bool = False
) -> Counter[Recorded]:
    """Record all missing runs, and return how many of them were new, there already, different or damaged.

    Runs that could not be recorded before are tried `again`, or when their folders have changed.

    `warn` takes a line about each run whose result differs from the one that mlflow has, or which cannot be recorded,
    and about a database that was set aside.

    Raises StoreError: mlflow cannot be used; the runs that are recorded so far are in the list.
    """
    runs, counts, unfit = RecordedList(store, tracking.server), Counter[Recorded](), set[Path]()
    while (done := runs.record_next(tracking, unfit, warn, again=again)) is not None:
        folder, recorded = done
        if isinstance(recorded, UnfitRunError):
            unfit.add(folder)
            warn(f"the run in {folder} is damaged; it is not recorded in mlflow: {recorded}")
            recorded = Recorded.DAMAGED
        counts[recorded] += 1
        if recorded is Recorded.DIFFERS:
            warn(
                f"{tracking.uri} has a finished run of this key with another result: both are kept, this one there "
                f"with the status differs, and here as {folder}"
            )
    return counts


def delete(store: Store, runs: Sequence[FinishedRun]) -> None:
    """Delete runs, their files, and their copies in mlflow's database in the store's folder.

    Raises StoreError: the store cannot be written, or it belongs to a server.
    """
    store.delete(runs)
    RecordedList(store, None).forget(Tracking.of_store(store.root), [run.key for run in runs])


@contextlib.contextmanager
def recording(
    store: Store, warn: Callable[[str], None], *, wait: bool
) -> Iterator[Callable[[], subprocess.Popen[bytes] | None]]:
    """Record the runs of a block in mlflow; yield a function that starts the recorder, or returns the one that runs.

    With `OFF` it starts none. When the block ends, the recorder finishes on its own, which a line says; with `wait` the
    block ends when all runs are recorded, or after Ctrl-C. `warn` takes a line on runs that are not recorded, also by
    recorders of earlier commands; a recorder that fails loses no run.
    """
    process: subprocess.Popen[bytes] | None = None
    is_off = os.environ.get(OFF, "").strip().lower() in ("off", "0", "false", "no")
    runs = RecordedList(store, store.server)

    def begin() -> subprocess.Popen[bytes] | None:
        nonlocal process
        if process is None and not is_off:
            for line in runs.taken():
                warn(f"runs of an earlier command: {line}")
            command = [sys.executable, "-P", "-m", __name__, str(store.root), store.server or ""]
            before = signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)  # inherited, until it ignores them
            try:
                null, environment = subprocess.DEVNULL, {**os.environ, **SAFE_PATH}
                streams: Any = {"stdin": subprocess.PIPE, "stdout": null, "stderr": null}
                process = subprocess.Popen(command, **streams, env=environment, start_new_session=True)
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return process

    try:
        yield begin
    finally:
        if not is_off:
            try:
                if process is not None or runs.missing():
                    _end(runs, begin(), store, warn, wait=wait)
            except StoreError as error:
                warn(str(error))


def _end(
    runs: RecordedList,
    recorder: subprocess.Popen[bytes] | None,
    store: Store,
    warn: Callable[[str], None],
    *,
    wait: bool,
) -> None:
    """Let a recorder finish and, with `wait`, wait for it; warn if it has left runs, or has ended before its time."""
    assert recorder is not None
    assert recorder.stdin is not None
    with contextlib.suppress(OSError):  # it may have ended
        recorder.stdin.close()  # it ends when its input has ended
    if wait:
        with contextlib.suppress(KeyboardInterrupt):  # the process goes on by itself
            _wait(runs, recorder)
    for line in runs.taken():
        warn(line)
    if not (count := len(runs.missing())):
        return
    runs_are = "1 run is" if count == 1 else f"{count} runs are"
    where = store.server or f"sqlite:///{store.root / DATABASE}"
    command = command_line("store", "record", str(store.root))
    if recorder.poll() is None:
        print(f"... {runs_are} still being recorded in mlflow, by a process of its own", file=sys.stderr)
        return
    if recorder.returncode < 0:
        warn(f"the process that records in mlflow was killed by signal {-recorder.returncode}")
    warn(f"{runs_are} not in mlflow at {where}; record later by: {command}")


def _wait(runs: RecordedList, recorder: subprocess.Popen[bytes]) -> None:
    """Wait until the recorder has ended, and say how far it is."""
    count, begun, pause = len(runs.missing()), time.monotonic(), QUIET_SECONDS
    said = begun
    while recorder.poll() is None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            recorder.wait(PAUSE_SECONDS)
        now = time.monotonic()
        if now - said >= pause and recorder.poll() is None:
            count = max(count, left := len(runs.missing()))
            done = f"mlflow has {count - left} of {count} new runs, {now - begun:.0f} s"
            print(f"... {done}; Ctrl-C ends the wait, and the recording goes on", file=sys.stderr, flush=True)
            said, pause = now, pause_after(now - begun)


def wait_for_others(store: Store, say: Callable[[str], None]) -> None:
    """Wait while a recorder of an earlier command gets on: while runs are made whose times are compared, none may."""
    runs, left, since, is_said = RecordedList(store, store.server), -1, 0.0, False
    while count := len(runs.missing()):
        if count != left:
            left, since = count, time.monotonic()
        with runs.sole() as is_sole:
            if is_sole or time.monotonic() - since > PATIENCE_SECONDS:
                return
        if not is_said:
            say("waiting: runs of an earlier command are being recorded in mlflow")
            is_said = True
        time.sleep(PAUSE_SECONDS)


def main(root: str, server: str) -> int:
    """Record the runs of a store until the standard input ends and none is left; leave a message why runs are left."""
    for number in STOP_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
    os.chdir("/")  # the folder in which the command was started may be removed, or its disk taken away
    ended = threading.Event()

    def wait_for_end() -> None:
        sys.stdin.read()
        ended.set()

    threading.Thread(target=wait_for_end, daemon=True).start()
    store = Store(Path(root), server or None)
    runs = RecordedList(store, store.server)
    try:
        return _record_until(ended, store, runs)
    except Exception as error:  # nobody sees a traceback
        runs.leave([], str(error) if isinstance(error, StoreError) else f"{type(error).__name__}: {reason(error)}")
        return 1


def _record_until(ended: threading.Event, store: Store, runs: RecordedList) -> int:
    """Record runs until the command has ended and none is left; return the exit status."""
    while not (ended.is_set() or store.computes() or runs.missing()):
        ended.wait(PAUSE_SECONDS)
    left, since = -1, 0.0
    while (count := len(runs.missing())) or not ended.is_set():
        if count != left or not ended.is_set():
            left, since = count, time.monotonic()
        with runs.sole() as is_sole:
            if is_sole or time.monotonic() - since > PATIENCE_SECONDS:
                return _record(ended, store, runs)
        time.sleep(PAUSE_SECONDS)
    return 0


def _record(ended: threading.Event, store: Store, runs: RecordedList) -> int:
    load_mlflow()  # while the first run is computed
    lines = list[str]()
    while True:
        last, why = ended.is_set(), ""
        try:
            record_all(store, tracking_of(store), lines.append)
        except StoreError as error:
            why = str(error)
        if last:
            runs.leave(lines, why)
            return int(bool(why))
        ended.wait(RETRY_SECONDS if why else PAUSE_SECONDS)


if __name__ == "__main__":
    os._exit(main(*sys.argv[1:]))  # at once: libraries take seconds to end, and a command may wait
