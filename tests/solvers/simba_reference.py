"""SIMBA in plain, slow numpy, the optimum of its saddle problem, and problems in the unit ball: for its tests."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from cases import Array, points
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linprog

from svm_cost_curves.solvers import Linear, Problem, _core

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
LARGEST_SLACK = 2.0


def first_above(weights: Vector, uniform: float) -> int:
    """Return the first index at which the running sum of the weights exceeds that share of the total."""
    sums = np.cumsum(weights)
    return int(np.argmax(sums > uniform * sums[-1]))


def best_slack(q: Vector, volume: float) -> Vector:
    """Return the maximum of q'xi over 0 <= xi <= 2, sum xi <= volume: greedily, the lower index first among equals."""
    slack = np.empty_like(q)
    slack[np.argsort(-q, kind="stable")] = np.clip(volume - LARGEST_SLACK * np.arange(len(q)), 0.0, LARGEST_SLACK)
    return slack


@dataclass
class Simba:
    """Algorithm 1 of Hazan, Koren, Srebro (2011) with every vector written out and every average summed up.

    Attributes
    ----------
    X : (n, d) float64
        Points of norm 1 at most, those of class +1 first.
    y : (n,) float64
    nu : float
    seed : int
    horizon : int
        T of the constant steps; 0 for those that shrink with t.
    printed_rate : bool
        Whether eta is sqrt(log n) / t instead of sqrt(log(n) / t).
    clip : bool
        Whether line 10 is computed.
    """

    X: Matrix
    y: Vector
    nu: float
    bias: bool
    seed: int
    horizon: int = 0
    printed_rate: bool = False
    clip: bool = True
    t: int = 0
    feature_accesses: int = 0
    feature_accesses_dense: int = 0
    b: float = 0.0
    total_b: float = 0.0
    Z: Matrix = field(init=False)
    u: Vector = field(init=False)
    w: Vector = field(init=False)
    q: Vector = field(init=False)
    total_w: Vector = field(init=False)
    total_slack: Vector = field(init=False)

    def __post_init__(self) -> None:
        n, d = self.X.shape
        self.Z = self.y[:, None] * self.X
        self.u, self.w, self.total_w = np.zeros((3, d))
        self.q, self.total_slack = np.ones(n), np.zeros(n)
        self._random = _core.Random(self.seed, _core.Purpose.sampling)

    def step(self) -> None:
        """One iteration; numbers are the lines of Algorithm 1."""
        n = len(self.y)
        self.t += 1
        clock = self.horizon or self.t
        eta = np.sqrt(np.log(n)) / clock if self.printed_rate else np.sqrt(np.log(n) / clock)
        i = first_above(self.q, self._random.uniform())  # 4
        self._charge(self.Z[i])
        self.u = self.u + self.Z[i] / np.sqrt(2.0 * clock)  # 5
        slack = best_slack(self.q, n * self.nu)
        self.b = float(np.sign(self.q @ self.y)) if self.bias else 0.0
        self.w = self.u / max(1.0, float(np.linalg.norm(self.u)))  # 6
        v = slack + self.b * self.y  # 9
        if self.w.any():
            j = first_above(self.w**2, self._random.uniform())  # 7
            self._charge(self.Z[:, j])
            v += self.Z[:, j] * (self.w @ self.w) / self.w[j]
        v = eta * v
        if self.clip:
            v = np.clip(v, -1.0, 1.0)  # 10, times eta
        self.q *= 1.0 - v + v * v  # 11
        self.q = np.ldexp(self.q, -int(np.frexp(self.q.max())[1]))  # by a power of two: equal weights stay equal
        self.total_w += self.w
        self.total_b += self.b
        self.total_slack += slack

    def _charge(self, vector: Vector) -> None:
        self.feature_accesses += int(np.count_nonzero(vector))
        self.feature_accesses_dense += len(vector)

    @property
    def distribution(self) -> Vector:
        """p, (n,)."""
        return self.q / self.q.sum()

    @property
    def mean_w(self) -> Vector:
        """(1/t) sum w_s."""
        return self.total_w / self.t

    @property
    def mean_b(self) -> float:
        """(1/t) sum b_s."""
        return self.total_b / self.t

    @property
    def mean_slack(self) -> Vector:
        """(1/t) sum xi_s."""
        return self.total_slack / self.t


def saddle_value(responses: Vector, volume: float) -> float:
    """Return the largest gamma for which slacks 0 <= xi <= 2 of that volume lift every response to it."""
    ordered = np.sort(responses)
    levels = (volume + np.cumsum(ordered)) / np.arange(1, len(ordered) + 1)
    level = levels[np.argmax(levels <= np.append(ordered[1:], np.inf))]
    return float(min(level, ordered[0] + LARGEST_SLACK))


def saddle_optimum(X: Matrix, y: Vector, nu: float, bias: bool, gap: float = 1e-7) -> float:
    """Return the largest saddle value over ||w|| <= 1 and b in [-1, 1] (b = 0 without bias).

    Linear programs in (w, b, xi, gamma), the unit ball cut out by the half spaces that earlier solutions violated: each
    program bounds the optimum from above, its w brought back to the ball bounds it from below.
    """
    n, d = X.shape
    Z = y[:, None] * X
    free = 1.0 if bias else 0.0
    lifted = np.hstack([-Z, -y[:, None], -np.eye(n), np.ones((n, 1))])  # gamma - <z_i, w> - y_i b - xi_i <= 0
    spent = np.concatenate([np.zeros(d + 1), np.ones(n), [0.0]])  # sum xi <= n nu
    A, rhs = np.vstack([lifted, spent]), np.concatenate([np.zeros(n), [n * nu]])
    bounds = [(-1.0, 1.0)] * d + [(-free, free)] + [(0.0, LARGEST_SLACK)] * n + [(None, None)]
    cost = np.concatenate([np.zeros(d + 1 + n), [-1.0]])
    best = -np.inf
    for _ in range(500):
        answer = linprog(cost, A_ub=A, b_ub=rhs, bounds=bounds)
        assert answer.status == 0, answer.message
        w, b = answer.x[:d], answer.x[d]
        norm = float(np.linalg.norm(w))
        best = max(best, saddle_value(Z @ (w / max(1.0, norm)) + b * y, n * nu))
        if -answer.fun - best <= gap:
            return best
        cut = np.concatenate([w / norm, np.zeros(n + 2)])
        A, rhs = np.vstack([A, cut]), np.append(rhs, 1.0)
    raise AssertionError("the cutting planes did not close in on the unit ball")


def ball(
    n: int = 40, d: int = 6, seed: int = 0, *, zeros: float = 0.0, flips: float = 0.1, apart: float = 0.0
) -> tuple[Array, Array]:
    """(n, d) float32 points inside the unit ball and their labels, those of class +1 first; classes moved apart."""
    X, y = points(n, d, seed, zeros=zeros, flips=flips)
    X[:, 0] += np.float32(apart) * y
    order = np.argsort(-y, kind="stable")
    norms = np.linalg.norm(X.astype(np.float64), axis=1)
    return (X[order] * (0.999 / norms.max())).astype(np.float32), y[order]


def linear(X: Array, y: Array, nu: float | None = 0.1, *, bias: bool = False, as_csr: bool = False) -> Problem:
    return Problem(sparse.csr_matrix(X) if as_csr else X, y, Linear(), nu=nu, bias=bias)
