"""Records of runs, and lookups."""

from __future__ import annotations

import json
import math
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from experiments.store.artifacts import RESULT_FILE
from experiments.store.paths import StorePaths
from store_records import MEASURES, listing, make_curve, record, sql, statuses

from experiments.provenance import PROJECT_ROOT
from experiments.store import Store, StoreError, database


def test_a_deleted_run_is_not_found_and_leaves_no_files(store: Store) -> None:
    for key in ("k1", "k2"):
        record(store, key)
    found = store.find_finished("k1")
    assert found is not None
    store.delete([found])
    assert store.find_finished("k1") is None
    assert [run.key for run in store.runs()] == ["k2"]
    assert not found.directory.parent.exists()
    record(store, "k1")  # it can be made again
    assert store.find_finished("k1") is not None


def test_a_finished_run_is_found_with_everything_that_was_recorded(store: Store, tmp_path: Path) -> None:
    extra = tmp_path / "curve.png"
    extra.write_bytes(b"picture")
    assert store.find_finished("k1") is None
    params = {"algo": {"name": "sbp", "eta@0 (%)": 0.5, "on": True, "no": None}, "seed": np.int64(3), "steps": [1, 2.5]}
    handle = store.begin("k1", "sbp on digits", params, {"paper": "sbp", "figure": None, "threads": 2})
    assert store.find_finished("k1") is None
    result = {
        "algo": "sbp",
        "key": "wrong",
        "status": "wrong",
        "counters": {"iterations": np.int64(7)},
        "final": {"primal": math.inf, "dual": np.float64("nan"), "test_error": np.float32(0.5), "list": np.arange(2)},
    }
    finished = handle.finish(result, make_curve(), [extra])
    found = store.find_finished("k1")
    assert found == finished
    assert found is not None
    written = json.loads(found.result_path.read_text())
    assert written == found.result
    assert list(written)[:2] == ["key", "status"]
    assert (written["key"], written["status"], written["algo"]) == ("k1", "finished", "sbp")
    assert written["final"] == {"primal": None, "dual": None, "test_error": 0.5, "list": [0, 1]}
    assert set(written["artifacts"]) == {"curve.parquet", "curve.png"}
    assert (found.directory / "curve.png").read_bytes() == b"picture"
    pd.testing.assert_frame_equal(found.curve, make_curve())
    assert found.params == {
        **{"algo.name": "sbp", "algo.eta_0 ___": "0.5", "algo.on": "true", "algo.no": "null"},
        **{"seed": "3", "steps": "[1,2.5]"},
    }
    assert {"key": "k1", "status": "finished", "paper": "sbp", "threads": "2"}.items() <= found.tags.items()
    assert "figure" not in found.tags
    assert statuses(store) == {"k1": ("finished", "FINISHED")}
    assert listing(found.directory.parent) == [
        "artifacts",
        *sorted(f"artifacts/{path.name}" for path in found.directory.iterdir()),
    ]


def test_metrics_are_thinned_finite_and_numbered_by_integers(store: Store) -> None:
    points = 1000
    frame = make_curve(points)
    frame["primal"] = np.nan
    run_id = store.begin("k", "n", {}, {}).finish({}, frame).run_id
    counts = dict(sql(store, "SELECT key, count(*) FROM metrics WHERE run_uuid = ? GROUP BY key", run_id))
    assert set(counts) == {*MEASURES, "iterations", "kernel_evaluations", "epochs", "cpu_seconds", "wall_seconds"} - {
        "primal"
    }
    assert len(set(counts.values())) == 1
    assert 100 < counts["dual"] <= 300
    assert sql(store, "SELECT DISTINCT typeof(step) FROM metrics") == [("integer",)]
    assert sql(store, "SELECT count(*) FROM metrics WHERE is_nan OR abs(value) > 1e300") == [(0,)]
    last = sql(store, "SELECT step, value FROM metrics WHERE key = 'test_error' ORDER BY step DESC LIMIT 1")
    assert last == [(100 * (points - 1), 1 / points)]
    start, end = sql(store, "SELECT min(timestamp), max(timestamp) FROM metrics")[0]
    assert end - start == 10 * (points - 1)


