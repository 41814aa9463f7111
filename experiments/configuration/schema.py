"""The schema of the command line: one dataclass for each group of settings. What they mean: ``conf/config.yaml``.

A default that depends on the data set or the algorithm is None here. `experiments.configuration.presets` fills it in
and records where each value came from: the command line, a paper, or a rule of this project. Settings are composed
with these classes, so ``algo.eta=abc`` or a misspelt name is an error.

The schema of ``algo=<name>`` is the attribute ``<name>`` of this module, made from the solver's ``Settings``: a worker
process unpickles it by that name.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from ... import solvers
from ...datasets import DatasetConfig

ROW_PROVIDERS = ("auto", "gram", "cache", "on_the_fly")
RENAMED = {"budget.checkpoints": "budget.evaluations"}
"""Old name of a setting to its present one. Records have the old name, because run keys depend on it."""
_RESOURCES = ("threads", "memory", "checkpoint_seconds")
_OUTPUT = ("progress", "picture", "store", "model", "highlight", "style", "width", "format", "dry_run", "hydra")
NOT_INFLUENTIAL = (*_RESOURCES, *_OUTPUT)
"""Settings and groups that are no part of a run's identity (`RunSettings.identity`): results do not depend on them.

With a limit on seconds a run depends on the first two, and its identity has them."""


@dataclass
class ProblemConfig:
    """lambda_/2 ||w||^2 + mean hinge loss. One of `lambda_`, `C` = 1/(lambda n) and `nu` (average slack) is given.

    `bias`: the predictor has an unregularised bias. `rho`: a constant feature, whose weight is regularised; 0: none.
    """

    lambda_: float | None = None
    C: float | None = None
    nu: float | None = None
    bias: bool | None = None
    rho: float = 0.0


@dataclass
class GaussianConfig:
    """exp(-||x - x'||^2 / (2 sigma2)); sigma2 None: the preset's value, or one from the data's variance."""

    sigma2: float | None = None


@dataclass
class PolynomialConfig:
    """(gamma <x, x'> + coef0)^degree."""

    degree: int = 3
    gamma: float = 1.0
    coef0: float = 1.0


@dataclass
class LinearConfig:
    """<x, x'>."""


KERNELS = {"gaussian": GaussianConfig, "polynomial": PolynomialConfig, "linear": LinearConfig}


@dataclass
class BudgetConfig:
    """When a run stops, and where it is evaluated: ``conf/budget/default.yaml``. Counts are floats, for ``1e9``."""

    epochs: float | None = None
    iterations: float | None = None
    kernel_evaluations: float | None = None
    inner_products: float | None = None
    feature_accesses: float | None = None
    seconds: float | None = None
    evaluations: int = 60
    every: float | None = None
    tail: float | None = None


@dataclass
class RowsConfig:
    """Source of kernel rows: one of `ROW_PROVIDERS`; auto takes the Gram matrix if it fits, else a row cache."""

    provider: str = "auto"


@dataclass
class StoreConfig:
    """Folder of the records; `uri`: address of an mlflow server, whose runs have a folder below `root`.

    `wait`: the command ends when mlflow has its runs; auto: with a server.
    """

    root: str = "results"
    uri: str | None = None
    wait: bool | str = "auto"


@dataclass
class ProblemPreset:
    """One row of a paper's table of parameters; None: not printed there."""

    sigma2: float | None = None
    C: float | None = None
    nu: float | None = None


@dataclass
class Preset:
    """Settings that one `source` gives for an algorithm, a data set, or an algorithm on a data set; None: not given.

    `unbiased` and `biased` are the numbers for the problem without and with bias, both for `kernel`. `epochs` are those
    of a run whose command line names no budget.
    """

    source: str | None = None
    kernel: str = "gaussian"
    unbiased: ProblemPreset = field(default_factory=ProblemPreset)
    biased: ProblemPreset = field(default_factory=ProblemPreset)
    bias: bool | None = None
    epochs: float | None = None


@dataclass
class PresetConfig:
    """The presets for the chosen data set, for the algorithm, and for the algorithm on this data set (`pair`)."""

    data: Preset = field(default_factory=Preset)
    algo: Preset = field(default_factory=Preset)
    pair: Preset = field(default_factory=Preset)


@dataclass
class RunConfig:
    """One run: everything that can be set on the command line, as ``conf/config.yaml`` describes it."""

    algo: Any = None
    dataset: DatasetConfig = field(default_factory=DatasetConfig)
    kernel: Any = None
    problem: ProblemConfig = field(default_factory=ProblemConfig)
    budget: BudgetConfig = field(default_factory=BudgetConfig)
    store: StoreConfig = field(default_factory=StoreConfig)
    seed: int = 0
    threads: int | str = "auto"
    memory: int | str = "auto"
    rows: RowsConfig = field(default_factory=RowsConfig)
    progress: bool | str = "auto"
    engine: str = "local"
    ranks: int | str = "auto"
    checkpoint_seconds: int | float | str | None = "auto"
    picture: bool | str = "auto"
    model: str | None = None
    highlight: str | None = None
    style: str | None = None
    width: str | None = None
    format: str | None = None
    protocol: str | None = None
    dry_run: bool = False


def __getattr__(name: str) -> type:
    """Return the schema of ``algo=<name>``: a pickle names it as a member of this module."""
    # each import of this module asks for `__path__`: that must not import all solvers
    if name.startswith("_") or name not in solvers.names():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return schema_of(name)


def schema_of(name: str) -> type:
    """Return the schema of ``algo=<name>``; SettingsError if there is no such solver."""
    solver: Any = solvers.get(name)
    return algo_schema(name, solver.Settings)


@cache
def algo_schema(name: str, settings: type) -> type:
    """Return the schema of ``algo=<name>``: a dataclass derived from the solver's ``Settings``, with the field `name`.

    All fields of `settings` have defaults.
    """
    frozen: bool = settings.__dataclass_params__.frozen  # type: ignore[attr-defined]
    schema = dataclasses.make_dataclass(name, [("name", str, field(default=name))], bases=(settings,), frozen=frozen)
    schema.__module__ = __name__
    return schema


def kernel_name(config: object) -> str:
    """Return the name in `KERNELS` of a kernel's schema."""
    return next(name for name, schema in KERNELS.items() if type(config) is schema)
