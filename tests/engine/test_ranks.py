"""engine=mpi from the command line: one to three ranks on this machine, refused settings, and ranks that die."""

from __future__ import annotations

import importlib.util
import math
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from run_cases import DATA, alone, record
from waiting import PATIENCE

from svm_cost_curves.experiments.configuration.choices import CONF, install_command
from svm_cost_curves.experiments.configuration.composition import settings_of
from svm_cost_curves.experiments.processes import streams as launch
from svm_cost_curves.experiments.run import runner
from svm_cost_curves.solvers import SettingsError

ROOT = CONF.parent
MPIRUN = Path(sys.executable).with_name("mpirun")
DYING = Path(__file__).with_name("dying_solver.py")

needs_mpi = pytest.mark.skipif(
    importlib.util.find_spec("mpi4py") is None or not MPIRUN.exists(),
    reason="mpi4py and an mpirun are not installed beside this Python: make extras",
)

RUN = [*DATA, "algo.batch_size=40", "budget.epochs=12", "budget.evaluations=9", "picture=false"]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "draw_if_possible", lambda *_: [])  # in this process; the ranks draw theirs
    monkeypatch.setenv("COLUMNS", "120")
    for names in launch._VARIABLES:
        for name in names:
            monkeypatch.delenv(name, raising=False)


