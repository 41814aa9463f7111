"""Benchmark 11: mini-batches on two threads against one, and b = 1 against dual coordinate descent; data loaded."""

from __future__ import annotations

import os
from typing import Any

from threadpoolctl import threadpool_limits

from datasets import DataError, Dataset
from experiments.bench import data
from experiments.bench.measure import Row, alternate, median_ratio
from solvers import Limit, Linear, Problem, Solver, get
from solvers.minibatch import Variant

DATA: dict[str, dict[str, object]] = {
    "covtype_subset": {"positive": [1], "scaling": "minmax"},
    "adult": {},
    "rcv1_ccat_subset": {},
    "newsgroups_binary": {},
}
"""Data sets, and the fields of their specification that are replaced."""
METHODS: dict[str, dict[str, object]] = {
    "minibatch_pegasos": {},
    "minibatch_sdca safe": {"variant": Variant.safe},
    "minibatch_sdca aggressive": {"variant": Variant.aggressive},
}
SIZES = (1024, 8192)
BARS = {"covtype_subset": 1.7, "rcv1_ccat_subset": 1.5}
"""How many times faster two threads are to be, of the first of SIZES."""
LAMBDA = 1e-4
PRESENTED = 400_000
"""Examples of one measurement."""
WARM = 20
"""Iterations before the measurement."""


def rows(repetitions: int) -> list[Row]:
    """Return the rows of all parts, on the data sets whose files are there."""
    threads, single = list[Row](), list[Row]()
    with threadpool_limits(1):
        for name, overrides in DATA.items():
            try:
                loaded = data.load(name, **overrides)
            except DataError:
                continue
            problem = _problem(loaded)
            size = f"{name}, {problem.n:,} x {problem.d:,}"
            if (os.cpu_count() or 1) >= 2:
                for b in SIZES:
                    bar = BARS.get(name) if b == SIZES[0] else None
                    threads += [
                        _threads(size, problem, min(b, problem.n), method, bar, repetitions) for method in METHODS
                    ]
            single += [_single(size, problem, method, repetitions) for method in METHODS if "sdca" in method]
    return threads + single


def _problem(loaded: Dataset) -> Problem:
    return Problem(loaded.X, loaded.y, Linear(), lambda_=LAMBDA)


def _solver(problem: Problem, method: str, **own: Any) -> Solver:
    kind = get(method.split()[0])
    return kind(problem, kind.Settings(**METHODS[method], **own), seed=0)


def _threads(size: str, problem: Problem, b: int, method: str, bar: float | None, repetitions: int) -> Row:
    """Return the wall time of an iteration on one thread over the time on two."""
    iterations = max(WARM, PRESENTED // b)

    def seconds(threads: int) -> float:
        solver = _solver(problem, method, batch_size=b, threads=threads)
        solver.advance(Limit(iterations=WARM))
        before = solver.wall_seconds
        solver.advance(Limit(iterations=WARM + iterations))
        return (solver.wall_seconds - before) / iterations

    one, two, ratio, spread = median_ratio(alternate(lambda: seconds(1), lambda: seconds(2), repetitions))
    what = f"{method}, b = {b:,}, wall time of an iteration on one thread / on two; {size}"
    return Row(what, f"{1e6 * one:.1f} us", f"{1e6 * two:.1f} us", ratio, bar, at_most=False, spread=spread)


def _single(size: str, problem: Problem, method: str, repetitions: int) -> Row:
    """Return the CPU time of a presentation with b = 1 over that of dual coordinate descent without shrinking."""
    presentations = max(1, 4 * PRESENTED // problem.n) * problem.n

    def ours() -> float:
        return _seconds(_solver(problem, method, batch_size=1), presentations)

    def theirs() -> float:
        kind = get("dcd")
        return _seconds(kind(problem, kind.Settings(eps=1e-12, shrinking=False), seed=0), presentations)

    mine, peer, ratio, spread = median_ratio(alternate(ours, theirs, repetitions))
    what = f"{method}, b = 1 / dcd without shrinking, a presentation; {size}"
    return Row(what, f"{1e9 * mine:.1f} ns", f"{1e9 * peer:.1f} ns", ratio, 1.1, spread=spread)


def _seconds(solver: Solver, presentations: int) -> float:
    solver.advance(Limit(presentations=presentations))
    return solver.cpu_seconds / (solver.counters.presentations or 1)
