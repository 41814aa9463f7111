"""Servers that never end an answer: each command goes on soon, with one sentence."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import socket
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from servers import sending
from store_records import record

from svm_cost_curves.experiments.store import Store, StoreError, limits, recorder, tracking
from svm_cost_curves.experiments.store import address as addresses
from svm_cost_curves.experiments.store.address import REACHED
from svm_cost_curves.experiments.store.tracking import Tracking

OK = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
Answer = Callable[[], Iterator[bytes]]


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits that these servers reach soon."""
    monkeypatch.setenv(REACHED, "")
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")  # each has a pause of seconds before it
    monkeypatch.setattr(limits, "TICK_SECONDS", 0.02)
    for module, names in ((addresses, ("CONNECT_SECONDS", "HEALTH_SECONDS")), (tracking, TIMES)):
        for name in names:
            monkeypatch.setattr(module, name, 0.5)


TIMES = ("ANSWER_SECONDS", "SEARCH_SECONDS", "FILES_SECONDS")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes that are reached before the times are."""
    for name, size in (("MEMORY_BYTES", 30_000_000), ("FILE_BYTES", 1_000_000)):
        monkeypatch.setattr(limits, name, size)
    for name in TIMES:
        monkeypatch.setattr(tracking, name, 600.0)


def drip(head: bytes) -> Iterator[bytes]:
    yield head
    while True:
        time.sleep(0.05)
        yield b"1"


def silent() -> Iterator[bytes]:
    threading.Event().wait(600)
    yield b""


def endless(head: bytes, chunk: bytes = b"1" * 1_000_000) -> Iterator[bytes]:
    yield head
    yield from itertools.repeat(chunk)


def bomb() -> Iterator[bytes]:
    """Content that is a thousand times as long when it is unpacked, as its reader asks for."""
    packer = zlib.compressobj(9, wbits=31)
    first, chunk = (packer.compress(bytes(1_000_000)) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    return endless(OK + b"Content-Encoding: gzip\r\n\r\n" + first, chunk)


NEVER: dict[str, Answer] = {
    "drips a line": lambda: drip(b"HTTP/1.1 200 O"),
    "drips a header": lambda: drip(OK + b"X-Long: "),
    "drips": lambda: drip(OK + b"Content-Length: 100000\r\n\r\n"),
    "drips without an end": lambda: drip(OK + b"\r\n"),
    "silent": silent,
    "silent after its headers": lambda: itertools.chain([OK + b"Content-Length: 2\r\n\r\n"], silent()),
}
LARGE: dict[str, Answer] = {
    "endless": lambda: endless(OK + b"\r\n"),
    "bomb": bomb,
    "headers": lambda: endless(OK, b"X-Header: 1\r\n" * 1000),
    "a long header": lambda: endless(OK + b"X-Long: "),
}
UNBOUNDED = ("endless", "bomb")
"""Of these Python's HTTP client takes any number of bytes."""


@pytest.mark.parametrize("kind", [*NEVER, *LARGE])
def test_a_question_for_its_health_ends(kind: str) -> None:
    answer = (NEVER | LARGE)[kind]
    with sending(lambda _: answer()) as address, pytest.raises(StoreError, match=r"the server http.* answer"):
        Tracking.reached(address)
    assert os.environ[REACHED] == ""


def test_a_server_that_is_waited_for_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(addresses, "QUIET_SECONDS", 0.05)
    with sending(lambda _: silent()) as address, pytest.raises(StoreError):
        Tracking.reached(address)
    assert capsys.readouterr().err.startswith(f"... waiting for the server {address}")


def say(value: object) -> Iterator[bytes]:
    content = json.dumps(value).encode()
    yield OK + f"Content-Length: {len(content)}\r\nConnection: close\r\n\r\n".encode() + content


