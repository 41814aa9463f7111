"""Stop requests: Ctrl-C, and the signals with which a batch system or a terminal that is closed ends a command."""

from __future__ import annotations

import contextlib
import math
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, Literal


class Terminated(KeyboardInterrupt):
    """The process has to end soon, and the same command may be started again."""


STOP_SIGNALS: dict[signal.Signals, type[KeyboardInterrupt]] = {
    signal.SIGINT: KeyboardInterrupt,
    signal.SIGTERM: Terminated,
    signal.SIGHUP: Terminated,  # the terminal was closed
    signal.SIGUSR1: Terminated,  # batch systems announce the end of a job by one of these two
    signal.SIGUSR2: Terminated,
    signal.SIGXCPU: Terminated,  # the CPU time of `ulimit -St` is used
}
"""Exceptions by signal. Each of these signals would end the process; the others keep their meaning."""
_LIBRARIES = (signal.SIGUSR1, signal.SIGUSR2, signal.SIGXCPU)
"""Where a library has a handler for one of these, such as submitit for its preemption, it keeps it."""

SIGNAL_OF = {KeyboardInterrupt: signal.SIGINT, Terminated: signal.SIGTERM}
"""The signal with which a command asks its workers to stop."""
EXIT_STATUS = {KeyboardInterrupt: 130, Terminated: 75}
"""75 is EX_TEMPFAIL, which asks a batch system to start the job again."""


ONE_SIGNAL_SECONDS = 2.0
"""Signals within this time count as one: a terminal or a batch system sends it to a process and to its parent, and the
parent sends it once more."""


GRACE_SECONDS = 20.0
"""After a stop request, the jobs of a sweep or a figure have this long to record their state; then they are killed."""


def status_of(stopped: KeyboardInterrupt) -> Literal["interrupted", "terminated"]:
    """Return the status of a run, or a command, that this exception has ended."""
    return "terminated" if isinstance(stopped, Terminated) else "interrupted"


class StopRequest:
    """The signal that has arrived, if any.

    Attributes
    ----------
    kind : type or None
        `KeyboardInterrupt` or `Terminated`; None: no signal yet.
    """

    kind: type[KeyboardInterrupt] | None = None
    _first = math.inf

    def raise_if_set(self) -> None:
        """Raise `kind` if a signal has arrived."""
        if self.kind is not None:
            raise self.kind

    def take(self, number: int) -> Literal["first", "same", "late"]:
        """Note a signal; return whether it is the first, counts as the same one, or is a later one."""
        if self.kind is not Terminated:
            self.kind = STOP_SIGNALS[signal.Signals(number)]
        now = time.monotonic()
        if math.isinf(self._first):
            self._first = now
            return "first"
        return "late" if now - self._first > ONE_SIGNAL_SECONDS else "same"

    def forget(self) -> None:
        """Forget the signal that has arrived."""
        self.kind, self._first = None, math.inf


_request: StopRequest | None = None
"""That of the outermost block below; a signal to a process is one signal for all blocks that it is in."""


@contextlib.contextmanager
def terminable() -> Iterator[None]:
    """Make each of `STOP_SIGNALS` raise its exception in this block.

    A library may catch it and raise its own error, so after the signal any error becomes that exception.
    """
    with _shared_request() as stop_request:

        def end(number: int, _: object) -> None:
            if stop_request.take(number) != "same":
                raise STOP_SIGNALS[signal.Signals(number)]

        with _handled(end, *STOP_SIGNALS):
            try:
                yield
            except Exception as error:
                if stop_request.kind is not None:
                    raise stop_request.kind from error
                raise


