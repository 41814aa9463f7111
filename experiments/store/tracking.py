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
import hashlib
import json
import logging
import os
import socket
import warnings
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from svm_cost_curves.experiments import provenance
from svm_cost_curves.experiments.store.address import FILES, database_uri, reach
from svm_cost_curves.experiments.store.run_folder import (
    CURVE_FILE,
    RESULT_FILE,
    SUMS_FILE,
    StoreError,
    read_contents,
    read_curve,
    reason,
    write_contents,
)
from svm_cost_curves.experiments.store.serialize import data_settings, metric_points, params_of, run_name, tags_of
from svm_cost_curves.support.files import temporary_folder

if TYPE_CHECKING:
    import pandas as pd

EXPERIMENT: Final = "svm-cost-curves"
"""mlflow's experiment that holds all runs."""
VERSION_TAG: Final = "svm_cost_curves.store_version"
STORE_VERSION: Final = "2"
"""Tag of the experiment, and its value: raised when other versions cannot read the runs."""
RECORDING, FINISHED, DIFFERS, DUPLICATE, DAMAGED = "recording", "finished", "differs", "duplicate", "damaged"
MLFLOW_STATUS: Final = {"finished": "FINISHED", "interrupted": "KILLED", "failed": "FAILED"}
METRICS_PER_BATCH: Final = 1000
PARAMS_PER_BATCH: Final = 100
"""mlflow's limits for one call."""
PAGE: Final = 1000
DIGITS: Final = 1e-6
"""Relative to the largest value of a curve: runs on other instruction sets round differently."""

