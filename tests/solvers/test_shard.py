"""Mini-batch solvers on shards: ranks make the run of one process. Ranks are threads here."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
import pytest
from cases import Array, points, run, solver, weights
from test_minibatch import BY_KIND, BY_METHOD, METHODS, B, large
from waiting import PATIENCE

from svm_cost_curves.solvers import Counters, Limit, Linear, LinearSnapshot, Problem, SettingsError, _core
from svm_cost_curves.solvers.all_reduce import AllReduce
from svm_cost_curves.solvers.errors import CoreError
from svm_cost_curves.solvers.minibatch import Averaging, State, Variant
from svm_cost_curves.solvers.shard import check_ranks, scatter_rows

N, D = 41, 7
T = TypeVar("T")


class Table:
    """A list with one place for each thread, and a barrier."""

    def __init__(self, ranks: int) -> None:
        self.contributions: list[Any] = [None] * ranks
        self.barrier = threading.Barrier(ranks, timeout=PATIENCE)


class ThreadAllReduce(AllReduce):
    """One of several ranks in this process."""

    def __init__(self, rank: int, ranks: int, table: Table) -> None:
        self.rank, self.ranks, self._table = rank, ranks, table
        self.sums = 0

    def _all(self, contribution: Any) -> list[Any]:
        self._table.contributions[self.rank] = contribution
        self._table.barrier.wait()
        contributions = list(self._table.contributions)
        self._table.barrier.wait()
        return contributions

    def sum(self, values: Array) -> None:
        assert values.flags.c_contiguous
        self.sums += 1
        values[:] = np.sum(self._all(values.copy()), axis=0)

    def broadcast(self, value: T | None) -> T:
        return self._all(value)[0]

    def scatter(self, part_of: Callable[[int], T] | None) -> T:
        return self._all(part_of)[0](self.rank)

    def gather(self, part: T) -> list[T] | None:
        parts = self._all(part)
        return None if self.rank else parts


def run_ranks(ranks: int, work: Callable[[AllReduce], T]) -> list[T]:
    """Run `work` on each rank, and return the results."""
    table = Table(ranks)

    def guarded(rank: int) -> T:
        try:
            return work(ThreadAllReduce(rank, ranks, table))
        except BaseException:
            table.barrier.abort()
            raise

    with ThreadPoolExecutor(ranks) as pool:
        jobs = [pool.submit(guarded, rank) for rank in range(ranks)]
    for job in sorted(jobs, key=lambda job: isinstance(job.exception(), threading.BrokenBarrierError)):
        job.result()  # the first error, not those that follow from it
    return [job.result() for job in jobs]


def sharded(whole: Problem, all_reduce: AllReduce) -> Problem:
    """A rank's shard of a problem, which rank 0 has."""
    return scatter_rows(whole if all_reduce.rank == 0 else None, all_reduce)


def problem(zeros: float = 0.0, scale: float = 1.0) -> Problem:
    X, y = points(N, D, 3, zeros=zeros)
    return Problem(scale * X, y, Linear(), lambda_=0.03)


def same(mine: LinearSnapshot, theirs: LinearSnapshot) -> None:
    size = np.abs(theirs.weights).max()
    np.testing.assert_allclose(mine.weights, theirs.weights, rtol=0, atol=1e-12 * size)


SOLVERS = [
    ("minibatch_pegasos", {}),
    *(("minibatch_sdca", {"variant": variant}) for variant in Variant),
]
NAMES = ["pegasos", *(f"sdca {variant.name}" for variant in Variant)]
CASES = [(2, N, "decaying"), (3, 5, "tail"), (9, 7, "last")]  # of 9 ranks some have none of a subset


@pytest.mark.parametrize(("name", "settings"), SOLVERS, ids=NAMES)
@pytest.mark.parametrize("zeros", [0.0, 0.7], ids=["dense", "sparse"])
@pytest.mark.parametrize(("ranks", "b", "average"), CASES)
def test_the_iterates_are_those_of_one_process(
    ranks: int, b: int, average: str, zeros: float, name: str, settings: dict[str, Any]
) -> None:
    whole = problem(zeros, scale=3.0)  # rows longer than 1: the steps need the largest norm of all
    settings = {**settings, "batch_size": b, "average": Averaging(average)}
    alone = solver(name, whole, 5, **settings)
    expected = []
    for t in (1, 2, 30):
        alone.advance(Limit(iterations=t))
        expected.append((alone.snapshot(), alone.counters))

    def work(all_reduce: AllReduce) -> list[tuple[Any, Any]]:
        shard = sharded(whole, all_reduce)
        made = solver(name, shard, 5, **settings)
        iterates = []
        for t in (1, 2, 30):
            made.advance(Limit(iterations=t))
            iterates.append((made.snapshot(), made.counters))
        assert 30 <= all_reduce.sums <= 60
        return iterates

    everyone = run_ranks(ranks, work)
    for rank, iterates in enumerate(everyone):
        for (mine, costs), (theirs, their_costs), (first, _) in zip(iterates, expected, everyone[0], strict=True):
            same(mine, theirs)
            assert costs == their_costs
            assert np.array_equal(mine.weights, first.weights)
            if rank == 0 and theirs.lower_bound is not None:
                assert mine.lower_bound == pytest.approx(theirs.lower_bound, abs=1e-12)


