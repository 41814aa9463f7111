"""How a solver is driven: from checkpoint to checkpoint, in slices of time between which others are heard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import solvers
from experiments.configuration.schedule import Limits, Looks, schedule
from experiments.processes.stopping import uninterrupted
from experiments.run import snapshots
from experiments.run.checkpointer import Keeper, Kept
from experiments.run.console import Display
from experiments.run.recorder import Recorder

SLICE_SECONDS = 0.2
"""A solver runs this long (its CPU seconds) between two looks at the screen; how a run is cut does not change it."""


def go_on(
    solver: Any,
    budget: Limits,
    looks: Looks,
    recorder: Recorder,
    display: Display,
    keeper: Keeper | None = None,
    kept: Kept | None = None,
    stop: Callable[[], None] = lambda: None,
) -> None:
    """Advance to the end from where a run is, and keep what it needs to go on if it is stopped before; see below."""
    if kept is not None:
        present = solver.snapshot()  # what those that wait have in common with it, the file does not have
        recorder.resume(kept.settled, [(row, snapshots.unpack(packed, present)) for row, packed in kept.waiting])
    if keeper is not None:
        keeper.begin(solver, 0 if kept is None else kept.passed)
    try:
        advance_through(solver, budget, looks, recorder, display, keeper, stop)
    except KeyboardInterrupt as stopped:
        if keeper is not None:
            with uninterrupted():
                keeper.keep_at(stopped, solver, recorder)
        raise
    recorder.flush()


def advance_through(
    solver: Any,
    budget: Limits,
    looks: Looks,
    recorder: Recorder,
    display: Display,
    keeper: Keeper | None = None,
    stop: Callable[[], None] = lambda: None,
) -> None:
    """Run a solver from checkpoint to checkpoint until its budget is used or it has converged.

    Parameters
    ----------
    solver : solvers.Solver
    budget : Limits
    looks : Looks
        Where its checkpoints lie.
    recorder : Recorder
        Gets the solver's state at each checkpoint.
    display : Display
        Is told how far the run is, several times a second.
    keeper : Keeper, optional
        Knows how many checkpoints are passed, and keeps the solver's state on the way.
    stop : callable
        Raises KeyboardInterrupt where the run is to be stopped. It is asked between slices, where all is whole.
    """
    limits = budget.counted(costs_of(solver))
    for checkpoint in schedule(limits, looks, recorder.n)[keeper.passed if keeper else 0 :]:
        converged = False
        while not converged and not checkpoint.reached(costs_of(solver)):
            stop()
            if keeper is not None:
                keeper.keep_if_due(solver, recorder)
            converged = _advance(solver, checkpoint)
            display.progress(limits.fraction(costs_of(solver)), _point(solver, recorder), recorder.latest)
        recorder.add(solver)
        if keeper is not None:
            keeper.passed += 1
        if converged:
            return
        recorder.preview_if_due()


def _advance(solver: Any, checkpoint: Limits) -> bool:
    """Advance by one slice of time towards a checkpoint; return whether the solver has converged."""
    slice_end = solver.cpu_seconds + SLICE_SECONDS * solver.ranks
    seconds = slice_end if checkpoint.cpu_seconds is None else min(slice_end, checkpoint.cpu_seconds)
    limit = solvers.Limit(**checkpoint.given() | {"cpu_seconds": seconds})
    return bool(solver.advance(limit) == solvers.Status.CONVERGED)


def costs_of(solver: Any) -> dict[str, float | None]:
    """Return what a solver has spent, by the names of `Limits`."""
    counters = solver.counters
    return {name: getattr(counters, name, None) for name in Limits.__dataclass_fields__} | {
        "cpu_seconds": solver.cpu_seconds
    }


def _point(solver: Any, recorder: Recorder) -> dict[str, Any]:
    return {**costs_of(solver), "epochs": solver.counters.epochs(recorder.n)}
