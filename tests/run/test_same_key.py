"""Several processes that are to make the same run make it once."""

from __future__ import annotations

import errno
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from run_cases import DATA, Heard, statuses
from store_records import record
from waiting import PATIENCE

from svm_cost_curves.experiments.configuration.composition import settings_of
from svm_cost_curves.experiments.run import runner
from svm_cost_curves.experiments.run.console import Display
from svm_cost_curves.experiments.store import Store, StoreError
from svm_cost_curves.support import files
from svm_cost_curves.support.files import new_folder

FORK = multiprocessing.get_context("fork")
RUN = [
    *DATA,
    "algo=pegasos",
    "budget.epochs=1",
    "budget.evaluations=3",
    "rows.provider=on_the_fly",
    "threads=1",
    "picture=false",
]


def make(settings: Any, barrier: Any, outcomes: Any) -> None:
    barrier.wait(PATIENCE)
    outcomes.put(runner.run(settings, Display(), ["a test"]).status)


def test_several_processes_with_one_command_make_one_run(fresh: Path) -> None:
    settings = settings_of([*RUN, f"store.root={fresh / 'results'}"])
    # the first run of another key imports what all need, before the processes are forked
    runner.run(settings_of([*RUN, "seed=1", f"store.root={fresh / 'results'}"]), Display(), ["a test"])
    barrier, outcomes = FORK.Barrier(5), FORK.SimpleQueue()
    children = [FORK.Process(target=make, args=(settings, barrier, outcomes)) for _ in range(5)]
    for child in children:
        child.start()
    ends = sorted(outcomes.get() for _ in children)
    for child in children:
        child.join(PATIENCE)
    assert ends == ["finished", "found", "found", "found", "found"]
    assert statuses(fresh / "results") == ["finished"] * 2
    assert not (fresh / "results" / "locks").exists()


def compute(root: Path, key: str, begun: Any, go_on: Any) -> None:
    store = Store.open(root)
    with store.computing(key, lambda _: None):
        begun.set()
        go_on.wait(PATIENCE)
        record(store, key)


@pytest.fixture
def rival(store: Store) -> Iterator[tuple[Any, Any]]:
    """A process that makes the run k, until the event is set."""
    begun, go_on = FORK.Event(), FORK.Event()
    child = FORK.Process(target=compute, args=(store.root, "k", begun, go_on))
    child.start()
    assert begun.wait(PATIENCE)
    yield child, go_on
    child.kill()
    child.join()


def test_the_second_says_for_whom_it_waits_and_takes_the_result(
    store: Store, rival: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "QUIET_SECONDS", 0.0)
    child, go_on = rival
    told: list[str] = []
    with store.computing("other", pytest.fail) as run:
        assert run is None  # another key is not locked
    with store.computing("k", lambda other: (told.append(other), go_on.set())[0]) as run:  # type: ignore[func-returns-value]
        assert run is not None
        assert run.key == "k"
    assert len(told) == 1
    assert told[0].startswith(f"process {child.pid} on ")


def test_when_the_first_is_killed_the_second_makes_the_run(store: Store, rival: tuple[Any, Any]) -> None:
    child, _ = rival
    threading.Timer(0.3, child.kill).start()
    with store.computing("k", lambda _: None) as run:
        assert run is None
    assert not (store.root / "locks").exists()


def test_a_run_says_that_it_waits_and_ctrl_c_ends_it(
    store: Store, rival: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "QUIET_SECONDS", 0.0)
    monkeypatch.setattr(runner, "run_key", lambda *_: "k")
    child, _ = rival
    display = Heard(lambda: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        runner.run(settings_of([*RUN, f"store.root={store.root}"]), display, ["a test"])
    (warning,) = display.warnings
    assert warning.startswith(f"waiting for the run that process {child.pid} on ")
    assert warning.endswith(" makes")


def test_a_refused_run_leaves_no_folder(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "never")
    with store.computing("k", pytest.fail):
        pass
    assert list(tmp_path.iterdir()) == []


def test_the_folder_of_locks_may_vanish_while_it_is_created(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.root.mkdir()
    create, tried = os.mkdir, []

    def removed_by_another_process(path: str | Path, *options: Any) -> None:
        tried.append(path)
        if len(tried) == 1:
            raise FileExistsError(errno.EEXIST, "File exists", str(path))
        create(path, *options)

    monkeypatch.setattr(os, "mkdir", removed_by_another_process)
    with store.computing("k", pytest.fail) as run:
        assert run is None
    assert len(tried) == 2


def test_a_place_that_cannot_hold_a_lock_is_refused(store: Store) -> None:
    store.root.mkdir()
    (store.root / "locks").write_text("a file")
    with pytest.raises(StoreError, match="cannot be used"), store.computing("k", pytest.fail):
        pass


KILLED = 32 * "0"
"""The key of a run whose process is killed."""


def begin(root: Path, begun: Any) -> None:
    for folder in (root, root / "checkpoints", root / "sweeps" / "2000-01-01"):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / ".some.file.0123456789abcdef.part").write_bytes(b"half")
    with Store.open(root).computing(KILLED, lambda _: None), new_folder(root / "runs" / KILLED) as draft:
        (draft / "result.json").write_bytes(b"half")
        begun.set()
        signal.pause()


def test_a_command_removes_what_killed_ones_have_left(store: Store) -> None:
    living = record(store, "living")
    (living.directory / "mine.part").write_bytes(b"a run's own file")
    begun = FORK.Event()
    child = FORK.Process(target=begin, args=(store.root, begun))
    child.start()
    assert begun.wait(PATIENCE)
    child.kill()
    child.join()
    assert len(list(store.root.rglob("*.part"))) == 5
    store.remove_leftovers()
    store.remove_leftovers_of_sweeps()
    with store.computing("other", pytest.fail):
        assert [path.name for path in (store.root / "locks").iterdir()] == ["other.lock"]
    assert [path.name for path in store.root.rglob("*.part")] == ["mine.part"]
    assert [path.name for path in (store.root / "runs").iterdir()] == ["living"]
