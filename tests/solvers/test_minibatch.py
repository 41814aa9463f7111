"""Mini-batch Pegasos and SDCA: replays, the paper's example, Lemma 1, bounds, convergence.

`cpp/tests/test_minibatch.cpp` has the bits on any number of threads.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import Array, core_of, dense, folded, lower_bound, optimum, points, primal, run, solver, stored, weights
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from svm_cost_curves.solvers import Limit, Linear, Problem, Solver, _core
from svm_cost_curves.solvers import spectrum as module
from svm_cost_curves.solvers.minibatch import Averaging, Variant
from svm_cost_curves.solvers.spectrum import beta, spectral_norm

N, D = 40, 7
LARGE, B = 600, 320
KINDS = {"dense": (40, 1.0), "few": (200, 0.15), "many": (4000, 0.012)}
"""Features and the share of them that is not zero. The core shares `dense` and `few` by rows, `many` by coordinates."""
METHODS: dict[str, tuple[str, dict[str, Any]]] = {
    "pegasos": ("minibatch_pegasos", {"average": Averaging.tail}),
    "naive": ("minibatch_sdca", {"variant": Variant.naive, "average": Averaging.decaying}),
    "safe": ("minibatch_sdca", {"variant": Variant.safe}),
    "aggressive": ("minibatch_sdca", {"variant": Variant.aggressive, "average": Averaging.decaying}),
}
BY_METHOD = pytest.mark.parametrize("method", METHODS)
BY_KIND = pytest.mark.parametrize("kind", KINDS)


def subsets(n: int, b: int, seed: int) -> Iterator[Array]:
    """The subsets that the core draws."""
    drawn = _core.RandomSubsets(n, b, seed)
    while True:
        yield drawn.next()


class Pegasos:
    """Algorithm 1; Z has rows y_i x_i."""

    def __init__(self, Z: Array, lambda_: float) -> None:
        self.Z, self.lambda_, self.t = Z, lambda_, 0
        self.w = np.zeros(Z.shape[1])

    def step(self, A: Array) -> None:
        self.t += 1
        violated = self.Z[A] @ self.w < 1.0
        self.w = (1.0 - 1.0 / self.t) * self.w + self.Z[A][violated].sum(axis=0) / (self.lambda_ * self.t * len(A))


class Sdca:
    """Equation (15), and Algorithm 2 where `gamma` is given; rows of Z are at most 1 long."""

    def __init__(self, Z: Array, lambda_: float, beta: float | None, gamma: float | None = None) -> None:
        self.Z, self.lambda_, self.gamma = Z, lambda_, gamma
        self.largest = self.beta = beta
        self.alpha = np.zeros(len(Z))

    @property
    def w(self) -> Array:
        return self.alpha @ self.Z / (self.lambda_ * len(self.Z))

    def dual(self, alpha: Array) -> float:
        w = alpha @ self.Z / (self.lambda_ * len(self.Z))
        return float(alpha.mean() - 0.5 * self.lambda_ * w @ w)

    def change(self, A: Array, beta: Array | float) -> Array:
        """Clipped to the box."""
        with np.errstate(divide="ignore"):  # a row of zeros goes to its bound
            far = self.lambda_ * len(self.Z) * (1.0 - self.Z[A] @ self.w) / beta
        return np.clip(far, -self.alpha[A], 1.0 - self.alpha[A])

    def step(self, A: Array) -> None:
        squared_norms = (self.Z[A] ** 2).sum(axis=1)
        delta = self.change(A, squared_norms if self.beta is None else self.beta)
        after = self.alpha.copy()
        if self.gamma is None:
            after[A] += delta
        elif delta.any():
            rho = float(np.clip(((delta @ self.Z[A]) ** 2).sum() / (delta**2).sum(), 1.0, self.largest))
            final = self.change(A, rho)
            self.beta = self.beta**self.gamma * rho ** (1.0 - self.gamma)
            # n times what it adds to the dual objective, without the difference of two almost equal numbers
            step = final @ self.Z[A] / (self.lambda_ * len(self.Z))
            if final @ (1.0 - self.Z[A] @ self.w) <= 0.5 * self.lambda_ * len(self.Z) * step @ step:
                return
            after[A] += final
        self.alpha = after


class Average:
    """An average of iterates, each of them kept."""

    def __init__(self, kind: str) -> None:
        self.kind, self.iterates = kind, list[Array]()

    def of(self, w: Array) -> Array:
        """Take one more."""
        self.iterates.append(w)
        if self.kind == "tail":
            first = 2 ** int(np.log2(len(self.iterates))) // 2
            return np.mean(self.iterates[first:], axis=0)
        average = np.zeros_like(w)
        for iterate in self.iterates if self.kind == "decaying" else [w]:
            average = 0.9 * average + 0.1 * iterate if self.kind == "decaying" else iterate
        return average


def problem(
    n: int = N, *, zeros: float = 0.0, seed: int = 0, lambda_: float = 0.03, longest: float | None = 0.999
) -> Problem:
    """Rows as long as `longest` and shorter, stored sparsely where more than half of the features are zeros."""
    X, y = points(n, D, seed, zeros=zeros)
    if longest is not None:
        X = (X * (longest / np.linalg.norm(X, axis=1).max())).astype(np.float32)
    return Problem(X, y, Linear(), lambda_=lambda_)


@cache
def large(kind: str) -> Problem:
    """Rows at most 0.999 long, of all lengths."""
    d, share = KINDS[kind]
    rng = np.random.default_rng(1)
    X = rng.normal(size=(LARGE, d)).astype(np.float32)
    X[rng.random(X.shape) >= share] = 0.0
    y = np.where(X @ rng.normal(size=d) > 0.3 * rng.normal(size=LARGE), 1, -1).astype(np.int8)
    X *= (0.999 / np.linalg.norm(X, axis=1).max()).astype(np.float32)
    return Problem(X if kind == "dense" else sparse.csr_matrix(X), y, Linear(), lambda_=0.004)


def alpha(made: Solver) -> Array:
    return core_of(made).alpha()


def plain(p: Problem, name: str, b: int, variant: Variant | None = None) -> Pegasos | Sdca:
    """The reference of a method on a problem."""
    Z, lambda_ = folded(p), p.require_lambda()
    if name == "minibatch_pegasos":
        return Pegasos(Z, lambda_)
    divisor = None if variant is Variant.naive else beta(p, b)
    return Sdca(Z, lambda_, divisor, 0.95 if variant is Variant.aggressive else None)


def check_replay(p: Problem, name: str, b: int, steps: int, seed: int, atol: float, **algo: Any) -> None:
    """Weights, dual variables, the bound and the costs of every iteration."""
    slow, mean = plain(p, name, b, algo.get("variant")), Average(algo.get("average", Averaging.last).value)
    made, sizes, accesses = solver(name, p, seed, batch_size=b, **algo), stored(p), 0
    for t, A in zip(range(1, steps), subsets(p.n, b, seed), strict=False):
        made.advance(Limit(iterations=t))
        slow.step(A)
        w = mean.of(slow.w)
        np.testing.assert_allclose(weights(made), w, rtol=0, atol=atol * max(1.0, np.abs(w).max()), err_msg=f"{t}")
        if isinstance(slow, Sdca):
            np.testing.assert_allclose(alpha(made), slow.alpha, rtol=0, atol=1e-9, err_msg=f"{t}")
            assert lower_bound(made) == pytest.approx(slow.dual(slow.alpha), abs=1e-12)
        accesses += sizes[A].sum()
        assert astuple(made.counters) == (t, t * b, None, t * b, accesses, t * b * p.d)


@pytest.mark.parametrize("zeros", [0.0, 0.7], ids=["dense", "sparse"])
@pytest.mark.parametrize(("b", "average"), [(1, "last"), (3, "tail"), (N, "decaying")])
@BY_METHOD
def test_replay(method: str, b: int, zeros: float, average: str) -> None:
    name, algo = METHODS[method]
    check_replay(problem(zeros=zeros), name, b, 60, 3, 1e-9, **algo | {"average": Averaging(average)})


@BY_KIND
@BY_METHOD
def test_replay_of_large_batches(kind: str, method: str) -> None:
    """By three threads."""
    name, algo = METHODS[method]
    check_replay(large(kind), name, B, 13, 4, 1e-11, threads=3, **algo)


@pytest.mark.parametrize("name", ["minibatch_pegasos", "minibatch_sdca"])
@pytest.mark.parametrize("average", Averaging)
def test_averages_of_long_runs(name: str, average: Averaging) -> None:
    """Over thousands of iterations the second sum is rescaled, and stretches of the tail end."""
    p = problem()
    made, last = (solver(name, p, 1, batch_size=2, average=kind) for kind in (average, Averaging.last))
    mean, naive = Average(average.value), np.zeros(D)
    for t in range(1, 4001):
        last.advance(Limit(iterations=t))
        mean.iterates.append(weights(last))
    made.advance(Limit(iterations=4000))
    for k, w in enumerate(reversed(mean.iterates)):
        naive += 0.1 * 0.9**k * w
    expected = naive if average is Averaging.decaying else mean.of(mean.iterates.pop())
    np.testing.assert_allclose(weights(made), expected, rtol=0, atol=1e-10 * np.abs(expected).max())


def test_two_equal_examples() -> None:
    """Section 4.1: naive alternates between alpha = 0 and 1 for ever, D = 0; safe and aggressive reach D = 0.25."""
    # two copies of one example, as (x, +1) and (-x, -1): a problem needs both classes
    p = Problem(np.array([[1.0], [-1.0]], np.float32), np.array([1, -1], np.int8), Linear(), lambda_=0.5)
    assert beta(p, 2) == pytest.approx(2.0, abs=1e-12)
    naive = solver("minibatch_sdca", p, variant=Variant.naive, batch_size=2)
    for t in range(1, 101):
        naive.advance(Limit(iterations=t))
        assert alpha(naive).tolist() == [t % 2] * 2
        assert lower_bound(naive) == 0.0
    for variant in (Variant.safe, Variant.aggressive):
        made = run("minibatch_sdca", p, Limit(iterations=1), variant=variant, batch_size=2)
        assert lower_bound(made) == pytest.approx(0.25, abs=1e-12)
        assert alpha(made) == pytest.approx([0.5, 0.5], abs=1e-12)


@given(st.integers(0, 2**32 - 1), st.integers(2, 6), st.data())
@settings(deadline=None, max_examples=30)
def test_lemma_1(seed: int, n: int, data: st.DataObject) -> None:
    """E ||sum over A of delta_i z_i||^2 <= (b/n) beta_b ||delta||^2, over all subsets of b, for rows of length <= 1."""
    b = data.draw(st.integers(1, n))
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    X = (X / max(1.0, np.linalg.norm(X, axis=1).max())).astype(np.float32)
    y = np.where(np.arange(n) % 2, 1, -1).astype(np.int8)
    p = Problem(X, y, Linear(), lambda_=0.1)
    delta = rng.normal(size=n)
    Z = folded(p)
    sizes = [((delta[list(A)] @ Z[list(A)]) ** 2).sum() for A in combinations(range(n), b)]
    assert np.mean(sizes) <= b / n * beta(p, b) * (delta**2).sum() * (1 + 1e-6)


def test_beta_from_the_spectral_norm() -> None:
    p = problem(zeros=0.3)
    exact = np.linalg.norm(dense(p), 2) ** 2
    for b in (1, 2, 17, N):
        assert beta(p, b) == pytest.approx(1.0 + (b - 1) * (exact - 1.0) / (N - 1), rel=1e-6)


def test_subsets_are_uniform() -> None:
    drawn, counts = _core.RandomSubsets(5, 2, 3), dict[tuple[int, ...], int]()
    for _ in range(20_000):
        key = tuple(sorted(map(int, drawn.next())))
        counts[key] = counts.get(key, 0) + 1
    assert len(counts) == 10
    assert all(abs(times - 2000) < 5 * 42.4 for times in counts.values())


@given(st.integers(0, 2**32 - 1), st.integers(4, 40), st.sampled_from(list(Variant)), st.booleans(), st.data())
@settings(deadline=None, max_examples=40)
def test_bounds(seed: int, n: int, variant: Variant, as_sparse: bool, data: st.DataObject) -> None:
    """0 <= alpha <= 1 after every step, D <= P, and aggressive steps never lower D; rows of any length."""
    p = problem(n, seed=seed, zeros=0.8 if as_sparse else 0.1, longest=None)
    made = solver("minibatch_sdca", p, seed, variant=variant, batch_size=data.draw(st.integers(1, n)))
    before = 0.0
    for t in range(1, 30):
        made.advance(Limit(iterations=t))
        bound = lower_bound(made)
        assert alpha(made).min() >= 0.0
        assert alpha(made).max() <= 1.0
        assert bound <= primal(p, weights(made)) + 1e-9
        if variant is Variant.aggressive:
            assert bound >= before - 1e-12
        before = bound


def test_a_step_that_would_not_raise_the_dual_is_refused() -> None:
    """From a state that a search has found: it hardly ever happens."""
    X = np.eye(2, dtype=np.float32)[[1, 0, 1, 0, 0, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1]]
    p = Problem(X, np.repeat([1, -1], [8, 7]).astype(np.int8), Linear(), lambda_=1.0 / 15)
    made = solver("minibatch_sdca", p, 116, batch_size=13)
    core = core_of(made)
    before = np.array([0.23, 0.0, 0.88, 0.7, 0.0, 0.69, 0.23, 0.0, 0.06, 0.26, 0.03, 0.92, 0.65, 0.13, 0.01])
    slow = Sdca(folded(p), p.lambda_, beta(p, 13), 0.95)
    slow.alpha = before
    core.restore(core.state() | {"alpha": before, "sum": before @ folded(p)})
    dual = lower_bound(made)
    made.advance(Limit(iterations=1))
    slow.step(next(subsets(15, 13, 116)))
    assert core.refused == 1
    assert alpha(made).tobytes() == before.tobytes() == slow.alpha.tobytes()
    assert lower_bound(made) == dual
    assert core.beta == pytest.approx(slow.beta)


@pytest.mark.parametrize("method", ["pegasos", "safe", "aggressive"])
@pytest.mark.parametrize("zeros", [0.0, 0.7], ids=["dense", "sparse"])
@pytest.mark.parametrize("b", [1, 8, N])
def test_converges(b: int, zeros: float, method: str) -> None:
    name, algo = METHODS[method]
    p = problem(zeros=zeros, longest=0.999 if method == "pegasos" else None)
    made = run(name, p, Limit(iterations=2**16), batch_size=b, **algo)
    accuracy = 2e-3 if method == "pegasos" else 1e-5
    assert primal(p, weights(made)) == pytest.approx(optimum(p), rel=accuracy)
    assert method == "pegasos" or lower_bound(made) == pytest.approx(optimum(p), rel=1e-5)


def test_long_rows_give_a_remark_and_the_same_result() -> None:
    """Dividing rows by 4 and lambda by 16 is the same problem: the weights are 4 times as long."""
    long = problem(longest=4.0, lambda_=0.48)
    unit = Problem((long.X / 4.0).astype(np.float32), long.y, Linear(), lambda_=0.03)
    for variant in (Variant.safe, Variant.aggressive):
        runs = [run("minibatch_sdca", p, Limit(iterations=50), variant=variant, batch_size=5) for p in (long, unit)]
        np.testing.assert_allclose(4.0 * weights(runs[0]), weights(runs[1]), rtol=1e-6)
        assert "divided by 4" in runs[0].remarks[0]
        assert runs[1].remarks == ()


def test_a_row_of_zeros() -> None:
    X, y = points(N, D)
    X[5] = 0.0
    p = Problem(X, y, Linear(), lambda_=0.03)
    for variant in Variant:
        made = run("minibatch_sdca", p, Limit(iterations=3000), variant=variant, batch_size=3)
        assert alpha(made)[np.flatnonzero(p.order == 5)[0]] == 1.0


# The largest singular value, which beta needs


@pytest.mark.parametrize("shape", [(3, 2), (90, 30), (50, 200)])
@pytest.mark.parametrize("as_csr", [False, True], ids=["dense", "csr"])
def test_agrees_with_numpy(shape: tuple[int, int], as_csr: bool, tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    norm = spectral_norm(sparse.csr_matrix(X) if as_csr else X, tmp_path)
    exact = np.linalg.norm(X.astype(np.float64), 2) ** 2
    assert abs(norm.squared - exact) <= norm.error + 1e-9 * exact
    assert norm.upper >= exact * (1 - 1e-9)
    assert norm.error <= 1e-6 * exact


def test_is_computed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.random.default_rng(0).normal(size=(100, 80)).astype(np.float32)
    first = spectral_norm(X, tmp_path)
    (file,) = tmp_path.iterdir()
    monkeypatch.setattr(module, "_computed", lambda X: pytest.fail("computed again"))
    assert spectral_norm(X, tmp_path) == first
    monkeypatch.undo()
    file.write_text("{")  # a file that another process left half written
    assert spectral_norm(X, tmp_path) == first
    assert spectral_norm(2 * X, tmp_path).squared == pytest.approx(4 * first.squared)


def test_a_folder_that_cannot_be_written_costs_time_only(tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(90, 80)).astype(np.float32)
    (tmp_path / "file").write_text("")
    assert spectral_norm(X, tmp_path / "file" / "folder") == spectral_norm(X, tmp_path)
