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
from hydra.errors import HydraException, MissingConfigException, OverrideParseException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import ConfigAttributeError, ConfigKeyError, OmegaConfBaseException

from svm_cost_curves import solvers
from svm_cost_curves.datasets.spec import NAMED, NAMED_OPTION
from svm_cost_curves.experiments.configuration import choices
from svm_cost_curves.experiments.configuration.presets import options, read_tables
from svm_cost_curves.experiments.configuration.schema import KERNELS, NOT_INFLUENTIAL, RENAMED, RunConfig, algo_schema
from svm_cost_curves.experiments.configuration.settings import RunSettings, resolve, setting_name
from svm_cost_curves.solvers import SettingsError
from svm_cost_curves.support.text import command_line, known_names

COMPOSITION_ERRORS = (HydraException, OmegaConfBaseException)
"""What Hydra raises for a wrong command line; see `explain`."""
_NOT_TYPED: Final = ("preset", "dry_run")
"""Parts of the configuration that are no settings: the program fills them in."""
_NOT_READ: Final = re.compile("no viable alternative|NoViableAlt|extraneous input|mismatched input")
_hints = cache(get_type_hints)


def compose(words: Sequence[str]) -> DictConfig:
    """Compose the configuration of one run from words like ``algo=sbp``, as Hydra does.

    It has the types of `RunConfig`; interpolations (``${...}``) are not resolved yet. Of two values of a setting the
    later one counts.

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
    if named := NAMED_OPTION.fullmatch(str(chosen.get("dataset"))):
        chosen["dataset"] = named["source"]
        values.insert(0, (f"dataset.{NAMED[named['source']]}", named["name"]))
    try:
        config = _with_options({**defaults, **chosen})
        for name, value in values:
            OmegaConf.update(config, name, value)
    except OmegaConfBaseException as error:
        raise SettingsError(explain(error)) from error
    return config


@cache  # 0.14 ms each time: the words of a run take as long as the rest, and a figure repeats them
def parsed(word: str) -> Override:
    """Return a word ``NAME=VALUE`` as Hydra's grammar understands it."""
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
            raise SettingsError(_unknown_option(group, name, known))
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
    pairs = [(str(group), name) for entry in listed for group, name in entry.items_ex(resolve=False)]
    return {group: name for group, name in pairs if group.isidentifier()}


def _settings(file: _File) -> dict[str, Any]:
    """Return what a file says to OmegaConf: all but Hydra's own part."""
    return {str(name): value for name, value in _read(file).items_ex() if name not in ("defaults", "hydra")}


@cache
def _packed(algo: type, main: _File, files: tuple[_File, ...], tables: tuple[_File, ...]) -> bytes:
    """Return the configuration with the options that `files` are, pickled."""
    contents = {file[0].parent.name: _settings(file) for file in files}
    names = {file[0].parent.name: file[0].stem for file in files}
    protocol = contents.pop("protocol", {})
    prefix, name, dataset = f"{names['protocol']}_" if "protocol" in names else "", algo.__name__, names["dataset"]
    rows = {"data": f"{prefix}{dataset}", "algo": name, "pair": f"{prefix}{name}_{dataset}"}
    preset = {group: _rows(tables).get((group, row), {}) for group, row in rows.items()}
    schemas = {"algo": algo, "kernel": KERNELS[names["kernel"]]}
    return pickle.dumps(OmegaConf.merge(RunConfig, schemas, _settings(main), contents, {"preset": preset}, protocol))


@cache
def _rows(tables: tuple[_File, ...]) -> dict[tuple[str, str], dict[str, Any]]:
    return options(read_tables(tables[0][0].parent))


def settings_of(
    overrides: Sequence[str], *, jobs: int | None = None, may_be_unused: Collection[str] = ()
) -> RunSettings:
    """Return the settings of the run that ``run.py`` makes with these overrides; the others are those of `resolve`."""
    given = [setting_name(override) for override in overrides]
    return resolve(config_of(compose(overrides)), given=given, jobs=jobs, may_be_unused=may_be_unused)


def influential(overrides: Sequence[str]) -> list[str]:
    """Return the overrides that change a result."""
    return [word for word in overrides if setting_name(word).partition(".")[0] not in NOT_INFLUENTIAL]


def distinguishing(overrides: Sequence[str]) -> list[str]:
    """Return the overrides that change a result, but for those that are shown anyway: algorithm, data set and seed."""
    return [word for word in influential(overrides) if setting_name(word) not in ("algo", "dataset", "seed")]


def config_of(composed: DictConfig) -> RunConfig:
    """Return a composed configuration as plain objects, with all interpolations (``${...}``) resolved."""
    try:
        config: Any = OmegaConf.to_object(composed)
    except OmegaConfBaseException as error:
        raise SettingsError(explain(error)) from error
    _check_structure(config, "")
    return cast(RunConfig, config)


