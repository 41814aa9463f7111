"""Runs in mlflow's database of a store, read back through mlflow's client."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from store_records import client, make_curve, record, result_of, runs_in

from svm_cost_curves.experiments.curve import column, thin
from svm_cost_curves.experiments.store import Store, StoreError, tracking
from svm_cost_curves.experiments.store.address import DATABASE, database_uri
from svm_cost_curves.experiments.store.run_copy import same_results
from svm_cost_curves.experiments.store.tracking import Recorded, Tracking


@pytest.fixture
def store(mlflow_store: Store) -> Store:
    return mlflow_store


@pytest.fixture
def mlflow_of(store: Store) -> Tracking:
    """The database of the store of the test."""
    return Tracking.of_store(store.root)


def statuses(store: Store) -> list[str]:
    return sorted(run.data.tags["status"] for run in runs_in(store))


def test_the_curve_in_mlflow_is_that_of_the_run(store: Store, mlflow_of: Tracking, tmp_path: Path) -> None:
    import mlflow

    (tmp_path / "curve.png").write_bytes(b"picture")
    result = result_of(seed=3)
    result["settings"]["origins"] = {"seed": "command line", "problem.nu": "command line", "threads": "command line"}
    done = store.finish("k1", result, make_curve(400), [tmp_path / "curve.png"])
    assert mlflow_of.record(done.directory) is Recorded.NEW
    (run,) = runs_in(store)
    assert (run.info.status, run.info.run_name) == ("FINISHED", "sbp adult seed=3 problem.nu=0.01")
    (data,) = run.inputs.dataset_inputs
    assert (data.dataset.name, len(data.dataset.digest)) == ("adult", 8)
    assert (run.info.start_time, run.info.end_time) == (1767323045000, 1767323047500)
    assert {
        "algo": "sbp",
        "seed": "3",
        "problem.nu": "0.01",
        "kernel.sigma2": "100.0",
    }.items() <= run.data.params.items()
    assert {"key": "k1", "status": "finished", "commit": "abc", "isa": "v3"}.items() <= run.data.tags.items()
    thinned = thin(done.curve)
    assert 100 < len(thinned) <= 300
    assert run.data.tags["step"] == "kernel_evaluations"
    for name in ("test_error", "measure/gap", "cost/kernel_evaluations", "cost/epochs"):
        history = client(store).get_metric_history(run.info.run_id, name)
        assert [point.value for point in history] == column(thinned, name.rpartition("/")[2]).tolist()
        assert [point.step for point in history] == thinned["kernel_evaluations"].tolist()
    table = client(store).search_runs(["1"], "params.algo = 'sbp' and metrics.`measure/gap` < 1")
    assert [row.data.tags["key"] for row in table] == ["k1"]
    copied = mlflow.artifacts.download_artifacts(run_id=run.info.run_id, tracking_uri=database_uri(store.root))
    assert {path.name: path.read_bytes() for path in Path(copied).iterdir()} == {
        path.name: path.read_bytes() for path in done.directory.iterdir()
    }


def test_a_run_is_recorded_once(store: Store, mlflow_of: Tracking) -> None:
    folder = record(store, "k").directory
    assert [mlflow_of.record(folder) for _ in range(3)] == [Recorded.NEW, Recorded.THERE, Recorded.THERE]
    moved = Store.open(shutil.copytree(store.root, store.root.with_name("moved")))
    assert Tracking.of_store(moved.root).record(moved.ended()[0]) is Recorded.THERE
    assert len(runs_in(store)) == len(runs_in(moved)) == 1


def test_a_partial_record_is_completed(store: Store, mlflow_of: Tracking, monkeypatch: pytest.MonkeyPatch) -> None:
    import mlflow

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    folder = record(store, "k", points=20).directory
    for step in ("log_batch", "log_artifacts", "set_terminated", "set_tag"):
        with monkeypatch.context() as patch:
            patch.setattr(mlflow.MlflowClient, step, stop)
            with pytest.raises(KeyboardInterrupt):
                mlflow_of.record(folder)
        assert statuses(store) == ["recording"]
    assert mlflow_of.record(folder) is Recorded.NEW
    (run,) = runs_in(store)
    assert run.data.tags["status"] == "finished"
    assert len(client(store).get_metric_history(run.info.run_id, "measure/gap")) == 20  # none twice


def test_unfinished_runs_are_recorded_with_their_status(store: Store, mlflow_of: Tracking) -> None:
    store.leave_unfinished("k", "interrupted", result_of(), make_curve(3))
    store.leave_unfinished("k", "failed", {"error": "no memory"})
    record(store, "another")
    assert [mlflow_of.record(folder) for folder in store.ended()] == [Recorded.NEW] * 3
    assert {run.data.tags["status"]: run.info.status for run in runs_in(store)} == {
        "finished": "FINISHED",
        "interrupted": "KILLED",
        "failed": "FAILED",
    }
    (failed,) = [run for run in runs_in(store) if run.info.status == "FAILED"]
    assert (failed.data.tags["error"], failed.info.run_name) == ("no memory", "k")


def test_another_result_for_a_key_is_kept_as_different(store: Store, mlflow_of: Tracking, tmp_path: Path) -> None:
    other = Store.open(tmp_path / "other")
    assert mlflow_of.record(record(store, "k", points=5).directory) is Recorded.NEW
    assert mlflow_of.record(record(other, "k", points=6).directory) is Recorded.DIFFERS
    assert mlflow_of.record(other.ended()[0]) is Recorded.DIFFERS
    assert statuses(store) == ["differs", "finished"]


def test_times_may_differ_between_equal_results() -> None:
    curve = make_curve(5)
    assert same_results(curve, curve.assign(cpu_seconds=curve["cpu_seconds"] * 2))
    assert same_results(curve, curve.assign(primal=curve["primal"] * (1 + 1e-9)))
    assert not same_results(curve, curve.assign(primal=curve["primal"] * (1 + 1e-3)))
    assert not same_results(curve, curve.assign(iterations=curve["iterations"] + 1))


def test_a_deleted_experiment_is_named_with_the_command_that_restores_it(store: Store, mlflow_of: Tracking) -> None:
    client(store).delete_experiment("1")
    with pytest.raises(StoreError, match="mlflow experiments restore -x 1"):
        mlflow_of.record(record(store, "k").directory)


def test_an_experiment_of_another_version_is_refused(store: Store, mlflow_of: Tracking) -> None:
    client(store).set_experiment_tag("1", tracking.VERSION_TAG, "1")
    with pytest.raises(StoreError, match="is of version 1, this program needs 2"):
        mlflow_of.record(record(store, "k").directory)


def test_a_database_that_is_none_is_a_store_error(store: Store) -> None:
    folder, content = record(store, "k").directory, b"SQLite format 3\0 not really" * 50
    (store.root / DATABASE).write_bytes(content)
    with pytest.raises(StoreError, match="cannot be used"):
        Tracking.of_store(store.root).record(folder)
    assert (store.root / DATABASE).read_bytes() == content


def test_a_path_that_means_something_else_in_an_address_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="contains '#'"):
        Tracking.of_store(tmp_path / "a#b")


@pytest.fixture(autouse=True)
def quiet(capfd: pytest.CaptureFixture[str]) -> Iterator[None]:
    """mlflow and its libraries write nothing."""
    yield
    printed = capfd.readouterr()
    assert printed.out + printed.err == ""
