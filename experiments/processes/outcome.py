"""The outcome of one run, as a small JSON file that a sweep's job writes for the sweep."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from experiments.processes.stopping import Terminated
from support.files import write_file

OutcomeStatus = Literal["finished", "found", "interrupted", "terminated", "refused", "failed", "killed"]

EXIT_CODES: Mapping[OutcomeStatus, int] = {
    "finished": 0,
    "found": 0,
    "interrupted": 130,
    "terminated": 75,
    "refused": 2,
    "failed": 1,
    "killed": 1,
}
"""`refused`: the user's error (settings, data, store). `failed`: a fault of the program. `killed`: written at the
start, overwritten at the end. `terminated` (SIGTERM): EX_TEMPFAIL, which asks a batch system to start the job again."""

STOPPED: tuple[OutcomeStatus, ...] = ("interrupted", "terminated")
"""Stopped by Ctrl-C, or by SIGTERM."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of one run.

    Attributes
    ----------
    label : str
        Short name of the run.
    status : str
        ``finished`` (computed now), ``found`` (was in the store), ``interrupted`` (Ctrl-C), ``terminated`` (SIGTERM),
        ``refused``, ``failed``, or ``killed``: written when a job of a sweep starts, overwritten at its end; it
        remains only if the process dies.
    message : str
        What went wrong, for the user; empty if nothing did.
    algo, dataset, seed
        Of the run; None if its settings were refused.
    result_path : str or None
        Absolute path of result.json.
    test_error : float or None
        Fraction.
    epochs, kernel_evaluations, inner_products, feature_accesses, cpu_seconds : float or None
        Cost of the run.
    overrides : tuple of str
        ``name=value`` of each setting on the command line.
    attempts : int
        Number of attempts; more than 1 if its process was killed.
    key : str or None
        Identity of the run, if it has a record.
    """

    label: str
    status: OutcomeStatus
    message: str = ""
    algo: str | None = None
    dataset: str | None = None
    seed: int | None = None
    result_path: str | None = None
    test_error: float | None = None
    epochs: float | None = None
    kernel_evaluations: float | None = None
    inner_products: float | None = None
    feature_accesses: float | None = None
    cpu_seconds: float | None = None
    overrides: tuple[str, ...] = ()
    attempts: int = 1
    key: str | None = None

    @property
    def exit_code(self) -> int:
        """Exit status of a command with this run only."""
        return EXIT_CODES[self.status]

    @property
    def line(self) -> str:
        """One line: which run, how it ended, and the first line of its message, if there is one."""
        return ": ".join([self.label, self.status, *self.message.splitlines()[:1]])

    @classmethod
    def of_result(cls, label: str, status: OutcomeStatus, result: Mapping[str, Any], path: Path | None) -> Outcome:
        """Outcome of a run with a record (the content of result.json)."""
        counters = result["counters"]
        return cls(
            label=label,
            status=status,
            algo=result["algo"],
            dataset=result["dataset"],
            seed=result["seed"],
            result_path=None if path is None else str(path.resolve()),
            test_error=result["final"].get("test_error"),
            epochs=counters.get("epochs"),
            kernel_evaluations=counters.get("kernel_evaluations"),
            inner_products=counters.get("inner_products"),
            feature_accesses=counters.get("feature_accesses"),
            cpu_seconds=result["cpu_seconds"],
            key=result["key"],
        )

    def write(self, path: Path) -> None:
        """Write this outcome to a JSON file, atomically."""
        write_file(path, (json.dumps(dataclasses.asdict(self), indent=2) + "\n").encode(), sync=False)

    @classmethod
    def read(cls, path: Path) -> Outcome:
        """Read an outcome that `write` wrote."""
        content = json.loads(path.read_text(encoding="utf-8"))
        return cls(**content | {"overrides": tuple(content["overrides"])})


def exit_code(outcomes: list[Outcome]) -> int:
    """Return the exit status of a command with all of these runs: 1 before 130, 75 and 2."""
    codes = {outcome.exit_code for outcome in outcomes}
    return next((code for code in (1, 130, 75, 2) if code in codes), 0)


def status_of(stopped: KeyboardInterrupt) -> OutcomeStatus:
    """Return the status of a run, or a command, that this exception has ended."""
    return "terminated" if isinstance(stopped, Terminated) else "interrupted"
