"""From words like ``algo=sbp`` to the settings of one run, by OmegaConf; errors become one sentence.

Figures, Python programs and the jobs of sweeps compose here. What is typed after ``run.py`` Hydra composes, from the
same files of ``conf/`` and the same schemas (`experiments.command_line.words`); that takes a tenth of a second.
"""

from __future__ import annotations

import dataclasses
import pickle
import re
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, Final, cast, get_args, get_origin, get_type_hints

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from svm_cost_curves import solvers
from svm_cost_curves.datasets.spec import NAMED
from svm_cost_curves.experiments.configuration import choices
from svm_cost_curves.experiments.configuration.explanations import explain, unknown_option, unknown_setting
from svm_cost_curves.experiments.configuration.preset_tables import options, read_tables
from svm_cost_curves.experiments.configuration.schema import KERNELS, RunConfig, algo_schema
from svm_cost_curves.experiments.configuration.settings import RunSettings, resolve, setting_name
from svm_cost_curves.solvers import SettingsError

COMPOSITION_ERRORS = (HydraException, OmegaConfBaseException)
"""What Hydra raises for a wrong command line; see `explain`."""
_NAMED_DATA: Final = re.compile(rf"(?P<source>{'|'.join(NAMED)}):(?P<name>.+)")


def compose(words: Sequence[str]) -> DictConfig:
    """Compose the configuration of one run, as Hydra does.

    Parameters
    ----------
    words : sequence of str
        ``algo=sbp``, ``budget.epochs=2``, ...; of two values of a setting the later one counts.

    Returns
    -------
    DictConfig
        With the types of `RunConfig`; interpolations (``${...}``) are not resolved yet.

    Raises
    ------
    SettingsError
        An unknown name, a wrong type, several values of a setting, or ``~``.
    """
    defaults = _default_options(_state(choices.CONF / "config.yaml"))
    chosen: dict[str, Any] = {}
    values: list[tuple[str, Any]] = []
    for word in words:
        override = parsed(word)
        if override.is_sweep_override():
            raise SettingsError(f"{word}: several values are a sweep, which needs -m (or --multirun)")
        if override.is_delete() or override.package is not None:
            raise SettingsError(f"{word}: a setting is NAME=VALUE, as in algo=sbp")
        name, value = override.key_or_group, override.value()
        if name in defaults and not isinstance(value, dict):
            chosen[name] = value
        else:
            values.append((name, value))
    if found := _NAMED_DATA.fullmatch(str(chosen.get("dataset"))):
        chosen["dataset"] = found["source"]
        values.insert(0, (f"dataset.{NAMED[found['source']]}", found["name"]))
    try:
        config = _with_options({**defaults, **chosen})
        for name, value in values:
            OmegaConf.update(config, name, value)
    except OmegaConfBaseException as error:
        raise SettingsError(explain(error)) from error
    return config


@cache  # 0.14 ms each time: the words of a run take as long as the rest, and a figure repeats them
def parsed(word: str) -> Override:
    """Return a word ``NAME=VALUE`` as Hydra's grammar understands it.

    Raises
    ------
    SettingsError
        The word does not have this form.
    """
    try:
        (override,) = OverridesParser.create().parse_overrides([word])
    except HydraException as error:
        raise SettingsError(explain(error)) from error
    return override


def option_names(group: str) -> list[str]:
    """Return the names that may follow ``algo=``, ``dataset=`` and the other groups, in alphabetical order."""
    return sorted(solvers.names() if group == "algo" else choices.option_files(group))


def _with_options(chosen: Mapping[str, Any]) -> DictConfig:
    """Return the configuration with an option of each group, a copy that the caller may change."""
    names = {group: str(name) for group, name in chosen.items() if (group, name) != ("protocol", None)}
    for group, name in names.items():
        if name not in (known := option_names(group)):
            raise SettingsError(unknown_option(group, name, known))
    schema = algo_schema(names["algo"], cast(Any, solvers.get(names["algo"])).Settings)
    files = [_state(choices.option_files(group)[name]) for group, name in names.items() if group != "algo"]
    tables = [_state(file) for file in sorted((choices.CONF / "preset").glob("*.yaml"))]
    packed = _packed(schema, _state(choices.CONF / "config.yaml"), (*files,), (*tables,))
    return cast(DictConfig, pickle.loads(packed))  # 0.5 ms, a deep copy 9 ms: a figure composes up to 400 times


