"""A run on the ranks of an MPI job: rank 0 runs it like a local run and records it; the others follow its orders."""

from __future__ import annotations

import contextlib
import dataclasses
import signal
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from svm_cost_curves.experiments.configuration.choices import install_command
from svm_cost_curves.experiments.configuration.settings import RunSettings
from svm_cost_curves.experiments.engine.distributed_solver import END, DistributedSolver, RankSolver
from svm_cost_curves.experiments.processes.mpirun import place
from svm_cost_curves.experiments.processes.outcome import Outcome
from svm_cost_curves.experiments.processes.stopping import deferred
from svm_cost_curves.experiments.run import runner
from svm_cost_curves.experiments.run.advance import LocalEngine
from svm_cost_curves.experiments.run.checkpointer import Checkpoint
from svm_cost_curves.experiments.run.console import Display
from svm_cost_curves.experiments.run.errors import outcome_of
from svm_cost_curves.solvers import Problem, SettingsError
from svm_cost_curves.solvers.shard import check_ranks


class MpiEngine(LocalEngine):
    """Runs a solver on all ranks, as rank 0."""

    def __init__(self, rank_solver: RankSolver) -> None:
        self._rank_solver = rank_solver

    def make_solver(self, settings: RunSettings, problem: Problem) -> DistributedSolver:
        """Distribute the rows of a problem, and make the solver of each rank."""
        check_ranks(problem, self._rank_solver.exchange.ranks)
        return DistributedSolver(self._rank_solver, problem)

    def prepare(self, solver: DistributedSolver, checkpoint: Checkpoint | None) -> DistributedSolver:
        """Return the solver, restored from the checkpoint if there is one."""
        if checkpoint is not None:
            solver.restore(checkpoint.state, checkpoint.communication)
        return solver

    @contextlib.contextmanager
    def watching(self, solver: DistributedSolver) -> Iterator[Callable[[], None]]:
        """Defer Ctrl-C and SIGTERM: `DistributedSolver.advance` raises them, on whichever rank they arrive."""
        with deferred(always=True) as self._rank_solver.stop_request:
            yield lambda: None

    def record(self, solver: DistributedSolver) -> dict[str, Any]:
        """Return the costs of communication, for result.json."""
        return {"communication": solver.communication}


def run(settings: RunSettings, display: Display, command: Sequence[str]) -> Outcome:
    """Compute one run together with the other processes that ``mpirun`` has started.

    Parameters
    ----------
    settings : RunSettings
        The same on all ranks.
    display : Display
        Rank 0's; the other ranks write only the error that ends the job.
    command : sequence of str
        The command line, for the record.

    Returns
    -------
    Outcome
        Its status is the same on all ranks.

    Raises
    ------
    SettingsError
        MPI cannot be loaded, or is not the one of ``mpirun``.
    """
    here = place()
    if here.rank:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # until `RankSolver.follow`
    try:
        from svm_cost_curves.experiments.engine.mpi import connect
    except (ImportError, RuntimeError) as error:  # mpi4py is installed, but not the library that it loads
        why = " ".join(str(error).split())
        raise SettingsError(f"engine=mpi cannot load MPI ({why}): {install_command('mpi')} brings one") from error
    exchange = connect(here)
    settings = dataclasses.replace(settings, ranks=exchange.ranks)
    rank_solver = RankSolver(settings, exchange)
    if here.rank:
        outcome = Outcome(settings.label(), rank_solver.follow())
    else:
        engine = MpiEngine(rank_solver)
        outcome = outcome_of(lambda: runner.run(settings, display, command, engine), settings.label)
        exchange.broadcast((END, outcome.status))
    exchange.close()
    return outcome
