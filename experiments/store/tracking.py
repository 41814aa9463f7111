"""Runs in mlflow, in a database of this machine or on a server, by mlflow's client; only this module imports mlflow.

A run is created in mlflow with the tag ``status`` = ``recording`` and gets its final status last, so that a partial
record never counts and the next attempt completes it. The tag ``key`` is the run's key. **There is one finished run for
each key.** A second run of the key with the same result is not recorded; one with another result gets the status
``differs``. Two machines may record a key at the same moment, so both look again afterwards: only the run begun first
stays finished. A finished run whose files do not match their checksums gets the status ``damaged``.
"""

from __future__ import annotations

import contextlib
import enum
import json
import logging
import os
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from ...support.errors import reason
from ...support.files import temporary_folder
from .address import FILES, database_uri, reach
from .causes import is_hung_up, is_of_the_machine
from .limits import LimitError, limited
from .run_copy import FINISHED, MLFLOW_STATUS, RECORDING, RunCopy, UnfitRunError, read_copy, same_results
from .run_folder import CURVE_FILE, StoreError, read_contents, read_curve, write_contents

if TYPE_CHECKING:
    import pandas as pd

EXPERIMENT: Final = "svm-cost-curves"
"""mlflow's experiment that holds all runs."""
VERSION_TAG: Final = "svm_cost_curves.store_version"
STORE_VERSION: Final = "2"
"""Tag of the experiment, and its value: raised when other versions cannot read the runs."""
DIFFERS, DUPLICATE, DAMAGED = "differs", "duplicate", "damaged"
METRICS_PER_BATCH: Final = 1000
PARAMS_PER_BATCH: Final = 100
"""mlflow's limits for one call."""
PAGE: Final = 1000
ANSWER_SECONDS, SEARCH_SECONDS, FILES_SECONDS = 60.0, 300.0, 600.0
"""Longest times for an answer of a server, for all pages of a search, and for the files of a run."""

_SETTINGS: Final = {
    "MLFLOW_DISABLE_TELEMETRY": "true",  # read when mlflow is imported
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "2",  # with mlflow's default a lost server is noticed after minutes
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "30",
    "MLFLOW_HTTP_RESPECT_RETRY_AFTER_HEADER": "false",  # a server may ask for a pause of a day
    "MLFLOW_ALLOW_HTTP_REDIRECTS": "false",
    "MLFLOW_SQLALCHEMYSTORE_POOLCLASS": "NullPool",  # an open connection would go on with a database that was replaced
    "MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR": "false",
    "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",
}
"""Environment variables of mlflow, unless the user has set them."""


class Recorded(enum.Enum):
    """Outcome of `Tracking.record` for a run."""

    NEW = "recorded"
    THERE = "there already"
    DIFFERS = "with another result than the one there"
    DAMAGED = "damaged here"


class ExperimentError(StoreError):
    """mlflow can be used, but its experiment of our name cannot hold our runs."""


