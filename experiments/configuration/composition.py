"""From overrides on a command line to the settings of one run, by Hydra; its errors become one sentence."""

from __future__ import annotations

import dataclasses
import re
import warnings
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from types import UnionType
from typing import Any, cast, get_args, get_origin, get_type_hints

from hydra import compose, initialize_config_dir
from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException, MissingConfigException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import ConfigAttributeError, ConfigKeyError, OmegaConfBaseException

import solvers
from experiments.configuration.composition_cache import find_again
from experiments.configuration.preset_tables import options, read_tables
from experiments.configuration.schema import KERNELS, RENAMED, RunConfig, algo_schema
from experiments.configuration.settings import RunSettings, nearest, resolve, setting_name
from experiments.provenance import PROJECT_ROOT
from solvers import SettingsError

CONF = PROJECT_ROOT / "conf"
COMPOSITION_ERRORS = (HydraException, OmegaConfBaseException)
"""What Hydra raises for a wrong command line; see `explain`."""


def register() -> None:
    """Register with Hydra the schema of every group, each solver as an option of ``algo``, each row of ``conf/preset``.

    Raises
    ------
    SettingsError
        A table of presets does not have its form; see `experiments.configuration.preset_tables.options`.
    """
    # conf/hydra/launcher replaces files of plugins, which may not be installed
    warnings.filterwarnings("ignore", r"\s*'hydra/launcher/\w+' is validated against ConfigStore schema")
    store = ConfigStore.instance()
    store.store(name="schema", node=RunConfig)
    for name, schema in KERNELS.items():
        store.store(group="schema/kernel", name=name, node=schema)
    for name in solvers.names():
        solver: Any = solvers.get(name)
        store.store(group="algo", name=name, node=algo_schema(name, solver.Settings))
    store.repo.pop("preset", None)  # a table may have changed since the last call
    for (group, name), preset in options(read_tables(CONF / "preset")).items():
        store.store(group=f"preset/{group}", name=name, node=preset)


def for_each_job(words: Sequence[str]) -> list[str]:
    """Return the words of a sweep, changed so that a value within a swept group is checked in each job.

    Hydra composes a sweep once before its jobs, without the swept words. A fixed ``algo.features=256`` would be checked
    against the default algorithm there; as a sweep over one value it is checked in the jobs only.

    Parameters
    ----------
    words : sequence of str
        A command line with ``-m``; words that Hydra cannot parse are returned unchanged.
    """
    overrides = {word: override for word in words if (override := _parsed(word)) is not None}
    swept = {override.key_or_group for override in overrides.values() if override.is_sweep_override()}
    return [_as_sweep(overrides[word]) if _within(overrides.get(word), swept) else word for word in words]


def _parsed(word: str) -> Override | None:
    if word.startswith("-") or "=" not in word:
        return None
    try:
        (override,) = OverridesParser.create().parse_overrides([word])
    except HydraException:
        return None
    return override


def _within(override: Override | None, groups: Collection[str]) -> bool:
    """Return whether an override sets one value of a group, as ``algo.features=256`` of ``algo``."""
    return (
        override is not None
        and not (override.is_sweep_override() or override.is_delete() or override.value() == "")
        and override.key_or_group.partition(".")[0] in groups
        and "." in override.key_or_group
    )


def _as_sweep(override: Override) -> str:
    return f"{override.get_key_element()}=choice({override.get_value_string()})"


@contextmanager
def composing() -> Iterator[None]:
    """Initialise Hydra, so that `settings_of` can be called; files and schemas are read once for all calls."""
    register()
    with initialize_config_dir(str(CONF), version_base="1.3"):
        find_again()
        yield


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
    try:
        composed = compose("config", [*overrides])
    except COMPOSITION_ERRORS as error:
        raise SettingsError(explain(error)) from error
    given = [setting_name(override) for override in overrides]
    return resolve(config_of(composed), given=given, jobs=jobs, may_be_unused=may_be_unused)


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
            raise SettingsError(_unknown(prefix + name, schema))
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


def explain(error: BaseException) -> str:
    """Return one line that says what is wrong with a command, with similar names that exist."""
    cause = error.__cause__ if isinstance(error.__cause__, OmegaConfBaseException) else error
    if isinstance(error, MissingConfigException) and error.missing_cfg_file:
        group, _, name = error.missing_cfg_file.rpartition("/")
        options = sorted(error.options or ())
        what = {"algo": "algorithm", "dataset": "data set"}.get(group, group)
        return f"unknown {what} {name!r}; known: {', '.join(options)}{nearest(name, options)}"
    if isinstance(cause, ConfigAttributeError | ConfigKeyError) and cause.full_key:
        return _unknown(cause.full_key, cause.object_type)
    if isinstance(cause, OmegaConfBaseException) and cause.full_key:
        return f"{cause.full_key}: {_first_line(cause)}"
    if "Ambiguous value" in str(error) or "requires --multirun" in str(error):
        what = _first_line(error).removesuffix(" requires --multirun")
        return f"{what}: several values are a sweep, which needs -m (or --multirun)"
    if "missing EQUAL" in str(error):
        return f"{_first_line(error)}: a setting is NAME=VALUE, as in algo=sbp; --help lists them"
    text = re.sub(r"\s*\n\s*See https\S+ for details", "", str(error)).strip()
    return re.sub(r"\s*\n\s*", "; ", text)


def _unknown(setting: str, schema: Any) -> str:
    """Return the message about a setting that a schema does not have."""
    if setting in RENAMED:
        return f"{setting} is now called {RENAMED[setting]}"
    group, _, name = setting.rpartition(".")
    known = [field.name for field in dataclasses.fields(schema)] if dataclasses.is_dataclass(schema) else []
    if group == "algo" and known:
        group, known = f"algo={schema.__name__}", [name for name in known if name != "name"]
    where = f"{group} has" if group else "known are"
    return f"unknown setting {setting!r}; {where} {', '.join(known) or 'no settings'}{nearest(name, known)}"


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
