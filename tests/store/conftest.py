"""Fixtures of the tests of records."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from pathlib import Path

import pytest

from svm_cost_curves.experiments.store import Store
from svm_cost_curves.experiments.store.address import DATABASE, FILES
from svm_cost_curves.experiments.store.database import make_database


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database without runs: mlflow takes seconds to make one."""
    root = tmp_path_factory.mktemp("template")
    make_database(root, lambda: None, is_used=False)
    return root / DATABASE


@pytest.fixture
def mlflow_store(tmp_path: Path, empty_database: Path) -> Store:
    """A store with such a database."""
    store = Store.open(tmp_path / "a store")
    store.root.mkdir()
    shutil.copy(empty_database, store.root / DATABASE)
    place = str(store.root / FILES)  # as if it had been made here
    with contextlib.closing(sqlite3.connect(store.root / DATABASE)) as connection, connection:
        connection.execute("UPDATE experiments SET artifact_location = ? WHERE experiment_id = 1", (place,))
    return store
