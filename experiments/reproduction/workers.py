"""Runs in processes of their own, several at a time: what they do is told as it happens, and one that dies is noticed.

Not a pool of a library: it gives up all runs when one process is killed, and tells nothing of a run
before its end.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from typing import Any

import solvers
from experiments import engine
from experiments.configuration.settings import RunSettings
from experiments.processes.forkserver import PROCESSES, follow, preload, start
from experiments.processes.job_queue import ATTEMPTS
from experiments.processes.outcome import Outcome
from experiments.processes.stopping import Terminated, terminable
from experiments.run.console import Display
from experiments.run.errors import outcome_of

TELL_SECONDS = 0.5
"""A run says how far it is this often."""
QUIET_SECONDS = 2.0
"""After so long without a word from any run they are told again."""
GRACE_SECONDS = 20.0
"""Time for runs to record how far they are after Ctrl-C or SIGTERM."""

preload(__name__)


@dataclass(frozen=True)
class Event:
    """What a run says: that it begins, how far it is, or (with `outcome`) that it has ended.

    Runs that say nothing for long are told again as they were.

    Attributes
    ----------
    index : int
        Position among the runs given to `make_runs`.
    fraction : float
        Share of its budget; 0 when it begins.
    outcome : Outcome or None
    note : str
        What it does where that is no part of its budget: loading data, building the Gram matrix.
    """

    index: int
    fraction: float
    outcome: Outcome | None = None
    note: str = ""


def make_runs(runs: Sequence[RunSettings], jobs: int, command: Sequence[str]) -> Iterator[Event]:
    """Make runs, at most `jobs` at a time, in their order, and yield what they say.

    A run whose process is killed begins again, before those that wait, at most `ATTEMPTS` times in all.

    Parameters
    ----------
    runs : sequence of RunSettings
    jobs : int
    command : sequence of str
        The command line, for the record.

    Yields
    ------
    Event
        In the order in which things happen; exactly one with an outcome for each run.

    Raises
    ------
    KeyboardInterrupt
        After the runs in progress have recorded what they reached.
    """
    waiting = deque(enumerate(runs))
    begun: Counter[int] = Counter()
    workers: list[_Worker] = []
    try:
        while waiting or any(worker.busy for worker in workers):
            while waiting and (idle := _idle(workers, jobs, command)) is not None:
                index, settings = waiting.popleft()
                begun[index] += 1
                yield idle.start(index, settings)
            busy = [worker for worker in workers if worker.busy]
            heard = wait([worker.connection for worker in busy], timeout=QUIET_SECONDS)
            for worker in busy:
                if not heard:
                    yield worker.last
                elif worker.connection in heard:
                    event = worker.receive()
                    if not worker.alive:
                        workers.remove(worker)
                        if begun[event.index] < ATTEMPTS:
                            waiting.appendleft((event.index, runs[event.index]))
                            continue
                    yield event
    except BaseException as ended:
        _stop(workers, signal.SIGTERM if isinstance(ended, Terminated) else signal.SIGINT)
        raise
    for worker in workers:
        worker.end()


class _Worker:
    """One process and the run that it makes at the moment."""

    def __init__(self, command: Sequence[str]) -> None:
        self.connection, theirs = PROCESSES.Pipe()
        self._process = PROCESSES.Process(target=_serve, args=(theirs, tuple(command), dict(os.environ)), daemon=True)
        start(self._process)
        theirs.close()
        self._label = ""
        self.last = Event(-1, 0.0)
        self.busy = False
        self.alive = True

    @property
    def lives(self) -> bool:
        return self._process.is_alive()

    @property
    def pid(self) -> int | None:
        return self._process.pid

    def start(self, index: int, settings: RunSettings) -> Event:
        self.last, self._label, self.busy = Event(index, 0.0), settings.label(), True
        self.connection.send(settings)
        return self.last

    def receive(self) -> Event:
        try:
            told: float | str | Outcome = self.connection.recv()
        except (EOFError, OSError):
            self._process.join()
            self.alive = False
            told = Outcome(self._label, "killed", f"its process ended with status {self._process.exitcode}")
        self.busy = not isinstance(told, Outcome)
        if isinstance(told, str):
            self.last = replace(self.last, note=told)
        else:
            outcome = told if isinstance(told, Outcome) else None
            self.last = Event(self.last.index, 1.0 if isinstance(told, Outcome) else told, outcome)
        return self.last

    def end(self) -> None:
        self.connection.close()
        self._process.join(GRACE_SECONDS)
        self._process.kill()


def _idle(workers: list[_Worker], jobs: int, command: Sequence[str]) -> _Worker | None:
    for worker in list(workers):
        if not worker.busy:
            if worker.lives:
                return worker
            workers.remove(worker)
    if len(workers) < jobs:
        workers.append(_Worker(command))
        return workers[-1]
    return None


def _stop(workers: Sequence[_Worker], asked: signal.Signals) -> None:
    """Ask for what the runs have reached, wait for it a moment, and end the processes."""
    for worker in workers:
        if worker.busy and worker.pid is not None:
            with contextlib.suppress(OSError):
                os.kill(worker.pid, asked)
    deadline = time.monotonic() + GRACE_SECONDS
    while any(worker.busy for worker in workers) and time.monotonic() < deadline:
        for connection in wait([worker.connection for worker in workers if worker.busy], timeout=0.1):
            next(worker for worker in workers if worker.connection is connection).receive()
    for worker in workers:
        worker.end()


class Telling(Display):
    """A run's display that tells how far it is, now and then.

    Parameters
    ----------
    tell : callable
        Takes the share of the run's budget.
    tell_note : callable, optional
        Takes what is done before the solver begins.
    """

    def __init__(self, tell: Callable[[float], None], tell_note: Callable[[str], None] = lambda _: None) -> None:
        self._tell = tell
        self._tell_note = tell_note
        self._last = time.monotonic()

    def note(self, text: str) -> None:
        """See `Display.note`."""
        self._tell_note(text)

    def progress(self, fraction: float, point: Mapping[str, Any], latest: Mapping[str, Any] | None) -> None:
        """See `Display.progress`."""
        del point, latest
        now = time.monotonic()
        if now - self._last >= TELL_SECONDS:
            self._last = now
            self._tell(fraction)


def _serve(connection: Connection[Any, Any], command: Sequence[str], environment: Mapping[str, str]) -> None:
    """Make the runs that come through the connection, until it closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C of the terminal is for the run, not for the pauses between
    follow()
    os.environ.clear()
    os.environ.update(environment)  # the server's is that of its start
    solvers.names()  # loads the users' own, whose classes the settings name
    with contextlib.suppress(EOFError, OSError):
        while True:
            connection.send(_make(connection.recv(), connection, command))


def _make(settings: RunSettings, connection: Connection[Any, Any], command: Sequence[str]) -> Outcome:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with terminable():
            return outcome_of(
                lambda: engine.run(settings, Telling(connection.send, connection.send), command), settings.label
            )
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
