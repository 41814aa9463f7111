"""Benchmark 17: time to find 200 finished runs in a store, and to draw an arena from them."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import solvers
from experiments import provenance
from experiments.bench.measure import Row, seconds
from experiments.curve import from_rows
from experiments.reproduction.build import build_figure, evidence_of
from experiments.reproduction.options import Options
from experiments.reproduction.plan import Plan, PlannedRun, Planner
from experiments.reproduction.spec import read_figure
from experiments.store import Store

ALGOS: Final = "sbp,pegasos,sdca,smo,lasvm,svmlight,perceptron,averaged_perceptron,fourier,asset"
"""Ten entrants, which with ten seeds on two data sets make 200 runs, and two that find the optima."""
PLANNING_SECONDS, DRAWING_SECONDS = 3.0, 5.0
CHECKPOINTS: Final = 100


def rows(repeat: int) -> Iterator[Row]:
    """Time both in a process that has planned the figure before: its files and words have been read."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(Path(folder) / "store")
        for run in _planned(store).runs:
            _record(store, run)
        plan = _planned(store)
        assert not plan.missing
        evidence = evidence_of(plan, {})
        drawn = [
            seconds(lambda: build_figure(evidence, plan.options, Path(folder) / "figure", "bench"))
            for _ in range(repeat)
        ]
        yield _row("planning", [seconds(lambda: _planned(store)) for _ in range(repeat)], PLANNING_SECONDS)
        yield _row("drawing", drawn, DRAWING_SECONDS)


def _planned(store: Store) -> Plan:
    options = Options("paper", ("digits", "synthetic"), own={"algos": ALGOS})
    return Planner(store).plan(read_figure("arena"), options)


def _record(store: Store, run: PlannedRun) -> None:
    """Put a run with a made-up curve into the store."""
    seed = run.settings.seed
    counts = {"n": 1258, "positives": 120}
    result: dict[str, Any] = {
        "algo": run.settings.algo,
        "dataset": run.settings.dataset.name,
        "kernel": "gaussian",
        "seed": seed,
        "settings": run.settings.identity(),
        "provenance": {
            "commit": provenance.git_state(provenance.PROJECT_ROOT)[0],
            "build": solvers.build_info(),
            "data": {"counts": {"train": counts, "test": counts}},
        },
    }
    speed = 1 + 0.1 * seed + len(run.series) % 7
    points = [
        {
            "iterations": k,
            "presentations": k,
            "kernel_evaluations": 1258 * k,
            "epochs": k / 1258,
            "cpu_seconds": 1e-5 * k,
            "primal": 0.1 * (1 + speed / k),
            "dual": 0.1,
            "test_error": 0.02 + 0.3 / (1 + k / speed),
        }
        for k in (round(1.1**step) + step for step in range(1, CHECKPOINTS))
    ]
    if run.series == "optimum":
        points[-1]["primal"] = 0.1 * (1 + 1e-6)
    store.finish(run.key, result, from_rows(points))


def _row(what: str, taken: list[float], bar: float) -> Row:
    usual = statistics.median(taken)
    spread = f"{min(taken) / bar:.3g} to {max(taken) / bar:.3g}, {len(taken)} repetitions"
    name = f"{what} an arena over 202 finished runs / the bar"
    return Row(name, f"{usual:.2f} s", f"{bar:g} s", usual / bar, 1.0, spread=spread)
