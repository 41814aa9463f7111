"""Runs on a shared server: upload, fetch, conflicts, and a server that stops answering."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from experiments.store.artifacts import sha256
from experiments.store.mirror import Mirror, spool_of
from experiments.store.paths import StorePaths
from experiments.store.server import REACHED, Server, ServerRun
from servers import Relay, free_port
from store_records import make_curve, sql

from experiments.store import FinishedRun, Store, mlflow_writer
from experiments.store.__main__ import main as store_command


@pytest.fixture
def address(server: tuple[str, Path], monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv(REACHED, "")
    return server[0]


@pytest.fixture
def key() -> str:
    return uuid.uuid4().hex


@pytest.fixture
def machine(template: Path, tmp_path: Path, address: str) -> Any:
    """Makes the store of a machine that shares the server; its database is copied, which is quicker."""

    def make(name: str, server: str = address) -> Store:
        spool = spool_of(tmp_path / name, Server(server))
        spool.mkdir(parents=True)
        (spool / "mlflow.db").write_bytes((template / "mlflow.db").read_bytes())
        return Store.open(tmp_path / name, server=server)

    return make


def record(store: Store, key: str, curve: pd.DataFrame | None = None, **result: Any) -> tuple[FinishedRun, str]:
    handle = store.begin(key, f"run {key}", {"algo": {"name": "sbp"}, "seed": 0}, {"paper": "sbp"})
    done = handle.finish({"final": {"test_error": 0.1}, **result}, make_curve(5) if curve is None else curve)
    return done, handle.upload()


def on_server(address: str, key: str) -> list[tuple[str, str]]:
    return [(run.run_id, run.status) for run in Server(address).runs(key=key)]


def statuses(address: str, key: str) -> list[str]:
    return sorted(status for _, status in on_server(address, key))


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("backend", ["server", pytest.param("sqlite_server", marks=pytest.mark.slow)])
def test_another_machine_finds_a_finished_run(
    backend: str, machine: Any, key: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    address, _ = request.getfixturevalue(backend)
    one, other = machine("one", address), machine("other", address)
    picture = tmp_path / "curve.png"
    picture.write_bytes(b"a picture")
    handle = one.begin(key, "a name", {"algo": {"name": "sbp"}, "seed": 0}, {"paper": "sbp", "commit": "abc"})
    done = handle.finish({"final": {"test_error": 0.1}, "nan": float("nan")}, make_curve(400), [picture])
    assert on_server(address, key) == []
    assert handle.upload() == ""
    assert handle.upload() == ""

    found = other.find_finished(key)
    assert found is not None
    assert files(found.directory) == files(done.directory)
    assert found.result == done.result
    assert (found.name, found.tags, found.params) == ("a name", done.tags, done.params)
    pd.testing.assert_frame_equal(found.curve, done.curve)
    text = "SELECT key, value, timestamp, step FROM metrics WHERE run_uuid = ? ORDER BY 1, 4"
    assert sql(other, text, found.run_id) == sql(one, text, done.run_id)
    times = "SELECT start_time, end_time FROM runs WHERE run_uuid = ?"
    assert sql(other, times, found.run_id) == sql(one, times, done.run_id)
    assert other.upload(found) == ""
    assert other.find_finished(key) == found  # from here this time

    import mlflow

    client = mlflow.MlflowClient(address)
    (run_id, status), *more = on_server(address, key)
    assert (status, more) == ("finished", [])
    assert client.get_run(run_id).info.status == "FINISHED"
    history = [
        (point.key, point.value, point.timestamp, point.step) for point in client.get_metric_history(run_id, "gap")
    ]
    assert history == [row for row in sql(one, text, done.run_id) if row[0] == "gap"]


def test_a_curve_goes_in_few_large_batches(machine: Any, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import mlflow

    one = machine("one")
    handle = one.begin(key, "n", {f"p{i}": i for i in range(150)}, {})
    handle.finish({}, make_curve(2000))
    calls: list[int] = []
    log_batch = mlflow.MlflowClient.log_batch
    for name in ("log_metric", "log_param"):
        monkeypatch.setattr(mlflow.MlflowClient, name, None)

    def counted(self: Any, run_id: str, metrics: Any = (), params: Any = (), **rest: Any) -> None:
        calls.append(len(metrics) + len(params))
        log_batch(self, run_id, metrics=metrics, params=params, **rest)

    monkeypatch.setattr(mlflow.MlflowClient, "log_batch", counted)
    assert handle.upload() == ""
    ((points,),) = sql(one, "SELECT count(*) FROM metrics")
    assert points > 1000
    assert sum(calls) == points + 150
    assert len(calls) == 2 + -(-points // 1000)


def test_interrupted_and_failed_runs_are_uploaded_with_their_status(machine: Any, address: str, key: str) -> None:
    one, other = machine("one"), machine("other")
    for end in ("interrupt", "fail"):
        handle = one.begin(key, "n", {}, {})
        handle.interrupt({}, make_curve(3)) if end == "interrupt" else handle.fail("no memory")
        assert handle.upload() == ""
    assert statuses(address, key) == ["failed", "interrupted"]
    assert other.find_finished(key) is None
    record(other, key)
    assert statuses(address, key) == ["failed", "finished", "interrupted"]


def test_a_run_survives_the_loss_of_its_server(
    machine: Any, address: str, key: str, capsys: pytest.CaptureFixture[str]
) -> None:
    relay = Relay(address)
    one = machine("one", relay.address)
    handle = one.begin(key, "n", {}, {})
    relay.cut()
    assert one.find_finished("another") is None
    done = handle.finish({}, make_curve(5))
    message = handle.upload()
    assert message.startswith(f"the server {relay.address} does not answer: Connection refused; the run is kept")
    assert message.endswith(f"python -m experiments.store sync {one.root}")
    assert one.find_finished(key) == done
    assert store_command(["sync", str(one.root)]) == 2
    assert "does not answer" in capsys.readouterr().err
    relay.open()
    root = one.root.parents[1]
    for words, expected in ((["sync", str(root)], "1 uploaded"), (["sync", f"store.root={root}"], "1 there already")):
        assert store_command(words) == 0
        assert capsys.readouterr().out.endswith(f": {expected}\n")
    relay.cut()
    assert statuses(address, key) == ["finished"]


def test_a_partial_upload_is_not_found_and_can_be_completed(
    machine: Any, address: str, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = machine("one"), machine("other")
    for step in ("fill", "end", "tag"):
        monkeypatch.setattr(mlflow_writer.ServerWriter, step, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        if step == "fill":
            done, message = record(one, key)
        else:
            message = one.upload(done)
        assert message.startswith("stopped by Ctrl-C; the run is kept")
        assert statuses(address, key) == ["uploading"]
        assert other.find_finished(key) is None
        monkeypatch.undo()
        monkeypatch.setenv(REACHED, address)
    assert one.upload(done) == ""
    ((run_id, status),) = on_server(address, key)
    assert status == "finished"

    import mlflow

    assert len(mlflow.MlflowClient(address).get_metric_history(run_id, "gap")) == 5  # none twice


def test_the_same_result_is_on_the_server_once(machine: Any, address: str, key: str) -> None:
    one, other = machine("one"), machine("other")
    curve = make_curve(5)
    done, message = record(one, key, curve)
    again, told_again = record(other, key, curve.assign(cpu_seconds=curve["cpu_seconds"] * 2), who="other")
    assert (message, told_again) == ("", "")
    assert done.tags["result_sha256"] != again.tags["result_sha256"]
    assert statuses(address, key) == ["finished"]


def test_different_results_for_a_key_are_both_kept_and_reported(
    machine: Any, address: str, key: str, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = machine("one"), machine("other")
    record(one, key, make_curve(5))
    mine, message = record(other, key, make_curve(6))
    assert f"a finished run of key {key} with another result: both are kept" in message
    assert statuses(address, key) == ["differs", "finished"]
    assert store_command(["sync", str(other.root)]) == 0
    printed = capsys.readouterr()
    assert printed.out.endswith(": 1 with another result than the server's\n")
    assert key in printed.err
    assert statuses(address, key) == ["differs", "finished"]
    assert other.find_finished(key) == mine
    third = machine("third").find_finished(key)
    assert third is not None
    assert len(third.curve) == 5


@pytest.mark.parametrize(("points", "status"), [(5, "duplicate"), (6, "differs")])
def test_of_two_simultaneous_uploads_one_stays_finished(
    points: int, status: str, machine: Any, address: str, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, other = machine("one"), machine("other")
    record(one, key, make_curve(5))
    runs, requests = Server.runs, []

    def late(self: Server, **tags: str) -> list[ServerRun]:
        requests.append(tags)
        return [] if len(requests) == 1 else runs(self, **tags)  # the other had not yet finished

    handle = other.begin(key, "n", {}, {})
    handle.finish({}, make_curve(points))
    monkeypatch.setattr(Server, "runs", late)
    message = handle.upload()
    monkeypatch.undo()
    assert statuses(address, key) == sorted(["finished", status])
    assert bool(message) == (status == "differs")


def test_a_damaged_run_on_the_server_is_replaced(machine: Any, server: tuple[str, Path], key: str) -> None:
    address, folder = server
    one, other = machine("one"), machine("other")
    record(one, key)
    ((run_id, _),) = on_server(address, key)
    (curve,) = (folder / "artifacts").glob(f"*/{run_id}/artifacts/curve.parquet")
    curve.write_bytes(b"something else")
    assert other.find_finished(key) is None
    _, message = record(other, key)
    assert message == ""
    assert statuses(address, key) == ["damaged", "finished"]
    third = machine("third").find_finished(key)
    assert third is not None


def test_a_read_only_store_finds_runs_without_copying_them(machine: Any, address: str, key: str) -> None:
    one = machine("one")
    record(one, key)
    reader = Store.open(one.root.parents[1].with_name("reader"), server=address, read_only=True)
    assert reader.find_finished(key) is not None
    assert reader.find_finished("missing") is None
    assert not reader.root.exists()


def test_hundreds_of_keys_need_few_requests(machine: Any, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    record(machine("one"), key)
    other = machine("other")
    requests: list[str] = []
    call = Server._call_api
    monkeypatch.setattr(
        Server, "_call_api", lambda self, *words, **more: requests.append(words[1]) or call(self, *words, **more)
    )
    assert all(other.find_finished(f"missing-{number}") is None for number in range(300))
    assert len(requests) <= 3
    assert other.find_finished(key) is not None


def test_a_store_of_one_machine_can_be_uploaded_to_a_server(
    store: Store, address: str, key: str, capsys: pytest.CaptureFixture[str]
) -> None:
    done, message = record(store, key)
    assert message == ""
    store.begin("dead", "n", {}, {})._alive.end()  # killed: it has no record
    done.directory.joinpath("result.json").touch()
    assert store_command(["sync", str(store.root), address]) == 0
    assert capsys.readouterr().out == f"{store.root} -> {address}: 1 uploaded\n"
    assert statuses(address, key) == ["finished"]
    done.directory.joinpath("curve.parquet").write_bytes(b"")
    key = f"{key}-2"
    damaged, _ = record(store, key)
    damaged.directory.joinpath("curve.parquet").write_bytes(b"")
    assert store_command(["sync", str(store.root), address]) == 1
    printed = capsys.readouterr()
    assert printed.out.endswith(": 1 there already, 1 damaged here\n")
    assert str(damaged.directory) in printed.err
    assert statuses(address, key) == []


@pytest.mark.parametrize("words", [["sync", "nowhere"], ["sync", "nowhere", "http://127.0.0.1:1"], ["sync", ".", "x"]])
def test_a_sync_of_nothing_is_refused_in_one_line(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert store_command(words) == 2
    assert capsys.readouterr().err.startswith("error: ")
    assert list(tmp_path.iterdir()) == []


class FakeServer(Server):
    """A server with one run, whose files are given."""

    def __init__(self, files: dict[str, bytes]) -> None:
        super().__init__(f"http://127.0.0.1:{free_port()}")
        self.files = files

    def runs(self, **tags: str) -> list[ServerRun]:
        return [ServerRun("r", "n", 0, 1, {"result_sha256": sha256(self.files["result.json"]), **tags}, {})]

    def file(self, run_id: str, name: str) -> bytes | None:
        return self.files.get(name)


@pytest.mark.parametrize("name", ["../escaped", "/etc/escaped", "a/b", "..", "curve.parquet"])
def test_files_with_foreign_names_or_contents_are_not_fetched(name: str, tmp_path: Path) -> None:
    content = b"content"
    result = f'{{"artifacts": {{"curve.parquet": "{sha256(b"curve")}", "{name}": "{sha256(content)}"}}}}'
    fake = FakeServer(
        {"result.json": result.encode(), "curve.parquet": b"curve", name: content if "/" in name else b"other"}
    )
    assert Mirror(StorePaths.parse(tmp_path), fake).fetch("k") is None
