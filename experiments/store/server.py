"""Reads from an mlflow tracking server over HTTP: whether it answers, which runs it has, their files.

It uses `requests`, because importing mlflow takes more than a second. mlflow writes runs to the
server (`mlflow_writer.server_writer`).
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from experiments.store.database import EXPERIMENT
from experiments.store.errors import StoreError, reason
from experiments.store.schema import STORE_VERSION, VERSION_TAG

if TYPE_CHECKING:
    import requests

ServerStatus = Literal["uploading", "finished", "interrupted", "failed", "differs", "duplicate", "damaged"]
"""Tag ``status`` of a run on a server; see `experiments.store.mirror`."""

SPOOL_RUN = "spool_run"
"""Tag of a run on a server: its identifier in the spool."""

REACHED = "SVM_STORE_ASKED"
"""Environment variable with the address of the server that this command has reached: its workers do not check again."""

CONNECT_SECONDS, ANSWER_SECONDS = 3.0, 20.0
FIRST_ANSWER_SECONDS = 5.0
PAGE = 1000


@dataclass(frozen=True)
class ServerRun:
    """A run on a server: parameters, and tags without mlflow's own."""

    run_id: str
    name: str
    started: int
    ended: int
    tags: dict[str, str]
    params: dict[str, str]

    @property
    def status(self) -> str:
        """One of `ServerStatus`."""
        return self.tags.get("status", "uploading")


