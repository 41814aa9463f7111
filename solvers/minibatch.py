"""Mini-batch Pegasos and SDCA (Takac, Bijral, Richtarik, Srebro: Mini-batch primal and dual methods, ICML 2013)."""

import enum
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from . import _core
from .base import State
from .core_solver import LinearCoreSolver
from .errors import SettingsError
from .problem import Problem
from .rows import threads_refused
from .snapshots import LinearSnapshot
from .spectrum import beta

_SIZES = "features.problem"
"""Name of the sizes in the core's state: n, d, positives, number of stored values."""


class Averaging(enum.Enum):
    """The predictor: the last iterate, the mean of the last ones, or w_bar <- 0.9 w_bar + 0.1 w."""

    last = "last"
    tail = "tail"
    decaying = "decaying"

    def core(self) -> _core.Averaging:
        """Return the core's value."""
        return _core.Averaging.__members__[self.value]


class Variant(enum.Enum):
    """The length of a mini-batch step of SDCA.

    naive: the step of each coordinate alone; safe: divided by beta_b; aggressive: Algorithm 2 adapts the divisor.
    """

    naive = "naive"
    safe = "safe"
    aggressive = "aggressive"

    def core(self) -> _core.SdcaVariant:
        """Return the core's value."""
        return _core.SdcaVariant.__members__[self.value]


class _MiniBatch(LinearCoreSolver):
    within_n = ("batch_size",)
    shardable = True

    def __init__(self, problem: Problem, settings: Any, seed: int) -> None:
        super().__init__(problem, settings, seed)
        if refused := settings.threads - self._core.threads:
            self.remarks = (*self.remarks, threads_refused(refused, settings.threads))

    def core_arguments(self) -> dict[str, Any]:
        """Check the settings that both methods have, and return them as the core's arguments."""
        settings, problem = self.settings, self.problem
        if not 1 <= settings.batch_size <= problem.n:
            raise SettingsError(f"algo.batch_size = {settings.batch_size}: it must be from 1 to n = {problem.n:,}")
        if not 1 <= settings.threads <= 1024:
            raise SettingsError(f"algo.threads = {settings.threads}: it must be from 1 to 1,024")
        return {
            "features": problem.features,
            "lambda_": problem.require_lambda(),
            "batch_size": settings.batch_size,
            "average": settings.average.core(),
            "threads": settings.threads,
            "seed": self.seed,
            "shard": problem.shard,
            "all_reduce": None if problem.shard is None else problem.all_reduce.sum,
        }

    def state(self) -> State | None:
        """Return all that the rest of the run depends on, on rank 0, and None on others. All ranks call this.

        Any number of ranks can continue from it: the dual variables, `alpha`, are (n,), in the problem's order;
        `cpu_seconds` is the sum over all ranks; the sizes are those of the whole problem.
        """
        all_reduce = self.problem.all_reduce
        core: State = self._core.state()
        parts = all_reduce.gather({name: core[name] for name in ("cpu_seconds", "alpha", _SIZES) if name in core})
        if parts is None:
            return None
        core["cpu_seconds"] = np.sum([part["cpu_seconds"] for part in parts], axis=0)
        core[_SIZES] = _sizes_of_whole([part[_SIZES] for part in parts])
        if "alpha" in core:
            core["alpha"] = np.empty(self.problem.n)
            for rank, part in enumerate(parts):
                core["alpha"][rank :: all_reduce.ranks] = part["alpha"]
        return core

    def restore(self, state: State | None) -> None:
        """Continue from the state of a solver of the same problem, on rank 0, and None on the others.

        All ranks call this, before they advance. Raises SettingsError if it is not a state of this solver.
        """
        all_reduce = self.problem.all_reduce
        sizes = all_reduce.gather(self._core.state()[_SIZES])
        if state is not None and sizes is not None and np.array_equal(state.get(_SIZES, ()), _sizes_of_whole(sizes)):
            core = all_reduce.scatter(lambda rank: _of_rank(state, rank, all_reduce.ranks) | {_SIZES: sizes[rank]})
        else:  # of another problem: the core of each rank refuses it
            core = all_reduce.scatter(None if state is None else lambda rank: _of_rank(state, rank, all_reduce.ranks))
        with self.restoring():
            self._core.restore(core)


