"""SIMBA: every step replayed in numpy, costs, convergence to the saddle point, and degenerate data."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest
import simba_reference as reference
from cases import STORAGE, Array, feature_values, solver
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from simba_reference import ball, linear

from svm_cost_curves.solvers import Limit, Problem, SettingsError, Status, _core

NUS = [0.0, 0.03, 0.5, 1.0]


def core(p: Problem, seed: int = 0, horizon: int = 0, iterations: int = 0, **own: bool) -> _core.Simba:
    made = _core.Simba(p.features, nu=p.require_nu(), bias=p.bias, horizon=horizon, seed=seed, **own)
    made.advance(iterations=iterations)
    return made


def naive(p: Problem, seed: int = 0, horizon: int = 0, **own: bool) -> reference.Simba:
    X, y = feature_values(p), p.y.astype(np.float64)
    return reference.Simba(X, y, p.require_nu(), p.bias, seed, horizon, **own)


def costs(simba: _core.Simba) -> tuple[int, ...]:
    counters = simba.counters
    return counters.iterations, counters.presentations, counters.feature_accesses, counters.feature_accesses_dense


@STORAGE
@pytest.mark.parametrize("horizon", [0, 300])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("nu", NUS)
def test_replay(nu: float, bias: bool, horizon: int, as_csr: bool) -> None:
    """The same draws, weights, distribution, bias, mean and costs as plain numpy, at every iteration."""
    biased = 0
    for seed in range(3):
        X, y = ball(40, 6, seed, zeros=0.6 if as_csr else 0.0, apart=seed)
        p = linear(X, y, nu, bias=bias, as_csr=as_csr)
        slow, fast = naive(p, seed, horizon), core(p, seed, horizon)
        expected, found = [], []
        for t in range(1, 301):
            slow.step()
            fast.advance(iterations=t)
            biased += slow.b != 0.0
            expected.append((slow.w, slow.distribution, slow.mean_w, slow.mean_b))
            found.append((fast.last_weights(), fast.distribution(), fast.weights(), fast.bias))
            where = f"seed {seed}, iteration {t}"
            assert costs(fast) == (t, t, slow.feature_accesses, slow.feature_accesses_dense), where
        tolerances = ((1e-9, 1e-12), (1e-9, 0.0), (1e-9, 1e-12), (0.0, 1e-12))
        for own, other, (rtol, atol) in zip(
            zip(*found, strict=True), zip(*expected, strict=True), tolerances, strict=True
        ):
            np.testing.assert_allclose(np.array(own), np.array(other), rtol=rtol, atol=atol, err_msg=f"seed {seed}")
    assert np.linalg.norm(slow.u) > 1.0, "the last run was meant to leave the unit ball"
    assert biased > 800 if bias else biased == 0


@pytest.mark.parametrize(("nu", "bias", "horizon"), [(0.01, False, 0), (0.2, True, 0), (0.7, False, 400)])
def test_replay_of_many_points(nu: float, bias: bool, horizon: int) -> None:
    """More points than fit one node of a tree or one look at the slack's level; a third of them are twice there."""
    X, y = ball(700, 12, zeros=0.7)
    X = np.concatenate([X, X[100:400]])
    p = linear(X, np.concatenate([y, y[100:400]]), nu, bias=bias, as_csr=True)
    slow, fast = naive(p, 11, horizon), core(p, 11, horizon)
    for t in range(1, 401):
        slow.step()
        fast.advance(iterations=t)
        np.testing.assert_allclose(fast.distribution(), slow.distribution, rtol=1e-9, atol=0, err_msg=f"iteration {t}")
    np.testing.assert_allclose(fast.weights(), slow.mean_w, rtol=1e-9, atol=1e-12)


READINGS: dict[str, dict[str, bool]] = {
    "printed rate": {"printed_rate": True},
    "no clipping": {"clip": False},
    "both": {"printed_rate": True, "clip": False},
}


