"""SIMBA: every step replayed in numpy, costs, convergence to the saddle point, and degenerate data."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from itertools import product

import numpy as np
import pytest
from cases import Array, feature_values, points, solver
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from reference import Matrix, Vector
from scipy import sparse

from svm_cost_curves.experiments.papers.simba.saddle_point import optimum, saddle_value
from svm_cost_curves.solvers import Limit, Linear, Problem, SettingsError, Status, _core

LARGEST_SLACK = 2.0


def first_above(weights: Vector, uniform: float) -> int:
    """Return the first index at which the running sum of the weights exceeds that share of the total."""
    sums = np.cumsum(weights)
    return int(np.argmax(sums > uniform * sums[-1]))


def best_slack(q: Vector, volume: float) -> Vector:
    """Return the maximum of q'xi over 0 <= xi <= 2, sum xi <= volume: greedily, the lower index first among equals."""
    slack = np.empty_like(q)
    slack[np.argsort(-q, kind="stable")] = np.clip(volume - LARGEST_SLACK * np.arange(len(q)), 0.0, LARGEST_SLACK)
    return slack


@dataclass
class Simba:
    """Algorithm 1 of Hazan, Koren, Srebro (2011) with every vector written out and every average summed up.

    X has points of norm 1 at most, those of class +1 first; a horizon of 0 means steps that shrink with t. Of the other
    readings `printed_rate` has eta = sqrt(log n) / t, and without `clip` line 10 is left out.
    """

    X: Matrix
    y: Vector
    nu: float
    bias: bool
    seed: int
    horizon: int = 0
    printed_rate: bool = False
    clip: bool = True
    t: int = 0
    feature_accesses: int = 0
    feature_accesses_dense: int = 0
    b: float = 0.0
    total_b: float = 0.0
    Z: Matrix = field(init=False)
    u: Vector = field(init=False)
    w: Vector = field(init=False)
    q: Vector = field(init=False)
    total_w: Vector = field(init=False)
    total_slack: Vector = field(init=False)

    def __post_init__(self) -> None:
        n, d = self.X.shape
        self.Z = self.y[:, None] * self.X
        self.u, self.w, self.total_w = np.zeros((3, d))
        self.q, self.total_slack = np.ones(n), np.zeros(n)
        self._random = _core.Random(self.seed, _core.Purpose.sampling)

    def step(self) -> None:
        """One iteration; numbers are the lines of Algorithm 1."""
        n = len(self.y)
        self.t += 1
        clock = self.horizon or self.t
        eta = np.sqrt(np.log(n)) / clock if self.printed_rate else np.sqrt(np.log(n) / clock)
        i = first_above(self.q, self._random.uniform())  # 4
        self._charge(self.Z[i])
        self.u = self.u + self.Z[i] / np.sqrt(2.0 * clock)  # 5
        slack = best_slack(self.q, n * self.nu)
        self.b = float(np.sign(self.q @ self.y)) if self.bias else 0.0
        self.w = self.u / max(1.0, float(np.linalg.norm(self.u)))  # 6
        v = slack + self.b * self.y  # 9
        if self.w.any():
            j = first_above(self.w**2, self._random.uniform())  # 7
            self._charge(self.Z[:, j])
            v += self.Z[:, j] * (self.w @ self.w) / self.w[j]
        v = eta * v
        if self.clip:
            v = np.clip(v, -1.0, 1.0)  # 10, times eta
        self.q *= 1.0 - v + v * v  # 11
        self.q = np.ldexp(self.q, -int(np.frexp(self.q.max())[1]))  # by a power of two: equal weights stay equal
        self.total_w += self.w
        self.total_b += self.b
        self.total_slack += slack

    def _charge(self, vector: Vector) -> None:
        self.feature_accesses += int(np.count_nonzero(vector))
        self.feature_accesses_dense += len(vector)

    @property
    def distribution(self) -> Vector:
        """p, (n,)."""
        return self.q / self.q.sum()

    @property
    def mean_w(self) -> Vector:
        """(1/t) sum w_s."""
        return self.total_w / self.t

    @property
    def mean_b(self) -> float:
        """(1/t) sum b_s."""
        return self.total_b / self.t

    @property
    def mean_slack(self) -> Vector:
        """(1/t) sum xi_s."""
        return self.total_slack / self.t


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


NUS = [0.0, 0.03, 0.5, 1.0]


def core(p: Problem, seed: int = 0, horizon: int = 0, iterations: int = 0, **flags: bool) -> _core.Simba:
    made = _core.Simba(p.features, nu=p.require_nu(), bias=p.bias, horizon=horizon, seed=seed, **flags)
    made.advance(iterations=iterations)
    return made


def naive(p: Problem, seed: int = 0, horizon: int = 0, **flags: bool) -> Simba:
    X, y = feature_values(p), p.y.astype(np.float64)
    return Simba(X, y, p.require_nu(), p.bias, seed, horizon, **flags)


def costs(simba: _core.Simba) -> tuple[int, ...]:
    counters = simba.counters
    return counters.iterations, counters.presentations, counters.feature_accesses, counters.feature_accesses_dense


def many() -> tuple[Array, Array]:
    """More points than fit one node of a tree or one look at the slack's level; a third of them are twice there."""
    X, y = ball(700, 12, zeros=0.7)
    return np.concatenate([X, X[100:400]]), np.concatenate([y, y[100:400]])


