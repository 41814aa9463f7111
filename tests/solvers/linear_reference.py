"""What the tests of linear solvers ask of a run, and the optimum by LIBLINEAR."""

from __future__ import annotations

import numpy as np
from cases import Array, feature_values
from sklearn.svm import LinearSVC

from svm_cost_curves.solvers import LinearSnapshot, Problem, Solver


def folded(p: Problem) -> Array:
    """y_i x_i, (n, d) float64, in the problem's order of examples and features."""
    return p.y[:, None] * feature_values(p).astype(np.float64)


def primal(p: Problem, w: Array) -> float:
    """J of weights in the order of `p.features`."""
    margins = p.y * (p.X @ p.in_data_order(w))
    return float(0.5 * p.require_lambda() * w @ w + np.maximum(0.0, 1.0 - margins).mean())


def weights(made: Solver) -> Array:
    """The weights of a linear solver, in the order of `p.features`."""
    snapshot = made.snapshot()
    assert isinstance(snapshot, LinearSnapshot)
    assert (snapshot.bias, snapshot.volume) == (0.0, None)
    return snapshot.weights


def lower_bound(made: Solver) -> float | None:
    """The lower bound on the optimum that a linear solver knows."""
    snapshot = made.snapshot()
    assert isinstance(snapshot, LinearSnapshot)
    return snapshot.lower_bound


def optimum(p: Problem) -> float:
    """The smallest J, by LIBLINEAR."""
    peer = LinearSVC(loss="hinge", C=p.C, fit_intercept=False, tol=1e-10, max_iter=10**6, random_state=0)
    return primal(p, peer.fit(p.X.astype(np.float64), p.y).coef_.ravel()[p.feature_order])
