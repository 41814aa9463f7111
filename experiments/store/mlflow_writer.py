"""Writes through mlflow. Only this module imports mlflow, on the first write.

Only `mlflow.MlflowClient` is used, never the fluent API: its "active run" per process
would leak into the next job of a sweep.
"""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import sqlite3
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from datasets import default_cache_dir
from experiments.store import schema
from experiments.store.artifacts import write
from experiments.store.database import EXPERIMENT, Status, experiment, has_status, relocate, running_ids
from experiments.store.errors import StoreError, reason
from experiments.store.paths import StorePaths, is_alive, write_lock
from experiments.store.serialize import MetricPoint
from solvers.disk_cache import cached_bytes
from support.files import remove_drafts, sync_folder, temporary_folder

METRICS_PER_BATCH = 1000
PARAMS_PER_BATCH = 100
"""mlflow's limits for one call."""

_SETTINGS = {
    "MLFLOW_DISABLE_TELEMETRY": "true",  # read when mlflow is imported
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "2",  # with mlflow's default a lost server is noticed after minutes
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "30",
    "MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR": "false",
    "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",
}
"""Environment variables of mlflow, unless the user has set them."""

_VERSION = {schema.VERSION_TAG: schema.STORE_VERSION}
"""Tags of our experiment."""

_MLFLOW_STATUS: dict[Status, str] = {
    "finished": "FINISHED",
    "interrupted": "KILLED",
    "failed": "FAILED",
    "killed": "KILLED",
}


@contextlib.contextmanager
def writing(paths: StorePaths) -> Iterator[None]:
    """Hold the store's lock for writing; the folder is created if needed.

    Raises
    ------
    StoreError
        Any error of the folder or the database inside the block.
    """
    mlflow = _mlflow()  # imported before the lock is taken, so that others do not wait for the import
    from sqlalchemy.exc import SQLAlchemyError

    failures = (OSError, sqlite3.Error, UnicodeDecodeError, SQLAlchemyError, mlflow.exceptions.MlflowException)
    try:
        paths.root.mkdir(parents=True, exist_ok=True)
        with write_lock(paths.root), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except failures as error:
        raise StoreError(f"the store {paths.database} cannot be written: {reason(error)}") from error


def create(paths: StorePaths) -> None:
    """Create the database, or our experiment in it, if missing. Called within `writing`."""
    if paths.database.exists():
        schema.check(paths)
        if experiment(paths) is None:  # the database belongs to other experiments
            _client(paths).create_experiment(EXPERIMENT, artifact_location=str(paths.artifacts), tags=_VERSION)
        return
    origin = f"{_mlflow().__version__} {schema.STORE_VERSION} {sqlite3.sqlite_version}"
    write(paths.database, cached_bytes(default_cache_dir() / "store", origin.encode(), _new_database))
    relocate(paths)
    sync_folder(paths.root)


def _new_database() -> bytes:
    """Return an empty store's database; mlflow takes seconds, because it applies all its schema migrations."""
    from mlflow.store.tracking import sqlalchemy_store

    tags = [_mlflow().entities.ExperimentTag(*item) for item in _VERSION.items()]
    with temporary_folder() as folder:
        draft = folder / "mlflow.db"
        open_database: Any = sqlalchemy_store.SqlAlchemyStore  # mlflow does not annotate it
        made = open_database(f"sqlite:///{draft}", str(folder))
        made.create_experiment(EXPERIMENT, str(folder), tags)
        made.engine.dispose()
        return draft.read_bytes()


def begin(
    paths: StorePaths,
    key: str,
    name: str,
    params: Mapping[str, str],
    tags: Mapping[str, str],
    started_at: int | None = None,
) -> tuple[str, int]:
    """Record a run as running, and its key's killed runs as killed. Called within `writing`.

    Parameters
    ----------
    place, key, name, params, tags
        See `experiments.store.Store.begin`; parameters and tags are texts.
    began : int, optional
        Start in milliseconds since 1970; default: now.

    Returns
    -------
    run_id : str
        mlflow's identifier.
    started : int
        Start in milliseconds since 1970.
    """
    create(paths)
    experiment_id = relocate(paths)
    client = _client(paths)
    close_dead(paths, key)
    own = {**tags, "key": key, "status": "running"}
    run = client.create_run(experiment_id, start_time=started_at, run_name=name[:250], tags=own)
    _check_status(paths, run.info.run_id, "running")
    _log_params(client, run.info.run_id, params)
    return run.info.run_id, int(run.info.start_time)


