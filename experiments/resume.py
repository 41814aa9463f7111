"""Files that a run leaves on the way, so that the same run can go on from there when its process is gone."""

from __future__ import annotations

import io
import json
import os
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FOLDER = "checkpoints"


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
    rows : list of dict
        The curve so far.
    communication : dict of str to number
        That of `engine=mpi`, if the ranks of this run have talked.
    """

    iterations: int
    state: dict[str, NDArray[np.float64]]
    passed: int
    rows: list[dict[str, Any]]
    communication: dict[str, float]


class Keeper:
    """Keeps what a run needs to go on.

    Parameters
    ----------
    path : Path or None
        The file; None on the ranks that do not lead.
    every : float or None
        Seconds of the solver's wall time between two files; None: none are left, but one that there is is read.
    """

    def __init__(self, path: Path | None, every: float | None) -> None:
        self.path = path
        self.passed = 0
        self._every = every
        self._last = 0.0

    def read(self) -> Kept | None:
        """Return what an earlier process has left; None if there is nothing, or nothing whole."""
        if self.path is None:
            return None
        try:
            with np.load(self.path, allow_pickle=False) as arrays:
                state = {name: arrays[name] for name in arrays.files}
            rest = json.loads(state.pop("rest").item())
            iterations = int(state["iterations"].item())
            return Kept(iterations, state, rest["passed"], rest["rows"], rest["communication"])
        except (OSError, EOFError, ValueError, KeyError, TypeError, zipfile.BadZipFile):
            return None

    def begin(self, solver: Any, passed: int) -> None:
        """Count time and points of the schedule from here."""
        self.passed = passed
        self._last = solver.wall_seconds

    def keep_if_due(self, solver: Any, recorder: Any) -> None:
        """Keep the run's state if the last time is long enough ago. All ranks call this together."""
        if self._every is not None and solver.wall_seconds - self._last >= self._every:
            self.keep(solver, recorder)

    def keep(self, solver: Any, recorder: Any) -> None:
        """Keep the run's state, if any is to be kept. All ranks call this together."""
        if self._every is None:
            return
        self._last = solver.wall_seconds
        recorder.flush()
        state = solver.state()
        if self.path is None:
            return
        rest = {"passed": self.passed, "rows": recorder.rows, "communication": getattr(solver, "communication", {})}
        content = io.BytesIO()
        np.savez(content, **state, rest=np.array(json.dumps(rest)))
        self.path.parent.mkdir(parents=True, exist_ok=True)
        draft = self.path.with_name(f".{self.path.name}.{os.getpid()}.part")
        with draft.open("wb") as file:
            file.write(content.getbuffer())
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self.path)

    def remove(self) -> None:
        """Remove the file of a run that has finished."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)
