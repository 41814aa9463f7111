"""The outcome of one run, whatever it raises; that of a sweep's job is a small JSON file in the sweep's folder."""

from __future__ import annotations

import dataclasses
import json
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from svm_cost_curves.experiments.processes.stopping import Terminated
from svm_cost_curves.experiments.processes.streams import print_error
from svm_cost_curves.support.errors import NotFiniteError, UserError
from svm_cost_curves.support.files import write_file

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
"""`refused`: the user's error (settings, data, store). `failed`: a fault of the program. `terminated` (SIGTERM):
EX_TEMPFAIL, which asks a batch system to start the job again."""

STOPPED: tuple[OutcomeStatus, ...] = ("interrupted", "terminated")
"""Stopped by Ctrl-C, or by SIGTERM."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of one run. Costs and the test error (a fraction) are those of its record, None without one."""

    label: str
    """Short name of the run."""
    status: OutcomeStatus
    """``finished`` (computed now), ``found`` (was in the store), ``interrupted`` (Ctrl-C), ``terminated`` (SIGTERM),
    ``refused``, ``failed``, or ``killed`` (its process died)."""
    message: str = ""
    """What went wrong, for the user; empty if nothing did."""
    algo: str | None = None
    dataset: str | None = None
    seed: int | None = None
    result_path: str | None = None
    """Absolute path of result.json."""
    test_error: float | None = None
    epochs: float | None = None
    kernel_evaluations: float | None = None
    inner_products: float | None = None
    feature_accesses: float | None = None
    cpu_seconds: float | None = None
    overrides: tuple[str, ...] = ()
    """``name=value`` of each setting on the command line."""
    attempts: int = 1
    """More than 1 if its process was killed."""
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
    def of_result(cls, label: str, status: OutcomeStatus, result: Mapping[str, Any], path: Path) -> Outcome:
        """Outcome of a run with a record: the content of result.json, and its path."""
        counts = ("epochs", "kernel_evaluations", "inner_products", "feature_accesses")
        return cls(
            label,
            status,
            result_path=str(path.resolve()),
            test_error=result["final"].get("test_error"),
            **{name: result[name] for name in ("algo", "dataset", "seed", "cpu_seconds", "key")},
            **{name: result["counters"].get(name) for name in counts},
        )

    def write(self, folder: Path, number: int) -> None:
        """Write the outcome of a sweep's job of this number to a JSON file of the sweep's folder, atomically."""
        content = json.dumps(dataclasses.asdict(self), indent=2) + "\n"
        write_file(folder / f"job-{number:05d}.json", content.encode(), sync=False)


def outcomes_in(folder: Path) -> list[Outcome]:
    """Return the outcomes in a sweep's folder, in the order of the jobs' numbers."""
    contents = [json.loads(file.read_text(encoding="utf-8")) for file in sorted(folder.glob("job-*.json"))]
    return [Outcome(**content | {"overrides": tuple(content["overrides"])}) for content in contents]


def exit_code(outcomes: Iterable[Outcome]) -> int:
    """Return the exit status of a command with all of these runs: 1 before 130, 75 and 2."""
    codes = {outcome.exit_code for outcome in outcomes}
    return next((code for code in (1, 130, 75, 2) if code in codes), 0)


def status_of(stopped: KeyboardInterrupt) -> OutcomeStatus:
    """Return the status of a run, or a command, that this exception has ended."""
    return "terminated" if isinstance(stopped, Terminated) else "interrupted"


def outcome_of(make: Callable[[], Outcome], label: Callable[[], str]) -> Outcome:
    """Return the outcome of a run, whatever it raises; a fault of the program is written with its traceback."""
    try:
        return make()
    except UserError as error:
        return Outcome(label(), "refused", str(error))
    except NotFiniteError as error:
        print_error(f"{label()}: failed: {error}")
        return Outcome(label(), "failed", str(error))
    except KeyboardInterrupt as stopped:
        return Outcome(label(), status_of(stopped), "before the solver had started: nothing recorded")
    except Exception as error:
        print_error(f"{label()}: failed\n{traceback.format_exc()}")
        return Outcome(label(), "failed", f"{type(error).__name__}: {error}")
