"""The kernel Perceptron (Rosenblatt 1958; Cotter, Shalev-Shwartz, Srebro 2012, section 4.5), also averaged."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._core import Purpose, Random
from .base import Counters, Limit, State, Status
from .core_solver import CoreSolver
from .problem import Problem
from .python_solver import PythonSolver, prefixed, select
from .snapshots import KernelSnapshot

_CHUNK = 256  # examples searched at once for the next mistake


@dataclass
class PerceptronSettings:
    """The Perceptron has no settings."""


class Perceptron(CoreSolver):
    """A new random order each epoch; if y f(x) <= 0, y K(x, .) is added, at n kernel evaluations."""

    name = "perceptron"
    summary = "Kernel Perceptron, any number of passes (Rosenblatt 1958)"
    Settings = PerceptronSettings

    def make(self) -> _core.KernelSolver:  # noqa: D102 (inherited)
        return _core.Perceptron(self.problem.rows.source, seed=self.seed)


@dataclass
class AveragedPerceptronSettings:
    """The averaged Perceptron has no settings."""


class AveragedPerceptron(PythonSolver):
    """Its predictor is the mean of all iterates of `Perceptron`; examples and mistakes are the same for one seed.

    Averaging turns the mistake bound of the online method into a bound on the test error (online-to-batch conversion).
    """

    name = "averaged_perceptron"
    summary = "Kernel Perceptron, mean of all iterates (Freund, Schapire 1999)"
    Settings = AveragedPerceptronSettings
    resumes = True

    def __init__(self, problem: Problem, settings: AveragedPerceptronSettings, seed: int) -> None:
        super().__init__(problem, settings, seed)
        self._rows = problem.counted_rows()
        self._random = Random(seed, Purpose.order)
        self._order = np.arange(problem.n)
        self._position = problem.n
        self._mistakes_this_epoch = 0
        self._responses = np.zeros(problem.n)  # y_i f(x_i) of the present iterate
        self._alpha = np.zeros(problem.n)
        self._late = np.zeros(problem.n)  # sum over mistakes of the steps before them
        self._steps = 0

    def advance(self, limit: Limit) -> Status:  # noqa: D102 (inherited)
        with self.clocks():
            while not (reached := self.reached(limit)):
                if self._position == len(self._order):
                    if self._steps and not self._mistakes_this_epoch:
                        return Status.CONVERGED
                    self._order = self._order[self._random.permutation(self.problem.n)]
                    self._position = self._mistakes_this_epoch = 0
                self._present(self._order[self._position : self._position + self._chunk(limit)])
        return reached

    def _present(self, examples: NDArray[np.intp]) -> None:
        """Present examples up to the first mistake, and add the mistake to the predictor."""
        wrong = self._responses[examples] <= 0.0
        first = int(np.argmax(wrong))
        seen = first + 1 if wrong[first] else len(examples)
        for _ in range(seen):
            self._rows.present()
        self._position += seen
        self._steps += seen
        if wrong[first]:
            i = int(examples[first])
            self._add(i, self._rows.row(i))
            self._alpha[i] += 1.0
            self._late[i] += self._steps - 1
            self._mistakes_this_epoch += 1

    def _add(self, i: int, row: NDArray[np.float32]) -> None:
        # y_j y_i is 1 in the class of i: two sums in place are faster than a product with labels
        p = self.problem.positives
        same, rest = (slice(p), slice(p, None)) if i < p else (slice(p, None), slice(p))
        self._responses[same] += row[same]
        self._responses[rest] -= row[rest]

    def _chunk(self, limit: Limit) -> int:
        """Return how many examples to search: no limit in iterations or presentations is passed."""
        bounds = [value for name in ("iterations", "presentations") if (value := limit.given().get(name)) is not None]
        return min([_CHUNK, *(int(value) - self._steps for value in bounds)])

    def state(self) -> State:  # noqa: D102 (inherited)
        return self.clock_state() | {
            **prefixed("rows", self._rows.state()),
            **prefixed("random", self._random.state()),
            "order": self._order,
            "numbers": np.array([self._position, self._mistakes_this_epoch, self._steps]),
            "responses": self._responses,
            "alpha": self._alpha,
            "late": self._late,
        }

    def restore(self, state: State | None) -> None:  # noqa: D102 (inherited)
        with self.restoring():
            assert state is not None  # one process makes the run
            self._rows.restore(select("rows", state))
            self._random.restore(select("random", state))
            self._order = state["order"].copy()
            self._position, self._mistakes_this_epoch, self._steps = map(int, state["numbers"])
            self._responses, self._alpha, self._late = (state[name].copy() for name in ("responses", "alpha", "late"))
            self.set_clocks(state)

    @property
    def counters(self) -> Counters:  # noqa: D102 (inherited)
        return Counters.of(self._rows.counters)

    def snapshot(self) -> KernelSnapshot:  # noqa: D102 (inherited)
        # a mistake of step t = 0, 1, ..., T - 1 is in T - t of the T iterates
        mean = self._alpha - self._late / max(self._steps, 1)
        return KernelSnapshot(self.problem.y * mean)