def test_a_shard_has_every_ranks_th_row() -> None:
    whole = problem()
    rows = whole.ordered

    def work(all_reduce: AllReduce) -> None:
        shard = sharded(whole, all_reduce)
        indices = range(all_reduce.rank, N, 3)
        assert (shard.n, shard.d) == (N, D)
        assert shard.features.n == len(indices)
        assert shard.positives == sum(i < whole.positives for i in indices)
        assert shard.largest_norm == whole.largest_norm
        assert shard.features.largest_norm == pytest.approx(np.linalg.norm(rows[list(indices)], axis=1).max(), rel=1e-6)

    run_ranks(3, work)


@pytest.mark.parametrize(("name", "settings"), SOLVERS[:2], ids=["pegasos", "sdca"])
@pytest.mark.parametrize(("before", "after"), [(1, 1), (3, 3), (1, 3), (3, 2), (2, 1)])
def test_a_run_continues_from_its_state_on_any_number_of_ranks(
    before: int, after: int, name: str, settings: dict[str, Any]
) -> None:
    whole, settings = problem(), {**settings, "batch_size": 6, "average": Averaging.tail}

    def first(all_reduce: AllReduce) -> tuple[State | None, Any, Any]:
        made = solver(name, sharded(whole, all_reduce), 5, **settings)
        made.advance(Limit(iterations=13))
        state = made.state()
        made.advance(Limit(iterations=40))
        return state, made.snapshot(), made.counters

    state, uninterrupted, counters = run_ranks(before, first)[0]

    def second(all_reduce: AllReduce) -> tuple[Any, Any, float]:
        made = solver(name, sharded(whole, all_reduce), 5, **settings)
        made.restore(state if all_reduce.rank == 0 else None)
        assert made.counters.iterations == 13
        spent = made.cpu_seconds
        made.advance(Limit(iterations=40))
        return made.snapshot(), made.counters, spent

    resumed = run_ranks(after, second)
    assert sum(spent for _, _, spent in resumed) == pytest.approx(state["cpu_seconds"].item())
    for mine, costs, _ in resumed:
        assert costs == counters
        same(mine, uninterrupted)
        assert before != after or np.array_equal(mine.weights, uninterrupted.weights)


def test_a_problem_with_fewer_rows_than_ranks_is_refused() -> None:
    X = np.eye(4, dtype=np.float32)
    with pytest.raises(SettingsError, match="5 ranks cannot share n = 4 rows"):
        check_ranks(Problem(X, np.array([1, 1, -1, -1]), Linear(), lambda_=1.0), 5)


def test_ranks_of_one_class() -> None:
    X, _ = points(N, D, 3)
    whole = Problem(X, np.where(np.arange(N) == 7, 1, -1), Linear(), lambda_=0.03)
    alone = solver("minibatch_sdca", whole, 5, batch_size=9)
    alone.advance(Limit(iterations=20))

    def work(all_reduce: AllReduce) -> LinearSnapshot:
        made = solver("minibatch_sdca", sharded(whole, all_reduce), 5, batch_size=9)
        made.advance(Limit(iterations=20))
        return made.snapshot()

    for snapshot in run_ranks(3, work):
        same(snapshot, alone.snapshot())


@pytest.mark.parametrize("ranks", [2, 3])
@BY_KIND
@BY_METHOD
def test_ranks_share_large_batches_by_rows_and_by_coordinates(kind: str, method: str, ranks: int) -> None:
    name, settings = METHODS[method]
    settings = {"batch_size": B, **settings}
    alone = run(name, large(kind), Limit(iterations=30), 4, **settings)

    def work(all_reduce: AllReduce) -> tuple[Array, Counters]:
        made = run(name, sharded(large(kind), all_reduce), Limit(iterations=30), 4, **settings)
        return weights(made), made.counters

    everyone, w = run_ranks(ranks, work), weights(alone)
    for mine, counters in everyone:
        np.testing.assert_allclose(mine, w, rtol=0, atol=1e-12 * max(1.0, np.abs(w).max()))
        assert mine.tobytes() == everyone[0][0].tobytes()
        assert counters == alone.counters


def test_wrong_shards_are_refused() -> None:
    p = problem()
    for rank, ranks, size in ((3, 3, N), (0, N + 1, N)):
        with pytest.raises(CoreError, match=f"no rank {rank} of {ranks}"):
            _core.Shard(rank, ranks, size, 1.0)
    with pytest.raises(CoreError, match="not those of this shard"):
        _core.MiniBatchPegasos(p.features, lambda_=1.0, batch_size=2, seed=0, shard=_core.Shard(0, 2, N, 1.0))
