"""Solvers from files outside the project: what they cost is what the views count, and the clock is ours.

A solver in Python is handed a problem and tells what it has spent. One that was written elsewhere may tell something
else, by mistake or on purpose; what it is charged is therefore what the counted views of its problem have handed out.
This is no prison: who looks for a way past it in Python finds one.
"""

from __future__ import annotations

import hashlib
import inspect
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from solvers import _core
from solvers.base import CoreSolver, Counters, Limit, Solver, State, Status, part, under
from solvers.errors import SettingsError
from solvers.problem import Problem

UNCOUNTED = frozenset({"X", "examples", "features", "in_feature_order", "matrix", "ordered", "rows"})
"""Of a problem, what hands out points or kernel rows without counting them."""
_CLAIMED = ("iterations", "presentations")
_COUNTED = ("kernel_evaluations", "inner_products", "feature_accesses", "feature_accesses_dense")


def is_outside(solver: type[Solver]) -> bool:
    """Whether a solver's class comes from a file outside this package."""
    return solver.__module__.partition(".")[0] != __package__


def source_of(solver: type[Solver]) -> str:
    """Return the SHA-256 of the file that a solver's class is written in."""
    return hashlib.sha256(Path(inspect.getfile(solver)).read_bytes()).hexdigest()


class WatchedProblem:
    """A problem that remembers which views were taken of it, and whether its points were read past them.

    Parameters
    ----------
    problem : Problem

    Attributes
    ----------
    past : bool
        One of `UNCOUNTED` was asked for.
    """

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._earlier = dict.fromkeys((*_CLAIMED, *_COUNTED), 0)
        self.past = False
        self.row_views: list[_core.CountedRows] = []
        self.feature_views: list[_core.CountedFeatures] = []

    def __getattr__(self, name: str) -> Any:
        self.past = self.past or name in UNCOUNTED
        return getattr(self._problem, name)

    def counted_rows(self) -> _core.CountedRows:
        """See `Problem.counted_rows`."""
        self.row_views.append(self._problem.counted_rows())
        return self.row_views[-1]

    def counted_features(self) -> _core.CountedFeatures:
        """See `Problem.counted_features`."""
        self.feature_views.append(self._problem.counted_features())
        return self.feature_views[-1]

    def audited(self, claimed: Counters) -> Counters:
        """Replace what a solver says by what the views have counted.

        Iterations and presentations are no fewer than the views were told of. A cost is None, which is not zero, where
        nothing counts it: without a view, or where points were read past them.
        """
        told = self._told()
        counted = {name: told[name] if self._views and not self.past else None for name in _COUNTED}
        if not self.row_views:
            counted["kernel_evaluations"] = None
        said = {name: _larger(getattr(claimed, name), told[name]) for name in _CLAIMED}
        return replace(claimed, **counted, **said)

    def state(self) -> State:
        """Return what the views have counted."""
        return {name: np.array(count) for name, count in self._told().items()} | {"past": np.array(self.past)}

    def restore(self, state: State) -> None:
        """Go on from what an earlier process's views had counted, whether the solver has restored its own or not."""
        self._earlier = dict.fromkeys(self._earlier, 0)
        self._earlier = {name: int(state[name]) - count for name, count in self._told().items()}
        self.past = self.past or bool(state["past"])

    @property
    def _views(self) -> list[_core.CountedRows | _core.CountedFeatures]:
        return [*self.row_views, *self.feature_views]

    def _told(self) -> dict[str, int]:
        return {
            name: earlier + sum(getattr(view.counters, name) for view in self._views)
            for name, earlier in self._earlier.items()
        }


class Audited:
    """A solver from outside, with the costs of `WatchedProblem.audited` and times taken around `advance`.

    Everything else is the solver's own.
    """

    def __init__(self, solver: Solver, problem: WatchedProblem) -> None:
        self._solver = solver
        self._problem = problem
        self.cpu_seconds = self.wall_seconds = 0.0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._solver, name)

    @property
    def counters(self) -> Counters:
        """Exact costs so far."""
        return self._problem.audited(self._solver.counters)

    def advance(self, limit: Limit) -> Status:
        """Advance, and charge the time.

        Raises
        ------
        SettingsError
            It came back before a limit without having done an iteration: it would do so for ever.
        """
        before, cpu, wall = self.counters, time.thread_time(), time.monotonic()
        try:
            status = self._solver.advance(limit)
        finally:
            self.cpu_seconds += time.thread_time() - cpu
            self.wall_seconds += time.monotonic() - wall
        if status is not Status.CONVERGED and self.counters == before:
            raise SettingsError(
                f"algo={self._solver.name} came back from advance() without an iteration: call present() of a counted "
                "view once in each, and return only when a limit is reached or it has converged"
            )
        return status

    def state(self) -> State:
        """See `Solver.state`."""
        own = under("solver", self._solver.state() or {})
        times = {"cpu_seconds": np.array(self.cpu_seconds), "wall_seconds": np.array(self.wall_seconds)}
        return own | under("views", self._problem.state()) | times

    def restore(self, state: State) -> None:
        """See `Solver.restore`."""
        self._solver.restore(part("solver", state))
        with self._solver.restoring():
            self._problem.restore(part("views", state))
            self.cpu_seconds, self.wall_seconds = float(state["cpu_seconds"]), float(state["wall_seconds"])


def make(solver: type[Solver], problem: Problem, settings: Any, seed: int) -> Any:
    """Make a solver; one from outside gets a watched problem and is audited, unless the core counts for it.

    Parameters
    ----------
    solver : type
    problem : Problem
    settings : object
        Instance of ``solver.Settings``.
    seed : int
    """
    if not is_outside(solver) or _counts_in_core(solver):
        return solver(problem, settings, seed)
    watched: Any = WatchedProblem(problem)
    return Audited(solver(watched, settings, seed), watched)


def _counts_in_core(solver: type[Solver]) -> bool:
    return issubclass(solver, CoreSolver) and all(
        inspect.getattr_static(solver, name) is inspect.getattr_static(CoreSolver, name)
        for name in ("counters", "cpu_seconds", "wall_seconds", "advance")
    )


def _larger(claimed: int | None, told: int) -> int:
    return max(claimed or 0, told)
