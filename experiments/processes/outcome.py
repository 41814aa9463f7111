"""The outcome of one run, whatever it raises; that of a sweep's job is a small JSON file in the sweep's folder."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import logging
import traceback
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from ...support.errors import NotFiniteError, UserError
from ...support.files import open_plain, write_file
from ...support.forms import fault
from ...support.text import printable
from ...support.values import plain
from .stopping import EXIT_STATUS, Terminated, status_of, terminable
from .streams import print_error

if TYPE_CHECKING:
    from pydantic import TypeAdapter

log = logging.getLogger(__name__)

_MOST_BYTES: Final = 10**7
"""Of an outcome's file; a message may have a traceback."""

OutcomeStatus = Literal["finished", "found", "interrupted", "terminated", "refused", "failed", "killed"]

EXIT_CODES: Mapping[OutcomeStatus, int] = {
    "finished": 0,
    "found": 0,
    "interrupted": EXIT_STATUS[KeyboardInterrupt],
    "terminated": EXIT_STATUS[Terminated],
    "refused": 2,
    "failed": 1,
    "killed": 1,
}
"""`refused`: the user's error (settings, data, store). `failed`: a fault of the program."""

STOPPED: tuple[OutcomeStatus, ...] = ("interrupted", "terminated")
"""Stopped by Ctrl-C, or by another of `stopping.STOP_SIGNALS`."""


@dataclass(frozen=True)
class Outcome:
    """The outcome of one run. Costs and test error (a fraction) are copied from its record; None if there is none."""

    __pydantic_config__: ClassVar = {"extra": "forbid", "strict": True, "allow_inf_nan": False}

    label: str
    """Short name of the run."""
    status: OutcomeStatus
    """``finished`` (computed now), ``found`` (was in the store), ``interrupted`` (Ctrl-C), ``terminated`` (SIGTERM and
    its like), ``refused``, ``failed``, or ``killed`` (its process died)."""
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
        """Write the outcome of job `number` to a JSON file, with checksum, in the sweep's folder.

        It is replaced atomically, and not flushed to disk, which takes longer than a small run: after a crash of the
        machine the same sweep finds the runs, whose folders were flushed, and writes their outcomes again.
        """
        given = json.dumps(plain(dataclasses.asdict(self), "outcome"), ensure_ascii=False)
        content: dict[str, Any] = json.loads(given.encode("utf-8", "replace"))  # a file's name may not be UTF-8
        text = json.dumps(content | {"sha256": checksum(content)}, indent=2) + "\n"
        write_file(folder / f"job-{number:05d}.json", text.encode(), sync=False)


def checksum(content: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the entries of an outcome's file."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def outcomes_in(folder: Path) -> list[Outcome]:
    """Return the outcomes in a sweep's folder, in the order of the jobs' numbers.

    A file that is damaged or of another form is left out; a warning names it.
    """
    outcomes = []
    for path in sorted(folder.glob("job-*.json")):
        try:
            with open_plain(path, _MOST_BYTES) as file:
                outcomes.append(_outcome_of(file.read()))
        except Exception as error:  # whatever the readers of files, JSON and pydantic raise on foreign bytes
            text = f"{path} is damaged, and its run is left out of the sweep: {fault(error, f'{path}: ')}"
            log.warning("%s", printable(text))
    return outcomes


def _outcome_of(text: bytes) -> Outcome:
    content = json.loads(text)
    if not isinstance(content, dict):
        raise TypeError("it has no entries")
    # version 2.0.0 wrote none
    if "sha256" in content and content.pop("sha256") != checksum(content):
        raise ValueError("its checksum differs from the one written with it")
    return _form().validate_json(json.dumps(content))


@cache
def _form() -> TypeAdapter[Outcome]:
    """Return pydantic's check of an outcome's entries."""
    from pydantic import TypeAdapter

    return TypeAdapter(Outcome)


def exit_code(outcomes: Iterable[Outcome]) -> int:
    """Return the exit status of a command with all of these runs: 1 before 130, 75 and 2."""
    codes = {outcome.exit_code for outcome in outcomes}
    return next((code for code in (1, 130, 75, 2) if code in codes), 0)


def outcome_of(make: Callable[[], Outcome], label: Callable[[], str]) -> Outcome:
    """Return the outcome of a run, whatever it raises; a fault of the program is written with its traceback."""
    try:
        with terminable():
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
