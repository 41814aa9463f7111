"""Benchmark 14: the dual objectives of LASVM and SVMlight against LIBSVM's, and their kernel evaluations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from threadpoolctl import threadpool_limits

from datasets import DataError, Dataset
from experiments.bench import data
from experiments.bench.measure import Row
from solvers import Gaussian, Limit, Problem, RowPolicy, Solver, get
from solvers.evaluation import Evaluator


@dataclass(frozen=True)
class _Case:
    dataset: str
    fields: dict[str, object]
    sigma2: float
    C: float
    bar: float | None = None
    """Of the CPU seconds of LASVM's pass over LIBSVM's."""


CASES = (
    _Case("adult", {}, 100.0, 100.0),  # of the LASVM paper
    _Case("adult", {}, 500.0, 1000.0, 0.5),
    _Case("ijcnn1", {}, 0.5, 100.0),  # of the ASSET paper
    _Case("mnist", {"positive": [0, 1, 2, 3, 4], "max_train": 20_000}, 50.0, 100.0),
)
WAYS: tuple[tuple[str, dict[str, Any]], ...] = (("lasvm", {}), ("lasvm", {"passes": 2}), ("svmlight", {}))


def rows(memory_bytes: int) -> list[Row]:
    """Return a row for each method and each data set whose files are there."""
    with threadpool_limits(1):
        return [row for case in CASES for row in _rows(case, memory_bytes)]


def _rows(case: _Case, memory_bytes: int) -> Iterator[Row]:
    try:
        loaded = data.load(case.dataset, **case.fields)
    except DataError:
        return
    problem = Problem(
        loaded.X,
        loaded.y,
        Gaussian(case.sigma2),
        lambda_=1.0 / (case.C * loaded.n),
        bias=True,
        rows=RowPolicy(provider="cache", memory_bytes=memory_bytes, threads=1),
    )
    peer, optimum = _ended(problem, loaded, "libsvm", {"cache_mb": 8000})
    for algo, settings in WAYS:
        solver, dual = _ended(problem, loaded, algo, settings)
        given = "".join(f", {name} = {value}" for name, value in settings.items())
        size = f"{case.dataset}, {problem.n:,} x {problem.d:,}, sigma^2 = {case.sigma2:g}, C = {case.C:g}, bias"
        yield Row(
            f"{algo}{given}: what its dual objective lacks of LIBSVM's, relative; {size}",
            f"{solver.counters.kernel_evaluations or 0:.3g} evaluations, {solver.cpu_seconds:.1f} s",
            f"LIBSVM {peer.cpu_seconds:.1f} s",
            (optimum - dual) / optimum,
            1e-3,
        )
        if algo == "lasvm" and not settings:
            ours, theirs = solver.cpu_seconds, peer.cpu_seconds
            what = f"lasvm, a pass and its finishing / LIBSVM, CPU seconds; {size}"
            yield Row(what, f"{ours:.1f} s", f"{theirs:.1f} s", ours / theirs, case.bar)


def _ended(problem: Problem, loaded: Dataset, algo: str, settings: dict[str, Any]) -> tuple[Solver, float]:
    kind = get(algo)
    solver = kind(problem, kind.Settings(**settings), seed=0)
    solver.advance(Limit())
    dual = Evaluator(problem, loaded).evaluate([solver.snapshot()])[0]["dual"]
    assert dual is not None
    return solver, dual
