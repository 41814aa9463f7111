"""Default values of a run, and where each of them comes from.

The order is always: command line, the preset for the pair (algorithm, data set),
the algorithm's preset, the data set's preset, a rule of this project. Numbers of the problem (width, C, nu) belong to a
data set: a preset for the algorithm alone has none.

The presets are tables in ``conf/preset/``: one file for each table of a paper, or for each other source of values. Each
row is for a pair, an algorithm or a data set, and is picked by the names of a run's algorithm and data set. A file of
the user's, ``preset/data/NAME.yaml`` (or ``pair``, ``algo``), has one row and replaces that of the tables.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf

from ...solvers import SettingsError
from ...support.settings_file import read_yaml
from . import choices
from .explain import naming, unknown_option
from .options import File, read_options, state
from .schema import KERNELS, GaussianConfig, Preset, PresetConfig, ProblemConfig, ProblemPreset, kernel_name

COMMAND_LINE = "command line"
DEFAULT = "default"
DEFAULT_EPOCHS = 10.0
ALL = "all"
"""In place of the name of a data set, or of the list of algorithms."""
SIZES = ("max_train", "max_test")
"""Settings of the data set that a protocol may have."""
_TABLE = {"source", "protocol", *SIZES, "algorithms", "rows"}
_NUMBERS = [number.name for number in fields(ProblemPreset)]


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
            return preset.bias, preset.source or "preset"
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
        return presets.pair.kernel, presets.pair.source or "preset"
    if presets.data.source is not None and presets.data.kernel in allowed:
        return presets.data.kernel, presets.data.source
    if default in allowed:
        return default, DEFAULT
    return min(allowed), f"algo={algo} works with this kernel only"


def kernel_of(
    kernel: Any, presets: PresetConfig, solver: Any, bias: bool, given: Collection[str]
) -> tuple[Any, dict[str, str]]:
    """Return the kernel, and who chose it and its width unless the command line did."""
    origins = {}
    if type(kernel) not in KERNELS.values():
        raise SettingsError(f"kernel must be one of {', '.join(KERNELS)}")
    if not any(setting == "kernel" or setting.startswith("kernel.") for setting in given):
        name, origin = choose_kernel(kernel_name(kernel), presets, solver.kernels, solver.name, bias=bias)
        if name != kernel_name(kernel):
            kernel, origins = KERNELS[name](), {"kernel.name": origin}
    solver.check_kernel(kernel_name(kernel))
    if isinstance(kernel, GaussianConfig):
        sigma2, origins["kernel.sigma2"] = choose_sigma2(kernel, presets, bias=bias)
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
    has_C = kernel_fits and row.C is not None
    C, origins["C"] = (row.C, preset.source or "preset") if has_C else (1.0, "default: lambda = 1/n")
    nu = row.nu if "nu" in needs and kernel_fits and data_fits else None
    if nu is not None:
        origins["nu"] = preset.source or "preset"
    return ProblemChoice(None, C, nu, bias, user.rho, origins)


def choose_sigma2(kernel: GaussianConfig, presets: PresetConfig, *, bias: bool) -> tuple[float | None, str]:
    """Return the width of the Gaussian kernel (None: it follows from the data), and who chose it."""
    if kernel.sigma2 is not None:
        if not (math.isfinite(kernel.sigma2) and kernel.sigma2 > 0):
            raise SettingsError(f"kernel.sigma2 must be a positive number, got {kernel.sigma2}")
        return kernel.sigma2, COMMAND_LINE
    preset = printed(presets, bias=bias)
    if (sigma2 := _numbers(preset, bias=bias).sigma2) is not None:
        return sigma2, preset.source or "preset"
    return None, "from the data: d Var(X) / 2"


def choose_epochs(presets: PresetConfig) -> tuple[float, str]:
    """Return the epochs of a run without a limit on the command line, and who chose them."""
    for preset in (presets.pair, presets.algo):
        if preset.epochs is not None:
            return preset.epochs, preset.source or "preset"
    return DEFAULT_EPOCHS, DEFAULT


def look_up(algo: str, dataset: str, protocol: str | None) -> tuple[PresetConfig, dict[str, Any]]:
    """Return the presets for an algorithm and a data set, as the command line names them, and a protocol's `SIZES`.

    SettingsError: there is no such protocol, or a table or a file of presets is wrong.
    """
    folder = choices.CONF / "preset"
    tables = tuple(state(path) for path in sorted(folder.glob("*.yaml")))
    sizes = _read(folder, tables)[1]
    if protocol is not None and protocol not in sizes:
        raise SettingsError(unknown_option("protocol", protocol, sorted(sizes)))
    prefix = "" if protocol is None else f"{protocol}_"
    names = (("data", f"{prefix}{dataset}"), ("algo", algo), ("pair", f"{prefix}{algo}_{dataset}"))
    files = (choices.option_files(f"preset/{group}").get(name) for group, name in names)
    user_files = tuple(None if path is None else state(path) for path in files)
    return _presets(folder, tables, names, user_files), sizes.get(protocol or "", {})


@cache
def _presets(
    folder: Path, tables: tuple[File, ...], names: tuple[tuple[str, str], ...], user_files: tuple[File | None, ...]
) -> PresetConfig:
    """Return presets by their groups and names: each a row of the tables, or the user's file in place of it."""
    presets: dict[str, Any] = {}
    for (group, name), file in zip(names, user_files, strict=True):
        values = _read(folder, tables)[0].get((group, name), {}) if file is None else read_options(file[0])
        with naming(f"conf/preset/, {name}" if file is None else file[0]):
            presets[group] = OmegaConf.to_object(OmegaConf.merge(OmegaConf.structured(Preset), values))
    return PresetConfig(**presets)