def _check_structure(config: Any, prefix: str) -> None:
    """Refuse what OmegaConf lets through: unknown settings (``+budget.nothing=1``), a text for a list or a group."""
    schema: Any = type(config)
    for name, value in vars(config).items():
        if name not in schema.__dataclass_fields__:
            raise SettingsError(_unknown_setting(prefix + name, schema))
        hint = _hints(schema)[name]
        kinds = [get_origin(kind) or kind for kind in (get_args(hint) if isinstance(hint, UnionType) else (hint,))]
        wanted: Any = tuple(kind for kind in kinds if kind is list or dataclasses.is_dataclass(kind))
        if wanted and value is not None and not isinstance(value, wanted):
            kind = "a list" if list in wanted else "a group of settings"
            raise SettingsError(f"{prefix}{name} must be {kind}, got {value!r}")
        if dataclasses.is_dataclass(value):
            _check_structure(value, f"{prefix}{name}.")


def explain(error: BaseException) -> str:
    """Return one line that says what is wrong with a command, with similar names that exist."""
    cause = error.__cause__ if isinstance(error.__cause__, OmegaConfBaseException) else error
    if isinstance(error, MissingConfigException) and error.missing_cfg_file:
        *group, name = error.missing_cfg_file.split("/", 1)  # a name that is a path has slashes, too
        return _unknown_option("".join(group), name, sorted(error.options or ()))
    if isinstance(cause, ConfigAttributeError | ConfigKeyError) and cause.full_key:
        return _unknown_setting(cause.full_key, cause.object_type)
    if isinstance(cause, OmegaConfBaseException) and cause.full_key:
        return f"{cause.full_key}: {_first_line(cause)}"
    if "Ambiguous value" in str(error) or "requires --multirun" in str(error):
        word = _first_line(error).removesuffix(" requires --multirun")
        return f"{word}: several values are a sweep, which needs -m (or --multirun)"
    if "missing EQUAL" in str(error):
        return f"{_first_line(error)}: a setting is NAME=VALUE, as in algo=sbp; --help lists them"
    if isinstance(error, OverrideParseException) and _NOT_READ.search(str(error)):
        return (
            f"{error.override} cannot be read: is a bracket or a quote missing? A setting is NAME=VALUE, its values in "
            "a sweep a,b,c or range(3), with quotes for the shell around brackets"
        )
    if without := re.match(r"Could not override '(\w+)'", str(error)):
        return _unknown_setting(without[1], RunConfig)
    text = re.sub(r"\s*\n\s*See https\S+ for details", "", str(error)).strip()
    return re.sub(r"\s*\n\s*", "; ", text)


def _unknown_option(group: str, name: str, known: Collection[str]) -> str:
    """Return the message about an option that a group does not have."""
    if not group:
        return f"there is no configuration {name!r}: leave out --config-name, or name its folder by --config-dir"
    if group == "dataset" and Path(name).suffix:
        return f"unknown data set {name!r}; a file of your own is dataset=file:{name}"
    kind = {"algo": "algorithm", "dataset": "data set"}.get(group, group)
    return f"unknown {kind} {name!r}{known_names(name, known, command_line('run', '--help'))}"


def _unknown_setting(setting: str, schema: Any) -> str:
    """Return the message about a setting that a schema does not have."""
    if setting in RENAMED:
        return f"{setting} is now called {RENAMED[setting]}"
    if setting.partition(".")[0] == "preset":
        return "presets belong to algorithms and data sets: what is typed wins, as problem.C=1 (docs/settings.md)"
    group, _, name = setting.rpartition(".")
    known = [field.name for field in dataclasses.fields(schema)] if dataclasses.is_dataclass(schema) else []
    if not group:
        known = [other for other in known if other not in _NOT_TYPED] + ["protocol", "+experiment"]
        if inner := [other for other in _settings_in_groups() if other.partition(".")[2].rstrip("_") == name]:
            return f"unknown setting {setting!r}; did you mean {' or '.join(inner)}?"
    if group == "algo" and known:
        group, known = f"algo={schema.__name__}", [name for name in known if name != "name"]
    if group and not known:
        return f"unknown setting {setting!r}; {group} has no settings"
    see = command_line("run", "--help")
    return f"unknown setting {setting!r}{known_names(name, known, see, word=f'{group} has' if group else 'known are')}"


def _settings_in_groups() -> list[str]:
    """Return the settings of the groups that do not depend on a choice, with their groups."""
    groups = {field.name: cast(Any, field.default_factory) for field in dataclasses.fields(RunConfig)}
    return [
        f"{group}.{field.name}"
        for group, schema in groups.items()
        if dataclasses.is_dataclass(schema) and group not in _NOT_TYPED
        for field in dataclasses.fields(schema)
    ]


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