@contextlib.contextmanager
def deferred(*, always: bool = False, on_signal: Callable[[], None] = lambda: None) -> Iterator[StopRequest]:
    """Store `STOP_SIGNALS` as a stop request in here; one that comes `ONE_SIGNAL_SECONDS` later raises at once.

    Parameters
    ----------
    always : bool
        Never raise, because other ranks wait for this process; and store Ctrl-C also if it was ignored, as in a
        command that a shell runs in the background.
    on_signal : callable
        Called at the first signal, and at those that come `ONE_SIGNAL_SECONDS` later.
    """
    with _shared_request() as stop_request:

        def store(number: int, _: object) -> None:
            arrival = stop_request.take(number)
            if arrival == "late" and not always:
                raise STOP_SIGNALS[signal.Signals(number)]
            if arrival != "same":
                on_signal()

        with _handled(store, *STOP_SIGNALS, ignored=[signal.SIGINT] if always else []):
            yield stop_request


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Ignore these signals while a record is written: a second Ctrl-C must not damage the record."""
    with _handled(signal.SIG_IGN, *STOP_SIGNALS):
        yield


@contextlib.contextmanager
def blocked(*numbers: signal.Signals) -> Iterator[None]:
    """Let these signals wait for the end of the block; a process that is started in it has them blocked."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextlib.contextmanager
def restored() -> Iterator[None]:
    """Restore the handlers of `STOP_SIGNALS` when the block ends. Main thread only."""
    before = {number: signal.getsignal(number) for number in STOP_SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def leave_at_signals() -> None:
    """End this process at a signal from now on, with one line: for a command that is still imported.

    An exception would not do: what is imported may catch it, or show it as an error of its own.
    """

    def leave(number: int, _: object) -> None:
        if _request is not None:  # it has begun; another thread got the signal between two handlers
            return
        kind = STOP_SIGNALS[signal.Signals(number)]
        os.write(2, f"{status_of(kind())}\n".encode())
        os._exit(EXIT_STATUS[kind])

    _set(leave, *STOP_SIGNALS)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)


def ignore_signals() -> None:
    """Ignore `STOP_SIGNALS` from now on: the command has ended, and only the process is left."""
    for number in STOP_SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def pass_over_signals() -> None:
    """Make this worker do nothing at `STOP_SIGNALS` except SIGTERM, outside the blocks above: its parent stops it.

    A terminal sends Ctrl-C and SIGHUP to all processes of a command.
    """

    def do_nothing(number: int, _: object) -> None:
        del number

    _set(do_nothing, *(STOP_SIGNALS.keys() - {signal.SIGTERM}), ignored=[signal.SIGINT])  # which pebble ignores


def send_again(unraisable: sys.UnraisableHookArgs) -> None:
    """Send a signal once more whose exception Python could not raise, as in a finalizer; a `sys.unraisablehook`."""
    if not issubclass(unraisable.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)
        return
    if _request is not None:
        _request.forget()
    number = SIGNAL_OF[Terminated if issubclass(unraisable.exc_type, Terminated) else KeyboardInterrupt]
    threading.Timer(0.02, os.kill, (os.getpid(), number)).start()  # after the finalizer


@contextlib.contextmanager
def _shared_request() -> Iterator[StopRequest]:
    global _request
    if threading.current_thread() is not threading.main_thread() or _request is not None:
        yield _request or StopRequest()
        return
    _request = StopRequest()
    try:
        yield _request
    finally:
        _request = None


@contextlib.contextmanager
def _handled(
    handler: Callable[..., None] | signal.Handlers, *numbers: signal.Signals, ignored: Any = ()
) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():  # signals go to the main thread only
        yield
        return
    with restored():
        _set(handler, *numbers, ignored=ignored)
        yield


def _set(handler: Callable[..., None] | signal.Handlers, *numbers: signal.Signals, ignored: Any = ()) -> None:
    """Set a handler, but not where the signal is ignored, as by nohup, unless it is among `ignored`."""
    for number in numbers:
        before = signal.getsignal(number)
        is_ours = before is signal.SIG_DFL or getattr(before, "__module__", None) == __name__
        if number in ignored or (before is not signal.SIG_IGN and (is_ours or number not in _LIBRARIES)):
            signal.signal(number, handler)