def _sizes_of_whole(parts: Sequence[NDArray[np.uint64]]) -> NDArray[np.uint64]:
    """Return n, d, positives and stored values of a problem, from those of each rank's rows."""
    n, d, positives, stored = np.array(parts, dtype=np.uint64).T
    return np.array([n.sum(), d[0], positives.sum(), stored.sum()], dtype=np.uint64)


def _of_rank(state: State, rank: int, ranks: int) -> State:
    """Return one rank's part of a state. Rank 0 gets the CPU seconds of the earlier processes."""
    part = {name: values[rank::ranks].copy() if name == "alpha" else values for name, values in state.items()}
    return part if rank == 0 else part | {"cpu_seconds": np.zeros(1)}


@dataclass
class MiniBatchPegasosSettings:
    """Settings of `MiniBatchPegasos`."""

    batch_size: int = 64
    """b: number of examples in an iteration."""
    average: Averaging = Averaging.tail
    """tail: the mean of the iterates after the 2^m-th, for the largest m with 2^(m + 1) <= T."""
    threads: int = 1
    """Number of threads that share the examples of an iteration. The result does not depend on it."""


class MiniBatchPegasos(_MiniBatch):
    """Algorithm 1: the subgradient of a random subset of b examples, with steps 1 / (lambda t)."""

    name = "minibatch_pegasos"
    summary = "Mini-batch Pegasos (Takac, Bijral, Richtarik, Srebro 2013)"
    Settings = MiniBatchPegasosSettings

    def make(self) -> _core.LinearSolver:  # noqa: D102 (inherited)
        return _core.MiniBatchPegasos(**self.core_arguments())


@dataclass
class MiniBatchSdcaSettings:
    """Settings of `MiniBatchSdca`."""

    variant: Variant = Variant.aggressive
    """naive, safe or aggressive."""
    batch_size: int = 64
    """b: number of examples in an iteration."""
    gamma: float = 0.95
    """Weight of the past in the aggressive variant's beta; the paper's value."""
    average: Averaging = Averaging.last
    """last, tail or decaying; the paper draws curves of the decaying average."""
    threads: int = 1
    """Number of threads that share the examples of an iteration. The result does not depend on it."""


class MiniBatchSdca(_MiniBatch):
    """Equation (15) and Algorithm 2: updates the dual variables of b random examples from the same weights.

    If a norm is larger than 1, all rows are divided by the largest norm, and lambda by its square: this is the same
    problem. A row is charged once for each presentation, also if the aggressive variant reads it several times.
    """

    name = "minibatch_sdca"
    summary = "Mini-batch SDCA: naive, safe or aggressive (Takac, Bijral, Richtarik, Srebro 2013)"
    Settings: ClassVar[type[Any]] = MiniBatchSdcaSettings

    def make(self) -> _core.LinearSolver:  # noqa: D102 (inherited)
        problem, settings = self.problem, self.settings
        if not 0.0 < settings.gamma < 1.0:
            raise SettingsError(f"algo.gamma = {settings.gamma}: it must lie between 0 and 1")
        shared = self.core_arguments()
        if (largest := problem.largest_norm) > 1.0 + 1e-5 and settings.variant is not Variant.naive:
            self.remarks = (
                f"steps are those for rows divided by {largest:.6g}, the largest norm, and lambda by its square",
            )
        return _core.MiniBatchSdca(
            variant=settings.variant.core(),
            beta=1.0 if settings.variant is Variant.naive else beta(problem, settings.batch_size),
            gamma=settings.gamma,
            **shared,
        )

    def snapshot(self) -> LinearSnapshot:
        """Return the present predictor, on rank 0 with the dual objective. All ranks call this."""
        core = self._core
        sums = self.problem.all_reduce.gather(core.alpha().sum().item())
        lower_bound = None if sums is None else core.lower_bound_of(math.fsum(sums))
        return LinearSnapshot(core.weights(), core.bias, lower_bound=lower_bound)
