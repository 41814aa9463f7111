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
from types import UnionType
from typing import Any, Final, cast, get_args, get_origin

from omegaconf import DictConfig, ListConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException

from ... import solvers
from ...datasets.spec import NAMED, NAMED_OPTION
from ...solvers import SettingsError
from ...support.settings_file import read_yaml
from ...support.text import quoted, setting_name
from ...support.values import flatten
from . import choices
from .explain import (
    A_SWEEP,
    TOO_LONG,
    check_items,
    explain,
    hint_of,
    hints_of,
    kinds_of,
    naming,
    unknown_option,
    unknown_setting,
    wrong_type,
)
from .grammar import parsed, with_quotes
from .options import File, read_options, state
from .schema import KERNELS, NOT_INFLUENTIAL, RunConfig, schema_of
from .settings import RunSettings, resolve

_FREE_TEXTS: Final = ("dataset", "store", "model")
"""Settings and groups with paths and names, which may have commas: other texts are words of a list."""
_FUNCTION: Final = re.compile(r"\w+\(")
_THOUSANDS: Final = re.compile(r"[+-]?\d{1,3}(,\d{3})+")
_DECIMAL: Final = re.compile(r"[+-]?\d+,\d+")


def compose(overrides: Sequence[str]) -> DictConfig:
    """Compose the configuration of one run from words like ``algo=sbp``, as Hydra does.

    It has the types of `RunConfig`; interpolations (``${...}``) are not resolved yet. Of two values of a setting the
    later one counts.

    Raises
    ------
    SettingsError
        An unknown name, a wrong type, several values of a setting, or ``~``.
    """
    defaults = _default_options()
    chosen: dict[str, Any] = {}
    values: list[tuple[str, Any]] = []
    for word in overrides:
        override = parsed(with_quotes(word))
        if override.is_sweep_override():
            raise SettingsError(f"{quoted(word)}: {A_SWEEP}{_one_value(override.key_or_group, word)}")
        if override.is_delete() or override.package is not None:
            raise SettingsError(f"{quoted(word)}: a setting is NAME=VALUE, as in algo=sbp")
        name, value = override.key_or_group, override.value()
        if name in defaults and not isinstance(value, dict):
            _check_option(name, value)
            chosen[name] = value
        else:
            check_items(name, value)
            values.append((name, value))
    if named := NAMED_OPTION.fullmatch(str(chosen.get("dataset"))):
        chosen["dataset"] = named["source"]
        values.insert(0, (f"dataset.{NAMED[named['source']]}", named["name"]))
    try:
        config = _with_options({**defaults, **chosen})
        for name, value in values:
            try:
                OmegaConf.update(config, name, value)
            except OverflowError as error:
                raise SettingsError(f"{name} {TOO_LONG}") from error
    except OmegaConfBaseException as error:
        raise SettingsError(explain(error)) from error
    return config


def groups() -> list[str]:
    """Return the groups of which one option is chosen, as ``algo``."""
    return [*_default_options()]


def _one_value(setting: str, word: str) -> str:
    """Return advice: how to write a value with commas as one value of the setting; empty if there is no way."""
    value, hint = word.partition("=")[2], hint_of(setting)
    if "," not in value or _FUNCTION.match(value):
        return ""
    kinds = {get_origin(kind) or kind for kind in kinds_of(hint)}
    if list in kinds:
        return f"; a list is written in brackets, {setting}=[{quoted(value)}], with quotes for the shell"
    if setting == "dataset" or (str in kinds and setting.partition(".")[0] in _FREE_TEXTS):
        return f"; a comma within a text needs quotes, as in \"{setting}='{quoted(value)}'\""
    if _THOUSANDS.fullmatch(value) and (int in kinds or float in kinds):
        return f"; one number has no commas, {setting}={value.replace(',', '')}"
    return f"; one number has a point, {setting}={value.replace(',', '.')}" if _DECIMAL.fullmatch(value) else ""


def _check_option(group: str, name: Any) -> None:
    """Refuse what ``algo=``, ``dataset=`` and the other groups do not have, also a path, and several in brackets.

    Raises
    ------
    SettingsError
        The message has similar names.
    """
    if isinstance(name, list):
        listed = ",".join(map(str, name))
        raise SettingsError(f"{group}=[{quoted(listed)}]: a list is not a sweep: write -m {group}={quoted(listed)}")
    options = option_names(group)
    named = group == "dataset" and NAMED_OPTION.fullmatch(str(name)) is not None
    if str(name) not in options and not named:
        raise SettingsError(unknown_option(group, str(name), options))


def option_names(group: str) -> list[str]:
    """Return the names that may follow ``algo=``, ``dataset=`` and the other groups, in alphabetical order."""
    return sorted(solvers.names() if group == "algo" else choices.option_files(group))


def _with_options(chosen: Mapping[str, Any]) -> DictConfig:
    """Return the configuration with an option of each group, a copy that the caller may change."""
    files = [state(choices.option_files(group)[str(name)]) for group, name in chosen.items() if group != "algo"]
    packed = _packed(schema_of(str(chosen["algo"])), state(choices.CONF / "config.yaml"), (*files,))
    return cast(DictConfig, pickle.loads(packed))  # 0.5 ms, a deep copy 9 ms: a figure composes up to 400 times


@cache
def _read(file: File) -> DictConfig:
    path = file[0]
    group = next((group for group in choices.GROUPS if path.match(f"{group}/*.yaml")), None)
    return OmegaConf.create(read_yaml(path) if group is None else read_options(path))


