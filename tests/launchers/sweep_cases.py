"""Sweeps with a solver whose process is killed, and what of them is in the store."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from waiting import PATIENCE

from svm_cost_curves.experiments.configuration.choices import CONF
from svm_cost_curves.experiments.processes.outcome import Outcome, outcomes_in

ROOT = CONF.parent
SOLVER = Path(__file__).with_name("killed_solver.py")
DATA = ["dataset=synthetic", "dataset.n=120", "dataset.n_test=60", "dataset.d=4", "dataset.shape=noisy"]
RUN = [*DATA, "algo=killed", "algo.batch_size=20", "budget.epochs=6", "budget.evaluations=6"]


def environment(place: Path, killed: str = "-1 0") -> dict[str, str]:
    (place / "deaths").mkdir(exist_ok=True)
    return {
        "SVM_SOLVERS": str(SOLVER),
        "SVM_TEST_KILLED": killed,
        "SVM_TEST_DEATHS": str(place / "deaths"),
    }


def words(place: Path, *more: str) -> list[str]:
    return [sys.executable, str(ROOT / "run.py"), "-m", *RUN, *more, f"store.root={place / 'results'}"]


def swept(place: Path, *more: str, killed: str = "-1 0", **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words(place, *more),
        cwd=ROOT,
        env=os.environ | environment(place, killed) | variables,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def outcomes(place: Path) -> list[Outcome]:
    (folder,) = (path for path in (place / "results" / "sweeps").iterdir() if path.is_dir())  # beside index.html
    return outcomes_in(folder)


TIMES = ["cpu_seconds", "wall_seconds"]


def curves(ends: list[Outcome]) -> Mapping[str, Any]:
    """The curve of each run by its key, without times."""
    paths = [Path(str(end.result_path)) for end in ends]
    return {
        pd.read_json(path, typ="series")["key"]: pd.read_parquet(path.with_name("curve.parquet")).drop(columns=TIMES)
        for path in paths
    }
