"""The kernel Perceptron: replay, order of the examples, separable data."""

from __future__ import annotations

import numpy as np
from cases import gram, problem, solver

from svm_cost_curves.solvers import Limit, Linear, Problem, Status, _core


def test_replay() -> None:
    """The order of each epoch is the last one, shuffled by the next permutation of the stream."""
    p = problem(70, flips=0.2)
    K, y = gram(p), p.y.astype(np.float64)
    perceptron = solver("perceptron", p, seed=9)
    stream = _core.Random(9, _core.Purpose.order)
    order = np.arange(p.n)
    w = np.zeros(p.n)
    t = mistakes = 0
    for _ in range(8):
        order = order[stream.permutation(p.n)]
        for i in order:
            t += 1
            if y[i] * (K[i] @ w) <= 0.0:
                w[i] += y[i]
                mistakes += 1
            perceptron.advance(Limit(iterations=t))
            np.testing.assert_array_equal(perceptron.snapshot().coefficients, w, err_msg=f"look {t}")
    assert 50 < mistakes < t
    assert perceptron.counters.kernel_evaluations == mistakes * p.n
    np.testing.assert_allclose(perceptron.snapshot().responses, y * (K @ w), atol=1e-9)


def test_stops_after_an_epoch_without_a_mistake() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3)).astype(np.float32)
    y = np.where(X[:, 0] > 0, 1, -1)
    X[:, 0] += y.astype(np.float32)
    p = Problem(X, y, Linear(), rows=problem(10).policy)
    perceptron = solver("perceptron", p)
    assert perceptron.advance(Limit(presentations=1000 * p.n)) is Status.CONVERGED
    looks = perceptron.counters.iterations
    assert looks is not None
    assert looks % p.n == 0
    responses = perceptron.snapshot().responses
    assert responses is not None
    assert responses.min() > 0.0
    assert perceptron.advance(Limit()) is Status.CONVERGED
    assert perceptron.counters.iterations == looks
