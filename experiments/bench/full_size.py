"""Benchmark 21: the SBP at the size of Forest, and linear methods at the size of RCV1, in processes of their own.

Neither data set is at hand at full size. Forest's points are drawn from its part with replacement, and the numeric
features are jittered; RCV1's are synthetic points like texts. Each case has a process, whose peak memory is measured.
"""

from __future__ import annotations

import multiprocessing
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

import datasets
from datasets import DataError
from experiments.bench import data
from experiments.bench.measure import Row
from experiments.bench.sparse import text
from solvers import Gaussian, KernelSnapshot, Limit, Linear, Problem, RowPolicy, Solver, _core, get

PART, FOREST = 83_666, 522_910
"""Training rows of the part of Forest, and of Forest in the SBP paper."""
NUMERIC = 10
"""Forest's first ten features are numbers, the others 0 or 1."""
MEMORY = 12 << 30
SBP_ITERATIONS = 300
ROW_COUNT = 20
TEXTS, WORDS, STORED = 723_973, 47_236, 76
"""Rows and features of rcv1_ccat's training set, and values a row."""
SIMBA_ITERATIONS = 5_000
BLOCK = 20_000
"""Texts that are made once, and repeated with new values: making all takes minutes."""


@dataclass(frozen=True)
class SbpCost:
    """Wall seconds of an SBP iteration and of a kernel row, one thread; peak memory in bytes; support vectors / n."""

    iteration: float
    row: float
    peak: int
    support: float


def rows(*, forest: tuple[int, int] = (PART, FOREST), texts: int = TEXTS) -> Iterator[Row]:
    """Yield the rows of both parts; those of Forest only where its part is at hand.

    Parameters
    ----------
    forest : (int, int)
        Sizes between which the SBP's growth is measured.
    texts : int
    """
    try:
        data.load("covtype_subset")
    except DataError as error:
        print(f"benchmark 21 leaves out Forest: {str(error).partition(': ')[0]}")
    else:
        yield from _forest_rows({n: _alone(_sbp_cost, n) for n in forest})
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "texts.svm"
        bytes_of_values = _alone(_write_texts, file, texts)
        for what, ours, taken in _alone(_linear_costs, file):
            if what == "memory":
                share = taken / bytes_of_values
                bar, size = 3.0, f"{bytes_of_values / 2**20:,.0f} MiB"
                yield Row(f"{ours} / its values and their columns", f"{taken / 2**20:,.0f} MiB", size, share, bar)
            else:
                yield Row(
                    f"{what}, {texts:,} x {WORDS:,}, {STORED} values a row / a minute", ours, "60 s", taken / 60, None
                )


def _forest_rows(costs: dict[int, SbpCost]) -> Iterator[Row]:
    (n, small), (full, large) = costs.items()
    growth = (large.iteration / small.iteration) / (full / n)
    yield Row(
        f"SBP iteration with bias, points like Forest, n = {full:,} / n = {n:,}, over the ratio of n",
        f"{1e3 * large.iteration:.2f} ms",
        f"{1e3 * small.iteration:.2f} ms",
        growth,
        1.1,
        spread=f"support vectors {100 * large.support:.1f} % and {100 * small.support:.1f} %",
    )
    for size, cost in costs.items():
        times = f"{1e3 * cost.iteration:.2f} ms", f"{1e3 * cost.row:.2f} ms"
        yield Row(
            f"SBP iteration with bias / one row computed and added, n = {size:,}",
            *times,
            cost.iteration / cost.row,
            None,
        )
    peak = f"{large.peak / 2**30:.2f} GiB"
    yield Row(f"peak memory, n = {full:,} / memory=12GiB", peak, "12 GiB", large.peak / MEMORY, 1.0)
    epoch = large.iteration * full
    yield Row(
        f"an epoch of the SBP, n = {full:,}, one thread / an hour",
        f"{epoch / 60:.0f} min",
        "60 min",
        epoch / 3600,
        None,
    )


