"""Checkpoint files: all that the rest of a run depends on, so that the same command resumes it in a new process."""

from __future__ import annotations

import copy
import dataclasses
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

from ...solvers.snapshots import DeferredResponses
from ...support.errors import reason
from ...support.files import new_file, open_plain
from ..processes.stopping import Terminated

FORMAT = 3
"""Of the files: a line of JSON that identifies the run, and numpy's archive."""
_STATE, _PENDING, _DEFERRED = "state/", "pending/", "on_features.weights"
_MISMATCHES = {
    "key": "by a run with other settings or data",
    "algo": "by another method",
    "build": "by another build of the core",
    "isa": "on another instruction set (SVM_ISA chooses)",
}
"""What it means that an entry of a file's first line is not this run's."""


@dataclass(frozen=True)
class PackedSnapshot:
    """The arrays and plain values of a snapshot, without the objects that all snapshots of a run share."""

    arrays: dict[str, NDArray[Any]]
    plain: dict[str, Any]
    """None, bool, int, float or str."""


def pack(snapshot: Any) -> PackedSnapshot:
    """Return a snapshot's arrays and plain values; other objects (a problem, a basis) are shared by the whole run."""
    arrays, plain = {}, {}
    for name, value in vars(snapshot).items():
        if isinstance(value, np.ndarray):
            arrays[name] = value
        elif value is None or isinstance(value, bool | int | float | str):
            plain[name] = value
        elif isinstance(value, DeferredResponses):
            arrays[_DEFERRED] = value.weights
    return PackedSnapshot(arrays, plain)


def unpack(packed: PackedSnapshot, present: Any) -> Any:
    """Return the snapshot that was packed; the shared objects are those of `present`, any other of the same run."""
    snapshot, arrays = copy.copy(present), dict(packed.arrays)
    entries: dict[str, Any] = {**packed.plain}
    if _DEFERRED in arrays:
        entries["deferred"] = dataclasses.replace(present.deferred, weights=arrays.pop(_DEFERRED))
    vars(snapshot).update(entries | arrays)  # the class may be frozen; no one else has this copy yet
    return snapshot


@dataclass(frozen=True)
class Checkpoint:
    """The saved state of a run: its solver's, and its evaluated points."""

    iterations: int
    state: dict[str, NDArray[Any]]
    points_done: int
    """Points of the schedule that the run has passed."""
    evaluated: list[dict[str, Any]]
    pending: list[tuple[dict[str, Any], PackedSnapshot]]
    """The last points: snapshots that are evaluated in one group with later ones."""
    communication: dict[str, float]
    """With `engine=mpi` the costs of communication so far."""

    def describe(self) -> str:
        """Return where a run resumes, in words."""
        return f"from iteration {self.iterations:,} of an earlier process"


class UnusableError(Exception):
    """A file cannot be resumed from; the message says why."""


