"""A server that several machines share: its address, runs fetched from it, conflicts, and a server that goes away."""

from __future__ import annotations

import os
import socket
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from servers import Relay, answering, free_port
from store_records import make_curve, record, result_of

from svm_cost_curves.experiments.store import Store, StoreError, recorder
from svm_cost_curves.experiments.store import address as addresses
from svm_cost_curves.experiments.store.address import REACHED, check_address, folder_name
from svm_cost_curves.experiments.store.cli import main as store_command
from svm_cost_curves.experiments.store.recorder import recording, tracking_of
from svm_cost_curves.experiments.store.tracking import Recorded, Tracking

Machine = Callable[..., Store]


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(REACHED, "")
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    monkeypatch.delenv(recorder.OFF)


@pytest.fixture
def address(server: tuple[str, Path]) -> str:
    return server[0]


@pytest.fixture
def key() -> str:
    return uuid.uuid4().hex


@pytest.fixture
def machine(tmp_path: Path, address: str) -> Machine:
    """Open the store of a machine that shares the server."""

    def open_store(name: str, server: str = address, *, read_only: bool = False) -> Store:
        return Store.open(tmp_path / name, server=server, read_only=read_only)

    return open_store


def put(store: Store, key: str, points: int = 5) -> Recorded:
    return tracking_of(store).record(record(store, key, points).directory)


def statuses(address: str, key: str) -> list[str]:
    return sorted(run.data.tags["status"] for run in Tracking(address)._runs_of(key))


@pytest.mark.parametrize(
    "address", ["host:5000", "ftp://host", "http://", "http://h:port", "http://h?x=1", "http://a b", "http://h'", "a"]
)
def test_a_malformed_address_is_refused(address: str, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="http://HOST:PORT"):
        Store.open(tmp_path, server=address)


def test_a_password_in_the_address_would_be_recorded_and_is_refused() -> None:
    with pytest.raises(StoreError, match="MLFLOW_TRACKING_PASSWORD") as refused:
        check_address("http://me:secret@host:5000")
    assert "secret" not in str(refused.value)


@given(host=st.from_regex(r"[a-z][a-z0-9.-]{0,20}", fullmatch=True), port=st.integers(1, 65535), path=st.booleans())
def test_each_address_has_a_folder_name_of_its_own(host: str, port: int, path: bool) -> None:
    address = f"http://{host}:{port}{'/mlflow/' if path else ''}"
    name = folder_name(address)
    assert check_address(address) == address.rstrip("/")
    assert Path(name).name == name
    assert not set(name) & set("?#%:/ ")
    assert name != folder_name(f"http://{host}:{port % 65535 + 1}")


def test_a_dead_server_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    address = f"http://127.0.0.1:{free_port()}"
    with pytest.raises(StoreError) as refused:
        Store.open(tmp_path / "results", server=address)
    message = str(refused.value)
    assert message.startswith(f"the server {address} does not answer: Connection refused; start it")
    assert f"store.root={tmp_path / 'results' / 'servers'}" in message
    assert "\n" not in message
    assert list(tmp_path.iterdir()) == []
    assert os.environ[REACHED] == ""


def test_a_silent_server_times_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(addresses, "HEALTH_SECONDS", 0.2)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        with pytest.raises(StoreError, match="does not answer: nothing within seconds"):
            Tracking.reached(f"http://127.0.0.1:{silent.getsockname()[1]}")


@pytest.mark.parametrize(
    ("status", "content"), [(200, b"hello"), (404, b"{}"), (403, b"OK"), (302, b""), (500, b"\xff")]
)
def test_another_server_is_refused(status: int, content: bytes) -> None:
    with answering(status, content) as address, pytest.raises(StoreError, match=f"answers {status} .*no mlflow"):
        Tracking.reached(address)


def test_wrong_answers_are_store_errors(store: Store) -> None:
    folder = record(store, "k").directory
    for content in (b"OK", b"{}", b"[]", b'{"experiment": {"name": 3}}'):
        with answering(200, content) as address, pytest.raises(StoreError):
            Tracking(address).record(folder)


def test_a_server_is_asked_once_for_a_command(address: str, tmp_path: Path) -> None:
    Store.open(tmp_path, server=address)
    assert os.environ[REACHED] == address
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(addresses, "_check_answer", None)
        Store.open(tmp_path, server=f"{address}/")


def test_another_machine_finds_a_finished_run(machine: Machine, address: str, key: str, tmp_path: Path) -> None:
    one, other = machine("one"), machine("other")
    (tmp_path / "curve.png").write_bytes(b"a picture")
    with recording(one, print, wait=True) as begin:
        begin()
        done = one.finish(key, result_of(), make_curve(400), [tmp_path / "curve.png"])
    fetched = other.find_finished(key)
    assert fetched is not None
    assert {path.name: path.read_bytes() for path in fetched.directory.iterdir()} == {
        path.name: path.read_bytes() for path in done.directory.iterdir()
    }
    pd.testing.assert_frame_equal(fetched.curve, done.curve)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Tracking, "fetch", None)
        assert other.find_finished(key) == fetched  # from the folder this time
    again = machine("third").finish(key, result_of() | {"who": "third"}, make_curve(400))
    for same in (fetched, again):
        assert tracking_of(other).record(same.directory) is Recorded.THERE
    assert statuses(address, key) == ["finished"]


