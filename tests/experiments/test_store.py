from __future__ import annotations

import json
import logging
import math
import multiprocessing
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments import curve as curves
from experiments.provenance import PROJECT_ROOT
from experiments.store import Store, StoreError, mlflow_writer, texts
from experiments.store.artifacts import CURVE_FILE, RESULT_FILE, read_intact, write_all

MEASURES = ("test_error", "train_error", "primal", "dual", "gap", "norm")


def make_curve(points: int = 60) -> pd.DataFrame:
    rows = [
        {
            "iterations": i,
            "kernel_evaluations": 100 * i,
            "epochs": i / 10,
            "cpu_seconds": i / 100,
            "wall_seconds": i / 100,
        }
        | dict.fromkeys(MEASURES, 1.0 / (i + 1))
        for i in range(points)
    ]
    return curves.from_rows(rows)


class Rival:
    """A new process that creates the store that this process creates too, waits for `go`, and records three runs."""

    def __init__(self, root: Path) -> None:
        self.root = root
        code = (
            "import logging, sys; logging.basicConfig(level=logging.INFO); from pathlib import Path\n"
            "sys.path.insert(0, sys.argv[2]); from test_store import Store, record_three\n"
            "root = Path(sys.argv[1]); Store.open(root).create(); sys.stdin.read(); record_three(root, '0')\n"
        )
        self.process = subprocess.Popen(
            [sys.executable, "-c", code, str(root), str(Path(__file__).parent)],
            cwd=PROJECT_ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def go(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.stdin = None  # closed already, as far as `communicate` is concerned


@pytest.fixture(scope="session")
def rival(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rival]:
    rival = Rival(tmp_path_factory.mktemp("rival") / "results")
    yield rival
    rival.process.kill()
    rival.process.communicate()


@pytest.fixture(scope="session")
def template(rival: Rival, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty store, made once: that takes seconds, so the tests copy it (which moves it, too)."""
    Store.open(rival.root).create()  # while the rival does the same
    return shutil.copytree(rival.root, tmp_path_factory.mktemp("template") / "results")


@pytest.fixture
def store(template: Path, tmp_path: Path) -> Store:
    return Store.open(shutil.copytree(template, tmp_path / "a store"))


def sql(store: Store, text: str, *values: Any) -> list[tuple[Any, ...]]:
    with sqlite3.connect(store.database) as connection:
        rows = connection.execute(text, values).fetchall()
    connection.close()
    return rows


def record(store: Store, key: str, **tags: Any) -> Path:
    handle = store.begin(key, f"run {key}", {"algo": {"name": "sbp"}, "seed": 0}, tags)
    return handle.finish({"final": {"test_error": 0.1}}, make_curve(5)).directory


def statuses(store: Store) -> dict[str, tuple[str, str]]:
    text = "SELECT k.value, s.value, r.status FROM runs r JOIN tags k USING (run_uuid) JOIN tags s USING (run_uuid) "
    rows = sql(store, text + "WHERE k.key = 'key' AND s.key = 'status' ORDER BY r.rowid")
    return {key: (status, mlflow_status) for key, status, mlflow_status in rows}


def listing(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


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


def test_a_finish_that_breaks_leaves_no_finished_run(store: Store, tmp_path: Path) -> None:
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


def test_long_values_are_cut_and_like_names_kept_apart(store: Store) -> None:
    params = {"long": "x" * 9000, "a@b": 1, "a%b": 2, "..": 3, **{f"p{i}": i for i in range(150)}}
    run = store.begin("k", "n" * 999, params, {"tag": "y" * 9999}).finish({}, make_curve(2))
    assert run.params["long"] == "x" * 5997 + "..."
    assert run.tags["tag"] == "y" * 7997 + "..."
    assert (run.params["a_b"], run.params["a_b_"], run.params["_.."]) == ("1", "2", "3")
    assert run.params["p149"] == "149"
    assert len(run.params) == 154


LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
NESTED = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner))


@given(st.dictionaries(st.text(max_size=300), LEAVES | st.dictionaries(st.text(max_size=9), LEAVES, max_size=3)))
def test_no_setting_is_lost_and_mlflow_takes_all_names_and_values(values: dict[str, Any]) -> None:
    from mlflow.utils.validation import _validate_param

    entries = texts.entries(values, 10)
    assert len(entries) == sum(len(value) if isinstance(value, dict) else 1 for value in values.values())
    for name, text in entries.items():
        _validate_param(name, text)
        assert len(text) <= 10


@given(NESTED)
def test_any_result_becomes_json_without_numbers_that_are_not_finite(value: Any) -> None:
    plain = texts.plain(value, "result")
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert texts.plain(plain, "result") == plain
    if not isinstance(value, list | dict):
        assert plain == (None if isinstance(value, float) and not math.isfinite(value) else value)


@given(st.integers(-(2**53), 2**53))
def test_a_filter_finds_a_number_however_it_was_written(number: int) -> None:
    for recorded in (number, float(number), np.int64(number), np.float64(number)):
        assert texts.entries({"a": recorded}, 99)["a"] in texts.allowed(number) & texts.allowed(float(number))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("written")
    return folder, write_all(folder, {"algo": "sbp"}, make_curve(3), ())


@given(st.sampled_from([CURVE_FILE, RESULT_FILE]), st.floats(0, 1, exclude_max=True), st.integers(1, 255))
def test_one_changed_byte_is_noticed(written: tuple[Path, str], name: str, where: float, change: int) -> None:
    folder, checksum = written
    assert read_intact(folder, checksum) is not None
    original = (folder / name).read_bytes()
    at = int(where * len(original))
    try:
        (folder / name).write_bytes(original[:at] + bytes([original[at] ^ change]) + original[at + 1 :])
        assert read_intact(folder, checksum) is None
    finally:
        (folder / name).write_bytes(original)


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


def test_begin_refuses_reserved_tags_and_malformed_keys(store: Store) -> None:
    before = listing(store.root)
    with pytest.raises(StoreError, match="'status' is written by the store"):
        store.begin("k", "n", {}, {"status": "finished"})
    with pytest.raises(StoreError, match="a run's key must be"):
        store.begin("a/b", "n", {}, {})
    assert listing(store.root) == before
    assert statuses(store) == {}


def test_looking_up_is_quick_and_needs_neither_mlflow_nor_pandas(store: Store) -> None:
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
        "import sys, time; from experiments.store import Store\n"
        "store = Store.open(sys.argv[1]); store.find_finished('x'); start = time.perf_counter()\n"
        "assert store.find_finished('wanted'); print(time.perf_counter() - start)\n"
        "assert not {'mlflow', 'pandas', 'sqlalchemy'} & set(sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(store.root)], cwd=PROJECT_ROOT, capture_output=True, text=True, check=True
    )
    assert float(done.stdout) < 0.05


def record_three(root: Path, who: str) -> None:
    store = Store.open(root)
    for i in range(3):
        handle = store.begin(f"{who}-{i}", who, {"seed": i}, {"who": who})
        handle.finish({"who": who, "i": i}, make_curve())


def check_three_of_each(root: Path, workers: int) -> None:
    store = Store.open(root)
    found = {(run.result["who"], run.result["i"], run.params["seed"]) for run in store.runs()}
    assert found == {(str(who), i, str(i)) for who in range(workers) for i in range(3)}
    rows = sql(store, "SELECT count(*), count(DISTINCT run_uuid) FROM metrics WHERE key = 'test_error'")
    assert rows == [(3 * workers * 60, 3 * workers)]
    assert sql(store, "SELECT count(*) FROM experiments WHERE name = 'svm-cost-curves'") == [(1,)]
    assert sorted(path.name for path in root.iterdir()) == [".store.lock", "artifacts", "mlflow.db"]


def test_six_processes_on_a_fresh_store_lose_nothing(template: Path, tmp_path: Path) -> None:
    # forked after mlflow has been imported (by making the template), so that all of them arrive at the same moment
    root = tmp_path / "deep" / "results"
    context = multiprocessing.get_context("fork")
    children = [context.Process(target=record_three, args=(root, str(who))) for who in range(6)]
    for child in children:
        child.start()
    for child in children:
        child.join(100)
    assert [child.exitcode for child in children] == [0] * 6
    check_three_of_each(root, 6)


def test_two_new_processes_on_a_fresh_store_succeed_silently(rival: Rival, template: Path) -> None:
    assert not (rival.root / "artifacts").exists()  # nobody has begun yet
    rival.go()
    record_three(rival.root, "1")
    output = rival.process.communicate(timeout=100)[0]
    assert output == ""  # mlflow and alembic say nothing, even under a root logger that shows everything
    assert rival.process.returncode == 0
    check_three_of_each(rival.root, 2)


def begin_and_wait(root: Path, key: str, ready: Any) -> None:
    handle = Store.open(root).begin(key, "n", {}, {})
    ready.set()
    time.sleep(60)
    handle.fail("never reached")


def test_a_killed_run_is_closed_when_its_key_begins_again_and_a_living_one_is_not(store: Store) -> None:
    context = multiprocessing.get_context("fork")
    ready = context.Event()
    child = context.Process(target=begin_and_wait, args=(store.root, "k", ready))
    child.start()
    try:
        assert ready.wait(30)
        store.begin("k", "n", {}, {}).interrupt({}, make_curve(2))
        rows = "SELECT value FROM tags WHERE key = 'status' ORDER BY value"
        assert sql(store, rows) == [("interrupted",), ("running",)]
        assert child.pid is not None
        os.kill(child.pid, signal.SIGKILL)
    finally:
        child.kill()
        child.join()
    other = store.begin("other", "n", {}, {})
    assert sql(store, rows) == [("interrupted",), ("running",), ("running",)]
    store.begin("k", "n", {}, {}).finish({}, make_curve(2))
    assert sql(store, rows) == [("finished",), ("interrupted",), ("killed",), ("running",)]
    assert sql(store, "SELECT count(*) FROM runs WHERE status = 'KILLED'") == [(2,)]
    other.fail("done")


def test_a_process_killed_between_its_artifacts_and_its_status_has_not_finished(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    handle = store.begin("k", "n", {}, {})
    monkeypatch.setattr(mlflow_writer, "close", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        handle.finish({}, make_curve(2))
    monkeypatch.undo()
    assert handle.result_path.exists()
    assert store.find_finished("k") is None
    handle.interrupt({}, make_curve(2))
    assert statuses(store) == {"k": ("interrupted", "KILLED")}


def test_opening_and_looking_up_write_nothing(tmp_path: Path) -> None:
    for place in (tmp_path / "none", tmp_path / "none.db", f"sqlite:///{tmp_path}/x/y.db"):
        store = Store.open(place)
        assert store.find_finished("k") is None
        assert store.runs() == []
    assert listing(tmp_path) == []


def test_the_three_ways_to_name_a_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_an_unwritable_place_is_refused(tmp_path: Path, store: Store) -> None:
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


def test_a_deleted_experiment_is_refused_with_the_cure(store: Store) -> None:
    sql(store, "UPDATE experiments SET lifecycle_stage = 'deleted' WHERE name = 'svm-cost-curves'")
    refused(store, "mlflow experiments restore")


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\0 not really" * 50, b"hello" * 1000])
def test_files_that_are_no_store_are_refused_untouched(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "mlflow.db").write_bytes(content)
    with pytest.raises(StoreError, match=r"is not an mlflow database|cannot be read as an sqlite database"):
        Store.open(tmp_path)
    assert (tmp_path / "mlflow.db").read_bytes() == content
    (tmp_path / "folder.db" / "mlflow.db").mkdir(parents=True)
    with pytest.raises(StoreError, match="is not a file"):
        Store.open(tmp_path / "folder.db")


def test_an_mlflow_database_of_other_experiments_is_joined(store: Store) -> None:
    for table in ("experiment_tags", "experiments"):
        sql(
            store,
            f"DELETE FROM {table} "
            "WHERE experiment_id IN (SELECT experiment_id FROM experiments WHERE name != 'Default')",
        )
    record(store, "k")
    assert Store.open(store.root).find_finished("k") is not None


def test_a_moved_store_goes_on(store: Store, tmp_path: Path) -> None:
    record(store, "old")
    moved = Store.open(shutil.move(store.root, tmp_path / "elsewhere"))
    assert moved.find_finished("old") is not None
    record(moved, "new")
    places = [uri for (uri,) in sql(moved, "SELECT artifact_uri FROM runs")]
    assert len(places) == 2
    assert all(uri.startswith(f"{tmp_path}/elsewhere/artifacts/") and Path(uri).is_dir() for uri in places)
    assert not store.root.exists()


def test_a_store_deleted_under_a_running_process_is_noticed(store: Store, template: Path) -> None:
    record(store, "before")
    handle = store.begin("k", "n", {}, {})
    shutil.rmtree(store.root)
    with pytest.raises(StoreError):
        handle.finish({}, make_curve(2))
    shutil.copytree(template, store.root)
    with pytest.raises(StoreError, match=r"deleted or replaced|readonly database$"):
        store.begin("k", "n", {}, {})


def test_no_run_leaks_and_mlflow_leaves_nothing_behind(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
