"""Whether a database is a store that this program and the installed mlflow can use, found out without mlflow."""

from __future__ import annotations

import importlib.util
import re
import shlex
from functools import cache
from pathlib import Path

from experiments.store.database import experiment, query
from experiments.store.errors import StoreError
from experiments.store.place import Place

STORE_VERSION = "1"
"""Layout of the store: raised when a store written before can no longer be read."""

VERSION_TAG = "svm_cost_curves.store_version"
"""Tag of mlflow's experiment that holds it."""


def check(place: Place) -> None:
    """Refuse an existing file that is not a store of this version, before anything is written to it.

    Raises
    ------
    StoreError
        What it is, and what to do about it.
    """
    if not place.database.is_file():
        raise StoreError(f"{place.database} is not a file: give the folder of a store, or its database file")
    tables = {name for (name,) in query(place, "SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not {"alembic_version", "experiments", "experiment_tags", "runs", "tags", "params"} <= tables:
        raise StoreError(f"{place.database} is not an mlflow database: give another place for the store")
    revisions = [str(revision) for (revision,) in query(place, "SELECT version_num FROM alembic_version")]
    ours = experiment(place)
    version = ours and query(
        place, "SELECT value FROM experiment_tags WHERE key = ? AND experiment_id = ?", VERSION_TAG, ours[0]
    )
    known, newest = _revisions()
    if revisions != [newest]:
        found = ", ".join(revisions) or "none"
        if len(revisions) == 1 and revisions[0] in known:
            advice = f"make a copy, then run: mlflow db upgrade {shlex.quote(place.uri)}"
        else:
            advice = "it was written by a newer mlflow: install that one, or give another place for the store"
        raise StoreError(f"{place.database} has mlflow's schema {found}, the installed mlflow needs {newest}; {advice}")
    if ours is not None and version != [(STORE_VERSION,)]:
        found = f"version {version[0][0]}" if version else "an unknown version"
        raise StoreError(
            f"{place.database} is a store of {found}, this program needs version {STORE_VERSION}: "
            "give another place for the store, or use the program that wrote it"
        )


@cache
def _revisions() -> tuple[frozenset[str], str]:
    """All schema revisions that the installed mlflow knows, and its newest.

    A revision is one file; the newest is the one that no other names as its predecessor.
    """
    spec = importlib.util.find_spec("mlflow")
    folders = [
        Path(place) / "store" / "db_migrations" / "versions"
        for place in (spec and spec.submodule_search_locations) or ()
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
