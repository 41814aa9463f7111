"""A sweep that is stopped or killed leaves no process, and records what its runs have reached, also in mlflow.

A job whose process is killed is retried; the others go on, and the store has the finished runs only.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from run_cases import statuses
from sweep_cases import DATA, ROOT, environment, outcomes, swept
from waiting import PATIENCE, wait_until

from svm_cost_curves.experiments.processes.pool import ATTEMPTS
from svm_cost_curves.experiments.store import Store
from svm_cost_curves.experiments.store.recorded_list import RecordedList
from svm_cost_curves.experiments.store.recorder import OFF

LONG = ["algo=pegasos", *DATA, "budget.seconds=600", "seed=0,1", "checkpoint_seconds=0.1", "hydra.launcher.n_jobs=2"]


@pytest.mark.parametrize(
    ("asked", "status", "left", "recorder"),
    [
        (signal.SIGINT, 130, ["interrupted"] * 2, "off"),
        pytest.param(signal.SIGINT, 130, ["interrupted"] * 2, "on", marks=pytest.mark.slow),
        pytest.param(signal.SIGTERM, 75, ["interrupted"] * 2, "on", marks=pytest.mark.slow),
        pytest.param(signal.SIGKILL, -signal.SIGKILL, [], "on", marks=pytest.mark.slow),
    ],
)
def test_nothing_is_left(tmp_path: Path, asked: signal.Signals, status: int, left: list[str], recorder: str) -> None:
    sweep = subprocess.Popen(
        [sys.executable, str(ROOT / "run.py"), "-m", *LONG, f"store.root={tmp_path / 'results'}"],
        cwd=ROOT,
        env=os.environ | environment(tmp_path) | {OFF: recorder},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        wait_until(lambda: len(list(tmp_path.glob("results/checkpoints/*.state"))) == 2, sweep)  # both have begun
        workers = psutil.Process(sweep.pid).children(recursive=True)
        assert len(workers) >= 3 + (recorder == "on")  # these two, the server that they were forked from, the recorder
        if asked is signal.SIGKILL:
            sweep.kill()
        else:
            os.killpg(sweep.pid, asked)  # as a terminal does, or a batch system
        err = sweep.communicate(timeout=PATIENCE)[1]
        assert sweep.returncode == status
        assert "Traceback" not in err
        assert psutil.wait_procs(workers, timeout=PATIENCE)[1] == []
        assert statuses(tmp_path / "results") == left, err
        store = Store.open(tmp_path / "results", read_only=True)
        assert recorder == "off" or RecordedList(store, store.server).missing() == []
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(sweep.pid, signal.SIGKILL)
        sweep.communicate()


@pytest.mark.parametrize(("times", "status"), [(1, 0), pytest.param(99, 1, marks=pytest.mark.slow)])
def test_a_sweep_goes_on_without_the_worker_that_was_killed(tmp_path: Path, times: int, status: int) -> None:
    done = swept(tmp_path, "seed=range(3)", "hydra.launcher.n_jobs=2", killed=f"1 {times}")
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    assert f"killed; attempt 2 of {ATTEMPTS}" in done.stderr
    ends = outcomes(tmp_path)
    assert len(ends) == 3
    others = [end for number, end in enumerate(ends) if number != 1]
    assert {end.status for end in others} == {"finished"}
    if status:
        assert (ends[1].status, ends[1].attempts) == ("killed", ATTEMPTS)
        assert "killed: its process ended with status -9" in done.stderr
    else:
        assert ends[1].status == "finished"
    assert statuses(tmp_path / "results") == ["finished"] * (2 if status else 3)
