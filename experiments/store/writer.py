"""Writes runs into mlflow's tables by sqlite: the begin and the end of a run are one transaction each.

mlflow's own client takes 0.13 CPU seconds a run for the same rows: it makes an object of each point of a curve, and
opens a dozen transactions. A test compares the rows with those of the client.
"""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from experiments.store import mlflow_writer
from experiments.store.database import MLFLOW_STATUS, Status, make_index, relocate, running_ids, transaction
from experiments.store.errors import StoreError, reason
from experiments.store.paths import StorePaths, is_alive, write_lock
from experiments.store.serialize import MetricPoint
from support.files import remove_drafts

NAME_LENGTH: Final = 250
"""Most characters of a run's name in mlflow."""


@contextlib.contextmanager
def writing(paths: StorePaths, *, create: bool = False) -> Iterator[sqlite3.Connection]:
    """Hold the store's lock for writing; what is changed by the connection is written when the block ends, or not.

    Parameters
    ----------
    paths : StorePaths
    create : bool
        Create the store if it is missing.

    Raises
    ------
    StoreError
        Any error of the folder or the database inside the block.
    """
    try:
        paths.root.mkdir(parents=True, exist_ok=True)
        with write_lock(paths.root):
            if create:
                mlflow_writer.create(paths)
            with transaction(paths) as connection:
                yield connection
    except (OSError, sqlite3.Error, UnicodeDecodeError) as error:
        raise StoreError(f"the store {paths.database} cannot be written: {reason(error)}") from error


def begin(
    paths: StorePaths,
    connection: sqlite3.Connection,
    key: str,
    name: str,
    params: Mapping[str, str],
    tags: Mapping[str, str],
    started: int | None = None,
) -> tuple[str, int]:
    """Record a run as running, and its key's killed runs as killed.

    Parameters
    ----------
    paths : StorePaths
    connection : Connection
        From `writing`.
    key, name, params, tags
        See `experiments.store.Store.begin`; parameters and tags are texts.
    started : int, optional
        Start in milliseconds since 1970; default: now.

    Returns
    -------
    run_id : str
        mlflow's identifier.
    started : int
        Start in milliseconds since 1970.
    """
    make_index(connection)
    experiment_id = relocate(paths, connection)
    close_dead(paths, connection, key)
    run_id, name = uuid.uuid4().hex, name[:NAME_LENGTH]
    started = _now() if started is None else started
    row = {
        "run_uuid": run_id,
        "name": name,
        "experiment_id": experiment_id,
        "status": MLFLOW_STATUS["running"],
        "start_time": started,
        "artifact_uri": str(paths.directory(run_id)),
        "lifecycle_stage": "active",
        "user_id": "unknown",
        "source_type": "UNKNOWN",
        "source_name": "",
        "entry_point_name": "",
        "source_version": "",
    }
    places = ", ".join(f":{column}" for column in row)
    connection.execute(f"INSERT INTO runs ({', '.join(row)}) VALUES ({places})", row)
    _set_tags(connection, run_id, {**tags, "mlflow.runName": name, "key": key, "status": "running"})
    rows = [(run_id, *item) for item in params.items()]
    connection.executemany("INSERT INTO params (run_uuid, key, value) VALUES (?, ?, ?)", rows)
    return run_id, started


def close(
    paths: StorePaths,
    run_id: str,
    status: Status,
    metrics: Sequence[MetricPoint],
    tags: Mapping[str, str],
    ended: int | None = None,
) -> None:
    """Write the end of a run: its status, metrics and tags.

    Parameters
    ----------
    paths, run_id, status, metrics, tags
    ended : int, optional
        In milliseconds since 1970; default: now.

    Raises
    ------
    StoreError
        The store cannot be written. The run's status stays running.
    """
    with writing(paths) as connection:
        if not _end(connection, run_id, status, ended):
            raise StoreError(
                f"{paths.database} was deleted or replaced, or the run was deleted in mlflow, while this process "
                "computed it: it is not recorded, start again"
            )
        _set_tags(connection, run_id, tags)
        _insert_metrics(connection, run_id, metrics)


def close_dead(paths: StorePaths, connection: sqlite3.Connection, key: str | None = None) -> None:
    """Record as killed the running runs (of one key) whose processes have ended."""
    for run_id in running_ids(connection, key):
        alive = paths.alive_file(run_id)
        if not is_alive(alive):
            _end(connection, run_id, "killed")
            alive.unlink(missing_ok=True)
            remove_drafts(paths.directory(run_id))


def remove_dead_locks(paths: StorePaths) -> None:
    """Remove the lock files of runs whose processes have ended, and record those that were running as killed."""
    with writing(paths) as connection:  # no run begins meanwhile
        close_dead(paths, connection)
        for alive in paths.artifacts.glob("*/alive"):
            if not is_alive(alive):
                alive.unlink(missing_ok=True)


def delete(paths: StorePaths, run_ids: Sequence[str]) -> None:
    """Mark runs as deleted, as mlflow does, and remove their files."""
    with writing(paths) as connection:
        connection.executemany(
            "UPDATE runs SET lifecycle_stage = 'deleted', deleted_time = ? WHERE run_uuid = ?",
            [(_now(), run_id) for run_id in run_ids],
        )
    for run_id in run_ids:
        shutil.rmtree(paths.artifacts / run_id, ignore_errors=True)


def _end(connection: sqlite3.Connection, run_id: str, status: Status, moment: int | None = None) -> bool:
    """Write the status of a run that ends; False if there is no such run."""
    ended = connection.execute(
        "UPDATE runs SET status = ?, end_time = ? WHERE run_uuid = ? AND lifecycle_stage = 'active'",
        (MLFLOW_STATUS[status], _now() if moment is None else moment, run_id),
    )
    _set_tags(connection, run_id, {"status": status} if ended.rowcount else {})
    return ended.rowcount == 1


def _set_tags(connection: sqlite3.Connection, run_id: str, tags: Mapping[str, str]) -> None:
    connection.executemany(
        "INSERT INTO tags (run_uuid, key, value) VALUES (?, ?, ?) "
        "ON CONFLICT (run_uuid, key) DO UPDATE SET value = excluded.value",
        [(run_id, *item) for item in tags.items()],
    )


def _insert_metrics(connection: sqlite3.Connection, run_id: str, metrics: Sequence[MetricPoint]) -> None:
    """Insert the points of a curve, and for each measure the point that mlflow shows in its tables."""
    columns = "(run_uuid, key, value, timestamp, step, is_nan) VALUES (?, ?, ?, ?, ?, 0)"
    in_order = sorted(metrics, key=lambda point: (point[3], point[2], point[1]))
    latest = {point[0]: point for point in in_order}
    connection.executemany(
        f"INSERT INTO metrics {columns} ON CONFLICT DO NOTHING", [(run_id, *point) for point in metrics]
    )
    connection.executemany(f"INSERT INTO latest_metrics {columns}", [(run_id, *point) for point in latest.values()])


def _now() -> int:
    return time.time_ns() // 1_000_000
