"""Where the jobs of a sweep say that they begin and how they ended, so that one whose process dies is made again."""

from __future__ import annotations

import dataclasses
import enum
import fcntl
from pathlib import Path
from typing import IO, Protocol

from experiments.processes.outcome import Outcome

ATTEMPTS = 3
"""So often a job begins whose process is killed: what kills it may be its own want of memory."""


class Desk(Protocol):
    """What a job reports to."""

    def begin(self, number: int, outcome: Outcome) -> Outcome | None:
        """Say that a job begins.

        Parameters
        ----------
        number : int
            Of the job.
        outcome : Outcome
            What is to be said of it if nothing more is heard: that it was killed.

        Returns
        -------
        Outcome or None
            What has become of it already, if it is not to be made; None: it is.
        """

    def end(self, number: int, outcome: Outcome) -> None:
        """Say what became of a job."""


def attempt(outcome: Outcome, before: Outcome | None) -> Outcome | None:
    """Return what is to be said of a job that begins, or begins again; None if it has ended, or too often."""
    if before is None:
        return outcome
    if not may_go_on(before):
        return None
    times = before.attempts + 1
    return dataclasses.replace(outcome, attempts=times, message=f"its process was killed {times} times")


def may_go_on(outcome: Outcome) -> bool:
    """Whether a job was killed, and may be made again."""
    return outcome.status == "killed" and outcome.attempts < ATTEMPTS


class Turn(enum.Enum):
    """Which jobs are made when a sweep goes on.

    joblib kills the jobs of all workers when one worker has died. So those are made again one at a time, after all
    others: one that dies again does not take others along.
    """

    REST = "all but those that were killed"
    KILLED = "those that were killed, one at a time"


class Folder:
    """A desk that is a folder: a file for each job.

    Parameters
    ----------
    path : Path
        The sweep's folder, which exists.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._alone: IO[str] | None = None

    def begin(self, number: int, outcome: Outcome) -> Outcome | None:
        """See `Desk`."""
        turn, file = self._turn(), self._file(number)
        if turn is Turn.KILLED:
            self._alone = (self.path / ".alone").open("a")
            fcntl.flock(self._alone, fcntl.LOCK_EX)  # until the job ends, or its process
        before = Outcome.read(file) if file.exists() else None
        begun = attempt(outcome, before)
        if begun is None or (before is not None and turn is Turn.REST):
            self._release()
            return before
        begun.write(file)
        return None

    def end(self, number: int, outcome: Outcome) -> None:
        """See `Desk`."""
        outcome.write(self._file(number))
        self._release()

    def outcomes(self) -> list[Outcome]:
        """Outcomes of all jobs that began, in the order of the jobs."""
        return [Outcome.read(file) for file in sorted(self.path.glob("job-*.json"))]

    def next_turn(self, known: list[Outcome], *, broken: bool) -> list[Outcome] | None:
        """Prepare to go on with what is missing, if there is anything.

        Parameters
        ----------
        known : list of Outcome
            What the last call returned; at first nothing.
        broken : bool
            A worker was killed, and with it the sweep.

        Returns
        -------
        list of Outcome or None
            What has become of the jobs; None if there is nothing to go on with, or no getting on.
        """
        now = self.outcomes()
        waiting = any(map(may_go_on, now))
        if not (broken or waiting) or now == known:
            return None
        turn = Turn.REST if broken and self._turn() is not Turn.KILLED else Turn.KILLED
        (self.path / ".turn").write_text(turn.name, encoding="utf-8")
        return now

    def _turn(self) -> Turn | None:
        try:
            return Turn[(self.path / ".turn").read_text(encoding="utf-8")]
        except FileNotFoundError:
            return None

    def _file(self, number: int) -> Path:
        return self.path / f"job-{number:05d}.json"

    def _release(self) -> None:
        if self._alone is not None:
            self._alone.close()
            self._alone = None
