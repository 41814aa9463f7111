"""SGD-r, SGD-s and SGD-m: exact replays, bounds, the stop, costs."""

from __future__ import annotations

import os
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from cases import ROOT, Array, points, run, solver
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from linear_reference import folded, lower_bound, optimum, primal, weights
from omegaconf import OmegaConf
from scipy import sparse
from sgd_reference import Passes, Perceptron

from svm_cost_curves.datasets import DatasetConfig, default_cache_dir, load, spec_of
from svm_cost_curves.solvers import Gaussian, Limit, Linear, Problem, SettingsError, Solver, Status, _core
from svm_cost_curves.solvers.precision import Precision

STORAGE = pytest.mark.parametrize("as_csr", [False, True], ids=["dense", "csr"])
PASSES = pytest.mark.parametrize("name", ["sgd_s", "sgd_m"])
NEVER = 1e-300
"""An eps at which no run stops."""


def problem(n: int = 60, d: int = 6, seed: int = 0, *, C: float = 1.0, as_csr: bool = False, **own: Any) -> Problem:
    X, y = points(n, d, seed, zeros=0.3)
    return Problem(sparse.csr_matrix(X) if as_csr else X, y, Linear(), lambda_=1.0 / (C * n), **own)


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
    scaled = weights(made) * lambda_ * (made.counters.presentations or 0)
    np.testing.assert_allclose(scaled, np.rint(scaled), rtol=1e-14)
    return np.rint(scaled).astype(int).tolist()


def stored(p: Problem) -> Array:
    """Coordinates that a read of each example touches, (n,)."""
    nonzero = np.count_nonzero(folded(p), axis=1)
    return nonzero if not isinstance(p.X, np.ndarray) or 2 * nonzero.sum() < p.X.size else np.full(p.n, p.d)


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
        assert (counters.iterations, counters.presentations, counters.inner_products) == (t, t, t)
        assert (counters.feature_accesses, counters.feature_accesses_dense) == (accesses, t * p.d)
        assert counters.kernel_evaluations is None
    assert lower_bound(made) is None
    assert 0 < sum(theirs.updates) < 400


def test_sgd_r_takes_the_steps_of_pegasos() -> None:
    """Without ties and without projection both are the same method: to the bit."""
    p = problem()
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
            (counters.inner_products or 0) * p.d,
        )
        assert whole_sums(made, lambda_) == theirs.a
        assert made._core.updates().tolist() == theirs.updates
        assert made._core.checks == theirs.checks
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


@st.composite
def any_problem(draw: st.DrawFn) -> Problem:
    """Few points of few values: equal and contradictory examples, and rows of zeros, are common."""
    n, d = draw(st.integers(2, 9)), draw(st.integers(1, 3))
    elements = st.sampled_from([0.0, 0.0, 1.0, -1.0, 0.5, 2.0, -3.0])
    X = draw(arrays.arrays(np.float32, (n, d), elements=elements))
    y = np.array([1, -1, *draw(st.lists(st.sampled_from([1, -1]), min_size=n - 2, max_size=n - 2))])
    C = draw(st.sampled_from([0.01, 0.3, 1.0, 7.0]))
    return Problem(sparse.csr_matrix(X) if draw(st.booleans()) else X, y, Linear(), lambda_=1.0 / (C * n))


