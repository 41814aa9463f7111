"""The database in a store's folder: made whole or not at all, made again where it cannot be used, never lost."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from store_records import client, make_curve, record, result_of, runs_in

from svm_cost_curves.experiments.store import Store, StoreError, recorder
from svm_cost_curves.experiments.store.address import DATABASE, FILES
from svm_cost_curves.experiments.store.cli import main as store_command
from svm_cost_curves.experiments.store.database import make_database
from svm_cost_curves.experiments.store.recorded_list import RecordedList
from svm_cost_curves.experiments.store.store import RECORDED
from svm_cost_curves.experiments.store.tracking import Recorded, Tracking

EARLIER = "mlflow-earlier-1"


@pytest.fixture
def store(mlflow_store: Store) -> Store:
    return mlflow_store


def record_all(store: Store, *, again: bool = False) -> tuple[dict[Recorded, int], list[str]]:
    lines: list[str] = []
    return dict(recorder.record_all(store, Tracking.of_store(store.root), lines.append, again=again)), lines


def half_made(path: Path) -> None:
    """What a process leaves that is killed while mlflow makes its tables."""
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE model_version_tags (name TEXT)")


def test_a_half_made_database_without_runs_is_made_again_and_kept(store: Store) -> None:
    (store.root / DATABASE).unlink()
    half_made(store.root / DATABASE)
    content = (store.root / DATABASE).read_bytes()
    record(store, "a")
    counts, (line,) = record_all(store)
    assert counts == {Recorded.NEW: 1}
    assert str(store.root / EARLIER) in line
    assert (store.root / EARLIER / DATABASE).read_bytes() == content
    assert record_all(store) == ({}, [])


@pytest.mark.usefixtures("quickly_made")
@pytest.mark.parametrize("content", [b"", b"hello" * 1000, b"SQLite format 3\0 not really" * 50])
def test_a_file_that_is_no_database_is_replaced(content: bytes, store: Store) -> None:
    (store.root / DATABASE).write_bytes(content)
    record(store, "a")
    counts, lines = record_all(store)
    assert counts == {Recorded.NEW: 1}
    assert len(lines) == bool(content)
    assert not content or (store.root / EARLIER / DATABASE).read_bytes() == content


@pytest.mark.usefixtures("quickly_made")
@pytest.mark.parametrize("content", [b"hello" * 1000, b"SQLite format 3\0 not really" * 50, "half made"])
def test_a_database_with_runs_stays_and_the_advice_works(content: bytes | str, store: Store) -> None:
    record(store, "a")
    record_all(store)
    path = store.root / DATABASE
    path.unlink()
    half_made(path) if isinstance(content, str) else path.write_bytes(content)
    before = path.read_bytes()
    record(store, "b")
    with pytest.raises(StoreError, match="move it away, and svm-store record makes it again"):
        record_all(store)
    assert path.read_bytes() == before
    path.rename(store.root / "away")
    assert record_all(store) == ({Recorded.NEW: 2}, [])


@pytest.mark.parametrize("kind", ["folder", "pipe", "link"])
def test_what_is_no_file_is_named_at_once(kind: str, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    path = store.root / DATABASE
    path.unlink()
    makers: dict[str, Callable[[], object]] = {
        "folder": path.mkdir,
        "pipe": lambda: os.mkfifo(path),
        "link": lambda: path.symlink_to(store.root / "missing"),
    }
    makers[kind]()
    record(store, "a")
    monkeypatch.setattr(Tracking, "_ask", None)  # mlflow would try for minutes
    with pytest.raises(StoreError, match=r"mlflow\.db is no file.*move it away"):
        record_all(store)
    assert os.path.lexists(path)


def test_a_link_to_a_database_is_followed(store: Store) -> None:
    (store.root / DATABASE).rename(store.root / "elsewhere")
    (store.root / DATABASE).symlink_to(store.root / "elsewhere")
    record(store, "a")
    assert record_all(store) == ({Recorded.NEW: 1}, [])
    assert (store.root / DATABASE).is_symlink()


def test_a_database_that_may_not_be_written_is_named_at_once(plain_user: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store.open(plain_user / "results")
    record(store, "a")
    (store.root / DATABASE).write_bytes(b"SQLite format 3\0")
    (store.root / DATABASE).chmod(0o400)
    monkeypatch.setattr(Tracking, "_ask", None)
    with pytest.raises(StoreError, match="cannot be written: Permission denied"):
        record_all(store)


def test_a_database_has_its_name_when_it_is_whole(store: Store) -> None:
    path = store.root / DATABASE
    path.unlink()
    for suffix in ("-journal", "-wal"):
        path.with_name(f"{DATABASE}{suffix}").write_bytes(b"of the deleted one")
    seen: list[list[str]] = []
    make_database(store.root, lambda: seen.append(sorted(item.name for item in store.root.iterdir())), is_used=False)
    ((draft,),) = seen
    assert draft.endswith(".part")
    assert [item.name for item in store.root.iterdir()] == [DATABASE]


def test_a_full_disk_while_it_is_made_leaves_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    import mlflow

    (store.root / DATABASE).unlink()
    record(store, "a")
    with monkeypatch.context() as patch:

        def full(*_: object) -> None:
            raise OSError(28, "No space left on device")

        patch.setattr(mlflow.MlflowClient, "create_experiment", full)
        with pytest.raises(StoreError, match=r"mlflow\.db cannot be used: No space left"):
            record_all(store)
    assert {item.name for item in store.root.iterdir()} == {"runs", RECORDED}
    assert record_all(store) == ({Recorded.NEW: 1}, [])


@pytest.mark.usefixtures("quickly_made")
@pytest.mark.parametrize("how", [shutil.move, shutil.copytree])
def test_a_store_that_is_moved_or_copied_keeps_its_files_in_itself(how: Callable[..., Any], store: Store) -> None:
    for key in "ab":
        record(store, key)
    record_all(store)
    before = sorted(store.root.rglob("*"))
    moved = Store.open(how(store.root, store.root.with_name("another place")))
    counts, (line,) = record_all(moved)
    assert counts == {Recorded.NEW: 2}
    assert f"moved or copied from {store.root}" in line
    for run in runs_in(moved):
        place = Path(urlsplit(run.info.artifact_uri).path)
        assert place.is_relative_to(moved.root / FILES)
        assert (place / "result.json").is_file()
    assert {path.name for path in (moved.root / EARLIER).iterdir()} == {DATABASE, FILES}
    assert sorted(store.root.rglob("*")) == (before if store.root.exists() else [])
    record(moved, "c")
    assert record_all(moved) == ({Recorded.NEW: 1}, [])
    recorder.delete(moved, moved.runs()[:1])
    assert len(runs_in(moved)) == 2


def test_runs_in_a_list_of_an_earlier_version_are_not_recorded_twice(store: Store) -> None:
    record(store, "a")
    record_all(store)
    (names,) = (store.root / RECORDED).glob("*.txt")
    names.write_text("a\n")  # it named neither the store's folder nor the time of the run's
    assert record_all(store) == ({Recorded.THERE: 1}, [])
    assert record_all(store) == ({}, [])
    assert RecordedList(store, None).missing() == []


def forged(folder: Path, content: bytes, curve: bytes | None = None) -> None:
    """A run folder with right checksums."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "result.json").write_bytes(content)
    if curve is not None:
        (folder / "curve.parquet").write_bytes(curve)
    names = sorted(path.name for path in folder.iterdir() if path.name != "SHA256SUMS")
    sums = [f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in names]
    (folder / "SHA256SUMS").write_text("".join(sums))


