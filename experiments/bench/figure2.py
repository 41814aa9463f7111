"""Benchmark 6: the SBP paper's Figure 2 on Adult, end to end, against computing each kernel row when it is needed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from datasets import Dataset
from experiments.bench import data
from experiments.bench.measure import Row, seconds
from solvers import Gaussian, Limit, Problem, RowPolicy, get

ROOT = Path(__file__).resolve().parents[2]
ALGORITHMS = ("sbp", "pegasos", "sdca", "smo", "perceptron")
SEEDS = 10
SIGMA2, NU = 10.0, 1.10e-2  # Table 2, Adult without bias
SLICE = 200  # rows of the slices that are computed when they are needed


def rows() -> list[Row]:
    """Return the wall time of five solvers x ten seeds through run.py -m, and its ratio to rows on the fly."""
    with data.scratch() as grams, tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            str(ROOT / "run.py"),
            "-m",
            f"algo={','.join(ALGORITHMS)}",
            "dataset=adult",
            f"seed=range({SEEDS})",
            "budget.epochs=10",
            f"store.root={folder}",
        ]
        environment = {**os.environ, "SVM_GRAM_DIR": str(grams)}
        wall = seconds(lambda: subprocess.run(command, check=True, capture_output=True, env=environment, cwd=ROOT))
        evaluations = sum(
            json.loads(path.read_text(encoding="utf-8"))["counters"]["kernel_evaluations"]
            for path in Path(folder).rglob("result.json")
        )
    # Two cores would share the work of computing rows as they share the runs.
    cores = os.cpu_count() or 1
    end_to_end = "Figure 2 on Adult, five solvers x ten seeds x ten epochs, from nothing, through run.py -m"
    adult = data.adult()
    made = [Row(f"{end_to_end} / five minutes", f"{wall:.0f} s", "300 s", wall / 300.0, 1.0)]
    for how, per_evaluation, bar in (
        ("by scikit-learn's rbf_kernel", library_seconds(adult, SIGMA2), 50.0),
        ("by this core from the features", core_seconds(adult, SIGMA2, NU, scale=0.5), None),
        ("by this core from packed bits", core_seconds(adult, SIGMA2, NU), None),
    ):
        fly = evaluations * per_evaluation / cores
        what = (
            f"{evaluations:.3g} kernel evaluations on {cores} cores, each row computed when it is needed {how} "
            f"({SLICE} rows timed, extrapolated) / the whole figure as above"
        )
        made.append(Row(what, f"{fly:.0f} s", f"{wall:.0f} s", fly / wall, bar, at_most=False))
    return made


def library_seconds(loaded: Dataset, sigma2: float) -> float:
    """Return seconds per kernel evaluation of a library that computes one row at a time, on float32 features."""
    from sklearn.metrics.pairwise import rbf_kernel

    X = loaded.X
    with threadpool_limits(1):
        rbf_kernel(X[:1], X, gamma=0.5 / sigma2)
        one_by_one: float = seconds(lambda: [rbf_kernel(X[i : i + 1], X, gamma=0.5 / sigma2) for i in range(SLICE)])
    return one_by_one / (SLICE * int(X.shape[0]))


def core_seconds(loaded: Dataset, sigma2: float, nu: float, *, scale: float = 1.0) -> float:
    """Return seconds per kernel evaluation of SBP iterations on rows computed on the fly.

    Features 0 and 1/2 with a quarter of the width have the same kernel as 0 and 1, but are not packed: that is what
    `scale` is for.
    """
    X = loaded.X if scale == 1.0 else loaded.X * np.float32(scale)
    kernel = Gaussian(sigma2 * scale**2)
    problem = Problem(X, loaded.y, kernel, nu=nu, rows=RowPolicy(provider="on_the_fly"))
    kind = get("sbp")
    solver = kind(problem, kind.Settings(), seed=0)
    with threadpool_limits(1):
        solver.advance(Limit(iterations=SLICE))
    evaluations = solver.counters.kernel_evaluations
    assert evaluations is not None
    return solver.wall_seconds / evaluations
