"""A run on the ranks of an MPI job: rank 0 runs it like a local run and records it; the others follow its orders."""

from __future__ import annotations

import contextlib
import dataclasses
import math
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ... import solvers
from ...solvers import Counters, Limit, Problem, SettingsError, Snapshot, Status
from ...solvers.shard import check_ranks, scatter_rows
from ..configuration.choices import install_command
from ..configuration.settings import RunSettings
from ..processes.outcome import EXIT_CODES, Outcome, OutcomeStatus, outcome_of
from ..processes.stopping import StopRequest, Terminated, deferred, status_of
from ..processes.streams import mpi_process
from ..run import runner
from ..run.advance import LocalEngine
from ..run.checkpointer import Checkpoint
from ..run.console import Display
from ..run.identity import canonical_json

if TYPE_CHECKING:
    from .mpi import Mpi

END = "end"
"""The last order; its argument is the status of the run."""
GROWTH = 8
"""A slice has at most this many times the iterations of the one before: the first one measures the speed badly."""
PASS_ON_SECONDS = 0.5
"""Seconds in which ``mpirun`` reads a last message: it ends with a rank, and drops the output that it has not read."""


class Report(NamedTuple):
    """The answer of a rank to an order: an error of the user, a signal, its solver's times, the cost of its sums."""

    refusal: SettingsError | None
    stop: type[KeyboardInterrupt] | None
    cpu_seconds: float
    wall_seconds: float
    exchanges: int
    handed_over: int
    seconds: float


class RankSolver:
    """One rank's part of a solver, and on rank 0 the solvers of all ranks as one.

    Rank 0 gives orders, names of methods and their arguments, which all ranks carry out together: methods of the solver
    `local`, or of this object before that is made. `counters` are exact costs over all ranks, `cpu_seconds` is the sum
    over all ranks, `wall_seconds` is rank 0's. `stop_request` is the Ctrl-C or SIGTERM that this rank has got.
    """

    cost: str
    remarks: tuple[str, ...]

    def __init__(self, settings: RunSettings, exchange: Mpi) -> None:
        self.exchange, self.ranks = exchange, exchange.ranks
        self.stop_request = StopRequest()
        self.cpu_seconds = self.wall_seconds = 0.0
        self.local: Any = None
        self._settings = settings
        self._earlier: Mapping[str, float] = {}
        self._reports: list[Report] = []
        self._done, self._per_cpu = 0, 0.0

    def follow(self) -> OutcomeStatus:
        """Carry out the orders of rank 0 until the last one; return the status of the run."""
        with deferred(always=True) as self.stop_request:
            while True:
                order: tuple[str, Any] = self.exchange.broadcast(None)
                name, arguments = order
                if name == END:
                    return arguments  # type: ignore[no-any-return]
                self._carry_out(name, arguments)

    def order(self, name: str, *arguments: Any, other_arguments: tuple[Any, ...] = ()) -> Any:
        """Carry out an order on all ranks: with `arguments` on rank 0, which calls this, else with `other_arguments`.

        Raises
        ------
        SettingsError
            A rank has raised it. Any other error ends all ranks, because the others may wait for this one.
        """
        self.exchange.broadcast((name, other_arguments))
        value, reports = self._carry_out(name, arguments)
        assert reports is not None
        for report in reports:
            if report.refusal is not None:
                raise report.refusal
        self._reports = reports
        self.cpu_seconds = math.fsum(report.cpu_seconds for report in reports)
        self.wall_seconds = reports[0].wall_seconds
        return value

    def _carry_out(self, name: str, arguments: tuple[Any, ...]) -> tuple[Any, list[Report] | None]:
        value = refusal = None
        try:
            value = getattr(self.local or self, name)(*arguments)
        except SettingsError as error:
            refusal = error
        except KeyboardInterrupt as stopped:
            self.exchange.abort(EXIT_CODES[status_of(stopped)])
        except BaseException as error:
            rank = f"rank {self.exchange.rank} of {self.ranks} ({os.uname().nodename}, process {os.getpid()})"
            why = f"{type(error).__name__}: {error}"
            sys.stderr.write(f"{traceback.format_exc()}error: {rank} has failed: {why}: the job ends\n")
            sys.stderr.flush()
            time.sleep(PASS_ON_SECONDS)
            self.exchange.abort(1)
        report = Report(
            refusal,
            self.stop_request.kind,
            getattr(self.local, "cpu_seconds", 0.0),
            getattr(self.local, "wall_seconds", 0.0),
            self.exchange.exchanges,
            self.exchange.handed_over,
            self.exchange.seconds,
        )
        return value, self.exchange.gather(report)

    def compare(self) -> None:
        """Raise SettingsError on rank 0 if ranks differ in build, instruction set or settings."""
        build = solvers.build_info()
        mine = {
            "build of the core": build["build_id"],
            "instruction set (SVM_ISA)": build["isa"],
            "settings": canonical_json(self._settings.identity()),
        }
        for rank, theirs in enumerate(self.exchange.gather(mine) or []):
            for name in mine:
                if theirs[name] != mine[name]:
                    raise SettingsError(f"rank {rank} has another {name} than rank 0: it must be the same everywhere")

    def make(self, problem: Problem | None) -> None:
        """Distribute the rows of a problem, which rank 0 has, and make the solver."""
        shard = scatter_rows(problem, self.exchange)
        self.local = self._settings.solver(shard, self._settings.solver_settings, self._settings.seed)
        self.cost, self.remarks = self.local.cost, self.local.remarks

    @property
    def counters(self) -> Counters:
        """Exact costs so far, over all ranks."""
        return self.local.counters  # type: ignore[no-any-return]

    def snapshot(self) -> Snapshot:
        """Return the present predictor."""
        return self.order("snapshot")  # type: ignore[no-any-return]

    def state(self) -> Any:
        """Return all that the rest of the run depends on."""
        return self.order("state")

    def restore(self, checkpoint: Checkpoint) -> None:
        """Continue from a checkpoint."""
        self._earlier = checkpoint.communication
        self.order("restore", checkpoint.state, other_arguments=(None,))

    def advance(self, limit: Limit) -> Status:
        """Run until a limit is reached, in slices; the limit on CPU seconds is checked between them.

        Raises
        ------
        KeyboardInterrupt
            A rank has got Ctrl-C or SIGTERM; all ranks have stopped after the same iteration.
        """
        last = math.inf if limit.iterations is None else limit.iterations
        cpu_limit = math.inf if limit.cpu_seconds is None else limit.cpu_seconds
        while True:
            begin, cpu = self.counters.iterations or 0, self.cpu_seconds
            steps = max(1, int(min((cpu_limit - cpu) * self._per_cpu, GROWTH * self._done)))
            end = int(min(begin + steps, last))
            slice_limit = dataclasses.replace(limit, iterations=end, cpu_seconds=None)
            status: Status = self.order("advance", slice_limit, other_arguments=(slice_limit,))
            if stops := [report.stop for report in self._reports if report.stop]:
                raise max(stops, key=lambda stop: stop is Terminated)
            if status is not Status.ITERATIONS or end == last:
                return status
            if self.cpu_seconds >= cpu_limit:
                return Status.CPU_SECONDS
            self._done = (self.counters.iterations or 0) - begin
            self._per_cpu = self._done / max(self.cpu_seconds - cpu, 1e-9)

    @property
    def communication(self) -> dict[str, int | float]:
        """Costs of communication for the record: see docs/record.md."""
        costs = {
            "exchanges": self._reports[0].exchanges,
            "bytes": sum(report.handed_over for report in self._reports),
            "seconds": self._reports[0].seconds,
            "seconds_max": max(report.seconds for report in self._reports),
        }
        return {"ranks": self.ranks} | {name: value + self._earlier.get(name, 0) for name, value in costs.items()}


