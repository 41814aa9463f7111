"""Records of runs as folders, and lookups."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from store_records import listing, make_curve, record, result_of

from svm_cost_curves.experiments.provenance import PROJECT_ROOT
from svm_cost_curves.experiments.store import Store, StoreError


def test_a_finished_run_is_found_with_everything_that_was_recorded(store: Store, tmp_path: Path) -> None:
    extra = tmp_path / "curve.png"
    extra.write_bytes(b"picture")
    assert store.find_finished("k1") is None
    result = result_of() | {
        "key": "wrong",
        "status": "wrong",
        "counters": {"iterations": np.int64(7)},
        "final": {"primal": math.inf, "dual": np.float64("nan"), "test_error": np.float32(0.5)},
        "remarks": ("one", "two"),
        "list": np.arange(2),
    }
    finished = store.finish("k1", result, make_curve(), [extra])
    stored = store.find_finished("k1")
    assert stored == finished
    assert stored is not None
    written = json.loads(stored.result_path.read_text())
    assert written == stored.result
    assert list(written)[:2] == ["key", "status"]
    assert (written["key"], written["status"], written["algo"]) == ("k1", "finished", "sbp")
    assert written["counters"] == {"iterations": 7}
    assert written["final"] == {"primal": None, "dual": None, "test_error": 0.5}
    assert (written["remarks"], written["list"]) == (["one", "two"], [0, 1])
    assert (stored.directory / "curve.png").read_bytes() == b"picture"
    pd.testing.assert_frame_equal(stored.curve, make_curve())
    files = ["SHA256SUMS", "curve.parquet", "curve.png", "result.json"]
    assert listing(store.root) == ["runs", "runs/k1", *(f"runs/k1/{name}" for name in files)]


def test_sha256sum_verifies_the_files_of_a_run(store: Store) -> None:
    folder = record(store, "k").directory
    words = ["sha256sum", "--check", "--strict", "SHA256SUMS"]
    checked = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True)
    assert checked.stdout.splitlines() == ["curve.parquet: OK", "result.json: OK"]


def test_a_deleted_run_is_not_found_and_leaves_no_files(store: Store) -> None:
    runs = [record(store, key) for key in ("k1", "k2")]
    store.delete(runs[:1])
    assert store.find_finished("k1") is None
    assert [run.key for run in store.runs()] == ["k2"]
    assert not runs[0].directory.exists()
    store.delete(runs[:1])  # it is gone already
    record(store, "k1")
    assert store.find_finished("k1") is not None


def test_only_finished_runs_are_found(store: Store) -> None:
    interrupted = store.leave_unfinished("k", "interrupted", result_of(), make_curve(3))
    failed = store.leave_unfinished("k", "failed", {"error": "it broke"})
    assert store.find_finished("k") is None
    assert store.runs() == []
    assert json.loads(failed.read_text()) == {"key": "k", "status": "failed", "error": "it broke"}
    assert json.loads(interrupted.read_text())["status"] == "interrupted"
    assert interrupted.with_name("curve.parquet").exists()
    assert store.ended() == [interrupted.parent, failed.parent]


@pytest.mark.parametrize("name", ["curve.parquet", "result.json", "SHA256SUMS"])
@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_bytes(path.read_bytes()[5:])])
def test_a_damaged_run_is_not_finished_and_can_be_made_again(
    store: Store, name: str, damage: Callable[[Path], Any]
) -> None:
    run = record(store, "k")
    damage(run.directory / name)
    assert store.find_finished("k") is None
    for listed in store.runs():  # which does not read the curves
        assert name == "curve.parquet"
        with pytest.raises(StoreError, match=r"curve\.parquet"):
            _ = listed.curve
    assert record(store, "k") == run
    assert store.find_finished("k") == run


def test_a_run_made_again_replaces_the_earlier_one_with_its_files(store: Store, tmp_path: Path) -> None:
    (tmp_path / "model.npz").write_bytes(b"model")
    store.finish("k", result_of(), make_curve(2), [tmp_path / "model.npz"])
    again = store.finish("k", result_of(seed=3), make_curve(4))
    assert store.find_finished("k") == again
    assert len(again.curve) == 4
    assert not (again.directory / "model.npz").exists()


def test_a_run_that_cannot_be_written_leaves_no_folder(store: Store, tmp_path: Path) -> None:
    (tmp_path / "result.json").write_bytes(b"")
    for match, result, curve, files in (
        ("cannot be written", {}, make_curve(2), [tmp_path / "missing.png"]),
        (r"cannot be written: .*columns", {}, make_curve(2).drop(columns="gap"), []),
        (r"result\.x is a set", {"x": {1}}, make_curve(2), []),
        ("two files have the name result.json", {}, make_curve(2), [tmp_path / "result.json"]),
    ):
        with pytest.raises(StoreError, match=match):
            store.finish("k", result, curve, files)
        assert store.find_finished("k") is None
    assert store.ended() == []


def test_runs_are_chosen_by_settings_and_provenance(store: Store) -> None:
    for seed in (2, 0, 1):
        record(store, f"key{seed}", seed=seed)
    assert [run.key for run in store.runs()] == ["key0", "key1", "key2"]
    assert [run.key for run in store.runs(algo="sbp", seed=range(1, 9))] == ["key1", "key2"]
    assert len(store.runs(dataset="adult", kernel=["gaussian", "linear"], commit="abc", isa="v3")) == 3
    assert len(store.runs(**{"problem.nu": 0.010, "kernel.sigma2": 100})) == 3
    assert store.runs(algo="smo") == store.runs(nothing=1) == store.runs(**{"problem": 1}) == []


@pytest.mark.parametrize("key", ["a/b", "", "..", "x" * 65])
def test_a_malformed_key_is_refused(store: Store, key: str) -> None:
    with pytest.raises(StoreError, match="a run's key must be"), store.computing(key, print):
        pass
    assert not store.root.exists()


def test_a_lookup_reads_one_folder_and_imports_neither_mlflow_nor_pandas(store: Store) -> None:
    for key in ("wanted", *(f"other{i}" for i in range(5))):
        record(store, key)
    code = (
        "import os, sys; from svm_cost_curves.experiments.store import Store\n"
        "store = Store.open(sys.argv[1])\n"
        "opened = []\n"
        "def note(event, args):\n"
        "    if event in ('open', 'os.scandir') and sys.argv[1] in str(args[0]):\n"
        "        opened.append(str(args[0]))\n"
        "sys.addaudithook(note)\n"
        "assert store.find_finished('wanted')\n"
        "assert len(opened) == 3 and all('/wanted/' in path for path in opened), opened\n"
        "assert not {'mlflow', 'pandas', 'sqlalchemy', 'requests'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(store.root)], cwd=PROJECT_ROOT, check=True)


def test_opening_and_looking_up_write_nothing(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "none" / "deeper")
    assert store.find_finished("k") is None
    assert store.runs() == []
    assert not store.exists()
    assert listing(tmp_path) == []


def test_a_store_is_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert Store.open("results").root == tmp_path / "results"
    for address in ("postgresql://x/y", "http://localhost:5000", "sqlite:///x.db"):
        with pytest.raises(StoreError, match="is not a folder"):
            Store.open(address)
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="is not a folder"):
        Store.open("file")
    with pytest.raises(StoreError, match=r"x.* is not UTF-8"):
        Store.open(os.fsdecode(b"x\xff"))


def test_a_store_of_edition_1_is_refused_untouched(tmp_path: Path) -> None:
    (tmp_path / "artifacts" / "3f" / "artifacts").mkdir(parents=True)
    (tmp_path / "mlflow.db").write_bytes(b"SQLite")
    before = listing(tmp_path)
    with pytest.raises(StoreError, match=r"is a store of edition 1\.0"):
        Store.open(tmp_path)
    assert listing(tmp_path) == before


def test_an_unwritable_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match=r"cannot be written: .*file: Not a directory"):
        Store.open(tmp_path / "file" / "results")
    if Path("/proc/self").exists():
        with pytest.raises(StoreError, match="cannot be written: /proc"):
            Store.open("/proc/results")


def test_folders_without_permission_are_refused(plain_user: Path) -> None:
    root = plain_user / "results"
    store = Store.open(root)
    record(store, "k")
    (root / "runs").chmod(0o500)
    found = Store.open(root)  # finding a run needs no writing
    assert found.find_finished("k") is not None
    with pytest.raises(StoreError, match=r"cannot be written: .*runs: Permission denied"), found.computing("l", print):
        pass
    assert [run.key for run in Store.open(root, read_only=True).runs()] == ["k"]
    with pytest.raises(StoreError, match="Permission denied"):
        store.delete(store.runs())
    (root / "runs").chmod(0o300)
    with pytest.raises(StoreError, match=r"cannot be read: .*runs: Permission denied"):
        Store.open(root, read_only=True).runs()
    (root / "runs").chmod(0o700)


def test_a_store_of_a_server_deletes_no_runs(tmp_path: Path) -> None:
    store = Store.at(tmp_path, "http://127.0.0.1:5000/")
    assert store.root == tmp_path / "servers" / "http_127.0.0.1_5000"
    run = record(store, "k")
    assert (store.root / "server").read_text() == "http://127.0.0.1:5000\n"
    for same in (store, Store.open(store.root)):
        with pytest.raises(StoreError, match="runs are deleted there"):
            same.delete([run])
    assert store.find_finished("k") == run
