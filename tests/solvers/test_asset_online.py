"""ASSET on streams of random cosines: the batch version on the same features, points made by blocks."""

from __future__ import annotations

from dataclasses import astuple, replace
from typing import Any

import numpy as np
import pytest
from cases import STORAGE, Array, points, problem, solver
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import sparse

from svm_cost_curves.datasets import Dataset, Stream
from svm_cost_curves.solvers import Gaussian, Limit, Linear, Problem, SettingsError, Status, _core, get, names
from svm_cost_curves.solvers.asset_online import CosineSnapshot
from svm_cost_curves.solvers.evaluation import Evaluator

N, D = 700, 5
KINDS = ("asset_online", "asset_star_online")


def made(name: str, p: Problem, seed: int = 0, **algo: Any) -> Any:
    return solver(name, p, seed, **{"features": 33, **algo})


def stream(n: int = N, **arguments: Any) -> Problem:
    return problem(n, D, **{"zeros": 0.3, "rows": {"provider": "on_the_fly"}, **arguments})


def shown(run: Any) -> tuple[Array, float]:
    snapshot = run.snapshot()
    return snapshot.weights, snapshot.bias


@pytest.mark.parametrize(
    ("name", "bias", "algo", "iteration"),
    [
        ("asset_online", False, {}, {}),
        ("asset_online", True, {"intercept_bound": 0.7, "step": 0.5}, {"bound": 0.7, "step": 0.5}),
        ("asset_star_online", False, {}, {"strongly_convex": True}),
    ],
    ids=str,
)
@given(seed=st.integers(0, 2**40), n=st.integers(2, 600), window=st.integers(1, 400), count=st.integers(1, 40))
@example(seed=1, n=700, window=500, count=33)
@settings(max_examples=6, deadline=None)
def test_batch_and_stream_agree_to_the_bit(
    name: str, bias: bool, algo: dict[str, Any], iteration: dict[str, Any], seed: int, n: int, window: int, count: int
) -> None:
    """On the same features in the same order; `cpp/tests/test_asset.cpp` replays the batch version."""
    p = stream(n, bias=bias, as_csr=True)
    run = made(name, p, seed, window=window, features=count, **algo)
    order = _core.Random(seed, _core.Purpose.order).permutation(n)
    V = np.empty((n, count), np.float32)
    block = max(256, window)
    for first in range(0, n, block):  # a product's last bits may depend on how many rows it has
        V[order[first : first + block]] = run.cosines.of(p.X[order[first : first + block]])
    matrix = _core.FeatureMatrix(_core.Matrix(V), p.positives)
    batch = _core.Asset(matrix, lambda_=p.require_lambda(), window=window, seed=seed, one_pass=True, **iteration)
    assert not shown(run)[0].any()
    for t in (1, n // 2, n):
        run.advance(Limit(iterations=t))
        batch.advance(iterations=t)
        weights, intercept = shown(run)
        expected, expected_intercept = batch.average()
        assert weights.tobytes() == expected.tobytes()
        assert intercept == expected_intercept
        assert run._core.last_weights().tobytes() == batch.last_weights().tobytes()
        accesses = count * np.diff(p.X.indptr)[order[:t]].sum()
        assert astuple(run.counters) == (t, t, None, (count + 1) * t, accesses, count * D * t)


@pytest.mark.parametrize("name", KINDS)
def test_the_stream_ends(name: str) -> None:
    p = stream(300)
    run = made(name, p)
    assert run.advance(Limit(presentations=300)) is Status.PRESENTATIONS
    assert run.remarks == ()
    before = shown(run)[0]
    assert run.advance(Limit(presentations=301)) is Status.CONVERGED
    assert run.remarks == ("the stream ended after its 300 examples, before the budget: one pass is all",)
    assert run.counters.presentations == 300
    assert shown(run)[0].tobytes() == before.tobytes()
    assert run.advance(Limit()) is Status.CONVERGED


@STORAGE
def test_the_snapshot_is_linear_in_the_features(as_csr: bool) -> None:
    p = stream(bias=True, as_csr=as_csr)
    run = made("asset_online", p)
    run.advance(Limit(iterations=200))
    one = run.snapshot()
    run.advance(Limit(iterations=500))
    two = run.snapshot()
    Z = points(30, D, 3)[0]
    others = sparse.csr_matrix(Z) if as_csr else Z
    V = run.cosines.of(p.points(others)).astype(np.float64)
    for snapshot in (one, two):
        assert snapshot.bias != 0.0
        assert snapshot.norm == np.linalg.norm(snapshot.weights)
        np.testing.assert_allclose(
            snapshot.decision_values(others), V @ snapshot.weights + snapshot.bias, atol=1e-5 * snapshot.norm
        )
    assert one.same_basis(two)
    assert not one.same_basis(made("asset_online", p).snapshot())
    both = CosineSnapshot.batched_values([one, two], others)
    np.testing.assert_allclose(both[:, 0], one.decision_values(others), atol=1e-5 * one.norm)
    np.testing.assert_allclose(both[:, 1], two.decision_values(others), atol=1e-5 * two.norm)


def test_a_limit_in_seconds_stops_the_run() -> None:
    run = made("asset_online", stream(4000), features=20_000)
    before = run.cpu_seconds
    run.advance(Limit(cpu_seconds=before + 0.05))
    assert before + 0.05 <= run.cpu_seconds < before + 1.0
    assert run.advance(Limit()) is Status.CONVERGED


def test_blocks_of_a_wrong_size_are_refused() -> None:
    core = _core.AssetStream(5, 3, 2, lambda_=0.1)
    rows, labels, stored = np.zeros((5, 2), np.float32), np.ones(5, np.int8), np.ones(5, np.uint32)
    with pytest.raises(ValueError, match=r"a block is \(examples, features\)"):
        core.feed(rows, labels[:4], stored)
    with pytest.raises(ValueError, match="a block has 5 examples here, not 4"):
        core.feed(rows[:4], labels[:4], stored[:4])
    core.feed(rows, labels, stored)
    with pytest.raises(ValueError, match="have not all been presented"):
        core.feed(rows, labels, stored)


# Points that are made when they are read


class Asked:
    """Rows in memory that act as a stream; records which were read, and whether a solver's clocks ran."""

    def __init__(self, X: Array) -> None:
        self._X = X
        self.asked: list[Array] = []
        self.timed: list[bool] = []
        self.solver: Any = None

    @property
    def shape(self) -> tuple[int, int]:
        return self._X.shape[0], self._X.shape[1]

    def __getitem__(self, rows: Array) -> Array:
        self.asked.append(rows)
        self.timed.append(self.solver._began is not None)
        return np.ascontiguousarray(self._X[rows])


def data(n: int = N) -> tuple[Array, Array]:
    """Features in [0, 1], which a problem does not shift."""
    X, y = points(n, D)
    X = (X - X.min()) / (X.max() - X.min())
    return X.astype(np.float32), y


def in_unit_cube(X: Any, y: Array, **arguments: Any) -> Problem:
    return Problem(X, y, arguments.pop("kernel", Gaussian(0.5)), **{"lambda_": 1.0 / y.size, **arguments})


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("stops", [(N,), (1, 255, 256, 300, N)], ids=["at once", "in pieces"])
def test_a_stream_gives_the_bits_of_rows_in_memory(name: str, stops: tuple[int, ...]) -> None:
    X, y = data()
    stream = Asked(X)
    held = made(name, in_unit_cube(X, y))
    run = made(name, in_unit_cube(stream, y))
    stream.solver = run
    for stop in stops:
        held.advance(Limit(iterations=stop))
        assert run.advance(Limit(iterations=stop)) is Status.ITERATIONS
        assert run.snapshot().weights.tobytes() == held.snapshot().weights.tobytes()
        assert run.counters == held.counters
    assert run.advance(Limit()) is Status.CONVERGED
    # each row once, a block of them at a time, while the clocks rest
    assert sorted(np.concatenate(stream.asked).tolist()) == list(range(N))
    assert [len(rows) for rows in stream.asked] == [256, 256, 188]
    assert not any(stream.timed)


def test_examples_are_in_the_problem_s_order() -> None:
    X, y = data(50)
    stream = Asked(X)
    p = in_unit_cube(stream, y)
    indices = np.array([49, 0, 7])
    np.testing.assert_array_equal(in_unit_cube(X, y).examples(indices), X[p.order[indices]])
    stream.solver = made("asset_online", p)
    np.testing.assert_array_equal(p.examples(indices), X[p.order[indices]])
    assert (p.n, p.d, p.positives) == (50, D, int((y > 0).sum()))


@pytest.mark.parametrize("name", [name for name in names() if name not in KINDS])
def test_every_other_method_refuses_a_stream_with_advice(name: str) -> None:
    X, y = data()
    kind = get(name)
    kernel = Gaussian(0.5) if "gaussian" in kind.kernels else Linear()
    p = in_unit_cube(Asked(X), y, kernel=kernel, nu=0.1, bias=min(kind.biases))
    with pytest.raises(SettingsError, match=r"the 700 training rows are made when they are needed.*max_train") as error:
        kind(p, kind.Settings(), 0).advance(Limit(iterations=3))
    assert "\n" not in str(error.value)


def test_a_stream_of_the_wrong_shape_is_refused() -> None:
    X, y = data(40)
    with pytest.raises(SettingsError, match=r"X is \(n, d\) and y \(n,\), got \(39, 5\) and \(40,\)"):
        in_unit_cube(Asked(X[:39]), y)


def test_measures_over_all_training_rows_are_omitted() -> None:
    X, y = data()
    held = Dataset("t", X, y, X[:100], y[:100], {}, "0")
    streamed = replace(held, points=Stream(lambda numbers: X[numbers], np.arange(N, dtype=np.uint32), D))
    first, second = (
        Evaluator(p, d).evaluate([made("asset_online", p).snapshot() for _ in range(2)])
        for d, p in ((d, in_unit_cube(d.points, y)) for d in (held, streamed))
    )
    means = {"train_error", "primal", "hinge"}
    for measures, others in zip(first, second, strict=True):
        assert {name for name, value in measures.items() if value is not None and others[name] is None} == means
        assert all(others[name] == measures[name] for name in set(measures) - means)