class MpiEngine(LocalEngine):
    """Runs a solver on all ranks, as rank 0."""

    def __init__(self, solver: RankSolver) -> None:
        self._solver = solver

    def make_solver(self, settings: RunSettings, problem: Problem) -> RankSolver:
        """Distribute the rows of a problem, and make the solver of each rank."""
        check_ranks(problem, self._solver.ranks)
        self._solver.order("compare")
        self._solver.order("make", problem, other_arguments=(None,))
        return self._solver

    def restore(self, solver: RankSolver, checkpoint: Checkpoint) -> None:
        """Continue from a checkpoint on all ranks."""
        solver.restore(checkpoint)

    @contextlib.contextmanager
    def watching(self, solver: RankSolver) -> Iterator[Callable[[], None]]:
        """Defer Ctrl-C and SIGTERM: `RankSolver.advance` raises them, on whichever rank they arrive."""
        with deferred(always=True) as solver.stop_request:
            yield lambda: None


def run(settings: RunSettings, display: Display, command: Sequence[str]) -> Outcome:
    """Compute one run together with the other processes that ``mpirun`` has started.

    The settings are the same on all ranks, and so is the status of the outcome. The display is rank 0's; the other
    ranks write only the error that ends the job. `command` is for the record.

    Raises
    ------
    SettingsError
        MPI cannot be loaded, or is not the one of ``mpirun``.
    """
    rank = mpi_process().rank
    if rank:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # until `RankSolver.follow`
    try:
        from .mpi import connect
    except (ImportError, RuntimeError) as error:  # mpi4py is installed, but not the library that it loads
        why = " ".join(str(error).split())
        raise SettingsError(f"engine=mpi cannot load MPI ({why}): {install_command('mpi')} brings one") from error
    exchange = connect()
    settings = dataclasses.replace(settings, ranks=exchange.ranks)
    solver = RankSolver(settings, exchange)
    if rank:
        outcome = Outcome(settings.label(), solver.follow())
    else:
        outcome = outcome_of(lambda: runner.run(settings, display, command, MpiEngine(solver)), settings.label)
        exchange.broadcast((END, outcome.status))
    exchange.close()
    return outcome