class Server:
    """A tracking server. The constructor sends no request.

    Parameters
    ----------
    address : str
        ``http://HOST:PORT``, ``https://HOST`` or either with a path.

    Attributes
    ----------
    address : str
        Without a slash at its end.

    Raises
    ------
    StoreError
        The address has another form.
    """

    def __init__(self, address: str) -> None:
        self.address = address.rstrip("/")
        try:
            parts = urlsplit(self.address)
            well_formed = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:  # of the port, or of an address in brackets
            well_formed = False
        if not well_formed or parts.query or parts.fragment or re.search(r"[\s'\"\\]", address):
            shown = re.sub(r"//.*@", "//...@", address)  # without a password
            raise StoreError(f"the address of a server is http://HOST:PORT or https://HOST, got {shown!r}")
        if parts.username is not None:
            raise StoreError(
                "the address of a server is recorded with every run, so it must hold no password: give that in "
                "MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD"
            )
        self._experiment_id: str | None = None

    @property
    def folder_name(self) -> str:
        """Folder name for this server's spool."""
        return re.sub(r"[^A-Za-z0-9.-]+", "_", self.address)

    def check_reachable(self) -> None:
        """Check that the server can be used, once for a command: child processes inherit the answer.

        Raises
        ------
        StoreError
            It does not answer within five seconds, or cannot hold our runs.
        """
        if os.environ.get(REACHED) != self.address:
            self.experiment(FIRST_ANSWER_SECONDS)
            os.environ[REACHED] = self.address

    def experiment(self, seconds: float = ANSWER_SECONDS) -> str:
        """Return the identifier of our experiment, which is created if there is none.

        Parameters
        ----------
        seconds : float
            Timeout of each request.

        Raises
        ------
        StoreError
            The server does not answer, refuses, or its experiment of this name cannot hold our runs.
        """
        if self._experiment_id is None:
            with self._understood():
                self._experiment_id = self._check_experiment(
                    self._find_experiment(seconds) or self._create_experiment(seconds)
                )
        return self._experiment_id

    def runs(self, **tags: str) -> list[ServerRun]:
        """Find the runs with these tags; the first begun comes first."""
        with self._understood():
            return sorted(self._search(tags), key=lambda run: (run.started, run.run_id))

    def finished_keys(self) -> frozenset[str]:
        """Keys of all finished runs, in few large answers."""
        with self._understood():
            return frozenset(run.tags["key"] for run in self._search({"status": "finished"}) if "key" in run.tags)

    def file(self, run_id: str, name: str) -> bytes | None:
        """Content of one of a run's files; None if the server does not have it."""
        response = self._request("GET", "get-artifact", ANSWER_SECONDS, params={"run_uuid": run_id, "path": name})
        if response.status_code == 404:
            return None
        if not response.ok:
            raise StoreError(
                f"the server {self.address} does not hand out {name} of run {run_id}: {_status_and_reason(response)}"
            )
        return response.content

    @contextlib.contextmanager
    def _understood(self) -> Iterator[None]:
        """Make an answer of another form than mlflow's a StoreError."""
        try:
            yield
        except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise StoreError(f"the server {self.address} answers in a form that is not mlflow's") from error

    def _check_experiment(self, found: Mapping[str, Any]) -> str:
        experiment_id = str(found["experiment_id"])
        if found.get("lifecycle_stage") != "active":
            raise StoreError(
                f"the experiment {EXPERIMENT} of the server {self.address} was deleted in mlflow; bring it back with: "
                f"MLFLOW_TRACKING_URI={self.address} mlflow experiments restore -x {experiment_id}"
            )
        version = _mapping(found.get("tags", ())).get(VERSION_TAG, "unknown")
        if version != STORE_VERSION:
            raise StoreError(
                f"the experiment {EXPERIMENT} of the server {self.address} is a store of version {version}, "
                f"this program needs version {STORE_VERSION}"
            )
        scheme = urlsplit(str(found.get("artifact_location", ""))).scheme
        if scheme in ("", "file"):  # a folder of the server's machine: a client would look for it on its own disk
            raise StoreError(
                f"the server {self.address} does not hand out files: it must be started with --artifacts-destination "
                "and without --no-serve-artifacts (docs/server.md)"
            )
        return experiment_id

    def _find_experiment(self, seconds: float) -> dict[str, Any]:
        path = f"experiments/get-by-name?experiment_name={EXPERIMENT}"
        return dict(self._call_api("GET", path, seconds, allowed="RESOURCE_DOES_NOT_EXIST").get("experiment", {}))

    def _create_experiment(self, seconds: float) -> dict[str, Any]:
        content = {"name": EXPERIMENT, "tags": [{"key": VERSION_TAG, "value": STORE_VERSION}]}
        self._call_api("POST", "experiments/create", seconds, content, allowed="RESOURCE_ALREADY_EXISTS")
        return self._find_experiment(seconds)

    def _search(self, tags: Mapping[str, str]) -> Iterator[ServerRun]:
        """All runs with these tags. Values contain only letters, digits, '_' and '-'."""
        question: dict[str, Any] = {
            "experiment_ids": [self.experiment()],
            "filter": " AND ".join(f"tags.{name} = '{value}'" for name, value in tags.items()),
            "max_results": PAGE,
        }
        while True:
            content = self._call_api("POST", "runs/search", ANSWER_SECONDS, question)
            for run in content.get("runs", ()):
                info, data = run["info"], run["data"]
                own = {name: value for name, value in _mapping(data.get("tags", ())).items() if name[:7] != "mlflow."}
                params = _mapping(data.get("params", ()))
                times = int(info["start_time"]), int(info.get("end_time", 0))
                yield ServerRun(info["run_id"], info.get("run_name", ""), *times, own, params)
            if not content.get("next_page_token"):
                return
            question["page_token"] = content["next_page_token"]

    def _call_api(
        self, method: str, path: str, seconds: float, content: Mapping[str, Any] | None = None, allowed: str = ""
    ) -> dict[str, Any]:
        """Answer of mlflow's REST interface; empty for the allowed error."""
        response = self._request(method, f"api/2.0/mlflow/{path}", seconds, json=content)
        try:
            answer = response.json()
            error = answer.get("error_code", "" if response.ok else "unknown")
        except (ValueError, AttributeError):
            answer, error = None, "unknown"
        if answer is not None and not error:
            return dict(answer)
        if allowed and error == allowed:
            return {}
        if response.status_code in (401, 403):
            hint = "; give a name and a password in MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD"
        elif answer is None and response.status_code < 500:
            hint = ": it is no mlflow tracking server, or does not know itself by this name (docs/server.md)"
        else:
            hint = ""
        raise StoreError(f"the server {self.address} answers {_status_and_reason(response)}{hint}")

    def _request(self, method: str, path: str, seconds: float, **question: Any) -> requests.Response:
        """Send a request on a new connection: a run's requests may be hours apart."""
        import requests

        headers, auth = {}, None
        if name := os.environ.get("MLFLOW_TRACKING_USERNAME"):
            auth = (name, os.environ.get("MLFLOW_TRACKING_PASSWORD", ""))
        elif token := os.environ.get("MLFLOW_TRACKING_TOKEN"):
            headers["Authorization"] = f"Bearer {token}"
        try:
            return requests.request(
                method,
                f"{self.address}/{path}",
                timeout=(CONNECT_SECONDS, seconds),
                allow_redirects=False,
                headers=headers,
                auth=auth,
                **question,
            )
        except requests.Timeout as error:
            raise StoreError(f"the server {self.address} does not answer: nothing within seconds") from error
        except (requests.RequestException, ValueError) as error:
            raise StoreError(f"the server {self.address} does not answer: {reason(error)}") from error


def _mapping(entries: Any) -> dict[str, str]:
    return {str(entry["key"]): str(entry.get("value", "")) for entry in entries}


def _status_and_reason(response: requests.Response) -> str:
    """Status of an answer, and the first line of its message."""
    try:
        text = str(response.json()["message"])
    except (ValueError, LookupError, TypeError, RecursionError):
        text = response.reason or ""
    return f"{response.status_code} {text.splitlines()[0] if text else ''}".strip()[:300]
