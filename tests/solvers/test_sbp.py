"""The Stochastic Batch Perceptron: every step replayed in numpy, draws, projections, convergence."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from cases import core_of, core_rows, gram, problem, run, solver
from reference import Matrix, Vector
from scipy import stats

from svm_cost_curves.solvers import Limit, Linear, Problem, _core, derive_nu
from svm_cost_curves.solvers.sbp import Draws


@dataclass
class Sbp:
    """Algorithm 1 with a given sequence of draws; the average is summed up naively."""

    K: Matrix
    y: Vector
    eta0: float = 1.0
    t: int = 0
    r2: float = 0.0
    shrunk: float = 1.0
    alpha: Vector = field(init=False)
    c: Vector = field(init=False)
    total: Vector = field(init=False)

    def __post_init__(self) -> None:
        self.alpha, self.c, self.total = np.zeros((3, len(self.y)))

    def step(self, draws: list[tuple[int, float]]) -> None:
        """One iteration that adds `weight * eta` to each drawn alpha."""
        self.t += 1
        added = np.zeros_like(self.alpha)
        for i, weight in draws:
            added[i] += weight * self.eta0 / np.sqrt(self.t)
        self.r2 += 2.0 * added @ self.c + (added * self.y) @ self.K @ (added * self.y)
        self.alpha += added
        self.c += self.y * (self.K @ (self.y * added))
        if self.r2 > 1.0:
            scale = 1.0 / np.sqrt(self.r2)
            self.alpha *= scale
            self.c *= scale
            self.shrunk *= scale
            self.r2 = 1.0
        self.total += self.alpha

    @property
    def average(self) -> Vector:
        """(1/T) sum_t y alpha^(t)."""
        return self.y * self.total / self.t


def drawn(before: Vector, now: Vector, members: slice) -> int:
    """Index in its class of the alpha that grew, from successive iterates (n,), apart by a step and a common factor."""
    new = np.flatnonzero((before[members] <= 0.0) & (now[members] > 0.0))
    if new.size:
        return int(new[0]) + (members.start or 0)
    big = before > 1e-3 * before.max()
    factor = np.min(now[big] / before[big])
    growth = np.where(now[members] > 0.0, now[members] - factor * before[members], -np.inf)
    return int(np.argmax(growth)) + (members.start or 0)


PAIRS, SINGLE = Draws.pairs, Draws.single


def levels(p: Problem, c: np.ndarray) -> tuple[float, float]:
    return _core.water_levels(c, p.positives, p.n * p.require_nu(), p.bias)


@pytest.mark.parametrize(
    ("settings", "algo"),
    [
        ({"nu": 0.1}, {}),
        ({"nu": 0.0}, {}),
        ({"nu": 5.0}, {}),
        ({"nu": 0.05, "flips": 0.0}, {"eta": 4.0}),
        ({"nu": 0.1, "bias": True}, {"draws": PAIRS}),
        ({"nu": 0.1, "bias": True}, {"draws": SINGLE}),
        ({"nu": 0.0, "bias": True}, {"draws": PAIRS}),
        ({"nu": 0.02, "bias": True, "flips": 0.0}, {"draws": PAIRS, "eta": 4.0}),
    ],
    ids=["plain", "nu=0", "all covered", "long steps", "pairs", "single", "pairs nu=0", "pairs long steps"],
)
def test_replay(settings: dict[str, Any], algo: dict[str, Any]) -> None:
    """Each drawn point was covered, each iterate and the average equal the naive computation."""
    p = problem(60, **settings)
    y = p.y.astype(np.float64)
    sbp = solver("sbp", p, seed=3, **algo)
    slow = Sbp(gram(p), y, eta0=algo.get("eta") or 1.0)
    two = p.bias and algo.get("draws") is PAIRS
    classes = [slice(0, p.positives), slice(p.positives, None)]
    chosen = set()
    before = np.zeros(p.n)
    for t in range(1, 2001 if "eta" in algo else 601):
        sbp.advance(Limit(iterations=t))
        total = t * y * sbp.snapshot().coefficients
        alpha = total - slow.total
        members = classes if two else [slice(0, None)]
        draws = [drawn(before, alpha, part) for part in members]
        up, down = levels(p, slow.c)
        assert core_of(sbp).level == pytest.approx(0.5 * (up + down), abs=1e-8), f"iteration {t}"
        for i in draws:
            assert slow.c[i] <= (up if i < p.positives else down) + 1e-9, f"iteration {t}: {i} was not covered"
        slow.step([(i, 1.0 / len(draws)) for i in draws])
        np.testing.assert_allclose(alpha, slow.alpha, rtol=0, atol=1e-7, err_msg=f"iteration {t}")
        before = slow.alpha.copy()
        chosen.update(draws)
    np.testing.assert_allclose(sbp.snapshot().coefficients, slow.average, rtol=0, atol=1e-11)
    assert slow.r2 == pytest.approx((slow.alpha * y) @ slow.K @ (slow.alpha * y), abs=1e-9)
    assert slow.r2 <= 1.0 + 1e-9
    assert len(chosen) > 5
    if "eta" in algo:
        assert slow.shrunk < 1e-12, "the run was meant to fold its scale into the arrays at least twice"


@pytest.mark.parametrize(("bias", "draws"), [(False, PAIRS), (True, PAIRS), (True, SINGLE)])
def test_draws_where_responses_are_equal_to_the_level(bias: bool, draws: Draws) -> None:
    """With bias p = q below the level and 0 <= p <= q at it, with one q for both classes (section 3.2).

    The levels are 1 and 0.75, and both basins cover two points: 0 and a third of each 1; 0 and 0.5. Without bias the
    level is 0.8, and the three points below it are equally likely.
    """
    c = np.array([0.0, 1.0, 1.0, 1.0, 0.0, 0.5, 2.0, 3.0])
    expected = np.array([3.0, 1.0, 1.0, 1.0, 3.0, 3.0, 0.0, 0.0] if bias else c < 0.8, np.float64)
    volume = 2.0 if bias else 1.9
    assert _core.water_levels(c, 4, volume, bias) == pytest.approx((1.0, 0.75) if bias else (0.8, 0.8))
    rows = core_rows(np.eye(8), 4)
    times = np.zeros(8)
    for seed in range(2500):
        first, second = (_core.Sbp(rows, nu=volume / 8, bias=bias, pairs=draws is PAIRS, seed=seed) for _ in range(2))
        second.restore(first.state() | {"v": c})
        second.advance(iterations=1)
        times += second.coefficients() != 0.0
    assert not times[expected == 0.0].any()
    for members in (slice(0, 4), slice(4, 6)) if bias else (expected > 0.0,):
        counts, share = times[members], expected[members]
        assert stats.chisquare(counts, counts.sum() * share / share.sum()).pvalue > 1e-4


@pytest.mark.parametrize("bias", [False, True])
def test_single_and_pair_draws_take_half_their_steps_in_each_class(bias: bool) -> None:
    if not bias:
        sbp = run("sbp", problem(50), Limit(iterations=400))
        assert sbp.counters.presentations == 400
        return
    p = problem(50, bias=True)
    first = [run("sbp", p, Limit(iterations=1), seed, draws=SINGLE).snapshot().coefficients for seed in range(400)]
    positive = sum(bool(np.any(c > 0)) for c in first)
    assert 150 < positive < 250, "single draws choose the class with even odds, however many points it has"
    pair = run("sbp", p, Limit(iterations=1), draws=PAIRS).snapshot().coefficients
    assert sorted(pair[pair != 0.0]) == [-0.5, 0.5]


@pytest.mark.parametrize(
    ("bias", "draws"), [(False, PAIRS), (True, PAIRS), (True, SINGLE)], ids=["no bias", "pairs", "single"]
)
def test_converges_to_the_optimum(bias: bool, draws: Draws) -> None:
    """The water level of the average iterate rises to that of SMO's optimum, at nu derived from lambda (Lemma 2.1)."""
    p = problem(80, lambda_=1.0 / 160, bias=bias, nu=None)
    K, y = gram(p), p.y.astype(np.float64)
    optimum = run("smo", p, tolerance=1e-9).snapshot()
    nu = derive_nu(p, relative_gap=1e-9)
    volume = nu * p.n
    norm = np.sqrt(optimum.coefficients @ K @ optimum.coefficients)
    best = 0.5 * sum(_core.water_levels(optimum.responses / norm, p.positives, volume, bias))
    assert best > 0.0
    gaps = []
    for iterations in (100, 1000, 10_000):
        values = []
        for seed in range(5):
            core = _core.Sbp(p.rows.source, nu=nu, bias=bias, pairs=draws is PAIRS, seed=seed)
            core.advance(iterations=iterations)
            average = core.coefficients()
            assert average @ K @ average <= 1.0 + 1e-9
            values.append(0.5 * sum(_core.water_levels(y * (K @ average), p.positives, volume, bias)))
        gaps.append(best - np.mean(values))
        assert gaps[-1] >= -1e-6, "no predictor of norm 1 has a higher level than the optimum"
    assert gaps[1] < 0.5 * gaps[0]
    assert gaps[2] < 0.5 * gaps[1]
    assert gaps[2] < 0.05 * best


def test_step_scale_defaults_to_the_largest_norm() -> None:
    p = problem(40, kernel=Linear())
    default = run("sbp", p, Limit(iterations=200)).snapshot().coefficients
    largest = float(np.max(p.rows.source.diagonal))
    given = run("sbp", p, Limit(iterations=200), eta=1.0 / np.sqrt(largest)).snapshot().coefficients
    np.testing.assert_array_equal(default, given)
    assert not np.array_equal(default, run("sbp", p, Limit(iterations=200), eta=1.0).snapshot().coefficients)
