"""Bar 6: the paper's Figure 2 on Adult, end to end, against computing each kernel row when it is needed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from threadpoolctl import threadpool_limits

from experiments.bench import data
from experiments.bench.measure import Row, seconds
from solvers import Gaussian, Limit, Problem, RowPolicy, get

ROOT = Path(__file__).resolve().parents[2]
ALGORITHMS = ("sbp", "pegasos", "sdca", "smo", "perceptron")
SEEDS = 10
SLICE = 200  # iterations of the slice whose rows are computed when they are needed


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
    fly = evaluations * _seconds_per_evaluation() / cores
    end_to_end = "Figure 2 on Adult, five solvers x ten seeds x ten epochs, from nothing, through run.py -m"
    return [
        Row(f"{end_to_end} / five minutes", f"{wall:.0f} s", "300 s", wall / 300.0, 1.0),
        Row(
            f"{cores} cores computing each row when it is needed (slice of {SLICE} rows, extrapolated to "
            f"{evaluations:.3g} evaluations) / the same figure as above",
            f"{fly:.0f} s",
            f"{wall:.0f} s",
            fly / wall,
            50.0,
            at_most=False,
        ),
    ]


def _seconds_per_evaluation() -> float:
    adult = data.adult()
    problem = Problem(adult.X, adult.y, Gaussian(10.0), nu=1.10e-2, rows=RowPolicy(provider="on_the_fly"))
    kind = get("sbp")
    solver = kind(problem, kind.Settings(), seed=0)
    with threadpool_limits(1):
        solver.advance(Limit(iterations=SLICE))
    evaluations = solver.counters.kernel_evaluations
    assert evaluations is not None
    return solver.wall_seconds / evaluations
