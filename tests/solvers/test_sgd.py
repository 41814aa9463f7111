"""SGD-r, SGD-s and SGD-m: exact replays, the estimate of the objective."""

from __future__ import annotations

from dataclasses import astuple
from fractions import Fraction
from itertools import cycle
from typing import Any

import numpy as np
import pytest
from cases import STORAGE, Array, core_of, folded, lower_bound, solver, stored, weights
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import sparse

from svm_cost_curves.solvers import Limit, Linear, Problem, Solver, Status, _core

NEVER = 1e-300
"""An eps at which no run stops."""


class Perceptron:
    """a += y x where y <a, x> <= lambda t, then t += 1: the weights are a / (lambda t).

    Z has n rows of d integers, y_i x_i, and lambda is a power of 2: float64 rounds neither a nor what decides a step.
    """

    def __init__(self, Z: Array, lambda_: float) -> None:
        self.Z, self.lambda_, self.t = Z, lambda_, 0
        self.a, self.updates = np.zeros(Z.shape[1]), np.zeros(len(Z), int)

    def present(self, i: int) -> None:
        """One presentation of example i."""
        if self.Z[i] @ self.a <= self.lambda_ * self.t:
            self.a = self.a + self.Z[i]
            self.updates[i] += 1
        self.t += 1

    @property
    def losses(self) -> Array:
        """The hinge losses of the present weights, (n,)."""
        return np.maximum(0.0, 1.0 - self.Z @ self.a / (self.lambda_ * self.t)) if self.t else np.ones(len(self.Z))

    @property
    def regulariser(self) -> float:
        """lambda/2 |w|^2."""
        return self.a @ self.a / (2.0 * self.lambda_ * self.t**2)

    @property
    def lower_bound(self) -> float:
        """L."""
        return self.updates.sum() / self.t - self.regulariser


class Passes(Perceptron):
    """Complete passes, each over a fresh permutation, each example several times in a row, and the stop."""

    def __init__(
        self, Z: Array, lambda_: float, eps: float, factor: float, multiplicities: list[int], seed: int
    ) -> None:
        super().__init__(Z, lambda_)
        self.eps, self.factor, self.bound, self.checks, self.converged = eps, factor, None, 0, False
        self._random, self._order = _core.Random(seed, _core.Purpose.order), np.arange(len(Z))
        self._multiplicity = cycle(multiplicities)
        self._start()

    def step(self) -> int:
        """All presentations in a row of the next example; return which one it is."""
        i, *self._left = self._left
        self._seen += self.losses[i]
        for _ in range(self._now):
            self.present(i)
        if not self._left:
            self._end()
        return i

    def _start(self) -> None:
        self._order = self._order[self._random.permutation(len(self.Z))]
        self._left, self._seen, self._now = self._order.tolist(), 0.0, next(self._multiplicity)

    def _end(self) -> None:
        self.bound = self.lower_bound
        estimate = self.regulariser + self._seen / len(self.Z)
        if estimate - self.bound <= self.factor * self.eps * self.bound:
            self.checks += 1
            self.converged = self.regulariser + self.losses.mean() - self.bound <= self.eps * self.bound
        self._start()


