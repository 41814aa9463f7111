"""Fixtures of the tests of records."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
from pathlib import Path

import pytest

from svm_cost_curves.experiments.store import Store, database
from svm_cost_curves.experiments.store.address import DATABASE, FILES
from svm_cost_curves.experiments.store.database import make_database
from svm_cost_curves.support.files import locked


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database without runs, of all processes of the tests: mlflow takes seconds to make one."""
    base = tmp_path_factory.getbasetemp()
    root = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "database"
    root.mkdir(exist_ok=True)
    with locked(root / "lock", print):
        if not (root / DATABASE).exists():
            make_database(root, lambda: None, is_used=False)
    return root / DATABASE


@pytest.fixture
def mlflow_store(tmp_path: Path, empty_database: Path) -> Store:
    """A store with such a database."""
    store = Store.open(tmp_path / "a store")
    store.root.mkdir()
    copy_database(empty_database, store.root, store.root)
    return store


def copy_database(source: Path, folder: Path, root: Path) -> None:
    """Put a copy of a database into a folder, as if it had been made there for the store in `root`."""
    shutil.copy(source, folder / DATABASE)
    with contextlib.closing(sqlite3.connect(folder / DATABASE)) as connection, connection:
        connection.execute("UPDATE experiments SET artifact_location = ? WHERE experiment_id = 1", (str(root / FILES),))


@pytest.fixture
def quickly_made(empty_database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In this process mlflow finds its tables in the draft of a new database, which it would make in two seconds."""
    ask = database._ask_for_location

    def ask_with_tables(root: Path, folder: Path) -> Path:
        if not (folder / DATABASE).exists():
            copy_database(empty_database, folder, root)
        return ask(root, folder)

    monkeypatch.setattr(database, "_ask_for_location", ask_with_tables)
