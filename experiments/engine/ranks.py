"""A run on the ranks of an MPI job: rank 0 runs it like a local run and records it; the others only advance."""

from __future__ import annotations

import contextlib
import dataclasses
import signal
import traceback
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import solvers
from experiments.configuration.choices import install_command
from experiments.configuration.settings import RunSettings
from experiments.engine.distributed_solver import DistributedSolver
from experiments.processes.mpirun import Place, place, say_last, supervise
from experiments.processes.outcome import STOPPED, Outcome, OutcomeStatus
from experiments.run import runner
from experiments.run.advance import LocalEngine, advance_run
from experiments.run.checkpointer import Checkpoint, Checkpointer
from experiments.run.console import Display
from experiments.run.errors import outcome_of
from experiments.run.identity import canonical_json
from experiments.run.recorder import Recorder
from solvers import Problem, SettingsError
from solvers.shard import check_ranks, scatter_rows

if TYPE_CHECKING:
    from experiments.engine.mpi import Mpi

T = TypeVar("T")


class MpiEngine(LocalEngine):
    """Runs a solver on all ranks. All of them call each method together; arguments that only rank 0 has are None.

    Attributes
    ----------
    started : bool
        The ranks have got a problem to solve.
    working : bool
        They are solving it: an error on one rank must end the job.
    checkpoint : Checkpoint or None
        What the run resumes from, without the parts that only rank 0 needs; set by `prepare`.
    """

    def __init__(self, exchange: Mpi) -> None:
        self.started = self.working = False
        self.checkpoint: Checkpoint | None = None
        self._exchange = exchange

    def make_solver(self, settings: RunSettings, problem: Problem | None) -> Any:
        """Distribute the rows of a problem, and make each rank's solver."""
        if problem is not None:
            check_ranks(problem, self._exchange.ranks)
            self._exchange.broadcast(True)  # see `_follow`
        self.started = self.working = True
        shard = scatter_rows(problem, self._exchange)
        return self._on_all(lambda: settings.solver(shard, settings.solver_settings, settings.seed))

    def prepare(self, solver: Any, checkpoint: Checkpoint | None) -> DistributedSolver:
        """Return the ranks' solvers as one, restored from the checkpoint if there is one."""
        small = None if checkpoint is None else dataclasses.replace(checkpoint, state={}, pending=[])
        self.checkpoint = self._exchange.broadcast(small)
        if self.checkpoint is not None:
            self._on_all(lambda: solver.restore(None if checkpoint is None else checkpoint.state))
        return DistributedSolver(solver, self._exchange, self.checkpoint.communication if self.checkpoint else {})

    @contextlib.contextmanager
    def watching(self, solver: DistributedSolver) -> Iterator[Callable[[], None]]:
        """See `DistributedSolver.watching`; afterwards the other ranks only wait for the end."""
        with solver.watching():
            try:
                yield lambda: None  # `advance` raises, on all ranks
            except KeyboardInterrupt:
                self.working = False
                raise
        self.working = False

    def record(self, solver: DistributedSolver) -> dict[str, Any]:
        """Return the costs of communication, for result.json."""
        return {"communication": solver.communication}

    def _on_all(self, function: Callable[[], T]) -> T:
        """Call a function on every rank; if one raises SettingsError, all raise it."""
        results: list[T] = []
        refusal: SettingsError | None = None
        try:
            results.append(function())
        except SettingsError as error:
            refusal = error
        refusals = self._exchange.gather(refusal)
        first = self._exchange.broadcast(None if refusals is None else next(filter(None, refusals), None))
        if first is not None:
            self.working = False
            raise first
        return results[0]


def run(settings: RunSettings, display: Display, command: Sequence[str]) -> Outcome:
    """Compute one run together with the other processes that ``mpirun`` has started.

    With several ranks the run continues in a child process; see `supervise`.

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
        MPI cannot be loaded, or the ranks differ in settings or build.
    """
    here = place()
    if here.ranks > 1:
        supervise(here)
    if here.rank:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # rank 0 handles Ctrl-C
    try:
        from experiments.engine.mpi import connect
    except (ImportError, RuntimeError) as error:  # mpi4py is installed, but not the library that it loads
        why = " ".join(str(error).split())
        raise SettingsError(f"engine=mpi cannot load MPI ({why}): {install_command('mpi')} brings one") from error
    exchange = connect(here)
    settings = dataclasses.replace(settings, ranks=exchange.ranks)
    try:
        _check_same(settings, exchange)
        if exchange.rank:
            return _follow(settings, exchange, here)
        return _lead(settings, display, command, exchange, here)
    finally:
        exchange.close()


def _lead(settings: RunSettings, display: Display, command: Sequence[str], exchange: Mpi, here: Place) -> Outcome:
    engine = MpiEngine(exchange)
    outcome = outcome_of(lambda: runner.run(settings, display, command, engine), settings.label)
    if engine.working:
        display.close()
        if outcome.status in STOPPED:  # before the solvers deferred signals
            exchange.abort(outcome.exit_code)
        _abort(exchange, here, outcome.message, outcome.exit_code)
    if not engine.started:
        exchange.broadcast(False)
    exchange.broadcast(outcome.status)
    return outcome


def _follow(settings: RunSettings, exchange: Mpi, here: Place) -> Outcome:
    try:
        if exchange.broadcast(None) is True:
            with contextlib.suppress(SettingsError, KeyboardInterrupt):  # raised on all ranks; rank 0 handles it
                _advance(settings, MpiEngine(exchange))
        status: OutcomeStatus = exchange.broadcast(None)
    except BaseException as error:
        _abort(exchange, here, f"{type(error).__name__}: {error}", 1, traceback.format_exc())
    return Outcome(settings.label(), status)


def _advance(settings: RunSettings, engine: MpiEngine) -> None:
    own = engine.make_solver(settings, None)
    n = own.problem.n
    solver = engine.prepare(own, None)
    checkpointer = Checkpointer(None, settings.checkpoint_seconds) if settings.solver.resumes else None
    recorder = Recorder(_NoEvaluator(), n, pause=0.0)
    budget, schedule = settings.budget.limits(n), settings.budget.schedule(n)
    with engine.watching(solver) as raise_if_stopped:
        advance_run(solver, budget, schedule, recorder, Display(), checkpointer, engine.checkpoint, raise_if_stopped)


def _abort(exchange: Mpi, here: Place, why: str, code: int, details: str = "") -> NoReturn:
    say_last(f"{details}error: {here.named()} has failed: {why}: the job ends")
    exchange.abort(code)
    raise AssertionError("MPI_Abort came back")


class _NoEvaluator:
    """Evaluates nothing: rank 0, which has the data, does that."""

    def evaluate(self, snapshots: Sequence[Any], /) -> list[dict[str, float | None]]:
        return [{} for _ in snapshots]


def _check_same(settings: RunSettings, exchange: Mpi) -> None:
    """Refuse ranks that differ in build, instruction set or settings."""
    build = solvers.build_info()
    own = {
        "build of the core": build["build_id"],
        "instruction set (SVM_ISA)": build["isa"],
        "settings": canonical_json(settings.identity()),
    }
    everyone = exchange.gather(own)
    differences = [
        f"rank {rank} has another {what} than rank 0: it must be the same everywhere"
        for rank, theirs in enumerate(everyone or [])
        for what in own
        if theirs[what] != own[what]
    ]
    if difference := exchange.broadcast(None if everyone is None else next(iter(differences), "")):
        raise SettingsError(difference)
