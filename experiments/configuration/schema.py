"""The schema of the command line: one dataclass for each group of settings.

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

from svm_cost_curves import solvers
from svm_cost_curves.datasets import DatasetConfig

ROW_PROVIDERS = ("auto", "gram", "cache", "on_the_fly")
ENGINES = ("local", "mpi")
RENAMED = {"budget.checkpoints": "budget.evaluations"}
"""Old name of a setting to its present one. Records have the old name, because run keys depend on it."""
_RESOURCES = ("threads", "memory", "rows", "checkpoint_seconds")
_OUTPUT = ("progress", "picture", "store", "model", "highlight", "style", "width", "format", "dry_run", "hydra")
NOT_INFLUENTIAL = (*_RESOURCES, *_OUTPUT)
"""Settings and groups that are no part of a run's identity (`RunSettings.identity`): results do not depend on them.

With a limit on seconds a run depends on the first three, and its identity has them."""


@dataclass
class ProblemConfig:
    """What is optimised. At most one of `lambda_`, `C` and `nu` is given; the others follow from it.

    Attributes
    ----------
    lambda_ : float or None
        Weight of the norm in lambda/2 ||w||^2 + mean hinge loss; > 0.
    C : float or None
        1 / (lambda n), as LIBSVM counts it; > 0.
    nu : float or None
        Average slack that the slack-constrained form allows; >= 0.
    bias : bool or None
        Whether the predictor has an unregularised bias; None: the preset's choice, or none.
    rho : float
        A constant feature appended to every example: a bias that is regularised as the weights are. 0: none.
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
    """When a run stops: at the first of the given limits. Without one: the preset's number of epochs, or ten.

    Attributes
    ----------
    epochs : float or None
        Example presentations divided by the number of training examples.
    iterations, kernel_evaluations, inner_products, feature_accesses : float or None
        As the counters of the same names; floats so that ``1e9`` can be written, but whole numbers.
    seconds : float or None
        CPU seconds inside the solver; evaluation, reading and the Gram matrix are not charged.
    evaluations : int
        Points of the curve, at most, geometric in the cost.
    every : float or None
        Epochs from each further point to the next, evenly; the epochs must be the only limit.
    tail : float or None
        Epochs before the end within which further points lie; None: all along.
    """

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
    """Where kernel rows come from: one of `ROW_PROVIDERS`; auto takes the Gram matrix if it fits, else a row cache."""

    provider: str = "auto"


@dataclass
class StoreConfig:
    """Where records go: `root` holds the runs, and the sweeps' tables and figures.

    Attributes
    ----------
    root : str
    uri : str or None
        Address of an mlflow tracking server; the runs are then in a folder for it, below `root`.
    """

    root: str = "results"
    uri: str | None = None


@dataclass
class ProblemPreset:
    """One row of a paper's table of parameters; None: not printed there."""

    sigma2: float | None = None
    C: float | None = None
    nu: float | None = None


@dataclass
class Preset:
    """What one source says about an algorithm, a data set, or an algorithm on a data set.

    Attributes
    ----------
    source : str or None
        Who says it, as the header of a run shows it; None: there is no such preset.
    kernel : str
        The kernel that `unbiased` and `biased` are for.
    unbiased, biased : ProblemPreset
        Numbers for the problem without and with bias.
    bias : bool or None
        Whether the problem has a bias; None: not said.
    epochs : float or None
        Epochs of a run whose command line names no budget; None: not said.
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
    """One run: everything that can be set on the command line.

    Attributes
    ----------
    algo : dataclass
        The solver's own settings and its ``name`` (see `algo_schema`).
    kernel : GaussianConfig, PolynomialConfig or LinearConfig
    seed : int
        0 to 2^63 - 1.
    threads : "auto" or int
        Auto: all cores for a single run, one for each job of a sweep.
    memory : "auto", int or str
        Bytes, or a number with a unit (``12GiB``), for kernel rows; auto: 75 % of the machine's memory.
    progress : "auto" or bool
        Progress bar or lines on standard error; auto: yes for a single run.
    engine : str
        One of `ENGINES`: local is this process, mpi the processes that ``mpirun`` starts.
    ranks : "auto" or int
        With engine=mpi the number of processes to start; auto: the processes that ``mpirun`` has started.
    checkpoint_seconds : "auto", float or None
        Wall seconds between two checkpoints, files that a run can be resumed from. auto: 600 with engine=mpi, else one
        only when SIGTERM ends the run; null: none.
    picture : "auto" or bool
        Whether the record has a picture of the curve; auto: yes for a single run.
    model : str or None
        File (.npz) for the final predictor; None: none.
    highlight : str or None
        An algorithm of a sweep: the pictures have its curves in colour and the others pale; None: all in colour.
    style, width, format : str
        Of a picture for a paper (`experiments.configuration.paper_style.style_of`); None: not given.
    dry_run : bool
        Whether the command shows its runs, and makes none.
    """

    algo: Any = None
    dataset: DatasetConfig = field(default_factory=DatasetConfig)
    kernel: Any = None
    problem: ProblemConfig = field(default_factory=ProblemConfig)
    budget: BudgetConfig = field(default_factory=BudgetConfig)
    store: StoreConfig = field(default_factory=StoreConfig)
    preset: PresetConfig = field(default_factory=PresetConfig)
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
    dry_run: bool = False


def __getattr__(name: str) -> type:
    """Return the schema of ``algo=<name>``: a pickle names it as a member of this module."""
    # each import of this module asks for `__path__`: that must not import all solvers
    if name.startswith("_") or name not in solvers.names():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    solver: Any = solvers.get(name)
    return algo_schema(name, solver.Settings)


@cache
def algo_schema(name: str, settings: type) -> type:
    """Make the schema of ``algo=<name>``: the solver's settings and the field ``name``.

    Parameters
    ----------
    name : str
        The solver's name.
    settings : type
        The solver's ``Settings``: a dataclass whose fields all have defaults.

    Returns
    -------
    type
        A dataclass derived from `settings`, with the additional field ``name: str = name``.
    """
    frozen: bool = settings.__dataclass_params__.frozen  # type: ignore[attr-defined]
    schema = dataclasses.make_dataclass(name, [("name", str, field(default=name))], bases=(settings,), frozen=frozen)
    schema.__module__ = __name__
    return schema


def kernel_name(config: object) -> str:
    """Return the name in `KERNELS` of a kernel's schema."""
    return next(name for name, schema in KERNELS.items() if type(config) is schema)
