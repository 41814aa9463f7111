"""Large mini-batches: divided among threads and processes, and interrupted."""

from __future__ import annotations

from functools import cache
from typing import Any

import minibatch_reference as reference
import numpy as np
import pytest
from cases import Array, run, solver
from hypothesis import given, settings
from hypothesis import strategies as st
from linear_reference import folded, lower_bound, weights
from scipy import sparse
from thread_ranks import run_ranks, sharded

from svm_cost_curves.solvers import Counters, Limit, Linear, Problem, _core
from svm_cost_curves.solvers.all_reduce import AllReduce
from svm_cost_curves.solvers.errors import CoreError
from svm_cost_curves.solvers.minibatch import Averaging, Variant
from svm_cost_curves.solvers.spectrum import beta

N, B, LAMBDA = 600, 320, 0.004
KINDS = {"dense": (40, 1.0), "few": (200, 0.15), "many": (4000, 0.012)}
"""Features and the share of them that is not zero. The core shares `dense` and `few` by rows, `many` by coordinates."""

METHODS: list[dict[str, Any]] = [
    {"name": "minibatch_pegasos", "average": Averaging.tail},
    {"name": "minibatch_sdca", "variant": Variant.naive, "average": Averaging.decaying},
    {"name": "minibatch_sdca", "variant": Variant.safe},
    {"name": "minibatch_sdca", "variant": Variant.aggressive, "average": Averaging.decaying},
]
every_kind = pytest.mark.parametrize("kind", KINDS)
every_method = pytest.mark.parametrize("method", METHODS, ids=["pegasos", "naive", "safe", "aggressive"])


@cache
def problem(kind: str) -> Problem:
    """Rows at most 0.999 long, of all lengths."""
    d, share = KINDS[kind]
    rng = np.random.default_rng(1)
    X = rng.normal(size=(N, d)).astype(np.float32)
    X[rng.random(X.shape) >= share] = 0.0
    y = np.where(X @ rng.normal(size=d) > 0.3 * rng.normal(size=N), 1, -1).astype(np.int8)
    X *= (0.999 / np.linalg.norm(X, axis=1).max()).astype(np.float32)
    return Problem(X if kind == "dense" else sparse.csr_matrix(X), y, Linear(), lambda_=LAMBDA)


def split(method: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Name and settings."""
    own = dict(method)
    return own.pop("name"), own


@every_kind
@every_method
def test_replay(kind: str, method: dict[str, Any]) -> None:
    name, own = split(method)
    p = problem(kind)
    Z = folded(p)
    variant = own.get("variant")
    plain: reference.Pegasos | reference.Sdca
    if variant is None:
        plain = reference.Pegasos(Z, LAMBDA)
    else:
        divisor = None if variant is Variant.naive else beta(p, B)
        plain = reference.Sdca(Z, LAMBDA, divisor, 0.95 if variant is Variant.aggressive else None)
    mean = reference.Average(own.get("average", Averaging.last).value)
    made = solver(name, p, 4, batch_size=B, threads=3, **own)
    for t, A in zip(range(1, 13), reference.subsets(N, B, 4), strict=False):
        made.advance(Limit(iterations=t))
        plain.step(A)
        w = mean.of(plain.w)
        np.testing.assert_allclose(weights(made), w, rtol=0, atol=1e-11 * np.abs(w).max(), err_msg=f"{t}")
        if isinstance(plain, reference.Sdca):
            assert lower_bound(made) == pytest.approx(plain.dual(plain.alpha), abs=1e-12)
    stored = np.count_nonzero(Z, axis=1)
    assert made.counters.feature_accesses == sum(
        stored[A].sum() for _, A in zip(range(12), reference.subsets(N, B, 4), strict=False)
    )


@pytest.mark.parametrize("threads", [2, 3, 8])
@every_kind
@every_method
def test_the_same_bits_for_any_number_of_threads(kind: str, method: dict[str, Any], threads: int) -> None:
    name, own = split(method)
    p = problem(kind)
    one, many = (run(name, p, Limit(iterations=40), batch_size=B, threads=k, **own) for k in (1, threads))
    assert weights(one).tobytes() == weights(many).tobytes()
    assert one.counters == many.counters


@pytest.mark.parametrize("ranks", [2, 3])
@every_kind
@every_method
def test_ranks_have_the_result_of_one_process(kind: str, method: dict[str, Any], ranks: int) -> None:
    name, own = split(method)
    p = problem(kind)
    alone = run(name, p, Limit(iterations=30), 4, batch_size=B, **own)

    def work(all_reduce: AllReduce) -> tuple[Array, Counters]:
        made = run(name, sharded(p, all_reduce), Limit(iterations=30), 4, batch_size=B, **own)
        return weights(made), made.counters

    found = run_ranks(ranks, work)
    w = weights(alone)
    for own_w, counters in found:
        np.testing.assert_allclose(own_w, w, rtol=0, atol=1e-12 * max(1.0, np.abs(w).max()))
        assert own_w.tobytes() == found[0][0].tobytes()
        assert counters == alone.counters


@given(st.sampled_from([1, 3, 127, 128, B, N]), st.integers(0, 30), st.integers(0, 30), st.sampled_from(METHODS))
@settings(deadline=None, max_examples=40)
def test_a_run_continues_from_a_state_with_the_same_bits(
    b: int, before: int, after: int, method: dict[str, Any]
) -> None:
    name, own = split(method)
    p = problem("few")
    whole = solver(name, p, 5, batch_size=b, **own)._core  # type: ignore[attr-defined]
    whole.advance(iterations=before)
    state = whole.state()
    again = solver(name, p, 5, batch_size=b, **own)._core  # type: ignore[attr-defined]
    again.restore(state)
    for core in (whole, again):
        core.advance(iterations=before + after)
    ends = [{name: values.tobytes() for name, values in core.state().items()} for core in (whole, again)]
    for end in ends:
        del end["cpu_seconds"], end["wall_seconds"]
    assert ends[0] == ends[1]
    assert whole.weights().tobytes() == again.weights().tobytes()


def test_states_of_other_problems_are_refused() -> None:
    p = problem("few")
    begun = solver("minibatch_sdca", p, 5, batch_size=8)._core  # type: ignore[attr-defined]
    begun.advance(iterations=1)
    state = begun.state()
    with pytest.raises(CoreError, match="already begun"):
        begun.restore(state)
    wrong = {"alpha": state | {"alpha": np.zeros(3)}, "sum": {key: state[key] for key in state if key != "sum"}}
    for name, other in wrong.items():
        fresh = solver("minibatch_sdca", p, 5, batch_size=8)._core  # type: ignore[attr-defined]
        with pytest.raises(CoreError, match=f"not one of this solver: {name}"):
            fresh.restore(other)


def test_wrong_shards_are_refused() -> None:
    p = problem("dense")
    for rank, ranks, size in ((3, 3, 600), (0, 601, 600)):
        with pytest.raises(CoreError, match=f"no rank {rank} of {ranks}"):
            _core.Shard(rank, ranks, size, 1.0)
    with pytest.raises(CoreError, match="not those of this shard"):
        _core.MiniBatchPegasos(p.features, lambda_=1.0, batch_size=2, seed=0, shard=_core.Shard(0, 2, N, 1.0))


def test_an_all_reduce_that_raises_ends_the_run() -> None:
    def broken(values: Array) -> None:
        raise RuntimeError("the others are gone")

    p = problem("dense")
    made = _core.MiniBatchPegasos(p.features, lambda_=1.0, batch_size=2, seed=0, all_reduce=broken)
    with pytest.raises(RuntimeError, match="the others are gone"):
        made.advance(iterations=3)
