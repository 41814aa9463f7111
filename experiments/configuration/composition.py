"""Hydra's part: from overrides on a command line to the settings of one run, or what is wrong with them in a line."""

from __future__ import annotations

import dataclasses
import re
import warnings
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

from hydra import compose, initialize_config_dir
from hydra.core.config_store import ConfigStore
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override
from hydra.errors import HydraException, MissingConfigException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import ConfigAttributeError, ConfigKeyError, OmegaConfBaseException

import solvers
from experiments.configuration import algo_schemas
from experiments.configuration.composition_cache import find_again
from experiments.configuration.preset_tables import options, read_tables
from experiments.configuration.schema import GaussianConfig, LinearConfig, PolynomialConfig, RunConfig
from experiments.configuration.settings import RunSettings, nearest, resolve, setting_name
from experiments.provenance import PROJECT_ROOT
from solvers import SettingsError

CONF = PROJECT_ROOT / "conf"
COMPOSITION_ERRORS = (HydraException, OmegaConfBaseException)
"""What Hydra raises for a command line that it cannot make sense of; see `explain`."""


def register() -> None:
    """Tell Hydra the schema of every group, each solver as an option of ``algo``, and each row of ``conf/preset``.

    Raises
    ------
    SettingsError
        A table of presets does not have its form; see `experiments.configuration.preset_tables.options`.
    """
    # conf/hydra/launcher has our own values for plugins that may be missing: they stand in for the plugins' files
    warnings.filterwarnings("ignore", r"\s*'hydra/launcher/\w+' is validated against ConfigStore schema")
    store = ConfigStore.instance()
    store.store(name="schema", node=RunConfig)
    for name, schema in (("gaussian", GaussianConfig), ("polynomial", PolynomialConfig), ("linear", LinearConfig)):
        store.store(group="schema/kernel", name=name, node=schema)
    for name in solvers.names():
        store.store(group="algo", name=name, node=getattr(algo_schemas, name))
    store.repo.pop("preset", None)  # a table may have changed since the last call
    for (group, name), preset in options(read_tables(CONF / "preset")).items():
        store.store(group=f"preset/{group}", name=name, node=preset)


def for_each_job(words: Sequence[str]) -> list[str]:
    """Return the words of a sweep such that a value within a swept group is checked against each job's own choice.

    Hydra composes a sweep once as a whole before its jobs, without what is swept: there a fixed ``algo.features=256``
    would be checked against the default algorithm. As a sweep over one value it is left to the jobs.

    Parameters
    ----------
    words : sequence of str
        A command line with ``-m``; what Hydra does not understand is returned as it is.
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
    """Whether this sets one value of a group: ``algo.features=256`` of ``algo``."""
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
    """Make `settings_of` usable; the configuration's files and schemas are looked up once for all of its calls."""
    register()
    with initialize_config_dir(str(CONF), version_base="1.3"):
        find_again()
        yield


def settings_of(
    overrides: Sequence[str], *, jobs: int | None = None, may_be_unused: Collection[str] = ()
) -> RunSettings:
    """Return the settings that ``run.py`` would run with these words on its command line.

    Parameters
    ----------
    overrides : sequence of str
        ``algo=sbp``, ``budget.epochs=2``, ...
    jobs : int or None
        Number of runs that are made at the same time; None: this one alone.
    may_be_unused : collection of str
        Names of settings of the data set that need not have an effect on it.

    Raises
    ------
    SettingsError
        A name that there is not, a wrong type, or a value that is not allowed.
    """
    try:
        composed = compose("config", [*overrides])
    except COMPOSITION_ERRORS as error:
        raise SettingsError(explain(error)) from error
    given = [setting_name(override) for override in overrides]
    return resolve(config_of(composed), given=given, jobs=jobs, may_be_unused=may_be_unused)


def config_of(composed: DictConfig) -> RunConfig:
    """Return what was composed as plain objects, with all interpolations (``${...}``) replaced by their values.

    Raises
    ------
    SettingsError
        An interpolation has no value, or one of another type than the setting's.
    """
    try:
        config: Any = OmegaConf.to_object(composed)
    except OmegaConfBaseException as error:
        raise SettingsError(explain(error)) from error
    return cast(RunConfig, config)


def explain(error: BaseException) -> str:
    """Say in one line what is wrong with a command, and what was probably meant."""
    cause = error.__cause__ if isinstance(error.__cause__, OmegaConfBaseException) else error
    if isinstance(error, MissingConfigException) and error.missing_cfg_file:
        group, _, name = error.missing_cfg_file.rpartition("/")
        options = sorted(error.options or ())
        what = {"algo": "algorithm", "dataset": "data set"}.get(group, group)
        return f"unknown {what} {name!r}; known: {', '.join(options)}{nearest(name, options)}"
    if isinstance(cause, ConfigAttributeError | ConfigKeyError) and cause.full_key:
        group, _, name = cause.full_key.rpartition(".")
        schema = cause.object_type
        known = [field.name for field in dataclasses.fields(schema)] if dataclasses.is_dataclass(schema) else []
        if schema is not None and schema.__module__ == algo_schemas.__name__:
            group, known = f"{group}={schema.__qualname__}", [name for name in known if name != "name"]
        where = f"{group} has" if group else "known are"
        return f"unknown setting {cause.full_key!r}; {where} {', '.join(known) or 'no settings'}{nearest(name, known)}"
    if isinstance(cause, OmegaConfBaseException) and cause.full_key:
        return f"{cause.full_key}: {_first_line(cause)}"
    if "Ambiguous value" in str(error):
        return f"{_first_line(error)}: several values are a sweep, which needs -m (or --multirun)"
    text = re.sub(r"\s*\n\s*See https\S+ for details", "", str(error)).strip()
    return re.sub(r"\s*\n\s*", "; ", text)


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
