"""Solvers as somebody else might write them, honest and otherwise; named in SVM_SOLVERS."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from solvers import Counters, KernelSnapshot, Limit, Problem, PythonSolver, Status
from solvers._core import Purpose, Random
from solvers.base import State, prefixed, select


@dataclass
class NoSettings:
    """Nothing to set."""


class Honest(PythonSolver):
    """The kernel Perceptron on random examples."""

    name = "honest"
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
            while not self.reached(limit):
                self.step()
        return Status.LIMIT

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


class Forgetful(Honest):
    """Can go on from its state, which does not have what its view has counted."""

    name = "forgetful"
    resumes = True

    def state(self) -> State:
        return {"alpha": self._alpha, "responses": self._responses, **prefixed("random", self._random.state())}

    def restore(self, state: State | None) -> None:
        with self.restoring():
            assert state is not None
            self._alpha, self._responses = state["alpha"].copy(), state["responses"].copy()
            self._random.restore(select("random", state))


class Mindful(Forgetful):
    """Has that, too."""

    name = "mindful"

    def state(self) -> State:
        return super().state() | prefixed("rows", self._rows.state())

    def restore(self, state: State | None) -> None:
        super().restore(state)
        with self.restoring():
            self._rows.restore(select("rows", state or {}))


class Liar(Honest):
    """Claims to have asked for nothing, in no time."""

    name = "liar"

    @property
    def counters(self) -> Counters:
        true = super().counters
        return replace(true, kernel_evaluations=0, inner_products=0, feature_accesses=0, iterations=1)

    @property
    def cpu_seconds(self) -> float:
        return 0.0


class PastTheViews(Honest):
    """Computes its rows from the points themselves, which nothing counts."""

    name = "past_the_views"

    def step(self) -> None:
        super().step()
        assert self.problem.X.shape[0] == self.problem.n


class Broken(Honest):
    """Fails on the way."""

    name = "broken"

    def step(self) -> None:
        super().step()
        if self.counters.iterations == 30:
            raise ZeroDivisionError("a step of length 1/0")


class NoNumber(Honest):
    """Returns a predictor that is not finite."""

    name = "no_number"

    def snapshot(self) -> KernelSnapshot:
        return KernelSnapshot(np.full(self.problem.n, np.nan))


class Idle(Honest):
    """Comes back without having done anything."""

    name = "idle"

    def advance(self, limit: Limit) -> Status:
        del limit
        return Status.LIMIT
