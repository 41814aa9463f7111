"""Paths of a store, moved stores, and databases that are refused."""

from __future__ import annotations

import os
import shutil
import sqlite3
from pathlib import Path

import numpy as np
import pytest
from store_records import listing, make_curve, record, sql

from experiments.store import Store, StoreError, mlflow_writer


def test_opening_and_looking_up_write_nothing(tmp_path: Path) -> None:
    for place in (tmp_path / "none", tmp_path / "none.db", f"sqlite:///{tmp_path}/x/y.db"):
        store = Store.open(place)
        assert store.find_finished("k") is None
        assert store.runs() == []
    assert listing(tmp_path) == []


def test_a_store_is_named_by_folder_file_or_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert Store.open("results").database == tmp_path / "results" / "mlflow.db"
    assert Store.open("a/b.db").database == tmp_path / "a" / "b.db"
    assert Store.open("sqlite:///c.db").uri == f"sqlite:///{tmp_path}/c.db"
    assert Store.open(f"sqlite:///{tmp_path}/c.db").artifacts == tmp_path / "artifacts"
    for bad in ("postgresql://x/y", "http://localhost:5000", "sqlite://x", "file:/tmp/x"):
        with pytest.raises(StoreError, match="is not a folder"):
            Store.open(bad)
    with pytest.raises(StoreError, match="contains '#'"):
        Store.open("a#b")
    with pytest.raises(StoreError, match=r"x.* is not UTF-8"):
        Store.open(os.fsdecode(b"x\xff"))


def test_an_unwritable_folder_is_refused(tmp_path: Path, store: Store) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match=r"cannot be written: .*file: Not a directory"):
        Store.open(tmp_path / "file" / "results")
    if Path("/proc/self").exists():
        with pytest.raises(StoreError, match="cannot be written: /proc"):
            Store.open("/proc/results")
    if os.geteuid() != 0:
        store.database.chmod(0o444)
        with pytest.raises(StoreError, match="write-protected"):
            Store.open(store.root)
        assert Store.open(store.root, read_only=True).runs() == []


def refused(store: Store, message: str) -> None:
    before = {path: path.read_bytes() for path in store.root.rglob("*") if path.is_file()}
    with pytest.raises(StoreError, match=message):
        Store.open(store.root)
    with pytest.raises(StoreError, match=message):
        store.begin("k", "n", {}, {})
    assert {path: path.read_bytes() for path in store.root.rglob("*") if path.is_file()} == before


def test_databases_of_other_versions_are_refused_untouched(store: Store) -> None:
    sql(store, "UPDATE alembic_version SET version_num = 'ffffffffffff'")
    refused(store, "schema ffffffffffff, the installed mlflow needs .*newer mlflow")
    sql(store, "UPDATE alembic_version SET version_num = '451aebb31d03'")
    refused(store, "schema 451aebb31d03.*mlflow db upgrade")


def test_stores_of_other_versions_are_refused_untouched(store: Store) -> None:
    sql(store, "UPDATE experiment_tags SET value = '99' WHERE key = 'svm_cost_curves.store_version'")
    refused(store, "store of version 99, this program needs version 1")
    sql(store, "DELETE FROM experiment_tags")
    refused(store, "store of an unknown version")


def test_a_deleted_experiment_is_refused_with_the_command_that_restores_it(store: Store) -> None:
    sql(store, "UPDATE experiments SET lifecycle_stage = 'deleted' WHERE name = 'svm-cost-curves'")
    refused(store, "mlflow experiments restore")


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\0 not really" * 50, b"hello" * 1000])
def test_other_files_are_refused_untouched(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "mlflow.db").write_bytes(content)
    with pytest.raises(StoreError, match=r"is not an mlflow database|cannot be read as an sqlite database"):
        Store.open(tmp_path)
    assert (tmp_path / "mlflow.db").read_bytes() == content
    (tmp_path / "folder.db" / "mlflow.db").mkdir(parents=True)
    with pytest.raises(StoreError, match="is not a file"):
        Store.open(tmp_path / "folder.db")


