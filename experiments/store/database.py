"""mlflow's tables by sqlite: which runs are finished, which are not, and what was recorded with them."""

from __future__ import annotations

import contextlib
import shlex
import sqlite3
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal
from urllib.parse import quote

from experiments.store.errors import StoreError
from experiments.store.paths import StorePaths

EXPERIMENT = "svm-cost-curves"
"""mlflow's experiment that holds all runs."""

KEYS_AT_ONCE = 400
"""Keys in one query: every sqlite allows 999 values."""

Status = Literal["running", "finished", "interrupted", "failed", "killed"]
"""Value of the tag ``status``. mlflow's own status cannot tell an interrupted run from a killed one."""
MLFLOW_STATUS: Final[Mapping[Status, str]] = {
    "running": "RUNNING",
    "finished": "FINISHED",
    "interrupted": "KILLED",
    "failed": "FAILED",
    "killed": "KILLED",
}


@dataclass(frozen=True)
class Row:
    """A run in the database: parameters, and tags without mlflow's own; times in milliseconds since 1970."""

    run_id: str
    name: str
    key: str
    started: int
    ended: int
    tags: dict[str, str]
    params: dict[str, str]


def connect(paths: StorePaths) -> sqlite3.Connection:
    """Open an existing database. The caller closes the connection."""
    # mode=rw never creates a file; reading needs it to roll back the unfinished write of a killed process
    return sqlite3.connect(f"file:{quote(str(paths.database))}?mode=rw", uri=True, timeout=60)


@contextlib.contextmanager
def reading(paths: StorePaths) -> Iterator[sqlite3.Connection]:
    """Open an existing database to read from it.

    Raises
    ------
    StoreError
        It cannot be read.
    """
    try:
        with contextlib.closing(connect(paths)) as connection:
            yield connection
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the second in the messages of a damaged file
        raise StoreError(f"{paths.database} cannot be read as an sqlite database: {error}") from error


@contextlib.contextmanager
def transaction(paths: StorePaths) -> Iterator[sqlite3.Connection]:
    """Open an existing database; what the block changes is written when it ends, or not at all."""
    with contextlib.closing(connect(paths)) as connection, connection:
        connection.execute("PRAGMA foreign_keys = ON")  # as mlflow writes
        yield connection


def experiment(paths: StorePaths, connection: sqlite3.Connection) -> tuple[int, str] | None:
    """Return identifier and artifact folder of our experiment in mlflow; None if there is none.

    Raises
    ------
    StoreError
        It was deleted in mlflow.
    """
    rows = connection.execute(
        "SELECT experiment_id, artifact_location, lifecycle_stage FROM experiments WHERE name = ?", (EXPERIMENT,)
    ).fetchall()
    if not rows:
        return None
    experiment_id, location, stage = rows[0]
    if stage != "active":
        raise StoreError(
            f"the experiment {EXPERIMENT} of {paths.database} was deleted in mlflow; bring it back with: "
            f"MLFLOW_TRACKING_URI={shlex.quote(paths.uri)} mlflow experiments restore -x {experiment_id}"
        )
    return int(experiment_id), str(location)


def running_ids(connection: sqlite3.Connection, key: str | None = None) -> list[str]:
    """Return the identifiers of the runs (of one key) with the status running."""
    rows = connection.execute(
        "SELECT status.run_uuid FROM tags AS status JOIN tags AS tag_key ON tag_key.run_uuid = status.run_uuid "
        "WHERE status.key = 'status' AND status.value = 'running' "
        "AND tag_key.key = 'key' AND tag_key.value = coalesce(?, tag_key.value)",
        (key,),
    )
    return [run_id for (run_id,) in rows]


def finished_rows(paths: StorePaths, keys: Collection[str] | None = None) -> Iterator[Row]:
    """Finished runs (of some keys), the newest of each key first; their artifacts are not checked.

    Raises
    ------
    StoreError
        The database cannot be read.
    """
    if keys is None:
        yield from _rows(paths, "status.value = 'finished'")
        return
    wanted = list(dict.fromkeys(keys))
    for first in range(0, len(wanted), KEYS_AT_ONCE):
        some = wanted[first : first + KEYS_AT_ONCE]
        yield from _rows(paths, f"status.value = 'finished' AND tag_key.value IN ({', '.join('?' * len(some))})", *some)


