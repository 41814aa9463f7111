"""Figure 2 of the SBP paper from nothing, beside computing each of its kernel rows when it is needed."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

import pytest
from sklearn.metrics.pairwise import rbf_kernel

from benchmarks import data
from benchmarks.measure import Comparisons, seconds
from svm_cost_curves.datasets import Dataset
from svm_cost_curves.experiments.store import Store
from svm_cost_curves.solvers import Gaussian, Limit, Problem, RowPolicy, get

SLICE = 200
"""Rows of the slices that are computed when they are needed."""


@pytest.mark.parametrize(
    ("name", "sigma2", "nu"),  # Table 2, without bias
    [("reuters_money_fx", 0.5, 6.34e-4), ("adult", 10.0, 1.10e-2), ("mnist", 25.0, 2.21e-4)],
)
def benchmark_figure2(name: str, sigma2: float, nu: float, table: Comparisons, request: pytest.FixtureRequest) -> None:
    """Compare with a library's rows, and with rows of the core on the fly; extrapolated from `SLICE` rows."""
    loaded = data.load(name)
    scale, cores = request.config.getoption("scale"), os.cpu_count() or 1
    with data.scratch() as grams, tempfile.TemporaryDirectory() as folder:
        command = [
            *(sys.executable, str(data.ROOT / "reproduce.py"), "figure=sbp_fig2", f"scale={scale}", f"jobs={cores}"),
            *(f"dataset={name}", f"store={folder}/store", f"figures={folder}/figures"),
        ]
        environment = {**os.environ, "SVM_GRAM_DIR": str(grams)}
        wall = seconds(lambda: subprocess.run(command, check=True, capture_output=True, env=environment, cwd=data.ROOT))
        runs = Store.open(f"{folder}/store", read_only=True).runs()
        evaluations = sum(run.result["counters"]["kernel_evaluations"] for run in runs)
    for rows, per_evaluation in (
        ("scikit-learn's rbf_kernel", _library_seconds(loaded, sigma2)),
        ("this core", _core_seconds(loaded, sigma2, nu)),
    ):
        table.add(
            f"{evaluations:.3g} kernel evaluations on {cores} cores, rows by {rows} when they are needed / {name} in "
            f"Figure 2, scale={scale}, from nothing",
            [(evaluations * per_evaluation / cores, wall)],
        )


def _library_seconds(loaded: Dataset, sigma2: float) -> float:
    """Return seconds per kernel evaluation of a library that computes one row at a time, on float32 features."""
    X, gamma = loaded.X, 0.5 / sigma2
    rbf_kernel(X[:1], X, gamma=gamma)
    return seconds(lambda: [rbf_kernel(X[i : i + 1], X, gamma=gamma) for i in range(SLICE)]) / (SLICE * loaded.n)


def _core_seconds(loaded: Dataset, sigma2: float, nu: float) -> float:
    """Return seconds per kernel evaluation of SBP iterations on rows computed on the fly."""
    problem = Problem(loaded.X, loaded.y, Gaussian(sigma2), nu=nu, rows=RowPolicy(provider="on_the_fly", threads=1))
    kind = get("sbp")
    solver = kind(problem, kind.Settings(), seed=0)
    solver.advance(Limit(iterations=SLICE))
    return solver.wall_seconds / (solver.counters.kernel_evaluations or 1)
