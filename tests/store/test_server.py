"""Checks of a server: its address, its first answer, wrong answers."""

from __future__ import annotations

import contextlib
import json
import os
import socket
from pathlib import Path

import numpy as np
import pytest
import requests
from experiments.store.mirror import same_results
from experiments.store.mlflow_writer import server_writer
from experiments.store.server import REACHED, Server
from hypothesis import given
from hypothesis import strategies as st
from servers import Relay, answering, free_port
from store_records import make_curve
from waiting import PATIENCE

from experiments.store import Store, StoreError, server

OURS = {"name": "svm-cost-curves", "experiment_id": "3", "lifecycle_stage": "active"}
VERSION = [{"key": "svm_cost_curves.store_version", "value": "1"}]
PROXIED = "mlflow-artifacts:/3"
RUN_NAMES = ("info", "data", "tags", "params", "key", "value", "run_id", "start_time", "end_time")


@pytest.fixture(autouse=True)
def not_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(REACHED, "")


@pytest.mark.parametrize(
    "address", ["host:5000", "ftp://host", "http://", "http://h:port", "http://h?x=1", "http://a b", "http://h'", "a"]
)
def test_a_malformed_address_is_refused(address: str) -> None:
    with pytest.raises(StoreError, match="http://HOST:PORT"):
        Server(address)


def test_a_password_in_the_address_would_be_recorded_and_is_refused() -> None:
    with pytest.raises(StoreError, match="MLFLOW_TRACKING_PASSWORD") as refused:
        Server("http://me:secret@host:5000")
    assert "secret" not in str(refused.value)


@given(host=st.from_regex(r"[a-z][a-z0-9.-]{0,20}", fullmatch=True), port=st.integers(1, 65535), path=st.booleans())
def test_each_address_has_its_own_folder_name(host: str, port: int, path: bool) -> None:
    address = f"http://{host}:{port}{'/mlflow/' if path else ''}"
    name = Server(address).folder_name
    assert Server(address).address == address.rstrip("/")
    assert Path(name).name == name
    assert not set(name) & set("?#%:/ ")
    assert name != Server(f"http://{host}:{port % 65535 + 1}").folder_name


def test_the_port_of_a_server_that_is_cut_off_is_nobody_elses() -> None:
    with answering(200, b"{}") as address:
        relay = Relay(address)
        relay.cut()
        with socket.socket() as other, pytest.raises(OSError, match="in use"):
            other.bind(("127.0.0.1", int(relay.address.rpartition(":")[2])))
        for _ in range(3):
            with pytest.raises(requests.ConnectionError, match="refused"):
                requests.get(relay.address, timeout=PATIENCE)
            relay.open()
            assert requests.get(relay.address, timeout=PATIENCE).text == "{}"
            relay.cut()


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
    import socket

    monkeypatch.setattr(server, "FIRST_ANSWER_SECONDS", 0.2)
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        with pytest.raises(StoreError, match="does not answer: nothing within seconds"):
            Server(f"http://127.0.0.1:{silent.getsockname()[1]}").check_reachable()


@pytest.mark.parametrize(
    ("status", "content", "says"),
    [
        (200, b"<html>hello</html>", "no mlflow tracking server"),
        (404, b"<html>gone</html>", "answers 404.*no mlflow tracking server"),
        (200, b"[]", "no mlflow tracking server"),
        (403, b"Invalid Host header", "403.*MLFLOW_TRACKING_USERNAME"),
        (500, json.dumps({"error_code": "INTERNAL_ERROR", "message": "no disk\nmore"}).encode(), "500 no disk$"),
        (302, b"", "answers 302"),
        (404, json.dumps({"error_code": "RESOURCE_DOES_NOT_EXIST", "message": "none"}).encode(), "answers 404 none"),
    ],
)
def test_a_wrong_answer_is_reported(status: int, content: bytes, says: str) -> None:
    with answering(status, content) as address, pytest.raises(StoreError, match=says):
        Server(address).check_reachable()


DEEP = b"[" * 100_000


