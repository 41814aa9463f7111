"""What mlflow itself does: it makes new databases, and writes to servers. Only this module imports it, when needed.

Only `mlflow.MlflowClient` is used, never the fluent API: its "active run" per process
would leak into the next job of a sweep.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from datasets import default_cache_dir
from experiments.store import schema
from experiments.store.artifacts import write
from experiments.store.database import EXPERIMENT, MLFLOW_STATUS, Status, experiment, reading, relocate, transaction
from experiments.store.errors import StoreError, reason
from experiments.store.paths import StorePaths
from experiments.store.serialize import MetricPoint
from solvers.disk_cache import cached_bytes
from support.files import sync_folder, temporary_folder

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


def create(paths: StorePaths) -> None:
    """Create the database, or our experiment in it, if missing. Called within `writing`."""
    if paths.database.exists():
        schema.check(paths)
        with reading(paths) as connection:
            ours = experiment(paths, connection)
        if ours is None:  # the database belongs to other experiments
            with _using_mlflow(f"the store {paths.database}") as mlflow:
                client = mlflow.MlflowClient(tracking_uri=paths.uri)
                client.create_experiment(EXPERIMENT, artifact_location=str(paths.artifacts), tags=_VERSION)
        return
    origin = f"{metadata.version('mlflow')} {schema.STORE_VERSION} {sqlite3.sqlite_version}"
    write(paths.database, cached_bytes(default_cache_dir() / "store", origin.encode(), _new_database))
    with transaction(paths) as connection:
        relocate(paths, connection)
    sync_folder(paths.root)


def _new_database() -> bytes:
    """Return an empty store's database; mlflow takes seconds, because it applies all its schema migrations."""
    with _using_mlflow("a new store") as mlflow, temporary_folder() as folder:
        from mlflow.store.tracking import sqlalchemy_store

        draft = folder / "mlflow.db"
        open_database: Any = sqlalchemy_store.SqlAlchemyStore  # mlflow does not annotate it
        made = open_database(f"sqlite:///{draft}", str(folder))
        tags = [mlflow.entities.ExperimentTag(*item) for item in _VERSION.items()]
        made.create_experiment(EXPERIMENT, str(folder), tags)
        made.engine.dispose()
        return draft.read_bytes()


@contextlib.contextmanager
def server_writer(address: str) -> Iterator[ServerWriter]:
    """Write to a tracking server.

    Raises
    ------
    StoreError
        Any error of the server, or of the files to send, inside the block.
    """
    with _using_mlflow(f"the server {address}") as mlflow:
        try:
            yield ServerWriter(mlflow.MlflowClient(tracking_uri=address))
        except (OSError, mlflow.exceptions.MlflowException, StoreError):
            raise
        except Exception as error:  # mlflow does not check the form of an answer
            raise StoreError(f"the server {address} answers in a form that is not mlflow's") from error


@contextlib.contextmanager
def _using_mlflow(what: str) -> Iterator[Any]:
    """Yield mlflow, without its warnings; its errors become a StoreError: `what` cannot be written, and why."""
    mlflow = _mlflow()
    from sqlalchemy.exc import SQLAlchemyError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield mlflow
    except (OSError, SQLAlchemyError, mlflow.exceptions.MlflowException) as error:  # requests' errors are OSErrors
        raise StoreError(f"{what} cannot be written: {reason(error)}") from error


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
        self._client.set_terminated(run_id, MLFLOW_STATUS[status], end_time=ended)

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


def _log_params(client: Any, run_id: str, params: Mapping[str, str]) -> None:
    for chunk in _chunks(list(params.items()), PARAMS_PER_BATCH):
        client.log_batch(run_id, params=[_mlflow().entities.Param(*item) for item in chunk])


def _log_metrics(client: Any, run_id: str, metrics: Sequence[MetricPoint]) -> None:
    for chunk in _chunks(metrics, METRICS_PER_BATCH):
        client.log_batch(run_id, metrics=[_mlflow().entities.Metric(*point) for point in chunk])


def _chunks(items: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
