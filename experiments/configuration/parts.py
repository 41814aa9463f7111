"""The solver, the data set and the kernel of a configuration, chosen and checked without data."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from typing import Any

from svm_cost_curves import solvers
from svm_cost_curves.datasets import DataError, DatasetConfig, DatasetSpec, spec_of
from svm_cost_curves.datasets.spec import TEXTS
from svm_cost_curves.experiments.configuration import presets
from svm_cost_curves.experiments.configuration.schema import KERNELS, GaussianConfig, RunConfig, kernel_name
from svm_cost_curves.solvers import SettingsError
from svm_cost_curves.solvers.errors import check_numbers
from svm_cost_curves.support.text import command_line, known_names


def choose_solver(node: Any) -> tuple[Any, Any]:
    """Return the class of a solver and its settings, from the composed group ``algo``.

    Raises
    ------
    SettingsError
        There is no such solver, a setting is not allowed, or ``algo.name`` was set by itself.
    """
    name = getattr(node, "name", None)
    if name not in solvers.names():
        raise SettingsError(
            f"unknown algorithm {name!r}{known_names(str(name), solvers.names(), command_line('run', '--help'))}"
        )
    solver = solvers.get(name)
    fields = [field.name for field in dataclasses.fields(solver.Settings)]
    if {field.name for field in dataclasses.fields(node)} != {*fields, "name"}:
        raise SettingsError(f"algo.name cannot be set by itself: write algo={name}")
    settings = solver.Settings(**{field: getattr(node, field) for field in fields})
    check_numbers("algo", settings)
    return solver, settings


def choose_dataset(
    config: DatasetConfig, given: Collection[str], may_be_unused: Collection[str]
) -> tuple[DatasetSpec, bool]:
    """Return the data set with its name, and whether the command line changes points or labels.

    Parameters
    ----------
    config : DatasetConfig
    given, may_be_unused : collection of str
        As in `settings.resolve`.

    Raises
    ------
    SettingsError
        A field has a wrong value, or no effect on this kind of data set.
    """
    fields = {name.split(".")[1] for name in given if name.startswith("dataset.")}
    unused = {name.split(".")[1] for name in may_be_unused if name.startswith("dataset.")}
    try:
        return spec_of(config, fields, unused), bool(fields - TEXTS)
    except DataError as error:
        raise SettingsError(str(error)) from error


def choose_kernel(config: RunConfig, solver: Any, bias: bool, given: Collection[str]) -> tuple[Any, dict[str, str]]:
    """Return the kernel, and who chose it and its width unless the command line did.

    Raises
    ------
    SettingsError
        There is no such kernel, or the solver does not work with it.
    """
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
