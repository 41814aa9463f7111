"""Fixtures that every test may use."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from servers import best_database, mlflow_server
from waiting import PATIENCE

from svm_cost_curves import solvers
from svm_cost_curves.experiments.processes.stopping import STOP_SIGNALS, restored
from svm_cost_curves.experiments.store import Store

ROOT = Path(__file__).resolve().parents[1]

# Shared machines stall: an example may take long, but how many there are and which is fixed.
settings.register_profile("project", deadline=None, derandomize=True)
settings.load_profile("project")


@pytest.fixture(autouse=True, scope="session")
def cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache of the tests' own, for all processes of a session: what one of them has kept, the others find."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "cache"
    os.environ["SVM_DATA_CACHE"] = str(folder)
    return folder


@pytest.fixture(autouse=True, scope="session")
def gram_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Gram folder of the tests' own: none reads or fills the user's."""
    folder = tmp_path_factory.mktemp("gram")
    os.environ["SVM_GRAM_DIR"] = str(folder)
    return folder


@pytest.fixture(autouse=True, scope="session")
def foreground() -> Iterator[None]:
    """Signals are heard as by a program in the foreground: background jobs ignore Ctrl-C, and nohup ignores SIGHUP."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    with restored():
        signal.signal(signal.SIGINT, signal.default_int_handler)
        yield
    signal.signal(signal.SIGHUP, before)


@pytest.fixture(autouse=True)
def signals() -> Iterator[None]:
    """No test leaves a handler behind: the next one in its process would hear it."""
    before = [signal.getsignal(number) for number in STOP_SIGNALS]
    with restored():
        yield
        assert [signal.getsignal(number) for number in STOP_SIGNALS] == before


PLAIN_USER = 12345
"""Number of a user without privileges."""


@pytest.fixture
def plain_user() -> Iterator[Path]:
    """An empty folder of a user without privileges, who this process is during the test: modes of files count."""
    with tempfile.TemporaryDirectory() as name:
        privileged = os.geteuid() == 0
        if privileged:
            os.chown(name, PLAIN_USER, PLAIN_USER)
            os.seteuid(PLAIN_USER)
        try:
            yield Path(name)
        finally:
            if privileged:
                os.seteuid(0)


@pytest.fixture
def own_solvers(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Path], None]]:
    """Add a user's own solvers from a file, for the test: here and in the processes that it starts."""

    def add(path: Path) -> None:
        monkeypatch.setenv("SVM_SOLVERS", str(path))
        solvers.registry.solver_classes.cache_clear()

    yield add
    solvers.registry.solver_classes.cache_clear()


@pytest.fixture
def python() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run a piece of Python in a process of its own, in which the project's packages can be imported."""

    def run(
        code: str, *arguments: object, timeout: float = PATIENCE, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join(filter(None, [str(ROOT), str(ROOT / "tests" / "solvers"), os.environ.get("PYTHONPATH")]))
        return subprocess.run(
            [sys.executable, "-c", code, *map(str, arguments)],
            env={**os.environ, "PYTHONPATH": path, **environment},
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    return run


@pytest.fixture
def run_py(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run a command of ``run.py`` in this process; return its status and what it wrote to both streams."""
    from svm_cost_curves.experiments.command_line import program

    for name in ("HYDRA_FULL_ERROR", "SVM_SWEEP_ID"):
        monkeypatch.setenv(name, "1")
    monkeypatch.setenv("SVM_CONFIG_DIR", os.environ.get("SVM_CONFIG_DIR", ""))  # ``--config-dir`` adds to it

    def run(*words: str) -> tuple[int, str, str]:
        capsys.readouterr()
        monkeypatch.setattr(sys, "argv", ["run.py", *words])
        return program.main(), *capsys.readouterr()

    return run


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(tmp_path / "a store")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the store, ``results``, and the data of all runs of a module."""
    return tmp_path_factory.mktemp("place")


@pytest.fixture
def fresh(tmp_path: Path) -> Path:
    """The same for a test of its own."""
    return tmp_path


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Address and folder of a server with PostgreSQL behind it, where that is installed."""
    folder = tmp_path_factory.mktemp("server")
    with best_database(folder) as database, mlflow_server(folder, database) as address:
        yield address, folder
