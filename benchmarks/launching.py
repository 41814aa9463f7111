"""The cost of launchers: 64 runs of one CPU second on two cores."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

import pytest

from benchmarks.data import ROOT
from benchmarks.measure import Comparisons
from svm_cost_curves.experiments.store import Store

RUNS, CORES = 64, 2
WORDS = ("algo=pegasos", "dataset=digits", "budget.seconds=1", "budget.evaluations=10", "progress=false")


def benchmark_workers(table: Comparisons) -> None:
    """Compare worker processes with the seconds of the solvers alone, and with two commands that use none."""
    workers = _seconds([_seeds(0, RUNS), f"hydra.launcher.n_jobs={CORES}"])
    halves = (_seeds(0, RUNS // 2), _seeds(RUNS // 2, RUNS))
    by_hand = _seconds(*([seeds, "hydra/launcher=here"] for seeds in halves))
    least = RUNS / CORES
    comparison = f"{RUNS} runs of one CPU second, {CORES} at a time, by worker processes, the whole command"
    table.add(f"{comparison} / {least:g} s", [(workers, least)], at_most=1.25)
    table.add(f"{comparison} / two commands at once with {RUNS // 2} of the runs each", [(workers, by_hand)])


def benchmark_ray(table: Comparisons) -> None:
    """Compare Ray, its start included, with the seconds of the solvers alone."""
    pytest.importorskip("ray", reason="Ray is not installed (extra ray)")
    ray = _seconds([_seeds(0, RUNS), "hydra/launcher=ray", f"hydra.launcher.ray.init.num_cpus={CORES}"])
    table.add(f"{RUNS} runs of one CPU second, {CORES} at a time, by Ray / {RUNS / CORES:g} s", [(ray, RUNS / CORES)])


def _seeds(first: int, end: int) -> str:
    return f"seed=range({first},{end})"


def _seconds(*commands: list[str]) -> float:
    """Return the wall seconds of sweeps that run at the same time in a new store."""
    with tempfile.TemporaryDirectory(prefix="svm-launching-") as folder:
        environment = {name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"}
        began = time.perf_counter()
        sweeps = [
            subprocess.Popen(
                [sys.executable, "run.py", "-m", *WORDS, *overrides, f"store.root={folder}"],
                cwd=ROOT,
                env=environment,
                stdout=subprocess.DEVNULL,
            )
            for overrides in commands
        ]
        statuses = [sweep.wait() for sweep in sweeps]
        wall = time.perf_counter() - began
        assert statuses == [0] * len(sweeps)
        assert len(Store.open(folder, read_only=True).runs()) == RUNS
    return wall
