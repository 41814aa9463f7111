"""SGD-r, SGD-s and SGD-m: exact replays in rational arithmetic, the estimate of the objective, bounds on real data."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import astuple, dataclass, field
from fractions import Fraction
from itertools import cycle
from typing import Any

import numpy as np
import pytest
from cases import (
    ROOT,
    STORAGE,
    Array,
    core_of,
    folded,
    linear,
    lower_bound,
    optimum,
    primal,
    run,
    solver,
    stored,
    weights,
)
from hypothesis import example, given, settings
from hypothesis import strategies as st
from omegaconf import OmegaConf
from scipy import sparse

from svm_cost_curves.datasets import DatasetConfig, default_cache_dir, load, spec_of
from svm_cost_curves.solvers import Limit, Linear, Problem, Solver, Status, _core

NEVER = 1e-300
"""An eps at which no run stops."""


@dataclass
class Perceptron:
    """a += y x where y <a, x> <= lambda t, then t += 1: the weights are a / (lambda t).

    Attributes
    ----------
    Z : n rows of d integers
        y_i x_i.
    """

    Z: Sequence[Sequence[int]]
    lambda_: Fraction
    a: list[int] = field(init=False)
    updates: list[int] = field(init=False)
    t: int = 0

    def __post_init__(self) -> None:
        self.a = [0] * len(self.Z[0])
        self.updates = [0] * len(self.Z)

    def present(self, i: int) -> None:
        """One presentation of example i."""
        if self.response(i) <= self.lambda_ * self.t:
            self.a = [weight + value for weight, value in zip(self.a, self.Z[i], strict=True)]
            self.updates[i] += 1
        self.t += 1

    def response(self, i: int) -> int:
        """y_i <a, x_i>."""
        return sum(weight * value for weight, value in zip(self.a, self.Z[i], strict=True))

    def loss(self, i: int) -> Fraction:
        """The hinge loss of the present weights."""
        return max(Fraction(0), 1 - self.response(i) / (self.lambda_ * self.t)) if self.t else Fraction(1)

    @property
    def regulariser(self) -> Fraction:
        """lambda/2 |w|^2."""
        return sum(weight * weight for weight in self.a) / (2 * self.lambda_ * self.t**2)

    @property
    def primal(self) -> Fraction:
        """J."""
        return self.regulariser + sum(self.loss(i) for i in range(len(self.Z))) / len(self.Z)

    @property
    def lower_bound(self) -> Fraction:
        """L."""
        return Fraction(sum(self.updates), self.t) - self.regulariser


@dataclass
class Passes(Perceptron):
    """Complete passes, each over a fresh permutation, each example several times in a row, and the stop."""

    eps: Fraction = Fraction(1, 100)
    check_factor: Fraction = Fraction(6, 5)
    multiplicities: Sequence[int] = (1,)
    seed: int = 0
    checks: int = 0
    converged: bool = False
    bound: Fraction | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._random = _core.Random(self.seed, _core.Purpose.order)
        self._order: Array = np.arange(len(self.Z))
        self._multiplicity = cycle(self.multiplicities)
        self._start()

    def step(self) -> int:
        """All presentations in a row of the next example; return which one it is."""
        i, *self._left = self._left
        self._seen += self.loss(i)
        for _ in range(self._now):
            self.present(i)
        if not self._left:
            self._end()
        return i

    def _start(self) -> None:
        self._order = self._order[self._random.permutation(len(self.Z))]
        self._left = self._order.tolist()
        self._seen = Fraction(0)
        self._now = next(self._multiplicity)

    def _end(self) -> None:
        self.bound = self.lower_bound
        estimate = self.regulariser + self._seen / len(self.Z)
        if estimate - self.bound <= self.check_factor * self.eps * self.bound:
            self.checks += 1
            self.converged = self.primal - self.bound <= self.eps * self.bound
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
    theirs = Perceptron(folded(p).astype(int).tolist(), Fraction(lambda_))
    made, stream, accesses = solver("sgd_r", p, seed=4), _core.Random(4, _core.Purpose.sampling), 0
    assert weights(made).tolist() == [0.0] * 5
    for t in range(1, 401):
        i = stream.below(p.n)
        theirs.present(i)
        accesses += int(stored(p)[i])
        assert made.advance(Limit(iterations=t)) is Status.ITERATIONS
        assert whole_sums(made, lambda_) == theirs.a
        counters = made.counters
        assert astuple(counters) == (t, t, None, t, accesses, t * p.d)
    assert lower_bound(made) is None
    assert 0 < sum(theirs.updates) < 400


def test_sgd_r_takes_the_steps_of_pegasos() -> None:
    """Without ties and without projection both are the same method: to the bit."""
    p = linear(60, 6, zeros=0.3)
    ends = [weights(run(name, p, Limit(iterations=5000), 3)).tobytes() for name in ("sgd_r", "pegasos")]
    assert ends[0] == ends[1]


@STORAGE
@pytest.mark.parametrize("schedule", [None, [1], [3], [1, 5, 2]], ids=str)
@pytest.mark.parametrize("lambda_", [2.0**-10, 1.0, 8.0])
def test_replay_of_passes(lambda_: float, schedule: list[int] | None, as_csr: bool) -> None:
    """Weights, updates of each example, L, the stop and all counters, after each example and after the stop."""
    p = integers(24, 4, lambda_=lambda_, as_csr=as_csr)
    own: dict[str, Any] = {} if schedule is None else {"multiplicity_schedule": schedule}
    made = solver("sgd_s" if schedule is None else "sgd_m", p, seed=7, eps=0.125, check_factor=2.0, **own)
    theirs = Passes(
        folded(p).astype(int).tolist(),
        Fraction(lambda_),
        eps=Fraction(1, 8),
        check_factor=Fraction(2),
        multiplicities=schedule or [1],
        seed=7,
    )
    sizes, accesses = stored(p), 0
    for k in range(1, 16 * p.n + 1):
        if theirs.converged:
            assert made.advance(Limit()) is Status.CONVERGED
            break
        checks = theirs.checks
        accesses += int(sizes[theirs.step()])
        accesses += int(sizes.sum()) * (theirs.checks - checks)
        assert made.advance(Limit(iterations=k)) is Status.ITERATIONS
        counters = made.counters
        assert (counters.iterations, counters.presentations) == (k, theirs.t)
        assert counters.inner_products == k + p.n * theirs.checks
        assert (counters.feature_accesses, counters.feature_accesses_dense) == (
            accesses,
            counters.inner_products * p.d,
        )
        assert whole_sums(made, lambda_) == theirs.a
        assert core_of(made).updates().tolist() == theirs.updates
        assert core_of(made).checks == theirs.checks
        bound = lower_bound(made)
        assert bound == (None if theirs.bound is None else pytest.approx(float(theirs.bound), rel=1e-14, abs=1e-14))
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
    found = _core.multiple_update(
        threshold=float(threshold),
        lambda_=float(lambda_),
        response=float(response),
        squared_norm=float(squared_norm),
        multiplicity=ell,
    )
    assert found == updates


def stop_of(p: Problem, factor: float) -> tuple[int, int]:
    """After how many passes SGD-s stops that computes J where its estimate is so far off, and how often it does."""
    made = run("sgd_s", p, eps=0.002, check_factor=factor)
    return made.counters.iterations // p.n, core_of(made).checks


def test_the_estimate_saves_evaluations_of_the_objective() -> None:
    p = linear(150, 6, zeros=0.3)
    earliest, looks = stop_of(p, 1e9)
    assert looks == earliest, "at the end of every pass"
    passes, checks = stop_of(p, 1.2)
    assert earliest <= passes, "no stop without J"
    assert 1 <= checks <= passes // 50
    unstopped = run("sgd_s", p, Limit(iterations=200 * p.n), eps=NEVER)
    assert core_of(unstopped).checks == 0


@pytest.mark.parametrize("name", ["adult", pytest.param("rcv1_ccat_subset", marks=[pytest.mark.real_data])])
def test_bounds_and_stop_on_real_data(name: str) -> None:
    """Two methods bound the optimum, SGD-s and SGD-m reach the accuracy at which they stop."""
    if name != "adult" and not os.environ.get("SVM_DATA_MIRROR"):
        pytest.skip("SVM_DATA_MIRROR is not set")
    spec = OmegaConf.merge(
        OmegaConf.structured(DatasetConfig),
        OmegaConf.load(ROOT / "conf" / "dataset" / f"{name}.yaml"),
        {"max_train": 2000, "max_test": 100},
    )
    data = load(spec_of(OmegaConf.to_object(spec)), cache_dir=default_cache_dir())
    for C in (0.1, 1.0):
        p = Problem(data.X, data.y, Linear(), lambda_=1.0 / (C * data.n))
        dcd = run("dcd", p, eps=1e-6)
        least, most = lower_bound(dcd), primal(p, weights(dcd))
        assert least <= optimum(p) * (1 + 1e-9) <= most * (1 + 1e-6)
        for algo in ("sgd_s", "sgd_m"):
            made = solver(algo, p, eps=0.05)
            for epoch in range(1, 11):
                made.advance(Limit(iterations=epoch * p.n))
                bound = lower_bound(made)
                assert bound <= most
                assert primal(p, weights(made)) >= least
            assert made.advance(Limit(presentations=5000 * p.n)) is Status.CONVERGED
            assert primal(p, weights(made)) <= 1.05 * most