READINGS: dict[str, dict[str, bool]] = {
    "usual": {},
    "printed rate": {"printed_rate": True},
    "no clipping": {"clip": False},
    "both": {"printed_rate": True, "clip": False},
}
REPLAYS = [
    *((kind, nu, bias, 0, "usual") for kind in ("dense", "csr") for nu in NUS for bias in (False, True)),
    *((kind, nu, bias, 300, "usual") for kind, nu, bias in (("dense", 0.03, True), ("csr", 0.5, False))),
    *(("many", nu, nu == 0.2, 0, "usual") for nu in (0.01, 0.2, 0.7)),
    *(("csr", nu, nu > 0.0, 0, reading) for nu in (0.0, 0.1) for reading in list(READINGS)[1:]),
]


@pytest.mark.parametrize(("kind", "nu", "bias", "horizon", "reading"), REPLAYS)
def test_replay(kind: str, nu: float, bias: bool, horizon: int, reading: str) -> None:
    """The same draws, weights, distribution, bias, mean and costs as plain numpy, at every iteration."""
    X, y = many() if kind == "many" else ball(40, 6, 5, zeros=0.6 if kind == "csr" else 0.0, apart=1.0)
    p, flags = linear(X, y, nu, bias=bias, as_csr=kind != "dense"), READINGS[reading]
    slow, fast = naive(p, 5, horizon, **flags), core(p, 5, horizon, **flags)
    biased = 0
    for t in range(1, 301):
        slow.step()
        fast.advance(iterations=t)
        biased += slow.b != 0.0
        where = f"iteration {t}"
        assert costs(fast) == (t, t, slow.feature_accesses, slow.feature_accesses_dense), where
        np.testing.assert_allclose(fast.distribution(), slow.distribution, rtol=1e-8, atol=1e-300, err_msg=where)
        np.testing.assert_allclose(fast.last_weights(), slow.w, rtol=1e-8, atol=1e-12, err_msg=where)
        np.testing.assert_allclose(fast.weights(), slow.mean_w, rtol=1e-9, atol=1e-12, err_msg=where)
        assert fast.bias == pytest.approx(slow.mean_b, abs=1e-12)
    assert biased > 250 if bias else biased == 0
    usual = core(p, 5, horizon, 300)
    assert (reading == "usual") == np.allclose(fast.distribution(), usual.distribution())


def test_without_clipping_no_weight_overflows() -> None:
    """A coordinate whose weight is tiny is drawn now and then; its estimates are huge."""
    X, y = ball(60, 30, zeros=0.3)
    X *= np.geomspace(1.0, 1e-6, 30, dtype=np.float32)
    simba = core(linear(X, y, 0.05), clip=False)
    for t in range(1000, 50_001, 1000):
        simba.advance(iterations=t)
        assert simba.distribution().sum() == pytest.approx(1.0)
    assert np.isfinite(simba.weights()).all()


@pytest.mark.parametrize("horizon", [0, 8_000])
def test_the_mean_is_that_of_all_iterates(horizon: int) -> None:
    """Kept lazily, summed up naively."""
    X, y = ball(50, 15, zeros=0.7, apart=1.0)
    simba = core(linear(X, y, bias=True, as_csr=True), 2, horizon)
    total = np.zeros(15)
    for t in range(1, 8_001):
        simba.advance(iterations=t)
        total += simba.last_weights()
    assert np.linalg.norm(simba.last_weights()) == pytest.approx(1.0)
    np.testing.assert_allclose(simba.weights(), total / 8_000, rtol=0, atol=1e-11)


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
    return optimum(X.astype(np.float64), y, nu, bias=bias).lower


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
        values = [saddle_value(Z @ run.weights() + run.bias * labels, n * nu) for run in runs]
        assert max(values) <= best + 1e-6, "nothing in the ball has a higher value"
        shortfalls.append(best - float(np.mean(values)))
        assert shortfalls[-1] <= np.sqrt(np.log(n) / T), f"T = {T}"
    assert shortfalls[2] <= 0.2 * max(shortfalls[0], 0.1)  # 25 times shorter at the theorem's rate
    assert shortfalls[2] <= 0.02


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
@settings(max_examples=60)
def test_any_data(X: Array, nu: float, bias: bool, horizon: int, as_csr: bool, seed: int) -> None:
    X = X / np.float32(max(1.0, np.linalg.norm(X, axis=1).max() * 1.0001))
    y = np.where(np.arange(len(X)) % 2 == 0, 1, -1)
    assume(np.abs(X).max() > 1e-3 or not X.any())  # smaller points are refused
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
    "minute": ([[2e-15, 0.0], [0.0, 2e-15]], [1, -1]),
}


@pytest.mark.parametrize("name", DEGENERATE)
def test_long_runs_on_little_data(name: str) -> None:
    """200,000 iterations: some of p would be far below the smallest number by then; it could still come back."""
    X, y = (np.array(values) for values in DEGENERATE[name])
    for k, (nu, bias) in enumerate(product((0.0, 0.3, 1.0), (False, True))):
        p = linear(X.astype(np.float32), y, nu, bias=bias, as_csr=True)
        points, labels = feature_values(p), p.y.astype(np.float64)
        Z = labels[:, None] * points
        best = optimum(points, labels, nu, bias=bias).lower
        simba = core(p, 1, (0, 200_000, 200_000, 0)[k % 4], 200_000)
        check_sound(simba)
        assert simba.distribution().min() > 0.0
        value = saddle_value(Z @ simba.weights() + simba.bias * labels, p.n * nu)
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
