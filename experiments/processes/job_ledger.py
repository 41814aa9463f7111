"""Records that the jobs of a sweep begin and how they end: a job that was killed can be retried."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Protocol

from experiments.processes.outcome import Outcome

ATTEMPTS = 3
"""Attempts at a job whose process is killed; the job itself may exhaust the memory."""


class JobLedger(Protocol):
    """What a job reports to."""

    def begin(self, number: int, outcome: Outcome) -> Outcome | None:
        """Record that a job begins.

        Parameters
        ----------
        number : int
            The job's number in the sweep.
        outcome : Outcome
            Its outcome if nothing more is recorded: that it was killed.

        Returns
        -------
        Outcome or None
            Its earlier outcome if the job must not run again; None: it runs.
        """

    def end(self, number: int, outcome: Outcome) -> None:
        """Record the outcome of a job."""


def next_attempt(outcome: Outcome, before: Outcome | None) -> Outcome | None:
    """Return what is recorded when a job begins; None if it has ended, or was killed `ATTEMPTS` times.

    Parameters
    ----------
    outcome : Outcome
        What is recorded at the first attempt.
    before : Outcome or None
        What is recorded of earlier attempts.
    """
    if before is None:
        return outcome
    if before.status != "killed" or before.attempts >= ATTEMPTS:
        return None
    times = before.attempts + 1
    return dataclasses.replace(outcome, attempts=times, message=f"its process was killed {times} times")


class FolderLedger:
    """A ledger with one file for each job.

    Parameters
    ----------
    path : Path
        The sweep's folder, which exists.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def begin(self, number: int, outcome: Outcome) -> Outcome | None:
        """See `JobLedger.begin`."""
        file = self._file(number)
        before = Outcome.read(file) if file.exists() else None
        begun = next_attempt(outcome, before)
        if begun is None:
            return before
        begun.write(file)
        return None

    def end(self, number: int, outcome: Outcome) -> None:
        """See `JobLedger.end`."""
        outcome.write(self._file(number))

    def outcomes(self) -> list[Outcome]:
        """Return the outcomes of all jobs that began, in the order of their numbers."""
        return [Outcome.read(file) for file in sorted(self.path.glob("job-*.json"))]

    def _file(self, number: int) -> Path:
        return self.path / f"job-{number:05d}.json"
