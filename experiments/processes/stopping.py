"""How a run is asked to stop: by Ctrl-C, or by SIGTERM, with which a batch system ends what it may start again."""

from __future__ import annotations

import contextlib
import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any


class Terminated(KeyboardInterrupt):
    """SIGTERM: whoever sends it wants the process to end soon, and may start the same command again."""


ASKED: dict[signal.Signals, type[KeyboardInterrupt]] = {signal.SIGINT: KeyboardInterrupt, signal.SIGTERM: Terminated}
"""What each signal raises."""


HURRY_SECONDS = 2.0
"""Signals within this time are one: a terminal, or a batch system, sends it to a process and to its parent, who passes
it on."""


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
    """SIGTERM raises `Terminated` in here, as Ctrl-C raises KeyboardInterrupt anywhere."""

    def end(*_: object) -> None:
        raise Terminated

    with _handled(end, signal.SIGTERM):
        yield


@contextlib.contextmanager
def deferred(*, always: bool = False, heard: Callable[[], None] = lambda: None) -> Iterator[StopRequest]:
    """Store Ctrl-C and SIGTERM as a stop request in here; one that comes `HURRY_SECONDS` later raises at once.

    Parameters
    ----------
    always : bool
        Never raise, as others wait for this process; and hear Ctrl-C also where it was ignored, as it is by what a
        shell runs in the background.
    heard : callable
        Called for the first signal, and for those that come `HURRY_SECONDS` later.
    """
    stop_request = StopRequest()
    first = math.inf

    def hear(number: int, _: object) -> None:
        nonlocal first
        late = time.monotonic() - first > HURRY_SECONDS
        if late and not always:
            raise ASKED[signal.Signals(number)]
        if stop_request.kind is not Terminated:
            stop_request.kind = ASKED[signal.Signals(number)]
        if late or math.isinf(first):
            heard()
        first = min(first, time.monotonic())

    with _handled(hear, *ASKED, ignored=always):
        yield stop_request


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Ignore both while a record is written: a second one must not spoil what the first one asked for."""
    with _handled(signal.SIG_IGN, *ASKED):
        yield


@contextlib.contextmanager
def restored() -> Iterator[None]:
    """Put the handlers of SIGINT and SIGTERM back at the end: what is called in here sets its own. Main thread only."""
    before = {number: signal.getsignal(number) for number in ASKED}
    try:
        yield
    finally:
        for number, own in before.items():
            signal.signal(number, own)


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
