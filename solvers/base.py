"""The interface of every solver: a resumable state machine with exact counters."""

from __future__ import annotations

import abc
import contextlib
import enum
from collections.abc import Collection, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

from numpy.typing import NDArray

from . import _core
from .errors import CoreError, SettingsError, check_numbers
from .problem import Problem
from .snapshots import Snapshot


class Status(enum.Enum):
    """Why `advance` returned: convergence, or else the limit that was reached (the first of them, in this order)."""

    ITERATIONS = "iterations"
    PRESENTATIONS = "presentations"
    KERNEL_EVALUATIONS = "kernel_evaluations"
    INNER_PRODUCTS = "inner_products"
    FEATURE_ACCESSES = "feature_accesses"
    CPU_SECONDS = "cpu_seconds"
    CONVERGED = "converged"


@dataclass(frozen=True)
class Limit:
    """Where `advance` stops: at the end of the first iteration in which a counter reaches its limit.

    `cpu_seconds` bounds the total CPU time inside the solver; it is checked before the first iteration and then about
    every hundredth of a second.
    """

    iterations: int | None = None
    presentations: int | None = None
    kernel_evaluations: int | None = None
    inner_products: int | None = None
    feature_accesses: int | None = None
    cpu_seconds: float | None = None

    def given(self) -> dict[str, Any]:
        """Return the limits that are set."""
        return {name: value for name, value in vars(self).items() if value is not None}


@dataclass(frozen=True)
class Counters:
    """Exact costs; None for one that the method does not count.

    Attributes
    ----------
    iterations : int or None
        Passes of the main loop.
    presentations : int or None
        Examples that the method has processed; n of them are an epoch.
    kernel_evaluations : int or None
        Values K(x_i, x_j), computed or read.
    inner_products : int or None
        Inner products of two d-dimensional vectors.
    feature_accesses : int or None
        Stored coordinates of training vectors that were read.
    feature_accesses_dense : int or None
        The same as if no coordinate were 0: d for each vector.
    """

    iterations: int | None = 0
    presentations: int | None = 0
    kernel_evaluations: int | None = 0
    inner_products: int | None = 0
    feature_accesses: int | None = 0
    feature_accesses_dense: int | None = 0

    @classmethod
    def of(cls, core: _core.Counters, not_counted: Collection[str] = ()) -> Counters:
        """Return the core's counters, with None for those that are not counted."""
        counts = {name: None if name in not_counted else getattr(core, name) for name in cls.__dataclass_fields__}
        return cls(**counts)

    def without(self, names: Collection[str]) -> Counters:
        """Return these counters with None for the names given."""
        return replace(self, **dict.fromkeys(names))

    def epochs(self, n: int) -> float | None:
        """Return example presentations over n."""
        return None if self.presentations is None else self.presentations / n


State = dict[str, NDArray[Any]]
"""All that a resumed run depends on besides problem, settings and seed: arrays by name."""


