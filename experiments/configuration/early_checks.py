"""Checks of a solver's and a kernel's settings that need no data: both are made of a few points."""

from __future__ import annotations

import dataclasses
from typing import Any, Final

import numpy as np

from ... import solvers
from ...solvers import SettingsError
from .schema import kernel_name

_KERNELS: Final = {"gaussian": solvers.Gaussian, "linear": solvers.Linear, "polynomial": solvers.Polynomial}


def check_on_few_points(solver: Any, settings: Any, kernel: Any, *, bias: bool, rho: float) -> None:
    """Refuse, before data are loaded, settings with which kernel or solver cannot be made even of a few points.

    Whole numbers may be as large as the number of training examples, which is not known yet: large ones pass.
    """
    values = {name: value for name, value in vars(kernel).items() if value is not None}
    function = _KERNELS[kernel_name(kernel)](**values)
    if settings == (defaults := solver.Settings()):
        return
    n, whole = 64, {name: value for name, value in vars(settings).items() if type(value) is int}
    for name in solver.within_n:
        if whole.get(name, 1) < 1:
            raise SettingsError(f"algo.{name} = {whole[name]}: it must be from 1 to the number of training examples")
    y = np.where(np.arange(n) % 2, 1, -1)
    X = np.stack([y, np.arange(n) / n], axis=1).astype(np.float32)
    small = {name: min(value, n) for name, value in vars(defaults).items() if type(value) is int}
    try:
        few_points = solvers.Problem(X, y, function, lambda_=1.0 / n, nu=0.1, bias=bias, rho=rho)
        solver(few_points, dataclasses.replace(defaults, **small), 0)
    except Exception:  # it needs a stream, or more points: the run itself will tell
        return
    try:
        solver(few_points, dataclasses.replace(settings, **{name: min(value, n) for name, value in whole.items()}), 0)
    except SettingsError as error:
        if str(error).startswith("algo"):  # else it may be about these points
            raise
    except TypeError as error:  # of the core: a negative number
        given = ", ".join(f"algo.{name} = {value}" for name, value in whole.items() if value != vars(defaults)[name])
        raise SettingsError(f"algo={solver.name}: {given} must not be negative") from error