@pytest.mark.parametrize("own", READINGS.values(), ids=READINGS)
@pytest.mark.parametrize(("nu", "bias"), [(0.0, False), (0.1, True)])
def test_replay_of_the_other_readings(nu: float, bias: bool, own: dict[str, bool]) -> None:
    """The printed learning rate, and no clipping: as plain numpy, and not as the usual run."""
    X, y = ball(40, 12, 5, zeros=0.6)
    p = linear(X, y, nu, bias=bias, as_csr=True)
    slow, fast, usual = naive(p, 5, **own), core(p, 5, **own), core(p, 5)
    for t in range(1, 601):
        slow.step()
        fast.advance(iterations=t)
        usual.advance(iterations=t)
        where = f"iteration {t}"
        np.testing.assert_allclose(fast.distribution(), slow.distribution, rtol=1e-8, atol=1e-300, err_msg=where)
        np.testing.assert_allclose(fast.last_weights(), slow.w, rtol=1e-8, atol=1e-12, err_msg=where)
        assert costs(fast) == (t, t, slow.feature_accesses, slow.feature_accesses_dense), where
    np.testing.assert_allclose(fast.weights(), slow.mean_w, rtol=1e-9, atol=1e-12)
    assert not np.allclose(fast.distribution(), usual.distribution())


def test_without_clipping_no_weight_overflows() -> None:
    """A coordinate whose weight is tiny is drawn now and then; its estimates are huge."""
    X, y = ball(60, 30, zeros=0.3)
    X *= np.geomspace(1.0, 1e-6, 30, dtype=np.float32)
    simba = core(linear(X, y, 0.05), clip=False)
    for t in range(1000, 50_001, 1000):
        simba.advance(iterations=t)
        assert simba.distribution().sum() == pytest.approx(1.0)
    assert np.isfinite(simba.weights()).all()


@pytest.mark.parametrize("horizon", [0, 20_000])
def test_the_mean_is_that_of_all_iterates(horizon: int) -> None:
    """Kept lazily, summed up naively."""
    X, y = ball(50, 15, zeros=0.7, apart=1.0)
    simba = core(linear(X, y, bias=True, as_csr=True), 2, horizon)
    total = np.zeros(15)
    for t in range(1, 20_001):
        simba.advance(iterations=t)
        total += simba.last_weights()
    assert np.linalg.norm(simba.last_weights()) == pytest.approx(1.0)
    np.testing.assert_allclose(simba.weights(), total / 20_000, rtol=0, atol=1e-11)


def test_a_run_with_a_horizon_ends_there() -> None:
    X, y = ball()
    for kind in (False, True):
        simba = solver("simba", linear(X, y, bias=kind), horizon=70)
        assert simba.advance(Limit(iterations=60)) is Status.ITERATIONS
        assert simba.advance(Limit(iterations=1000)) is Status.CONVERGED
        assert simba.counters.iterations == 70
        assert simba.advance(Limit()) is Status.CONVERGED
    anytime = solver("simba", linear(X, y))
    assert anytime.advance(Limit(iterations=1000)) is Status.ITERATIONS
    snapshot, same = anytime.snapshot(), core(linear(X, y), iterations=1000)
    np.testing.assert_array_equal(snapshot.weights, same.weights())
    assert snapshot.volume == pytest.approx(0.1 * len(y))


SADDLES = {
    "separable": (ball(60, 5, 4, flips=0.0, apart=2.0), 0.0),
    "noise": (ball(60, 5, 1), 0.1),
    "much slack": (ball(60, 5, 1), 0.4),
    "few points": (ball(8, 3, 2), 0.05),
}


@cache
def saddle_optimum(name: str, bias: bool) -> float:
    (X, y), nu = SADDLES[name]
    return reference.saddle_optimum(X.astype(np.float64), y.astype(np.float64), nu, bias)


