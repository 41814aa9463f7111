"""Benchmark 20: SMO with bias against scikit-learn-intelex in float32, each in its own process on one thread."""

from __future__ import annotations

import importlib.util
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
from experiments.run.evaluation import Evaluator
from solvers import Gaussian, KernelSnapshot, Limit, Problem, RowPolicy, get

ROOT = Path(__file__).resolve().parents[2]
CACHE_BYTES = 4_000_000_000
TOLERANCE = 1e-3
"""Of both: the largest violation of a KKT condition at which they stop."""


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
    """One training to the stopping rule: CPU seconds of the process with all kernel work, and what came out."""

    seconds: float
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
    ends = [(_process("ours", name), _process("intelex", name)) for _ in range(repetitions)]
    mine, other, ratio, spread = median_ratio([(ours.seconds, theirs.seconds) for ours, theirs in ends])
    yield Row(
        f"SMO to its stop / scikit-learn-intelex in float32 to its own, CPU seconds; {name}, "
        f"sigma^2 = {case.sigma2:g}, C = {case.C:g}, bias, tolerance {TOLERANCE:g}",
        _words(mine, ends[0][0]),
        _words(other, ends[0][1]),
        ratio,
        case.bar,
        spread=spread,
    )


def _words(seconds: float, ended: Ended) -> str:
    """Return the median time, and the result, which is the same in each repetition."""
    return f"{seconds:.2f} s (dual {ended.dual:.7g}, test error {100 * ended.error:.3f} %)"


def _process(side: str, name: str) -> Ended:
    command = [sys.executable, "-m", "experiments.bench.intelex", side, name]
    output = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    return Ended(**json.loads(output.splitlines()[-1]))


def _train(side: str, name: str) -> Ended:
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
    seconds, snapshot = (_ours if side == "ours" else _intelex)(problem, case)
    measures = Evaluator(problem, loaded).evaluate([snapshot])[0]
    dual, error = measures["dual"], measures["test_error"]
    assert dual is not None
    assert error is not None
    return Ended(seconds, dual, error)


def _ours(problem: Problem, case: Case) -> tuple[float, KernelSnapshot]:
    del case
    kind = get("smo")
    start = time.process_time()
    solver = kind(problem, kind.Settings(tolerance=TOLERANCE), seed=0)
    solver.advance(Limit())
    seconds = time.process_time() - start
    snapshot = solver.snapshot()
    assert isinstance(snapshot, KernelSnapshot)
    return seconds, snapshot


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
    print(json.dumps(asdict(_train(*sys.argv[1:]))))
