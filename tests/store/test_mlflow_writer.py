"""Writes through mlflow: mlflow sees the runs, and leaves nothing behind."""

from __future__ import annotations

import logging
import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd
import pytest
from store_records import make_curve, record, sql

from experiments.provenance import PROJECT_ROOT
from experiments.store import Store, mlflow_writer
from experiments.store.__main__ import main, serve


def test_no_active_run_and_no_mlflow_folder_remains(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mlflow_writer.load()  # the store writes without mlflow once its empty database is in the cache
    import mlflow

    monkeypatch.chdir(tmp_path)
    before = signal.getsignal(signal.SIGINT)
    handle = store.begin("k", "n", {}, {})
    assert mlflow.active_run() is None
    handle.finish({}, make_curve(2))
    assert mlflow.active_run() is None
    assert [path.name for path in tmp_path.iterdir()] == [store.root.name]
    assert os.environ["MLFLOW_DISABLE_TELEMETRY"] == "true"
    assert logging.getLogger("alembic").level >= logging.WARNING
    assert signal.getsignal(signal.SIGINT) is before
    assert sql(store, "SELECT DISTINCT user_id FROM runs") == [("unknown",)]


def test_the_ui_command_names_this_store(store: Store) -> None:
    command = store.ui_command()
    assert re.fullmatch(
        r"MLFLOW_SERVER_ENABLE_JOB_EXECUTION=false mlflow ui --workers 1 --backend-store-uri '?\S.*", command
    )
    assert f"'sqlite:///{store.database}'" in command  # quoted: its path has a space


def test_the_ui_runs_on_this_store_and_the_address_is_printed(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import mlflow

    commands: list[Sequence[str]] = []

    def serve(words: Sequence[str], environment: Mapping[str, str]) -> int:
        assert environment["MLFLOW_SERVER_ENABLE_JOB_EXECUTION"] == "false"
        assert environment["MLFLOW_BACKEND_STORE_URI"] == store.uri
        assert capsys.readouterr().out == f"runs, as soon as mlflow has started: {address}\n"
        commands.append(words)
        return 3

    record(store, "k")
    number = mlflow.MlflowClient(store.uri).get_experiment_by_name("svm-cost-curves").experiment_id
    address = f"http://127.0.0.1:5001/#/experiments/{number}/runs"
    monkeypatch.setattr("experiments.store.__main__.serve", serve)
    assert main(["ui", str(store.root), "--port", "5001"]) == 3
    (words,) = commands
    assert words[1:4] == ["-m", "mlflow", "ui"]
    assert words[-2:] == ["--port", "5001"]
    assert main(["ui", str(tmp_path / "none")]) == 2
    assert "there are no runs in" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


SERVER = """
import subprocess, sys, time
worker = subprocess.Popen([sys.executable, "-c", "import time; print('ready', flush=True); time.sleep(600)"])
worker.wait()
"""
COMMAND = """
import os, sys
from experiments.store.__main__ import serve
sys.exit(serve([sys.executable, "-c", sys.argv[1]], os.environ))
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL])
def test_a_server_and_its_workers_end_with_the_command(number: signal.Signals) -> None:
    words = [sys.executable, "-c", COMMAND, SERVER]
    with subprocess.Popen(words, cwd=PROJECT_ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as command:
        assert command.stdout is not None
        assert command.stdout.readline() == b"ready\n"
        command.send_signal(number)
        command.communicate(timeout=300)  # at the end of all processes that can write into the pipe
        assert command.returncode


def test_the_status_of_a_server_is_that_of_the_command() -> None:
    assert serve([sys.executable, "-c", "import sys; sys.exit(3)"], os.environ) == 3


def test_mlflow_sees_what_the_store_wrote(store: Store) -> None:
    import mlflow

    run_id = store.begin("k", "a name", {"a": {"b": 1}}, {"paper": "sbp"}).finish({}, make_curve(4)).run_id
    client = mlflow.MlflowClient(store.uri)
    (run,) = client.search_runs([client.get_experiment_by_name("svm-cost-curves").experiment_id], "tags.paper = 'sbp'")
    assert run.info.run_id == run_id
    assert run.data.params == {"a.b": "1"}
    assert run.data.metrics["test_error"] == 0.25
    assert {file.path for file in client.list_artifacts(run_id)} == {"curve.parquet", "result.json"}


@pytest.mark.filterwarnings("ignore")  # mlflow's own, about its guesses at the source
def test_mlflow_works_beside_our_package_called_datasets(store: Store) -> None:
    # mlflow 2.4.0 failed on a top-level package of this name, which it took for another library
    sys.path.insert(0, str(PROJECT_ROOT))
    try:
        import datasets
    finally:
        sys.path.remove(str(PROJECT_ROOT))
    assert next(iter(datasets.__path__)) == str(PROJECT_ROOT / "datasets")
    import mlflow
    import mlflow.data
    from mlflow.entities import DatasetInput

    data = mlflow.data.from_pandas(pd.DataFrame({"x": [1.0, 2.0]}), source="digits.csv", name="digits")
    handle = store.begin("k", "n", {}, {})
    client = mlflow.MlflowClient(store.uri)
    client.log_inputs(handle.run_id, [DatasetInput(data._to_mlflow_entity())])
    handle.finish({}, make_curve(2))
    assert client.get_run(handle.run_id).inputs.dataset_inputs[0].dataset.name == "digits"