_SETTINGS: Final = {
    "MLFLOW_DISABLE_TELEMETRY": "true",  # read when mlflow is imported
    "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "2",  # with mlflow's default a lost server is noticed after minutes
    "MLFLOW_HTTP_REQUEST_TIMEOUT": "30",
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

    @cached_property
    def experiment_id(self) -> str:
        """Identifier of our experiment, which is created if there is none.

        Raises StoreError: mlflow cannot be used, or its experiment of this name cannot hold our runs.
        """
        with self._errors() as mlflow:
            experiment = self._client.get_experiment_by_name(EXPERIMENT)
            if experiment is None:
                location = None if self._files is None else str(self._files)
                with contextlib.suppress(mlflow.exceptions.MlflowException):  # another process has just created it
                    self._client.create_experiment(EXPERIMENT, location, {VERSION_TAG: STORE_VERSION})
                experiment = self._client.get_experiment_by_name(EXPERIMENT)
        if experiment is None or experiment.lifecycle_stage != "active":
            raise StoreError(
                f"the experiment {EXPERIMENT} of {self.uri} was deleted in mlflow; bring it back with "
                f"mlflow experiments restore -x {experiment and experiment.experiment_id}"
            )
        if (version := experiment.tags.get(VERSION_TAG)) != STORE_VERSION:
            raise StoreError(
                f"the experiment {EXPERIMENT} of {self.uri} is of version {version}, this program needs {STORE_VERSION}"
            )
        if self.server is not None and urlsplit(experiment.artifact_location).scheme in ("", "file"):
            raise StoreError(
                f"the server {self.uri} does not hand out files: it must be started with --artifacts-destination "
                "and without --no-serve-artifacts (docs/server.md)"
            )
        return str(experiment.experiment_id)

    def record(self, folder: Path) -> Recorded:
        """Record the ended run in a folder, unless it is there; a partial record is completed."""
        contents = read_contents(folder)
        if contents is None:
            return Recorded.DAMAGED
        result = json.loads(contents[RESULT_FILE])
        curve = read_curve(contents[CURVE_FILE]) if CURVE_FILE in contents else None
        labels = {"folder": f"{socket.gethostname()}:{folder}", "sums": hashlib.sha256(contents[SUMS_FILE]).hexdigest()}
        present = self._runs_of(result["key"])
        mine = next((run for run in present if run.data.tags.get("folder") == labels["folder"]), None)
        if mine is not None and self.server is None and mine.data.tags.get("sums") != labels["sums"]:
            self.delete([result["key"]])  # the run was made again
            present, mine = [], None
        if mine is not None and (status := mine.data.tags["status"]) != RECORDING:
            return Recorded.DIFFERS if status == DIFFERS else Recorded.THERE
        status = result["status"]
        if status == FINISHED:
            others = (run for run in present if run.data.tags.get("status") == FINISHED)
            first = next((known for run in others if (known := self._curve_or_damaged(run)) is not None), None)
            if first is not None and curve is not None:
                if same_results(first, curve):
                    return Recorded.THERE
                status = DIFFERS
        run_id = self._send(result, curve, folder, labels, mine, status)
        if status == FINISHED and self.server is not None:
            status = self._keep_first(result["key"], run_id)
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
            except StoreError:
                self._lost = True
        return not self._lost and (self._keys is None or key in self._keys)

    def fetch(self, key: str, directory: Path) -> bool:
        """Copy the server's finished run of a key into a folder if its files match their checksums.

        A server that does not answer counts as empty; StoreError is raised only if the folder cannot be written.
        """
        if not self.might_have(key):
            return False
        try:
            for run in self._runs_of(key):
                if run.data.tags.get("status") == FINISHED and (contents := self._verified(run)) is not None:
                    write_contents(directory, contents)
                    return True
        except StoreError:
            self._lost = True
        except OSError as error:
            raise StoreError(f"the store {directory} cannot be written: {reason(error)}") from error
        return False

    def delete(self, keys: Sequence[str]) -> None:
        """Mark all runs of some keys as deleted in mlflow."""
        with self._errors():
            for key in keys:
                for run in self._runs_of(key):
                    self._client.delete_run(run.info.run_id)

    def share_view(self, name: str, view: Mapping[str, Any]) -> None:
        """Store a view of mlflow's pages, as their button "Share" does; ``viewStateShareKey=NAME`` opens it."""
        with self._errors():
            self._client.set_experiment_tag(self.experiment_id, f"mlflow.sharedViewState.{name}", json.dumps(view))

    def _send(
        self,
        result: Mapping[str, Any],
        curve: pd.DataFrame | None,
        folder: Path,
        labels: Mapping[str, str],
        partial: Any,
        status: str,
    ) -> str:
        """Record a run, or the rest of it, its status last; return mlflow's identifier."""
        from svm_cost_curves.experiments.curve import step_cost

        facts = result.get("provenance", {})
        begun = datetime.fromisoformat(facts["started"]).timestamp() if facts.get("started") else folder.stat().st_mtime
        started = int(1000 * begun)
        ended = started + int(1000 * (result.get("elapsed_seconds") or 0.0))
        points = [] if curve is None else metric_points(curve, started)
        params = list(params_of(result).items()) if "settings" in result else []
        with self._errors() as mlflow:
            if partial is None:
                names = {name: result.get(name) for name in ("algo", "dataset", "key", "error")}
                names |= {"step": None if curve is None else step_cost(curve), "status": RECORDING, **labels}
                tags = tags_of(provenance.as_tags(facts) | names)
                tags |= {"mlflow.source.type": "LOCAL", "mlflow.source.name": "run.py"}
                name = run_name(result) if "algo" in result else result["key"]
                partial = self._client.create_run(self.experiment_id, started, tags, name)
            run_id = str(partial.info.run_id)
            for chunk in _chunks(params, PARAMS_PER_BATCH):
                self._client.log_batch(run_id, params=[mlflow.entities.Param(*item) for item in chunk])
            if params:
                self._client.log_inputs(run_id, [_data_of(mlflow, result)])
            for chunk in _chunks(points, METRICS_PER_BATCH):
                self._client.log_batch(run_id, metrics=[mlflow.entities.Metric(*point) for point in chunk])
            self._client.log_artifacts(run_id, str(folder))
            self._client.set_terminated(run_id, MLFLOW_STATUS[result["status"]], end_time=ended)
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
        with self._errors() as mlflow, temporary_folder() as folder:
            copied = mlflow.artifacts.download_artifacts(
                run_id=run.info.run_id, dst_path=str(folder), tracking_uri=self.uri
            )
            contents = read_contents(Path(copied))
        try:
            if contents is not None:
                read_curve(contents[CURVE_FILE])
        except (OSError, ValueError, KeyError):  # another version may have more columns
            return None
        return contents

    def _set_status(self, run: Any, status: str) -> None:
        with self._errors():
            self._client.set_tag(run.info.run_id, "status", status)

    def _runs_of(self, key: str) -> list[Any]:
        """Return all runs of a key, the first begun first."""
        return sorted(self._search(f"tags.key = '{key}'"), key=lambda run: (run.info.start_time, run.info.run_id))

    def _search(self, condition: str) -> Iterator[Any]:
        token = None
        while True:
            with self._errors():
                page = self._client.search_runs([self.experiment_id], condition, max_results=PAGE, page_token=token)
            yield from page
            if not (token := page.token):
                return

    @cached_property
    def _client(self) -> Any:
        return load_mlflow().MlflowClient(tracking_uri=self.uri)

    @contextlib.contextmanager
    def _errors(self) -> Iterator[Any]:
        """Yield mlflow without its warnings; any error of it becomes a StoreError."""
        mlflow = load_mlflow()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                yield mlflow
        except StoreError:
            raise
        except Exception as error:  # of the database, of the network, of an answer in another form
            raise StoreError(f"mlflow at {self.uri} cannot be used: {reason(error)}") from error


def same_results(one: pd.DataFrame, other: pd.DataFrame) -> bool:
    """Return whether two curves have equal counts and measures equal to six digits; times may differ."""
    import numpy as np

    from svm_cost_curves.experiments.columns import COUNTS, MEASURES
    from svm_cost_curves.experiments.curve import column

    if not one[list(COUNTS)].equals(other[list(COUNTS)]):
        return False
    for name in MEASURES:
        first, second = column(one, name), column(other, name)
        largest = np.max(np.abs(first), initial=0.0, where=np.isfinite(first))
        if not np.allclose(first, second, rtol=DIGITS, atol=DIGITS * largest, equal_nan=True):
            return False
    return True


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


def _data_of(mlflow: Any, result: Mapping[str, Any]) -> Any:
    """Return the data set of a run for mlflow's column of data sets."""
    data = result["provenance"].get("data", {})
    files = [file.get("sha256") for file in data.get("files", ())]
    digest = hashlib.sha256(json.dumps([files, data_settings(result)], sort_keys=True).encode()).hexdigest()[:8]
    profile = json.dumps(data.get("counts", {}))
    tags = [mlflow.entities.InputTag("mlflow.data.context", "training")]
    entry = mlflow.entities.Dataset(result["dataset"], digest, "code", data.get("source", ""), profile=profile)
    return mlflow.entities.DatasetInput(entry, tags)


def _chunks(items: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
