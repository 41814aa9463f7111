"""Linear problems in the unit ball, on which SIMBA is tested."""

from __future__ import annotations

import numpy as np
from cases import Array, points
from scipy import sparse

from svm_cost_curves.solvers import Linear, Problem


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
