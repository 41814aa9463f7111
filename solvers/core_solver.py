"""The base of solvers whose loop runs in the compiled core."""

from __future__ import annotations

import abc
from typing import Any, ClassVar

from . import _core
from .base import Counters, Limit, Solver, State, Status
from .errors import core_errors
from .problem import Problem
from .snapshots import KernelSnapshot, LinearSnapshot, Snapshot


class CoreSolver(Solver):
    """A solver whose loop runs in the compiled core."""

    resumes = True
    dual_feasible: ClassVar[bool] = False
    """Whether its coefficients are a feasible point of the lambda form's dual."""

    def __init__(self, problem: Problem, settings: Any, seed: int) -> None:
        super().__init__(problem, settings, seed)
        with core_errors(self.name):
            self._core: Any = self.make()

    @abc.abstractmethod
    def make(self) -> _core.Solver:
        """Return the core's solver of the problem."""

    def advance(self, limit: Limit) -> Status:  # noqa: D102 (inherited)
        with core_errors(self.name):  # what only the run shows, such as weights that outgrow float64
            return Status(self._core.advance(**limit.given()).name)

    @property
    def counters(self) -> Counters:  # noqa: D102 (inherited)
        # with explicit weights no kernel is evaluated: the cost is None, not 0
        return Counters.of(self._core.counters, self.not_counted(self.problem.kernel.name))

    @property
    def cpu_seconds(self) -> float:  # noqa: D102 (inherited)
        return float(self._core.cpu_seconds)

    @property
    def wall_seconds(self) -> float:  # noqa: D102 (inherited)
        return float(self._core.wall_seconds)

    def snapshot(self) -> Snapshot:  # noqa: D102 (inherited)
        if isinstance(self._core, _core.LinearSolver):
            return LinearSnapshot(self._core.weights(), self._core.bias, lower_bound=self._core.lower_bound)
        core = self._core
        return KernelSnapshot(core.coefficients(), core.bias, core.responses(), dual_feasible=self.dual_feasible)

    def state(self) -> State | None:  # noqa: D102 (inherited)
        return dict(self._core.state())

    def restore(self, state: State | None) -> None:  # noqa: D102 (inherited)
        with self.restoring():
            self._core.restore(state)


class LinearCoreSolver(CoreSolver):
    """A solver in the core that has explicit weights, of the lambda form, for the linear kernel only."""

    needs = frozenset({"lambda"})
    kernels = explicit = frozenset({"linear"})
