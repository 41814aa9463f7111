"""Mini-batch Pegasos and SDCA: replay, the paper's example, Lemma 1, costs, convergence."""

from __future__ import annotations

from itertools import combinations

import minibatch_reference as reference
import numpy as np
import pytest
from cases import Array, points, run, solver
from hypothesis import given, settings
from hypothesis import strategies as st
from linear_reference import folded, lower_bound, optimum, primal, weights
from scipy import sparse

from svm_cost_curves.solvers import Limit, Linear, Problem, SettingsError, _core
from svm_cost_curves.solvers.minibatch import Averaging, Variant
from svm_cost_curves.solvers.spectrum import beta

N, D = 40, 7


def problem(
    n: int = N, *, zeros: float = 0.0, seed: int = 0, lambda_: float = 0.03, longest: float | None = 0.999
) -> Problem:
    """Rows as long as `longest` and shorter, stored sparsely where more than half of the features are zeros."""
    X, y = points(n, D, seed, zeros=zeros)
    if longest is not None:
        X = (X * (longest / np.linalg.norm(X, axis=1).max())).astype(np.float32)
    return Problem(X, y, Linear(), lambda_=lambda_)


def alpha(made: object) -> Array:
    core = made._core  # type: ignore[attr-defined]
    assert isinstance(core, _core.MiniBatchSdca)
    return core.alpha()


@pytest.mark.parametrize("average", Averaging)
@pytest.mark.parametrize("zeros", [0.0, 0.7], ids=["dense", "sparse"])
@pytest.mark.parametrize("b", [1, 3, N])
def test_pegasos_replay(b: int, zeros: float, average: Averaging) -> None:
    p = problem(zeros=zeros)
    plain, mean = reference.Pegasos(folded(p), 0.03), reference.Average(average.value)
    made = solver("minibatch_pegasos", p, 6, batch_size=b, average=average)
    for t, A in zip(range(1, 70), reference.subsets(N, b, 6), strict=False):
        made.advance(Limit(iterations=t))
        plain.step(A)
        w = mean.of(plain.w)
        np.testing.assert_allclose(weights(made), w, rtol=0, atol=1e-12 * np.abs(w).max(initial=1e-300), err_msg=f"{t}")


@pytest.mark.parametrize("average", Averaging)
@pytest.mark.parametrize("variant", Variant)
@pytest.mark.parametrize("zeros", [0.0, 0.7], ids=["dense", "sparse"])
@pytest.mark.parametrize("b", [1, 3, N])
def test_sdca_replay(b: int, zeros: float, variant: Variant, average: Averaging) -> None:
    p = problem(zeros=zeros)
    own = None if variant is Variant.naive else beta(p, b)
    plain = reference.Sdca(folded(p), 0.03, own, 0.95 if variant is Variant.aggressive else None)
    mean = reference.Average(average.value)
    made = solver("minibatch_sdca", p, 3, batch_size=b, variant=variant, average=average)
    for t, A in zip(range(1, 50), reference.subsets(N, b, 3), strict=False):
        made.advance(Limit(iterations=t))
        plain.step(A)
        np.testing.assert_allclose(alpha(made), plain.alpha, rtol=0, atol=1e-9, err_msg=f"{t}")
        np.testing.assert_allclose(weights(made), mean.of(plain.w), rtol=0, atol=1e-9, err_msg=f"{t}")
        assert lower_bound(made) == pytest.approx(plain.dual(plain.alpha), abs=1e-12)


@pytest.mark.parametrize("name", ["minibatch_pegasos", "minibatch_sdca"])
@pytest.mark.parametrize("average", Averaging)
def test_averages_of_long_runs(name: str, average: Averaging) -> None:
    """Over thousands of iterations the second sum is rescaled, and stretches of the tail end."""
    p = problem()
    made, last = (solver(name, p, 1, batch_size=2, average=kind) for kind in (average, Averaging.last))
    mean = reference.Average(average.value)
    for t in range(1, 5001):
        made.advance(Limit(iterations=t))
        last.advance(Limit(iterations=t))
        mean.iterates.append(weights(last))
    naive = mean.iterates
    expected = {
        Averaging.last: naive[-1],
        Averaging.tail: np.mean(naive[2048:], axis=0),
        Averaging.decaying: sum(0.1 * 0.9**k * w for k, w in enumerate(reversed(naive))),
    }[average]
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
    exact = np.linalg.norm(p.X.toarray() if sparse.issparse(p.X) else p.X, 2) ** 2
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
        assert bound is not None
        assert alpha(made).min() >= 0.0
        assert alpha(made).max() <= 1.0
        assert bound <= primal(p, weights(made)) + 1e-9
        if variant is Variant.aggressive:
            assert bound >= before - 1e-12
        before = bound


