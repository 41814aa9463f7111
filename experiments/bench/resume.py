"""Benchmark 18: the cost of writing a checkpoint of an SBP run of MNIST's size every 30 seconds."""

from __future__ import annotations

import math
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiments.bench import data
from experiments.bench.measure import Row, seconds
from experiments.run.checkpointer import Checkpointer
from experiments.run.recorder import Recorder
from solvers import Gaussian, Limit, Problem, RowPolicy, get

EVERY = 30.0
PENDING = 60
"""Snapshots in the file that are not evaluated yet: as many as a run has evaluations."""


class _NoEvaluator:
    """Evaluates nothing: only the time to write the file is measured."""

    def evaluate(self, snapshots: Sequence[Any], /) -> list[dict[str, float | None]]:
        return [{} for _ in snapshots]


def rows(repetitions: int) -> list[Row]:
    """Return the time to write the run's largest checkpoint, divided by the time between two checkpoints."""
    name, X, y = data.mnist_like(60_000)
    problem = Problem(X, y, Gaussian(25.0), nu=2.21e-4, rows=RowPolicy(provider="on_the_fly"))
    kind = get("sbp")
    solver = kind(problem, kind.Settings(), seed=0)
    recorder = Recorder(_NoEvaluator(), problem.n, math.inf)
    for iterations in range(1, PENDING + 1):
        solver.advance(Limit(iterations=iterations))
        recorder.add(solver)
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:  # on a disk, as results are
        path = Path(folder) / "run.state"
        checkpointer = Checkpointer(path, EVERY)
        times = [
            seconds(lambda: checkpointer.save_on_stop(KeyboardInterrupt(), solver, recorder))
            for _ in range(max(repetitions, 3))
        ]
        size = path.stat().st_size / 2**20
    took = statistics.median(times)
    spread = f"{min(times) / EVERY:.2g} to {max(times) / EVERY:.2g}, {len(times)} repetitions"
    what = f"a checkpoint / {EVERY:g} s between two; SBP, {name}, n = {problem.n:,}, {size:.1f} MiB"
    return [Row(what, f"{1e3 * took:.0f} ms", f"{EVERY:g} s", took / EVERY, 0.01, spread=spread)]
