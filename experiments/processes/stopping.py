"""Stop requests: Ctrl-C, and SIGTERM, which a batch system sends to a job that it may start again."""

from __future__ import annotations

import contextlib
import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any


class Terminated(KeyboardInterrupt):
    """SIGTERM: the process has to end soon, and the same command may be started again."""


STOP_SIGNALS: dict[signal.Signals, type[KeyboardInterrupt]] = {
    signal.SIGINT: KeyboardInterrupt,
    signal.SIGTERM: Terminated,
}
"""Exceptions by signal."""


ONE_SIGNAL_SECONDS = 2.0
"""Signals within this time count as one: a terminal or a batch system sends it to a process and to its parent, and the
parent sends it once more."""


GRACE_SECONDS = 20.0
"""After a stop request, the jobs of a sweep or a figure have this long to record their state; then they are killed."""


class StopRequest:
    """The signal that has arrived, if any.

    Attributes
    ----------
    kind : type or None
        `KeyboardInterrupt` or `Terminated`; None: no signal yet.
    """

    kind: type[KeyboardInterrupt] | None = None

    def raise_if_set(self) -> None:
        """Raise `kind` if a signal has arrived."""
        if self.kind is not None:
            raise self.kind


@contextlib.contextmanager
def terminable() -> Iterator[None]:
    """Make SIGTERM raise `Terminated` in this block, as Ctrl-C raises KeyboardInterrupt.

    A library may catch it and raise its own error, so after the signal any error becomes `Terminated`.
    """
    arrived = False

    def end(*_: object) -> None:
        nonlocal arrived
        arrived = True
        raise Terminated

    with _handled(end, signal.SIGTERM):
        try:
            yield
        except Exception as error:
            if arrived:
                raise Terminated from error
            raise


@contextlib.contextmanager
def deferred(*, always: bool = False, on_signal: Callable[[], None] = lambda: None) -> Iterator[StopRequest]:
    """Store Ctrl-C and SIGTERM as a stop request in here; one that comes `ONE_SIGNAL_SECONDS` later raises at once.

    Parameters
    ----------
    always : bool
        Never raise, because other ranks wait for this process; and store Ctrl-C also if it was ignored, as in a
        command that a shell runs in the background.
    on_signal : callable
        Called at the first signal, and at those that come `ONE_SIGNAL_SECONDS` later.
    """
    stop_request = StopRequest()
    first = math.inf

    def store(number: int, _: object) -> None:
        nonlocal first
        late = time.monotonic() - first > ONE_SIGNAL_SECONDS
        if late and not always:
            raise STOP_SIGNALS[signal.Signals(number)]
        if stop_request.kind is not Terminated:
            stop_request.kind = STOP_SIGNALS[signal.Signals(number)]
        if late or math.isinf(first):
            on_signal()
        first = min(first, time.monotonic())

    with _handled(store, *STOP_SIGNALS, ignored=always):
        yield stop_request


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Ignore both signals while a record is written: a second Ctrl-C must not damage the record."""
    with _handled(signal.SIG_IGN, *STOP_SIGNALS):
        yield


@contextlib.contextmanager
def restored() -> Iterator[None]:
    """Restore the handlers of SIGINT and SIGTERM when the block ends. Main thread only."""
    before = {number: signal.getsignal(number) for number in STOP_SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _handled(handler: Callable[..., None] | signal.Handlers, *numbers: Any, ignored: bool = False) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():  # signals go to the main thread only
        yield
        return
    with restored():
        for number in numbers:
            if ignored or signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, handler)
        yield
