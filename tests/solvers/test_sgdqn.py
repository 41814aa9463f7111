"""SGD-QN: replay, period, costs, convergence; the parts that it shares with SVMSGD are tested there."""

from __future__ import annotations

import itertools

import baselines_reference as reference
import numpy as np
import pytest
from cases import Array, solver
from linear_reference import folded, optimum, primal, weights

from svm_cost_curves.solvers import Limit, SettingsError, _core
from svm_cost_curves.solvers.precision import Precision
from svm_cost_curves.solvers.sgdqn import Variant

N = 60
VARIANT = pytest.mark.parametrize("variant", list(Variant), ids=[each.value for each in Variant])


def period(Z: Array, skip: int, zeros: float) -> int:
    return round(skip * Z.size / np.count_nonzero(Z)) if zeros else skip


@VARIANT
@pytest.mark.parametrize("zeros", [0.0, 0.7], ids=["dense", "sparse"])
@pytest.mark.parametrize("t0", [60.0, 500.0])
@pytest.mark.parametrize("lambda_", [0.001, 0.02, 2.0])
@pytest.mark.parametrize("skip", [1, 16])
@pytest.mark.parametrize("restart", [True, False])
def test_replay(lambda_: float, t0: float, skip: int, zeros: float, variant: Variant, restart: bool) -> None:
    """With skip = 16 and sparse rows the regulariser acts once in an epoch at most."""
    p = reference.linear_problem(lambda_, zeros=zeros)
    Z = folded(p)
    t0 = 1e-3 if (variant, t0) == (Variant.original, 60.0) else t0
    every = period(Z, skip, zeros)
    plain = reference.SgdQn(Z, lambda_, t0, every, variant, restart=restart)
    own = {"t0": t0, "skip": skip, "variant": variant, "restart": restart}
    run, double = solver("sgdqn", p, 4, **own), solver("sgdqn", p, 4, **own)
    single = solver("sgdqn", p, 4, precision=Precision.float32, **own)
    accesses = 0
    for t, i in zip(range(1, 501), reference.order(N, 4), strict=False):
        plain.step(i)
        if t % N == 0:
            plain.end_epoch()
        accesses += int(np.count_nonzero(Z[i])) if zeros else 8
        run.advance(Limit(iterations=t))
        largest = np.abs(plain.w).max(initial=1e-300)
        np.testing.assert_allclose(weights(run), plain.w, rtol=0, atol=1e-9 * largest, err_msg=f"iteration {t}")
        counters = run.counters
        assert counters.iterations == counters.presentations == t
        compared = (t - 1) // every
        if plain.restart:
            compared = (t - 1) // N * ((N - 1) // every) + (t - 1) % N // every
        assert counters.inner_products == plain.inner_products == t + compared
        assert (counters.feature_accesses, counters.feature_accesses_dense) == (accesses, t * 8)
    single.advance(Limit(iterations=100))
    double.advance(Limit(iterations=100))
    np.testing.assert_allclose(weights(single), weights(double), rtol=0, atol=1e-3 * np.abs(weights(double)).max())


def test_gains_differ() -> None:
    """The replay is about more than plain steps: some gains have left their first value, by more than time alone."""
    p = reference.linear_problem(0.02)
    plain = reference.SgdQn(folded(p), 0.02, 10.0, 1, Variant.original)
    corrected = reference.SgdQn(folded(p), 0.02, 60.0, 1, Variant.corrected)
    for _, i in zip(range(500), reference.order(N, 4), strict=False):
        plain.step(i)
        corrected.step(i)
    assert plain.B.max() < 0.98 / 0.02
    assert np.ptp(plain.B) > 0.0
    assert corrected.H.max() > 5.0 * 0.02 * 560
    assert corrected.H.max() > 2.0 * corrected.H.min()


@VARIANT
def test_one_order_for_all_epochs(variant: Variant) -> None:
    p = reference.linear_problem(0.02)
    plain = reference.SgdQn(folded(p), 0.02, 60.0, 16, variant)
    run, fresh = (solver("sgdqn", p, 4, t0=60.0, variant=variant, permutation=order) for order in (False, True))
    first = list(itertools.islice(reference.order(N, 4), N))
    for _ in range(5):
        for i in first:
            plain.step(i)
        plain.end_epoch()
    for made in (run, fresh):
        made.advance(Limit(iterations=5 * N))
    np.testing.assert_allclose(weights(run), plain.w, rtol=0, atol=1e-9 * np.abs(plain.w).max())
    assert np.abs(weights(fresh) - plain.w).max() > 1e-3 * np.abs(plain.w).max()


