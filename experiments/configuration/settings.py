"""From a composed configuration to the settings of one run: defaults filled in, all checked that needs no data."""

from __future__ import annotations

import dataclasses
import difflib
import enum
import math
import os
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import solvers
from datasets import DatasetSpec
from datasets.memory import machine_memory
from experiments.configuration import presets
from experiments.configuration.budget import Budget, choose_budget
from experiments.configuration.choices import check_choice, folder
from experiments.configuration.data_settings import choose_data
from experiments.configuration.engine import check_engine, choose_checkpoint_seconds, choose_ranks
from experiments.configuration.presets import COMMAND_LINE, ProblemChoice
from experiments.configuration.schema import KERNELS, ROW_PROVIDERS, GaussianConfig, RunConfig, kernel_name
from solvers import SettingsError, plugins
from solvers.errors import LARGEST_INTEGER, check_numbers

MAX_SEED = LARGEST_INTEGER
MAX_THREADS = 4096

_UNITS = {"": 1, "B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12} | {
    f"{prefix}iB": 1024**power for power, prefix in enumerate("KMGT", start=1)
}


@dataclass(frozen=True)
class RunSettings:
    """Everything that one run needs to know before it sees data.

    Attributes
    ----------
    solver : type
        The solver's class.
    solver_settings : object
        Instance of ``solver.Settings``.
    kernel : GaussianConfig, PolynomialConfig or LinearConfig
        A Gaussian kernel may still lack its width, which then comes from the data.
    threads : int
        Threads for the solver and for linear algebra; `building_threads` for building the Gram matrix, which the other
        jobs of a sweep wait for anyway.
    memory_bytes : int
        For kernel rows. `jobs` processes share it, unless they share one Gram matrix.
    origins : dict of str to str
        Setting's name to who chose it.
    engine : str
        One of `ENGINES`.
    ranks : int
        Processes of this run; with engine=mpi known when they have met, unless they are started for it.
    starts_ranks : bool
        They are.
    store_root : Path
    store_uri : str or None
        Where records go, as `experiments.store.Store.open` takes it: a folder, and the address of a server.
    checkpoint_seconds : float or None
        Wall seconds between two files to go on from; infinite: one where SIGTERM ends the run; None: no files.
    """

    solver: Any
    solver_settings: Any
    dataset: DatasetSpec
    kernel: Any
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
    checkpoint_seconds: float | None = None

    @property
    def algo(self) -> str:
        """Name of the solver."""
        return str(self.solver.name)

    def identity(self) -> dict[str, Any]:
        """Return the settings that determine the result, for `run_key`; known without loading data.

        What follows from the data (a width, nu, lambda = 1/(C n)) stands here as None or as the form it was given in.
        """
        problem = self.problem
        identity: dict[str, Any] = {
            "algo": {"name": self.algo, **_plain(self.solver_settings)},
            "kernel": {"name": kernel_name(self.kernel), **dataclasses.asdict(self.kernel)},
            "problem": {name: getattr(problem, name) for name in ("lambda_", "C", "nu", "bias", "rho")},
            "budget": self.budget.identity(),
            "seed": self.seed,
        }
        if self.budget.seconds is not None or self.solver.timed:
            # How far a run gets in a given time, or how long it takes, depends on what it may use.
            identity["clock"] = {"rows": self.rows, "memory": self.memory_bytes, "threads": self.threads}
        if plugins.is_plugin(self.solver):  # its file may change from run to run
            identity["source"] = plugins.source_of(self.solver)
        if self.engine != "local":  # the times are others; the rest is the same
            identity["engine"] = {"name": self.engine, "ranks": self.ranks}
        return identity

    def label(self) -> str:
        """One short line that tells this run from its neighbours in a sweep."""
        return f"{self.algo} {self.dataset.name} seed={self.seed}"


def resolve(
    config: RunConfig,
    *,
    given: Collection[str] = (),
    jobs: int | None = None,
    may_be_unused: Collection[str] = (),
) -> RunSettings:
    """Fill in presets and check every value.

    Parameters
    ----------
    config : RunConfig
        As composed; types have been checked, values have not.
    given : collection of str
        Names of the settings on the command line (``problem.C``, ``kernel``, ``algo.eta``).
    jobs : int or None
        Number of jobs that a sweep runs at the same time; None: a single run.
    may_be_unused : collection of str
        Those of `given` that need not have an effect on the data set.

    Raises
    ------
    SettingsError
        A value that is not allowed; the message says which and what is.
    """
    solver, solver_settings = _solver(config.algo)
    dataset, changed = choose_data(config.dataset, given, may_be_unused)
    bias, bias_origin = presets.choose_bias(config.problem.bias, config.preset, allowed_bias(solver), solver.name)
    kernel, kernel_origins = _kernel(config, solver, bias, given)
    problem = presets.choose_problem(
        config.problem,
        config.preset,
        bias=bias,
        bias_origin=bias_origin,
        needs_lambda=needs(solver, "lambda"),
        needs_nu=needs(solver, "nu"),
        kernel_fits=kernel_name(kernel) == presets.printed(config.preset, bias=bias).kernel,
        data_fits=kernel_origins.get("kernel.sigma2") != COMMAND_LINE and not changed,
        algo=solver.name,
    )
    budget, epochs_origin = choose_budget(config.budget, config.preset)
    budget.check_counted(solver.name, solver.not_counted(kernel_name(kernel)))
    if not 0 <= config.seed <= MAX_SEED:
        raise SettingsError(f"seed must be between 0 and 2^63 - 1, got {_shown(config.seed)}")
    check_engine(config.engine, solver)
    ranks = choose_ranks(config.ranks, config.engine, jobs)
    check_choice("rows.provider", config.rows.provider, ROW_PROVIDERS)
    cores = available_cores()
    threads = _threads(config.threads, 1 if jobs else cores)
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
        progress=_progress(config.progress, jobs is None),
        store_root=folder("store.root", config.store.root),
        origins=origins,
        engine=config.engine,
        ranks=ranks or 1,
        starts_ranks=ranks is not None,
        store_uri=server_address(config.store.uri),
        checkpoint_seconds=choose_checkpoint_seconds(config.checkpoint_seconds, config.engine),
    )
    check_numbers("", dataclasses.replace(config, algo=None))  # what no rule above is about; `_solver` checks `algo`
    return resolved


