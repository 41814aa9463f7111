"""The training set by rows and columns, in the orders of the data and of frequency, and what reading it costs."""

from __future__ import annotations

import gc
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from cases import STORAGE, Array, Python, feature_values, points, run, weights
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse

from svm_cost_curves.solvers import Limit, Linear, Polynomial, Problem, RowPolicy, _core
from svm_cost_curves.solvers.features import Features, compact, core_matrix, frequency_order, in_order


def some(n: int = 50, d: int = 7, *, as_csr: bool, zeros: float = 0.6) -> Problem:
    X, y = points(n, d, zeros=zeros)
    X[:, 3] = 0.0
    X[5] = 0.0
    return Problem(sparse.csr_matrix(X) if as_csr else X, y, Linear())


def spread(places: Array, values: Array, size: int) -> Array:
    """The vector that a row or column stands for."""
    assert places.dtype == np.int32
    assert values.dtype == np.float32
    assert (np.diff(places) > 0).all(), "rising, each place once"
    full = np.zeros(size, np.float32)
    full[places] = values
    return full


def as_array(X: Features) -> Array:
    return X if isinstance(X, np.ndarray) else X.toarray()


def check_all(p: Problem) -> None:
    """Rows and columns are those of the points in the problem's orders, and cost what is stored of them."""
    features, X = p.counted_features(), feature_values(p)
    assert (features.n, features.d, features.positives) == (*X.shape, p.positives)
    sparsely = not isinstance(p.X, np.ndarray) or 2 * np.count_nonzero(X) < X.size
    stored = X != 0.0 if sparsely else np.ones(X.shape, bool)
    accesses = dense = 0
    for i in range(p.n):
        np.testing.assert_array_equal(spread(*features.row(i), p.d), X[i])
        accesses, dense = accesses + stored[i].sum(), dense + p.d
        assert (features.counters.feature_accesses, features.counters.feature_accesses_dense) == (accesses, dense)
    for j in range(p.d):
        np.testing.assert_array_equal(spread(*features.column(j), p.n), X[:, j])
        accesses, dense = accesses + stored[:, j].sum(), dense + p.n
        assert (features.counters.feature_accesses, features.counters.feature_accesses_dense) == (accesses, dense)


@given(
    X=st.tuples(st.integers(2, 12), st.integers(1, 12)).flatmap(
        lambda shape: arrays.arrays(np.float32, shape, elements=st.sampled_from([0.0, 0.0, 0.0, 1.0, -2.5, 1e-30]))
    ),
    labels=st.lists(st.sampled_from([-1, 1]), min_size=10, max_size=10),
    as_csr=st.booleans(),
)
def test_any_points(X: Array, labels: list[int], as_csr: bool) -> None:
    y = np.array([1, -1, *labels])[: len(X)]
    assume(np.abs(X).max() >= 1.0 or not X.any())  # points that are all so small are refused
    p = Problem(sparse.csr_matrix(X) if as_csr else X, y, Linear())
    np.testing.assert_array_equal(as_array(p.X), X[np.argsort(-y, kind="stable")])
    check_all(p)
    assert p.features.largest_norm == pytest.approx(np.linalg.norm(X.astype(np.float64), axis=1).max())


@STORAGE
def test_labels_and_presentations(as_csr: bool) -> None:
    p = some(as_csr=as_csr)
    features = p.counted_features()
    assert [features.label(i) for i in range(p.n)] == p.y.tolist()
    features.present()
    features.present(3)
    counters = features.counters
    assert (counters.iterations, counters.presentations) == (2, 4)
    assert counters.feature_accesses == counters.feature_accesses_dense == 0
    assert counters.kernel_evaluations == counters.inner_products == 0


@STORAGE
def test_no_such_place(as_csr: bool) -> None:
    features = some(as_csr=as_csr).counted_features()
    for place in (50, 10**6):
        with pytest.raises(ValueError, match=f"there is no row {place}"):
            features.row(place)
        with pytest.raises(ValueError, match=f"there is no row {place}"):
            features.label(place)
    with pytest.raises(ValueError, match="there is no column 7"):
        features.column(7)
    for read in (features.row, features.column):
        with pytest.raises((ValueError, TypeError)):
            read(-1)
    assert features.counters.feature_accesses_dense == 0, "what could not be read costs nothing"