def test_a_schema_with_undecodable_bytes_is_refused(store: Store) -> None:
    """Python cannot decode sqlite's own message on it."""
    with sqlite3.connect(store.database) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        broken = "UPDATE sqlite_master SET name = CAST(X'72756EFF' AS TEXT), sql = 'CREATE TABLE' WHERE name = 'runs'"
        connection.execute(broken)
    connection.close()
    with pytest.raises(StoreError, match="cannot be read as an sqlite database"):
        Store.open(store.root)


def test_a_database_with_random_damage_is_read_or_refused(store: Store) -> None:
    for key in "abc":
        record(store, key)
    content = store.database.read_bytes()
    random = np.random.default_rng(0)
    refused = 0
    for _ in range(150):
        damaged = bytearray(content)
        for place in random.integers(len(content), size=64):
            damaged[place] ^= 1 << int(random.integers(8))
        store.database.write_bytes(damaged)
        try:
            Store.open(store.root).find_finished("b")
        except StoreError:
            refused += 1
    assert refused > 10


@pytest.mark.parametrize("read_only", [True, False])
def test_an_unreadable_folder_is_refused(plain_user: Path, *, read_only: bool) -> None:
    (plain_user / "results").mkdir(mode=0)
    for place in (plain_user / "results", plain_user / "results" / "deeper"):
        with pytest.raises(StoreError, match=r"the store .*results.* cannot be (read|written): .*Permission denied"):
            Store.open(place, read_only=read_only)


def test_our_experiment_is_added_to_an_mlflow_database(store: Store) -> None:
    for table in ("experiment_tags", "experiments"):
        sql(
            store,
            f"DELETE FROM {table} "
            "WHERE experiment_id IN (SELECT experiment_id FROM experiments WHERE name != 'Default')",
        )
    record(store, "k")
    assert Store.open(store.root).find_finished("k") is not None


def test_a_moved_store_works(store: Store, tmp_path: Path) -> None:
    record(store, "old")
    moved = Store.open(shutil.move(store.root, tmp_path / "elsewhere"))
    assert moved.find_finished("old") is not None
    record(moved, "new")
    places = [uri for (uri,) in sql(moved, "SELECT artifact_uri FROM runs")]
    assert len(places) == 2
    assert all(uri.startswith(f"{tmp_path}/elsewhere/artifacts/") and Path(uri).is_dir() for uri in places)
    assert not store.root.exists()
    assert locations(moved) == [str(moved.artifacts), f"{moved.artifacts}/0"]  # the second is mlflow's own


def locations(store: Store) -> list[str]:
    return sorted(place for (place,) in sql(store, "SELECT artifact_location FROM experiments"))


def test_mlflow_makes_an_empty_database_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SVM_DATA_CACHE", str(tmp_path / "cache"))
    made, real = [], mlflow_writer._new_database
    monkeypatch.setattr(mlflow_writer, "_new_database", lambda: made.append("once") or real())
    stores = [Store.open(tmp_path / name) for name in ("first", "second", "third")]
    for store in stores:
        store.create()
        assert locations(store) == [str(store.artifacts), f"{store.artifacts}/0"]
    assert len(made) == 1
    record(stores[0], "k")
    assert [len(store.runs()) for store in stores] == [1, 0, 0]
    (kept,) = (tmp_path / "cache" / "store").iterdir()
    kept.write_bytes(kept.read_bytes()[:-1])
    Store.open(tmp_path / "fourth").create()
    assert len(made) == 2


def test_deletion_of_a_store_in_use_is_an_error(store: Store, template: Path) -> None:
    record(store, "before")
    handle = store.begin("k", "n", {}, {})
    shutil.rmtree(store.root)
    with pytest.raises(StoreError):
        handle.finish({}, make_curve(2))
    shutil.copytree(template, store.root)
    handle = Store.open(store.root).begin("k", "n", {}, {})  # of the new database
    shutil.copy(template / "mlflow.db", store.database)
    with pytest.raises(StoreError, match="deleted or replaced"):
        handle.fail("why")