def test_safe_with_one_example_is_serial() -> None:
    """With rows of length 1 each step is the coordinate's exact, clipped optimum."""
    X, y = points(N, D)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    p = Problem(X, y, Linear(), lambda_=0.03)
    runs = [run("minibatch_sdca", p, Limit(iterations=300), 4, variant=kind, batch_size=1) for kind in Variant]
    for other in runs[1:]:
        np.testing.assert_allclose(alpha(other), alpha(runs[0]), rtol=0, atol=1e-5)  # float32 rows are not quite 1 long


def test_a_step_that_would_not_raise_the_dual_is_refused() -> None:
    """From a state that a search has found: it hardly ever happens."""
    X = np.eye(2, dtype=np.float32)[[1, 0, 1, 0, 0, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1]]
    p = Problem(X, np.repeat([1, -1], [8, 7]).astype(np.int8), Linear(), lambda_=1.0 / 15)
    made = solver("minibatch_sdca", p, 116, batch_size=13)
    core = made._core  # type: ignore[attr-defined]
    before = np.array([0.23, 0.0, 0.88, 0.7, 0.0, 0.69, 0.23, 0.0, 0.06, 0.26, 0.03, 0.92, 0.65, 0.13, 0.01])
    plain = reference.Sdca(folded(p), p.lambda_, beta(p, 13), 0.95)
    plain.alpha = before
    core.restore(core.state() | {"alpha": before, "sum": before @ folded(p)})
    dual = lower_bound(made)
    made.advance(Limit(iterations=1))
    plain.step(next(reference.subsets(15, 13, 116)))
    assert core.refused == 1
    assert alpha(made).tobytes() == before.tobytes() == plain.alpha.tobytes()
    assert lower_bound(made) == dual
    assert core.beta == pytest.approx(plain.beta)


@pytest.mark.parametrize("variant", [Variant.safe, Variant.aggressive])
@pytest.mark.parametrize("zeros", [0.0, 0.7], ids=["dense", "sparse"])
@pytest.mark.parametrize("b", [1, 8, N])
def test_sdca_converges(b: int, zeros: float, variant: Variant) -> None:
    p = problem(zeros=zeros, longest=None)
    made = run("minibatch_sdca", p, Limit(iterations=60_000), variant=variant, batch_size=b)
    assert primal(p, weights(made)) == pytest.approx(optimum(p), rel=1e-5)
    assert lower_bound(made) == pytest.approx(optimum(p), rel=1e-5)


@pytest.mark.parametrize("b", [1, 8, N])
def test_pegasos_converges(b: int) -> None:
    p = problem()
    made = run("minibatch_pegasos", p, Limit(iterations=2**16), batch_size=b)
    assert primal(p, weights(made)) == pytest.approx(optimum(p), rel=2e-3)


def test_costs() -> None:
    p = problem(zeros=0.7)
    stored = np.count_nonzero(folded(p), axis=1)
    for name in ("minibatch_pegasos", "minibatch_sdca"):
        made = run(name, p, Limit(iterations=20), 2, batch_size=7)
        rows = [row for _, A in zip(range(20), reference.subsets(N, 7, 2), strict=False) for row in A]
        counters = made.counters
        assert counters.iterations == 20
        assert counters.presentations == counters.inner_products == 140
        assert counters.feature_accesses == stored[rows].sum()
        assert counters.feature_accesses_dense == 140 * D


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


@pytest.mark.parametrize(
    ("own", "says"),
    [
        ({"batch_size": 0}, "algo.batch_size = 0"),
        ({"batch_size": N + 1}, "from 1 to n = 40"),
        ({"threads": 0}, "algo.threads = 0"),
        ({"gamma": 0.0}, "algo.gamma = 0"),
        ({"gamma": 1.0}, "algo.gamma = 1"),
        ({"gamma": float("nan")}, "algo.gamma = nan"),
    ],
)
def test_wrong_settings_are_refused(own: dict[str, float], says: str) -> None:
    with pytest.raises(SettingsError, match=says):
        solver("minibatch_sdca", problem(), **{"batch_size": 4, **own})
