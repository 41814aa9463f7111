"""Measures the costs of plug-ins: solvers from files outside the project, named in SVM_SOLVERS.

A solver written in Python reports its own counters. A plug-in may report them wrongly, by mistake or on purpose. So its
costs are those that the counted views of its problem have counted, and its times are taken around `advance`. This is a
safeguard against mistakes: Python code that is meant to cheat can still do so.
"""

from __future__ import annotations

import inspect
import time
from dataclasses import replace
from typing import Any

import numpy as np

from . import _core
from .base import Counters, Limit, Solver, State, Status
from .core_solver import CoreSolver
from .errors import SettingsError
from .problem import Problem
from .python_solver import prefixed, select
from .registry import is_plugin

UNCOUNTED = frozenset({"X", "examples", "features", "in_feature_order", "matrix", "ordered", "rows"})
"""Members of a problem that give points or kernel rows without counting them."""
_REPORTED = ("iterations", "presentations")
_COSTS = ("kernel_evaluations", "inner_products", "feature_accesses", "feature_accesses_dense")


class WatchedProblem:
    """A problem that records which counted views were made, and whether its points were read without them.

    `bypassed` says that one of `UNCOUNTED` was read.
    """

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._earlier = dict.fromkeys((*_REPORTED, *_COSTS), 0)
        self.bypassed = False
        self.row_views: list[_core.CountedRows] = []
        self.feature_views: list[_core.CountedFeatures] = []

    def __getattr__(self, name: str) -> Any:
        self.bypassed = self.bypassed or name in UNCOUNTED
        return getattr(self._problem, name)

    def counted_rows(self) -> _core.CountedRows:
        """See `Problem.counted_rows`."""
        self.row_views.append(self._problem.counted_rows())
        return self.row_views[-1]

    def counted_features(self) -> _core.CountedFeatures:
        """See `Problem.counted_features`."""
        self.feature_views.append(self._problem.counted_features())
        return self.feature_views[-1]

    def audited(self, reported: Counters) -> Counters:
        """Return a solver's counters with the costs that the views have counted.

        Iterations and presentations are the larger of the solver's number and the views'. A cost that nothing counts is
        None, not zero: without a view, or if points were read without one.
        """
        seen = self._counted()
        costs = {name: seen[name] if self._views and not self.bypassed else None for name in _COSTS}
        if not self.row_views:
            costs["kernel_evaluations"] = None
        larger = {name: max(getattr(reported, name) or 0, seen[name]) for name in _REPORTED}
        return replace(reported, **costs, **larger)

    def state(self) -> State:
        """Return what the views have counted."""
        return {name: np.array(count) for name, count in self._counted().items()} | {"past": np.array(self.bypassed)}

    def restore(self, state: State) -> None:
        """Continue the counts of an earlier process, also if the solver has already restored those of its views."""
        self._earlier = dict.fromkeys(self._earlier, 0)
        self._earlier = {name: int(state[name]) - count for name, count in self._counted().items()}
        self.bypassed = self.bypassed or bool(state["past"])

    @property
    def _views(self) -> list[_core.CountedRows | _core.CountedFeatures]:
        return [*self.row_views, *self.feature_views]

    def _counted(self) -> dict[str, int]:
        return {
            name: earlier + sum(getattr(view.counters, name) for view in self._views)
            for name, earlier in self._earlier.items()
        }


class AuditedSolver:
    """A plug-in whose costs are those of `WatchedProblem.audited`, and whose `advance` is timed.

    All other members are the plug-in's.
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
        """Advance and measure the time.

        Raises SettingsError if the solver returned before a limit without an iteration: calling it again would never
        end.
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
        inner = prefixed("solver", self._solver.state() or {})
        times = {"cpu_seconds": np.array(self.cpu_seconds), "wall_seconds": np.array(self.wall_seconds)}
        return inner | prefixed("views", self._problem.state()) | times

    def restore(self, state: State) -> None:
        """See `Solver.restore`."""
        self._solver.restore(select("solver", state))
        with self._solver.restoring():
            self._problem.restore(select("views", state))
            self.cpu_seconds, self.wall_seconds = float(state["cpu_seconds"]), float(state["wall_seconds"])


def make(solver: type[Solver], problem: Problem, settings: Any, seed: int) -> Any:
    """Make a solver. A plug-in gets a watched problem and is audited, unless the core does its counting."""
    if not is_plugin(solver) or _counts_in_core(solver):
        return solver(problem, settings, seed)
    watched: Any = WatchedProblem(problem)
    return AuditedSolver(solver(watched, settings, seed), watched)


def _counts_in_core(solver: type[Solver]) -> bool:
    return issubclass(solver, CoreSolver) and all(
        inspect.getattr_static(solver, name) is inspect.getattr_static(CoreSolver, name)
        for name in ("counters", "cpu_seconds", "wall_seconds", "advance")
    )
