"""The kernel Perceptron, replayed, and the averaged one, which is the mean of its iterates."""

from __future__ import annotations

import numpy as np
import pytest
from cases import coefficients, gram, problem, solver

from svm_cost_curves.solvers import Limit, Linear, Problem, Status, _core


def test_replay() -> None:
    """The order of each epoch is the last one, shuffled by the next permutation of the stream."""
    p = problem(70, flips=0.2)
    K, y = gram(p), p.y.astype(np.float64)
    plain, averaged = (solver(name, p, seed=9) for name in ("perceptron", "averaged_perceptron"))
    stream, order = _core.Random(9, _core.Purpose.order), np.arange(p.n)
    w, total, t, mistakes = np.zeros(p.n), np.zeros(p.n), 0, 0
    for _ in range(8):
        order = order[stream.permutation(p.n)]
        for i in order:
            t += 1
            if y[i] * (K[i] @ w) <= 0.0:
                w[i] += y[i]
                mistakes += 1
            total += w
            for made in (plain, averaged):
                made.advance(Limit(iterations=t))
            np.testing.assert_array_equal(coefficients(plain), w, err_msg=f"look {t}")
            np.testing.assert_allclose(coefficients(averaged), total / t, atol=1e-12, err_msg=f"look {t}")
    assert 50 < mistakes < t
    assert plain.counters.kernel_evaluations == mistakes * p.n
    assert averaged.counters == plain.counters
    np.testing.assert_allclose(plain.snapshot().responses, y * (K @ w), atol=1e-9)


@pytest.mark.parametrize("name", ["perceptron", "averaged_perceptron"])
def test_stops_after_an_epoch_without_a_mistake(name: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3)).astype(np.float32)
    y = np.where(X[:, 0] > 0, 1, -1)
    X[:, 0] += y.astype(np.float32)
    p = Problem(X, y, Linear(), rows=problem(10).policy)
    made = solver(name, p)
    assert made.advance(Limit(presentations=1000 * p.n)) is Status.CONVERGED
    looks = made.counters.iterations
    assert looks % p.n == 0
    assert (p.y * (gram(p) @ coefficients(made))).min() > 0.0
    assert made.advance(Limit()) is Status.CONVERGED
    assert made.counters.iterations == looks
