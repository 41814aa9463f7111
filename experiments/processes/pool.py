"""Runs jobs in the worker processes of a pool, several at a time, and yields their reports.

`WorkerPool` has workers on this machine; `experiments.launchers.cluster.RayPool` has those of a Ray cluster.
"""

from __future__ import annotations

import contextlib
import math
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from typing import Any, Protocol

from pebble import ProcessExpired, ProcessPool

from ... import solvers
from .messages import WorkerMessages, tell_plainly, write_to
from .outcome import STOPPED, Outcome
from .stopping import (
    GRACE_SECONDS,
    SIGNAL_OF,
    STOP_SIGNALS,
    blocked,
    deferred,
    pass_over_signals,
    send_again,
    status_of,
    terminable,
)
from .streams import tolerate

ATTEMPTS = 3
"""Attempts at a job whose process is killed; the job itself may exhaust the memory."""
POLL_SECONDS = 0.5
"""Stop signals and reports are checked at this interval."""

_CONTEXT = multiprocessing.get_context("spawn")  # threads of BLAS and sqlite do not survive a fork

Report = Callable[[float | str], None]
"""Takes the fraction of a job that is done, or a note on what it does before it starts to count."""


class Job(Protocol):
    """A callable for a worker; it can be pickled and does not raise."""

    @property
    def label(self) -> str:
        """Short name."""

    def __call__(self, report: Report, /) -> Outcome:
        """Run the job and return its outcome."""


@dataclass(frozen=True)
class Event:
    """A report of a job: that it starts (fraction 0), its progress, or (with `outcome`) its end."""

    index: int
    """Position among the jobs given to `run_jobs`."""
    fraction: float
    outcome: Outcome | None = None
    note: str = ""
    """What the job does before it starts to count: loading data, building the Gram matrix."""

    def after(self, report: float | str) -> Event:
        """Return the event that follows this one when the job reports a fraction or a note."""
        return replace(self, note=report) if isinstance(report, str) else Event(self.index, report)


class Pool(Protocol):
    """Worker processes."""

    size: int
    """Jobs at a time."""
    attempts: int
    """Attempts that the pool itself makes at a job whose process is killed."""

    def submit(self, index: int, job: Job) -> Future[Outcome]:
        """Start a job, and name it by its index in reports."""

    def reports(self) -> Iterable[tuple[int, float | str]]:
        """Return indexes of jobs and their reports since the last call."""

    def stop(self, indexes: Collection[int], number: signal.Signals) -> None:
        """Ask jobs to record what they have reached, and to end."""

    def death(self, error: BaseException) -> str | None:
        """Say how a job's process died; None if the error is another."""


def run_jobs(jobs: Sequence[Job], pool: Pool) -> Iterator[Event]:
    """Run jobs in order and yield their reports in the order of time; each job that ends has one event with an outcome.

    A job whose process is killed is retried before the waiting ones, at most `ATTEMPTS` times in all.

    Raises KeyboardInterrupt for Ctrl-C, or `Terminated`, after the running jobs have recorded their state.
    """
    waiting = deque(range(len(jobs)))
    attempts: Counter[int] = Counter()
    running: dict[int, Future[Outcome]] = {}
    last: dict[int, Event] = {}
    deadline = math.inf
    with deferred() as stop_request:
        try:
            while (waiting or running) and time.monotonic() < deadline:
                if stop_request.kind is not None and deadline == math.inf:
                    waiting.clear()
                    deadline = time.monotonic() + GRACE_SECONDS
                    pool.stop(running, SIGNAL_OF[stop_request.kind])
                    last = {index: replace(last.get(index, Event(index, 0.0)), note="stopping") for index in running}
                    yield from list(last.values())
                while waiting and len(running) < pool.size:
                    index = waiting.popleft()
                    attempts[index] += pool.attempts
                    running[index] = pool.submit(index, jobs[index])
                done, _ = wait(running.values(), timeout=POLL_SECONDS, return_when=FIRST_COMPLETED)
                for index, report in [*pool.reports()]:
                    if index in running and deadline == math.inf:  # else all are stopping
                        last[index] = last.get(index, Event(index, 0.0)).after(report)
                        yield last[index]
                for index in [index for index, future in running.items() if future in done]:
                    outcome = _outcome(running.pop(index), jobs[index].label, pool, attempts[index], stop_request.kind)
                    before = last.pop(index, Event(index, 0.0))
                    if outcome.status == "killed" and attempts[index] < ATTEMPTS and stop_request.kind is None:
                        waiting.appendleft(index)
                        yield Event(index, 0.0, note=f"killed; attempt {attempts[index] + 1} of {ATTEMPTS}")
                    else:
                        yield Event(index, before.fraction if outcome.status in STOPPED else 1.0, outcome)
                if not done:
                    yield from list(last.values())  # progress lines go on without news
        finally:
            if running and deadline == math.inf:  # an error, or the caller does not go on: no job may outlive this
                pool.stop(running, signal.SIGINT)
                wait(running.values(), timeout=GRACE_SECONDS)
        stop_request.raise_if_set()


