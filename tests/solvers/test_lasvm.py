"""LASVM: a step-by-step replay, what finishing leaves, costs, the expansion.

`cpp/tests/test_expansion.cpp` and `test_resume.cpp` have row caches of any size.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field

import numpy as np
import pytest
from cases import BIAS, BY_KERNEL, STORAGE, coefficients, core_of, dual, gram, points, problem, run, solver
from reference import Vector
from scipy import sparse

from svm_cost_curves.solvers import Gaussian, Kernel, Limit, Problem, Status, _core

TIED = 1e-9


@dataclass
class Lasvm:
    """PROCESS and REPROCESS of the paper's section 3.2; alpha is signed, g = y - K alpha is computed in full each time.

    A step leaves its two examples equally steep, so that rounding decides which of them comes next: where members are
    tied, all that may follow is returned.
    """

    K: Vector
    y: Vector
    C: float
    bias: bool
    tau: float
    members: set[int] = field(default_factory=set)
    evaluations: int = 0
    alpha: Vector = field(init=False)

    def __post_init__(self) -> None:
        self.alpha = np.zeros(len(self.y))
        self.low = np.where(self.y > 0, 0.0, -self.C)
        self.high = np.where(self.y > 0, self.C, 0.0)

    @property
    def g(self) -> Vector:
        """Slopes of all examples; the method reads those of members only."""
        return np.asarray(self.y - self.K @ self.alpha)

    def ends(self) -> tuple[list[int], list[int]]:
        """Members of the largest slope that may rise, and those of the smallest that may fall."""
        g, inside = self.g, sorted(self.members)
        up = [s for s in inside if self.alpha[s] < self.high[s]]
        down = [s for s in inside if self.alpha[s] > self.low[s]]
        top, bottom = max(g[up], default=-np.inf), min(g[down], default=np.inf)
        return [s for s in up if g[s] >= top - TIED], [s for s in down if g[s] <= bottom + TIED]

    @property
    def delta(self) -> float:
        """The largest violation among members."""
        g = self.g
        if self.bias:
            up, down = self.ends()
            return float(g[up[0]] - g[down[0]]) if up and down else -np.inf
        moves = self.moves()
        return float(max((abs(g[s]) for s in self.members if moves[s] != 0.0), default=0.0))

    def moves(self) -> Vector:
        """The clipped step along each coordinate."""
        free = self.alpha + self.g / np.maximum(np.diag(self.K), 1e-12)
        return np.clip(free, self.low, self.high) - self.alpha

    def along(self, i: int, j: int) -> Lasvm:
        """After the clipped step along a pair; it asks for two rows."""
        after = copy.copy(self)
        after.alpha = self.alpha.copy()
        curvature = self.K[i, i] + self.K[j, j] - 2.0 * self.K[i, j]
        step = min((self.g[i] - self.g[j]) / curvature, self.high[i] - self.alpha[i], self.alpha[j] - self.low[j])
        after.alpha[i] += step
        after.alpha[j] -= step
        after.evaluations += 2 * len(self.members)
        return after

    def alone(self, s: int) -> Lasvm:
        """After the clipped step along one coordinate; it asks for one row."""
        after = copy.copy(self)
        after.alpha = self.alpha.copy()
        after.alpha[s] += self.moves()[s]
        after.evaluations += len(self.members)
        return after

    def process(self, k: int) -> list[Lasvm]:
        """Take a fresh example in: a row before it is a member, which a step does not ask for again."""
        if k in self.members:
            return [self]
        taken = copy.copy(self)
        taken.members = self.members | {k}
        taken.evaluations += len(self.members)
        g, up = self.g, self.y[k] > 0
        if not self.bias:
            followers = [taken.alone(k)] if self.y[k] * g[k] > self.tau else []
        else:
            tops, bottoms = taken.ends()
            pairs = [(k, j) for j in bottoms] if up else [(i, k) for i in tops]
            followers = [taken.along(i, j) for i, j in pairs if g[i] - g[j] > self.tau]
        for after in followers:
            after.evaluations -= len(taken.members)
        return followers or [taken]

    def reprocess(self) -> list[Lasvm]:
        """Improve the expansion, and drop members that no violating pair can have."""
        if not self.delta > self.tau:
            followers = [copy.copy(self)]
        elif self.bias:
            tops, bottoms = self.ends()
            followers = [self.along(i, j) for i in tops for j in bottoms]
        else:
            steps, g = self.moves(), self.g
            gains = {s: steps[s] * (g[s] - 0.5 * steps[s] * self.K[s, s]) for s in self.members}
            followers = [self.alone(s) for s in self.members if gains[s] >= max(gains.values()) - TIED]
        for after in followers:
            after.drop()
        return followers

    def drop(self) -> None:
        """Members without weight leave that could neither rise nor fall in a violating pair."""
        g, (tops, bottoms) = self.g, self.ends()
        above = (g[tops[0]] if tops else -np.inf) if self.bias else 0.0
        below = (g[bottoms[0]] if bottoms else np.inf) if self.bias else 0.0
        idle = {s for s in self.members if self.alpha[s] == 0.0}
        self.members = self.members - {s for s in idle if (g[s] <= below if self.y[s] > 0 else g[s] >= above)}


def seeds_of(p: Problem, seed: int) -> set[int]:
    """Five of each class by the sampling stream, without repetitions."""
    stream, chosen = _core.Random(seed, _core.Purpose.sampling), set[int]()
    for first, count in ((0, p.positives), (p.positives, p.n - p.positives)):
        seeds = set[int]()
        while len(seeds) < min(5, count):
            seeds.add(first + stream.below(count))
        chosen |= seeds
    return chosen


@STORAGE
@BY_KERNEL
@BIAS
def test_replay(kernel: Kernel, bias: bool, as_csr: bool) -> None:
    """Every iteration of a pass and of finishing: alphas, members, evaluations, coordinates."""
    p = problem(80, 5, kernel=kernel, bias=bias, as_csr=as_csr, zeros=0.5, lambda_=1.0 / 160)
    made = solver("lasvm", p, 7)
    slow = Lasvm(gram(p), p.y.astype(np.float64), p.C, bias, 1e-3, seeds_of(p, 7) if bias else set())
    order = _core.Random(7, _core.Purpose.order).permutation(p.n)

    def follow(t: int, slow: Lasvm, followers: list[Lasvm]) -> Lasvm:
        """The next state of the core among the allowed ones."""
        made.advance(Limit(iterations=t))
        alpha = coefficients(made)
        differences = [float(np.abs(alpha - after.alpha).max()) for after in followers]
        assert min(differences) < 1e-9, f"iteration {t}"
        slow = followers[int(np.argmin(differences))]
        assert core_of(made).expansion == len(slow.members)
        assert made.counters.kernel_evaluations == slow.evaluations
        slow.alpha = alpha  # so that rounding does not add up
        assert np.all((alpha >= slow.low) & (alpha <= slow.high))
        assert not bias or abs(alpha.sum()) < 1e-12 * p.C * p.n
        return slow

    for t, k in enumerate(order.tolist(), start=1):
        slow = follow(t, slow, [after for first in slow.process(k) for after in first.reprocess()])
        assert made.counters.presentations == t
    assert core_of(made).finishing
    t = p.n
    while slow.delta > 1e-3 and t < p.n + 60:
        t += 1
        slow = follow(t, slow, slow.reprocess())
    assert t > p.n
    assert made.counters.presentations == p.n + (2 if bias else 1) * (t - p.n)
    assert made.counters.feature_accesses_dense == slow.evaluations * p.d
    if not as_csr:
        assert made.counters.feature_accesses == slow.evaluations * p.d


@BIAS
def test_costs_in_coordinates_are_those_of_the_members(bias: bool) -> None:
    """Points of one stored coordinate each: as many coordinates as evaluations."""
    X = np.zeros((40, 4), np.float32)
    X[np.arange(40), np.arange(40) % 4] = np.random.default_rng(0).normal(size=40)
    _, y = points(40)
    p = Problem(sparse.csr_matrix(X), y, Gaussian(1.0), lambda_=1.0 / 40, bias=bias)
    counters = run("lasvm", p).counters
    assert counters.feature_accesses == counters.kernel_evaluations == counters.inner_products
    assert counters.kernel_evaluations > 0


@BIAS
def test_finishing_ends_where_no_member_violates_and_counts_nothing_more(bias: bool) -> None:
    p = problem(150, bias=bias, lambda_=1.0 / 300)
    made = solver("lasvm", p, tolerance=1e-6)
    assert made.advance(Limit(iterations=10**6)) is Status.CONVERGED
    snapshot = made.snapshot()
    assert snapshot.dual_feasible
    assert snapshot.responses is None
    members = np.flatnonzero(snapshot.coefficients)
    assert core_of(made).expansion >= members.size
    slow = Lasvm(gram(p), p.y.astype(np.float64), p.C, bias, 1e-6, set(members.tolist()))
    slow.alpha = snapshot.coefficients
    assert slow.delta <= 1e-6 + 1e-12
    before = made.counters
    assert made.advance(Limit()) is Status.CONVERGED
    assert made.counters == before


@BIAS
def test_more_passes_reduce_the_gap(bias: bool) -> None:
    p = problem(300, bias=bias, lambda_=1.0 / 1500, flips=0.2)
    best = dual(p, run("smo", p, tolerance=1e-8))
    gaps = [1.0 - dual(p, run("lasvm", p, passes=k, tolerance=1e-6)) / best for k in (1, 3, 0)]
    assert gaps[0] >= gaps[1] - 1e-9
    assert abs(gaps[2]) < 1e-8


def test_delta_max_bounds_what_a_fresh_example_meets() -> None:
    """REPROCESS goes on until delta is small enough, at iterations of its own."""
    p = problem(100, bias=True, lambda_=1.0 / 500)
    K, y = gram(p), p.y.astype(np.float64)
    made = solver("lasvm", p, 3, delta_max=0.5)
    t = presented = 0
    deltas: list[float] = []
    slow = Lasvm(K, y, p.C, True, 1e-3)
    while not core_of(made).finishing:
        t += 1
        made.advance(Limit(iterations=t))
        now = made.counters.presentations or 0
        if now - presented == 1 and t > 1:
            deltas.append(slow.delta)
        presented = now
        slow.alpha = coefficients(made)
        slow.members = set(np.flatnonzero(slow.alpha).tolist())
    assert len(deltas) == p.n - 1
    assert max(deltas) <= 0.5 + 1e-9
    assert t > p.n


@BIAS
@pytest.mark.parametrize("share", [0.3, 1.0])
def test_drop_below_changes_the_predictor_and_not_the_training(bias: bool, share: float) -> None:
    p = problem(100, bias=bias, lambda_=1.0 / 500)
    whole, made = solver("lasvm", p, 3), solver("lasvm", p, 3, drop_below=share)
    dropped = 0
    for t in (0, 30, 90, 150):
        whole.advance(Limit(iterations=t))
        made.advance(Limit(iterations=t))
        full, reduced = whole.snapshot(), made.snapshot()
        size = np.abs(full.coefficients)
        expected = [c if s >= share * size.max() else 0.0 for c, s in zip(full.coefficients, size, strict=True)]
        np.testing.assert_array_equal(reduced.coefficients, expected)
        assert (reduced.bias, reduced.responses) == (full.bias, None)
        assert reduced.dual_feasible is not bias
        assert made.counters == whole.counters
        dropped += np.count_nonzero(full.coefficients) - np.count_nonzero(reduced.coefficients)
    assert dropped > 0
    assert core_of(made).coefficients().tobytes() == core_of(whole).coefficients().tobytes()


def test_an_example_is_a_member_once() -> None:
    """With passes = 0 an outsider that has stayed in the expansion with alpha = 0 must not join it again."""
    cases = [(656, 16, 0.3, 0.1, 0.01), (684, 30, 0.3, 1.0, 0.01), (1022, 30, 0.8, 0.1, 0.01)]
    cases += [(seed, 12, 0.3, 0.1, 0.01) for seed in range(15)]
    for seed, n, tolerance, C, gamma in cases:
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(n, 2)).astype(np.float32)
        if seed % 2:
            X[: n // 2] += np.float32(0.5)
        kernel = _core.KernelFunction(_core.KernelFunction.Kind.gaussian, gamma=gamma)
        rows = _core.CachedRows(kernel, _core.Matrix(X), n // 2, n)
        made = _core.Lasvm(rows, C=C, bias=True, tolerance=tolerance, passes=0, seed=seed)
        step = 0
        while made.counters.iterations == step:
            step += 1
            ended = made.advance(iterations=step) == _core.Status.converged
            state = made.state()
            members, alpha = state["expansion.members"], state["alpha"]
            assert len(set(members.tolist())) == len(members), (seed, step)
            assert np.array_equal(made.coefficients()[members], alpha)
            if ended:
                break
        assert ended, (seed, step)
        assert abs(made.coefficients().sum()) <= 1e-12
