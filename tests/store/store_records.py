"""Makes runs for a store."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pandas as pd

from svm_cost_curves.experiments import curve as curves
from svm_cost_curves.experiments.store import FinishedRun, Store
from svm_cost_curves.experiments.store.address import database_uri

MEASURES = ("test_error", "train_error", "primal", "dual", "gap", "norm")


def make_curve(points: int = 60) -> pd.DataFrame:
    rows = [
        {
            "iterations": i,
            "kernel_evaluations": 100 * i,
            "epochs": i / 10,
            "cpu_seconds": i / 100,
            "wall_seconds": i / 100,
        }
        | dict.fromkeys(MEASURES, 1.0 / (i + 1))
        for i in range(points)
    ]
    return curves.from_rows(rows)


def result_of(seed: int = 0, **settings: Any) -> dict[str, Any]:
    """Content of a result.json as a run leaves it."""
    return {
        "algo": "sbp",
        "dataset": "adult",
        "kernel": "gaussian",
        "seed": seed,
        "settings": {
            "algo": {"name": "sbp", "eta": 0.5},
            "kernel": {"name": "gaussian", "sigma2": 100.0},
            "problem": {"nu": 0.01, "C": None},
            "seed": seed,
            "dataset": {"name": "adult", "max_train": 500, "max_test": None},
            "origins": {"problem.nu": "preset"},
            **settings,
        },
        "counters": {"iterations": 10, "kernel_evaluations": 100 + seed, "presentations": None},
        "cpu_seconds": 1.5,
        "wall_seconds": 1.6,
        "elapsed_seconds": 2.5,
        "remarks": [],
        "final": {"test_error": 0.1 + seed},
        "provenance": {
            "commit": "abc",
            "cpu": "fast",
            "build": {"build_id": "b", "isa": "v3", "code": "c"},
            "started": "2026-01-02T03:04:05+00:00",
            "command": "run.py algo=sbp",
        },
    }


def record(store: Store, key: str, points: int = 5, seed: int = 0, **settings: Any) -> FinishedRun:
    return store.finish(key, result_of(seed, **settings), make_curve(points))


def record_three(root: Path, who: str) -> None:
    store = Store.open(root)
    for i in range(3):
        record(store, f"{who}-{i}", seed=i)


def forge(folder: Path, name: str, content: bytes) -> None:
    """Write a file of a run with its right checksum."""
    (folder / name).write_bytes(content)
    names = sorted({"curve.parquet", "result.json", name})
    sums = [f"{hashlib.sha256((folder / one).read_bytes()).hexdigest()}  {one}\n" for one in names]
    (folder / "SHA256SUMS").write_text("".join(sums))


def listing(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def client(store: Store) -> Any:
    """mlflow's client for the database of a store."""
    import mlflow

    return mlflow.MlflowClient(database_uri(store.root))


def runs_in(store: Store) -> list[Any]:
    """The runs in the database of a store."""
    return list(client(store).search_runs(["1"]))
