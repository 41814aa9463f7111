"""Prints what is being done and, every few seconds, for how long: for work whose progress is unknown."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable

from svm_cost_curves.experiments.processes.stopping import STOP_SIGNALS

PAUSE = 5.0
"""Seconds between two lines in the first minute."""
LATER_PAUSE = 30.0
"""Seconds between two lines after it."""


def pause_after(elapsed: float) -> float:
    """Return how many seconds a command that does not redraw is silent, so many seconds after its beginning."""
    return PAUSE if elapsed < 60.0 else LATER_PAUSE


class ElapsedTime:
    """Gives `write` lines on one piece of work after another, from a thread that ends with the piece."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._over = threading.Event()

    def begin(self, text: str, *, after: float = 0.0) -> None:
        """Begin the piece of work `text`: name it now, or `after` seconds if it has not ended by then."""
        self.end()
        over = self._over = threading.Event()
        if not after:
            self._write(text)
        threading.Thread(target=self._repeat, args=(text, over, after), name="elapsed time", daemon=True).start()

    def end(self) -> None:
        """End the piece of work: write nothing more on it."""
        self._over.set()

    def _repeat(self, text: str, over: threading.Event, after: float) -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)  # the main thread may have to block them for a moment
        begun = time.monotonic()
        pause = after or PAUSE
        while not over.wait(pause):
            elapsed = time.monotonic() - begun
            self._write(f"{text}, {elapsed:.0f} s" if elapsed >= PAUSE else text)
            pause = pause_after(elapsed)
