"""From settings and data to the problem that a solver gets: kernel, numbers that follow from the data, kernel rows."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

import solvers
from datasets import Dataset, Stream
from experiments.configuration.schema import GaussianConfig
from experiments.configuration.settings import RunSettings, needs
from solvers import SettingsError
from solvers.disk_cache import cached_numbers
from solvers.rows import WORKING_BYTES

Matrix = NDArray[np.float32] | sp.csr_matrix

_BYTES_PER_VALUE = 4
"""Kernel values are stored as float32."""


@dataclass(frozen=True)
class Assembled:
    """A problem and the settings as they finally are.

    Attributes
    ----------
    problem : solvers.Problem
    settings : dict
        `RunSettings.identity` with the numbers that follow from the data filled in.
    origins : dict of str to str
        `RunSettings.origins`, with those numbers.
    """

    problem: Any
    settings: dict[str, Any]
    origins: dict[str, str]


def assemble(
    run: RunSettings, data: Dataset, *, cache_dir: Path, notify: Callable[[str], None] = lambda _: None
) -> Assembled:
    """Build the problem of a run.

    Parameters
    ----------
    run : RunSettings
    data : Dataset
    cache_dir : Path
        Folder for the Gram matrix and for derived values of nu.
    notify : callable
        Told in a few words what takes long.

    Raises
    ------
    SettingsError
        Numbers that this problem does not allow.
    """
    settings = run.identity()
    origins = dict(run.origins)
    n = data.n
    if isinstance(run.kernel, GaussianConfig) and run.kernel.sigma2 is None:
        if isinstance(data.points, Stream):
            raise SettingsError(
                f"give kernel.sigma2: otherwise it follows from all training rows, and those of {data.name} are made "
                "when they are needed"
            )
        settings["kernel"]["sigma2"] = sigma2_from_data(data.X)
    kernel = make_kernel(settings["kernel"])

    numbers = settings["problem"]
    if numbers["lambda_"] is None and numbers["C"] is not None:
        numbers["lambda_"] = 1.0 / (numbers["C"] * n)
        origins["problem.lambda_"] = "1/(C n)"
    elif numbers["lambda_"] is not None:
        numbers["C"] = 1.0 / (numbers["lambda_"] * n)
        origins["problem.C"] = "1/(lambda n)"

    rows = solvers.RowPolicy(
        provider=run.rows,  # type: ignore[arg-type]  # checked in experiments.configuration.settings
        memory_bytes=row_memory(run.memory_bytes, run.jobs, n),
        threads=run.building_threads,
        progress=_Seldom(notify),
    )

    def problem_with(nu: float | None) -> Any:
        return solvers.Problem(
            data.points,
            data.y,
            kernel,
            lambda_=numbers["lambda_"],
            nu=nu,
            bias=numbers["bias"],
            rho=numbers["rho"],
            rows=rows,
        )

    if needs(run.solver, "nu") and numbers["nu"] is None:
        notify("nu, from the optimum for lambda")
        numbers["nu"] = _derived_nu(lambda: problem_with(None), settings, data.fingerprint, cache_dir)
        origins["problem.nu"] = "derived from lambda"
    return Assembled(problem_with(numbers["nu"]), settings, origins)


def make_kernel(settings: dict[str, Any]) -> Any:
    """Kernel of ``solvers`` for settings with a ``name``."""
    makers = {"gaussian": solvers.Gaussian, "polynomial": solvers.Polynomial, "linear": solvers.Linear}
    return makers[settings["name"]](**{name: value for name, value in settings.items() if name != "name"})


def sigma2_from_data(X: Matrix) -> float:
    """Width of a Gaussian kernel for data that nobody has chosen one for: d Var(X) / 2.

    Var(X) is the variance of all n d numbers of X; the same rule is known as ``gamma="scale"`` elsewhere, since
    gamma = 1/(2 sigma2) = 1/(d Var(X)).

    Parameters
    ----------
    X : (n, d) float32 array or CSR matrix

    Raises
    ------
    SettingsError
        All numbers are equal.
    """
    values: NDArray[np.float32] = X if isinstance(X, np.ndarray) else X.data
    size = X.shape[0] * X.shape[1]
    mean = float(np.sum(values, dtype=np.float64)) / size
    square = float(np.sum(np.square(values, dtype=np.float64))) / size
    variance = square - mean**2
    if not variance > 1e-12 * square:
        raise SettingsError("all features are equal, so that no kernel width follows from them: give kernel.sigma2")
    return float(X.shape[1] * variance / 2)


def row_memory(memory_bytes: int, jobs: int, n: int) -> int:
    """Bytes that one job may use for kernel rows.

    The jobs of a sweep share one Gram matrix, which may therefore take everything; row caches are each job's own.
    """
    gram_fits = WORKING_BYTES + _BYTES_PER_VALUE * n * n <= memory_bytes
    return memory_bytes if gram_fits else memory_bytes // jobs


class _Seldom:
    """Tells how much of the Gram matrix is done, every few seconds: most are built in less."""

    PAUSE = 5.0

    def __init__(self, notify: Callable[[str], None]) -> None:
        self._notify = notify
        self._last = time.monotonic()

    def __call__(self, fraction: float) -> None:
        now = time.monotonic()
        if now - self._last >= self.PAUSE:
            self._last = now
            self._notify(f"Gram matrix: {fraction:.0%}")


def _derived_nu(make_problem: Callable[[], Any], settings: dict[str, Any], fingerprint: str, cache_dir: Path) -> float:
    """Nu from lambda, kept in the cache folder: it takes an optimisation to high accuracy."""
    problem, build = settings["problem"], solvers.build_info()
    identity = {
        "data": fingerprint,
        "kernel": settings["kernel"],
        "lambda": problem["lambda_"],
        "bias": problem["bias"],
        "build": build["build_id"],
        "isa": build["isa"],
    }
    return cached_numbers(cache_dir / "nu", identity, lambda: {"nu": float(solvers.derive_nu(make_problem()))})["nu"]
