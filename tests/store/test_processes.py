"""One store and several processes: simultaneous ones, and killed ones."""

from __future__ import annotations

import multiprocessing
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from store_records import listing, make_curve, record, record_three, result_of
from waiting import PATIENCE

from svm_cost_curves.experiments.store import Store


def test_sixteen_processes_on_a_new_store_record_all_runs(tmp_path: Path) -> None:
    root = tmp_path / "deep" / "results"
    context = multiprocessing.get_context("fork")  # so that all of them arrive at the same moment
    children = [context.Process(target=record_three, args=(root, str(who))) for who in range(16)]
    for child in children:
        child.start()
    for child in children:
        child.join(PATIENCE)
    assert [child.exitcode for child in children] == [0] * 16
    runs = {(run.key, run.result["seed"]) for run in Store.open(root).runs()}
    assert runs == {(f"{who}-{i}", i) for who in range(16) for i in range(3)}
    assert listing(root)[0] == "runs"
    assert len(list((root / "runs").iterdir())) == 48


def test_processes_that_record_the_same_run_leave_it_intact(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    children = [context.Process(target=_record_often, args=(tmp_path, points)) for points in (3, 40)]
    for child in children:
        child.start()
    for child in children:
        child.join(PATIENCE)
    assert [child.exitcode for child in children] == [0, 0]
    run = Store.open(tmp_path).find_finished("k")
    assert run is not None
    assert len(run.curve) in (3, 40)
    assert listing(tmp_path / "runs") == ["k", "k/SHA256SUMS", "k/curve.parquet", "k/result.json"]


def _record_often(root: Path, points: int) -> None:
    store = Store.open(root)
    for _ in range(20):
        with store.computing("k", print):
            record(store, "k", points)


@pytest.mark.parametrize("earlier", [True, False])
def test_a_process_killed_at_any_write_leaves_the_earlier_run_or_none(
    earlier: bool, store: Store, tmp_path: Path
) -> None:
    context = multiprocessing.get_context("fork")
    for count in range(1, 40):
        root = tmp_path / f"{count}"
        if earlier:
            record(Store.open(root), "k", points=3)
        child = context.Process(target=_killed_at, args=(root, count))
        child.start()
        child.join(PATIENCE)
        store = Store.open(root)
        store.remove_leftovers()
        run = store.find_finished("k")
        assert run is not None or not earlier
        if child.exitcode == 0:
            assert run is not None
            assert len(run.curve) == 5
            break
        assert child.exitcode == -signal.SIGKILL
        assert run is None or len(run.curve) in (3, 5)
        assert not [name for name in listing(root) if "/." in name]
        record(store, "k")
    assert count > 8


def _killed_at(root: Path, count: int) -> None:
    """Record a run; be killed at the `count`-th call that changes the file system."""
    import sys

    changes = 0

    def watch(event: str, arguments: Any) -> None:
        nonlocal changes
        writes = event == "open" and isinstance(arguments[1], str) and "w" in arguments[1]
        if writes or event in ("os.rename", "os.mkdir", "os.link", "os.remove", "os.rmdir", "shutil.rmtree"):
            changes += 1
            if changes == count:
                os.kill(os.getpid(), signal.SIGKILL)

    store = Store.open(root)
    sys.addaudithook(watch)
    store.finish("k", result_of(), make_curve(5))
    os._exit(0)
