"""Address of mlflow: the database in a store's folder, or a server that machines share."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from ...support.errors import reason
from ...support.files import QUIET_SECONDS
from ..processes.streams import CONNECT_SECONDS, ElapsedTime
from .limits import LimitError, limited
from .run_folder import StoreError

DATABASE: Final = "mlflow.db"
FILES: Final = "mlflow-artifacts"
"""mlflow's database and files in the folder of a store."""

REACHED: Final = "SVM_STORE_REACHED"
"""Environment variable with the address of the server that this command has reached: its workers do not check again."""
HEALTH_SECONDS: Final = 5.0
"""For the whole answer to a question for the server's health, once there is a connection."""
HEALTH_BYTES: Final = 1000


def database_uri(root: Path) -> str:
    """Return mlflow's address of the database in a store's folder.

    Raises StoreError: the path has a character that means something else in an address.
    """
    if special := sorted(set(str(root)) & set("?#%")):
        raise StoreError(f"the path {root} contains {special[0]!r}, which means something else in a database's address")
    return f"sqlite:///{root / DATABASE}"


def check_address(address: str) -> str:
    """Return the address of a server without a slash at its end.

    Raises StoreError: it is not ``http://HOST:PORT``, ``https://HOST`` or either with a path, or it has a name or
    password.
    """
    try:
        parts = urlsplit(address)
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
    return address.rstrip("/")


def folder_name(uri: str) -> str:
    """Return an address as the name of a file or folder."""
    return re.sub(r"[^A-Za-z0-9.-]+", "_", uri.rstrip("/"))


def reach(address: str) -> str:
    """Return the address of a server that answers, without a slash at its end.

    A command checks that once; its child processes inherit the answer.

    Raises StoreError: the address has another form, or no mlflow server answers there within eight seconds.
    """
    address = check_address(address)
    if os.environ.get(REACHED) != address:
        _check_answer(address)
        os.environ[REACHED] = address
    return address


def _check_answer(address: str) -> None:
    """Raise StoreError unless an mlflow server answers."""
    import requests

    elapsed = ElapsedTime(lambda text: print(f"... {text}", file=sys.stderr, flush=True))
    elapsed.begin(f"waiting for the server {address}", after=QUIET_SECONDS)
    try:
        with (
            limited(address, CONNECT_SECONDS + HEALTH_SECONDS),
            requests.get(
                f"{address}/health", timeout=(CONNECT_SECONDS, HEALTH_SECONDS), allow_redirects=False, stream=True
            ) as answer,
        ):
            text = answer.raw.read(HEALTH_BYTES, decode_content=True).decode("utf-8", "replace").strip()
    except (requests.Timeout, LimitError) as error:
        raise StoreError(f"the server {address} does not answer: nothing within seconds") from error
    except Exception as error:  # of the network, or of an answer in another form
        raise StoreError(f"the server {address} does not answer: {reason(error)}") from error
    finally:
        elapsed.end()
    if answer.status_code != 200 or text != "OK":
        status = f"{answer.status_code} {answer.reason or ''}".strip()
        raise StoreError(
            f"the server {address} answers {status} to a question for its health: it is no mlflow tracking server, or "
            "does not know itself by this name (docs/server.md)"
        )
