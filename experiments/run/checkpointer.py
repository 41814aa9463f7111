"""Files that a run leaves on the way, so that the same run can go on from there when its process is gone."""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.processes.stopping import Terminated
from experiments.run import snapshots
from support.files import new_file

FOLDER = "checkpoints"
FORMAT = 2
"""Of the files: a line that says what they are, and numpy's archive."""
_STATE, _WAITING = "state/", "waiting/"
_OTHERS = {
    "key": "by a run with other settings or data",
    "algo": "by another method",
    "build": "by another build of the core",
    "isa": "on another instruction set (SVM_ISA chooses)",
}
"""What it means that an entry of a file's first line is not this run's."""


@dataclass(frozen=True)
class Kept:
    """How far a run was.

    Attributes
    ----------
    iterations : int
        Of the solver.
    state : dict of str to arrays
        The solver's.
    passed : int
        Points of the schedule that are behind it.
    settled : list of dict
        The curve so far, but for the last points.
    waiting : list of (dict, Packed)
        The last points: snapshots that are evaluated together with those to come.
    communication : dict of str to number
        That of `engine=mpi`, if the ranks of this run have talked.
    """

    iterations: int
    state: dict[str, NDArray[Any]]
    passed: int
    settled: list[dict[str, Any]]
    waiting: list[tuple[dict[str, Any], snapshots.Packed]]
    communication: dict[str, float]

    def told(self) -> str:
        """Say it in words."""
        return f"from iteration {self.iterations:,}, which an earlier process had reached"


class UnusableError(Exception):
    """Why a file is not one to go on from."""


class Keeper:
    """Keeps what a run needs to go on.

    Parameters
    ----------
    path : Path or None
        The file; None on the ranks that do not lead.
    every : float or None
        Seconds of the solver's wall time between two files; infinite: one is left when SIGTERM ends the run, and no
        other; None: none are left. One that there is is read in any case.
    identity : mapping
        ``key``, ``algo``, ``build`` and ``isa`` of the run.
    warn : callable
        Is told in a line what the user did not expect.
    """

    def __init__(
        self,
        path: Path | None,
        every: float | None,
        identity: Mapping[str, str] | None = None,
        warn: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.path = path
        self.passed = 0
        self._every = every
        self._identity = dict(identity or {})
        self._warn = warn
        self._last = 0.0

    def read(self) -> Kept | None:
        """Return what an earlier process has left; None, with a warning, where that cannot be gone on from."""
        if self.path is None:
            return None
        try:
            return self._opened(self.path.read_bytes())
        except FileNotFoundError:
            return None
        except OSError as error:
            why = f"cannot be read: {error.strerror}"
        except UnusableError as error:
            why = str(error)
        self._warn(f"{self.path} {why}: the run begins anew")
        return None

    def exists(self) -> bool:
        """Whether there is a file."""
        return self.path is not None and os.access(self.path, os.R_OK, effective_ids=True)

    def begin(self, solver: Any, passed: int) -> None:
        """Count time and points of the schedule from here."""
        self.passed = passed
        self._last = solver.wall_seconds

    def keep_if_due(self, solver: Any, recorder: Any) -> None:
        """Keep the run's state if the last time is long enough ago. All ranks call this together."""
        if self._every is not None and solver.wall_seconds - self._last >= self._every:
            self._keep(solver, recorder)

    def keep_at(self, stop: KeyboardInterrupt, solver: Any, recorder: Any) -> None:
        """Keep the run's state where something has stopped it, if it is to be kept. All ranks call this together."""
        if self._every is not None and (math.isfinite(self._every) or isinstance(stop, Terminated)):
            self._keep(solver, recorder)

    def remove(self) -> None:
        """Remove the file of a run that has finished."""
        if self.path is None:
            return
        try:
            self.path.unlink(missing_ok=True)
        except OSError as error:  # the run is recorded all the same
            self._warn(f"{self.path} cannot be removed: {error.strerror}")

    def _keep(self, solver: Any, recorder: Any) -> None:
        self._last = solver.wall_seconds
        state = solver.state()
        if self.path is None:
            return
        packed = [(row, snapshots.pack(snapshot)) for row, snapshot in recorder.waiting]
        rest = {
            "iterations": solver.counters.iterations,
            "passed": self.passed,
            "settled": recorder.settled,
            "waiting": [[row, one.plain] for row, one in packed],
            "communication": getattr(solver, "communication", {}),
        }
        arrays = {f"{_STATE}{name}": values for name, values in state.items()} | {
            f"{_WAITING}{k}/{name}": values for k, (_, one) in enumerate(packed) for name, values in one.arrays.items()
        }
        content = io.BytesIO()
        np.savez(content, **arrays, rest=np.frombuffer(json.dumps(rest).encode(), np.uint8))
        try:
            self._write(self.path, content.getbuffer())
        except OSError as error:  # a full disk need not cost the run
            self._warn(f"{self.path} cannot be written: {error.strerror or error}: the run goes on without it")

    def _write(self, path: Path, content: memoryview) -> None:
        """Write a file as a whole: whenever the process is killed, there is the one before or this one."""
        head = {"format": FORMAT, **self._identity, "sha256": hashlib.sha256(content).hexdigest()}
        path.parent.mkdir(parents=True, exist_ok=True)
        with new_file(path) as file:
            file.write(json.dumps(head).encode() + b"\n")
            file.write(content)

    def _opened(self, content: bytes) -> Kept:
        line, _, body = content.partition(b"\n")
        try:
            head = dict(json.loads(line))
        except (ValueError, TypeError):
            raise UnusableError("is not a file that a run has left") from None
        if head.get("format") != FORMAT:
            raise UnusableError(f"has the format {head.get('format')}, not {FORMAT}")
        for name, own in self._identity.items():
            if head.get(name) != own:
                raise UnusableError(f"was left {_OTHERS[name]}: {name} {head.get(name)}, not {own}")
        if hashlib.sha256(body).hexdigest() != head.get("sha256"):
            raise UnusableError("is damaged: its content has not the checksum that it had when it was written")
        with np.load(io.BytesIO(body), allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        rest = json.loads(arrays["rest"].tobytes())
        waiting = [
            (row, snapshots.Packed(_under(f"{_WAITING}{k}/", arrays), plain))
            for k, (row, plain) in enumerate(rest["waiting"])
        ]
        state = _under(_STATE, arrays)
        return Kept(rest["iterations"], state, rest["passed"], rest["settled"], waiting, rest["communication"])


def _under(prefix: str, arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    return {name.removeprefix(prefix): values for name, values in arrays.items() if name.startswith(prefix)}