@pytest.mark.parametrize("horizon", [False, True], ids=["anytime", "constant"])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("name", SADDLES)
def test_converges_to_the_saddle_point(name: str, bias: bool, horizon: bool) -> None:
    """Theorem 4.3: the value of the mean iterate is short of the optimum by c sqrt(log n / T) on average.

    The theorem's T has c = 100. Its proof's terms add up to less: the regret of p is log n / (eta T) + eta E v^2, with
    E v^2 at most 9 (an estimate of second moment 1, slack 2; 16 with bias), clipping costs as much twice, the regret of
    w is below 1.1 / sqrt(T): c is about 30. The first term alone has c = 1, and in practice that is enough.
    """
    (X, y), nu = SADDLES[name]
    p = linear(X, y, nu, bias=bias)
    Z, labels, n = y[:, None] * X.astype(np.float64), y.astype(np.float64), len(y)
    best = saddle_optimum(name, bias)
    shortfalls = []
    for T in (100, 2500, 62_500):
        runs = [core(p, seed, T if horizon else 0, T) for seed in range(4)]
        assert all(np.linalg.norm(run.weights()) <= 1.0 + 1e-12 and abs(run.bias) <= 1.0 for run in runs)
        values = [reference.saddle_value(Z @ run.weights() + run.bias * labels, n * nu) for run in runs]
        assert max(values) <= best + 1e-6, "nothing in the ball has a higher value"
        shortfalls.append(best - float(np.mean(values)))
        assert shortfalls[-1] <= np.sqrt(np.log(n) / T), f"T = {T}"
    assert shortfalls[2] <= 0.2 * max(shortfalls[0], 0.1)  # 25 times shorter at the theorem's rate
    assert shortfalls[2] <= 0.02


def test_the_reference_optimum() -> None:
    """Known by hand: two points on a line; and slack alone lifts points at the origin."""
    X, y = np.array([[0.8], [0.4]]), np.array([1.0, -1.0])
    assert reference.saddle_optimum(X, y, 0.0, bias=True) == pytest.approx(0.2)  # half the distance
    assert reference.saddle_optimum(X, y, 0.0, bias=False) == pytest.approx(0.0)
    assert reference.saddle_optimum(X, np.ones(2), 0.25, bias=False) == pytest.approx(0.85)  # 0.4 + 0.8 + 0.5 shared
    assert reference.saddle_optimum(np.zeros((4, 2)), np.ones(4), 0.3, bias=False) == pytest.approx(0.3)
    assert reference.saddle_value(np.array([-1.0, 1.0, 1.0, 1.0]), 4.0) == 1.0, "slack of 2 at most"


def check_sound(simba: _core.Simba) -> None:
    """Finite, p in the simplex, w in the ball, b in [-1, 1]."""
    p = simba.distribution()
    assert np.isfinite(p).all()
    assert (p >= 0.0).all()
    assert p.sum() == pytest.approx(1.0, abs=1e-12)
    for w in (simba.weights(), simba.last_weights()):
        assert np.isfinite(w).all()
        assert np.linalg.norm(w) <= 1.0 + 1e-9
    assert abs(simba.bias) <= 1.0


VALUES = st.sampled_from([0.0, 0.0, 1.0, -1.0, 0.5, 1e-3, 1e-20, -1e-38])


@given(
    X=st.tuples(st.integers(2, 9), st.integers(1, 4)).flatmap(lambda s: arrays.arrays(np.float32, s, elements=VALUES)),
    nu=st.sampled_from([0.0, 1e-12, 0.03, 0.5, 1.0]),
    bias=st.booleans(),
    horizon=st.sampled_from([0, 1, 40]),
    as_csr=st.booleans(),
    seed=st.integers(0, 2**63 - 1),
)
@settings(max_examples=150)
def test_any_data(X: Array, nu: float, bias: bool, horizon: int, as_csr: bool, seed: int) -> None:
    X = X / np.float32(max(1.0, np.linalg.norm(X, axis=1).max() * 1.0001))
    y = np.where(np.arange(len(X)) % 2 == 0, 1, -1)
    p = linear(X, y, nu, bias=bias, as_csr=as_csr)
    simba, slow = core(p, seed, horizon), naive(p, seed, horizon)
    for t in (1, 2, 3, 40):
        simba.advance(iterations=t)
        check_sound(simba)
    for _ in range(min(horizon or 40, 40)):
        slow.step()
    assert slow.t == simba.counters.iterations
    assert slow.feature_accesses_dense == simba.counters.feature_accesses_dense, "the same first draws"