def changed(**entries: Any) -> bytes:
    return json.dumps({**result_of(), "key": "0", "status": "finished", **entries}).encode()


FOREIGN = [
    *(b"{}", b"[]", b"3", b"null", b'"text"', b"", b"\xff", b"not JSON", b"[" * 100_000, b'{"key": ' * 100_000),
    changed(seed="text", final=None),
    changed(settings=[]),
    changed(settings={"dataset": 3}),
    changed(provenance=None),
    changed(provenance={"started": "yesterday"}),
    changed(elapsed_seconds=1e300),
    changed(elapsed_seconds="long"),
    changed(key="0' OR '1' = '1"),
    changed(key=0),
    changed(key="another"),
    changed(status="done"),
    changed(status=["finished"]),
    changed(algo="\ud800"),
    changed(algo="\0"),
    changed(dataset={"name": "adult"}),
]


@pytest.mark.usefixtures("quickly_made")
def test_a_foreign_folder_never_holds_up_the_others(store: Store) -> None:
    (store.root / DATABASE).unlink()  # so that the first folder is the first that this database sees
    record(store, "z")
    curve = (store.root / "runs" / "z" / "curve.parquet").read_bytes()
    for number, content in enumerate(FOREIGN):
        forged(
            store.root / "runs" / f"{number:02d}0"[-1:] if number == 0 else store.root / "runs" / f"{number}",
            content,
            curve,
        )
    damaged = store.root / "runs" / "y"
    shutil.copytree(store.root / "runs" / "z", damaged)
    sums = (damaged / "SHA256SUMS").read_bytes()
    (damaged / "SHA256SUMS").write_bytes(sums.replace(b"curve", b"cu\0ve"))
    (store.root / "runs" / "x").write_bytes(b"a file")
    record(store, "zz")
    counts, lines = record_all(store)
    assert counts[Recorded.NEW] == 2, lines
    assert {run.data.tags["key"] for run in runs_in(store) if run.data.tags["status"] == "finished"} == {"z", "zz"}
    assert counts[Recorded.DAMAGED] == len(FOREIGN) + 2 == len(lines)
    assert all("is damaged; it is not recorded in mlflow: " in line for line in lines)