def mlflow_like(search: Answer, files: Answer = silent) -> Callable[[str], Iterator[bytes]]:
    """Answers like a server of mlflow up to the search for runs, and up to the files of a run."""

    def answer(path: str) -> Iterator[bytes]:
        if "health" in path:
            return iter([b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nOK"])
        if "get-by-name" in path:
            tags = [{"key": tracking.VERSION_TAG, "value": tracking.STORE_VERSION}]
            facts = {"experiment_id": "1", "name": tracking.EXPERIMENT, "lifecycle_stage": "active", "tags": tags}
            return say({"experiment": facts | {"artifact_location": "mlflow-artifacts:/1"}})
        if "runs/search" in path:
            return search()
        if "runs/get" in path:
            return say({"run": RUN})
        if "path=" in path:
            return say({"files": [{"path": "result.json", "is_dir": False, "file_size": "3"}]})
        return files()

    return answer


RUN = {
    "info": {
        "run_id": "r" * 32,
        "status": "FINISHED",
        "artifact_uri": "mlflow-artifacts:/1/r/artifacts",
        "start_time": 1,
    },
    "data": {"tags": [{"key": "key", "value": "k"}, {"key": "status", "value": "finished"}]},
}


@pytest.mark.parametrize("kind", NEVER)
def test_a_search_for_runs_ends(kind: str, store: Store) -> None:
    folder = record(store, "k").directory
    with sending(mlflow_like(NEVER[kind])) as address:
        with pytest.raises(StoreError, match=r"no whole answer within 0\.5 s"):
            Tracking(address).record(folder)
        assert not Tracking(address).might_have("k", at_once=True)


@pytest.mark.parametrize("kind", LARGE)
@pytest.mark.usefixtures("small")
def test_a_search_for_runs_has_a_size(kind: str) -> None:
    why = "more than 30,000,000 bytes" if kind in UNBOUNDED else "cannot be used"
    with sending(mlflow_like(LARGE[kind])) as address, pytest.raises(StoreError, match=why):
        Tracking(address)._runs_of("k")


def test_pages_without_an_end_end() -> None:
    numbers = itertools.count()
    with sending(mlflow_like(lambda: say({"runs": [RUN], "next_page_token": str(next(numbers))}))) as address:
        assert not Tracking(address).might_have("k", at_once=True)


@pytest.mark.parametrize("kind", ["drips", "silent"])
def test_files_that_do_not_arrive_are_given_up(kind: str, tmp_path: Path) -> None:
    with sending(mlflow_like(lambda: say({"runs": [RUN]}), NEVER[kind])) as address:
        assert not Tracking(address).fetch("k", tmp_path / "k")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("small")
def test_files_have_a_size(tmp_path: Path) -> None:
    with sending(mlflow_like(lambda: say({"runs": [RUN]}), LARGE["endless"])) as address:
        assert not Tracking(address).fetch("k", tmp_path / "k")
    assert list(tmp_path.iterdir()) == []


def test_a_run_with_files_of_this_machine_is_not_fetched(tmp_path: Path, store: Store) -> None:
    mine = record(store, "k").directory
    run = {"info": {**RUN["info"], "artifact_uri": mine.as_uri()}, "data": RUN["data"]}
    with sending(mlflow_like(lambda: say({"runs": [run]}))) as address:
        assert not Tracking(address).fetch("k", tmp_path / "k")


@pytest.mark.parametrize("status", [302, 307])
def test_redirections_are_not_followed(status: int, store: Store) -> None:
    seen: list[str] = []

    def other(path: str) -> Iterator[bytes]:
        seen.append(path)
        return say({})

    folder = record(store, "k").directory
    with sending(other) as there:
        moved = f"HTTP/1.1 {status} Moved\r\nLocation: {there}/x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        with sending(mlflow_like(lambda: iter([moved.encode()]))) as address, pytest.raises(StoreError):
            Tracking(address).record(folder)
    assert seen == []


def test_only_the_connections_to_the_server_are_closed() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.create_connection(listener.getsockname()) as mine:
        other, _ = listener.accept()
        with sending(lambda _: silent()) as address, contextlib.suppress(StoreError):
            Tracking.reached(address)
        mine.sendall(b"here")
        assert other.recv(4) == b"here"
        other.close()


@pytest.mark.usefixtures("small")  # its times: these servers answer, on a busy machine late
def test_a_connection_closed_by_the_server_is_no_lost_server() -> None:
    searches: list[str] = []

    def search() -> Iterator[bytes]:
        searches.append("search")
        return iter(()) if len(searches) == 1 else say({"runs": [RUN]})  # hangs up instead of an answer

    with sending(mlflow_like(search)) as address:
        assert Tracking(address).might_have("k", at_once=True)
    assert len(searches) == 2


@pytest.mark.usefixtures("small")
def test_a_run_is_not_created_twice_when_the_server_hangs_up(store: Store) -> None:
    created: list[str] = []
    record(store, "k")

    def answer(path: str) -> Iterator[bytes]:
        if "runs/create" in path:
            created.append(path)
            return iter(())
        return iter(()) if "set-experiment-tag" in path else mlflow_like(lambda: say({}))(path)

    with sending(answer) as address, pytest.raises(StoreError):
        recorder.record_all(store, Tracking(address), print)
    assert len(created) == 1
