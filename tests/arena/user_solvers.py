"""Solvers of users, with correct and with wrong counters; named in SVM_SOLVERS."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from svm_cost_curves.solvers import Counters, KernelSnapshot, Limit, Problem, Purpose, PythonSolver, Random, Status
from svm_cost_curves.solvers.base import State
from svm_cost_curves.solvers.python_solver import prefixed, select


@dataclass
class NoSettings:
    """Nothing to set."""


class Correct(PythonSolver):
    """The kernel Perceptron on random examples."""

    name = "correct"
    summary = "Perceptron of the tests"
    Settings = NoSettings

    def __init__(self, problem: Problem, settings: NoSettings, seed: int) -> None:
        super().__init__(problem, settings, seed)
        self._rows = problem.counted_rows()
        self._random = Random(seed, Purpose.order)
        self._responses = np.zeros(problem.n)
        self._alpha = np.zeros(problem.n)

    def advance(self, limit: Limit) -> Status:
        with self.clocks():
            while not (reached := self.reached(limit)):
                self.step()
        return reached

    def step(self) -> None:
        i = self._random.below(self.problem.n)
        if self._responses[i] <= 0:
            self._responses += self._rows.label(i) * self.problem.y * self._rows.row(i)
            self._alpha[i] += 1.0
        self._rows.present()

    @property
    def counters(self) -> Counters:
        return Counters.of(self._rows.counters)

    def snapshot(self) -> KernelSnapshot:
        return KernelSnapshot(self.problem.y * self._alpha)


class LosesCounters(Correct):
    """Resumes from a state without its counters."""

    name = "loses_counters"
    resumes = True

    def state(self) -> State:
        return {"alpha": self._alpha, "responses": self._responses, **prefixed("random", self._random.state())}

    def restore(self, state: State | None) -> None:
        with self.restoring():
            assert state is not None
            self._alpha, self._responses = state["alpha"].copy(), state["responses"].copy()
            self._random.restore(select("random", state))


class KeepsCounters(LosesCounters):
    """Has that, too."""

    name = "keeps_counters"

    def state(self) -> State:
        return super().state() | prefixed("rows", self._rows.state())

    def restore(self, state: State | None) -> None:
        super().restore(state)
        with self.restoring():
            self._rows.restore(select("rows", state or {}))


class FalseCounters(Correct):
    """Claims zero costs and zero time."""

    name = "false_counters"

    @property
    def counters(self) -> Counters:
        true = super().counters
        return replace(true, kernel_evaluations=0, inner_products=0, feature_accesses=0, iterations=1)

    @property
    def cpu_seconds(self) -> float:
        return 0.0


class DirectReads(Correct):
    """Computes kernel rows from the points, which are not counted."""

    name = "direct_reads"

    def step(self) -> None:
        super().step()
        assert self.problem.X.shape[0] == self.problem.n


class Broken(Correct):
    """Fails on the way."""

    name = "broken"

    def step(self) -> None:
        super().step()
        if self.counters.iterations == 30:
            raise ZeroDivisionError("a step of length 1/0")


class NanObjective(Correct):
    """Returns a predictor that is not finite."""

    name = "nan_objective"

    def snapshot(self) -> KernelSnapshot:
        return KernelSnapshot(np.full(self.problem.n, np.nan))


class Idle(Correct):
    """Returns from advance without an iteration."""

    name = "idle"

    def advance(self, limit: Limit) -> Status:
        del limit
        return Status.ITERATIONS
