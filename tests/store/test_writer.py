"""Rows that are written by sqlite: the same as mlflow's own client writes, all or none, and found by an index."""

from __future__ import annotations

import math
import sqlite3
from typing import Any

import pytest
from store_records import make_curve, record, sql, statuses

from experiments.store import Store, StoreError, database, writer
from experiments.store.serialize import metric_points

PARAMS = {"algo.name": "sbp", "seed": "0"}
TAGS = {"paper": "sbp", "versions": "a 1, b 2"}


def rows_of(store: Store, run_id: str) -> dict[str, list[tuple[str, ...]]]:
    """Return a run's rows in all tables of mlflow, without its identifier and the moments of its begin and end."""
    tables = {}
    for (table,) in sql(store, "SELECT name FROM sqlite_master WHERE type = 'table'"):
        names = [name for _, name, *_ in sql(store, f"PRAGMA table_info({table})")]
        if "run_uuid" in names:
            chosen = ", ".join(name for name in names if name not in ("run_uuid", "start_time", "end_time"))
            rows = sql(store, f"SELECT {chosen} FROM {table} WHERE run_uuid = ?", run_id)
            tables[table] = sorted(tuple(str(value).replace(run_id, "<run>") for value in row) for row in rows)
    return tables


@pytest.mark.parametrize(("status", "mlflows"), [("finished", "FINISHED"), ("failed", "FAILED")])
def test_mlflows_client_writes_the_same_rows(store: Store, status: database.Status, mlflows: str) -> None:
    import mlflow
    from mlflow.entities import Metric, Param

    curve = make_curve(7)
    points = metric_points(curve, 1_700_000_000_000)
    points += [("up", 1.0, points[0][2], 3), ("up", 2.0, points[0][2], 3)]  # mlflow shows the larger of the two
    with writer.writing(store._paths, create=True) as connection:
        ours, _ = writer.begin(store._paths, connection, "k", "a name", PARAMS, TAGS)
    writer.close(store._paths, ours, status, points, {"result_sha256": "0"})

    client = mlflow.MlflowClient(store.uri)
    ((number,),) = sql(store, "SELECT experiment_id FROM experiments WHERE name = ?", database.EXPERIMENT)
    tags = TAGS | {"key": "k", "status": status, "result_sha256": "0"}
    theirs = client.create_run(str(number), run_name="a name", tags=tags).info.run_id
    client.log_batch(theirs, params=[Param(*item) for item in PARAMS.items()], metrics=[Metric(*p) for p in points])
    client.set_terminated(theirs, mlflows)
    assert rows_of(store, ours) == rows_of(store, theirs)
    assert len(rows_of(store, ours)["metrics"]) == len(points)

    writer.delete(store._paths, [ours])
    client.delete_run(theirs)
    deleted = sql(store, "SELECT lifecycle_stage, deleted_time > 1e12 FROM runs WHERE run_uuid IN (?, ?)", ours, theirs)
    assert deleted == [("deleted", 1)] * 2


def test_an_end_is_written_as_a_whole_or_not_at_all(store: Store) -> None:
    handle = store.begin("k", "n", {}, {})
    with pytest.raises(StoreError, match="NOT NULL"):
        writer.close(store._paths, handle.run_id, "finished", [("a", 1.0, 1, 1), ("b", math.nan, 1, 1)], {"x": "y"})
    assert statuses(store) == {"k": ("running", "RUNNING")}
    assert (
        sql(store, "SELECT count(*) FROM metrics") == sql(store, "SELECT count(*) FROM tags WHERE key = 'x'") == [(0,)]
    )
    handle.finish({}, make_curve(2))


def test_a_run_that_was_deleted_in_mlflow_is_not_recorded(store: Store) -> None:
    handle = store.begin("k", "n", {}, {})
    sql(store, "UPDATE runs SET lifecycle_stage = 'deleted'")
    with pytest.raises(StoreError, match="deleted in mlflow"):
        handle.finish({}, make_curve(2))


def test_a_lookup_does_not_read_all_runs(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = 0

    def counted(*arguments: Any) -> sqlite3.Connection:
        connection = connect(*arguments)
        connection.set_progress_handler(count, 1)
        return connection

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    def lookups() -> int:
        nonlocal steps
        steps = 0
        assert [row.key for row in database.finished_rows(store._paths, ["k"])] == ["k"]
        with database.reading(store._paths) as connection:
            assert len(database.running_ids(connection, "running")) == 1
        return steps

    record(store, "k")
    handle = store.begin("running", "n", {}, {})
    connect = database.connect
    monkeypatch.setattr(database, "connect", counted)
    before = lookups()
    with writer.writing(store._paths) as connection:
        for number in range(200):
            run_id, _ = writer.begin(store._paths, connection, f"other-{number}", "n", {}, {})
            connection.execute("UPDATE tags SET value = 'finished' WHERE key = 'status' AND run_uuid = ?", (run_id,))
    assert lookups() < 1.5 * before
    handle.fail("done")
