"""A run that several ranks make together: rank 0 leads it as any run is made, the others follow."""

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
from experiments.engine.together import Together
from experiments.processes.mpirun import Place, place, say_last, supervise
from experiments.processes.outcome import STOPPED, Outcome, OutcomeStatus
from experiments.run import runner
from experiments.run.advance import go_on
from experiments.run.checkpointer import Keeper, Kept
from experiments.run.console import Display
from experiments.run.errors import outcome_of
from experiments.run.identity import canonical_json
from experiments.run.recorder import Recorder
from experiments.run.team import Team
from solvers import Problem, SettingsError
from solvers.shard import check_ranks, scatter_rows

if TYPE_CHECKING:
    from experiments.engine.mpi import Mpi

T = TypeVar("T")


class Ranks(Team):
    """The ranks of a run. All of them call each method together; what only rank 0 has, the others give as None.

    Attributes
    ----------
    begun : bool
        The ranks have got something to do.
    busy : bool
        They are at it: an error here has to end them all.
    kept : Kept or None
        What the run goes on from, without what only rank 0 needs, after `drive`.
    """

    def __init__(self, exchange: Mpi) -> None:
        self.begun = self.busy = False
        self.kept: Kept | None = None
        self._exchange = exchange

    def solver(self, settings: RunSettings, problem: Problem | None) -> Any:
        """Hand out the rows of a problem, and make each rank's solver."""
        if problem is not None:
            check_ranks(problem, self._exchange.ranks)
            self._exchange.broadcast(True)  # there is something to do
        self.begun = self.busy = True
        share = scatter_rows(problem, self._exchange)
        return self._agreed(lambda: settings.solver(share, settings.solver_settings, settings.seed))

    def drive(self, solver: Any, kept: Kept | None) -> Together:
        """Return the ranks' solvers as one, going on from what has been kept, if anything has."""
        led = None if kept is None else dataclasses.replace(kept, state={}, waiting=[])
        self.kept = self._exchange.broadcast(led)
        if self.kept is not None:
            self._agreed(lambda: solver.restore(None if kept is None else kept.state))
        return Together(solver, self._exchange, self.kept.communication if self.kept else {})

    @contextlib.contextmanager
    def watching(self, solver: Together) -> Iterator[Callable[[], None]]:
        """See `Together.watching`; afterwards the others only wait for the end."""
        with solver.watching():
            try:
                yield lambda: None  # `advance` itself raises, on all ranks
            except KeyboardInterrupt:
                self.busy = False
                raise
        self.busy = False

    def record(self, solver: Together) -> dict[str, Any]:
        """Return what the sums have cost, for result.json."""
        return {"communication": solver.communication}

    def _agreed(self, make: Callable[[], T]) -> T:
        """Do something on every rank; what one refuses, all refuse."""
        made: list[T] = []
        refusal: SettingsError | None = None
        try:
            made.append(make())
        except SettingsError as error:
            refusal = error
        refusals = self._exchange.gather(refusal)
        first = self._exchange.broadcast(None if refusals is None else next(filter(None, refusals), None))
        if first is not None:
            self.busy = False
            raise first
        return made[0]


def run(settings: RunSettings, display: Display, command: Sequence[str]) -> Outcome:
    """Make one run together with the other processes that ``mpirun`` has started.

    With several ranks the run goes on in a child process; see `supervise`.

    Parameters
    ----------
    settings : RunSettings
        The same on all ranks.
    display : Display
        Rank 0's; the others say nothing, but for what ends the job.
    command : sequence of str
        The command line, for the record.

    Returns
    -------
    Outcome
        Of the same status on all ranks.

    Raises
    ------
    SettingsError
        MPI cannot be had, or the ranks do not fit together.
    """
    here = place()
    if here.ranks > 1:
        supervise(here)
    if here.rank:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # what Ctrl-C means is rank 0's affair
    try:
        from experiments.engine.mpi import connect
    except (ImportError, RuntimeError) as error:  # mpi4py is there, but not the library that it loads
        why = " ".join(str(error).split())
        raise SettingsError(f"engine=mpi cannot load MPI ({why}): {install_command('mpi')} brings one") from error
    exchange = connect(here)
    settings = dataclasses.replace(settings, ranks=exchange.ranks)
    try:
        _check_alike(settings, exchange)
        return (_follow if exchange.rank else _lead)(settings, display, command, exchange, here)
    finally:
        exchange.close()


def _lead(settings: RunSettings, display: Display, command: Sequence[str], exchange: Mpi, here: Place) -> Outcome:
    ranks = Ranks(exchange)
    outcome = outcome_of(lambda: runner.run(settings, display, command, ranks), settings.label)
    if ranks.busy:
        display.close()
        if outcome.status in STOPPED:  # before the solvers watched for it
            exchange.abort(outcome.exit_code)
        _abort(exchange, here, outcome.message, outcome.exit_code)
    if not ranks.begun:
        exchange.broadcast(False)
    exchange.broadcast(outcome.status)
    return outcome


def _follow(settings: RunSettings, _: Display, __: Sequence[str], exchange: Mpi, here: Place) -> Outcome:
    try:
        if exchange.broadcast(None) is True:
            with contextlib.suppress(SettingsError, KeyboardInterrupt):  # all ranks have agreed on it
                _work(settings, Ranks(exchange))
        status: OutcomeStatus = exchange.broadcast(None)
    except BaseException as error:
        _abort(exchange, here, f"{type(error).__name__}: {error}", 1, traceback.format_exc())
    return Outcome(settings.label(), status)


def _work(settings: RunSettings, ranks: Ranks) -> None:
    own = ranks.solver(settings, None)
    n = own.problem.n
    solver = ranks.drive(own, None)
    keeper = Keeper(None, settings.checkpoint_seconds) if settings.solver.resumes else None
    budget = settings.budget
    recorder = Recorder(_Blind(), n, pause=0.0)
    with ranks.watching(solver):
        go_on(solver, budget.limits(n), budget.looks(n), recorder, Display(), keeper, ranks.kept)


def _abort(exchange: Mpi, here: Place, why: str, code: int, details: str = "") -> NoReturn:
    say_last(f"{details}error: {here.named()} has failed: {why}: the job ends")
    exchange.abort(code)
    raise AssertionError("MPI_Abort came back")


class _Blind:
    """Evaluates nothing: that is done where the data are."""

    def evaluate(self, snapshots: Sequence[Any], /) -> list[dict[str, float | None]]:
        return [{} for _ in snapshots]


def _check_alike(settings: RunSettings, exchange: Mpi) -> None:
    """Refuse ranks that would not compute the same."""
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
