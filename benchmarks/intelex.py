"""SMO with bias beside scikit-learn-intelex in float32, each in its own process on one core; CPU seconds."""

from __future__ import annotations

import itertools
import multiprocessing
import os
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import numpy as np
import pytest

from benchmarks import data
from benchmarks.measure import Comparisons
from svm_cost_curves.solvers import Gaussian, KernelSnapshot, Limit, Problem, RowPolicy, Status, get
from svm_cost_curves.solvers.evaluation import Evaluator

CACHE_BYTES = 4 * 10**9
TOLERANCE = 1e-3
"""Of both: the largest violation of a KKT condition at which they stop. They measure it differently."""
STRIDE = 2000
"""Iterations of SMO between two evaluations of its dual objective, which are not timed."""


@dataclass(frozen=True)
class Case:
    """A data set with the fields that are replaced, its kernel width, C, and the bar of the ratio of CPU seconds."""

    name: str
    fields: dict[str, object]
    sigma2: float
    C: float
    bar: float


CASES = (
    Case("adult", {}, 100.0, 100.0, 0.6),
    Case("ijcnn1", {}, 0.25, 32.0, 0.5),
    Case("covtype_subset", {}, 5000.0, 10_000.0, 1.0),
    Case("mnist", {"positive": [8]}, 25.0, 1000.0, 0.9),
)


@dataclass(frozen=True)
class End:
    """One training to the stopping rule: CPU seconds of the process with all kernel work, and its result.

    `reached`: the seconds to the other side's dual objective, up to 1e-6 of it, or to the stop if that comes first.
    """

    seconds: float
    reached: float
    dual: float
    error: float

    def __str__(self) -> str:
        return f"dual {self.dual:.7g}, test error {100 * self.error:.3f} %"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def benchmark_intelex(case: Case, table: Comparisons) -> None:
    """Compare SMO to its own stop, and to the other's dual objective, with the library to its stop."""
    pytest.importorskip("sklearnex", reason="scikit-learn-intelex is not installed (extra bench)")
    data.load(case.name, **case.fields)
    pairs: list[tuple[End, End]] = []
    for _ in range(min(table.repeat, 3)):
        library = _alone(case, None)
        pairs.append((_alone(case, library.dual), library))
    ours, library = pairs[0]
    where = f"scikit-learn-intelex in float32 to its stop ({library}); {case.name}, sigma^2 = {case.sigma2:g}, "
    where += f"C = {case.C:g}, bias, tolerance {TOLERANCE:g}"
    table.add(f"SMO to its stop ({ours}) / {where}", [(first.seconds, second.seconds) for first, second in pairs])
    table.add(
        f"SMO to the other's dual objective, or its stop / {where}",
        [(first.reached, second.seconds) for first, second in pairs],
        at_most=case.bar,
    )


def _alone(case: Case, target: float | None) -> End:
    """Train in a process of its own: with a target, the other's dual objective, by SMO, else by the library."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(_train, case, target).result()


def _train(case: Case, target: float | None) -> End:
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # before the library starts its threads: it starts one
    loaded = data.load(case.name, **case.fields)
    problem = Problem(
        loaded.X,
        loaded.y,
        Gaussian(case.sigma2),
        lambda_=1.0 / (case.C * loaded.n),
        bias=True,
        rows=RowPolicy(provider="cache", memory_bytes=CACHE_BYTES, threads=1),
    )
    seconds, reached, snapshot = _intelex(problem, case) if target is None else _smo(problem, target)
    measures = Evaluator(problem, loaded).evaluate([snapshot])[0]
    return End(seconds, reached, measures["dual"] or 0.0, measures["test_error"] or 0.0)


def _smo(problem: Problem, target: float) -> tuple[float, float, KernelSnapshot]:
    kind = get("smo")
    start = time.process_time()
    solver = kind(problem, kind.Settings(tolerance=TOLERANCE), seed=0)
    seconds, reached = time.process_time() - start, float("inf")
    for iterations in itertools.count(STRIDE, STRIDE):
        start = time.process_time()
        status = solver.advance(Limit(iterations=iterations))
        seconds += time.process_time() - start
        snapshot = solver.snapshot()
        assert isinstance(snapshot, KernelSnapshot)
        if _dual(problem, snapshot) >= (1.0 - 1e-6) * target:
            reached = min(reached, seconds)
        if status is Status.CONVERGED:
            return seconds, min(reached, seconds), snapshot
    raise AssertionError("SMO stops")


def _dual(problem: Problem, snapshot: KernelSnapshot) -> float:
    """Return the dual objective of the lambda form from the responses without bias, which SMO has."""
    alpha = problem.y * snapshot.coefficients
    assert snapshot.responses is not None
    return float(np.sum(alpha) - 0.5 * alpha @ snapshot.responses) / (problem.C * problem.n)


def _intelex(problem: Problem, case: Case) -> tuple[float, float, KernelSnapshot]:
    from sklearnex.svm import SVC

    # its gamma is 1 / (2 sigma^2) of `Gaussian`
    model = SVC(C=case.C, gamma=0.5 / case.sigma2, tol=TOLERANCE, cache_size=CACHE_BYTES / 1e6)
    X = np.asarray(problem.X, dtype=np.float32)
    y = problem.y.astype(np.float32)
    model.fit(X[::50], y[::50])  # the library's own start takes a second
    start = time.process_time()
    model.fit(X, y)
    seconds = time.process_time() - start
    coefficients = np.zeros(problem.n)
    coefficients[model.support_] = np.asarray(model.dual_coef_, dtype=np.float64).ravel()
    return seconds, seconds, KernelSnapshot(coefficients, bias=float(model.intercept_[0]), dual_feasible=True)
