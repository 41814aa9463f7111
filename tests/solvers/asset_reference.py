"""ASSET and ASSET* in plain, slow numpy, written out as in the paper, with its errata."""

from __future__ import annotations

import numpy as np
from cases import Array


class Reference:
    """Algorithm 1: every iterate is kept. V has rows phi(x_i), y their labels; B None: no intercept."""

    def __init__(
        self,
        V: Array,
        y: Array,
        lambda_: float,
        *,
        deviation: float | None = None,
        B: float | None = None,
        step: float = 1,
    ) -> None:
        self.V, self.y, self.lambda_, self.B = V.astype(np.float64), y.astype(np.float64), lambda_, B
        self.deviation, self.scale = deviation, step  # of ASSET; None: ASSET*
        self.iterates = [(np.zeros(V.shape[1]), 0.0)]
        self.lengths = [0.0]

    def length(self, j: int) -> float:
        """eta_j."""
        if self.deviation is None:
            return 1.0 / (self.lambda_ * j)
        diameter = np.sqrt(1.0 / self.lambda_ + (self.B or 0.0) ** 2)
        return float(self.scale * diameter / (np.sqrt(self.deviation) * np.sqrt(j)))

    def step(self, i: int) -> None:
        """Example i."""
        g, b = self.iterates[-1]
        eta = self.length(len(self.iterates))
        d = -1.0 if self.y[i] * (self.V[i] @ g + b) < 1.0 else 0.0
        g = (1.0 - eta * self.lambda_) * g - eta * d * self.y[i] * self.V[i]
        if (norm := np.linalg.norm(g)) > 1.0 / np.sqrt(self.lambda_):
            g = g / (norm * np.sqrt(self.lambda_))
        if self.B is not None:
            b = float(np.clip(b - eta * d * self.y[i], -self.B, self.B))
        self.iterates.append((g, b))
        self.lengths.append(eta)

    def average(self, window: int) -> tuple[Array, float]:
        """The mean of the last iterates, as (27) has it: weighted by their steps."""
        if len(self.iterates) == 1:
            return self.iterates[0]
        first = max(1, len(self.iterates) - window)
        weights = np.array(self.lengths[first:])
        g = weights @ np.array([own for own, _ in self.iterates[first:]])
        b = weights @ np.array([own for _, own in self.iterates[first:]])
        return g / weights.sum(), float(b / weights.sum())
