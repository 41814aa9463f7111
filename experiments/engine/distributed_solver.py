"""A solver that runs in several processes: all ranks see the same costs and stop after the same iteration."""

from __future__ import annotations

import contextlib
import dataclasses
import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.processes.stopping import StopRequest, Terminated, deferred
from solvers import Counters, Limit, Snapshot, Status

if TYPE_CHECKING:
    from experiments.engine.mpi import Mpi

SLICE_SECONDS = 0.2
"""The ranks exchange times and stop requests about this often."""
_STOP_KINDS = (None, KeyboardInterrupt, Terminated)
"""If several ranks get a signal, the last kind in this list counts."""
GROWTH = 8
"""A slice has at most this many times the iterations of the one before: the first one measures the speed badly."""


class DistributedSolver:
    """The ranks' solvers of one problem, advanced in slices of iterations.

    Everything that determines the rest of the run is the same on all ranks. `counters` are, because the solver's are.
    Times are exchanged after each slice: `cpu_seconds` is the sum over all ranks, `wall_seconds` is rank 0's.

    Parameters
    ----------
    solver : Solver
        This rank's, new or restored from a checkpoint.
    exchange : Mpi
    earlier : mapping of str to number
        `communication` in the checkpoint that the run was resumed from; empty without one.
    """

    def __init__(self, solver: Any, exchange: Mpi, earlier: Mapping[str, float]) -> None:
        self.solver = solver
        self.ranks = exchange.ranks
        self.cost: str = solver.cost
        self.remarks: tuple[str, ...] = solver.remarks
        self._exchange = exchange
        self._earlier = earlier
        self._stop_request = StopRequest()
        self._stop: type[KeyboardInterrupt] | None = None
        self._done = 0
        self._per_wall = self._per_cpu = 0.0
        self.cpu_seconds = self.wall_seconds = 0.0
        self._exchange_times()

    @property
    def counters(self) -> Counters:
        """Exact costs so far, over all ranks."""
        return self.solver.counters  # type: ignore[no-any-return]

    def snapshot(self) -> Snapshot:
        """Return the present predictor. All ranks call this together."""
        return self.solver.snapshot()  # type: ignore[no-any-return]

    def state(self) -> Any:
        """Return on rank 0 all that the rest of the run depends on. All ranks call this together."""
        return self.solver.state()

    def advance(self, limit: Limit) -> Status:
        """Run until a limit is reached, in slices; the limit on CPU seconds is checked between them.

        Raises
        ------
        KeyboardInterrupt
            On all ranks after the same iteration, if one of them has got Ctrl-C or SIGTERM (see `watching`).
        """
        counts = dataclasses.replace(limit, cpu_seconds=None)
        cpu_limit = math.inf if limit.cpu_seconds is None else limit.cpu_seconds
        while self._stop is None:
            status = self._slice(counts, cpu_limit - self.cpu_seconds)
            if status is Status.CONVERGED:
                return status
            for name, value in counts.given().items():
                if (getattr(self.counters, name) or 0) >= value:
                    return Status(name)
            if self.cpu_seconds >= cpu_limit:
                return Status.CPU_SECONDS
        raise self._stop

    def _slice(self, counts: Limit, cpu_left: float) -> Status:
        begin = self.counters.iterations or 0
        wall, cpu = self.wall_seconds, self.cpu_seconds
        # these numbers are the same on all ranks, so `steps` is
        steps = max(1, int(min(SLICE_SECONDS * self._per_wall, cpu_left * self._per_cpu, GROWTH * self._done)))
        end = min(begin + steps, math.inf if counts.iterations is None else counts.iterations)
        status: Status = self.solver.advance(dataclasses.replace(counts, iterations=int(end)))
        self._exchange_times()
        self._done = (self.counters.iterations or 0) - begin
        self._per_wall = self._done / max(self.wall_seconds - wall, 1e-9)
        self._per_cpu = self._done / max(self.cpu_seconds - cpu, 1e-9)
        return status

    def _exchange_times(self) -> None:
        own = self._exchange.communication
        stop = _STOP_KINDS.index(self._stop_request.kind)
        mine = [self.solver.cpu_seconds, self.solver.wall_seconds, stop, *vars(own).values()]
        everyone = self._exchange.everyone(np.array(mine, dtype=np.float64))
        self.cpu_seconds = float(everyone[:, 0].sum())
        self.wall_seconds = float(everyone[0, 1])
        self._stop = _STOP_KINDS[int(everyone[:, 2].max())]
        self._communication = everyone[:, 3:]

    @property
    def communication(self) -> dict[str, int | float]:
        """Costs of communication for the record: see docs/record.md."""
        exchanges, sparse, handed_over, seconds = self._communication.T
        costs = {
            "exchanges": int(exchanges[0]),
            "sparse_exchanges": int(sparse[0]),
            "bytes": int(handed_over.sum()),
            "seconds": float(seconds[0]),
            "seconds_max": float(seconds.max()),
        }
        return {"ranks": self.ranks} | {name: value + self._earlier.get(name, 0) for name, value in costs.items()}

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Defer Ctrl-C and SIGTERM: `advance` raises them on all ranks after the same iteration."""
        with deferred(always=True) as self._stop_request:
            yield
