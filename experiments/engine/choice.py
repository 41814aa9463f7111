"""Which engine makes a run, and how often it leaves a file to go on from: what the settings allow."""

from __future__ import annotations

import importlib.util
import math
from typing import Any

import solvers
from experiments.choices import check_choice
from experiments.config import ENGINES
from experiments.engine.launch import place
from solvers import SettingsError

NO_SWEEPS = "engine=mpi makes one run at a time: leave out -m, or leave out engine=mpi"
CHECKPOINT_SECONDS = 600.0
"""Between two files to go on from with engine=mpi: a job of many machines loses one now and then."""


def choose_engine(name: str, solver: Any, jobs: int | None) -> str:
    """Return the name if this engine can make the run.

    Parameters
    ----------
    name : str
    solver : type
        The solver's class.
    jobs : int or None
        Number of jobs that a sweep runs at the same time; None: a single run.

    Raises
    ------
    SettingsError
        It cannot, or this process has been started for another one.
    """
    check_choice("engine", name, ENGINES)
    if name == "local":
        if (started := place().ranks) > 1:
            raise SettingsError(
                f"mpirun has started {started} processes, each of which would do all of it: add engine=mpi"
            )
        return name
    if jobs is not None:
        raise SettingsError(NO_SWEEPS)
    if not solver.shares:
        raise SettingsError(f"algo={solver.name} has no shards: engine=mpi works with {_those_that('shares')}")
    if importlib.util.find_spec("mpi4py") is None:
        raise SettingsError("engine=mpi needs mpi4py, which is not installed: pip install '.[mpi]'")
    return name


def choose_checkpoint_seconds(value: float | str | None, engine: str, solver: Any) -> float | None:
    """Return the wall seconds between two files to go on from; None: no files.

    Raises
    ------
    SettingsError
        Not a number > 0, or the solver cannot go on from a file.
    """
    if isinstance(value, str):
        check_choice("checkpoint_seconds", value, ("auto",), also="null, a number > 0")
        return CHECKPOINT_SECONDS if engine == "mpi" else None
    if value is None:
        return None
    if not (math.isfinite(value) and value > 0):
        raise SettingsError(f"checkpoint_seconds must be auto, null or a number > 0, got {value:g}")
    if not solver.resumes:
        raise SettingsError(
            f"algo={solver.name} cannot go on from a file: checkpoint_seconds is for {_those_that('resumes')}"
        )
    return float(value)


def _those_that(can: str) -> str:
    return " and ".join(f"algo={name}" for name in solvers.names() if getattr(solvers.get(name), can))
