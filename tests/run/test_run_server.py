"""``run.py`` and ``reproduce.py`` with a server: found elsewhere, refused before any work, lost on the way."""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from servers import Relay, free_port

from svm_cost_curves.experiments.command_line import program
from svm_cost_curves.experiments.reproduction import cli as reproduce
from svm_cost_curves.experiments.run import advance
from svm_cost_curves.experiments.store import recorder
from svm_cost_curves.experiments.store.address import REACHED
from svm_cost_curves.experiments.store.tracking import Tracking

TOY = ["algo=pegasos", "dataset=synthetic", "dataset.n=60", "dataset.n_test=30", "dataset.d=3", "budget.epochs=1"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Run a command of `run.py` in this process, the jobs of a sweep one after the other; returns the exit status."""
    for name in ("HYDRA_FULL_ERROR", "SVM_SWEEP_ID"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    monkeypatch.delenv(recorder.OFF)
    monkeypatch.chdir(tmp_path)

    numbers = itertools.count()

    def call(*words: str) -> int:
        monkeypatch.setenv(REACHED, "")
        # two sweeps of one process that begin in the same second would share a folder, and with it their outcomes
        folder = f"hydra.sweep.dir=results/sweeps/{next(numbers)}"
        one_by_one = ["hydra/launcher=here", folder] if "-m" in words else []
        monkeypatch.setattr(sys, "argv", ["run.py", *words, *TOY, *one_by_one])
        return program.main()

    return call


@pytest.mark.parametrize("sweep", [[], ["-m", "seed=range(3)"]])
@pytest.mark.parametrize("known", [True, False])
def test_a_server_that_is_not_there_is_told_in_one_line(
    sweep: list[str],
    known: bool,
    here: Callable[..., int],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("SVM_DATA_CACHE", str(tmp_path / "cache"))
    words = [f"store.uri=http://127.0.0.1:{free_port()}"] if known else []
    assert here(*sweep, "store=server", *words) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    (line,) = printed.err.splitlines()
    assert "error: " in line
    assert ("does not answer: Connection refused" if known else "store.uri=http://HOST:5000") in line
    assert list(tmp_path.iterdir()) == []


def test_a_server_lost_on_the_way_costs_a_warning_and_the_same_command_records(
    here: Callable[..., int],
    server: tuple[str, Path],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    relay = Relay(server[0])
    words = ["-m", "seed=81,82", "store=server", f"store.uri={relay.address}"]
    real = advance._advance

    def cut(*arguments: object, **more: object) -> object:
        relay.cut()
        return real(*arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(advance, "_advance", cut)
    assert here(*words) == 0
    printed = capsys.readouterr()
    (warning,) = [line for line in printed.err.splitlines() if "not in mlflow" in line]
    assert warning.startswith(f"2 runs are not in mlflow at {relay.address}; record later by: ")
    assert "svm-store record " in warning
    relay.open()
    monkeypatch.setattr(advance, "_advance", None)
    assert here(*words) == 0
    assert "not in mlflow" not in capsys.readouterr().err
    relay.cut()
    results = [json.loads(path.read_text()) for path in Path("results").glob("servers/*/runs/*/result.json")]
    shared = [Tracking(server[0])._runs_of(result["key"]) for result in results]
    assert [[run.data.tags["status"] for run in runs] for runs in shared] == [["finished"], ["finished"]]


def test_reproduce_refuses_a_server_that_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(REACHED, "")
    for words in (["figure=sbp_fig2"], ["figure=sbp_fig2", "--dry-run"], ["--list", "scale=demo"]):
        assert reproduce.main([*words, f"store=http://127.0.0.1:{free_port()}"]) == 2
        (line,) = capsys.readouterr().err.splitlines()
        assert line.startswith("error: the server http://127.0.0.1:")
    assert list(tmp_path.iterdir()) == []