@STORAGE
def test_a_view_keeps_its_arrays(as_csr: bool) -> None:
    """Of problem, matrix and arrays only the view is left, and memory that was theirs is taken by others."""
    p = some(400, 30, as_csr=as_csr)
    X, y = feature_values(p), p.y.astype(np.float64)
    features = p.counted_features()
    simba = _core.Simba(p.features, nu=0.1, seed=0)
    del p
    gc.collect(1)  # of young objects: all of a worker's take seconds
    others = [np.full(12_000 + k, np.nan, np.float32) for k in range(50)]
    for i in (0, 7, 399):
        np.testing.assert_array_equal(spread(*features.row(i), 30), X[i])
    np.testing.assert_array_equal(spread(*features.column(11), 400), X[:, 11])
    simba.advance(iterations=100)
    w = simba.weights()
    assert np.isfinite(w).all()
    assert (y * (X @ w)).mean() > 0.0
    assert len(others) == 50


# Two orders of features, of which points are stored in one while the other is not read


ANY_POINTS = st.tuples(st.integers(0, 12), st.integers(1, 12)).flatmap(
    lambda shape: arrays.arrays(np.float32, shape, elements=st.sampled_from([0.0, 0.0, 0.0, 1.0, -2.5, 1e-30]))
)


def shared(one: Any, other: Any) -> bool:
    return any(np.shares_memory(a, b) for a in arrays_of(one) for b in arrays_of(other))


def same(one: Any, other: Any) -> None:
    for a, b in zip(arrays_of(one), arrays_of(other), strict=True):
        np.testing.assert_array_equal(a, b)


def csr(X: Array, kind: type = np.int32, zeros: int = 0) -> sparse.csr_matrix:
    """X as CSR with indices of a type; of the values that are zero the first `zeros` are stored."""
    keep = X != 0.0
    keep.ravel()[np.flatnonzero(~keep)[:zeros]] = True
    made = sparse.csr_matrix((X[keep], np.nonzero(keep)[1], np.r_[0, np.cumsum(keep.sum(axis=1))]), shape=X.shape)
    made.indices, made.indptr = made.indices.astype(kind), made.indptr.astype(kind)
    return made