DEGENERATE: dict[str, tuple[list[list[float]], list[int]]] = {
    "two equal points, contradicting": ([[0.9, 0.1], [0.9, 0.1]], [1, -1]),
    "one point always violated": ([[0.9, 0.0], [0.8, 0.1], [0.8, -0.1], [0.95, 0.0]], [1, 1, 1, -1]),
    "duplicates": ([[0.5, 0.5]] * 5 + [[-0.5, 0.5]] * 5, [1] * 5 + [-1] * 5),
    "one row is not zero": ([[0.0, 0.0]] * 5 + [[0.3, 0.4]], [1, 1, -1, -1, 1, -1]),
    "all rows are zero": ([[0.0, 0.0]] * 4, [1, 1, -1, -1]),
    "a row of zeros always violated": ([[0.0, 0.0], [0.999, 0.0], [0.999, 0.0], [-0.999, 0.0]], [1, 1, 1, -1]),
    "empty columns": ([[0.0, 0.5, 0.0, 0.2], [0.0, -0.5, 0.0, 0.1]], [1, -1]),
    "one feature": ([[0.9], [0.5], [-0.7]], [1, 1, -1]),
    "minute": ([[1e-30, 0.0], [0.0, 1e-30]], [1, -1]),
}


@pytest.mark.parametrize("name", DEGENERATE)
def test_long_runs_on_little_data(name: str) -> None:
    """200,000 iterations: some of p would be far below the smallest number by then; it could still come back."""
    X, y = (np.array(values) for values in DEGENERATE[name])
    for nu, bias in product((0.0, 0.3, 1.0), (False, True)):
        p = linear(X.astype(np.float32), y, nu, bias=bias, as_csr=True)
        points, labels = feature_values(p), p.y.astype(np.float64)
        Z = labels[:, None] * points
        best = reference.saddle_optimum(points, labels, nu, bias)
        for horizon in (0, 200_000):
            simba = core(p, 1, horizon, 200_000)
            check_sound(simba)
            assert simba.distribution().min() > 0.0
            value = reference.saddle_value(Z @ simba.weights() + simba.bias * labels, p.n * nu)
            assert best - 0.05 <= value <= best + 1e-6


def test_rows_longer_than_one() -> None:
    """The same as on the points divided by the largest norm, and nu with them; its bias is that many times larger."""
    X, y = ball(30, 4)
    X[7] = [0.0, -1.0, 0.0, 0.0]
    assert solver("simba", linear(X, y)).remarks == ()
    for nu in (0.1, 0.6):
        scaled, short = solver("simba", linear(4.0 * X, y, 4.0 * nu, bias=True)), core(linear(X, y, nu, bias=True))
        assert "divided by 4, the largest norm" in " ".join(scaled.remarks)
        scaled.advance(Limit(iterations=500))
        short.advance(iterations=500)
        snapshot = scaled.snapshot()
        np.testing.assert_array_equal(snapshot.weights, short.weights())
        assert snapshot.bias == 4.0 * short.bias != 0.0
        assert snapshot.volume == pytest.approx(30 * 4.0 * nu)
        assert scaled.counters.feature_accesses == short.counters.feature_accesses
    with pytest.raises(SettingsError, match=r"nu.* must "):
        solver("simba", linear(4.0 * X, y, 4.1))
