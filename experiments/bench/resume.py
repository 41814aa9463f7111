"""Benchmark 18: what it costs an SBP run of MNIST's size to leave a file to go on from every 30 seconds."""

from __future__ import annotations

import math
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiments.bench import data
from experiments.bench.measure import Row, seconds
from experiments.run.checkpointer import Keeper
from experiments.run.recorder import Recorder
from solvers import Gaussian, Limit, Problem, RowPolicy, get

EVERY = 30.0
WAITING = 60
"""Snapshots that wait for the end, and are in the file: as many as a run has checkpoints."""


class _Nobody:
    """Evaluates nothing: the time of a file is wanted."""

    def evaluate(self, snapshots: Sequence[Any], /) -> list[dict[str, float | None]]:
        return [{} for _ in snapshots]


def rows(repetitions: int) -> list[Row]:
    """Return the time of the largest file that the run leaves over the time between two of them."""
    name, X, y = data.mnist_like(60_000)
    problem = Problem(X, y, Gaussian(25.0), nu=2.21e-4, rows=RowPolicy(provider="on_the_fly"))
    kind = get("sbp")
    solver = kind(problem, kind.Settings(), seed=0)
    recorder = Recorder(_Nobody(), problem.n, math.inf)
    for iterations in range(1, WAITING + 1):
        solver.advance(Limit(iterations=iterations))
        recorder.add(solver)
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:  # on a disk, as results are
        path = Path(folder) / "run.state"
        keeper = Keeper(path, EVERY)
        times = [
            seconds(lambda: keeper.keep_at(KeyboardInterrupt(), solver, recorder)) for _ in range(max(repetitions, 3))
        ]
        size = path.stat().st_size / 2**20
    took = statistics.median(times)
    spread = f"{min(times) / EVERY:.2g} to {max(times) / EVERY:.2g}, {len(times)} repetitions"
    what = f"a file to go on from / {EVERY:g} s between two; SBP, {name}, n = {problem.n:,}, {size:.1f} MiB"
    return [Row(what, f"{1e3 * took:.0f} ms", f"{EVERY:g} s", took / EVERY, 0.01, spread=spread)]
