"""Sweeps and figures on Ray: the same runs as in worker processes here; a worker, or a node, that is killed; Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import psutil
import pytest
from rays import cluster, raylets
from run_cases import statuses
from sweep_cases import ROOT, curves, environment, outcomes, swept, words
from waiting import PATIENCE, wait_until

from svm_cost_curves.experiments.processes.pool import ATTEMPTS

pytestmark = pytest.mark.slow

ON_RAY = ["hydra/launcher=ray", "hydra.launcher.ray.init.num_cpus=2"]


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ray", reason="Ray is not installed: make extras")
    monkeypatch.delenv("RAY_ADDRESS", raising=False)


def test_ray_makes_the_runs_that_local_workers_make(tmp_path: Path) -> None:
    by_ray, by_workers = tmp_path / "ray", tmp_path / "joblib"
    for place, launcher in ((by_ray, ON_RAY), (by_workers, ["hydra.launcher.n_jobs=2"])):
        place.mkdir()
        done = swept(place, "seed=range(3)", *launcher)
        assert done.returncode == 0, done.stderr
        assert any(line.startswith("figure: ") for line in done.stdout.splitlines()), done.stdout
    mine, theirs = curves(outcomes(by_ray)), curves(outcomes(by_workers))
    assert len(mine) == 3
    assert mine.keys() == theirs.keys()
    for key, curve in mine.items():
        pd.testing.assert_frame_equal(curve, theirs[key], check_exact=True)
    assert not raylets()


def test_a_worker_that_is_killed(tmp_path: Path) -> None:
    done = swept(tmp_path, "seed=range(3)", *ON_RAY, killed="1 1")
    assert done.returncode == 0, done.stderr
    assert [end.status for end in outcomes(tmp_path)] == ["finished"] * 3
    assert statuses(tmp_path / "results") == ["finished"] * 3


def test_a_job_that_always_kills_its_worker_is_given_up(tmp_path: Path) -> None:
    done = swept(tmp_path, "seed=range(3)", *ON_RAY, killed="1 99")
    assert done.returncode == 1, done.stderr
    assert f"its process was killed, {ATTEMPTS} times" in done.stderr
    assert [end.status for end in outcomes(tmp_path)] == ["finished", "killed", "finished"]
    assert statuses(tmp_path / "results") == ["finished"] * 2


def listening(process: int) -> set[str]:
    """The addresses on which the processes that a command has started listen."""
    started = psutil.Process(process).children(recursive=True)
    connections = [connection for child in started for connection in child.net_connections("tcp")]
    addresses = {connection.laddr.ip for connection in connections if connection.status == psutil.CONN_LISTEN}
    assert addresses
    return addresses


@pytest.mark.parametrize(("asked", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 75)])
def test_jobs_record_what_they_reached_when_the_command_is_stopped(
    tmp_path: Path, asked: signal.Signals, status: int
) -> None:
    with subprocess.Popen(
        words(tmp_path, "seed=range(3)", *ON_RAY, "budget.epochs=1e7", "budget.evaluations=9"),
        cwd=ROOT,
        env=os.environ | environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        locks = tmp_path / "results" / "locks"  # of the runs that are computed
        wait_until(lambda: len(list(locks.glob("*.lock"))) == 2, process)
        time.sleep(12.0)  # while a job asks whether it is to stop its core is not another's: the third one waits
        assert len(list(locks.glob("*.lock"))) == 2
        assert listening(process.pid) <= {"127.0.0.1", "::ffff:127.0.0.1", "::1"}
        process.send_signal(asked)
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == status, err
    assert statuses(tmp_path / "results") == ["interrupted"] * 2
    assert {end.status for end in outcomes(tmp_path)} == {"interrupted" if status == 130 else "terminated"}
    assert not raylets()


def test_a_node_that_is_killed(tmp_path: Path) -> None:
    with cluster() as nodes:
        nodes.start(1, head=True)
        second = nodes.start(1)
        variables = environment(tmp_path)
        (tmp_path / "deaths" / "wait").touch()  # the first job that is in the middle stays there
        with subprocess.Popen(
            words(tmp_path, "seed=range(4)", "hydra/launcher=ray"),
            cwd=ROOT,
            env=os.environ | variables | nodes.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            began: list[Path] = []
            wait_until(lambda: began.extend((tmp_path / "deaths").glob("began-*")) or began, process)
            worker = int(began[0].name.removeprefix("began-"))
            node = second if worker in {child.pid for child in second.children()} else None
            if node is None:
                os.kill(worker, signal.SIGKILL)  # it is on the head, which must live: so the worker goes, then a node
            second.kill()
            _, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, err
    assert [end.status for end in outcomes(tmp_path)] == ["finished"] * 4
    assert statuses(tmp_path / "results") == ["finished"] * 4


def test_a_figure(tmp_path: Path) -> None:
    command = [sys.executable, "reproduce.py", "figure=sbp_fig2", "scale=demo", "dataset=digits"]
    command += ["launcher=ray", "jobs=2"]
    folders = [f"{name}={tmp_path / name}" for name in ("store", "figures", "report")]
    done = subprocess.run(
        [*command, *folders], cwd=ROOT, env=os.environ, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "figures" / "sbp_fig2" / "demo" / "figure.png").exists()
    assert "finished" in done.stdout
    assert not raylets()


def test_submitit(tmp_path: Path) -> None:
    pytest.importorskip("submitit", reason="submitit is not installed: make extras")
    done = swept(tmp_path, "seed=range(2)", "hydra/launcher=submitit_local")
    assert done.returncode == 0, done.stderr
    assert [end.status for end in outcomes(tmp_path)] == ["finished"] * 2
    assert statuses(tmp_path / "results") == ["finished"] * 2
