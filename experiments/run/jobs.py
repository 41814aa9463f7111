"""Runs as jobs of a sweep or a figure: their reports to the command, and the line that the command shows."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from ...support.text import number_of
from ..configuration.settings import RunSettings
from ..processes.outcome import STOPPED, Outcome
from ..processes.pool import Event, Report
from .console import Display

REPORT_SECONDS = 0.5
"""A run reports its progress at this interval."""


class ReportingDisplay(Display):
    """Reports a run's notes and, every `REPORT_SECONDS`, the fraction of its budget."""

    def __init__(self, report: Report, label: str) -> None:
        self._report = report
        self._label = label
        self._last = time.monotonic()

    def note(self, text: str) -> None:
        """See `Display.note`."""
        self._report(text)

    def warn(self, text: str) -> None:
        """See `Display.warn`."""
        super().warn(f"{self._label}: {text}")

    def header(self, run: RunSettings, facts: Mapping[str, str]) -> None:
        """Report that the solver begins: the last note ends."""
        self._report(0.0)

    def progress(self, fraction: float, point: Mapping[str, Any], latest: Mapping[str, Any] | None) -> None:
        """See `Display.progress`."""
        now = time.monotonic()
        if now - self._last >= REPORT_SECONDS:
            self._last = now
            self._report(fraction)


class RunsLine:
    """The text of a progress line on `count` runs: how many are done, how many are not, and what runs now.

    Attributes
    ----------
    is_measured : bool
        Whether a run was computed to its end: only then is it known how long the others may take.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._now: dict[int, str] = {}
        self.ended: list[Outcome] = []
        self.is_measured = False

    def after(self, event: Event, label: str) -> str:
        """Record an event of the run called `label`, and return the new text of the line."""
        self._now[event.index] = f"{label}: {event.note}" if event.note else label
        if event.outcome is not None:
            self.ended.append(event.outcome)
            self.is_measured |= event.outcome.status == "finished"
            del self._now[event.index]
        stopped = sum(outcome.status in STOPPED for outcome in self.ended)
        wrong = sum(outcome.exit_code != 0 for outcome in self.ended) - stopped
        counts = [f", {count} {how}" for count, how in ((wrong, "went wrong"), (stopped, "stopped")) if count]
        parts = [f"{len(self.ended) - stopped} of {number_of(self._count, 'run')}{''.join(counts)}"]
        return "; now ".join([*parts, *([", ".join(self._now.values())] if self._now else [])])
