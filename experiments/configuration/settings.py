"""From a composed configuration to the settings of one run: defaults filled in, every value checked without data."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ... import solvers
from ...datasets import DataError, DatasetSpec, spec_of
from ...datasets.spec import TEXTS
from ...solvers import SettingsError
from ...solvers.errors import LARGEST_INTEGER, check_numbers
from ...solvers.registry import is_plugin, source_of
from ...solvers.rows import MAX_THREADS
from ...support.text import command_line, known_names
from .. import provenance
from . import presets
from .budget import Budget, choose_budget
from .choices import (
    check_choice,
    check_engine,
    check_model,
    choose_checkpoint_seconds,
    choose_ranks,
    folder,
    parse_memory,
    shown,
    switch,
)
from .early_checks import check_on_few_points
from .presets import COMMAND_LINE, ProblemChoice
from .schema import ROW_PROVIDERS, RunConfig, StoreConfig, kernel_name

MAX_SEED = LARGEST_INTEGER
available_cores = provenance.cores


@dataclass(frozen=True)
class RunSettings:
    """The settings of one run, before its data are loaded: a Gaussian kernel may still lack its width.

    Attributes
    ----------
    threads : int
        Threads of the solver and of linear algebra.
    building_threads : int
        Threads that build the Gram matrix; with ``threads=auto`` all cores, since other jobs wait for the matrix.
    memory_bytes : int
        For kernel rows. `jobs` processes divide it, unless they share one Gram matrix.
    origins : dict of str to str
        Who chose each setting: the command line, the source of a preset, or a default.
    ranks, starts_ranks : int, bool
        Processes that compute this run (1 under ``mpirun``, which has their number); whether this starts the others.
    store_root, store_uri : Path, str or None
        Where records go: a folder, and the address of a server.
    checkpoint_seconds : float or None
        Wall seconds between two checkpoints; infinite: one only when SIGTERM ends the run; None: no checkpoints.
    timed : bool
        Whether its times are the result: it is repeated if it is short, and a stored run counts only if its times can
        be compared (`experiments.provenance.is_timed`).
    """

    solver: Any  # the class, such as `solvers.sbp.Sbp`
    solver_settings: Any  # its Settings
    dataset: DatasetSpec
    kernel: Any  # `schema.GaussianConfig`, `PolynomialConfig` or `LinearConfig`
    problem: ProblemChoice
    budget: Budget
    seed: int
    threads: int
    building_threads: int
    jobs: int
    memory_bytes: int
    rows: str
    progress: bool
    store_root: Path
    origins: Mapping[str, str]
    engine: str = "local"
    ranks: int = 1
    starts_ranks: bool = False
    store_uri: str | None = None
    store_wait: bool = False
    checkpoint_seconds: float | None = None
    picture: bool = True
    model: Path | None = None
    timed: bool = False

    @property
    def algo(self) -> str:
        """Name of the solver."""
        return str(self.solver.name)

    def identity(self) -> dict[str, Any]:
        """Return the settings that determine the result, for `run_key`; known without loading data.

        Numbers that follow from the data (a kernel width, nu, lambda = 1/(C n)) are None before the data are loaded.
        """
        problem = self.problem
        identity: dict[str, Any] = {
            "algo": {"name": self.algo, **_plain(self.solver_settings)},
            "kernel": {"name": kernel_name(self.kernel), **dataclasses.asdict(self.kernel)},
            "problem": {name: getattr(problem, name) for name in ("lambda_", "C", "nu", "bias", "rho")},
            "budget": self.budget.identity(),
            "seed": self.seed,
        }
        if self.budget.limit.cpu_seconds is not None or self.solver.timed:
            # what a run reaches in a given time depends on its resources
            identity["clock"] = {"rows": self.rows, "memory": self.memory_bytes, "threads": self.threads}
        elif self.rows != "auto":  # run times differ: a Gram matrix is computed before the run, rows within it
            identity["clock"] = {"rows": self.rows}
        if is_plugin(self.solver):  # its file may change from run to run
            identity["source"] = source_of(self.solver)
        if self.engine != "local":  # the times differ; the rest is the same
            identity["engine"] = {"name": self.engine, "ranks": self.ranks}
        return identity

    def label(self) -> str:
        """Return a short name of the run, for messages."""
        return f"{self.algo} {self.dataset.name} seed={self.seed}"


def resolve(
    config: RunConfig,
    *,
    dataset_option: str = "",
    given: Collection[str] = (),
    jobs: int | None = None,
    may_be_unused: Collection[str] = (),
) -> RunSettings:
    """Return the settings of a run: a composed configuration with presets filled in and every value checked.

    Parameters
    ----------
    dataset_option : str
        What follows ``dataset=``: presets are looked up by it.
    given : collection of str
        Names of the settings on the command line (``problem.C``, ``kernel``, ``algo.eta``).
    jobs : int or None
        Number of jobs that a sweep runs at the same time; None: a single run.
    may_be_unused : collection of str
        Names in `given` that are allowed to have no effect on this data set; any other such name is an error.

    Raises
    ------
    SettingsError
        A value that is not allowed; the message names the setting and the allowed values.
    """
    solver, solver_settings = _choose_solver(config.algo)
    fields, unused = (
        {name.split(".")[1] for name in names if name.startswith("dataset.")} for names in (given, may_be_unused)
    )
    preset, sizes = presets.look_up(solver.name, dataset_option, config.protocol)
    sizes = {name: value for name, value in sizes.items() if name not in fields}
    try:
        dataset = spec_of(dataclasses.replace(config.dataset, **sizes), fields, unused)
    except DataError as error:
        raise SettingsError(str(error)) from error
    bias, bias_origin = presets.choose_bias(config.problem.bias, preset, tuple(sorted(solver.biases)), solver.name)
    kernel, kernel_origins = presets.kernel_of(config.kernel, preset, solver, bias, given)
    problem = presets.choose_problem(
        config.problem,
        preset,
        bias=bias,
        bias_origin=bias_origin,
        needs=solver.needs,
        kernel_fits=kernel_name(kernel) == presets.printed(preset, bias=bias).kernel,
        data_fits=kernel_origins.get("kernel.sigma2") != COMMAND_LINE and not fields - TEXTS,
        algo=solver.name,
    )
    check_on_few_points(solver, solver_settings, kernel, bias=bias, rho=problem.rho)
    budget, epochs_origin = choose_budget(config.budget, preset)
    budget.check_counted(solver.name, solver.not_counted(kernel_name(kernel)))
    if not 0 <= config.seed <= MAX_SEED:
        raise SettingsError(f"seed must be between 0 and 2^63 - 1, got {shown(config.seed)}")
    check_engine(config.engine, solver)
    ranks = choose_ranks(config.ranks, config.engine, jobs)
    check_choice("rows.provider", config.rows.provider, ROW_PROVIDERS)
    cores = available_cores()
    threads = config.threads
    if threads == "auto":
        threads = 1 if jobs else cores
    elif not isinstance(threads, int) or not 1 <= threads <= MAX_THREADS:
        raise SettingsError(f"threads must be auto or a whole number from 1 to {MAX_THREADS}, got {shown(threads)}")
    origins = dict.fromkeys(given, COMMAND_LINE) | kernel_origins
    origins |= {f"problem.{k}": v for k, v in problem.origins.items()}
    if epochs_origin:
        origins["budget.epochs"] = epochs_origin
    resolved = RunSettings(
        solver=solver,
        solver_settings=solver_settings,
        dataset=dataset,
        kernel=kernel,
        problem=problem,
        budget=budget,
        seed=config.seed,
        threads=threads,
        building_threads=cores if config.threads == "auto" else threads,
        jobs=jobs or 1,
        memory_bytes=parse_memory(config.memory),
        rows=config.rows.provider,
        progress=switch("progress", config.progress, jobs is None),
        store_root=folder("store.root", config.store.root),
        origins=origins,
        engine=config.engine,
        ranks=ranks or 1,
        starts_ranks=ranks is not None,
        store_uri=server_address(config.store.uri),
        store_wait=store_wait(config.store),
        checkpoint_seconds=choose_checkpoint_seconds(config.checkpoint_seconds, config.engine),
        picture=switch("picture", config.picture, jobs is None),
        model=check_model(config.model),
    )
    check_numbers("", dataclasses.replace(config, algo=None))  # all other numbers; `_choose_solver` checks `algo`
    return resolved


def store_wait(store: StoreConfig) -> bool:
    """Return whether a command waits until mlflow has its runs; by default only with a server, which others read."""
    return switch("store.wait", store.wait, store.uri is not None)


def server_address(uri: str | None) -> str | None:
    """Return the address of the store's server; None if there is none."""
    if uri == "":
        raise SettingsError("store=server needs the address of an mlflow server: store.uri=http://HOST:5000")
    return uri


def _choose_solver(node: Any) -> tuple[Any, Any]:
    """Return the class of a solver and its settings, from the composed group ``algo``."""
    name, names = getattr(node, "name", None), solvers.names()
    if name not in names:
        raise SettingsError(f"unknown algorithm {name!r}{known_names(str(name), names, command_line('run', '--help'))}")
    solver = solvers.get(name)
    fields = [field.name for field in dataclasses.fields(solver.Settings)]
    if {field.name for field in dataclasses.fields(node)} != {*fields, "name"}:
        raise SettingsError(f"algo.name cannot be set by itself: write algo={name}")
    settings = solver.Settings(**{field: getattr(node, field) for field in fields})
    check_numbers("algo", settings)
    return solver, settings


def _plain(settings: Any) -> dict[str, Any]:
    """Return the fields of a settings class; a member of an enumeration as it is written on the command line."""
    fields = dataclasses.asdict(settings)
    return {name: value.name if isinstance(value, enum.Enum) else value for name, value in fields.items()}