@cache
def _read(folder: Path, _: tuple[File, ...]) -> tuple[dict[tuple[str, str], dict[str, Any]], dict[str, dict[str, int]]]:
    """Return the rows of all tables in a folder (`options`), and the sizes of each protocol."""
    tables = read_tables(folder)
    rows, protocols = options(tables), [table for table in tables.values() if "protocol" in table]
    return rows, {table["protocol"]: {name: table[name] for name in SIZES if name in table} for table in protocols}


def read_tables(folder: Path) -> dict[str, Any]:
    """Return the content of each table in a folder, by the file's name."""
    return {path.name: read_yaml(path) for path in sorted(folder.glob("*.yaml"))}


def options(tables: Mapping[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the rows of all tables: group and option to the fields of a `schema.Preset`.

    The group is ``pair``, ``algo`` or ``data``, the option ``asset_adult``, ``asset`` or ``adult``. A table has the
    text of its ``source``, which the header of a run shows; ``rows`` by data set; and the list of ``algorithms`` that
    the rows are for, by default all. A row may have another source and other algorithms. A kernel width, C or nu that
    stands beside ``biased`` and ``unbiased`` is for both. The rows of a table with a ``protocol`` are for the runs with
    ``protocol=NAME`` only (``NAME_adult``), and then replace those of all other tables for this data set; its `SIZES`
    are those of the data unless the command line has others.

    Raises
    ------
    SettingsError
        A table does not have this form, or two rows are for the same algorithm and data set. The message names the
        file.
    """
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    files: dict[tuple[str, str], str] = {}
    for file, table in tables.items():
        for option, values in _options(f"conf/preset/{file}", table):
            if option in rows:
                raise SettingsError(f"conf/preset/{file}: {files[option]} has values for {option[1]} as well")
            rows[option], files[option] = values, file
    return rows


def _options(file: str, table: Any) -> Iterator[tuple[tuple[str, str], dict[str, Any]]]:
    rows = table.get("rows") if isinstance(table, dict) and {"source", "rows"} <= set(table) <= _TABLE else None
    if not isinstance(rows, dict) or not all(isinstance(row, dict) for row in rows.values()):
        raise SettingsError(
            f"{file}: a table has source, rows (by data set) and, if not for all, algorithms or protocol"
        )
    if any("protocol" not in table or type(table[name]) is not int for name in {*SIZES} & {*table}):
        raise SettingsError(f"{file}: {' and '.join(SIZES)} are whole numbers, in a table with a protocol")
    prefix = f"{table['protocol']}_" if "protocol" in table else ""
    for dataset, given in rows.items():
        row = {"source": table["source"], "algorithms": table.get("algorithms", ALL)} | given
        algorithms = row.pop("algorithms")
        if algorithms != ALL and not isinstance(algorithms, list):
            raise SettingsError(f"{file}: algorithms must be a list of names, or {ALL}; got {algorithms!r}")
        if algorithms == dataset == ALL:
            raise SettingsError(f"{file}: a row for all data sets needs a list of algorithms")
        # numbers beside `unbiased` and `biased` are for both
        common = {name: row.pop(name) for name in _NUMBERS if name in row}
        for name in ("unbiased", "biased") if common else ():
            numbers = row.get(name, {})
            row[name] = common | numbers if isinstance(numbers, dict) else numbers
        names = [("algo", name) if dataset == ALL else ("pair", f"{name}_{dataset}") for name in algorithms]
        for group, name in [("data", str(dataset))] if algorithms == ALL else names:
            yield (group, f"{prefix}{name}"), row  # its names and types are checked where it is used