class Solver(abc.ABC):
    """Base of all solvers. `solvers.get` finds a subclass by its `name`."""

    name: ClassVar[str]
    summary: ClassVar[str]
    """One line for the list of solvers."""
    Settings: ClassVar[type[Any]]
    """A dataclass of typed settings with defaults."""
    needs: ClassVar[frozenset[str]] = frozenset()
    """Which of "lambda" and "nu" the problem must give."""
    biases: ClassVar[frozenset[bool]] = frozenset({False})
    """The values of ``problem.bias`` with which it runs; True: with an unregularised bias."""
    kernels: ClassVar[frozenset[str]] = frozenset({"gaussian", "polynomial", "linear"})
    """Names of the kernels that it accepts."""
    explicit: ClassVar[frozenset[str]] = frozenset()
    """Names of the kernels for which it stores weights, and reads features instead of kernel rows."""
    uncounted: ClassVar[frozenset[str]] = frozenset()
    """Counters that it never counts, whatever the kernel; see `not_counted`."""
    within_n: ClassVar[tuple[str, ...]] = ()
    """Names of its settings that count distinct training examples, so that n is their maximum."""
    cost: str = "kernel_evaluations"
    """The counter on the cost axis of its curve."""
    remarks: tuple[str, ...] = ()
    """Sentences about changes to the problem that the user may not expect."""
    shardable: ClassVar[bool] = False
    """Whether the rows can be split among processes (engine=mpi)."""
    resumes: ClassVar[bool] = False
    """Whether it has `state` and `restore`, so that another process can continue its run."""
    libraries: ClassVar[tuple[str, ...]] = ()
    """Distributions whose numbers it reports, such as scikit-learn: their versions are part of a run's identity."""
    ranks: int = 1
    """Number of processes that it runs in."""
    timed: ClassVar[bool] = False
    """Whether its running time is its result: then threads, memory and row provider are part of a run's identity."""

    def __init__(self, problem: Problem, settings: Any, seed: int) -> None:
        if problem.bias not in self.biases:
            wanted = "with" if problem.bias else "without"
            raise SettingsError(
                f"algo={self.name} does not solve problems {wanted} bias: set problem.bias={not problem.bias}".lower()
            )
        self.check_kernel(problem.kernel.name)
        check_numbers("algo", settings)
        if not 0 <= seed < 2**63:
            raise SettingsError(f"seed = {seed}: it must lie between 0 and 2^63 - 1")
        if problem.kernel.name in self.explicit:
            self.cost = "feature_accesses"
        self.problem = problem
        self.settings = settings
        self.seed = seed

    @classmethod
    def check_kernel(cls, name: str) -> None:
        """Raise SettingsError if a kernel is not in `kernels`; the message names the allowed ones."""
        if name not in cls.kernels:
            allowed = " or ".join(f"kernel={kernel}" for kernel in sorted(cls.kernels))
            raise SettingsError(f"algo={cls.name} works with {allowed} only, got kernel={name}")

    @classmethod
    def has_stopping_rule(cls) -> bool:
        """Whether a setting says how accurate the result is to be, and so when to stop."""
        return not {"eps", "tolerance"}.isdisjoint(field.name for field in fields(cls.Settings))

    @classmethod
    def not_counted(cls, kernel: str) -> frozenset[str]:
        """Return the names of the counters that are None with this kernel. A budget in them cannot end a run."""
        return cls.uncounted | ({"kernel_evaluations"} if kernel in cls.explicit else frozenset())

    @abc.abstractmethod
    def advance(self, limit: Limit) -> Status:
        """Run until a limit is reached or the method has converged; return which.

        Advancing in one go or in many steps gives bit-identical results. KeyboardInterrupt is raised within about a
        tenth of a second of Ctrl-C; the solver stays valid and can advance again.
        """

    @property
    @abc.abstractmethod
    def counters(self) -> Counters:
        """Exact costs so far."""

    @property
    @abc.abstractmethod
    def cpu_seconds(self) -> float:
        """CPU seconds inside the solver so far, of the calling thread and of those that work for it."""

    @property
    @abc.abstractmethod
    def wall_seconds(self) -> float:
        """Monotonic seconds inside the solver so far."""

    @abc.abstractmethod
    def snapshot(self) -> Snapshot:
        """Return the present predictor without disturbing the run."""

    def state(self) -> State | None:
        """Return all that the rest of the run depends on, with clocks and counters; None on all ranks but 0.

        Raises NotImplementedError if `resumes` is False.
        """
        raise NotImplementedError(f"algo={self.name} cannot be checkpointed")

    def restore(self, state: State | None) -> None:
        """Continue from the state of a solver of the same problem, settings and seed. Call it before `advance`.

        The rest of the run has the same bits as without the interruption. Raises SettingsError if it is not a state of
        this solver, NotImplementedError if `resumes` is False.
        """
        raise NotImplementedError(f"algo={self.name} cannot be checkpointed")

    @contextlib.contextmanager
    def restoring(self) -> Iterator[None]:
        """Turn errors of the core, and missing arrays, into a SettingsError: the state is not one of this solver."""
        try:
            yield
        except (CoreError, KeyError, TypeError, ValueError) as error:
            raise SettingsError(f"algo={self.name}: {error}") from error
