"""Benchmark 20: SMO with bias against scikit-learn-intelex in float32, each in its own process on one thread."""

from __future__ import annotations

import importlib.util
import itertools
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from datasets import DataError
from experiments.bench import data
from experiments.bench.measure import Row, median_ratio
from solvers import Gaussian, KernelSnapshot, Limit, Problem, RowPolicy, Status, get
from solvers.evaluation import Evaluator

ROOT = Path(__file__).resolve().parents[2]
CACHE_BYTES = 4_000_000_000
TOLERANCE = 1e-3
"""Of both: the largest violation of a KKT condition at which they stop. They measure it differently."""
STRIDE = 2000
"""Iterations of SMO between two evaluations of its dual objective, which are not timed."""


@dataclass(frozen=True)
class Case:
    """A data set with its kernel width, C, and the bar of the ratio of CPU seconds."""

    fields: dict[str, object]
    sigma2: float
    C: float
    bar: float


CASES = {
    "adult": Case({}, 100.0, 100.0, 0.6),
    "ijcnn1": Case({}, 0.25, 32.0, 0.5),
    "covtype_subset": Case({}, 5000.0, 10_000.0, 1.0),
    "mnist": Case({"positive": [8]}, 25.0, 1000.0, 0.9),
}


@dataclass(frozen=True)
class Ended:
    """One training to the stopping rule: CPU seconds of the process with all kernel work, and what came out.

    `reached`: the seconds to the other side's dual objective, up to 1e-6 of it, or to the stop if that comes first.
    """

    seconds: float
    reached: float
    dual: float
    error: float


def rows(repetitions: int, names: list[str]) -> list[Row]:
    """Return a row for each data set whose files are there; one row that says so where the library is absent."""
    if importlib.util.find_spec("sklearnex") is None:
        return [Row("SMO with bias / scikit-learn-intelex: not installed (extra `bench`)", "", "", float("nan"), None)]
    return [row for name in names for row in _rows(name, repetitions)]


def _rows(name: str, repetitions: int) -> Iterator[Row]:
    case = CASES[name]
    try:
        data.load(name, **case.fields)
    except DataError:
        return
    ends: list[tuple[Ended, Ended]] = []
    for _ in range(repetitions):
        theirs = _process("intelex", name, 0.0)
        ends.append((_process("ours", name, theirs.dual), theirs))
    where = f"{name}, sigma^2 = {case.sigma2:g}, C = {case.C:g}, bias, tolerance {TOLERANCE:g}"
    stopped = [(ours.seconds, theirs.seconds) for ours, theirs in ends]
    reached = [(ours.reached, theirs.seconds) for ours, theirs in ends]
    for what, bar, pairs in (
        ("its stop", None, stopped),
        ("the other's dual objective, or its stop", case.bar, reached),
    ):
        mine, other, ratio, spread = median_ratio(pairs)
        yield Row(
            f"SMO to {what} / scikit-learn-intelex in float32 to its stop, CPU seconds; {where}",
            _words(mine, ends[0][0]),
            _words(other, ends[0][1]),
            ratio,
            bar,
            spread=spread,
        )


def _words(seconds: float, ended: Ended) -> str:
    """Return the median time, and the result at the stop, which is the same in each repetition."""
    return f"{seconds:.2f} s (dual {ended.dual:.7g}, test error {100 * ended.error:.3f} %)"


def _process(side: str, name: str, target: float) -> Ended:
    command = [sys.executable, "-m", "experiments.bench.intelex", side, name, repr(target)]
    output = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    return Ended(**json.loads(output.splitlines()[-1]))


def _train(side: str, name: str, target: float) -> Ended:
    """Train on one core, in this process."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # before the library starts its threads: it starts one
    case = CASES[name]
    loaded = data.load(name, **case.fields)
    problem = Problem(
        loaded.X,
        loaded.y,
        Gaussian(case.sigma2),
        lambda_=1.0 / (case.C * loaded.n),
        bias=True,
        rows=RowPolicy(provider="cache", memory_bytes=CACHE_BYTES, threads=1),
    )
    if side == "ours":
        seconds, reached, snapshot = _ours(problem, target)
    else:
        seconds, snapshot = _intelex(problem, case)
        reached = seconds
    measures = Evaluator(problem, loaded).evaluate([snapshot])[0]
    dual, error = measures["dual"], measures["test_error"]
    assert dual is not None
    assert error is not None
    return Ended(seconds, reached, dual, error)


def _ours(problem: Problem, target: float) -> tuple[float, float, KernelSnapshot]:
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


def _intelex(problem: Problem, case: Case) -> tuple[float, KernelSnapshot]:
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
    return seconds, KernelSnapshot(coefficients, bias=float(model.intercept_[0]), dual_feasible=True)


if __name__ == "__main__":
    print(json.dumps(asdict(_train(sys.argv[1], sys.argv[2], float(sys.argv[3])))))