def _outcome(
    future: Future[Outcome], label: str, pool: Pool, attempts: int, stopped: type[KeyboardInterrupt] | None
) -> Outcome:
    try:
        outcome = future.result()
    except Exception as error:
        if stopped is not None:
            return Outcome(label, status_of(stopped()), "not started")
        if (death := pool.death(error)) is not None:
            return Outcome(label, "killed", f"{death}, {attempts} times" if attempts > 1 else death, attempts=attempts)
        return Outcome(label, "failed", f"{type(error).__name__}: {error}")
    if stopped is not None and outcome.status in STOPPED:  # a pool may stop jobs by another signal
        outcome = replace(outcome, status=status_of(stopped()))
    return replace(outcome, attempts=attempts // pool.attempts)


class WorkerPool:
    """`size` worker processes of this machine, which end with this process."""

    attempts = 1

    def __init__(self, size: int) -> None:
        self.size = size
        self._reader, self._writer = _CONTEXT.Pipe(duplex=False)
        self._number: signal.Signals | None = None
        self._processes: dict[int, int] = {}
        output, self._output = _CONTEXT.Pipe(duplex=False)
        self._messages = WorkerMessages(output)
        self._pool = self._started()

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.stop()  # type: ignore[no-untyped-call]
        for process in multiprocessing.active_children():
            process.kill()  # one that is still importing would say that its pool has gone
        self._pool.join()
        self._reader.close()
        self._writer.close()
        self._output.close()
        self._messages.close()

    def submit(self, index: int, job: Job) -> Future[Outcome]:
        """See `Pool.submit`."""
        if not self._pool.active:  # its last worker was killed between two jobs
            self._pool.join()
            self._pool = self._started()
        self._processes.pop(index, None)
        future: Future[Outcome] = self._pool.schedule(_run, args=(index, job))
        return future

    def reports(self) -> Iterator[tuple[int, float | str]]:
        """See `Pool.reports`."""
        while self._reader.poll():
            index, process, report = self._reader.recv()
            is_new = self._processes.get(index) != process
            self._processes[index] = process
            if is_new and self._number is not None:  # the job began while the others were asked to stop
                self.stop([index], self._number)
            yield index, report

    def stop(self, indexes: Collection[int], number: signal.Signals) -> None:
        """See `Pool.stop`."""
        self._number = number
        for index in indexes:
            if (process := self._processes.get(index)) is not None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, number)

    def death(self, error: BaseException) -> str | None:
        """See `Pool.death`."""
        if isinstance(error, ProcessExpired):
            return f"its process ended with status {error.exitcode}"
        return "its process was killed" if isinstance(error, BrokenProcessPool) else None

    def _started(self) -> ProcessPool:
        """Return a pool whose threads and processes have signals blocked until a worker begins (`_begin`).

        A terminal sends Ctrl-C and SIGHUP to all processes, also to those that import modules, and to Python's resource
        tracker, which expects Ctrl-C only. SIGTERM ends a worker that imports, in silence: a pool that stops sends it
        after it has closed what the worker would open next.
        """
        pool = ProcessPool(self.size, initializer=_begin, initargs=(self._writer, self._output), context=_CONTEXT)
        further_signals = STOP_SIGNALS.keys() - {signal.SIGINT, signal.SIGTERM}
        with blocked(*further_signals):
            resource_tracker.ensure_running()  # unblocks SIGINT, also if it is started later
            with blocked(signal.SIGINT):
                assert pool.active  # starts it
        return pool


_writer: Connection[Any, Any]
"""Of a worker: takes its reports. One write of a pipe is whole, so it needs no lock that a killed worker would keep."""


def _begin(writer: Connection[Any, Any], output: Connection[Any, Any]) -> None:
    """Prepare a worker."""
    global _writer
    _writer = writer
    write_to(output)
    tolerate()  # the parent may have gone
    tell_plainly()
    sys.unraisablehook = send_again
    pass_over_signals()
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    solvers.names()  # imports the users' own solvers, whose classes the jobs name


def _end_with_parent() -> None:
    """End with the parent process; a worker that outlives it would compute what the user starts again meanwhile."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _run(index: int, job: Job) -> Outcome:
    """Run a job in a worker."""

    def report(progress: float | str) -> None:
        _writer.send((index, os.getpid(), progress))

    try:
        with terminable():
            report(0.0)
            return job(report)
    except KeyboardInterrupt as stopped:  # before the job has begun, or a second signal after its end
        return Outcome(job.label, status_of(stopped))