def server_address(uri: str | None) -> str | None:
    """Return the address of the store's server; None if there is none.

    Raises
    ------
    SettingsError
        A server is wanted, and not named.
    """
    if uri == "":
        raise SettingsError("store=server needs the address of an mlflow server: store.uri=http://HOST:5000")
    return uri


def needs(solver: Any, what: str) -> bool:
    """Whether a solver works with ``lambda`` or with ``nu``."""
    return what in solver.needs


def allowed_bias(solver: Any) -> tuple[bool, ...]:
    """Return the values of ``problem.bias`` that a solver can do."""
    return tuple(sorted(solver.biases))


def available_cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0))


def parse_memory(value: int | str) -> int:
    """Bytes of ``12GiB``, ``800 MB``, ``1e9`` or ``auto`` (75 % of what this machine, or this container, has).

    Raises
    ------
    SettingsError
        Not of one of these forms, or not positive.
    """
    text = str(value).strip()
    if text.lower() == "auto":
        return int(0.75 * machine_memory())
    match = re.fullmatch(r"(\d+(?:\.\d*)?(?:[eE][+]?\d+)?)\s*([A-Za-z]*)", text, re.ASCII)
    units = {unit.lower(): factor for unit, factor in _UNITS.items()}
    size = float(match[1]) * units.get(match[2].lower(), math.nan) if match else math.nan
    if not 0 < size <= LARGEST_INTEGER:
        raise SettingsError(
            f"memory must be auto, or a positive number and one of the units {', '.join(filter(None, _UNITS))}"
            f" (as in 12GiB), less than 2^63 bytes; got {_shown(value)}"
        )
    return int(size)


def setting_name(override: str) -> str:
    """Name of the setting that a word ``name=value`` on the command line is about."""
    return override.lstrip("+~").partition("=")[0]


def nearest(name: str, known: Collection[str]) -> str:
    """'; did you mean a, b?' with the known names nearest to a misspelt one, or an empty text."""
    close = difflib.get_close_matches(name.lower(), list(known), n=3, cutoff=0.5)
    return f"; did you mean {' or '.join(close)}?" if close else ""


def _plain(settings: Any) -> dict[str, Any]:
    """Fields of a settings class; an enumeration's member as it is written on the command line."""
    return {
        name: value.name if isinstance(value, enum.Enum) else value
        for name, value in dataclasses.asdict(settings).items()
    }


def _solver(node: Any) -> tuple[Any, Any]:
    name = getattr(node, "name", None)
    if name not in solvers.names():
        raise SettingsError(
            f"unknown algorithm {name!r}; known: {', '.join(solvers.names())}{nearest(str(name), solvers.names())}"
        )
    solver = solvers.get(name)
    fields = [field.name for field in dataclasses.fields(solver.Settings)]
    if {field.name for field in dataclasses.fields(node)} != {*fields, "name"}:
        raise SettingsError(f"algo.name cannot be set by itself: write algo={name}")
    settings = solver.Settings(**{field: getattr(node, field) for field in fields})
    check_numbers("algo", settings)
    return solver, settings


def _kernel(config: RunConfig, solver: Any, bias: bool, given: Collection[str]) -> tuple[Any, dict[str, str]]:
    """Return the kernel, and who chose it where that was not the command line, and its width."""
    kernel, origins = config.kernel, {}
    if type(kernel) not in KERNELS.values():
        raise SettingsError(f"kernel must be one of {', '.join(KERNELS)}")
    if not any(setting == "kernel" or setting.startswith("kernel.") for setting in given):
        name, origin = presets.choose_kernel(kernel_name(kernel), config.preset, solver.kernels, solver.name, bias=bias)
        if name != kernel_name(kernel):
            kernel, origins = KERNELS[name](), {"kernel.name": origin}
    solver.check_kernel(kernel_name(kernel))
    if isinstance(kernel, GaussianConfig):
        sigma2, origins["kernel.sigma2"] = presets.choose_sigma2(kernel, config.preset, bias=bias)
        kernel = GaussianConfig(sigma2)
    return kernel, origins


def _threads(value: int | str, automatic: int) -> int:
    if value == "auto":
        return automatic
    if not isinstance(value, int) or not 1 <= value <= MAX_THREADS:
        raise SettingsError(f"threads must be auto or a whole number from 1 to {MAX_THREADS}, got {_shown(value)}")
    return value


def _shown(value: int | str) -> str:
    """Return a value for a message; of one that is very long the beginning."""
    text = repr(value) if isinstance(value, str) or value.bit_length() < 512 else hex(value)
    return text if len(text) < 100 else f"{text[:80]}..."


def _progress(value: bool | str, automatic: bool) -> bool:
    if isinstance(value, str):
        check_choice("progress", value, ("auto",), also="true, false")
        return automatic
    return value
