"""Default values of a run, and where each of them comes from.

Pure functions of the configuration. The order is always: command line, the preset for the pair (algorithm, data set),
the algorithm's preset, the data set's preset, a rule of this project. Numbers of the problem (width, C, nu) belong to a
data set: a preset for the algorithm alone has none.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from svm_cost_curves.experiments.configuration.schema import (
    KERNELS,
    GaussianConfig,
    Preset,
    PresetConfig,
    ProblemConfig,
    ProblemPreset,
    RunConfig,
    kernel_name,
)
from svm_cost_curves.solvers import SettingsError

COMMAND_LINE = "command line"
DEFAULT = "default"
DEFAULT_EPOCHS = 10.0


@dataclass(frozen=True)
class ProblemChoice:
    """The problem of a run, before the data are known.

    At most one of `lambda_` and `C` is given, `nu` together with one of them only from a preset. A number that is None
    follows from the others (C = 1/(lambda n); nu from the optimum of the lambda form). `origins` says who chose each.
    """

    lambda_: float | None
    C: float | None
    nu: float | None
    bias: bool
    rho: float
    origins: dict[str, str]


def printed(presets: PresetConfig, *, bias: bool) -> Preset:
    """Return the preset for the algorithm on this data set if it has a C, else that for the data set."""
    return presets.pair if _numbers(presets.pair, bias=bias).C is not None else presets.data


def _numbers(preset: Preset, *, bias: bool) -> ProblemPreset:
    return preset.biased if bias else preset.unbiased


def _origin(preset: Preset) -> str:
    return preset.source or "preset"


def choose_bias(user: bool | None, presets: PresetConfig, allowed: Collection[bool], algo: str) -> tuple[bool, str]:
    """Return whether the predictor has a bias, and who chose it.

    `user` is ``problem.bias``; `allowed` are the values that the algorithm `algo` supports.
    """
    if user is not None:
        if user not in allowed:
            raise SettingsError(
                f"algo={algo} works {'with' if not user else 'without'} a bias only: leave problem.bias out"
            )
        return user, COMMAND_LINE
    for preset in (presets.pair, presets.algo):
        if preset.bias is not None and preset.bias in allowed:
            return preset.bias, _origin(preset)
    if False in allowed:
        return False, DEFAULT
    return True, f"algo={algo} works with a bias only"


def choose_kernel(
    default: str, presets: PresetConfig, allowed: Collection[str], algo: str, *, bias: bool
) -> tuple[str, str]:
    """Return the kernel if the command line names none, and who chose it.

    It is the pair's, the data set's, the `default` of the configuration, or the only one that the algorithm allows.
    """
    if _numbers(presets.pair, bias=bias).C is not None and presets.pair.kernel in allowed:
        return presets.pair.kernel, _origin(presets.pair)
    if presets.data.source is not None and presets.data.kernel in allowed:
        return presets.data.kernel, presets.data.source
    if default in allowed:
        return default, DEFAULT
    return min(allowed), f"algo={algo} works with this kernel only"


def kernel_of(config: RunConfig, solver: Any, bias: bool, given: Collection[str]) -> tuple[Any, dict[str, str]]:
    """Return the kernel, and who chose it and its width unless the command line did."""
    kernel, origins = config.kernel, {}
    if type(kernel) not in KERNELS.values():
        raise SettingsError(f"kernel must be one of {', '.join(KERNELS)}")
    if not any(setting == "kernel" or setting.startswith("kernel.") for setting in given):
        name, origin = choose_kernel(kernel_name(kernel), config.preset, solver.kernels, solver.name, bias=bias)
        if name != kernel_name(kernel):
            kernel, origins = KERNELS[name](), {"kernel.name": origin}
    solver.check_kernel(kernel_name(kernel))
    if isinstance(kernel, GaussianConfig):
        sigma2, origins["kernel.sigma2"] = choose_sigma2(kernel, config.preset, bias=bias)
        kernel = GaussianConfig(sigma2)
    return kernel, origins


def choose_problem(
    user: ProblemConfig,
    presets: PresetConfig,
    *,
    bias: bool,
    bias_origin: str,
    needs: Collection[str],
    kernel_fits: bool,
    data_fits: bool,
    algo: str,
) -> ProblemChoice:
    """Choose the form of the problem: the one on the command line, or the preset's.

    A printed C belongs to the paper's kernel: with another kernel (not `kernel_fits`) C = 1 instead. A printed nu
    belongs to the paper's data, kernel and lambda together: if the command line changes one of them (not `data_fits`:
    data or width), nu is derived from lambda where the algorithm needs it. `needs` has the numbers, ``lambda`` or
    ``nu``, with which the algorithm `algo` works.
    """
    given = {name: value for name in ("lambda_", "C", "nu") if (value := getattr(user, name)) is not None}
    if len(given) > 1:
        raise SettingsError(
            f"problem.{' and problem.'.join(given)} say one thing in {len(given)} forms (C = 1/(lambda n), and"
            " nu follows from lambda): give one of them"
        )
    for name, value in given.items():
        if not (math.isfinite(value) and (value > 0 or (name == "nu" and value == 0))):
            allowed = "a number >= 0 (an average slack)" if name == "nu" else "a number > 0"
            raise SettingsError(f"problem.{name} must be {allowed}, got {value}")
    origins = dict.fromkeys(given, COMMAND_LINE) | {"bias": bias_origin}
    if "nu" in given and "lambda" in needs:
        raise SettingsError(
            f"algo={algo} solves the problem in its lambda form, and lambda does not follow from problem.nu: give"
            " problem.lambda_ or problem.C"
        )
    if given:
        return ProblemChoice(given.get("lambda_"), given.get("C"), given.get("nu"), bias, user.rho, origins)
    preset = printed(presets, bias=bias)
    row = _numbers(preset, bias=bias)
    known = kernel_fits and row.C is not None
    C, origins["C"] = (row.C, _origin(preset)) if known else (1.0, "default: lambda = 1/n")
    nu = row.nu if "nu" in needs and kernel_fits and data_fits else None
    if nu is not None:
        origins["nu"] = _origin(preset)
    return ProblemChoice(None, C, nu, bias, user.rho, origins)


def choose_sigma2(kernel: GaussianConfig, presets: PresetConfig, *, bias: bool) -> tuple[float | None, str]:
    """Return the width of the Gaussian kernel (None: it follows from the data), and who chose it."""
    if kernel.sigma2 is not None:
        if not (math.isfinite(kernel.sigma2) and kernel.sigma2 > 0):
            raise SettingsError(f"kernel.sigma2 must be a positive number, got {kernel.sigma2}")
        return kernel.sigma2, COMMAND_LINE
    preset = printed(presets, bias=bias)
    if (sigma2 := _numbers(preset, bias=bias).sigma2) is not None:
        return sigma2, _origin(preset)
    return None, "from the data: d Var(X) / 2"


def choose_epochs(presets: PresetConfig) -> tuple[float, str]:
    """Return the epochs of a run without a limit on the command line, and who chose them."""
    for preset in (presets.pair, presets.algo):
        if preset.epochs is not None:
            return preset.epochs, _origin(preset)
    return DEFAULT_EPOCHS, DEFAULT