def mpirun(place: Path, ranks: int, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [MPIRUN, "-n", ranks, sys.executable, ROOT / "run.py", *words, f"store.root={place / 'results'}"]
    return subprocess.run(
        list(map(str, command)),
        env=os.environ | environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def same(mine: tuple[dict[str, Any], pd.DataFrame], theirs: tuple[dict[str, Any], pd.DataFrame]) -> None:
    assert mine[0]["counters"] == theirs[0]["counters"]
    assert len(mine[1]) == len(theirs[1])
    for name in theirs[1]:
        if not name.endswith("_seconds"):
            a, b = (curve[name].to_numpy(dtype=float, na_value=np.nan) for _, curve in (mine, theirs))
            np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-12, err_msg=str(name))


@needs_mpi
@pytest.mark.parametrize("ranks", [pytest.param(1, marks=pytest.mark.slow), 2, pytest.param(3, marks=pytest.mark.slow)])
def test_any_number_of_ranks_makes_the_run_of_one_process(place: Path, ranks: int) -> None:
    done = mpirun(place, ranks, "algo=minibatch_sdca", *RUN, "engine=mpi")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("result: ") == 1  # one rank speaks
    assert f"mpi, ranks={ranks}" in done.stdout
    made = record(done.stdout)
    same(made, alone(place, "algo=minibatch_sdca", *RUN))
    spent = made[0]["communication"]
    assert spent["ranks"] == ranks
    iterations = made[0]["counters"]["iterations"]
    if ranks == 1:
        assert spent["exchanges"] == spent["bytes"] == 0
    else:
        assert iterations <= spent["exchanges"] <= 2 * iterations
        assert 0 < spent["seconds"] <= spent["seconds_max"]
        assert spent["bytes"] >= 8 * ranks * spent["exchanges"]
    assert not list((place / "results").glob("checkpoints/*"))


@needs_mpi
@pytest.mark.parametrize(
    ("dies", "message", "then"),
    [
        ("1 killed", "", 3),
        pytest.param("0 killed", "", None, marks=pytest.mark.slow),
        ("1 raises", r"error: rank 1 of 2 \(\S+, process \d+\) has failed: RuntimeError: a fault: the job ends", None),
        ("1 interrupted", r"dying synthetic .*: interrupted; the same command resumes from its checkpoint\n$", None),
    ],
)
def test_a_rank_that_dies_ends_the_others_and_the_run_resumes_from_its_checkpoint(
    fresh: Path, place: Path, dies: str, message: str, then: int | None
) -> None:
    words = ["algo=dying", *RUN, "engine=mpi", "checkpoint_seconds=1e-9", "progress=false"]
    died = mpirun(fresh, 2, *words, SVM_SOLVERS=str(DYING), DIES=dies)
    assert died.returncode == 130 if "interrupted" in dies else died.returncode > 0
    assert re.search(message, died.stderr), died.stderr
    assert died.stdout.count("result: ") == int("interrupted" in dies)
    assert len(list(fresh.glob("results/checkpoints/*.state"))) == 1
    if then is None:
        return
    resumed = mpirun(fresh, then, *words, SVM_SOLVERS=str(DYING))
    assert resumed.returncode == 0, resumed.stderr
    assert re.search(r"resumed +from iteration \d+ of an earlier process", resumed.stdout)
    made = record(resumed.stdout)
    same(made, alone(place, "algo=minibatch_sdca", *RUN))
    assert "from iteration" in made[0]["remarks"][-1]
    assert made[0]["communication"]["exchanges"] > 0  # those before the interruption are included
    assert not list(fresh.glob("results/checkpoints/*"))


def refusal(*words: str, jobs: int | None = None) -> str:
    with pytest.raises(SettingsError) as caught:
        settings_of(words, jobs=jobs)
    return str(caught.value)


def test_what_engines_refuse(monkeypatch: pytest.MonkeyPatch) -> None:
    mpi = ["algo=minibatch_sdca", "engine=mpi"]
    assert "engine=mpi works with algo=minibatch_pegasos and algo=minibatch_sdca" in refusal("algo=sbp", "engine=mpi")
    assert "leave out -m, or say ranks=2" in refusal(*mpi, jobs=2)
    assert refusal("algo=minibatch_sdca", "ranks=2") == "ranks=2 is for engine=mpi"
    assert "from 1 to" in refusal(*mpi, "ranks=0")
    assert "ranks must be one of auto, a number of processes" in refusal(*mpi, "ranks=all")
    assert "local, mpi" in refusal("algo=sbp", "engine=cluster")
    for value in ("0", "-1", "inf", "often"):
        assert "checkpoint_seconds must be" in refusal("algo=minibatch_sdca", f"checkpoint_seconds={value}")
    with monkeypatch.context() as without:
        without.setattr(importlib.util, "find_spec", lambda name: None)
        assert refusal(*mpi) == "engine=mpi needs mpi4py, which is not installed: " + install_command("mpi")
    for rank, ranks in launch._VARIABLES:
        with monkeypatch.context() as started:
            started.setenv(rank, "1")
            started.setenv(ranks, "3")
            assert "mpirun has started 3 processes" in refusal("algo=sbp")
            assert "leave out ranks=3" in refusal(*mpi, "ranks=3")
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    monkeypatch.setenv("PATH", "/nowhere")
    assert "no mpirun" in refusal(*mpi, "ranks=2")


def test_checkpoints_are_written_every_ten_minutes_by_ranks_and_at_sigterm_by_one_process() -> None:
    assert settings_of(["algo=minibatch_sdca"]).checkpoint_seconds == math.inf
    assert settings_of(["algo=sbp", "checkpoint_seconds=null"]).checkpoint_seconds is None
    if importlib.util.find_spec("mpi4py"):
        assert settings_of(["algo=minibatch_sdca", "engine=mpi"]).checkpoint_seconds == 600.0
        assert settings_of(["algo=minibatch_sdca", "engine=mpi", "checkpoint_seconds=null"]).checkpoint_seconds is None
    assert settings_of(["algo=minibatch_sdca", "checkpoint_seconds=30"]).checkpoint_seconds == 30.0


def test_a_sweep_of_jobs_of_many_ranks_is_refused_once(run_py: Callable[..., tuple[int, str, str]]) -> None:
    status, _, told = run_py("-m", "algo=minibatch_sdca,minibatch_pegasos", *DATA, "engine=mpi")
    assert status == 2
    assert re.fullmatch("error: processes that mpirun has started make one run: .* ranks=2 .*\n", told)


@needs_mpi
def test_more_ranks_than_rows_are_refused(place: Path) -> None:
    words = ["algo=minibatch_sdca", "dataset=synthetic", "dataset.n=2", "algo.batch_size=1", "engine=mpi"]
    done = mpirun(place, 3, *words, "progress=false")
    assert done.returncode == 2
    lines = done.stderr.splitlines()  # MPI adds one where /sys is not mounted
    assert lines.count("error: 3 ranks cannot share n = 2 rows: start fewer") == 1
