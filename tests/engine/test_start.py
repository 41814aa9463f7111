"""``ranks=2``: a run starts its ranks, shows their output, stops them, and fails if they end without an outcome."""

from __future__ import annotations

import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from waiting import PATIENCE, wait_until

from svm_cost_curves.experiments import engine
from svm_cost_curves.experiments.configuration.choices import CONF
from svm_cost_curves.experiments.configuration.composition import settings_of
from svm_cost_curves.experiments.engine import start
from svm_cost_curves.experiments.processes.outcome import Outcome
from svm_cost_curves.experiments.run.console import Display

ROOT = CONF.parent
pytest.importorskip("mpi4py", reason="mpi4py is not installed: make extras")

TOY = ["algo=minibatch_sdca", "algo.batch_size=40", "dataset=synthetic", "dataset.n=300", "dataset.d=12", "engine=mpi"]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "results"


def test_a_run_starts_its_ranks_shows_their_output_and_is_found_again(
    store: Path,
    own_solvers: Callable[[Path], None],
    run_py: Callable[..., tuple[int, str, str]],
) -> None:
    own_solvers(Path(__file__).with_name("dying_solver.py"))
    words = ["algo=dying", *TOY[1:], "ranks=2", "budget.epochs=3", f"store.root={store}"]
    for expected in ("mpi, ranks=2", "already in the store"):
        status, shown, _ = run_py(*words)
        assert status == 0
        assert shown.count(expected) == shown.count("result: ") == 1


def test_ctrl_c_stops_the_ranks_and_records_what_was_reached(store: Path) -> None:
    words = ["ranks=2", "budget.iterations=1e9", "checkpoint_seconds=0.1", f"store.root={store}"]
    command = [sys.executable, ROOT / "run.py", *TOY, *words]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert any("mpi, ranks=2" in line for line in process.stdout)  # the header
    wait_until(lambda: any(store.glob("checkpoints/*.state")), process)  # the solver has begun
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, errors
    assert "interrupted" in errors
    (result,) = store.rglob("result.json")
    assert '"interrupted"' in result.read_text()


def outcome_under(mpirun: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Outcome:
    """Return the outcome of a run with another program in place of mpirun."""
    program = tmp_path / "mpirun"
    program.write_text(mpirun)
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(start, "mpirun", lambda: str(program))
    settings = settings_of([*TOY, "ranks=1", f"store.root={tmp_path}"], jobs=1)
    outcome = engine.run(settings, Display(), ["a test"])
    assert list(tmp_path.iterdir()) == [program]
    return outcome


def test_ranks_that_end_without_a_word_are_a_failed_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = outcome_under("#!/bin/sh\nexit 3\n", tmp_path, monkeypatch)
    assert (outcome.status, outcome.message) == ("failed", "mpirun has ended with status 3")


HALVES = """#!{python}
import os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # before the threads of BLAS start
from svm_cost_curves.experiments.engine.start import line_of
from svm_cost_curves.experiments.processes.outcome import Outcome
line = line_of("outcome", [Outcome("a run", "interrupted", "in two halves")], dict())
os.write(1, b"of MPI itself\\n" + line[:20])
os.kill(os.getppid(), signal.SIGINT)
signal.sigwait([signal.SIGINT])
os.write(1, line[20:{end}])
"""
"""Ranks that get Ctrl-C while a message of theirs is half read."""


@pytest.mark.parametrize(
    ("end", "expected"),
    [("None", ("interrupted", "in two halves")), ("-1", ("failed", "mpirun has ended with status 0"))],
)
def test_ctrl_c_within_a_message_leaves_it_whole(
    end: str,
    expected: tuple[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    outcome = outcome_under(HALVES.format(python=sys.executable, end=end), tmp_path, monkeypatch)
    assert (outcome.status, outcome.message) == expected
    assert capsys.readouterr().err.startswith("of MPI itself\n")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
