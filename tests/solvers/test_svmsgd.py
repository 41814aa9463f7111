"""SVMSGD: replay, the choice of t0, costs, convergence."""

from __future__ import annotations

import baselines_reference as reference
import numpy as np
import pytest
from cases import points, solver
from linear_reference import folded, optimum, primal, weights

from svm_cost_curves.solvers import Limit, Linear, Problem, SettingsError
from svm_cost_curves.solvers.precision import Precision
from svm_cost_curves.solvers.sgdqn import Variant

N = 60
METHODS = pytest.mark.parametrize(
    ("name", "own"),
    [("svmsgd", {}), ("sgdqn", {}), ("sgdqn", {"variant": Variant.original})],
    ids=["svmsgd", "sgdqn", "sgdqn, original"],
)


@pytest.mark.parametrize("zeros", [0.0, 0.7], ids=["dense", "sparse"])
@pytest.mark.parametrize("t0", [1e-3, 1.0, 500.0])
@pytest.mark.parametrize("lambda_", [1e-6, 0.02, 2.0])
def test_replay(lambda_: float, t0: float, zeros: float) -> None:
    p = reference.linear_problem(lambda_, zeros=zeros)
    Z = folded(p)
    run, plain = solver("svmsgd", p, 4, t0=t0), reference.SvmSgd(Z, lambda_, t0)
    single = solver("svmsgd", p, 4, t0=t0, precision=Precision.float32)
    accesses = 0
    for t, i in zip(range(1, 1001), reference.order(N, 4), strict=False):
        plain.step(i)
        accesses += int(np.count_nonzero(Z[i])) if zeros else 8
        run.advance(Limit(iterations=t))
        largest = np.abs(plain.w).max(initial=1e-300)
        np.testing.assert_allclose(weights(run), plain.w, rtol=0, atol=1e-9 * largest, err_msg=f"iteration {t}")
        counters = run.counters
        assert counters.iterations == counters.presentations == counters.inner_products == t
        assert (counters.feature_accesses, counters.feature_accesses_dense) == (accesses, t * 8)
        assert counters.kernel_evaluations is None
    single.advance(Limit(iterations=1000))
    if lambda_ >= 0.02:  # else one step decides all that follow
        np.testing.assert_allclose(weights(single), plain.w, rtol=0, atol=1e-3 * np.abs(plain.w).max())


@pytest.mark.parametrize(("n", "lambda_"), [(N, 0.02), (N, 1e-3), (1500, 0.1)])
def test_chosen_offset(n: int, lambda_: float) -> None:
    """The first step chooses t0 and is charged for it; then the run is that with this t0."""
    p = reference.linear_problem(lambda_, n=n, zeros=0.7)
    Z = folded(p)
    t0, sample, trials = reference.chosen_offset(Z, lambda_, 3, lambda t0: reference.SvmSgd(Z, lambda_, t0))
    assert t0 >= 1.0
    assert trials >= 3
    run, given = solver("svmsgd", p, 3), solver("svmsgd", p, 3, t0=t0)
    np.testing.assert_array_equal(weights(run), np.zeros(8))
    for t in (1, 500):
        run.advance(Limit(iterations=t))
        given.advance(Limit(iterations=t))
        np.testing.assert_allclose(weights(run), weights(given), rtol=1e-9)
    looks = 2 * len(sample) * trials
    stored = np.count_nonzero(Z, axis=1)
    assert run.counters.iterations == given.counters.iterations == 500
    assert given.counters.feature_accesses is not None
    assert run.counters.presentations == run.counters.inner_products == looks + 500
    searched = 2 * trials * int(stored[sample].sum())
    assert run.counters.feature_accesses == searched + given.counters.feature_accesses


@pytest.mark.parametrize("precision", list(Precision))
@pytest.mark.parametrize("lambda_", [0.05, 0.002])
def test_converges(lambda_: float, precision: Precision) -> None:
    p = reference.linear_problem(lambda_, n=200, zeros=0.5)
    best = optimum(p)
    run = solver("svmsgd", p, precision=precision)
    run.advance(Limit(iterations=400 * 200))
    assert -1e-6 <= primal(p, weights(run)) / best - 1.0 <= 0.02


@METHODS
def test_advancing_in_pieces_has_the_same_bits(name: str, own: dict[str, Variant]) -> None:
    p = reference.linear_problem(0.01, zeros=0.7)
    whole, pieces = solver(name, p, 3, **own), solver(name, p, 3, **own)
    whole.advance(Limit(iterations=700))
    for t in range(701):
        pieces.advance(Limit(iterations=t))
        pieces.snapshot()
    assert weights(whole).tobytes() == weights(pieces).tobytes()
    assert whole.counters == pieces.counters


@METHODS
@pytest.mark.parametrize("precision", list(Precision))
@pytest.mark.parametrize("lambda_", [1e-12, 0.1, 1e12])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_any_scale(name: str, own: dict[str, Variant], precision: Precision, lambda_: float, scale: float) -> None:
    """Rows of any length, rows of zeros, twins of different labels, n = 2: nothing overflows, J stays below 10 J(0)."""
    X, y = points(30, 4)
    X[3:6] = 0.0
    X[6:10], y[6:10] = X[6], [1, -1, 1, -1]
    for problem in (
        Problem(X * np.float32(scale), y, Linear(), lambda_=lambda_),
        Problem(X[:2] * np.float32(scale), y[:2], Linear(), lambda_=lambda_),
        Problem(0.0 * X, y, Linear(), lambda_=lambda_),
    ):
        run = solver(name, problem, precision=precision, **own)
        run.advance(Limit(iterations=3000))
        assert primal(problem, weights(run)) < 10.0


@pytest.mark.parametrize("name", ["svmsgd", "sgdqn"])
@pytest.mark.parametrize("t0", [0.0, -1.0, np.nan, np.inf])
def test_refused(name: str, t0: float) -> None:
    positive = f"algo={name}: t0 must be finite and positive, or left out"
    with pytest.raises(SettingsError, match=positive if np.isfinite(t0) else rf"algo\.t0 = {t0}: it must be a finite"):
        solver(name, reference.linear_problem(0.1), t0=t0)
