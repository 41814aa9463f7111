"""Ranks as threads of one process."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np
from cases import Array
from waiting import PATIENCE

from svm_cost_curves.solvers import Problem
from svm_cost_curves.solvers.all_reduce import AllReduce
from svm_cost_curves.solvers.shard import scatter_rows

T = TypeVar("T")


class Table:
    """A list with one place for each thread, and a barrier."""

    def __init__(self, ranks: int) -> None:
        self.things: list[Any] = [None] * ranks
        self.barrier = threading.Barrier(ranks, timeout=PATIENCE)


class ThreadAllReduce(AllReduce):
    """One of several ranks in this process."""

    def __init__(self, rank: int, ranks: int, table: Table) -> None:
        self.rank, self.ranks, self._table = rank, ranks, table
        self.sums = 0

    def _all(self, thing: Any) -> list[Any]:
        self._table.things[self.rank] = thing
        self._table.barrier.wait()
        things = list(self._table.things)
        self._table.barrier.wait()
        return things

    def sum(self, values: Array) -> None:
        assert values.flags.c_contiguous
        self.sums += 1
        values[:] = np.sum(self._all(values.copy()), axis=0)

    def broadcast(self, value: T | None) -> T:
        return self._all(value)[0]  # type: ignore[no-any-return]

    def scatter(self, part_of: Callable[[int], T] | None) -> T:
        return self._all(part_of)[0](self.rank)  # type: ignore[no-any-return]

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