@given(any_problem(), st.lists(st.integers(1, 6), min_size=1, max_size=3), st.integers(0, 3))
@settings(max_examples=60)
def test_box_and_bounds_at_the_end_of_every_pass(p: Problem, schedule: list[int], seed: int) -> None:
    """C c / T is feasible in the dual, L is its objective, and L <= J_opt <= J."""
    best, Z, lambda_ = optimum(p), folded(p), p.require_lambda()
    made = solver("sgd_m", p, seed, eps=NEVER, multiplicity_schedule=schedule)
    for epoch in range(1, 13):
        made.advance(Limit(iterations=epoch * p.n))
        passes = (made.counters.presentations or 0) / p.n  # T
        alpha = p.C * made._core.updates() / passes
        assert ((alpha >= 0.0) & (alpha <= p.C * (1 + 1e-15))).all()
        w = Z.T @ alpha
        np.testing.assert_allclose(weights(made), w, rtol=1e-12, atol=1e-12 * p.C)
        bound = lower_bound(made)
        assert bound is not None
        assert bound == pytest.approx(lambda_ * (alpha.sum() - 0.5 * w @ w), rel=1e-12, abs=1e-12)
        assert bound <= best * (1 + 1e-9)
        assert primal(p, w) >= best * (1 - 1e-6)


@PASSES
@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("eps", [0.1, 0.01, 0.001])
def test_at_the_stop_the_accuracy_is_reached(name: str, C: float, eps: float) -> None:
    p = problem(150, C=C)
    made = solver(name, p, eps=eps)
    assert made.advance(Limit()) is Status.CONVERGED
    counters, w, best, bound = made.counters, weights(made), optimum(p), lower_bound(made)
    assert bound is not None
    assert primal(p, w) - bound <= eps * (1 + 1e-9) * bound
    assert bound <= best * (1 + 1e-9)
    assert best * (1 - 1e-7) <= primal(p, w) <= best * (1 + eps)
    assert (counters.iterations or 0) % p.n == 0, "the end of a pass"
    assert 1 <= made._core.checks <= (counters.iterations or 0) // p.n
    assert (counters.inner_products or 0) - (counters.iterations or 0) == p.n * made._core.checks
    assert made.advance(Limit(iterations=10**12)) is Status.CONVERGED
    assert (made.counters, weights(made).tobytes()) == (counters, w.tobytes()), "after the stop nothing moves"


def stop_of(p: Problem, factor: float) -> tuple[int, int]:
    """After how many passes SGD-s stops that computes J where its estimate is so far off, and how often it does."""
    made = run("sgd_s", p, eps=0.002, check_factor=factor)
    return (made.counters.iterations or 0) // p.n, made._core.checks


def test_the_estimate_saves_evaluations_of_the_objective() -> None:
    p = problem(150)
    earliest, looks = stop_of(p, 1e9)
    assert looks == earliest, "at the end of every pass"
    passes, checks = stop_of(p, 1.2)
    assert earliest <= passes, "no stop without J"
    assert 1 <= checks <= passes // 50
    unstopped = run("sgd_s", p, Limit(iterations=200 * p.n), eps=NEVER)
    assert unstopped._core.checks == 0


@pytest.mark.parametrize("name", ["sgd_r", "sgd_s", "sgd_m"])
def test_seeds(name: str) -> None:
    p = problem()
    ends = [weights(run(name, p, Limit(iterations=500), seed)).tobytes() for seed in (1, 1, 2, 2**40 + 1)]
    assert ends[0] == ends[1]
    assert len(set(ends)) == 3


@PASSES
def test_dense_and_sparse(name: str) -> None:
    ends = [run(name, problem(150, as_csr=as_csr), seed=5) for as_csr in (False, True)]
    assert ends[0].counters.iterations == ends[1].counters.iterations
    np.testing.assert_allclose(weights(ends[0]), weights(ends[1]), rtol=1e-9)
    assert (ends[0].counters.feature_accesses or 0) > (ends[1].counters.feature_accesses or 0)


