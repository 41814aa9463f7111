"""SVMperf and OCAS: the optimum, the bounds on the way, costs; the master problem and the line search by themselves."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from cases import Array, points, solver
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from linear_reference import folded, primal
from scipy.optimize import minimize_scalar
from sklearn.svm import LinearSVC

from svm_cost_curves.solvers import Limit, Linear, LinearSnapshot, Problem, SettingsError, Status, _core

METHODS = ("ocas", "svmperf")
WIDE, TALL = (30, 40), (80, 6)
"""Points and features: cuts are kept by margins, or by features."""


def problem(n: int, d: int, C: float, seed: int = 0) -> Problem:
    X, y = points(n, d, seed, zeros=0.7)  # so many are stored sparsely
    return Problem(X, y, Linear(), lambda_=1.0 / (C * n))


def look(found: object) -> tuple[Array, float]:
    """Weights and lower bound of a snapshot."""
    assert isinstance(found, LinearSnapshot)
    assert found.lower_bound is not None
    return found.weights, found.lower_bound


def peer_optimum(p: Problem) -> float:
    Z = folded(p)
    peer = LinearSVC(loss="hinge", C=p.C, fit_intercept=False, tol=1e-10, max_iter=10**6, random_state=0)
    return primal(p, peer.fit(p.y[:, None] * Z, p.y).coef_.ravel())


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("shape", [WIDE, TALL])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_bounds_enclose_the_optimum_until_they_meet(name: str, shape: tuple[int, int], C: float) -> None:
    p = problem(*shape, C)
    best = peer_optimum(p)
    method = solver(name, p, eps=1e-9)
    objectives: list[float] = []
    bounds: list[float] = []
    while method.advance(Limit(iterations=len(bounds) + 1)) is not Status.CONVERGED:
        w, bound = look(method.snapshot())
        objectives.append(primal(p, w))
        bounds.append(bound)
        assert bound <= best * (1 + 1e-9)
        assert objectives[-1] >= best * (1 - 1e-6)
    assert all(b >= a for a, b in pairwise(bounds))
    assert name == "svmperf" or all(b <= a * (1 + 1e-12) for a, b in pairwise(objectives))
    assert objectives[-1] == pytest.approx(best, rel=1e-6)
    gaps = [(J - L) / L for J, L in zip(objectives, bounds, strict=True)]
    assert gaps[-1] <= 1.001e-9
    assert min(gaps[:-1], default=1.0) > 0.999e-9


@pytest.mark.parametrize("shape", [WIDE, TALL])
def test_svmperf_cuts_at_the_minimum_of_the_cuts_before(shape: tuple[int, int]) -> None:
    """Weights minimise lambda/2 |w|^2 + the largest cut, and that minimum is the bound; costs are those of the cuts."""
    p = problem(*shape, 5.0)
    Z, lambda_ = folded(p), p.require_lambda()
    stored = np.count_nonzero(Z, axis=1)
    method = solver("svmperf", p, eps=1e-6)
    w, gap, accesses, rows = np.zeros(p.d), 1.0, 0, 0
    heights, slopes = [0.0], [np.zeros(p.d)]
    t = 0
    while method.advance(Limit(iterations=t + 1)) is not Status.CONVERGED:
        t += 1
        cut = Z @ w < 1.0
        heights.append(float(cut.mean()))
        slopes.append(-Z[cut].sum(axis=0) / p.n)
        accesses += int(stored[cut].sum() + stored.sum())
        rows += int(cut.sum()) + p.n
        w, bound = look(method.snapshot())
        master = 0.5 * lambda_ * w @ w + max(h + s @ w for h, s in zip(heights, slopes, strict=True))
        assert bound - 1e-12 <= master <= bound + 1.001e-3 * gap
        gap = primal(p, w) - bound
        counters = method.counters
        assert (counters.iterations, counters.presentations, counters.inner_products) == (t, t * p.n, t * p.n)
        assert counters.feature_accesses == accesses
        assert counters.feature_accesses_dense == rows * p.d
        assert counters.kernel_evaluations is None
    assert t > 10


@pytest.mark.parametrize("shape", [WIDE, TALL])
@pytest.mark.parametrize("mu", [0.1, 0.7, 1.0])
def test_the_first_steps_of_ocas(shape: tuple[int, int], mu: float) -> None:
    """The first cut has all examples; then a line search, and a cut between the best weights and the master's."""
    p = problem(*shape, 5.0)
    Z, lambda_ = folded(p), p.require_lambda()
    method = solver("ocas", p, mu=mu)
    w, bound = look(method.snapshot())
    assert bound == 0.0
    assert not w.any()
    method.advance(Limit(iterations=1))
    mean = Z.mean(axis=0)
    gamma = min(1.0, lambda_ / (mean @ mean))
    master = gamma * mean / lambda_
    w, bound = look(method.snapshot())
    assert bound == pytest.approx(gamma - 0.5 * lambda_ * master @ master, rel=1e-12)
    line = minimize_scalar(lambda k: primal(p, k * master), bounds=(0.0, 50.0), options={"xatol": 1e-10})
    assert primal(p, w) <= line.fun + 1e-12
    np.testing.assert_allclose(w, line.x * master, rtol=1e-4)
    cut = Z @ (w + mu * (master - w)) < 1.0
    method.advance(Limit(iterations=2))
    stored = np.count_nonzero(Z, axis=1)
    assert method.counters.feature_accesses == 3 * stored.sum() + stored[cut].sum()
    assert method.counters.inner_products == method.counters.presentations == 2 * p.n


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("shape", [WIDE, TALL])
def test_advancing_in_pieces_has_the_same_bits(name: str, shape: tuple[int, int]) -> None:
    p = problem(*shape, 20.0)
    whole, single, pieces = (solver(name, p, eps=1e-7) for _ in range(3))
    whole.advance(Limit(iterations=120))
    for t in range(121):
        single.advance(Limit(iterations=t))
        single.snapshot()
    for limit in (Limit(presentations=5 * p.n + 1), Limit(feature_accesses=5000), Limit(iterations=120)):
        pieces.advance(limit)
    found = [(w.tobytes(), bound) for w, bound in (look(run.snapshot()) for run in (whole, single, pieces))]
    assert found[0] == found[1] == found[2]
    assert whole.counters == single.counters == pieces.counters