def ended_rows(paths: StorePaths, run_id: str | None = None) -> Iterator[Row]:
    """Find the runs (or the one run) with the status finished, interrupted or failed, newest first.

    Raises
    ------
    StoreError
        The database cannot be read.
    """
    statuses = "status.value IN ('finished', 'interrupted', 'failed')"
    return _rows(paths, statuses) if run_id is None else _rows(paths, f"{statuses} AND runs.run_uuid = ?", run_id)


def durations(paths: StorePaths, cpu: str) -> list[tuple[str, str, str, float]]:
    """Return solver, data set, identifier, and seconds from begin to end, of the finished runs of a model of processor.

    Raises
    ------
    StoreError
        The database cannot be read.
    """
    if not paths.database.exists():
        return []
    joined = " ".join(
        f"JOIN tags AS {name} ON {name}.run_uuid = status.run_uuid AND {name}.key = '{name}'"
        for name in ("algo", "dataset", "cpu")
    )
    with reading(paths) as connection:
        return connection.execute(
            "SELECT algo.value, dataset.value, runs.run_uuid, (runs.end_time - runs.start_time) / 1000.0 "
            f"FROM tags AS status JOIN runs ON runs.run_uuid = status.run_uuid {joined} "
            "WHERE status.key = 'status' AND status.value = 'finished' AND runs.lifecycle_stage = 'active' "
            "AND cpu.value = ?",
            (cpu,),
        ).fetchall()


def _rows(paths: StorePaths, condition: str, *values: str) -> Iterator[Row]:
    if not paths.database.exists():
        return
    chosen = (
        "SELECT runs.run_uuid, runs.name, tag_key.value, runs.start_time, runs.end_time FROM tags AS tag_key "
        "JOIN tags AS status ON status.run_uuid = tag_key.run_uuid JOIN runs ON runs.run_uuid = tag_key.run_uuid "
        "JOIN experiments ON experiments.experiment_id = runs.experiment_id "
        "WHERE tag_key.key = 'key' AND status.key = 'status' AND runs.lifecycle_stage = 'active' "
        f"AND experiments.name = ? AND {condition}"
    )
    values = (EXPERIMENT, *values)
    with reading(paths) as connection:
        connection.execute("BEGIN")  # all three queries see one state of the database
        rows = connection.execute(f"{chosen} ORDER BY 4 DESC, 1 DESC", values).fetchall()
        tags: dict[str, dict[str, str]] = {row[0]: {} for row in rows}
        params: dict[str, dict[str, str]] = {row[0]: {} for row in rows}
        same = f"WHERE run_uuid IN (SELECT run_uuid FROM ({chosen}))"
        for table, recorded in (("tags", tags), ("params", params)) if rows else ():
            flat_texts = connection.execute(f"SELECT run_uuid, key, value FROM {table} {same}", values)
            for run_id, name, value in flat_texts:
                if run_id not in recorded:
                    raise sqlite3.DatabaseError("database disk image is malformed: an index differs from its table")
                recorded[run_id][name] = value
    for run_id, name, run_key, started_at, over in rows:
        own = {tag: value for tag, value in tags[run_id].items() if not tag.startswith("mlflow.")}
        yield Row(run_id, name, run_key, started_at, over, own, params[run_id])


def relocate(paths: StorePaths, connection: sqlite3.Connection) -> str:
    """Write the folder of the artifacts into the database if the store was moved or copied since: mlflow notes it.

    Called with the store's lock held.

    Returns
    -------
    str
        Identifier of mlflow's experiment.

    Raises
    ------
    StoreError
        The experiment is missing.
    """
    found = experiment(paths, connection)
    if found is None:
        raise StoreError(f"{paths.database} was deleted or replaced while this process used it: start again")
    experiment_id, before = found
    now = str(paths.artifacts)
    if before != now:
        connection.execute(
            "UPDATE runs SET artifact_uri = ? || substr(artifact_uri, ?) "
            "WHERE experiment_id = ? AND substr(artifact_uri, 1, ?) = ?",
            (now, len(before) + 1, experiment_id, len(before) + 1, before + "/"),
        )
        connection.execute(
            "UPDATE experiments SET artifact_location = ? || substr(artifact_location, ?) "
            "WHERE substr(artifact_location, 1, ?) IN (?, ?)",
            (now, len(before) + 1, len(before) + 1, before, before + "/"),  # mlflow's own is in a folder of ours
        )
    return str(experiment_id)


def make_index(connection: sqlite3.Connection) -> None:
    """Make the index by which runs are found, unless it is there: without it a lookup reads the keys of all runs."""
    connection.execute(
        "CREATE INDEX IF NOT EXISTS svm_cost_curves_lookup ON tags (key, value) WHERE key = 'key' OR key = 'status'"
    )
