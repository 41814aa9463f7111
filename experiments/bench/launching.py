"""Benchmark 19, the cost of launchers: 64 runs of a second on two cores, in worker processes, by hand, and by Ray."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import datetime

from experiments.bench.measure import Row
from experiments.provenance import PROJECT_ROOT
from experiments.store import Store

RUNS, CORES = 64, 2
WORDS = ["algo=pegasos", "dataset=digits", "budget.seconds=1", "budget.evaluations=10"]


def rows() -> Iterator[Row]:
    """Make the runs with each installed launcher, and without one.

    Yields
    ------
    Row
        Wall seconds over the seconds that two cores need for the solvers: of the whole command with worker processes,
        and of Ray from the beginning of its first run. The row between them compares the first with two commands at
        once, each with half of the runs one after the other: the launcher without the runs.
    """
    by_workers = _seconds([[_seeds(0, RUNS), f"hydra.launcher.n_jobs={CORES}"]])[0]
    yield _row("worker processes, the whole command", by_workers, 1.25)
    halves = [_seeds(*half) for half in ((0, RUNS // 2), (RUNS // 2, RUNS))]
    by_hand = _seconds([[seeds, "hydra/launcher=here"] for seeds in halves])[0]
    what = f"the same by worker processes / two commands at once with {RUNS // 2} of the runs each, one after the other"
    yield Row(what, f"{by_workers:.1f} s", f"{by_hand:.1f} s", by_workers / by_hand, None)
    if importlib.util.find_spec("ray") is not None:
        on_ray = [_seeds(0, RUNS), "hydra/launcher=ray", f"hydra.launcher.ray.init.num_cpus={CORES}"]
        whole, from_first = _seconds([on_ray])
        yield _row(f"Ray, {whole - from_first:.0f} s later", from_first, 1.5)


def _seeds(first: int, end: int) -> str:
    return f"seed=range({first},{end})"


def _row(how: str, took: float, bar: float) -> Row:
    least = RUNS / CORES
    what = f"{RUNS} runs of one CPU second, {CORES} at a time, by {how} / {least:g} s"
    return Row(what, f"{took:.1f} s", f"{least:g} s", took / least, bar)


def _seconds(commands: list[list[str]]) -> tuple[float, float]:
    """Return the seconds of parallel sweeps in a new store: of all commands, and from the start of their first run."""
    with tempfile.TemporaryDirectory(prefix="svm-launching-") as folder:
        environment = {name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"}
        began = time.time()
        sweeps = [
            subprocess.Popen(
                [sys.executable, "run.py", "-m", *WORDS, *words, f"store.root={folder}"],
                cwd=PROJECT_ROOT,
                env=environment,
                stdout=subprocess.DEVNULL,
            )
            for words in commands
        ]
        statuses = [sweep.wait() for sweep in sweeps]
        ended = time.time()
        runs = Store.open(folder, read_only=True).runs()
        if any(statuses) or len(runs) != RUNS:
            raise RuntimeError(f"not all of the {RUNS} runs are in {folder}")
        first = min(datetime.fromisoformat(run.result["provenance"]["started"]).timestamp() for run in runs)
    return ended - began, ended - first