def _default_options() -> dict[str, Any]:
    """Return the options in the list of defaults of ``conf/config.yaml``, by their groups."""
    listed = [entry for entry in _read(state(choices.CONF / "config.yaml")).defaults if isinstance(entry, DictConfig)]
    pairs = [(str(group), name) for entry in listed for group, name in entry.items_ex(resolve=False)]
    return {group: name for group, name in pairs if group.isidentifier()}


def _settings(file: File) -> dict[str, Any]:
    """Return what a file says to OmegaConf: all but Hydra's own part."""
    return {str(name): value for name, value in _read(file).items_ex() if name not in ("defaults", "hydra")}


@cache
def _packed(algo: type, main: File, files: tuple[File, ...]) -> bytes:
    """Return the configuration with the options that `files` are, pickled."""
    contents = {file[0].parent.name: _settings(file) for file in files}
    for file in files:
        _check_file(file)
    names = {file[0].parent.name: file[0].stem for file in files}
    schemas = {"algo": algo, "kernel": KERNELS[names["kernel"]]}
    config = _typed()
    config.merge_with(schemas, _settings(main), contents)
    return pickle.dumps(config)


def _typed() -> DictConfig:
    """Return a configuration that is a `RunConfig`, which the caller may change."""
    return cast(DictConfig, pickle.loads(_schema()))  # 1 ms; from the dataclasses 25 ms


@cache
def _schema() -> bytes:
    return pickle.dumps(OmegaConf.structured(RunConfig))


@cache
def _check_file(file: File) -> None:
    """Refuse a file with settings that its group does not have; the message names the file."""
    group = file[0].parent.name
    if group in choices.GROUPS:
        with naming(file[0]):
            for name, value in _settings(file).items():
                check_items(f"{group}.{name}", value)
            _typed().merge_with({group: _settings(file)})


def settings_of(
    overrides: Sequence[str],
    composed: DictConfig | RunConfig | None = None,
    *,
    jobs: int | None = None,
    may_be_unused: Collection[str] = (),
) -> RunSettings:
    """Return the settings of the run that ``run.py`` makes with these overrides.

    `composed` is their composition, if it is there already; the others are as in `resolve`.
    """
    config = composed if isinstance(composed, RunConfig) else config_of(composed or compose(overrides))
    option = str(_default_options()["dataset"])
    for name, value in _named_values(overrides):
        if name == "dataset" and not isinstance(value, dict):
            option = str(value)
    return resolve(config, dataset_option=option, given=given_by(overrides), jobs=jobs, may_be_unused=may_be_unused)


def given_by(overrides: Sequence[str]) -> list[str]:
    """Return the names of the settings that overrides give, ``problem.C`` also for ``problem={C: 3}``."""
    return [name for group, value in _named_values(overrides) for name, _ in flatten({group: value})]


def _named_values(overrides: Sequence[str]) -> list[tuple[str, Any]]:
    """Return the name and the value of each override: of a setting, or of a group."""
    words = [parsed(with_quotes(override)) for override in overrides]
    return [(word.key_or_group, word.value()) for word in words]


def influential(overrides: Sequence[str]) -> list[str]:
    """Return the overrides that change a result."""
    return [word for word in overrides if setting_name(word).partition(".")[0] not in NOT_INFLUENTIAL]


def distinguishing(overrides: Sequence[str]) -> list[str]:
    """Return the result-changing overrides without algo, dataset and seed, which labels show anyway."""
    return [word for word in influential(overrides) if setting_name(word) not in ("algo", "dataset", "seed")]


def config_of(composed: DictConfig) -> RunConfig:
    """Return a composed configuration as plain objects, with all interpolations (``${...}``) resolved."""
    try:
        config: Any = OmegaConf.to_object(composed)
    except OmegaConfBaseException as error:
        message = explain(error) if error.full_key else _wrong_reference(composed)
        raise SettingsError(message or explain(error)) from error
    _check_structure(config, "")
    return cast(RunConfig, config)


def _wrong_reference(group: DictConfig, prefix: str = "") -> str:
    """Return the message on the first setting whose ``${...}`` is a value of another type; an empty text: none."""
    schema = OmegaConf.get_type(group)
    for name in map(str, group):
        try:
            value = group[name]
        except OmegaConfBaseException:
            value = None
        if OmegaConf.is_interpolation(group, name):
            if not (isinstance(value, DictConfig | ListConfig) and _containers(schema, name)):
                written: Any = OmegaConf.to_container(group, resolve=False)
                return wrong_type(prefix + name, schema, written[name])
        elif isinstance(value, DictConfig) and (said := _wrong_reference(value, f"{prefix}{name}.")):
            return said
    return ""


def _containers(schema: Any, name: str) -> tuple[Any, ...]:
    """Return the types of a setting that are lists or groups."""
    hint = hints_of(schema)[name]
    kinds = [get_origin(kind) or kind for kind in (get_args(hint) if isinstance(hint, UnionType) else (hint,))]
    return tuple(kind for kind in kinds if kind is list or dataclasses.is_dataclass(kind))


def _check_structure(config: Any, prefix: str) -> None:
    """Refuse what OmegaConf lets through: unknown settings (``+budget.nothing=1``), a text for a list or a group."""
    schema: Any = type(config)
    for name, value in vars(config).items():
        if name not in schema.__dataclass_fields__:
            raise SettingsError(unknown_setting(prefix + name, schema))
        wanted = _containers(schema, name)
        if wanted and value is not None and not isinstance(value, wanted):
            raise SettingsError(wrong_type(prefix + name, schema, value))
        if dataclasses.is_dataclass(value):
            _check_structure(value, f"{prefix}{name}.")
