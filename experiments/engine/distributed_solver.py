"""A solver that runs in several processes: rank 0 gives orders, and all ranks carry them out together."""

from __future__ import annotations

import dataclasses
import math
import os
import sys
import time
import traceback
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from svm_cost_curves import solvers
from svm_cost_curves.experiments.configuration.settings import RunSettings
from svm_cost_curves.experiments.processes.outcome import EXIT_CODES, OutcomeStatus, status_of
from svm_cost_curves.experiments.processes.stopping import StopRequest, Terminated, deferred
from svm_cost_curves.experiments.run.identity import canonical_json
from svm_cost_curves.solvers import Counters, Limit, Problem, SettingsError, Snapshot, Status
from svm_cost_curves.solvers.shard import scatter_rows

if TYPE_CHECKING:
    from svm_cost_curves.experiments.engine.mpi import Mpi

END = "end"
"""The last order; its argument is the status of the run."""
GROWTH = 8
"""A slice has at most this many times the iterations of the one before: the first one measures the speed badly."""
PASS_ON_SECONDS = 0.5
"""Seconds in which ``mpirun`` reads a last message: it ends with a rank, and drops the output that it has not read."""


@dataclasses.dataclass(frozen=True)
class Report:
    """The answer of a rank to an order: an error of the user, a signal, its solver's times, the cost of its sums."""

    refusal: SettingsError | None
    stop: type[KeyboardInterrupt] | None
    cpu_seconds: float
    wall_seconds: float
    exchanges: int
    handed_over: int
    seconds: float


class RankSolver:
    """The solver of one rank.

    Attributes
    ----------
    solver : Solver or None
        None before the order `make`.
    stop_request : StopRequest
        Ctrl-C or SIGTERM that this rank has got.
    """

    def __init__(self, settings: RunSettings, exchange: Mpi) -> None:
        self.exchange = exchange
        self.stop_request = StopRequest()
        self.solver: Any = None
        self._settings = settings

    def follow(self) -> OutcomeStatus:
        """Carry out the orders of rank 0 until the last one; return the status of the run."""
        with deferred(always=True) as self.stop_request:
            while True:
                order: tuple[str, Any] = self.exchange.broadcast(None)
                name, arguments = order
                if name == END:
                    return arguments  # type: ignore[no-any-return]
                self.carry_out(name, arguments)

    def carry_out(self, name: str, arguments: tuple[Any, ...]) -> tuple[Any, list[Report] | None]:
        """Call a method of the solver, or before there is one, of this object. All ranks call this together.

        An error other than SettingsError ends all ranks, because the others may wait for this one.

        Returns
        -------
        value : object
            Of the method.
        reports : list of Report or None
            Of all ranks, on rank 0.
        """
        value = refusal = None
        try:
            value = getattr(self.solver or self, name)(*arguments)
        except SettingsError as error:
            refusal = error
        except KeyboardInterrupt as stopped:
            self.exchange.abort(EXIT_CODES[status_of(stopped)])
        except BaseException as error:
            rank = f"rank {self.exchange.rank} of {self.exchange.ranks} ({os.uname().nodename}, process {os.getpid()})"
            why = f"{type(error).__name__}: {error}"
            sys.stderr.write(f"{traceback.format_exc()}error: {rank} has failed: {why}: the job ends\n")
            sys.stderr.flush()
            time.sleep(PASS_ON_SECONDS)
            self.exchange.abort(1)
        report = Report(
            refusal,
            self.stop_request.kind,
            getattr(self.solver, "cpu_seconds", 0.0),
            getattr(self.solver, "wall_seconds", 0.0),
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
        self.solver = self._settings.solver(shard, self._settings.solver_settings, self._settings.seed)


class DistributedSolver:
    """The solvers of all ranks as one solver, on rank 0.

    `counters` are exact costs over all ranks, `cpu_seconds` is the sum over all ranks, `wall_seconds` is rank 0's.

    Parameters
    ----------
    rank_solver : RankSolver
    problem : Problem

    Raises
    ------
    SettingsError
        The ranks differ, or the solver refuses the problem.
    """

    def __init__(self, rank_solver: RankSolver, problem: Problem) -> None:
        self._rank_solver = rank_solver
        self._earlier: Mapping[str, float] = {}
        self._done, self._per_cpu = 0, 0.0
        self.ranks = rank_solver.exchange.ranks
        self._order("compare")
        self._order("make", problem, others=(None,))
        self.cost: str = rank_solver.solver.cost
        self.remarks: tuple[str, ...] = rank_solver.solver.remarks

    @property
    def counters(self) -> Counters:
        """Exact costs so far, over all ranks."""
        return self._rank_solver.solver.counters  # type: ignore[no-any-return]

    def snapshot(self) -> Snapshot:
        """Return the present predictor."""
        return self._order("snapshot")  # type: ignore[no-any-return]

    def state(self) -> Any:
        """Return all that the rest of the run depends on."""
        return self._order("state")

    def restore(self, state: Any, communication: Mapping[str, float]) -> None:
        """Continue from a checkpoint's state and `communication`."""
        self._earlier = communication
        self._order("restore", state, others=(None,))

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
            status: Status = self._order("advance", slice_limit, others=(slice_limit,))
            if stops := [report.stop for report in self._reports if report.stop]:
                raise max(stops, key=lambda stop: stop is Terminated)
            if status is not Status.ITERATIONS or end == last:
                return status
            if self.cpu_seconds >= cpu_limit:
                return Status.CPU_SECONDS
            self._done = (self.counters.iterations or 0) - begin
            self._per_cpu = self._done / max(self.cpu_seconds - cpu, 1e-9)

    def _order(self, name: str, *arguments: Any, others: tuple[Any, ...] = ()) -> Any:
        """Carry out an order on all ranks, with `arguments` on this one and `others` on the others."""
        self._rank_solver.exchange.broadcast((name, others))
        value, reports = self._rank_solver.carry_out(name, arguments)
        assert reports is not None
        for report in reports:
            if report.refusal is not None:
                raise report.refusal
        self._reports = reports
        self.cpu_seconds = math.fsum(report.cpu_seconds for report in reports)
        self.wall_seconds = reports[0].wall_seconds
        return value

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