def test_uncounted_kernel_evaluations_number_by_iterations(store: Store) -> None:
    frame = make_curve(3).assign(kernel_evaluations=pd.array([None] * 3, dtype="Int64"))
    store.begin("k", "n", {}, {}).finish({}, frame)
    assert sql(store, "SELECT step FROM metrics WHERE key = 'gap' ORDER BY step") == [(0,), (1,), (2,)]


def test_only_finished_runs_are_found(store: Store) -> None:
    store.begin("interrupted", "n", {}, {}).interrupt({"algo": "sbp"}, make_curve(3))
    failing = store.begin("failed", "n", {}, {})
    failing.fail("it broke")
    store.begin("running", "n", {}, {})
    assert [store.find_finished(key) for key in ("interrupted", "failed", "running", "never")] == [None] * 4
    assert store.runs() == []
    assert json.loads(failing.result_path.read_text())["error"] == "it broke"
    found = statuses(store)
    assert found["interrupted"] == ("interrupted", "KILLED")
    assert found["failed"] == ("failed", "FAILED")
    interrupted = next(path for path in store.artifacts.rglob(RESULT_FILE) if "interrupted" in path.read_text())
    assert (interrupted.parent / "curve.parquet").exists()


@pytest.mark.parametrize("name", ["curve.parquet", "result.json"])
@pytest.mark.parametrize("damage", [Path.unlink, lambda path: path.write_bytes(path.read_bytes()[:-5])])
def test_a_run_whose_artifacts_are_damaged_is_not_finished(
    store: Store, name: str, damage: Callable[[Path], Any]
) -> None:
    directory = record(store, "k")
    assert store.find_finished("k") is not None
    damage(directory / name)
    assert store.find_finished("k") is None
    assert store.runs() == []


def test_a_run_deleted_in_mlflow_is_not_finished(store: Store) -> None:
    record(store, "k")
    sql(store, "UPDATE runs SET lifecycle_stage = 'deleted'")
    assert store.find_finished("k") is None


def test_a_failed_finish_leaves_no_finished_run(store: Store, tmp_path: Path) -> None:
    handle = store.begin("k", "n", {}, {})
    with pytest.raises(StoreError, match="cannot be written"):
        handle.finish({}, make_curve(2), [tmp_path / "missing.png"])
    with pytest.raises(StoreError, match=r"cannot be written: .*columns"):
        handle.finish({}, make_curve(2).drop(columns="gap"))
    with pytest.raises(StoreError, match=r"result\.x is a set"):
        handle.finish({"x": {1}}, make_curve(2))
    with pytest.raises(StoreError, match="already in use"):
        handle.finish({}, make_curve(2), [tmp_path / "result.json"])
    assert store.find_finished("k") is None
    handle.fail("gave up")
    for end in (lambda: handle.fail("again"), lambda: handle.finish({}, make_curve(2))):
        with pytest.raises(StoreError, match="already ended"):
            end()
    assert statuses(store) == {"k": ("failed", "FAILED")}


def test_runs_filters_by_tag_and_parameter_and_keeps_one_run_per_key(store: Store) -> None:
    for seed in (2, 0, 1):
        handle = store.begin(
            f"key{seed}", f"sbp {seed}", {"algo": "sbp", "seed": seed, "lambda_": 10.0}, {"paper": "sbp"}
        )
        handle.finish({"seed": seed}, make_curve(2))
    again = store.begin("key1", "sbp 1", {"algo": "sbp", "seed": 1, "lambda_": 10.0}, {"paper": "simba"})
    again.finish({"seed": "newer"}, make_curve(2))
    assert [run.result["seed"] for run in store.runs()] == [0, "newer", 2]
    assert [run.key for run in store.runs(algo="sbp", seed=range(1, 9))] == ["key1", "key2"]
    assert [run.key for run in store.runs(paper="simba")] == ["key1"]
    assert len(store.runs(lambda_=10)) == 3
    assert store.runs(algo="smo") == store.runs(nothing=1) == []