@settings(deadline=None, max_examples=60)
@given(
    X=arrays(
        np.float32, st.tuples(st.integers(2, 12), st.integers(1, 15)), elements=st.sampled_from([0, 0, 1, -1, 0.5])
    ),
    data=st.data(),
    C=st.sampled_from([1e-3, 0.3, 1.0, 50.0]),
)
def test_both_agree_on_any_points(X: Array, data: st.DataObject, C: float) -> None:
    """Duplicates, contradictions and rows of zeros among them."""
    y = np.array([1, -1, *data.draw(st.lists(st.sampled_from([1, -1]), min_size=len(X) - 2, max_size=len(X) - 2))])
    p = Problem(X, y, Linear(), lambda_=1.0 / (C * len(X)))
    ends = []
    for name in METHODS:
        method = solver(name, p, eps=1e-8)
        assert method.advance(Limit(iterations=2000)) is Status.CONVERGED
        w, bound = look(method.snapshot())
        J = primal(p, w)
        assert -1e-12 <= J - bound <= 1.001e-8 * bound
        ends.append(J)
    assert ends[0] == pytest.approx(ends[1], rel=2e-8)


@pytest.mark.parametrize("name", METHODS)
def test_the_optimum_can_be_zero(name: str) -> None:
    """If w = 0 is optimal the bound equals the objective at once."""
    twins = np.array([[1.0, 2.0], [1.0, 2.0], [0.0, 0.0]], np.float32)
    for X in (twins[:2], np.zeros((3, 2), np.float32)):
        method = solver(name, Problem(X, np.array([1, -1, 1])[: len(X)], Linear(), lambda_=0.1), eps=1e-12)
        assert method.advance(Limit()) is Status.CONVERGED
        w, bound = look(method.snapshot())
        np.testing.assert_array_equal(w, np.zeros(2))
        assert bound == 1.0
        assert method.counters.iterations == 1


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("lambda_", [1e-30, 1e-12, 1e30])
def test_extreme_regularisation(name: str, lambda_: float) -> None:
    X, y = points(20, 3)
    method = solver(name, Problem(X, y, Linear(), lambda_=lambda_), eps=1e-3)
    method.advance(Limit(iterations=300))
    w, bound = look(method.snapshot())
    assert np.isfinite(w).all()
    assert 0.0 <= bound <= 1.0


def test_a_norm_smaller_than_rounding_errors() -> None:
    """Features of a thousand: the norm's part of the objective is 1e-10, and the line search has no curvature left."""
    X = 1000.0 * np.random.default_rng(5).normal(size=(40, 10)).astype(np.float32)
    p = Problem(X, np.where(np.arange(40) % 3 == 0, 1, -1), Linear(), lambda_=1.0 / (30 * 40))
    bounds = []
    for name in METHODS:
        method = solver(name, p, eps=1e-6)
        assert method.advance(Limit(iterations=1000)) is Status.CONVERGED
        bounds.append(look(method.snapshot())[1])
    assert bounds[0] == pytest.approx(bounds[1], rel=1e-6)


def test_an_accuracy_beyond_rounding_is_never_reached() -> None:
    """A run whose accuracy cannot be reached goes on, and stays at the optimum."""
    p = problem(*TALL, 10.0)
    method = solver("ocas", p, eps=1e-300)
    method.advance(Limit(iterations=3000))
    w, bound = look(method.snapshot())
    assert primal(p, w) == pytest.approx(bound, rel=1e-13)


