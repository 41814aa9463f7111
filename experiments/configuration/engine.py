"""Checks of the settings ``engine``, ``ranks`` and ``checkpoint_seconds``."""

from __future__ import annotations

import importlib.util
import math
import shutil
import sys
from pathlib import Path
from typing import Any

from svm_cost_curves import solvers
from svm_cost_curves.experiments.configuration.choices import check_choice, install_command
from svm_cost_curves.experiments.configuration.schema import ENGINES
from svm_cost_curves.experiments.processes.mpirun import place
from svm_cost_curves.solvers import SettingsError

NO_SWEEPS = "processes that mpirun has started make one run: leave out -m, or say ranks=2 to have them started for each"
MPI = "engine=mpi"
MAX_RANKS = 4096
"""Processes that one command starts at most, all on this machine."""
CHECKPOINT_SECONDS = 600.0
"""Between two checkpoints with engine=mpi: a machine of a large job fails now and then."""


class EngineMissingError(SettingsError):
    """The engine is not installed."""


def check_engine(name: str, solver: Any) -> None:
    """Check that an engine can run a solver's class."""
    check_choice("engine", name, ENGINES)
    if name == "local":
        if (started := place().ranks) > 1:
            raise SettingsError(
                f"mpirun has started {started} processes, each of which would do all of it: add engine=mpi"
            )
        return
    if not solver.shardable:
        those = " and ".join(f"algo={name}" for name in solvers.names() if solvers.get(name).shardable)
        raise SettingsError(f"algo={solver.name} has no shards: engine=mpi works with {those}")
    if importlib.util.find_spec("mpi4py") is None:
        raise EngineMissingError(f"{MPI} needs mpi4py, which is not installed: {install_command('mpi')}")


def choose_ranks(value: int | str, engine: str, jobs: int | None) -> int | None:
    """Return the number of processes to start for a run; None: start none. `jobs` is None without a sweep."""
    if isinstance(value, str):
        check_choice("ranks", value, ("auto",), also="a number of processes")
        if engine == "mpi" and jobs is not None:
            raise SettingsError(NO_SWEEPS)
        return None
    if not 1 <= value <= MAX_RANKS:
        raise SettingsError(f"ranks must be auto or a whole number from 1 to {MAX_RANKS}, got {value:g}")
    if engine != "mpi":
        raise SettingsError(f"ranks={value} is for engine=mpi")
    if (started := place().ranks) > 1:
        raise SettingsError(f"mpirun has started {started} processes: leave out ranks={value}")
    mpirun()
    return value


def mpirun() -> str:
    """Return the path of ``mpirun``: beside this Python, else the first in PATH, else EngineMissingError."""
    beside = Path(sys.executable).with_name("mpirun")
    path = str(beside) if beside.exists() else shutil.which("mpirun")
    if path is None:
        raise EngineMissingError(f"there is no mpirun to start ranks with: {install_command('mpi')} brings one")
    return path


def choose_checkpoint_seconds(value: float | str | None, engine: str) -> float | None:
    """Return the wall seconds between two checkpoints; infinite: one only at SIGTERM; None: no checkpoints."""
    if isinstance(value, str):
        check_choice("checkpoint_seconds", value, ("auto",), also="null, a number > 0")
        return CHECKPOINT_SECONDS if engine == "mpi" else math.inf
    if value is None:
        return None
    if not (math.isfinite(value) and value > 0):
        raise SettingsError(f"checkpoint_seconds must be auto, null or a number > 0, got {value:g}")
    return float(value)
