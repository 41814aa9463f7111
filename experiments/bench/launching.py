"""Benchmark 19: what launchers cost: 64 runs of one second on two cores, by joblib and by a Ray of this machine."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from experiments.bench.measure import Row
from experiments.provenance import PROJECT_ROOT
from experiments.store import Store
from experiments.store.database import query
from experiments.store.place import Place

RUNS, CORES = 64, 2
WORDS = ["algo=pegasos", "dataset=digits", "budget.seconds=1", "budget.checkpoints=10", f"seed=range({RUNS})"]


def rows() -> Iterator[Row]:
    """Make the runs by each launcher that is there.

    Yields
    ------
    Row
        Wall seconds over those that two cores need for the solvers. Of joblib the whole command, of Ray what comes
        after its start-up, that is from the beginning of the first run.
    """
    joblib = [f"hydra.launcher.n_jobs={CORES}"]
    yield _row("joblib, the whole command", _seconds(joblib)[0], 1.25)
    if importlib.util.find_spec("ray") is not None:
        whole, from_first = _seconds(["hydra/launcher=ray", f"hydra.launcher.ray.init.num_cpus={CORES}"])
        yield _row(f"Ray, {whole - from_first:.0f} s later", from_first, 1.5)


def _row(how: str, took: float, bar: float) -> Row:
    least = RUNS / CORES
    what = f"{RUNS} runs of one CPU second, {CORES} at a time, by {how} / {least:g} s"
    return Row(what, f"{took:.1f} s", f"{least:g} s", took / least, bar)


def _seconds(words: list[str]) -> tuple[float, float]:
    """Seconds of a sweep in a new store: of the whole command, and from the beginning of its first run."""
    with tempfile.TemporaryDirectory(prefix="svm-launching-") as folder:
        environment = {name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"}
        began = time.time()
        subprocess.run(
            [sys.executable, "run.py", "-m", *WORDS, *words, f"store.root={folder}"],
            cwd=PROJECT_ROOT,
            env=environment,
            stdout=subprocess.DEVNULL,
            check=True,
        )
        ended = time.time()
        if len(Store.open(folder, read_only=True).runs()) != RUNS:
            raise RuntimeError(f"not all of the {RUNS} runs are in {folder}")
        ((first,),) = query(Place.named(Path(folder)), "SELECT min(start_time) FROM runs")
    return ended - began, ended - first / 1000