def test_durations_of_finished_runs_on_a_processor(store: Store) -> None:
    for key, cpu in (("a", "fast"), ("b", "slow"), ("c", "fast")):
        record(store, key, algo="sbp", dataset="adult", cpu=cpu)
    store.begin("d", "n", {}, {"algo": "sbp", "dataset": "adult", "cpu": "fast"}).interrupt({}, make_curve(2))
    sql(store, "UPDATE runs SET start_time = 1000, end_time = 3500")
    found = store.durations("fast")
    expected = {store.find_all_finished(["a", "c"])[key].result_path for key in "ac"}
    assert {path for path, _ in found["sbp", "adult"]} == expected
    assert [seconds for _, seconds in found["sbp", "adult"]] == [2.5, 2.5]
    assert list(found) == [("sbp", "adult")]
    assert store.durations("other") == {}


def test_begin_refuses_reserved_tags_and_malformed_keys(store: Store) -> None:
    before = listing(store.root)
    with pytest.raises(StoreError, match="'status' is written by the store"):
        store.begin("k", "n", {}, {"status": "finished"})
    with pytest.raises(StoreError, match="a run's key must be"):
        store.begin("a/b", "n", {}, {})
    assert listing(store.root) == before
    assert statuses(store) == {}


def test_many_runs_are_found_with_few_queries(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    done = {key: record(store, key) for key in ("a", "b", "c")}
    (done["b"] / RESULT_FILE).write_text("{}")
    opened = []
    connect = database.connect
    monkeypatch.setattr(database, "connect", lambda place: opened.append(place) or connect(place))
    found = store.find_all_finished(["c", "a", *(f"none{i}" for i in range(998)), "b", "a"])
    assert {key: run.directory for key, run in found.items()} == {"a": done["a"], "c": done["c"]}
    assert len(opened) == 3  # 1,001 keys, 400 at once
    opened.clear()
    assert store.find_all_finished([]) == {}
    assert opened == []


def test_a_lookup_reads_few_tags_and_imports_neither_mlflow_nor_pandas(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(store, "wanted")
    connection = sqlite3.connect(store.database)
    many = range(3000)
    connection.executemany(
        "INSERT INTO runs (run_uuid, status, lifecycle_stage, experiment_id, start_time) "
        "VALUES (?, 'FINISHED', 'active', (SELECT experiment_id FROM runs), 0)",
        [(f"r{i}",) for i in many],
    )
    tags = [("key", f"k{i}", f"r{i}") for i in many] + [("status", "finished", f"r{i}") for i in many]
    tags += [(f"tag{j}", "value", f"r{i}") for j in range(20) for i in many]
    connection.executemany("INSERT INTO tags (key, value, run_uuid) VALUES (?, ?, ?)", tags)
    connection.commit()
    connection.close()
    code = (
        "import sys; from experiments.store import Store\n"
        "assert Store.open(sys.argv[1]).find_finished('wanted')\n"
        "assert not {'mlflow', 'pandas', 'sqlalchemy'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(store.root)], cwd=PROJECT_ROOT, check=True)
    steps = 0
    connect = database.connect

    def counting(place: StorePaths) -> sqlite3.Connection:
        def step() -> None:
            nonlocal steps
            steps += 1

        connection = connect(place)
        connection.set_progress_handler(step, 1)  # at every instruction of sqlite's machine
        return connection

    monkeypatch.setattr(database, "connect", counting)
    assert store.find_finished("wanted")
    assert 0 < steps < len(tags)
