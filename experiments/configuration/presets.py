"""Default values of a run, and where each of them comes from.

Pure functions of the configuration. The order is always: command line, the preset for the pair (algorithm, data set),
the algorithm's preset, the data set's preset, a rule of this project. Numbers of the problem (width, C, nu) belong to a
data set: a preset for the algorithm alone has none.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

from svm_cost_curves.experiments.configuration.schema import (
    GaussianConfig,
    Preset,
    PresetConfig,
    ProblemConfig,
    ProblemPreset,
)
from svm_cost_curves.solvers import SettingsError

COMMAND_LINE = "command line"
DEFAULT = "default"
DEFAULT_EPOCHS = 10.0


@dataclass(frozen=True)
class ProblemChoice:
    """The problem of a run, before the data are known.

    Attributes
    ----------
    lambda_, C, nu : float or None
        At most one of `lambda_` and `C`; `nu` together with one of them only from a preset. A number that is None
        follows from the others (C = 1/(lambda n); nu from the optimum of the lambda form).
    bias : bool
    rho : float
        Constant feature, 0 for none.
    origins : dict of str to str
        Who chose each value that is not None.
    """

    lambda_: float | None
    C: float | None
    nu: float | None
    bias: bool
    rho: float
    origins: dict[str, str]


@dataclass(frozen=True)
class Printed:
    """Numbers printed in a paper, the kernel that they are for, and the paper."""

    row: ProblemPreset
    kernel: str
    source: str


def printed(presets: PresetConfig, *, bias: bool) -> Printed:
    """Return the numbers for the algorithm on this data set if they have a C, else those for the data set."""
    pair, data = presets.pair, presets.data
    preset = pair if _numbers(pair, bias=bias).C is not None else data
    return Printed(_numbers(preset, bias=bias), preset.kernel, origin_of(preset))


def _numbers(preset: Preset, *, bias: bool) -> ProblemPreset:
    return preset.biased if bias else preset.unbiased


def choose_bias(user: bool | None, presets: PresetConfig, allowed: Collection[bool], algo: str) -> tuple[bool, str]:
    """Return whether the predictor has a bias, and who chose it.

    Parameters
    ----------
    user : bool or None
        ``problem.bias``.
    presets : PresetConfig
        The presets that belong to the run.
    allowed : collection of bool
        The values that the algorithm supports.
    algo : str
        Its name, for messages.

    Returns
    -------
    bias : bool
    origin : str

    Raises
    ------
    SettingsError
        The algorithm does not support the value on the command line.
    """
    if user is not None:
        if user not in allowed:
            raise SettingsError(
                f"algo={algo} works {'with' if not user else 'without'} a bias only: leave problem.bias out"
            )
        return user, COMMAND_LINE
    for preset in (presets.pair, presets.algo):
        if preset.bias is not None and preset.bias in allowed:
            return preset.bias, origin_of(preset)
    if False in allowed:
        return False, DEFAULT
    return True, f"algo={algo} works with a bias only"


def choose_kernel(
    default: str, presets: PresetConfig, allowed: Collection[str], algo: str, *, bias: bool
) -> tuple[str, str]:
    """Return the kernel if the command line names none: the pair's, the data set's, the default, or the only one.

    Parameters
    ----------
    default : str
        The configuration's.
    presets : PresetConfig
        The presets that belong to the run.
    allowed : collection of str
        The kernels that the algorithm supports.
    algo : str
        Its name.
    bias : bool
        Whether the problem has one.

    Returns
    -------
    name : str
    origin : str
    """
    if _numbers(presets.pair, bias=bias).C is not None and presets.pair.kernel in allowed:
        return presets.pair.kernel, origin_of(presets.pair)
    if presets.data.source is not None and presets.data.kernel in allowed:
        return presets.data.kernel, presets.data.source
    if default in allowed:
        return default, DEFAULT
    return min(allowed), f"algo={algo} works with this kernel only"


def choose_problem(
    user: ProblemConfig,
    presets: PresetConfig,
    *,
    bias: bool,
    bias_origin: str,
    needs_lambda: bool,
    needs_nu: bool,
    kernel_fits: bool,
    data_fits: bool,
    algo: str,
) -> ProblemChoice:
    """Choose the form of the problem: the one on the command line, or the preset's.

    A printed C belongs to the paper's kernel: with another kernel C = 1 instead. A printed nu belongs to the paper's
    data, kernel and lambda together: if the command line changes one of them, nu is derived from lambda where the
    algorithm needs it.

    Parameters
    ----------
    user : ProblemConfig
        The settings on the command line.
    presets : PresetConfig
        The presets that belong to the run.
    bias, bias_origin
        As returned by `choose_bias`.
    needs_lambda, needs_nu : bool
        Which numbers the algorithm works with.
    kernel_fits : bool
        False if the kernel differs from the preset's.
    data_fits : bool
        False if the data or the kernel's width differ from the preset's.
    algo : str
        The algorithm's name, for messages.

    Raises
    ------
    SettingsError
        Two forms at once, a number outside its range, or nu alone for an algorithm that works with lambda.
    """
    given = {name: value for name in ("lambda_", "C", "nu") if (value := getattr(user, name)) is not None}
    if len(given) > 1:
        raise SettingsError(
            f"problem.{' and problem.'.join(given)} say one thing in {len(given)} forms (C = 1/(lambda n), and"
            " nu follows from lambda): give one of them"
        )
    for name, value in given.items():
        _check_range(name, value)
    origins = dict.fromkeys(given, COMMAND_LINE) | {"bias": bias_origin}
    if "nu" in given and needs_lambda:
        raise SettingsError(
            f"algo={algo} solves the problem in its lambda form, and lambda does not follow from problem.nu: give"
            " problem.lambda_ or problem.C"
        )
    if given:
        return ProblemChoice(given.get("lambda_"), given.get("C"), given.get("nu"), bias, user.rho, origins)
    preset = printed(presets, bias=bias)
    row = preset.row
    known = kernel_fits and row.C is not None
    C, origins["C"] = (row.C, preset.source) if known else (1.0, "default: lambda = 1/n")
    nu = row.nu if needs_nu and kernel_fits and data_fits else None
    if nu is not None:
        origins["nu"] = preset.source
    return ProblemChoice(None, C, nu, bias, user.rho, origins)


def choose_sigma2(kernel: GaussianConfig, presets: PresetConfig, *, bias: bool) -> tuple[float | None, str]:
    """Return the width of the Gaussian kernel (None: it follows from the data), and who chose it.

    Raises
    ------
    SettingsError
        The command line's width is not a positive number.
    """
    if kernel.sigma2 is not None:
        if not (math.isfinite(kernel.sigma2) and kernel.sigma2 > 0):
            raise SettingsError(f"kernel.sigma2 must be a positive number, got {kernel.sigma2}")
        return kernel.sigma2, COMMAND_LINE
    preset = printed(presets, bias=bias)
    if preset.row.sigma2 is not None:
        return preset.row.sigma2, preset.source
    return None, "from the data: d Var(X) / 2"


def choose_epochs(presets: PresetConfig) -> tuple[float, str]:
    """Return the epochs of a run without a limit on the command line, and who chose them."""
    for preset in (presets.pair, presets.algo):
        if preset.epochs is not None:
            return preset.epochs, origin_of(preset)
    return DEFAULT_EPOCHS, DEFAULT


def origin_of(preset: Preset) -> str:
    """Return the source of a preset's values, for the header."""
    return preset.source or "preset"


def _check_range(name: str, value: float) -> None:
    if name == "nu":
        if not (math.isfinite(value) and value >= 0):
            raise SettingsError(f"problem.nu must be a number >= 0 (an average slack), got {value}")
    elif not (math.isfinite(value) and value > 0):
        raise SettingsError(f"problem.{name} must be a number > 0, got {value}")