@VARIANT
@pytest.mark.parametrize("n", [N, 12_000])
def test_chosen_offset(variant: Variant, n: int) -> None:
    p = reference.linear_problem(0.002, n=n, zeros=0.7)
    Z = folded(p)
    every = period(Z, 16, 0.7)
    corrected = variant is Variant.corrected
    passes = 3 if corrected else 1
    t0, sample, trials = reference.chosen_offset(
        Z,
        0.002,
        3,
        lambda t0: reference.SgdQn(Z, 0.002, t0, every, variant),
        passes=passes,
        least=(every if every <= n else 1.0) if corrected else None,
    )
    assert len(sample) == (N if n == N else 1200 if corrected else 1000)
    run = solver("sgdqn", p, 3, variant=variant, tuning_passes=3)
    given = solver("sgdqn", p, 3, variant=variant, t0=t0)
    run.advance(Limit(iterations=500))
    given.advance(Limit(iterations=500))
    np.testing.assert_allclose(weights(run), weights(given), rtol=1e-9)
    assert run.counters.presentations == (passes + 1) * len(sample) * trials + 500
    assert given.counters.inner_products is not None
    of_a_pass = (len(sample) - 1) // every
    of_a_trial = (passes + 1) * len(sample) + passes * of_a_pass
    assert run.counters.inner_products == trials * of_a_trial + given.counters.inner_products


def test_a_regulariser_that_counts_anew_may_never_act() -> None:
    """With more steps between two actions than examples only the losses move the weights; t0 is from 1 on then."""
    p = reference.linear_problem(0.5)
    free, acting = (solver("sgdqn", p, 4, t0=61.0, skip=61, restart=restart) for restart in (True, False))
    w = np.zeros(8)
    for t, i in zip(range(1, 5 * N + 1), reference.order(N, 4), strict=False):
        z = folded(p)[i]
        w = w + (z @ w < 1.0) * z / (0.5 * 61.0)
        free.advance(Limit(iterations=t))
        np.testing.assert_allclose(weights(free), w, rtol=0, atol=1e-12)
    acting.advance(Limit(iterations=5 * N))
    assert np.linalg.norm(weights(acting)) < 0.9 * np.linalg.norm(w)
    solver("sgdqn", p, 4, t0=1.0, skip=61)
    for least, restart in ((1, True), (61, False)):
        with pytest.raises(SettingsError, match=f"t0 must be at least {least}:"):
            solver("sgdqn", p, 4, t0=least - 0.5, skip=61, restart=restart)


@pytest.mark.parametrize("skip", [1, 16, 2**62])
def test_period(skip: int) -> None:
    for zeros in (0.0, 0.7):
        p = reference.linear_problem(0.1, zeros=zeros)
        made = _core.SgdQn(p.features, lambda_=0.1, skip=skip, seed=0)
        assert made.period == min(period(folded(p), skip, zeros), 2**62)


@VARIANT
@pytest.mark.parametrize("precision", list(Precision))
@pytest.mark.parametrize("lambda_", [0.05, 0.002])
def test_converges(lambda_: float, precision: Precision, variant: Variant) -> None:
    p = reference.linear_problem(lambda_, n=200, zeros=0.5)
    best = optimum(p)
    run = solver("sgdqn", p, precision=precision, variant=variant)
    run.advance(Limit(iterations=400 * 200))
    assert -1e-6 <= primal(p, weights(run)) / best - 1.0 <= 0.03


@pytest.mark.parametrize(
    ("own", "text"),
    [
        ({"skip": 0}, "skip must be a whole number >= 1"),
        ({"skip": -3}, "skip must be a whole number >= 1"),
        ({"tuning_passes": 0}, "tuning_passes must be from 1 to 100"),
        ({"tuning_passes": 101}, "tuning_passes must be from 1 to 100"),
        ({"t0": 15.0}, "t0 must be at least 16: the steps between two actions of the regulariser"),
    ],
)
def test_refused(own: dict[str, float], text: str) -> None:
    with pytest.raises(SettingsError, match=f"algo=sgdqn: {text}"):
        solver("sgdqn", reference.linear_problem(0.1), **own)
