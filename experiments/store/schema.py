"""Checks, without importing mlflow, that this program and the installed mlflow can use a database."""

from __future__ import annotations

import importlib.util
import re
import shlex
from functools import cache
from pathlib import Path

from experiments.store.database import experiment, reading
from experiments.store.errors import StoreError
from experiments.store.paths import StorePaths

STORE_VERSION = "1"
"""Version of the store's layout: raised when older stores can no longer be read."""

VERSION_TAG = "svm_cost_curves.store_version"
"""Tag of mlflow's experiment that holds it."""

_TABLES = {"alembic_version", "experiments", "experiment_tags", "runs", "tags", "params", "metrics", "latest_metrics"}
"""mlflow's tables that this package uses."""


def check(paths: StorePaths) -> None:
    """Check that an existing file is a store of this version.

    Raises
    ------
    StoreError
        It is not; the message says what to do.
    """
    if not paths.database.is_file():
        raise StoreError(f"{paths.database} is not a file: give the folder of a store, or its database file")
    with reading(paths) as connection:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if _TABLES - tables:
            raise StoreError(f"{paths.database} is not an mlflow database: give another place for the store")
        revisions = [str(revision) for (revision,) in connection.execute("SELECT version_num FROM alembic_version")]
        ours = experiment(paths, connection)
        version = connection.execute(
            "SELECT value FROM experiment_tags WHERE key = ? AND experiment_id = ?", (VERSION_TAG, ours and ours[0])
        ).fetchall()
    known, newest = _revisions()
    if revisions != [newest]:
        found = ", ".join(revisions) or "none"
        if len(revisions) == 1 and revisions[0] in known:
            advice = f"make a copy, then run: mlflow db upgrade {shlex.quote(paths.uri)}"
        else:
            advice = "it was written by a newer mlflow: install that one, or give another place for the store"
        raise StoreError(f"{paths.database} has mlflow's schema {found}, the installed mlflow needs {newest}; {advice}")
    if ours is not None and version != [(STORE_VERSION,)]:
        found = f"version {version[0][0]}" if version else "an unknown version"
        raise StoreError(
            f"{paths.database} is a store of {found}, this program needs version {STORE_VERSION}: "
            "give another place for the store, or use the program that wrote it"
        )


@cache
def _revisions() -> tuple[frozenset[str], str]:
    """All schema revisions that the installed mlflow knows, and its newest.

    Each revision is a file that names its predecessor; the newest is the predecessor of none.
    """
    spec = importlib.util.find_spec("mlflow")
    folders = [
        Path(paths) / "store" / "db_migrations" / "versions"
        for paths in (spec and spec.submodule_search_locations) or ()
    ]
    texts = [file.read_text(encoding="utf-8") for folder in folders for file in sorted(folder.glob("*.py"))]
    own = re.compile(r"^revision\s*=\s*[\"'](\w+)[\"']", re.MULTILINE)
    earlier = re.compile(r"^down_revision\s*=\s*(.+)$", re.MULTILINE)
    known = {match.group(1) for text in texts if (match := own.search(text))}
    followed = {
        name for text in texts if (match := earlier.search(text)) for name in re.findall(r"\w+", match.group(1))
    }
    heads = known - followed
    if len(heads) != 1:
        raise StoreError(f"cannot tell which database schema the installed mlflow needs (candidates: {sorted(heads)})")
    return frozenset(known), heads.pop()
