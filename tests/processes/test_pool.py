"""Runs in processes of their own: they finish, die and are stopped without taking the others along."""

from __future__ import annotations

import dataclasses
import logging
import multiprocessing
import os
import signal
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from run_cases import statuses
from store_cases import TOY

from svm_cost_curves import solvers
from svm_cost_curves.experiments.configuration.composition import settings_of
from svm_cost_curves.experiments.configuration.settings import RunSettings
from svm_cost_curves.experiments.processes.outcome import Outcome
from svm_cost_curves.experiments.processes.pool import ATTEMPTS, Report, WorkerPool, run_jobs
from svm_cost_curves.experiments.processes.stopping import STOP_SIGNALS, restored
from svm_cost_curves.experiments.reproduction.execute import make_runs

LONG = ["dataset=synthetic", "dataset.n=300", "budget.iterations=1e9"]


def settings(store: Path, *words: str) -> RunSettings:
    return settings_of([*words, f"store.root={store}"], jobs=2)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One store for all runs."""
    return tmp_path_factory.mktemp("place")


@pytest.fixture
def dying(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A solver that kills its process with one seed, as often as the fixture is told."""
    file = Path(__file__).parents[1] / "launchers" / "killed_solver.py"
    (tmp_path / "deaths").mkdir()
    with monkeypatch.context() as patch:
        patch.setenv("SVM_SOLVERS", str(file))
        patch.setenv("SVM_TEST_DEATHS", str(tmp_path / "deaths"))
        solvers.registry.solver_classes.cache_clear()

        def told(seed: int, times: int) -> Any:
            patch.setenv("SVM_TEST_KILLED", f"{seed} {times}")
            return solvers.get("killed")

        yield told
    solvers.registry.solver_classes.cache_clear()


@pytest.mark.parametrize(("times", "status"), [(1, "finished"), (99, "killed")])
def test_a_run_whose_process_dies_begins_again_and_the_others_finish(
    place: Path, tmp_path: Path, dying: Any, times: int, status: str
) -> None:
    words = ["dataset=synthetic", *TOY, "algo=minibatch_sdca", "algo.batch_size=5"]
    seeds, solver = range(10 * times, 10 * times + 3), dying(10 * times + 1, times)
    runs = [dataclasses.replace(settings(place, *words, f"seed={seed}"), solver=solver) for seed in seeds]
    events = list(make_runs(runs, 2, ["test"]))
    assert sum("killed; attempt" in event.note for event in events) == (1 if status == "finished" else ATTEMPTS - 1)
    ends = [event for event in events if event.outcome is not None]
    assert sorted(event.index for event in ends) == [0, 1, 2]
    assert {event.index: event.outcome.status for event in ends} == {0: "finished", 1: status, 2: "finished"}  # type: ignore[union-attr]
    deaths = len(list((tmp_path / "deaths").glob("died-*")))
    assert deaths == (1 if status == "finished" else ATTEMPTS)
    left = [recorded for seed in seeds for recorded in statuses(place, seed=seed)]
    assert left == ["finished"] * (3 if status == "finished" else 2)


def test_ctrl_c_records_what_was_reached(place: Path) -> None:
    before = set(place.rglob("result.json"))
    events = make_runs([settings(place, *LONG)], 1, ["test"])
    begins = next(events)
    assert (begins.index, begins.fraction, begins.outcome) == (0, 0.0, None)
    assert "loading synthetic" in next(event.note for event in events if event.note)
    assert next(event for event in events if event.fraction > 0).outcome is None
    os.kill(os.getpid(), signal.SIGINT)
    ends = []
    with pytest.raises(KeyboardInterrupt):
        ends.extend(event.outcome.status for event in events if event.outcome is not None)
    assert ends == ["interrupted"]
    (result,) = set(place.rglob("result.json")) - before
    assert '"interrupted"' in result.read_text()
    assert not multiprocessing.active_children()


@dataclasses.dataclass(frozen=True)
class Talking:
    """A job that says something on each way to the terminal."""

    label: str

    def __call__(self, report: Report, /) -> Outcome:
        os.write(2, b"compiled code\x1b[2J\n")
        print("a solver", flush=True)
        logging.getLogger("library.part").warning("a log\nrecord")
        warnings.warn_explicit("a\nwarning", UserWarning, "/env/site-packages/library/file.py", 7)
        sys.stderr.write(f"{self.label}: said\n")
        return Outcome(self.label, "finished")


def test_what_workers_write_is_shown_by_this_process_line_by_line_and_a_warning_once(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with WorkerPool(2) as pool:
        ends = [event.outcome for event in run_jobs([Talking("one"), Talking("two")], pool) if event.outcome]
    assert [end.status for end in ends] == ["finished"] * 2, ends
    out, err = capsys.readouterr()
    assert out == ""
    lines = err.splitlines()
    assert {line: lines.count(line) for line in lines} == {
        "compiled code\\x1b[2J": 2,
        "a solver": 2,
        "warning: library: a log record": 1,
        "warning: library: a warning": 1,
        "one: said": 1,
        "two: said": 1,
    }


@dataclasses.dataclass(frozen=True)
class Importing:
    """A job that says which signals its worker ignores, and whether modules of the working directory are imported."""

    label: str

    def __call__(self, report: Report, /) -> Outcome:
        ignored = [number.name for number in STOP_SIGNALS if signal.getsignal(number) is signal.SIG_IGN]
        return Outcome(self.label, "finished", " ".join([*ignored, str(sys.flags.safe_path)]))


@pytest.mark.parametrize("nohup", [False, True])
def test_a_worker_ignores_hangups_where_the_command_does_and_imports_nothing_from_the_working_directory(
    nohup: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("signal", "random", "multiprocessing", "numpy"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('a stranger ran')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONSAFEPATH", "1")  # as a command sets it
    with restored():
        if nohup:
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
        with WorkerPool(1) as pool:
            (end,) = (event.outcome for event in run_jobs([Importing("one")], pool) if event.outcome)
    assert (end.status, end.message) == ("finished", "SIGHUP True" if nohup else "True")
