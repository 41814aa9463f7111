"""A rank that `experiments.engine.start` has started: ``python -m experiments.engine.started FOLDER``."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Mapping
from functools import partial
from multiprocessing.connection import Client, Connection
from pathlib import Path
from typing import Any

import solvers
from experiments.configuration.settings import RunSettings
from experiments.engine import ranks
from experiments.engine.start import JOB, SOCKET, Job
from experiments.processes.mpirun import place
from experiments.processes.outcome import Outcome
from experiments.run.console import Curve, Display, Facts
from experiments.run.errors import outcome_of


class Told(Display):
    """Hands on everything that a run says."""

    def __init__(self, connection: Connection[Any, Any], pause: float) -> None:
        self._connection = connection
        self.pause = pause

    def note(self, text: str) -> None:  # noqa: D102 (inherited)
        self._tell("note", text)

    def warn(self, text: str) -> None:  # noqa: D102 (inherited)
        self._tell("warn", text)

    def header(  # noqa: D102 (inherited)
        self, run: RunSettings, facts: Facts, settings: Mapping[str, Any], origins: Mapping[str, str]
    ) -> None:
        self._tell("header", run, dict(facts), dict(settings), dict(origins))

    def progress(  # noqa: D102 (inherited)
        self, fraction: float, point: Mapping[str, Any], latest: Mapping[str, Any] | None
    ) -> None:
        self._tell("progress", fraction, dict(point), latest)

    def finished(  # noqa: D102 (inherited)
        self, result: Mapping[str, Any], curve: Callable[[], Curve], *, found: bool
    ) -> None:
        self._tell("finished", dict(result), partial(list, curve()), found=found)

    def result_path(self, path: Path) -> None:  # noqa: D102 (inherited)
        self._tell("result_path", path)

    def close(self) -> None:  # noqa: D102 (inherited)
        self._tell("close")

    def _tell(self, name: str, *words: Any, **named: Any) -> None:
        self._connection.send((name, words, named))


def main(folder: Path) -> int:
    """Make the run as the rank that this process is, and return its exit status."""
    solvers.names()  # loads the users' own, whose classes the settings name
    job: Job = pickle.loads((folder / JOB).read_bytes())
    if place().rank:
        return _make(job, Display()).exit_code
    with Client(str(folder / SOCKET), "AF_UNIX") as connection:
        outcome = _make(job, Told(connection, job.pause))
        connection.send(outcome)
    return outcome.exit_code


def _make(job: Job, display: Display) -> Outcome:
    return outcome_of(lambda: ranks.run(job.settings, display, job.command), job.settings.label)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