def integers(n: int, d: int, seed: int = 0, *, lambda_: float = 0.125, as_csr: bool = False) -> Problem:
    """Small whole features, and a lambda that is a power of 2: what the core computes of them is exact."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, size=(n, d)).astype(np.float32)
    X[rng.random(X.shape) < 0.2] = 0.0
    X[2] = 0.0
    X[4], X[5] = X[3], X[3]
    y = np.where(X @ rng.normal(size=d) > 0.3 * rng.normal(size=n), 1, -1)
    y[3:6] = 1, 1, -1  # the same twice, and its contradiction
    y[0], y[1] = 1, -1
    return Problem(sparse.csr_matrix(X) if as_csr else X, y, Linear(), lambda_=lambda_)


def whole_sums(made: Solver, lambda_: float) -> list[int]:
    """a, of which the weights are a / (lambda t)."""
    scaled = weights(made) * lambda_ * made.counters.presentations
    np.testing.assert_allclose(scaled, np.rint(scaled), rtol=1e-14)
    return np.rint(scaled).astype(int).tolist()


@STORAGE
@pytest.mark.parametrize("lambda_", [2.0**-10, 0.125, 4.0])
def test_replay_of_sgd_r(lambda_: float, as_csr: bool) -> None:
    p = integers(40, 5, lambda_=lambda_, as_csr=as_csr)
    theirs = Perceptron(folded(p), lambda_)
    made, stream, accesses = solver("sgd_r", p, seed=4), _core.Random(4, _core.Purpose.sampling), 0
    assert weights(made).tolist() == [0.0] * 5
    for t in range(1, 401):
        i = stream.below(p.n)
        theirs.present(i)
        accesses += int(stored(p)[i])
        assert made.advance(Limit(iterations=t)) is Status.ITERATIONS
        assert whole_sums(made, lambda_) == theirs.a.tolist()
        counters = made.counters
        assert astuple(counters) == (t, t, None, t, accesses, t * p.d)
    assert lower_bound(made) is None
    assert 0 < sum(theirs.updates) < 400


@STORAGE
@pytest.mark.parametrize("schedule", [None, [1], [3], [1, 5, 2]], ids=str)
@pytest.mark.parametrize("lambda_", [2.0**-10, 1.0, 8.0])
def test_replay_of_passes(lambda_: float, schedule: list[int] | None, as_csr: bool) -> None:
    """Weights, updates of each example, L, the stop and all counters, after each example and after the stop."""
    p = integers(24, 4, lambda_=lambda_, as_csr=as_csr)
    algo: dict[str, Any] = {} if schedule is None else {"multiplicity_schedule": schedule}
    made = solver("sgd_s" if schedule is None else "sgd_m", p, seed=7, eps=0.125, check_factor=2.0, **algo)
    theirs = Passes(folded(p), lambda_, 0.125, 2.0, schedule or [1], 7)
    sizes, accesses = stored(p), 0
    for k in range(1, 16 * p.n + 1):
        if theirs.converged:
            assert made.advance(Limit()) is Status.CONVERGED
            break
        checks = theirs.checks
        accesses += int(sizes[theirs.step()])
        accesses += int(sizes.sum()) * (theirs.checks - checks)
        ended = Status.CONVERGED if theirs.converged else Status.ITERATIONS
        assert made.advance(Limit(iterations=k)) is ended
        counters = made.counters
        assert (counters.iterations, counters.presentations) == (k, theirs.t)
        assert counters.inner_products == k + p.n * theirs.checks
        assert (counters.feature_accesses, counters.feature_accesses_dense) == (
            accesses,
            counters.inner_products * p.d,
        )
        assert whole_sums(made, lambda_) == theirs.a.tolist()
        assert core_of(made).updates().tolist() == theirs.updates.tolist()
        assert core_of(made).checks == theirs.checks
        bound = lower_bound(made)
        assert bound == (None if theirs.bound is None else pytest.approx(theirs.bound, rel=1e-14, abs=1e-14))
    assert theirs.converged == (lambda_ >= 1.0)


@st.composite
def responses(draw: st.DrawFn) -> tuple[Fraction, Fraction, Fraction, Fraction, int]:
    """(threshold, lambda, response, squared norm, multiplicity), of which float64 rounds nothing."""
    lambda_ = Fraction(draw(st.integers(1, 9)), 2 ** draw(st.integers(0, 8)))
    t = draw(st.one_of(st.integers(0, 20), st.integers(10**12, 10**12 + 9)))
    ell = draw(st.integers(1, 30))
    near = Fraction(draw(st.integers(-800, 800)), 16)
    response = draw(st.sampled_from([Fraction(0), lambda_ * t, lambda_ * (t + ell - 1)])) + near
    squared_norm = draw(st.sampled_from([Fraction(0), lambda_ / 2, lambda_, lambda_ + 1, Fraction(7), Fraction(1000)]))
    return lambda_ * t, lambda_, response, squared_norm, ell


@given(responses())
@settings(max_examples=300)
@example((Fraction(10**12), Fraction(1), Fraction(10**12), Fraction(0), 5))
@example((Fraction(10**12), Fraction(1), Fraction(10**12 + 4), Fraction(9), 5))
@example((Fraction(10**12), Fraction(1), Fraction(10**12 + 5), Fraction(9), 5))
def test_a_multiple_update_is_that_many_single_ones(case: tuple[Fraction, Fraction, Fraction, Fraction, int]) -> None:
    threshold, lambda_, response, squared_norm, ell = case
    updates = 0
    for k in range(ell):
        updates += response + updates * squared_norm <= threshold + lambda_ * k
    count = _core.multiple_update(
        threshold=float(threshold),
        lambda_=float(lambda_),
        response=float(response),
        squared_norm=float(squared_norm),
        multiplicity=ell,
    )
    assert count == updates