def _alone(work: Callable[..., Any], *arguments: object) -> Any:
    """Return the result of a function that a new process has called."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(work, *arguments).result()


def _sbp_cost(n: int) -> SbpCost:
    X, y = _like_forest(n)
    policy = RowPolicy(provider="cache", memory_bytes=MEMORY, threads=1)
    # the SBP paper's Table 2: sigma^2 = 5000, C = 10,000, nu = 7.62e-10
    problem = Problem(X, y, Gaussian(5000.0), lambda_=1e-4 / n, nu=7.62e-10, bias=True, rows=policy)
    kind = get("sbp")
    solver = kind(problem, kind.Settings(), seed=0)
    solver.advance(Limit(iterations=10))  # past the allocation of the first rows
    began = time.perf_counter()
    solver.advance(Limit(iterations=10 + SBP_ITERATIONS))
    iteration = (time.perf_counter() - began) / SBP_ITERATIONS
    snapshot = solver.snapshot()
    assert isinstance(snapshot, KernelSnapshot)
    support = np.count_nonzero(snapshot.coefficients) / n
    peak = _peak()
    fresh = Problem(X, y, Gaussian(5000.0), rows=policy).rows.source
    row = _core.seconds_of_row_additions(fresh, ROW_COUNT, 1) / ROW_COUNT
    return SbpCost(iteration, row, peak, support)


def _like_forest(n: int) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
    """Return n points drawn from the part of Forest, so with its class shares; numbers are jittered by 1 %."""
    part = data.load("covtype_subset")
    generator = np.random.default_rng(0)
    chosen = generator.integers(0, len(part.y), n)
    X = np.asarray(part.X)[chosen]
    spread = X[:, :NUMERIC].std(axis=0)
    X[:, :NUMERIC] += 0.01 * spread * generator.normal(size=(n, NUMERIC)).astype(np.float32)
    return np.ascontiguousarray(X), part.y[chosen]


def _write_texts(file: Path, n: int) -> int:
    """Write LIBSVM text; return the bytes of its values and their columns in memory, 8 for each."""
    X, y = text(min(BLOCK, n), WORDS, STORED)
    generator = np.random.default_rng(1)
    with file.open("w", encoding="ascii") as out:
        for start in range(0, n, BLOCK):
            count = min(BLOCK, n - start)
            values = generator.random((count, STORED), dtype=np.float32)
            values /= np.linalg.norm(values, axis=1, keepdims=True)
            columns = X.indices.reshape(-1, STORED)[:count] + 1
            for label, row, own in zip(y[:count], columns, values, strict=True):
                out.write(f"{label} " + " ".join(map("{}:{:.4g}".format, row, own)) + "\n")
    return 8 * n * STORED


def _linear_costs(file: Path) -> list[tuple[str, str, float]]:
    """Return what was measured, its text or its name, and seconds or bytes."""
    began = time.perf_counter()
    loaded = datasets.load(data.spec("file", train=str(file), test_fraction=0.001), cache_dir=file.parent)
    taken = time.perf_counter() - began
    found = [("loading LIBSVM text and splitting it", f"{taken:.1f} s", taken)]
    found.append(("memory", "peak memory of loading", float(_peak())))
    X, y = sparse.csr_matrix(loaded.X), loaded.y
    del loaded
    problem = Problem(X, y, Linear(), lambda_=1e-5, nu=1e-3)
    for name, settings in (("sgd_m", {}), ("dcd", {}), ("minibatch_pegasos", {"batch_size": 1024}), ("simba", {})):
        seconds = _pass(get(name), problem, settings)
        what = f"{SIMBA_ITERATIONS:,} iterations of simba" if name == "simba" else f"a pass of {name}"
        found.append((what, f"{seconds:.2f} s", seconds))
        found.append(("memory", f"peak memory, {name} included", float(_peak())))
    return found


def _pass(kind: type[Solver], problem: Problem, settings: dict[str, Any]) -> float:
    """Return the wall seconds of one pass, of `SIMBA_ITERATIONS` (each O(n + d)) for SIMBA, without the set-up."""
    solver = kind(problem, kind.Settings(**settings), seed=0)
    began = time.perf_counter()
    solver.advance(Limit(iterations=SIMBA_ITERATIONS) if kind.name == "simba" else Limit(presentations=problem.n))
    return time.perf_counter() - began


def _peak() -> int:
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
