"""Loads the data of a run, and makes its problem and its evaluator; the next run of this process shares them.

The problem has the kernel, the numbers that follow from the data, and the policy of kernel rows.
"""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from ... import datasets, solvers
from ...datasets import Dataset, Stream
from ...solvers import SettingsError
from ...solvers.errors import FeatureRangeError
from ...solvers.evaluation import Evaluator
from ...solvers.features import sigma2_from_data
from ...solvers.registry import is_plugin
from ...solvers.rows import WORKING_BYTES
from ...support.disk_cache import cached_numbers
from ..configuration.schema import GaussianConfig, kernel_name
from ..configuration.settings import RunSettings

Matrix = NDArray[np.float32] | sp.csr_matrix

_BYTES_PER_VALUE = 4
"""Kernel values are stored as float32."""
PROGRESS_PAUSE = 5.0
"""Seconds between two notes on a Gram matrix: most are built in less time."""
_KERNELS = {"gaussian": solvers.Gaussian, "polynomial": solvers.Polynomial, "linear": solvers.Linear}


class Assembled(NamedTuple):
    """A problem, and the settings with the numbers that follow from the data (kernel width, lambda, C, nu)."""

    problem: Any
    settings: RunSettings


class Loaded(NamedTuple):
    """What a run works on, and its settings with the numbers that follow from the data."""

    data: Dataset
    problem: Any
    evaluator: Evaluator
    settings: RunSettings


_last: tuple[tuple[str, str], Loaded] | None = None
"""Of the last run of this process, with the fingerprint and the specification of its data."""


def load(settings: RunSettings, fingerprint: str, note: Callable[[str], None], warn: Callable[[str], None]) -> Loaded:
    """Load the data of a run, which have this fingerprint, and make its problem and its evaluator.

    `note` takes a few words about a step that takes long, `warn` what is to be told of data that were read just now.

    Raises DataError, SettingsError: the data are not available, or the problem cannot be made of them.
    """
    global _last
    key = fingerprint, repr(settings.dataset)
    last = _last[1] if _last is not None and _last[0] == key else None
    _last = None  # other data leave the memory before these are read
    cache_dir = datasets.default_cache_dir()
    note(f"loading {settings.dataset.name}")
    data = datasets.load(settings.dataset, cache_dir=cache_dir, note=note) if last is None else last.data
    for warning in data.provenance["warnings"] if last is None else ():
        warn(warning)
    note("setting up the problem")
    like = None if last is None else last.problem
    with _advice(data), threadpool_limits(limits=settings.building_threads):
        problem, settings = assemble(settings, data, cache_dir=cache_dir, notify=note, like=like)
    with _advice(data), threadpool_limits(limits=settings.threads):  # refuses test points before anything is recorded
        if last is not None and problem.order is last.problem.order:  # a variant, which has the same arrays
            evaluator = last.evaluator.of_variant(problem)
        else:
            evaluator = Evaluator(problem, data)
    loaded = Loaded(data, problem, evaluator, settings)
    if not is_plugin(settings.solver):  # a user's solver may change the arrays that it gets
        _last = key, loaded
    return loaded


@contextlib.contextmanager
def _advice(data: Dataset) -> Iterator[None]:
    """Say by which settings the features are scaled, where they have to be."""
    try:
        yield
    except FeatureRangeError as error:
        dense = isinstance(data.points, np.ndarray)
        settings = ["dataset.scaling=standard"] * dense + ["dataset.row_norm=longest", "dataset.divide_by=NUMBER"]
        raise SettingsError(f"{error}: {', '.join(settings[:-1])} or {settings[-1]}") from error


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
    if isinstance(run.kernel, GaussianConfig) and run.kernel.sigma2 is None:
        if isinstance(data.points, Stream):
            raise SettingsError(
                f"give kernel.sigma2: otherwise it follows from all training rows, and those of {data.name} are made "
                "when they are needed"
            )
        run = dataclasses.replace(run, kernel=GaussianConfig(sigma2_from_data(data.X)))
    if run.problem.lambda_ is not None:
        run = _with_number(run, "C", 1.0 / (run.problem.lambda_ * data.n), "1/(lambda n)")
    elif run.problem.C is not None:
        run = _with_number(run, "lambda_", 1.0 / (run.problem.C * data.n), "1/(C n)")
    form, last_note = run.problem, time.monotonic()
    kernel = _KERNELS[kernel_name(run.kernel)](**dataclasses.asdict(run.kernel))

    def note_progress(fraction: float) -> None:
        nonlocal last_note
        if (now := time.monotonic()) - last_note >= PROGRESS_PAUSE:
            last_note = now
            notify(f"Gram matrix: {fraction:.0%}")

    rows = solvers.RowPolicy(
        provider=run.rows,  # type: ignore[arg-type]  # checked in experiments.configuration.settings
        memory_bytes=row_memory(run.memory_bytes, run.jobs, data.n),
        threads=run.building_threads,
        progress=note_progress,
    )

    def problem_with(nu: float | None) -> Any:
        if like is not None and (like.kernel, like.rho) == (kernel, form.rho):
            return like.variant(lambda_=form.lambda_, nu=nu, bias=form.bias, rows=rows)
        return solvers.Problem(
            data.points, data.y, kernel, lambda_=form.lambda_, nu=nu, bias=form.bias, rho=form.rho, rows=rows
        )

    if "nu" in run.solver.needs and form.nu is None:
        notify("nu, from the optimum for lambda (problem.nu= spares it)")
        nu = _derived_nu(lambda: problem_with(None), run.identity(), data.fingerprint, cache_dir)
        run = _with_number(run, "nu", nu, "derived from lambda")
    return Assembled(problem_with(run.problem.nu), run)


def _with_number(run: RunSettings, name: str, value: float, origin: str) -> RunSettings:
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
