"""The processes that make a run, as the one that leads sees them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from experiments.configuration.settings import RunSettings
from experiments.processes.stopping import deferred
from experiments.run.checkpointer import Kept
from solvers import Problem, plugins


class Team:
    """One process: that of engine=local, which has nobody to lead."""

    def solver(self, settings: RunSettings, problem: Problem) -> Any:
        """Make the solver of a problem."""
        return plugins.make(settings.solver, problem, settings.solver_settings, settings.seed)

    def drive(self, solver: Any, kept: Kept | None) -> Any:
        """Return what is to be advanced for a solver, which goes on from what has been kept, if anything has."""
        if kept is not None:
            solver.restore(kept.state)
        return solver

    @contextlib.contextmanager
    def watching(self, solver: Any) -> Iterator[Callable[[], None]]:
        """While this is entered, `solver` advances: yield what raises where it is to be left; see `advance_through`."""
        with deferred() as wish:
            yield wish.grant

    def record(self, solver: Any) -> dict[str, Any]:
        """Return what result.json says of how these processes worked together."""
        return {}


TEAM_OF_ONE = Team()