@pytest.mark.parametrize("content", [DEEP, b'{"experiment": 3}', b'{"experiment": {}}', b'{"experiment": {"tags": 1}}'])
@pytest.mark.parametrize("status", [200, 500])
def test_an_answer_of_another_form_is_one_sentence(status: int, content: bytes) -> None:
    with answering(status, content) as address, pytest.raises(StoreError, match=f"the server {address} answers"):
        Server(address).check_reachable()


@pytest.mark.parametrize("content", [DEEP, b'{"run": 3}', b'{"run": {"info": 3}}', b"<html>"])
def test_a_write_that_is_answered_in_another_form_is_one_sentence(content: bytes) -> None:
    with (
        answering(200, content) as address,
        pytest.raises(StoreError, match=f"the server {address} ") as refused,
        server_writer(address) as writer,
    ):
        writer.begin("3", "a run", 0, {})
    assert "\n" not in str(refused.value)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(RUN_NAMES), inner, max_size=4),
    max_leaves=12,
)


@given(json_values)
def test_runs_of_another_form_are_one_sentence(runs: object) -> None:
    ours = {**OURS, "tags": VERSION, "artifact_location": PROXIED}
    shared = Server("http://127.0.0.1:1")
    answers = {"experiment": ours, "runs": runs}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shared, "_call_api", lambda *_, **__: answers)
        for ask in (lambda: shared.runs(key="k"), shared.finished_keys):
            with contextlib.suppress(StoreError):
                ask()


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"lifecycle_stage": "deleted"}, "experiments restore -x 3"),
        ({"tags": []}, "version unknown"),
        ({"tags": [{"key": VERSION[0]["key"], "value": "99"}]}, "version 99, this program needs version 1"),
        ({"artifact_location": "/srv/artifacts/3"}, "--artifacts-destination"),
        ({"artifact_location": "file:///srv/artifacts/3"}, "--artifacts-destination"),
    ],
)
def test_an_experiment_that_cannot_hold_our_runs_is_refused(changes: dict[str, object], says: str) -> None:
    ours = {**OURS, "tags": VERSION, "artifact_location": PROXIED, **changes}
    with answering(200, json.dumps({"experiment": ours}).encode()) as address, pytest.raises(StoreError, match=says):
        Server(address).check_reachable()


def test_a_command_checks_a_server_once() -> None:
    ours = {**OURS, "tags": VERSION, "artifact_location": PROXIED}
    with answering(200, json.dumps({"experiment": ours}).encode()) as address:
        Server(address).check_reachable()
    Server(address).check_reachable()  # gone by now, but it has answered
    with pytest.raises(StoreError):
        Server(f"http://127.0.0.1:{free_port()}").check_reachable()


def test_a_spool_belongs_to_one_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(REACHED, "http://a/b/c")
    spool = Store.open(tmp_path, server="http://a/b/c").root
    spool.mkdir(parents=True)
    (spool / "server").write_text("http://a/b_c\n", encoding="utf-8")
    with pytest.raises(StoreError, match="is the spool of http://a/b_c, not of http://a/b/c"):
        Store.open(tmp_path, server="http://a/b/c")


def test_times_do_not_matter_for_equal_results() -> None:
    curve = make_curve(9)
    slower = curve.assign(cpu_seconds=curve["cpu_seconds"] * 3, wall_seconds=curve["wall_seconds"] + 1)
    assert same_results(curve, slower)
    assert not same_results(curve, curve.assign(kernel_evaluations=curve["kernel_evaluations"] + 1))
    assert not same_results(curve, curve.iloc[:-1])


@given(
    place=st.integers(0, 8),
    name=st.sampled_from(["test_error", "primal", "gap"]),
    share=st.one_of(st.floats(-1e-7, 1e-7), st.floats(1e-4, 1.0)),
)
def test_results_are_equal_to_six_digits(place: int, name: str, share: float) -> None:
    curve = make_curve(9)
    other = curve.copy()
    other.loc[place, name] += share * np.nanmax(curve[name])
    assert same_results(curve, other) == same_results(other, curve) == (share <= 1e-7)
    assert not same_results(curve, curve.assign(**{name: np.nan}))
