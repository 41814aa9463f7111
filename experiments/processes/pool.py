"""Runs jobs in worker processes: progress is reported while they run, and a job whose process dies is retried.

The pools of libraries give up all jobs when one process is killed, and report nothing before a job ends.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection, wait
from typing import Any, Protocol

import solvers
from experiments.processes.forkserver import PROCESSES, follow, start
from experiments.processes.job_ledger import ATTEMPTS
from experiments.processes.outcome import Outcome, status_of
from experiments.processes.stopping import GRACE_SECONDS, STOP_SIGNALS, deferred, terminable

POLL_SECONDS = 0.2
"""Stop signals are checked at this interval."""
REPEAT_SECONDS = 2.0
"""After this time without a report the last ones are repeated."""
END_SECONDS = 1.0
"""A worker that is no longer needed is killed after this time."""

_SIGNAL_OF = {kind: number for number, kind in STOP_SIGNALS.items()}

Report = Callable[[float | str], None]
"""Takes the fraction of a job that is done, or a note on what it does before it starts to count."""


class Job(Protocol):
    """What a worker runs: a callable that can be pickled, and that does not raise."""

    @property
    def label(self) -> str:
        """Short name."""

    def __call__(self, report: Report, /) -> Outcome:
        """Run the job and return its outcome."""


@dataclass(frozen=True)
class Event:
    """A report of a job: that it starts, its progress, or (with `outcome`) its end.

    Attributes
    ----------
    index : int
        Position among the jobs given to `run_jobs`.
    fraction : float
        Fraction of the job that is done; 0 when it starts.
    outcome : Outcome or None
    note : str
        What the job does before it starts to count: loading data, building the Gram matrix.
    """

    index: int
    fraction: float
    outcome: Outcome | None = None
    note: str = ""

    def after(self, report: float | str | Outcome) -> Event:
        """Return the event that follows this one when the job reports a fraction, a note, or its outcome."""
        if isinstance(report, Outcome):
            return Event(self.index, 1.0, report)
        return replace(self, note=report) if isinstance(report, str) else Event(self.index, report)


def run_jobs(jobs: Sequence[Job], count: int) -> Iterator[Event]:
    """Run jobs in order, at most `count` at a time, and yield their reports.

    A job whose process is killed is retried before the waiting ones, at most `ATTEMPTS` times in all.

    Parameters
    ----------
    jobs : sequence of Job
    count : int

    Yields
    ------
    Event
        In the order of time. Each job that ends has exactly one event with an outcome.

    Raises
    ------
    KeyboardInterrupt
        Ctrl-C, or SIGTERM (`Terminated`): after the running jobs have recorded their state.
    """
    waiting = deque(_Attempt(index, job) for index, job in enumerate(jobs))
    workers: list[_Worker] = []
    heard = time.monotonic()
    deadline: float | None = None
    with deferred() as stop_request:
        try:
            while waiting or any(worker.attempt for worker in workers):
                if stop_request.kind is not None and deadline is None:
                    waiting.clear()
                    deadline = time.monotonic() + GRACE_SECONDS
                    _send(workers, _SIGNAL_OF[stop_request.kind])
                if deadline is not None and time.monotonic() > deadline:
                    break
                while waiting and (idle := _idle(workers, count)) is not None:
                    yield idle.start(waiting.popleft())
                busy = [worker for worker in workers if worker.attempt]
                ready = wait([worker.connection for worker in busy], timeout=POLL_SECONDS)
                if not ready and time.monotonic() - heard > REPEAT_SECONDS:
                    heard = time.monotonic()
                    yield from [worker.last for worker in busy]
                for worker in busy:
                    if worker.connection in ready:
                        heard = time.monotonic()
                        attempt, event = worker.attempt, worker.receive()
                        if not worker.alive:
                            workers.remove(worker)
                            if attempt and attempt.number < ATTEMPTS and deadline is None:
                                again = replace(attempt, number=attempt.number + 1)
                                waiting.appendleft(again)
                                event = Event(again.index, 0.0, note=f"killed; attempt {again.number} of {ATTEMPTS}")
                        yield event
        finally:
            if deadline is None:
                _send(workers, signal.SIGINT)  # an error, or the caller does not go on: no job may outlive this
            for worker in workers:
                worker.end(GRACE_SECONDS if deadline is None else END_SECONDS)
        stop_request.raise_if_set()


@dataclass(frozen=True)
class _Attempt:
    index: int
    job: Job
    number: int = field(default=1)


class _Worker:
    """One process and the job that it runs at the moment."""

    def __init__(self) -> None:
        self.connection, theirs = PROCESSES.Pipe()
        self._process = PROCESSES.Process(target=_serve, args=(theirs, dict(os.environ)), daemon=True)
        start(self._process)
        theirs.close()
        self.last = Event(-1, 0.0)
        self.attempt: _Attempt | None = None
        self.alive = True

    @property
    def lives(self) -> bool:
        return self._process.is_alive()

    def start(self, attempt: _Attempt) -> Event:
        self.last, self.attempt = Event(attempt.index, 0.0), attempt
        with contextlib.suppress(OSError):  # a worker that has just died: `receive` reports it
            self.connection.send(attempt.job)
        return self.last

    def receive(self) -> Event:
        """Receive one report. If the process has died, that is the job's outcome."""
        assert self.attempt is not None
        try:
            report: float | str | Outcome = self.connection.recv()
        except (EOFError, OSError):
            self._process.join()
            self.alive = False
            times, status = self.attempt.number, self._process.exitcode
            message = f"its process ended with status {status}" + (f", the {times}th time" if times > 1 else "")
            report = Outcome(self.attempt.job.label, "killed", message, attempts=times)
        if isinstance(report, Outcome):
            self.attempt = None
        self.last = self.last.after(report)
        return self.last

    def send(self, number: signal.Signals) -> None:
        if self.attempt and self._process.pid is not None:
            with contextlib.suppress(OSError):
                os.kill(self._process.pid, number)

    def end(self, seconds: float) -> None:
        self.connection.close()
        self._process.join(seconds)
        self._process.kill()


def _idle(workers: list[_Worker], count: int) -> _Worker | None:
    for worker in list(workers):
        if not worker.attempt:
            if worker.lives:
                return worker
            workers.remove(worker)
    if len(workers) < count:
        workers.append(_Worker())
        return workers[-1]
    return None


def _send(workers: Sequence[_Worker], number: signal.Signals) -> None:
    for worker in workers:
        worker.send(number)


def _serve(connection: Connection[Any, Any], environment: Mapping[str, str]) -> None:
    """Run the jobs that come through the connection, until it closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal's Ctrl-C is for the job, not for the time between jobs
    follow()
    os.environ.clear()
    os.environ.update(environment)  # a forked process has the environment that the server had at its start
    solvers.names()  # imports the users' own solvers, whose classes the jobs name
    with contextlib.suppress(EOFError, OSError):
        while True:
            connection.send(_run(connection.recv(), connection.send))


def _run(job: Job, report: Report) -> Outcome:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with terminable():
            return job(report)
    except KeyboardInterrupt as stopped:  # a second signal, after the job has recorded its end
        return Outcome(job.label, status_of(stopped))
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