def test_settings() -> None:
    p = problem(20, 3, 1.0)
    for name in METHODS:
        for eps in (0.0, -1.0, np.nan, np.inf):
            positive = f"algo={name}: eps must be finite and positive"
            with pytest.raises(SettingsError, match=positive if np.isfinite(eps) else rf"algo\.eps = {eps}: it must"):
                solver(name, p, eps=eps)
        X, y = points(10, 3)
        with pytest.raises(SettingsError, match=r"lambda form: set problem\.lambda_ or problem\.C"):
            solver(name, Problem(X, y, Linear()))
    for mu in (0.0, -0.1, 1.1):
        with pytest.raises(SettingsError, match=r"algo=ocas: mu must lie in \(0, 1\]"):
            solver("ocas", p, mu=mu)
    with pytest.raises(ValueError, match="lambda must be finite and positive"):
        _core.Ocas(p.features, lambda_=0.0, eps=0.1, mu=0.1)


def certificate(H: Array, beta: Array, gamma: Array) -> float:
    """The optimum exceeds the value at gamma by so much at most."""
    slopes = beta - H @ gamma
    return float(slopes.max() - gamma @ slopes)


@settings(deadline=None, max_examples=150)
@given(
    P=arrays(np.float64, st.tuples(st.integers(1, 14), st.integers(1, 5)), elements=st.integers(-3, 3).map(float)),
    data=st.data(),
    scale=st.sampled_from([1e-6, 1.0, 1e5]),
)
def test_master_problem(P: Array, data: st.DataObject, scale: float) -> None:
    """Variable by variable, equal and dependent ones among them: the solution is feasible and its gap is closed."""
    beta = data.draw(arrays(np.float64, len(P), elements=st.integers(0, 8).map(lambda k: k / 8)))
    H = scale * P @ P.T
    master = _core.SimplexQp()
    for k in range(len(P)):
        master.add(beta[k], H[k, : k + 1])
        if k % 3 != 1:
            master.solve(1e-12)
    master.solve(1e-12)
    gamma = master.solution
    assert (gamma >= 0.0).all()
    assert gamma.sum() == pytest.approx(1.0, abs=1e-12)
    error = 1e-13 * (1.0 + np.abs(H).max())
    assert certificate(H, beta, gamma) <= 1e-12 + error
    assert master.gap == pytest.approx(certificate(H, beta, gamma), abs=error)
    assert master.value == pytest.approx(beta @ gamma - 0.5 * gamma @ H @ gamma, abs=error)


def test_master_problem_and_line_search_refuse_wrong_shapes() -> None:
    master = _core.SimplexQp()
    with pytest.raises(ValueError, match="products are those with each earlier variable"):
        master.add(0.5, np.zeros(2))
    with pytest.raises(ValueError, match="two vectors of one length"):
        _core.hinge_line_minimum(np.zeros(2), np.zeros(3), slope=0.0, curvature=1.0)
    with pytest.raises(ValueError, match="the curvature must be finite and positive"):
        _core.hinge_line_minimum(np.zeros(2), np.zeros(2), slope=0.0, curvature=0.0)


MARGINS = arrays(np.float64, 9, elements=st.one_of(st.sampled_from([0.0, 1.0, 2.0]), st.floats(-3.0, 4.0)))


@settings(deadline=None, max_examples=200)
@given(start=MARGINS, end=MARGINS, slope=st.floats(-2.0, 0.5), curvature=st.floats(1e-3, 3.0))
def test_line_search(start: Array, end: Array, slope: float, curvature: float) -> None:
    """Nothing on the line is lower: neither a place where a margin passes 1 nor the minimum between two of them."""

    def value(k: Array) -> Array:
        margins = start + np.multiply.outer(k, end - start)
        hinge: Array = np.maximum(0.0, 1.0 - margins).mean(axis=-1)
        return slope * k + 0.5 * curvature * k**2 + hinge

    found = _core.hinge_line_minimum(start, end, slope=slope, curvature=curvature)
    assert found >= 0.0
    with np.errstate(all="ignore"):
        kinks = (1.0 - start) / (end - start)
    kinks = np.sort(kinks[np.isfinite(kinks) & (kinks > 0.0) & (kinks < 1e6)])
    edges = np.concatenate([[0.0], kinks, [1e6]])
    middle = 0.5 * (edges[1:] + edges[:-1])
    below = start + np.multiply.outer(middle, end - start) < 1.0
    free = ((below * (end - start)).mean(axis=1) - slope) / curvature
    tried = np.concatenate([edges, np.clip(free, edges[:-1], edges[1:])])
    least = value(tried).min()
    assert value(np.array(found)) <= least + 1e-9 * (1.0 + abs(least))