def close_dead(paths: StorePaths, key: str | None = None) -> None:
    """Record as killed the running runs (of one key) whose processes have ended. Called within `writing`."""
    client = _client(paths)
    for run_id in running_ids(paths, key):
        alive = paths.alive_file(run_id)
        if not is_alive(alive):
            client.set_terminated(run_id, _MLFLOW_STATUS["killed"])
            client.set_tag(run_id, "status", "killed")
            alive.unlink(missing_ok=True)
            remove_drafts(paths.directory(run_id))


def close(
    paths: StorePaths, run_id: str, status: Status, metrics: Sequence[MetricPoint], tags: Mapping[str, str]
) -> None:
    """Write the metrics and tags of a run that ends, its status last.

    Raises
    ------
    StoreError
        The store cannot be written. The run's status stays running.
    """
    with writing(paths):
        client = _client(paths)
        _log_metrics(client, run_id, metrics)
        for name, value in tags.items():
            client.set_tag(run_id, name, value)
        client.set_terminated(run_id, _MLFLOW_STATUS[status])
        client.set_tag(run_id, "status", status)
        _check_status(paths, run_id, status)


def delete(paths: StorePaths, run_id: str) -> None:
    """Delete a run: mlflow marks it as deleted, its files are removed. Called within `writing`."""
    _client(paths).delete_run(run_id)
    shutil.rmtree(paths.artifacts / run_id)


@contextlib.contextmanager
def server_writer(address: str) -> Iterator[ServerWriter]:
    """Write to a tracking server.

    Raises
    ------
    StoreError
        Any error of the server, or of the files to send, inside the block.
    """
    mlflow = _mlflow()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield ServerWriter(mlflow.MlflowClient(tracking_uri=address))
    except (OSError, mlflow.exceptions.MlflowException) as error:  # requests' errors are OSErrors
        raise StoreError(f"the server {address} cannot be written: {reason(error)}") from error


class ServerWriter:
    """Writes runs to a server; created by `server_writer`."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def begin(self, experiment_id: str, name: str, started_at: int, tags: Mapping[str, str]) -> str:
        """Create a run with all of its tags, and return its identifier."""
        run = self._client.create_run(experiment_id, start_time=started_at, run_name=name, tags=dict(tags))
        return str(run.info.run_id)

    def fill(self, run_id: str, params: Mapping[str, str], metrics: Sequence[MetricPoint], directory: Path) -> None:
        """Send a run's parameters, its thinned curve in few large calls, and its files.

        Repeating it duplicates nothing.
        """
        _log_params(self._client, run_id, params)
        _log_metrics(self._client, run_id, metrics)
        self._client.log_artifacts(run_id, str(directory))

    def end(self, run_id: str, ended: int, status: Status) -> None:
        """Record the end of a run."""
        self._client.set_terminated(run_id, _MLFLOW_STATUS[status], end_time=ended)

    def tag(self, run_id: str, name: str, value: str) -> None:
        """Set one tag."""
        self._client.set_tag(run_id, name, value)


def load() -> None:
    """Import mlflow."""
    _mlflow()


def _mlflow() -> Any:
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)
    return _imported()


@cache
def _imported() -> Any:
    """Import mlflow without its warnings and log, on first use: it takes more than a second."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import mlflow
        import mlflow.entities
        import mlflow.exceptions
    for name in ("mlflow", "alembic"):
        # errors arrive as exceptions as well
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return mlflow


def _client(paths: StorePaths) -> Any:
    return _mlflow().MlflowClient(tracking_uri=paths.uri)


def _log_params(client: Any, run_id: str, params: Mapping[str, str]) -> None:
    for chunk in _chunks(list(params.items()), PARAMS_PER_BATCH):
        client.log_batch(run_id, params=[_mlflow().entities.Param(*item) for item in chunk])


def _log_metrics(client: Any, run_id: str, metrics: Sequence[MetricPoint]) -> None:
    for chunk in _chunks(metrics, METRICS_PER_BATCH):
        client.log_batch(run_id, metrics=[_mlflow().entities.Metric(*point) for point in chunk])


def _check_status(paths: StorePaths, run_id: str, status: Status) -> None:
    # read from the file: the connection that mlflow caches may belong to a deleted database
    if not has_status(paths, run_id, status):
        raise StoreError(
            f"{paths.database} was deleted or replaced while this process used it: the run is not recorded, start again"
        )


def _chunks(items: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
