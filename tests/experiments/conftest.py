"""What takes long to make, once for all tests or those of a module, and copies of the store."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from servers import best_database, mlflow_server

from experiments.composition import composing
from experiments.store import Store


@pytest.fixture(scope="module")
def hydra_context() -> Iterator[None]:
    with composing():
        yield


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty store, made once: that takes seconds, so the tests copy it (which moves it, too)."""
    store = Store.open(tmp_path_factory.mktemp("template") / "results")
    store.create()
    return store.root


@pytest.fixture
def store(template: Path, tmp_path: Path) -> Store:
    return Store.open(shutil.copytree(template, tmp_path / "a store"))


@pytest.fixture(scope="module")
def place(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an empty store, and room for the data of all runs of a module."""
    return shutil.copytree(template, tmp_path_factory.mktemp("place") / "results").parent


@pytest.fixture
def fresh(template: Path, tmp_path: Path) -> Path:
    """The same for a test of its own."""
    return shutil.copytree(template, tmp_path / "results").parent


@pytest.fixture(scope="session")
def sqlite_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    folder = tmp_path_factory.mktemp("server")
    with mlflow_server(folder, f"sqlite:///{folder / 'mlflow.db'}") as address:
        yield address, folder


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Address and folder of a server with PostgreSQL behind it, where that is installed."""
    folder = tmp_path_factory.mktemp("server")
    with best_database(folder) as database, mlflow_server(folder, database) as address:
        yield address, folder
