"""The optimum of SIMBA's saddle problem, with certified lower and upper bounds.

max over ||w|| <= 1, |b| <= 1, 0 <= xi_i <= 2, sum xi_i <= n nu of min over i of y_i (<w, x_i> + b) + xi_i (formula 3).
Everything but the unit ball is linear. A growing number of half spaces <s, w> <= 1, ||s|| = 1, replaces the ball, and a
linear program is solved after each addition. Any w inside the ball bounds the optimum from below, any distribution over
the examples from above; both bounds hold even if a program is solved inexactly.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

LARGEST_SLACK: Final = 2.0
PRECISION: Final = 1e-7
PROGRAMS: Final = 1000
"""Largest number of linear programs."""
_INWARD: Final = 0.8
"""Half spaces are added at a program's w and at this fraction of the distance from it to the best w so far. The second
one makes convergence several times faster, because the programs' w oscillate."""

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Optimum:
    """The saddle problem's value."""

    lower: float
    upper: float
    """Bounds, at most `PRECISION` apart unless `PROGRAMS` programs did not suffice."""
    weights: Vector
    """(d,): ||w|| <= 1; with the best slack, its value is `lower`."""
    bias: float
    """0 without bias."""
    distribution: Vector
    """(n,): distribution over the examples that certifies `upper`."""


def saddle_value(responses: Vector, volume: float) -> float:
    """Value of a predictor with its best slack: the water level of its (n,) responses y_i (<w, x_i> + b) for n nu."""
    ordered = np.sort(responses)
    # the number k of covered responses makes the height least
    height = float(np.min((np.cumsum(ordered) + volume) / np.arange(1, len(ordered) + 1)))
    return min(height, float(ordered[0]) + LARGEST_SLACK)


def best_answer(distribution: Vector, folded: Any, labels: Vector, volume: float, bias: bool) -> float:
    """Value of a distribution p: the largest p'(y <w, x> + y b + xi) of all allowed w, b and xi.

    `folded` has the rows y_i x_i, (n, d); `volume` is n nu.
    """
    shift = abs(float(distribution @ labels)) if bias else 0.0
    slack = np.clip(volume - LARGEST_SLACK * np.arange(len(distribution)), 0.0, LARGEST_SLACK)
    return float(np.linalg.norm(folded.T @ distribution)) + shift + float(np.sort(distribution)[::-1] @ slack)


def optimum(X: Any, y: ArrayLike, nu: float, *, bias: bool = False) -> Optimum:
    """Solve the saddle problem for (n, d) points of norm 1 at most, labels -1 and +1, and nu in [0, 1].

    Raises RuntimeError if a linear program fails.
    """
    (n, d), labels = X.shape, np.asarray(y, dtype=np.float64)
    folded = sp.csr_matrix(sp.diags(labels) @ sp.csr_matrix(X, dtype=np.float64))
    relaxation = _Relaxation(folded, labels, nu, bias)
    best = Optimum(-np.inf, np.inf, np.zeros(d), 0.0, np.full(n, 1.0 / n))
    for _ in range(PROGRAMS):
        w, b, p = relaxation.solve()
        inward = (1 - _INWARD) * w + _INWARD * best.weights
        upper = best_answer(p, folded, labels, n * nu, bias)
        if upper < best.upper:
            best = replace(best, upper=upper, distribution=p)
        for v in (w, inward):
            inside = v / max(1.0, float(np.linalg.norm(v)))
            lower = saddle_value(folded @ inside + b * labels, n * nu)
            if lower > best.lower:
                best = replace(best, lower=lower, weights=inside, bias=b)
            relaxation.cut(v)
        if best.upper - best.lower <= PRECISION:
            break
    return best


class _Relaxation:
    """The saddle problem with half spaces in place of the unit ball: a linear program in w, b, xi and gamma."""

    def __init__(self, folded: sp.csr_matrix, labels: Vector, nu: float, bias: bool) -> None:
        self._n, self._d = folded.shape
        free = float(bias)
        ones = sp.csr_matrix(np.ones((self._n, 1)))
        lifted = sp.hstack([-folded, sp.csr_matrix(-labels[:, np.newaxis]), -sp.eye(self._n), ones])  # gamma <= c + xi
        poured = np.concatenate([np.zeros(self._d + 1), np.ones(self._n), [0.0]])
        self._rows = sp.csr_matrix(sp.vstack([lifted, sp.csr_matrix(poured)]))
        self._limits = np.append(np.zeros(self._n), self._n * nu)
        slack = [(0.0, LARGEST_SLACK)] * self._n
        self._bounds = [*[(-1.0, 1.0)] * self._d, (-free, free), *slack, (None, None)]

    def solve(self) -> tuple[Vector, float, Vector]:
        """Return w, b, and the distribution that the program's dual gives."""
        from scipy.optimize import linprog

        program: Any = linprog  # its type stubs do not accept sparse matrices
        cost = np.append(np.zeros(self._rows.shape[1] - 1), -1.0)
        answer = program(cost, A_ub=self._rows, b_ub=self._limits, bounds=self._bounds, method="highs")
        if answer.status != 0:
            raise RuntimeError(f"a linear program of the saddle problem failed: {answer.message}")
        p = np.maximum(0.0, -answer.ineqlin.marginals[: self._n])
        return answer.x[: self._d], float(answer.x[self._d]), p / p.sum()

    def cut(self, w: Vector) -> None:
        """Add the half space that touches the ball in the direction of w."""
        if norm := float(np.linalg.norm(w)):
            row = np.append(w / norm, np.zeros(self._n + 2))
            self._rows = sp.csr_matrix(sp.vstack([self._rows, sp.csr_matrix(row)]))
            self._limits = np.append(self._limits, 1.0)