class Checkpointer:
    """Writes and reads the checkpoint file of one run.

    Parameters
    ----------
    path : Path
    every : float or None
        Wall seconds of the solver between two checkpoints; infinite: one only when SIGTERM stops the run; None: write
        no checkpoint. An existing one is read in any case.
    identity : mapping
        ``key``, ``algo``, ``build`` and ``isa`` of the run.
    warn : callable
        Takes a warning, one line.
    """

    def __init__(
        self,
        path: Path,
        every: float | None,
        identity: Mapping[str, str] | None = None,
        warn: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.path = path
        self.points_done = 0
        self._every = every
        self._identity = dict(identity or {})
        self._warn = warn
        self._last = 0.0

    def read(self) -> Checkpoint | None:
        """Return the checkpoint of an earlier process; None if there is none, or, with a warning, if it is unusable."""
        try:
            with open_plain(self.path) as file:
                return self._parse(file.read())
        except FileNotFoundError:
            return None
        except OSError as error:
            why = f"cannot be read: {error.strerror}"
        except UnusableError as error:
            why = str(error)
        self._warn(f"{self.path} {why}: the run starts from the beginning")
        return None

    def exists(self) -> bool:
        """Return whether there is a readable file."""
        return os.access(self.path, os.R_OK, effective_ids=True)

    def start(self, solver: Any, points_done: int) -> None:
        """Start to count time and points of the schedule."""
        self.points_done = points_done
        self._last = solver.wall_seconds

    def save_if_due(self, solver: Any, builder: Any) -> None:
        """Save a checkpoint if the last one is at least `every` seconds old."""
        if self._every is not None and solver.wall_seconds - self._last >= self._every:
            self._save(solver, builder)

    def save_on_stop(self, stop: KeyboardInterrupt, solver: Any, builder: Any) -> None:
        """Save a checkpoint of a run that was stopped, if `every` says so."""
        if self._every is not None and (math.isfinite(self._every) or isinstance(stop, Terminated)):
            self._save(solver, builder)

    def remove(self) -> None:
        """Remove the file of a run that has finished."""
        try:
            self.path.unlink(missing_ok=True)
        except OSError as error:  # the run is recorded all the same
            self._warn(f"{self.path} cannot be removed: {error.strerror}")

    def _save(self, solver: Any, builder: Any) -> None:
        self._last = solver.wall_seconds
        state = solver.state()
        packed = [(row, pack(snapshot)) for row, snapshot in builder.pending]
        rest = {
            "iterations": solver.counters.iterations,
            "points_done": self.points_done,
            "evaluated": builder.evaluated,
            "pending": [[row, snapshot.plain] for row, snapshot in packed],
            "communication": getattr(solver, "communication", {}),
        }
        arrays = {f"{_STATE}{name}": values for name, values in state.items()} | {
            f"{_PENDING}{k}/{name}": values
            for k, (_, snapshot) in enumerate(packed)
            for name, values in snapshot.arrays.items()
        }
        content = io.BytesIO()
        np.savez(content, **arrays, rest=np.frombuffer(json.dumps(rest).encode(), np.uint8))
        try:
            self._write(content.getbuffer())
        except OSError as error:  # a full disk must not end the run
            why = reason(error, self.path)
            self._warn(f"{self.path} cannot be written: {why}: the run continues without it")

    def _write(self, content: memoryview) -> None:
        """Replace the file in one step: if the process is killed, the file is the previous one or this one."""
        head = {"format": FORMAT, **self._identity, "sha256": hashlib.sha256(content).hexdigest()}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with new_file(self.path) as file:
            file.write(json.dumps(head).encode() + b"\n")
            file.write(content)

    def _parse(self, content: bytes) -> Checkpoint:
        line, _, body = content.partition(b"\n")
        try:
            head = dict(json.loads(line))
        except (ValueError, TypeError, RecursionError):
            raise UnusableError("is not a checkpoint of a run") from None
        if head.get("format") != FORMAT:
            raise UnusableError(f"has the format {head.get('format')}, not {FORMAT}")
        for name, expected in self._identity.items():
            if head.get(name) != expected:
                raise UnusableError(f"was written {_MISMATCHES[name]}: {name} {head.get(name)}, not {expected}")
        if hashlib.sha256(body).hexdigest() != head.get("sha256"):
            raise UnusableError("is damaged: its checksum differs from the one written with it")
        try:
            return _content(body)
        except Exception as error:  # whatever the readers of zip, .npy and JSON raise
            raise UnusableError("is damaged: its entries do not fit together") from error


def _content(body: bytes) -> Checkpoint:
    with np.load(io.BytesIO(body), allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    rest = json.loads(arrays["rest"].tobytes())
    pending = [
        (row, PackedSnapshot(_under(f"{_PENDING}{k}/", arrays), plain))
        for k, (row, plain) in enumerate(rest["pending"])
    ]
    state = _under(_STATE, arrays)
    return Checkpoint(rest["iterations"], state, rest["points_done"], rest["evaluated"], pending, rest["communication"])


def _under(prefix: str, arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    return {name.removeprefix(prefix): values for name, values in arrays.items() if name.startswith(prefix)}