class Tracking:
    """The runs in mlflow at one address. The constructor sends no request and does not import mlflow.

    Every method raises StoreError if mlflow cannot be used, unless it says otherwise.

    Parameters
    ----------
    uri : str
        ``http://HOST:PORT`` of a server, or ``sqlite:///PATH``.
    files : Path, optional
        Where mlflow keeps the files of runs in a new database; a server, which other machines share, decides that.
    """

    def __init__(self, uri: str, files: Path | None = None) -> None:
        self.uri = uri
        self.server = uri if files is None else None
        self._files = files
        self._keys: frozenset[str] | None = None  # of the server's finished runs
        self._lookups = 0
        self._lost = False

    @classmethod
    def of_store(cls, root: Path) -> Tracking:
        """Return the database in a store's folder."""
        return cls(database_uri(root), root / FILES)

    @classmethod
    def reached(cls, address: str) -> Tracking:
        """Return a server that answers; errors are those of `address.reach`."""
        return cls(reach(address))

    @property
    def experiment_id(self) -> str:
        """Identifier of our experiment, which is created if there is none; errors are those of `artifact_location`."""
        return str(self._experiment.experiment_id)

    @property
    def artifact_location(self) -> str:
        """Folder or address where mlflow keeps the files of our experiment.

        Raises ExperimentError: mlflow's experiment of this name cannot hold our runs.
        """
        return str(self._experiment.artifact_location)

    @cached_property
    def _experiment(self) -> Any:
        experiment = self._ask("get_experiment_by_name", EXPERIMENT)
        if experiment is None:
            location = None if self._files is None else str(self._files)
            try:
                self._ask("create_experiment", EXPERIMENT, location, {VERSION_TAG: STORE_VERSION})
            except StoreError:  # another process may just have created it
                experiment = self._ask("get_experiment_by_name", EXPERIMENT)
                if experiment is None:
                    raise
            else:
                experiment = self._ask("get_experiment_by_name", EXPERIMENT)
        if experiment.lifecycle_stage != "active":
            raise ExperimentError(
                f"the experiment {EXPERIMENT} of {self.uri} was deleted in mlflow; bring it back with "
                f"mlflow experiments restore -x {experiment.experiment_id}"
            )
        if (version := experiment.tags.get(VERSION_TAG)) != STORE_VERSION:
            raise ExperimentError(
                f"the experiment {EXPERIMENT} of {self.uri} is of version {version}, this program needs {STORE_VERSION}"
            )
        if self.server is not None and urlsplit(experiment.artifact_location).scheme in ("", "file"):
            raise ExperimentError(
                f"the server {self.uri} does not hand out files: it must be started with --artifacts-destination "
                "and without --no-serve-artifacts (docs/server.md)"
            )
        return experiment

    def record(self, folder: Path) -> Recorded:
        """Record the ended run in a folder, unless it is there; a partial record is completed.

        Raises UnfitRunError: the folder is damaged, or mlflow, which can be used, does not take this run.
        """
        copy = read_copy(folder)
        try:
            return self._record(copy)
        except Exception as error:
            if is_of_the_machine(error):
                raise StoreError(str(error)) from error
            self._ask("set_experiment_tag", self.experiment_id, VERSION_TAG, STORE_VERSION)
            raise UnfitRunError(str(error)) from error

    def _record(self, copy: RunCopy) -> Recorded:
        present = self._runs_of(copy.key)
        mine = next((run for run in present if run.data.tags.get("folder") == copy.labels["folder"]), None)
        if mine is not None and self.server is None and mine.data.tags.get("sums") != copy.labels["sums"]:
            self.delete([copy.key])  # the run was made again
            present, mine = [], None
        if mine is not None and (status := mine.data.tags.get("status")) != RECORDING:
            return Recorded.DIFFERS if status == DIFFERS else Recorded.THERE
        status = copy.status
        if status == FINISHED:
            finished = (run for run in present if run.data.tags.get("status") == FINISHED)
            first = next((curve for run in finished if (curve := self._curve_or_damaged(run)) is not None), None)
            if first is not None and copy.curve is not None:
                if same_results(first, copy.curve):
                    return Recorded.THERE
                status = DIFFERS
        run_id = self._send(copy, mine, status)
        if status == FINISHED and self.server is not None:
            status = self._keep_first(copy.key, run_id)
        return Recorded.DIFFERS if status == DIFFERS else Recorded.NEW

    def might_have(self, key: str, *, at_once: bool = False) -> bool:
        """Return whether the server may have a finished run of a key; one that does not answer counts as empty.

        From the second call on, or from the first with `at_once`, all keys are asked for in few large answers.
        """
        self._lookups += 1
        if self._keys is None and (self._lookups > 1 or at_once) and not self._lost:
            try:
                runs = self._search(f"tags.status = '{FINISHED}'")
                self._keys = frozenset(run.data.tags["key"] for run in runs)
            except Exception:  # also of runs that others have put there
                self._lost = True
        return not self._lost and (self._keys is None or key in self._keys)

    def fetch(self, key: str, directory: Path) -> bool:
        """Copy the server's finished run of a key into a folder if its files match their checksums.

        A server that does not answer counts as empty; StoreError is raised only if the folder cannot be written.
        """
        if not self.might_have(key):
            return False
        try:
            finished = (run for run in self._runs_of(key) if run.data.tags.get("status") == FINISHED)
            contents = next((found for run in finished if (found := self._verified(run)) is not None), None)
            if contents is not None:
                write_contents(directory, contents)
        except OSError as error:
            raise StoreError(f"the store {directory} cannot be written: {reason(error, directory)}") from error
        except Exception:  # also of runs that others have put there
            self._lost = True
            return False
        return contents is not None

    def delete(self, keys: Sequence[str]) -> None:
        """Mark all runs of some keys as deleted in mlflow."""
        for key in keys:
            for run in self._runs_of(key):
                self._ask("delete_run", run.info.run_id)

    def share_view(self, name: str, view: Mapping[str, Any]) -> None:
        """Store a view of mlflow's pages, as their button "Share" does; ``viewStateShareKey=NAME`` opens it."""
        tag = f"mlflow.sharedViewState.{name}"
        self._ask("set_experiment_tag", self.experiment_id, tag, json.dumps(view))

    def _send(self, copy: RunCopy, partial: Any, status: str) -> str:
        """Record a run, or the rest of it, its status last; return mlflow's identifier."""
        entities = load_mlflow().entities
        if partial is None:
            partial = self._ask("create_run", self.experiment_id, copy.started, dict(copy.tags), copy.name)
        run_id = str(partial.info.run_id)
        for chunk in _chunks([entities.Param(*item) for item in copy.params], PARAMS_PER_BATCH):
            self._ask("log_batch", run_id, params=chunk)
        if copy.data is not None:
            name, digest, source, profile = copy.data
            tags = [entities.InputTag("mlflow.data.context", "training")]
            entry = entities.DatasetInput(entities.Dataset(name, digest, "code", source, profile=profile), tags)
            self._ask("log_inputs", run_id, [entry])
        for chunk in _chunks([entities.Metric(*point) for point in copy.points], METRICS_PER_BATCH):
            self._ask("log_batch", run_id, metrics=chunk)
        self._ask("log_artifacts", run_id, str(copy.folder))
        self._ask("set_terminated", run_id, MLFLOW_STATUS[copy.status], end_time=copy.ended)
        self._set_status(partial, status)
        return run_id

    def _keep_first(self, key: str, run_id: str) -> str:
        """Leave only the first begun run of a key finished; return the status of the run just recorded."""
        finished = [run for run in self._runs_of(key) if run.data.tags.get("status") == FINISHED]
        first = self._curve_or_damaged(finished[0]) if finished else None
        status = FINISHED
        for run in finished[1:]:
            curve = self._curve_or_damaged(run)
            same = first is not None and curve is not None and same_results(first, curve)
            self._set_status(run, DUPLICATE if same else DIFFERS)
            if run.info.run_id == run_id:
                status = DUPLICATE if same else DIFFERS
        return status

    def _curve_or_damaged(self, run: Any) -> pd.DataFrame | None:
        """Return the curve of a run; None, and the status ``damaged``, if its files do not match their checksums."""
        contents = self._verified(run)
        if contents is None:
            self._set_status(run, DAMAGED)
            return None
        return read_curve(contents[CURVE_FILE])

    def _verified(self, run: Any) -> dict[str, bytes] | None:
        """Return the files of a run, downloaded; None if one is missing or does not match its checksum."""
        if self.server is not None and urlsplit(run.info.artifact_uri).scheme in ("", "file"):
            return None  # files of this machine
        with temporary_folder() as folder:
            copied = self._ask("download_artifacts", run.info.run_id, "", str(folder), folder=folder)
            try:
                contents = read_contents(Path(copied))
                read_curve(contents[CURVE_FILE])
            except Exception:  # of another version, which may have more columns, or of a stranger
                return None
        return contents

    def _set_status(self, run: Any, status: str) -> None:
        self._ask("set_tag", run.info.run_id, "status", status)

    def _runs_of(self, key: str) -> list[Any]:
        """Return all runs of a key, the first begun first."""
        return sorted(self._search(f"tags.key = '{key}'"), key=lambda run: (run.info.start_time, run.info.run_id))

    def _search(self, condition: str) -> Iterator[Any]:
        token, deadline = None, time.monotonic() + SEARCH_SECONDS
        while True:
            page = self._ask("search_runs", [self.experiment_id], condition, max_results=PAGE, page_token=token)
            yield from page
            if not (token := page.token):
                return
            if self.server is not None and time.monotonic() > deadline:
                raise StoreError(f"mlflow at {self.uri} cannot be used: it lists runs for {SEARCH_SECONDS:g} s so far")

    @cached_property
    def _client(self) -> Any:
        return load_mlflow().MlflowClient(tracking_uri=self.uri)

    def _ask(self, method: str, *arguments: Any, folder: Path | None = None, **more: Any) -> Any:
        """Call a method of mlflow's client, without its warnings, and return its answer.

        A server closes connections that were idle, perhaps just when a request is on the way. So a call that changes
        nothing when it is repeated is made once more then. A download fills `folder`.

        Raises StoreError: any error of mlflow, or of what a server sends.
        """
        load_mlflow()
        for is_last in (self.server is None or method == "create_run", True):
            try:
                with warnings.catch_warnings(), self._limited(method, folder):
                    warnings.simplefilter("ignore")
                    return getattr(self._client, method)(*arguments, **more)
            except Exception as error:  # of the database, of the network, of an answer in another form
                if is_last or not is_hung_up(error):
                    why = str(error) if isinstance(error, LimitError) else reason(error)
                    raise StoreError(f"mlflow at {self.uri} cannot be used: {why}") from error
        raise AssertionError

    def _limited(self, method: str, folder: Path | None) -> contextlib.AbstractContextManager[None]:
        if self.server is None:
            return contextlib.nullcontext()
        return limited(self.server, FILES_SECONDS if method.endswith("artifacts") else ANSWER_SECONDS, folder)


@cache
def load_mlflow() -> Any:
    """Import mlflow, without its warnings and log, at first use: it takes more than a second."""
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import mlflow
        import mlflow.artifacts
        import mlflow.entities
        import mlflow.exceptions
    for name in ("mlflow", "alembic"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # errors arrive as exceptions as well
    return mlflow


def _chunks(items: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
