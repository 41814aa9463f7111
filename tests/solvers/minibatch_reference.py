"""Mini-batch Pegasos and SDCA in plain, slow numpy, all written out as in the paper."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from cases import Array

from svm_cost_curves.solvers import _core


def subsets(n: int, b: int, seed: int) -> Iterator[Array]:
    """The subsets that the core draws."""
    drawn = _core.RandomSubsets(n, b, seed)
    while True:
        yield drawn.next()


class Pegasos:
    """Algorithm 1; Z has rows y_i x_i."""

    def __init__(self, Z: Array, lambda_: float) -> None:
        self.Z, self.lambda_, self.t = Z, lambda_, 0
        self.w = np.zeros(Z.shape[1])

    def step(self, A: Array) -> None:
        self.t += 1
        violated = self.Z[A] @ self.w < 1.0
        self.w = (1.0 - 1.0 / self.t) * self.w + self.Z[A][violated].sum(axis=0) / (self.lambda_ * self.t * len(A))


class Sdca:
    """Equation (15), and Algorithm 2 where `gamma` is given; rows of Z are at most 1 long."""

    def __init__(self, Z: Array, lambda_: float, beta: float | None, gamma: float | None = None) -> None:
        self.Z, self.lambda_, self.gamma = Z, lambda_, gamma
        self.largest = self.beta = beta
        self.alpha = np.zeros(len(Z))

    @property
    def w(self) -> Array:
        return self.alpha @ self.Z / (self.lambda_ * len(self.Z))

    def dual(self, alpha: Array) -> float:
        w = alpha @ self.Z / (self.lambda_ * len(self.Z))
        return float(alpha.mean() - 0.5 * self.lambda_ * w @ w)

    def change(self, A: Array, beta: Array | float) -> Array:
        """Clipped to the box."""
        with np.errstate(divide="ignore"):  # a row of zeros goes to its bound
            far = self.lambda_ * len(self.Z) * (1.0 - self.Z[A] @ self.w) / beta
        return np.clip(far, -self.alpha[A], 1.0 - self.alpha[A])

    def step(self, A: Array) -> None:
        squared_norms = (self.Z[A] ** 2).sum(axis=1)
        delta = self.change(A, squared_norms if self.beta is None else self.beta)
        after = self.alpha.copy()
        if self.gamma is None:
            after[A] += delta
        elif delta.any():
            assert self.beta is not None
            assert self.largest is not None
            rho = float(np.clip(((delta @ self.Z[A]) ** 2).sum() / (delta**2).sum(), 1.0, self.largest))
            final = self.change(A, rho)
            self.beta = self.beta**self.gamma * rho ** (1.0 - self.gamma)
            # n times what it adds to the dual objective, without the difference of two almost equal numbers
            step = final @ self.Z[A] / (self.lambda_ * len(self.Z))
            if final @ (1.0 - self.Z[A] @ self.w) <= 0.5 * self.lambda_ * len(self.Z) * step @ step:
                return
            after[A] += final
        self.alpha = after


class Average:
    """An average of iterates, each of them kept."""

    def __init__(self, kind: str) -> None:
        self.kind, self.iterates = kind, list[Array]()

    def of(self, w: Array) -> Array:
        """Take one more."""
        self.iterates.append(w)
        if self.kind == "tail":
            first = 2 ** int(np.log2(len(self.iterates))) // 2
            return np.mean(self.iterates[first:], axis=0)
        average = np.zeros_like(w)
        for iterate in self.iterates if self.kind == "decaying" else [w]:
            average = 0.9 * average + 0.1 * iterate if self.kind == "decaying" else iterate
        return average
