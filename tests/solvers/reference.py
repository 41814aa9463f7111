"""Slow, plain numpy versions of everything that the core does: what the tests hold it against."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from svm_cost_curves.solvers import Gaussian, Kernel, Polynomial

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]


def kernel_matrix(kernel: Kernel, X: NDArray[Any], Z: NDArray[Any]) -> Matrix:
    """K(x, z), (n, m) float64, from differences: nothing cancels."""
    X, Z = np.asarray(X, np.float64), np.asarray(Z, np.float64)
    if isinstance(kernel, Gaussian):
        return np.exp(-np.square(X[:, None, :] - Z[None, :, :]).sum(axis=2) / (2.0 * kernel.sigma2))
    if isinstance(kernel, Polynomial):
        return (kernel.gamma * (X @ Z.T) + kernel.coef0) ** kernel.degree
    return X @ Z.T


def level_by_lp(c: Vector, volume: float) -> float:
    """Max gamma such that slacks xi >= 0, xi_i >= gamma - c_i add up to at most `volume`."""
    n = len(c)
    A = np.vstack([np.hstack([np.ones((n, 1)), -np.eye(n)]), np.concatenate([[0.0], np.ones(n)])])
    answer = linprog(
        np.concatenate([[-1.0], np.zeros(n)]),
        A_ub=A,
        b_ub=np.concatenate([c, [volume]]),
        bounds=[(None, None)] + [(0.0, None)] * n,
    )
    assert answer.status == 0, answer.message
    return float(-answer.fun)


def levels_by_lp(c: Vector, positives: int, volume: float) -> float:
    """Max (g+ + g-) / 2 such that the slacks of both classes add up to at most `volume`."""
    n = len(c)
    classes = np.zeros((n, 2))
    classes[:positives, 0] = 1.0
    classes[positives:, 1] = 1.0
    A = np.vstack([np.hstack([classes, -np.eye(n)]), np.concatenate([[0.0, 0.0], np.ones(n)])])
    answer = linprog(
        np.concatenate([[-0.5, -0.5], np.zeros(n)]),
        A_ub=A,
        b_ub=np.concatenate([c, [volume]]),
        bounds=[(None, None)] * 2 + [(0.0, None)] * n,
    )
    assert answer.status == 0, answer.message
    return float(-answer.fun)


def filled_volume(c: Vector, level: float) -> float:
    """Volume of water under `level`."""
    return float(np.maximum(0.0, level - c).sum())


def level(c: Vector, volume: float) -> float:
    """The water level by trying every number of covered points."""
    ordered = np.sort(c)
    if volume == 0.0:
        return float(ordered[0])
    levels = (volume + np.cumsum(ordered)) / np.arange(1, len(c) + 1)
    above = np.append(ordered[1:], np.inf)
    return float(levels[np.argmax(levels <= above)])


@dataclass
class Sbp:
    """Algorithm 1 with a given sequence of draws; the average is summed up naively."""

    K: Matrix
    y: Vector
    eta0: float = 1.0
    t: int = 0
    r2: float = 0.0
    shrunk: float = 1.0
    alpha: Vector = field(init=False)
    c: Vector = field(init=False)
    total: Vector = field(init=False)

    def __post_init__(self) -> None:
        self.alpha, self.c, self.total = np.zeros((3, len(self.y)))

    def step(self, draws: list[tuple[int, float]]) -> None:
        """One iteration that adds `weight * eta` to each drawn alpha."""
        self.t += 1
        added = np.zeros_like(self.alpha)
        for i, weight in draws:
            added[i] += weight * self.eta0 / np.sqrt(self.t)
        self.r2 += 2.0 * added @ self.c + (added * self.y) @ self.K @ (added * self.y)
        self.alpha += added
        self.c += self.y * (self.K @ (self.y * added))
        if self.r2 > 1.0:
            scale = 1.0 / np.sqrt(self.r2)
            self.alpha *= scale
            self.c *= scale
            self.shrunk *= scale
            self.r2 = 1.0
        self.total += self.alpha

    @property
    def average(self) -> Vector:
        """(1/T) sum_t y alpha^(t)."""
        return self.y * self.total / self.t


def drawn(before: Vector, now: Vector, members: slice) -> int:
    """Which alpha of a class grew, from two successive iterates (n,) that differ by a step and a common factor."""
    new = np.flatnonzero((before[members] <= 0.0) & (now[members] > 0.0))
    if new.size:
        return int(new[0]) + (members.start or 0)
    big = before > 1e-3 * before.max()
    factor = np.min(now[big] / before[big])
    growth = np.where(now[members] > 0.0, now[members] - factor * before[members], -np.inf)
    return int(np.argmax(growth)) + (members.start or 0)


def primal(K: Matrix, y: Vector, coefficients: Vector, lambda_: float, bias: float = 0.0) -> float:
    """P(w) = lambda/2 |w|^2 + mean hinge loss."""
    f = K @ coefficients
    return float(0.5 * lambda_ * coefficients @ f + np.maximum(0.0, 1.0 - y * (f + bias)).mean())


def dual(K: Matrix, y: Vector, coefficients: Vector) -> float:
    """sum alpha - |w|^2 / 2, LIBSVM's scaling."""
    return float((y * coefficients).sum() - 0.5 * coefficients @ K @ coefficients)
