"""Writing through mlflow: the only module that imports it, and only when something is written.

Only `mlflow.MlflowClient` is used, never the fluent API: it keeps an "active run" per process, which leaks into the
next job of a sweep.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from datasets import default_cache_dir
from experiments.store import schema
from experiments.store.artifacts import write
from experiments.store.database import EXPERIMENT, Status, experiment, has_status, running
from experiments.store.errors import StoreError, reason
from experiments.store.locks import exclusive, is_alive
from experiments.store.metrics import Point
from experiments.store.place import Place
from experiments.store.relocation import relocate
from solvers.disk_cache import cached_bytes
from support.files import remove_drafts, sync_folder, temporary_folder

METRICS_PER_BATCH = 1000
PARAMS_PER_BATCH = 100
"""What mlflow takes at once."""

_SETTINGS = {
    "MLFLOW_DISABLE_TELEMETRY": "true",  # read when mlflow is imported
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "2",  # with its own, a server that has gone is noticed after minutes
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "30",
    "MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR": "false",
    "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",
}
"""What mlflow reads from the environment, unless the user has set it."""

_VERSION = {schema.VERSION_TAG: schema.STORE_VERSION}
"""Tags of our experiment."""

_MLFLOW_STATUS: dict[Status, str] = {
    "finished": "FINISHED",
    "interrupted": "KILLED",
    "failed": "FAILED",
    "killed": "KILLED",
}


@contextlib.contextmanager
def writing(place: Place) -> Iterator[None]:
    """Hold the store's lock; the folder is made if need be.

    Raises
    ------
    StoreError
        Whatever goes wrong with the place or the database meanwhile.
    """
    mlflow = _mlflow()  # imported before the lock is taken: others need not wait for it
    from sqlalchemy.exc import SQLAlchemyError

    failures = (OSError, sqlite3.Error, UnicodeDecodeError, SQLAlchemyError, mlflow.exceptions.MlflowException)
    try:
        place.root.mkdir(parents=True, exist_ok=True)
        with exclusive(place.root), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except failures as error:
        raise StoreError(f"the store {place.database} cannot be written: {reason(error)}") from error


def create(place: Place) -> None:
    """Make the database, or our experiment in it, if they are not there yet. Called within `writing`."""
    if place.database.exists():
        schema.check(place)
        if experiment(place) is None:  # a database that mlflow was used with for something else
            _client(place).create_experiment(EXPERIMENT, artifact_location=str(place.artifacts), tags=_VERSION)
        return
    origin = f"{_mlflow().__version__} {schema.STORE_VERSION} {sqlite3.sqlite_version}"
    write(place.database, cached_bytes(default_cache_dir() / "store", origin.encode(), _new_database))
    relocate(place)
    sync_folder(place.root)


def _new_database() -> bytes:
    """Return an empty store's database, for which mlflow takes seconds: its schema is the sum of all it ever had."""
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
    place: Place, key: str, name: str, params: Mapping[str, str], tags: Mapping[str, str], began: int | None = None
) -> tuple[str, int]:
    """Record a run as running, and close the dead ones of its key. Called within `writing`.

    Parameters
    ----------
    place, key, name, params, tags
        See `experiments.store.Store.begin`; parameters and tags are texts.
    began : int, optional
        When, in milliseconds since 1970, if it was not now.

    Returns
    -------
    run_id : str
        mlflow's identifier.
    started : int
        When the run began, in milliseconds since 1970.
    """
    create(place)
    experiment_id = relocate(place)
    client = _client(place)
    close_dead(place, key)
    own = {**tags, "key": key, "status": "running"}
    run = client.create_run(experiment_id, start_time=began, run_name=name[:250], tags=own)
    _check_status(place, run.info.run_id, "running")
    _log_params(client, run.info.run_id, params)
    return run.info.run_id, int(run.info.start_time)