def test_a_run_that_mlflow_refuses_is_left_out(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    import mlflow

    for key in "abc":
        record(store, key)
    create = mlflow.MlflowClient.create_run

    def refuse(self: Any, *words: Any, **more: Any) -> Any:
        if words[2]["key"] == "a":
            raise mlflow.exceptions.MlflowException("this run is not to my taste")
        return create(self, *words, **more)

    with monkeypatch.context() as patch:
        patch.setattr(mlflow.MlflowClient, "create_run", refuse)
        counts, (line,) = record_all(store)
    assert counts == {Recorded.NEW: 2, Recorded.DAMAGED: 1}
    assert "not to my taste" in line
    assert record_all(store, again=True) == ({Recorded.NEW: 1}, [])


def test_an_error_of_the_database_ends_the_recording(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    import mlflow

    def locked(*_: object, **__: object) -> None:
        raise mlflow.exceptions.MlflowException("the database is locked")

    for key in "ab":
        record(store, key)
    for name in ("create_run", "set_experiment_tag"):
        monkeypatch.setattr(mlflow.MlflowClient, name, locked)
    with pytest.raises(StoreError, match="the database is locked"):
        record_all(store)


@pytest.mark.usefixtures("quickly_made")
def test_svm_store_says_what_it_set_aside(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    record(store, "a")
    record_all(store)
    moved = shutil.move(store.root, store.root.with_name("moved"))
    assert store_command(["record", str(moved)]) == 0
    printed = capsys.readouterr()
    assert printed.out.endswith(": 1 recorded\n")
    assert EARLIER in printed.err
    assert client(Store.open(moved)).get_experiment("1").artifact_location == str(moved / FILES)


def test_an_interrupted_run_without_a_curve_is_recorded(store: Store) -> None:
    store.leave_unfinished("k", "interrupted", result_of(), make_curve(1))
    store.leave_unfinished("k", "failed", {"error": "no memory"})
    assert record_all(store) == ({Recorded.NEW: 2}, [])
