"""How a solver is made and advanced: from evaluation to evaluation, in slices; signals are checked between slices."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...solvers import Limit, Problem, Status, plugins
from ...solvers.registry import is_plugin
from ..configuration.budget import EvaluationSchedule
from ..configuration.settings import RunSettings
from ..processes.stopping import deferred, uninterrupted
from .checkpointer import Checkpoint, Checkpointer, unpack
from .console import Display
from .curve_builder import CurveBuilder

SLICE_SECONDS = 0.2
"""CPU seconds that a solver runs before signals and display are served; the result does not depend on it."""

Costs = Mapping[str, float | None]
"""What a solver has spent, by the names of the fields of `Limit`; None: the solver does not count that cost."""


class LocalEngine:
    """Runs the solver in this process (engine=local)."""

    def make_solver(self, settings: RunSettings, problem: Problem) -> Any:
        """Make the solver of a problem."""
        solver, chosen, seed = settings.solver, settings.solver_settings, settings.seed
        return plugins.make(solver, problem, chosen, seed) if is_plugin(solver) else solver(problem, chosen, seed)

    def restore(self, solver: Any, checkpoint: Checkpoint) -> None:
        """Continue from a checkpoint."""
        solver.restore(checkpoint.state)

    @contextlib.contextmanager
    def watching(self, solver: Any) -> Iterator[Callable[[], None]]:
        """Defer Ctrl-C and SIGTERM while `solver` advances; yield a function that raises a deferred one."""
        with deferred() as stop_request:
            yield stop_request.raise_if_set


def advance_run(
    solver: Any,
    budget: Limit,
    schedule: EvaluationSchedule,
    builder: CurveBuilder,
    display: Display,
    *,
    checkpointer: Checkpointer | None = None,
    checkpoint: Checkpoint | None = None,
    raise_if_stopped: Callable[[], None] = lambda: None,
) -> bool:
    """Run a solver from evaluation to evaluation until its budget is used or it has converged; return whether it has.

    `builder` gets the solver's state at each evaluation, `display` the progress, several times a second. `checkpointer`
    saves the state from time to time, and when the run is stopped; `checkpoint` is the one that the solver was restored
    from. `raise_if_stopped` is called between slices, never within an iteration: it raises KeyboardInterrupt if the run
    is to stop, which this function raises on after the state has been saved.
    """
    passed = 0
    if checkpoint is not None:
        present, passed = solver.snapshot(), checkpoint.points_done
        builder.resume(
            checkpoint.evaluated, [(row, unpack(packed, present)) for row, packed in checkpoint.pending], present
        )
    if checkpointer is not None:
        checkpointer.start(solver, passed)
    costs = costs_of(solver)
    limit = counted(budget, costs)
    converged = False
    try:
        for point in schedule.limits(limit)[passed:]:
            builder.preview_if_due()  # not after the last point: all are evaluated then
            while not converged and not reached(point, costs):
                raise_if_stopped()
                if checkpointer is not None:
                    checkpointer.save_if_due(solver, builder)
                converged = _advance(solver, point)
                costs = costs_of(solver)
                shown = {**costs, "epochs": solver.counters.epochs(builder.n)}
                display.progress(fraction_used(limit, costs), shown, builder.latest)
            builder.add(solver)
            if checkpointer is not None:
                checkpointer.points_done += 1
            if converged:
                break
    except KeyboardInterrupt as stopped:
        if checkpointer is not None:
            with uninterrupted():
                checkpointer.save_on_stop(stopped, solver, builder)
        raise
    builder.flush()
    return converged


def _advance(solver: Any, point: Limit) -> bool:
    """Advance by one slice of time towards a point of the schedule; return whether the solver has converged."""
    slice_end = solver.cpu_seconds + SLICE_SECONDS * solver.ranks
    seconds = slice_end if point.cpu_seconds is None else min(slice_end, point.cpu_seconds)
    return bool(solver.advance(dataclasses.replace(point, cpu_seconds=seconds)) == Status.CONVERGED)


def costs_of(solver: Any) -> dict[str, float | None]:
    """Return what a solver has spent, by the names of `Limit`."""
    counters = solver.counters
    return {name: getattr(counters, name, None) for name in Limit.__dataclass_fields__} | {
        "cpu_seconds": solver.cpu_seconds
    }


def counted(limit: Limit, costs: Costs) -> Limit:
    """Return a limit without the costs that the solver does not count."""
    return dataclasses.replace(limit, **dict.fromkeys(name for name in limit.given() if costs.get(name) is None))


def fraction_used(limit: Limit, costs: Costs) -> float:
    """Return how much of a limit is used, 0 to 1: the largest share over all costs."""
    shares = [(costs.get(name) or 0.0) / value for name, value in limit.given().items()]
    return min(1.0, max(shares, default=0.0))


def reached(limit: Limit, costs: Costs) -> bool:
    """Return whether a cost has reached its limit."""
    return any((costs.get(name) or 0.0) >= value for name, value in limit.given().items())
