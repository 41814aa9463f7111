"""Benchmark 16: many processes that record into one store at the same time."""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import pairwise
from multiprocessing.synchronize import Barrier
from pathlib import Path

from experiments.bench.measure import Row
from experiments.curve import from_rows
from experiments.store import Store

PROCESSES = 16
RUNS = 4
POINTS = 300
BAR_SECONDS = 20.0
START_SECONDS = 600.0
"""Seconds for sixteen processes to start."""


def rows(processes: int = PROCESSES, runs: int = RUNS) -> Iterator[Row]:
    """Let `processes` processes record `runs` runs each at the same moment, in a new store.

    Yields
    ------
    Row
        Runs found afterwards over runs recorded; the longest call over `BAR_SECONDS`.
    """
    with tempfile.TemporaryDirectory(prefix="svm-recording-") as folder:
        context = multiprocessing.get_context("spawn")
        together = context.Barrier(processes)
        began = time.perf_counter()
        with ProcessPoolExecutor(processes, context, initializer=_begin, initargs=(together,)) as pool:
            recorded = pool.map(partial(_record, Path(folder), runs), range(processes))
            calls = [took for taken in recorded for took in taken]
        took = time.perf_counter() - began
        found = len(Store.open(folder, read_only=True).runs())
    what = f"{processes} processes, {runs} runs of {POINTS} points each, one store"
    yield Row(
        f"{what}: runs that are found / runs recorded",
        f"{found}",
        f"{processes * runs}",
        found / (processes * runs),
        bar=1.0,
        at_most=False,
    )
    yield Row(
        f"{what}: the longest call / {BAR_SECONDS:g} s",
        f"{max(calls):.2f} s",
        f"{BAR_SECONDS:g} s",
        max(calls) / BAR_SECONDS,
        bar=1.0,
        spread=f"{len(calls)} calls, {sum(calls) / len(calls):.2f} s on average; {took:.0f} s in all",
    )


def _begin(together: Barrier) -> None:
    """Wait until all processes have started."""
    together.wait(START_SECONDS)


def _record(root: Path, runs: int, who: int) -> list[float]:
    """Record runs; return the seconds of each call."""
    curve = from_rows([{"iterations": i, "wall_seconds": i, "test_error": 1 / (i + 1)} for i in range(POINTS)])
    store = Store.open(root)
    times = []
    for number in range(runs):
        times.append(time.perf_counter())
        result = {"algo": "none", "dataset": "none", "kernel": "none", "seed": number, "settings": {}, "provenance": {}}
        store.finish(f"{who}-{number}", result, curve)
    times.append(time.perf_counter())
    return [later - earlier for earlier, later in pairwise(times)]
