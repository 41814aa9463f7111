"""SVMSGD, SGD-QN and their choice of t0 in plain, slow numpy, and optima: references for the tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from cases import Array, points

from solvers import Linear, Problem, _core


class SvmSgd:
    """w <- (1 - lambda eta) w, plus eta y x on a margin error; eta = 1 / (lambda (t + t0))."""

    def __init__(self, Z: Array, lambda_: float, t0: float) -> None:
        self.Z, self.lambda_, self.t0, self.t = Z, lambda_, t0, 0
        self.w = np.zeros(Z.shape[1])
        self.inner_products = 0

    def step(self, i: int) -> None:
        self.t += 1
        self.inner_products += 1
        eta = 1.0 / (self.lambda_ * (self.t + self.t0))
        violated = self.Z[i] @ self.w < 1.0
        self.w = (1.0 - self.lambda_ * eta) * self.w + eta * violated * self.Z[i]


class SgdQn:
    """Algorithm 2 of the paper, with the whole gradients written out; `period` steps between two of the regulariser."""

    def __init__(self, Z: Array, lambda_: float, t0: float, period: int) -> None:
        self.Z, self.lambda_, self.t0, self.period, self.t, self.r = Z, lambda_, t0, period, 0, 2
        self.w = np.zeros(Z.shape[1])
        self.B = np.full(Z.shape[1], 1.0 / lambda_)
        self.before: Array | None = None
        self.inner_products = 0

    def gradient(self, w: Array, i: int) -> Array:
        self.inner_products += 1
        return self.lambda_ * w - (self.Z[i] @ w < 1.0) * self.Z[i]

    def step(self, i: int) -> None:
        self.t += 1
        gradient = self.gradient(self.w, i)
        if self.before is not None:
            moved, change = self.w - self.before, gradient - self.gradient(self.before, i)
            with np.errstate(divide="ignore", invalid="ignore"):
                # where neither has changed, what would have been left is the regulariser
                ratio = np.where((moved == 0.0) & (change == 0.0), 1.0 / self.lambda_, moved / change)
            self.B = np.clip(self.B + 2.0 / self.r * (ratio - self.B), 0.01 / self.lambda_, 1.0 / self.lambda_)
            self.r += 1
            self.before = None
        rate = 1.0 / (self.t + self.t0)
        loss = gradient - self.lambda_ * self.w
        if self.t % self.period == 0:
            self.before = self.w
            self.w = self.w - rate * self.period * self.lambda_ * self.B * self.w
        self.w = self.w - rate * self.B * loss


Reference = SvmSgd | SgdQn


def linear_problem(lambda_: float, *, n: int = 60, zeros: float = 0.0, seed: int = 0) -> Problem:
    """A linear problem of 8 features, stored sparsely where more than half of them are zeros."""
    return Problem(*points(n, 8, seed, zeros=zeros), Linear(), lambda_=lambda_)


def order(n: int, seed: int) -> Iterator[int]:
    """Examples in fresh permutations, each a shuffle of the one before."""
    stream, items = _core.Random(seed, _core.Purpose.order), np.arange(n)
    while True:
        items = items[stream.permutation(n)]
        yield from map(int, items)


def chosen_offset(
    Z: Array, lambda_: float, seed: int, make: Callable[[float], Reference]
) -> tuple[float, list[int], int]:
    """Return t0, the examples of the sample, and the number of trials, from a table of costs."""
    n = len(Z)
    stream = _core.Random(seed, _core.Purpose.sampling)
    sample = [stream.below(n) for _ in range(min(n, 1000))]
    tried: dict[int, float] = {}

    def cost(power: int) -> float:
        if power not in tried:
            run = make(offset(power))
            for i in sample:
                run.step(i)
            losses = np.maximum(0.0, 1.0 - Z[sample] @ run.w)
            tried[power] = float(0.5 * lambda_ * run.w @ run.w + losses.mean())
        return tried[power]

    def offset(power: int) -> float:
        eta = 2.0**power * min(1.0 / float((Z[sample] ** 2).sum(axis=1).mean()), 1.0 / lambda_)
        return 1.0 / (lambda_ * eta)

    best = 0
    for step in (1, -1):
        while offset(best + step) >= 1.0 and cost(best + step) < cost(best):
            best += step
        if best:
            break
    return offset(best), sample, len(tried)
