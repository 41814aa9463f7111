"""SVMSGD, SGD-QN and their choice of t0 in plain, slow numpy, and optima: references for the tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from cases import Array, points

from svm_cost_curves.solvers import Linear, Problem, _core
from svm_cost_curves.solvers.sgdqn import Variant


class SvmSgd:
    """w <- (1 - lambda eta) w, plus eta y x on a margin error; eta = 1 / (lambda (t + t0))."""

    def __init__(self, Z: Array, lambda_: float, t0: float) -> None:
        self.Z, self.lambda_, self.t0, self.t = Z, lambda_, t0, 0
        self.w = np.zeros(Z.shape[1])
        self.inner_products = 0

    def end_epoch(self) -> None:
        pass

    def step(self, i: int) -> None:
        self.t += 1
        self.inner_products += 1
        eta = 1.0 / (self.lambda_ * (self.t + self.t0))
        violated = self.Z[i] @ self.w < 1.0
        self.w = (1.0 - self.lambda_ * eta) * self.w + eta * violated * self.Z[i]


class SgdQn:
    """Both variants, with the whole gradients written out; `period` steps between two of the regulariser.

    original: Algorithm 2 of the paper. corrected: `H`, the sum of the curvatures, takes the place of (t + t0) / B.
    """

    def __init__(
        self, Z: Array, lambda_: float, t0: float, period: int, variant: Variant, *, restart: bool = True
    ) -> None:
        self.Z, self.lambda_, self.t0, self.period, self.t, self.r = Z, lambda_, t0, period, 0, 2
        self.variant, self.restart = variant, restart and variant is Variant.corrected
        self.count = 0
        self.w = np.zeros(Z.shape[1])
        self.B = np.full(Z.shape[1], 1.0 / lambda_)
        self.H = np.full(Z.shape[1], lambda_ * t0)
        self.added = 0
        self.before: Array | None = None
        self.inner_products = 0

    def end_epoch(self) -> None:
        if self.restart:
            self.count, self.before = 0, None

    def loss_gradient(self, w: Array, i: int) -> Array:
        self.inner_products += 1
        return -float(self.Z[i] @ w < 1.0) * self.Z[i]

    def step(self, i: int) -> None:
        self.t += 1
        loss = self.loss_gradient(self.w, i)
        if self.before is not None:
            moved, change = self.w - self.before, loss - self.loss_gradient(self.before, i)
            if self.variant is Variant.original:
                self.average(moved, self.lambda_ * moved + change)
            elif change.any():
                self.add(moved, change)
            self.before = None
        gain = self.B / (self.t + self.t0) if self.variant is Variant.original else 1.0 / self.H
        self.count += 1
        if self.count == self.period:
            self.count = 0
            self.before = self.w
            self.w = self.w - self.period * self.lambda_ * gain * self.w
        self.w = self.w - gain * loss

    def average(self, moved: Array, change: Array) -> None:
        with np.errstate(divide="ignore", invalid="ignore"):
            # where neither has changed, what would have been left is the regulariser
            ratio = np.where((moved == 0.0) & (change == 0.0), 1.0 / self.lambda_, moved / change)
        self.B = np.clip(self.B + 2.0 / self.r * (ratio - self.B), 0.01 / self.lambda_, 1.0 / self.lambda_)
        self.r += 1

    def add(self, moved: Array, change: Array) -> None:
        """change: of the loss's gradient alone."""
        for j in range(len(self.H)):
            if change[j] == 0.0:
                curvature = self.lambda_
            elif moved[j] == 0.0:
                curvature = 101.0 * self.lambda_
            else:
                curvature = min(max(self.lambda_ + change[j] / moved[j], 0.1 * self.lambda_), 100.0 * self.lambda_)
            self.H[j] += (self.t - self.added) * curvature
        self.added = self.t


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
    Z: Array,
    lambda_: float,
    seed: int,
    make: Callable[[float], Reference],
    *,
    passes: int = 1,
    least: float | None = None,
) -> tuple[float, list[int], int]:
    """Return t0, the examples of the sample, and the number of trials, from a table of costs.

    passes: over the sample, in a trial. least: with it the sample is larger, and t0 a power of ten that is not smaller.
    """
    n = len(Z)
    stream = _core.Random(seed, _core.Purpose.sampling)
    largest = 1000 if least is None else min(max(n // 10, 1000), 10_000)
    sample = [stream.below(n) for _ in range(min(n, largest))]
    tried: dict[int, float] = {}

    def cost(power: int) -> float:
        if power not in tried:
            run = make(offset(power))
            for _ in range(passes):
                for i in sample:
                    run.step(i)
                run.end_epoch()
            losses = np.maximum(0.0, 1.0 - Z[sample] @ run.w)
            tried[power] = float(0.5 * lambda_ * run.w @ run.w + losses.mean())
        return tried[power]

    def offset(power: int) -> float:
        eta = min(1.0 / float((Z[sample] ** 2).sum(axis=1).mean()), 1.0 / lambda_)
        if least is None:
            return 1.0 / (lambda_ * eta * 2.0**power)
        nearest = max(round(np.log10(1.0 / (lambda_ * eta))), int(np.ceil(np.log10(least))))
        return float(10.0 ** (nearest - power))

    best = 0
    for step in (1, -1):
        while offset(best + step) >= (least or 1.0) and cost(best + step) < cost(best):
            best += step
        if best:
            break
    return offset(best), sample, len(tried)