def test_a_curve_goes_in_few_large_batches(machine: Machine, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import mlflow

    one, calls = machine("one"), list[int]()
    log_batch = mlflow.MlflowClient.log_batch
    for name in ("log_metric", "log_param"):
        monkeypatch.setattr(mlflow.MlflowClient, name, None)

    def counted(self: Any, run_id: str, metrics: Any = (), params: Any = (), **rest: Any) -> None:
        calls.append(len(metrics) + len(params))
        log_batch(self, run_id, metrics=metrics, params=params, **rest)

    monkeypatch.setattr(mlflow.MlflowClient, "log_batch", counted)
    assert put(one, key, 2000) is Recorded.NEW
    assert sum(calls) > 1000
    assert len(calls) <= 2 + sum(calls) // 1000


def test_a_run_survives_the_loss_of_its_server(
    machine: Machine, address: str, key: str, capsys: pytest.CaptureFixture[str]
) -> None:
    relay, warnings = Relay(address), list[str]()
    one = machine("one", relay.address)
    relay.cut()
    assert one.find_finished("another") is None
    with recording(one, warnings.append, wait=True) as begin:
        begin()
        done = record(one, key)
    assert any("Connection refused" in line for line in warnings)
    assert warnings[-1].endswith(f"svm-store record {one.root}")
    assert one.find_finished(key) == done
    assert store_command(["record", str(one.root)]) == 2
    assert "Connection refused" in capsys.readouterr().err
    relay.open()
    root = one.root.parents[1]
    for words, expected in ((["record", str(root)], "1 recorded"), (["record", str(one.root)], "nothing is missing")):
        assert store_command(words) == 0
        assert capsys.readouterr().out.endswith(f": {expected}\n")
    relay.cut()
    assert statuses(address, key) == ["finished"]


def test_a_server_that_comes_back_gets_the_runs_of_the_same_command(
    machine: Machine, address: str, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    relay, warnings = Relay(address), list[str]()
    one = machine("one", relay.address)
    with recording(one, warnings.append, wait=True) as begin:
        relay.cut()
        begin()
        record(one, key)
        relay.open()
    relay.cut()
    assert warnings == []
    assert statuses(address, key) == ["finished"]


def test_different_results_for_a_key_are_both_kept_and_reported(
    machine: Machine, address: str, key: str, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = machine("one"), machine("other")
    put(one, key)
    run = record(other, key, points=6)
    assert store_command(["record", str(other.root)]) == 0
    printed = capsys.readouterr()
    assert printed.out.endswith(": 1 with another result than the one there\n")
    assert str(run.directory) in printed.err
    assert statuses(address, key) == ["differs", "finished"]
    assert other.find_finished(key) == run
    third = machine("third").find_finished(key)
    assert third is not None
    assert len(third.curve) == 5


@pytest.mark.parametrize(("points", "status"), [(5, "duplicate"), (6, "differs")])
def test_of_two_simultaneous_records_one_stays_finished(
    points: int, status: str, machine: Machine, address: str, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = machine("one"), machine("other")
    put(one, key)
    runs_of, calls = Tracking._runs_of, list[str]()

    def late(self: Tracking, key: str) -> list[Any]:
        calls.append(key)
        return [] if len(calls) == 1 else runs_of(self, key)  # the other run had not finished then

    monkeypatch.setattr(Tracking, "_runs_of", late)
    # both began at one second: the first is the one with the smaller identifier
    recorded = put(other, key, points)
    monkeypatch.undo()
    assert statuses(address, key) == sorted(["finished", status])
    assert recorded in (Recorded.NEW, Recorded.DIFFERS)


def test_a_damaged_run_on_the_server_is_replaced(machine: Machine, server: tuple[str, Path], key: str) -> None:
    address, folder = server
    one, other = machine("one"), machine("other")
    put(one, key)
    (run,) = Tracking(address)._runs_of(key)
    (curve,) = (folder / "artifacts").glob(f"*/{run.info.run_id}/artifacts/curve.parquet")
    curve.write_bytes(b"something else")
    assert other.find_finished(key) is None
    assert put(other, key) is Recorded.NEW
    assert statuses(address, key) == ["damaged", "finished"]
    assert machine("third").find_finished(key) is not None


def test_a_read_only_store_finds_runs_without_copying_them(machine: Machine, key: str) -> None:
    put(machine("one"), key)
    reader = machine("reader", read_only=True)
    assert reader.find_finished(key) is not None
    assert reader.find_finished("missing") is None
    assert not reader.root.exists()


def test_hundreds_of_keys_need_few_requests(machine: Machine, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import mlflow

    put(machine("one"), key)
    other, calls = machine("other"), list[str]()
    search = mlflow.MlflowClient.search_runs

    def counted(self: Any, *words: Any, **more: Any) -> Any:
        calls.append("search")
        return search(self, *words, **more)

    monkeypatch.setattr(mlflow.MlflowClient, "search_runs", counted)
    assert all(other.find_finished(f"missing-{number}") is None for number in range(300))
    assert len(calls) <= 3
    assert other.find_finished(key) is not None


def test_a_store_of_one_machine_can_be_recorded_at_a_server(
    store: Store, address: str, key: str, capsys: pytest.CaptureFixture[str]
) -> None:
    record(store, key)
    assert store_command(["record", str(store.root), address]) == 0
    assert capsys.readouterr().out == f"{store.root} -> {address}: 1 recorded\n"
    damaged = record(store, f"{key}-2")
    damaged.directory.joinpath("curve.parquet").write_bytes(b"")
    assert store_command(["record", str(store.root), address]) == 1
    printed = capsys.readouterr()
    assert printed.out.endswith(": 1 damaged here\n")
    assert str(damaged.directory) in printed.err
    assert statuses(address, key) == ["finished"]
    assert statuses(address, f"{key}-2") == []
