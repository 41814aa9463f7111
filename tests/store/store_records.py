"""Makes runs for a store, also in another process, and reads its database with sqlite."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pandas as pd

from experiments import curve as curves
from experiments.provenance import PROJECT_ROOT
from experiments.store import Store

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


def record(store: Store, key: str, **tags: Any) -> Path:
    handle = store.begin(key, f"run {key}", {"algo": {"name": "sbp"}, "seed": 0}, tags)
    return handle.finish({"final": {"test_error": 0.1}}, make_curve(5)).directory


def record_three(root: Path, who: str) -> None:
    store = Store.open(root)
    for i in range(3):
        handle = store.begin(f"{who}-{i}", who, {"seed": i}, {"who": who})
        handle.finish({"who": who, "i": i}, make_curve())


class OtherProcess:
    """A new process that creates the same store, waits for `go`, and records three runs.

    It writes the file `ready` just before it creates the store.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.ready = root.with_name("ready")
        code = (
            "import logging, sys; logging.basicConfig(level=logging.INFO); from pathlib import Path\n"
            "sys.path.insert(0, sys.argv[2]); from store_records import Store, record_three\n"
            "from experiments.store import mlflow_writer; mlflow_writer.load()\n"
            "root = Path(sys.argv[1]); root.with_name('ready').touch(); "
            "Store.open(root).create(); sys.stdin.read(); record_three(root, '0')\n"
        )
        self.process = subprocess.Popen(
            [sys.executable, "-c", code, str(root), str(Path(__file__).parent)],
            cwd=PROJECT_ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def go(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.stdin = None  # closed already, as far as `communicate` is concerned


def sql(store: Store, text: str, *values: Any) -> list[tuple[Any, ...]]:
    with sqlite3.connect(store.database) as connection:
        rows = connection.execute(text, values).fetchall()
    connection.close()
    return rows


def statuses(store: Store) -> dict[str, tuple[str, str]]:
    text = "SELECT k.value, s.value, r.status FROM runs r JOIN tags k USING (run_uuid) JOIN tags s USING (run_uuid) "
    rows = sql(store, text + "WHERE k.key = 'key' AND s.key = 'status' ORDER BY r.rowid")
    return {key: (status, mlflow_status) for key, status, mlflow_status in rows}


def listing(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))
