"""LASVM in plain numpy, with kernel rows over all examples: references for the tests."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
TIED = 1e-9


@dataclass
class Lasvm:
    """PROCESS and REPROCESS of the paper's section 3.2; alpha is signed, g = y - K alpha is computed in full each time.

    A step leaves its two examples equally steep, so that rounding decides which of them comes next: where members are
    tied, all that may follow is returned.
    """

    K: Vector
    y: Vector
    C: float
    bias: bool
    tau: float
    members: set[int] = field(default_factory=set)
    evaluations: int = 0
    alpha: Vector = field(init=False)

    def __post_init__(self) -> None:
        self.alpha = np.zeros(len(self.y))
        self.low = np.where(self.y > 0, 0.0, -self.C)
        self.high = np.where(self.y > 0, self.C, 0.0)

    @property
    def g(self) -> Vector:
        """Slopes of all examples; the method looks at those of members only."""
        return np.asarray(self.y - self.K @ self.alpha)

    def ends(self) -> tuple[list[int], list[int]]:
        """Members of the largest slope that may rise, and those of the smallest that may fall."""
        g, inside = self.g, sorted(self.members)
        up = [s for s in inside if self.alpha[s] < self.high[s]]
        down = [s for s in inside if self.alpha[s] > self.low[s]]
        top, bottom = max(g[up], default=-np.inf), min(g[down], default=np.inf)
        return [s for s in up if g[s] >= top - TIED], [s for s in down if g[s] <= bottom + TIED]

    @property
    def delta(self) -> float:
        """The largest violation among members."""
        g = self.g
        if self.bias:
            up, down = self.ends()
            return float(g[up[0]] - g[down[0]]) if up and down else -np.inf
        moves = self.moves()
        return float(max((abs(g[s]) for s in self.members if moves[s] != 0.0), default=0.0))

    def moves(self) -> Vector:
        """The clipped step along each coordinate."""
        free = self.alpha + self.g / np.maximum(np.diag(self.K), 1e-12)
        return np.clip(free, self.low, self.high) - self.alpha

    def along(self, i: int, j: int) -> Lasvm:
        """After the clipped step along a pair; it asks for two rows."""
        after = copy.copy(self)
        after.alpha = self.alpha.copy()
        curvature = self.K[i, i] + self.K[j, j] - 2.0 * self.K[i, j]
        step = min((self.g[i] - self.g[j]) / curvature, self.high[i] - self.alpha[i], self.alpha[j] - self.low[j])
        after.alpha[i] += step
        after.alpha[j] -= step
        after.evaluations += 2 * len(self.members)
        return after

    def alone(self, s: int) -> Lasvm:
        """After the clipped step along one coordinate; it asks for one row."""
        after = copy.copy(self)
        after.alpha = self.alpha.copy()
        after.alpha[s] += self.moves()[s]
        after.evaluations += len(self.members)
        return after

    def process(self, k: int) -> list[Lasvm]:
        """Take a fresh example in: a row before it is a member, which a step does not ask for again."""
        if k in self.members:
            return [self]
        taken = copy.copy(self)
        taken.members = self.members | {k}
        taken.evaluations += len(self.members)
        g, up = self.g, self.y[k] > 0
        if not self.bias:
            followers = [taken.alone(k)] if self.y[k] * g[k] > self.tau else []
        else:
            tops, bottoms = taken.ends()
            pairs = [(k, j) for j in bottoms] if up else [(i, k) for i in tops]
            followers = [taken.along(i, j) for i, j in pairs if g[i] - g[j] > self.tau]
        for after in followers:
            after.evaluations -= len(taken.members)
        return followers or [taken]

    def reprocess(self) -> list[Lasvm]:
        """Improve the expansion, and drop members that no violating pair can have."""
        if not self.delta > self.tau:
            followers = [copy.copy(self)]
        elif self.bias:
            tops, bottoms = self.ends()
            followers = [self.along(i, j) for i in tops for j in bottoms]
        else:
            steps, g = self.moves(), self.g
            gains = {s: steps[s] * (g[s] - 0.5 * steps[s] * self.K[s, s]) for s in self.members}
            followers = [self.alone(s) for s in self.members if gains[s] >= max(gains.values()) - TIED]
        for after in followers:
            after.drop()
        return followers

    def drop(self) -> None:
        """Members without weight leave that could neither rise nor fall in a violating pair."""
        g, (tops, bottoms) = self.g, self.ends()
        above = (g[tops[0]] if tops else -np.inf) if self.bias else 0.0
        below = (g[bottoms[0]] if bottoms else np.inf) if self.bias else 0.0
        idle = {s for s in self.members if self.alpha[s] == 0.0}
        self.members = self.members - {s for s in idle if (g[s] <= below if self.y[s] > 0 else g[s] >= above)}
