"""SGD-r, SGD-s and SGD-m in rational arithmetic, presentation by presentation: references for the tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import cycle

import numpy as np
from cases import Array

from svm_cost_curves.solvers import _core


@dataclass
class Perceptron:
    """a += y x where y <a, x> <= lambda t, then t += 1: the weights are a / (lambda t).

    Attributes
    ----------
    Z : n rows of d integers
        y_i x_i.
    """

    Z: Sequence[Sequence[int]]
    lambda_: Fraction
    a: list[int] = field(init=False)
    updates: list[int] = field(init=False)
    t: int = 0

    def __post_init__(self) -> None:
        self.a = [0] * len(self.Z[0])
        self.updates = [0] * len(self.Z)

    def present(self, i: int) -> None:
        """One presentation of example i."""
        if self.response(i) <= self.lambda_ * self.t:
            self.a = [weight + value for weight, value in zip(self.a, self.Z[i], strict=True)]
            self.updates[i] += 1
        self.t += 1

    def response(self, i: int) -> int:
        """y_i <a, x_i>."""
        return sum(weight * value for weight, value in zip(self.a, self.Z[i], strict=True))

    def loss(self, i: int) -> Fraction:
        """The hinge loss of the present weights."""
        return max(Fraction(0), 1 - self.response(i) / (self.lambda_ * self.t)) if self.t else Fraction(1)

    @property
    def regulariser(self) -> Fraction:
        """lambda/2 |w|^2."""
        return sum(weight * weight for weight in self.a) / (2 * self.lambda_ * self.t**2)

    @property
    def primal(self) -> Fraction:
        """J."""
        return self.regulariser + sum(self.loss(i) for i in range(len(self.Z))) / len(self.Z)

    @property
    def lower_bound(self) -> Fraction:
        """L."""
        return Fraction(sum(self.updates), self.t) - self.regulariser


@dataclass
class Passes(Perceptron):
    """Complete passes, each over a fresh permutation, each example several times in a row, and the stop."""

    eps: Fraction = Fraction(1, 100)
    check_factor: Fraction = Fraction(6, 5)
    multiplicities: Sequence[int] = (1,)
    seed: int = 0
    checks: int = 0
    converged: bool = False
    bound: Fraction | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._random = _core.Random(self.seed, _core.Purpose.order)
        self._order: Array = np.arange(len(self.Z))
        self._multiplicity = cycle(self.multiplicities)
        self._start()

    def step(self) -> int:
        """All presentations in a row of the next example; return which one it is."""
        i, *self._left = self._left
        self._seen += self.loss(i)
        for _ in range(self._now):
            self.present(i)
        if not self._left:
            self._end()
        return i

    def _start(self) -> None:
        self._order = self._order[self._random.permutation(len(self.Z))]
        self._left = self._order.tolist()
        self._seen = Fraction(0)
        self._now = next(self._multiplicity)

    def _end(self) -> None:
        self.bound = self.lower_bound
        estimate = self.regulariser + self._seen / len(self.Z)
        if estimate - self.bound <= self.check_factor * self.eps * self.bound:
            self.checks += 1
            self.converged = self.primal - self.bound <= self.eps * self.bound
        self._start()