@PASSES
@STORAGE
def test_float32(name: str, as_csr: bool) -> None:
    """The same steps but for rounding; L, J and the accuracy at the stop have about five digits."""
    p = problem(150, as_csr=as_csr)
    exact, single = (solver(name, p, 2, eps=1e-3, precision=kind) for kind in Precision)
    for made in (exact, single):
        made.advance(Limit(iterations=3 * p.n))
    np.testing.assert_allclose(weights(single), weights(exact), rtol=0, atol=1e-5 * np.abs(weights(exact)).max())
    assert weights(single).tobytes() != weights(exact).tobytes()
    assert single.counters == exact.counters
    assert lower_bound(single) == pytest.approx(lower_bound(exact), rel=1e-5)
    assert single.advance(Limit(iterations=10**7)) is Status.CONVERGED
    bound = lower_bound(single)
    assert bound is not None
    assert primal(p, weights(single)) - bound <= (1e-3 + 1e-4) * bound
    assert bound <= optimum(p) * (1 + 1e-4)


@PASSES
@pytest.mark.parametrize("setting", ["eps", "check_factor"])
@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf])
def test_settings_of_the_stop(name: str, setting: str, value: float) -> None:
    positive, finite = f"algo={name}: {setting} must be finite and positive", f"algo.{setting} = {value}: it must be a"
    with pytest.raises(SettingsError, match=f"^{re.escape(positive if np.isfinite(value) else finite)}"):
        solver(name, problem(), **{setting: value})


@pytest.mark.parametrize("schedule", [[], [0], [1, 0, 5], [-1], [2**32]])
def test_schedules(schedule: list[int]) -> None:
    with pytest.raises(
        SettingsError, match=r"algo\.multiplicity_schedule = \[.*\]: it must be numbers from 1 to 2\^32"
    ):
        solver("sgd_m", problem(), multiplicity_schedule=schedule)


@pytest.mark.parametrize("name", ["sgd_r", "sgd_s", "sgd_m"])
def test_problems_of_another_kind(name: str) -> None:
    X, y = points(20, 3)
    with pytest.raises(SettingsError, match=rf"algo={name} works with kernel=linear only"):
        solver(name, Problem(X, y, Gaussian(1.0), lambda_=0.1))
    with pytest.raises(SettingsError, match=rf"algo={name} .*set problem\.bias=false"):
        solver(name, Problem(X, y, Linear(), lambda_=0.1, bias=True))
    with pytest.raises(SettingsError, match=r"lambda form: set problem\.lambda_ or problem\.C"):
        solver(name, Problem(X, y, Linear()))


def test_the_core_refuses_it_too() -> None:
    features = problem().features
    good = {"lambda_": 0.1, "eps": 0.1, "check_factor": 1.2, "multiplicities": [1], "seed": 0}
    for bad, text in (
        ({"lambda_": 0.0}, "lambda must be finite and positive"),
        ({"multiplicities": []}, "there must be a multiplicity"),
        ({"multiplicities": [1, 0]}, "an example is presented at least once in a row, not 0 times"),
    ):
        for kind in (_core.SgdPasses, _core.SgdPasses32):
            with pytest.raises(ValueError, match=text):
                kind(features, **{**good, **bad})
    with pytest.raises(ValueError, match="lambda must be finite and positive"):
        _core.SgdRandom(features, lambda_=np.nan, seed=0)


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
    data = load(spec_of(OmegaConf.to_object(spec)), cache_dir=default_cache_dir())  # type: ignore[arg-type]
    for C in (0.1, 1.0):
        p = Problem(data.X, data.y, Linear(), lambda_=1.0 / (C * data.n))
        dcd = run("dcd", p, eps=1e-6)
        least, most = lower_bound(dcd), primal(p, weights(dcd))
        assert least is not None
        assert least <= optimum(p) * (1 + 1e-9) <= most * (1 + 1e-6)
        for algo in ("sgd_s", "sgd_m"):
            made = solver(algo, p, eps=0.05)
            for epoch in range(1, 11):
                made.advance(Limit(iterations=epoch * p.n))
                bound = lower_bound(made)
                assert bound is not None
                assert bound <= most
                assert primal(p, weights(made)) >= least
            assert made.advance(Limit(presentations=5000 * p.n)) is Status.CONVERGED
            assert primal(p, weights(made)) <= 1.05 * most
