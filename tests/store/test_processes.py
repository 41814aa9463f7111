"""One store and several processes: simultaneous ones, and killed ones."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from store_records import OtherProcess, make_curve, record_three, sql, statuses
from waiting import PATIENCE, wait_until

from experiments.store import Store, writer


def check_three_of_each(root: Path, workers: int) -> None:
    store = Store.open(root)
    found = {(run.result["who"], run.result["i"], run.params["seed"]) for run in store.runs()}
    assert found == {(str(who), i, str(i)) for who in range(workers) for i in range(3)}
    rows = sql(store, "SELECT count(*), count(DISTINCT run_uuid) FROM metrics WHERE key = 'test_error'")
    assert rows == [(3 * workers * 60, 3 * workers)]
    assert sql(store, "SELECT count(*) FROM experiments WHERE name = 'svm-cost-curves'") == [(1,)]
    assert sorted(path.name for path in root.iterdir()) == [".store.lock", "artifacts", "mlflow.db"]


def test_six_processes_on_a_new_store_record_all_runs(template: Path, tmp_path: Path) -> None:
    # forked after mlflow has been imported (by making the template), so that all of them arrive at the same moment
    root = tmp_path / "deep" / "results"
    context = multiprocessing.get_context("fork")
    children = [context.Process(target=record_three, args=(root, str(who))) for who in range(6)]
    for child in children:
        child.start()
    for child in children:
        child.join(PATIENCE)
    assert [child.exitcode for child in children] == [0] * 6
    check_three_of_each(root, 6)


@pytest.fixture
def other_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[OtherProcess]:
    monkeypatch.setenv("SVM_DATA_CACHE", str(tmp_path / "cache"))  # without an empty store: mlflow has to make one
    other_process = OtherProcess(tmp_path / "results")
    yield other_process
    other_process.process.kill()
    other_process.process.communicate()


def test_two_processes_create_a_store_at_once(other_process: OtherProcess) -> None:
    wait_until(other_process.ready.exists, other_process.process)
    Store.open(other_process.root).create()  # while the other process does the same
    assert not (other_process.root / "artifacts").exists()  # nobody has begun yet
    other_process.go()
    record_three(other_process.root, "1")
    output = other_process.process.communicate(timeout=PATIENCE)[0]
    assert output == ""  # mlflow and alembic say nothing, even under a root logger that shows everything
    assert other_process.process.returncode == 0
    check_three_of_each(other_process.root, 2)


def begin_and_wait(root: Path, key: str, ready: Any) -> None:
    handle = Store.open(root).begin(key, "n", {}, {})
    ready.set()
    signal.pause()
    handle.fail("never reached")


def test_a_new_run_closes_killed_runs_of_its_key_and_no_running_ones(store: Store) -> None:
    context = multiprocessing.get_context("fork")
    ready = context.Event()
    child = context.Process(target=begin_and_wait, args=(store.root, "k", ready))
    child.start()
    try:
        assert ready.wait(PATIENCE)
        store.begin("k", "n", {}, {}).interrupt({}, make_curve(2))
        rows = "SELECT value FROM tags WHERE key = 'status' ORDER BY value"
        assert sql(store, rows) == [("interrupted",), ("running",)]
        assert child.pid is not None
        os.kill(child.pid, signal.SIGKILL)
    finally:
        child.kill()
        child.join()
    other = store.begin("other", "n", {}, {})
    assert sql(store, rows) == [("interrupted",), ("running",), ("running",)]
    store.begin("k", "n", {}, {}).finish({}, make_curve(2))
    assert sql(store, rows) == [("finished",), ("interrupted",), ("killed",), ("running",)]
    assert sql(store, "SELECT count(*) FROM runs WHERE status = 'KILLED'") == [(2,)]
    other.fail("done")


def test_a_run_killed_before_its_status_is_written_is_not_finished(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    handle = store.begin("k", "n", {}, {})
    monkeypatch.setattr(writer, "close", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        handle.finish({}, make_curve(2))
    monkeypatch.undo()
    assert handle.result_path.exists()
    assert store.find_finished("k") is None
    handle.interrupt({}, make_curve(2))
    assert statuses(store) == {"k": ("interrupted", "KILLED")}
