"""The base of solvers whose loop is Python, and the names of nested states."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from . import _core
from .base import Limit, Solver, State, Status
from .problem import Problem


def prefixed(name: str, state: State) -> State:
    """Return a state with ``name.`` before each of its names; `select` undoes it."""
    return {f"{name}.{member}": values for member, values in state.items()}


def select(name: str, state: State) -> State:
    """Return the entries of a state whose names start with ``name.``, without this prefix."""
    prefix = f"{name}."
    return {key.removeprefix(prefix): values for key, values in state.items() if key.startswith(prefix)}


class PythonSolver(Solver):
    """A solver whose loop is Python: `advance` runs inside `clocks` and stops when `reached` returns a status."""

    def __init__(self, problem: Problem, settings: Any, seed: int) -> None:
        super().__init__(problem, settings, seed)
        self._cpu = self._wall = 0.0
        self._began: tuple[float, float] | None = None

    def cpu_clock(self) -> float:
        """Return the CPU time of the calling thread; override it if other threads work as well."""
        return time.thread_time()

    @contextlib.contextmanager
    def clocks(self) -> Iterator[None]:
        """Add the time spent inside to the clocks, also if an exception is raised."""
        self._began = self.cpu_clock(), time.monotonic()
        try:
            yield
        finally:
            self._cpu, self._wall, self._began = self.cpu_seconds, self.wall_seconds, None

    def reached(self, limit: Limit) -> Status | None:
        """Return the first limit that is reached, or None; costs that the solver does not count limit nothing."""
        now = {**vars(self.counters), "cpu_seconds": self.cpu_seconds}
        for name, value in limit.given().items():
            if now[name] is not None and now[name] >= value:
                return Status(name)
        return None

    def time_left(self, limit: Limit, core: _core.Solver) -> float | None:
        """Return the limit of a core's clock that leaves it the CPU seconds which the run has left."""
        seconds = limit.cpu_seconds
        return None if seconds is None else core.cpu_seconds + max(seconds - self.cpu_seconds, 0.0)

    def clock_state(self) -> State:
        """Return the values of the clocks, for `state`."""
        return {"cpu_seconds": np.array(self.cpu_seconds), "wall_seconds": np.array(self.wall_seconds)}

    def set_clocks(self, state: State) -> None:
        """Continue the clocks from a state."""
        self._cpu, self._wall = float(state["cpu_seconds"]), float(state["wall_seconds"])

    @property
    def cpu_seconds(self) -> float:  # noqa: D102 (inherited)
        return self._cpu + (self.cpu_clock() - self._began[0] if self._began else 0.0)

    @property
    def wall_seconds(self) -> float:  # noqa: D102 (inherited)
        return self._wall + (time.monotonic() - self._began[1] if self._began else 0.0)