def close_dead(place: Place, key: str | None = None) -> None:
    """Record as killed the runs (of one key) whose processes have gone without a word. Called within `writing`."""
    client = _client(place)
    for run_id in running(place, key):
        alive = place.alive_file(run_id)
        if not is_alive(alive):
            client.set_terminated(run_id, _MLFLOW_STATUS["killed"])
            client.set_tag(run_id, "status", "killed")
            alive.unlink(missing_ok=True)
            remove_drafts(place.directory(run_id))


def close(place: Place, run_id: str, status: Status, metrics: Sequence[Point], tags: Mapping[str, str]) -> None:
    """Write metrics and tags of a run that ends, and its status last.

    Raises
    ------
    StoreError
        The store cannot be written. The run still counts as running.
    """
    with writing(place):
        client = _client(place)
        _log_metrics(client, run_id, metrics)
        for name, value in tags.items():
            client.set_tag(run_id, name, value)
        client.set_terminated(run_id, _MLFLOW_STATUS[status])
        client.set_tag(run_id, "status", status)
        _check_status(place, run_id, status)


@contextlib.contextmanager
def sending(address: str) -> Iterator[Sending]:
    """Write to a tracking server.

    Raises
    ------
    StoreError
        Whatever goes wrong with the server, or with the files to send, meanwhile.
    """
    mlflow = _mlflow()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield Sending(mlflow.MlflowClient(tracking_uri=address))
    except (OSError, mlflow.exceptions.MlflowException) as error:  # requests' errors are OSErrors
        raise StoreError(f"the server {address} cannot be written: {reason(error)}") from error


class Sending:
    """What is written to a server; made by `sending`."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def begin(self, experiment_id: str, name: str, began: int, tags: Mapping[str, str]) -> str:
        """Make a run, with all of its tags in one call, and return its identifier."""
        run = self._client.create_run(experiment_id, start_time=began, run_name=name, tags=dict(tags))
        return str(run.info.run_id)

    def fill(self, run_id: str, params: Mapping[str, str], metrics: Sequence[Point], directory: Path) -> None:
        """Send a run's parameters, its thinned curve in few large calls, and its files.

        It may be done again: what is there already is not doubled.
        """
        _log_params(self._client, run_id, params)
        _log_metrics(self._client, run_id, metrics)
        self._client.log_artifacts(run_id, str(directory))

    def end(self, run_id: str, ended: int, status: Status) -> None:
        """Tell mlflow that a run has ended, and how."""
        self._client.set_terminated(run_id, _MLFLOW_STATUS[status], end_time=ended)

    def tag(self, run_id: str, name: str, value: str) -> None:
        """Set one tag."""
        self._client.set_tag(run_id, name, value)


def load() -> None:
    """Import mlflow, if that has not been done."""
    _mlflow()


def _mlflow() -> Any:
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)
    return _imported()


@cache
def _imported() -> Any:
    """Import mlflow, silenced, on first use: it takes more than a second."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import mlflow
        import mlflow.entities
        import mlflow.exceptions
    for name in ("mlflow", "alembic"):
        # not even errors: they come as exceptions too, and are shown once, as a sentence
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return mlflow


def _client(place: Place) -> Any:
    return _mlflow().MlflowClient(tracking_uri=place.uri)


def _log_params(client: Any, run_id: str, params: Mapping[str, str]) -> None:
    for chunk in _chunks(list(params.items()), PARAMS_PER_BATCH):
        client.log_batch(run_id, params=[_mlflow().entities.Param(*item) for item in chunk])


def _log_metrics(client: Any, run_id: str, metrics: Sequence[Point]) -> None:
    for chunk in _chunks(metrics, METRICS_PER_BATCH):
        client.log_batch(run_id, metrics=[_mlflow().entities.Metric(*point) for point in chunk])


def _check_status(place: Place, run_id: str, status: Status) -> None:
    # read from the file, not through mlflow, whose cached connection may be to a database deleted meanwhile
    if not has_status(place, run_id, status):
        raise StoreError(
            f"{place.database} was deleted or replaced while this process used it: the run is not recorded, start again"
        )


def _chunks(items: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