_File = tuple[Path, int, int]
"""A file of ``conf/``, its time and its size: it is read again when they have changed."""


def _state(path: Path) -> _File:
    state = path.stat()
    return path, state.st_mtime_ns, state.st_size


@cache
def _read(file: _File) -> DictConfig:
    return cast(DictConfig, OmegaConf.load(file[0]))


def _default_options(main: _File) -> dict[str, Any]:
    """Return the options in the list of defaults of ``conf/config.yaml``, by their groups."""
    listed = [entry for entry in _read(main).defaults if isinstance(entry, DictConfig)]
    return {
        str(group): name
        for entry in listed
        for group, name in entry.items_ex(resolve=False)
        if str(group).isidentifier()
    }


def _settings(file: _File) -> dict[str, Any]:
    """Return what a file says to OmegaConf: all but Hydra's own part."""
    return {str(name): value for name, value in _read(file).items_ex() if name not in ("defaults", "hydra")}


@cache
def _packed(algo: type, main: _File, files: tuple[_File, ...], tables: tuple[_File, ...]) -> bytes:
    """Return the configuration with the options that `files` are, pickled."""
    contents = {file[0].parent.name: _settings(file) for file in files}
    names = {file[0].parent.name: file[0].stem for file in files}
    protocol = contents.pop("protocol", {})
    of_protocol = f"{names['protocol']}_" if "protocol" in names else ""
    rows = {
        "data": f"{of_protocol}{names['dataset']}",
        "algo": algo.__name__,
        "pair": f"{of_protocol}{algo.__name__}_{names['dataset']}",
    }
    preset = {group: _rows(tables).get((group, row), {}) for group, row in rows.items()}
    schemas = {"algo": algo, "kernel": KERNELS[names["kernel"]]}
    return pickle.dumps(OmegaConf.merge(RunConfig, schemas, _settings(main), contents, {"preset": preset}, protocol))


@cache
def _rows(tables: tuple[_File, ...]) -> dict[tuple[str, str], dict[str, Any]]:
    return options(read_tables(tables[0][0].parent))


def settings_of(
    overrides: Sequence[str], *, jobs: int | None = None, may_be_unused: Collection[str] = ()
) -> RunSettings:
    """Return the settings of the run that ``run.py`` makes with these overrides.

    Parameters
    ----------
    overrides : sequence of str
        ``algo=sbp``, ``budget.epochs=2``, ...
    jobs : int or None
        Number of runs at the same time; None: a single run.
    may_be_unused : collection of str
        Names of settings that may be without effect on the data set.

    Raises
    ------
    SettingsError
        An unknown name, a wrong type, or a value that is not allowed.
    """
    given = [setting_name(override) for override in overrides]
    return resolve(config_of(compose(overrides)), given=given, jobs=jobs, may_be_unused=may_be_unused)


def config_of(composed: DictConfig) -> RunConfig:
    """Return a composed configuration as plain objects, with all interpolations (``${...}``) resolved.

    Raises
    ------
    SettingsError
        An interpolation has no value, or a value of a wrong type; or ``+`` has added an unknown setting.
    """
    try:
        config: Any = OmegaConf.to_object(composed)
    except OmegaConfBaseException as error:
        raise SettingsError(explain(error)) from error
    _check_structure(config, "")
    return cast(RunConfig, config)


def _check_structure(config: Any, prefix: str) -> None:
    """Refuse what OmegaConf lets through.

    That is a setting that the schema does not have (``+budget.nothing=1``), and an interpolation (``${...}``) whose
    value stands in place of a list or a group of settings.
    """
    schema: Any = type(config)
    for name, value in vars(config).items():
        if name not in schema.__dataclass_fields__:
            raise SettingsError(unknown_setting(prefix + name, schema))
        hint = _hints(schema)[name]
        kinds = [get_origin(kind) or kind for kind in (get_args(hint) if isinstance(hint, UnionType) else (hint,))]
        wanted: Any = tuple(kind for kind in kinds if kind is list or dataclasses.is_dataclass(kind))
        if wanted and value is not None and not isinstance(value, wanted):
            what = "a list" if list in wanted else "a group of settings"
            raise SettingsError(f"{prefix}{name} must be {what}, got {value!r}")
        if dataclasses.is_dataclass(value):
            _check_structure(value, f"{prefix}{name}.")


@cache
def _hints(schema: Any) -> dict[str, Any]:
    """Return the types of a schema's fields; they are evaluated once, as each composition asks for them."""
    return get_type_hints(schema)
