"""One sentence on what Hydra and OmegaConf raise for a wrong word, with similar names that exist."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Collection
from pathlib import Path
from typing import Any, Final, cast

from hydra.errors import HydraException, MissingConfigException, OverrideParseException
from omegaconf.errors import ConfigAttributeError, ConfigKeyError, OmegaConfBaseException

from svm_cost_curves.experiments.configuration.schema import RENAMED, RunConfig
from svm_cost_curves.support.text import command_line, known_names

COMPOSITION_ERRORS = (HydraException, OmegaConfBaseException)
"""What Hydra raises for a wrong command line; see `explain`."""
_NOT_TYPED: Final = ("preset", "dry_run")
"""Parts of the configuration that are no settings: the program fills them in."""
_NOT_READ: Final = re.compile("no viable alternative|NoViableAlt|extraneous input|mismatched input")


def explain(error: BaseException) -> str:
    """Return one line that says what is wrong with a command, with similar names that exist."""
    cause = error.__cause__ if isinstance(error.__cause__, OmegaConfBaseException) else error
    if isinstance(error, MissingConfigException) and error.missing_cfg_file:
        *group, name = error.missing_cfg_file.split("/", 1)  # a name that is a path has slashes, too
        return unknown_option("".join(group), name, sorted(error.options or ()))
    if isinstance(cause, ConfigAttributeError | ConfigKeyError) and cause.full_key:
        return unknown_setting(cause.full_key, cause.object_type)
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
        return unknown_setting(without[1], RunConfig)
    text = re.sub(r"\s*\n\s*See https\S+ for details", "", str(error)).strip()
    return re.sub(r"\s*\n\s*", "; ", text)


def unknown_option(group: str, name: str, known: Collection[str]) -> str:
    """Return the message about an option that a group does not have."""
    if not group:
        return f"there is no configuration {name!r}: leave out --config-name, or name its folder by --config-dir"
    if group == "dataset" and Path(name).suffix:
        return f"unknown data set {name!r}; a file of your own is dataset=file:{name}"
    kind = {"algo": "algorithm", "dataset": "data set"}.get(group, group)
    return f"unknown {kind} {name!r}{known_names(name, known, command_line('run', '--help'))}"


def unknown_setting(setting: str, schema: Any) -> str:
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
