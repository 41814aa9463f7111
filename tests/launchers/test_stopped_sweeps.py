"""A sweep that is stopped, or killed, leaves no process and no run that seems to go on."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from sweep_cases import DATA, ROOT, environment, statuses
from waiting import PATIENCE, wait_until

from experiments.store import Store

LONG = ["algo=pegasos", *DATA, "budget.seconds=600", "seed=0,1", "hydra.launcher.n_jobs=2"]


def running(place: Path) -> int:
    """Jobs that have begun, by the store."""
    try:
        return statuses(place).count(("running", "RUNNING"))
    except sqlite3.Error:  # there is none yet
        return 0


@pytest.mark.parametrize(
    ("asked", "status", "left"),
    [
        (signal.SIGINT, 130, "interrupted"),
        pytest.param(signal.SIGTERM, 75, "interrupted", marks=pytest.mark.slow),
        (signal.SIGKILL, -signal.SIGKILL, "killed"),
    ],
)
def test_nothing_is_left(tmp_path: Path, asked: signal.Signals, status: int, left: str) -> None:
    sweep = subprocess.Popen(
        [sys.executable, str(ROOT / "run.py"), "-m", *LONG, f"store.root={tmp_path / 'results'}"],
        cwd=ROOT,
        env=os.environ | environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        wait_until(lambda: running(tmp_path) == 2, sweep)
        workers = psutil.Process(sweep.pid).children(recursive=True)
        assert len(workers) >= 3  # these two, and the server that they were forked from
        if asked is signal.SIGKILL:
            sweep.kill()
        else:
            os.killpg(sweep.pid, asked)  # as a terminal does, or a batch system
        err = sweep.communicate(timeout=PATIENCE)[1]
        assert sweep.returncode == status
        assert "Traceback" not in err
        assert psutil.wait_procs(workers, timeout=PATIENCE)[1] == []
        Store.open(tmp_path / "results").close_dead()
        assert statuses(tmp_path) == [(left, "KILLED")] * 2, err
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(sweep.pid, signal.SIGKILL)
        sweep.communicate()
