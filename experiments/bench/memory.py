"""Memory use of the whole machine while something runs."""

from __future__ import annotations

import threading
from types import TracebackType

import psutil

PAUSE_SECONDS = 0.1
"""Seconds between two measurements."""


class Watch:
    """Measures the machine's memory in a thread while a ``with`` block runs.

    What counts is what the system could not give away: shared memory, where Gram matrices lie, and whatever else runs.

    Attributes
    ----------
    start, highest : int
        Bytes in use at the beginning, and at most.
    """

    def __init__(self) -> None:
        self.start = self.highest = 0
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Watch:
        self.start = self.highest = _in_use()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._end.wait(PAUSE_SECONDS):
            self.highest = max(self.highest, _in_use())


def _in_use() -> int:
    memory = psutil.virtual_memory()
    return int(memory.total - memory.available)  # older psutil leave shared memory out of `used`
