"""From settings and data to the problem that a solver gets: kernel, numbers that follow from the data, kernel rows."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from svm_cost_curves import solvers
from svm_cost_curves.datasets import Dataset, Stream
from svm_cost_curves.experiments.configuration.schema import GaussianConfig, kernel_name
from svm_cost_curves.experiments.configuration.settings import RunSettings, needs
from svm_cost_curves.solvers import SettingsError
from svm_cost_curves.solvers.features import sigma2_from_data
from svm_cost_curves.solvers.rows import WORKING_BYTES
from svm_cost_curves.support.disk_cache import cached_numbers

Matrix = NDArray[np.float32] | sp.csr_matrix

_BYTES_PER_VALUE = 4
"""Kernel values are stored as float32."""
_KERNELS = {"gaussian": solvers.Gaussian, "polynomial": solvers.Polynomial, "linear": solvers.Linear}


@dataclass(frozen=True)
class Assembled:
    """A problem, and the settings with the numbers that follow from the data (kernel width, lambda, C, nu)."""

    problem: Any
    settings: RunSettings


def assemble(
    run: RunSettings,
    data: Dataset,
    *,
    cache_dir: Path,
    notify: Callable[[str], None] = lambda _: None,
    like: Any = None,
) -> Assembled:
    """Build the problem of a run.

    `cache_dir` is the folder of derived values of nu. `notify` takes a few words about a step that takes long. With the
    kernel and rho of `like`, the problem of another run on these data, the problem is a variant of that.

    Raises SettingsError: numbers that this problem does not allow.
    """
    run = _with_lambda(_with_width(run, data), data.n)
    kernel = _KERNELS[kernel_name(run.kernel)](**dataclasses.asdict(run.kernel))
    rows = solvers.RowPolicy(
        provider=run.rows,  # type: ignore[arg-type]  # checked in experiments.configuration.settings
        memory_bytes=row_memory(run.memory_bytes, run.jobs, data.n),
        threads=run.building_threads,
        progress=_GramProgress(notify),
    )

    def problem_with(nu: float | None) -> Any:
        form = run.problem
        if like is not None and (like.kernel, like.rho) == (kernel, form.rho):
            return like.variant(lambda_=form.lambda_, nu=nu, bias=form.bias, rows=rows)
        return solvers.Problem(
            data.points, data.y, kernel, lambda_=form.lambda_, nu=nu, bias=form.bias, rho=form.rho, rows=rows
        )

    if needs(run.solver, "nu") and run.problem.nu is None:
        notify("nu, from the optimum for lambda (problem.nu= spares it)")
        nu = _derived_nu(lambda: problem_with(None), run.identity(), data.fingerprint, cache_dir)
        run = _with_problem(run, "nu", nu, "derived from lambda")
    return Assembled(problem_with(run.problem.nu), run)


def _with_width(run: RunSettings, data: Dataset) -> RunSettings:
    if not isinstance(run.kernel, GaussianConfig) or run.kernel.sigma2 is not None:
        return run
    if isinstance(data.points, Stream):
        raise SettingsError(
            f"give kernel.sigma2: otherwise it follows from all training rows, and those of {data.name} are made "
            "when they are needed"
        )
    return dataclasses.replace(run, kernel=GaussianConfig(sigma2_from_data(data.X)))


def _with_lambda(run: RunSettings, n: int) -> RunSettings:
    """Fill in lambda or C: the one that the settings leave out."""
    lambda_, C = run.problem.lambda_, run.problem.C
    if lambda_ is not None:
        return _with_problem(run, "C", 1.0 / (lambda_ * n), "1/(lambda n)")
    if C is not None:
        return _with_problem(run, "lambda_", 1.0 / (C * n), "1/(C n)")
    return run


def _with_problem(run: RunSettings, name: str, value: float, origin: str) -> RunSettings:
    """Return settings with another number of the problem, and who chose it."""
    changes: dict[str, Any] = {name: value}
    problem = dataclasses.replace(run.problem, **changes)
    return dataclasses.replace(run, problem=problem, origins={**run.origins, f"problem.{name}": origin})


def row_memory(memory_bytes: int, jobs: int, n: int) -> int:
    """Return the bytes that one job may use for kernel rows.

    The jobs of a sweep share one Gram matrix, which may therefore take all of the memory; each job has its own row
    cache.
    """
    gram_fits = WORKING_BYTES + _BYTES_PER_VALUE * n * n <= memory_bytes
    return memory_bytes if gram_fits else memory_bytes // jobs


class _GramProgress:
    """Reports every few seconds how much of the Gram matrix is done: most are built in less time."""

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
    """Return nu for a given lambda, cached in a file: it takes an optimisation to high accuracy."""
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
