"""The runs of figures as jobs of worker processes on this machine."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from experiments import engine
from experiments.configuration.settings import RunSettings
from experiments.processes.forkserver import preload
from experiments.processes.outcome import Outcome
from experiments.processes.pool import Event, Report, run_jobs
from experiments.run.console import Display
from experiments.run.errors import outcome_of

REPORT_SECONDS = 0.5
"""A run reports its progress at this interval."""


@dataclass(frozen=True)
class FigureRun:
    """One run of a figure.

    Attributes
    ----------
    settings : RunSettings
    command : tuple of str
        The command line, for the record.
    """

    settings: RunSettings
    command: tuple[str, ...]

    @property
    def label(self) -> str:
        """The run's short name."""
        return self.settings.label()

    def __call__(self, report: Report, /) -> Outcome:
        """Make the run and return its outcome; see `experiments.processes.pool.Job`."""
        return outcome_of(
            lambda: engine.run(self.settings, ReportingDisplay(report), self.command), self.settings.label
        )


class ReportingDisplay(Display):
    """Reports a run's notes and, every `REPORT_SECONDS`, the fraction of its budget."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._last = time.monotonic()

    def note(self, text: str) -> None:
        """See `Display.note`."""
        self._report(text)

    def progress(self, fraction: float, point: Mapping[str, Any], latest: Mapping[str, Any] | None) -> None:
        """See `Display.progress`."""
        del point, latest
        now = time.monotonic()
        if now - self._last >= REPORT_SECONDS:
            self._last = now
            self._report(fraction)


def make_runs(runs: Sequence[RunSettings], jobs: int, command: Sequence[str]) -> Iterator[Event]:
    """Make runs, at most `jobs` at a time; see `experiments.processes.pool.run_jobs`."""
    return run_jobs([FigureRun(settings, tuple(command)) for settings in runs], jobs)


preload("experiments.launchers.preloaded", __name__)