def texts(n: int = 20_000, d: int = 3_000, k: int = 60) -> tuple[sparse.csr_matrix, Array]:
    """n rows of k features each, in float32 and int32: 8 n k bytes."""
    random = np.random.default_rng(0)
    columns = (np.arange(k) * (d // k) + random.integers(0, d // k, size=(n, k))).astype(np.int32)
    X = sparse.csr_matrix((np.ones(n * k, np.float32), columns.ravel(), k * np.arange(n + 1)), shape=(n, d))
    return X, np.where(random.random(n) < 0.4, 1, -1).astype(np.int8)


@given(X=ANY_POINTS, kind=st.sampled_from([np.int32, np.int64]), zeros=st.integers(0, 9))
def test_any_order_of_features(X: Array, kind: type, zeros: int) -> None:
    """The features of dense and sparse points in the order of frequency; rows and columns may be empty."""
    given_points = csr(X, kind, zeros)
    counts = np.bincount(given_points.indices, minlength=X.shape[1])
    first = [next((i for i in range(len(X)) if j in given_points[i].indices), 0) for j in range(X.shape[1])]
    order = frequency_order(given_points)
    assert order.tolist() == sorted(range(X.shape[1]), key=lambda j: (-counts[j], first[j], j))
    before = given_points.copy()
    ordered = in_order(given_points, order)
    same(given_points, before)
    assert not shared(ordered, given_points)
    np.testing.assert_array_equal(ordered.toarray(), X[:, order])
    assert ordered.nnz == given_points.nnz, "zeros that are stored stay"
    for i in range(len(X)):
        assert (np.diff(ordered[i].indices) > 0).all()
    same(in_order(ordered, np.argsort(order)), before)
    of_dense, by_scipy = in_order(X, frequency_order(X)), sparse.csr_matrix(X)
    assert frequency_order(X).tolist() == frequency_order(by_scipy).tolist()
    if not isinstance(stored := compact(X), np.ndarray):
        same(stored, by_scipy)
    np.testing.assert_array_equal(
        of_dense if isinstance(of_dense, np.ndarray) else of_dense.toarray(), X[:, frequency_order(X)]
    )


@pytest.mark.parametrize("ordered_first", [False, True])
def test_either_order_may_be_read_first(ordered_first: bool) -> None:
    X, y = points(40, 9, zeros=0.7)
    p = Problem(csr(X, zeros=3), y, Linear())
    variant = p.variant(lambda_=0.1, nu=None, bias=False)
    if ordered_first:
        assert p.ordered is variant.ordered
    original = p.X
    kept = original.copy()
    assert p.X is original
    assert variant.X is original, "the two share their points"
    same(original, csr(X, zeros=3)[p.order])
    np.testing.assert_array_equal(p.ordered.toarray(), X[p.order][:, p.feature_order])
    assert p.ordered is variant.ordered
    assert not shared(p.ordered, original)
    same(original, kept)
    assert p.X is original


def test_threads_that_read_both_orders_at_once() -> None:
    X, y = texts(500)
    reads = [lambda p: p.X, lambda p: p.ordered, lambda p: p.feature_order, lambda p: p.features] * 2
    with ThreadPoolExecutor(len(reads)) as pool:
        for _ in range(20):
            p = Problem(X, y, Linear())
            list(pool.map(lambda read, p=p: read(p), reads))
            same(p.X, X[p.order])
            same(p.ordered, in_order(X[p.order], p.feature_order))


def test_nobody_can_change_what_the_core_borrows() -> None:
    X, y = points(40, 9, zeros=0.7)
    p = Problem(csr(X), y, Linear())
    for made in (p.ordered, p.X):
        for array in (made.indices, made.indptr):
            part: Any = array
            while isinstance(part, np.ndarray):
                assert not part.flags.writeable
                part = part.base
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 1
        same(made[5:9], made.copy()[5:9])


@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_arrays_of_the_caller_stay_writable_and_are_not_used(kind: type) -> None:
    X, y = points(40, 9, zeros=0.7)
    mine = csr(X, kind)
    p, other = (Problem(points_, y, Linear(), lambda_=0.1) for points_ in (mine, csr(X, kind)))
    matrix = core_matrix(mine)
    for made in (p.X, p.ordered):
        assert not shared(made, mine)
    for array in arrays_of(mine):
        assert array.flags.writeable
        array[:] = 0
    assert matrix.stored == np.count_nonzero(X)
    counted = _core.CountedFeatures(_core.FeatureMatrix(matrix, 1))
    for i in range(40):
        np.testing.assert_array_equal(counted.row(i)[0], np.flatnonzero(X[i]))
    np.testing.assert_array_equal(*(weights(run("sgd_m", problem, Limit(presentations=400))) for problem in (p, other)))


def test_sparse_points_are_held_once() -> None:
    """In numpy's arrays: one copy beside the caller's, also while it is made. One unit is 8 bytes a value."""
    X, y = texts()
    unit = 8 * X.nnz
    tracemalloc.start()
    try:
        problem = Problem(X, y, Linear(), lambda_=1e-4, nu=0.01)
        features = problem.features
        now, peak = (size / unit for size in tracemalloc.get_traced_memory())
        assert now < 1.4
        assert peak < 1.8
        assert problem.ordered.nnz == X.nnz
        now = tracemalloc.get_traced_memory()[0] / unit
        assert now < 1.4, "the core reads the problem's arrays"
        kernel = Problem(X, y, Polynomial(2, 1.0, 1.0), rows=RowPolicy(provider="on_the_fly"))
        before = tracemalloc.get_traced_memory()[0] / unit
        assert kernel.matrix.stored == X.nnz
        assert tracemalloc.get_traced_memory()[0] / unit < before + 0.3
        assert features.n == len(y)
    finally:
        tracemalloc.stop()


MEMORY = """
import gc
import psutil
from test_features import texts
from svm_cost_curves.solvers import Limit, Linear, Problem, get

def used():
    gc.collect()
    return psutil.Process().memory_info().rss / unit

def run(name, **settings):
    kind = get(name)
    solver = kind(problem, kind.Settings(**settings), 0)
    solver.advance(Limit(iterations=20))
    return solver

X, y = texts(100_000)
unit = 8 * X.nnz
small = Problem(*texts(100), Linear(), lambda_=1e-4, nu=0.01)
problem = small
for name in ("dcd", "simba"):
    run(name)
start = used()
problem = Problem(X, y, Linear(), lambda_=1e-4, nu=0.01)
kept = [run(name) for name in ("sgd_r", "sgd_m", "dcd", "minibatch_pegasos", "svmsgd", "ocas")]
print(used() - start)
kept += [run("simba") for _ in range(4)]
print(used() - start)
"""


def test_columns_are_made_for_simba_alone_and_once(python: Python) -> None:
    """The memory that solvers add in a process of their own: rows are one unit of 48 MB, columns another."""
    done = python(MEMORY)
    assert done.returncode == 0, done.stderr
    without, with_columns = map(float, done.stdout.split())
    assert without < 1.7
    assert with_columns < 2.8


def arrays_of(X: Any) -> list[Array]:
    return [X] if isinstance(X, np.ndarray) else [X.indptr, X.indices, X.data]
