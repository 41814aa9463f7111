"""One sentence on what Hydra and OmegaConf raise for a wrong word, with similar names that exist."""

from __future__ import annotations

import dataclasses
import enum
import re
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, Final, Union, cast, get_args, get_origin, get_type_hints

from hydra.errors import HydraException, MissingConfigException, OverrideParseException
from omegaconf import DictConfig, ListConfig, OmegaConf
from omegaconf.errors import (
    ConfigAttributeError,
    ConfigKeyError,
    GrammarParseError,
    InterpolationResolutionError,
    InterpolationValidationError,
    OmegaConfBaseException,
)

from ...datasets.spec import FileSpec
from ...support.errors import SettingsError, UserError
from ...support.text import LONGEST_MESSAGE, command_line, known_names, quoted
from .schema import RENAMED, GaussianConfig, RunConfig

COMPOSITION_ERRORS = (HydraException, OmegaConfBaseException)
"""What Hydra raises for a wrong command line; see `explain`."""
_IN_A_FUNCTION: Final = re.compile(r"while evaluating '.*': (.+?)(\n[^\n]*See https|$)", re.DOTALL)
_WHILE: Final = re.compile(r"^\w+(Error|Exception) (raised )?while resolving interpolation: ")
_MISSING: Final = re.compile(r"Interpolation key '(.*)' not found")
_KINDS: Final = {int: "a whole number", float: "a number", bool: "true or false", str: "a text", type(None): "null"}
_SPELLED: Final = {True: "true", False: "false", None: "null"}
_KERNELS: Final = {"rbf": "gaussian", "poly": "polynomial"}
"""Kernels by scikit-learn's names."""
TOO_LONG: Final = "has too many digits: a number is at most 1.8e308"
hints_of: Callable[[Any], dict[str, Any]] = cache(get_type_hints)
A_SWEEP: Final = "several values are a sweep, which needs -m (or --multirun)"


def explain(error: BaseException) -> str:
    """Return one line that says what is wrong with a command, with similar names that exist."""
    if isinstance(error, UserError):
        return str(error)
    cause: Any = error.__cause__ if isinstance(error.__cause__, OmegaConfBaseException) else error
    if isinstance(error, MissingConfigException) and error.missing_cfg_file:
        group, _, name = error.missing_cfg_file.rpartition("/")
        return unknown_option(group, name, sorted(error.options or ()))
    if isinstance(cause, ConfigAttributeError | ConfigKeyError) and cause.full_key:
        inside = [str(name) for name in cause.parent_node] if isinstance(cause.parent_node, DictConfig) else []
        return unknown_setting(cause.full_key, cause.object_type, inside)
    if isinstance(cause, InterpolationValidationError) and cause.full_key:
        return f"{wrong_type(cause.full_key, cause.object_type)}, got a ${{...}} that stands for something else"
    if isinstance(cause, InterpolationResolutionError | GrammarParseError):
        said = _WHILE.sub("", first_line(cause)).strip("\"'")
        if missing := _MISSING.fullmatch(said):
            said = f"there is no setting {missing[1]!r}"
        elif said == "Recursive interpolation detected":
            said = "it refers to itself"
        return f"{_written(cause) or 'a reference'} cannot be resolved: {quoted(said)}"
    if isinstance(cause, OmegaConfBaseException) and cause.full_key:
        return wrong_type(cause.full_key, cause.object_type, cause.value)
    if isinstance(error, OverrideParseException):
        return unreadable(str(error.override), str(error))
    if without := re.match(r"Could not override '([^']*)'", str(error)):
        return unknown_setting(without[1], RunConfig)
    text = re.sub(r"\s*\n\s*See https\S+ for details", "", str(error)).strip()
    return quoted(re.sub(r"\s*\n\s*", "; ", text) or type(error).__name__, LONGEST_MESSAGE)


def _written(error: Any) -> str:
    """Return the setting that an error is about, with its ``${...}`` as it is written."""
    name, group = error.full_key or "", error.parent_node
    if not name or not isinstance(group, DictConfig):
        return str(name)
    content: Any = OmegaConf.to_container(group, resolve=False)
    value = content.get(name.rpartition(".")[2])
    return f"{name}={quoted(value)}" if isinstance(value, str) else str(name)


def check_items(setting: str, value: Any) -> None:
    """Refuse a list with an item of a wrong type, and advise quotes: YAML reads ``yes`` as true.

    OmegaConf accepts lists inside a list of numbers or texts, and its error does not name the wrong item.
    """
    hint = hint_of(setting)
    lists = [kind for kind in kinds_of(hint) if get_origin(kind) is list]
    if not isinstance(value, list | ListConfig) or not lists:
        return
    (kind,) = get_args(lists[0])
    kinds = kinds_of(kind)
    for k, item in enumerate(value):
        if type(item) in kinds or not (item is None or isinstance(item, bool | list | ListConfig | dict | DictConfig)):
            continue
        if isinstance(item, dict | DictConfig) and not kinds <= {*_KINDS}:
            continue
        word = _SPELLED.get(item, "") if item is None or isinstance(item, bool) else ""
        got = word or ("a group" if isinstance(item, dict | DictConfig) else "a list")
        also = {"true": ' or ["yes"]', "false": ' or ["no"]'}.get(word, "")
        quotes = f'; a text is written in quotes, as ["{word}"]{also}' if word and str in kinds else ""
        allowed = " or ".join(_kind(member) for member in get_args(kind) or (kind,))
        raise SettingsError(f"{setting}[{k}] must be {allowed}, got {got}{quotes}")


def kinds_of(hint: Any) -> set[Any]:
    """Return the members of a union, or the type itself."""
    return {*get_args(hint)} if isinstance(hint, UnionType) or get_origin(hint) is Union else {hint}


def unreadable(word: str, why: str) -> str:
    """Return the message on a word that Hydra's grammar does not read; `why` is Hydra's own."""
    shown = quoted(" ".join(word.split()))
    if "=" not in word.lstrip("="):
        return f"{shown!r}: a setting is NAME=VALUE, as in algo=sbp; --help lists them"
    if said := _IN_A_FUNCTION.search(why):
        return f"{shown} cannot be read: {quoted(' '.join(said[1].split()))}"
    return (
        f"{shown} cannot be read: is a bracket or a quote missing? A setting is NAME=VALUE, its values in a sweep "
        "a,b,c or range(3), with quotes for the shell around brackets"
    )


def hint_of(setting: str) -> Any:
    """Return the type of a setting, as `RunConfig` names it; Any where that depends on a choice; None: it has none."""
    hint: Any = RunConfig
    for name in setting.replace("[", ".").replace("]", "").split("."):
        inner = Any if hint is Any else next(reversed(get_args(hint)), None)  # of a list or a dictionary
        hint = hints_of(hint).get(name) if dataclasses.is_dataclass(hint) else inner
    return hint


def wrong_type(setting: str, schema: Any, value: Any = ...) -> str:
    """Return the message on a value that does not have the type of a setting; `schema` has the setting's last part."""
    hints = hints_of(schema) if dataclasses.is_dataclass(schema) else {}
    hint = hints.get(setting.rpartition(".")[2]) or hint_of(setting)
    several = isinstance(hint, UnionType) or get_origin(hint) is Union
    kinds = " or ".join(_kind(kind) for kind in (get_args(hint) if several else (hint,)))
    got = "null" if value is None else repr(quoted(str(value)))
    return f"{setting} must be {kinds}{f', got {got}' if hints and value is not ... else ''}"


def _kind(kind: Any) -> str:
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return f"one of {', '.join(member.name for member in kind)}"
    kind = get_origin(kind) or kind
    unlisted = "a list" if kind is list else "a group of settings" if kind not in (None, Any) else "of another type"
    return _KINDS.get(kind, unlisted)


def unknown_option(group: str, name: str, options: Collection[str]) -> str:
    """Return the message about an option that a group does not have."""
    shown = quoted(name)
    if group == "dataset" and Path(name).suffix:
        return f"unknown data set {shown!r}; a file of your own is dataset=file:{shown}"
    if group == "kernel" and name.lower() in _KERNELS:
        return f"unknown kernel {shown!r}: it is called kernel={_KERNELS[name.lower()]} here"
    kind = {"algo": "algorithm", "dataset": "data set"}.get(group, group.removeprefix("hydra/"))
    see = "" if group.startswith("hydra/") else command_line("run", "--help")
    return f"unknown {kind} {shown!r}{known_names(name, options, see)}"


def unknown_setting(setting: str, schema: Any, inside: Collection[str] = ()) -> str:
    """Return the message about a setting that a schema, or a group with the names `inside`, does not have."""
    if setting in RENAMED:
        return f"{setting} is now called {RENAMED[setting]}"
    shown = quoted(setting)
    if setting == "kernel.gamma" and schema is GaussianConfig:
        return f"unknown setting {shown!r}; exp(-gamma |x - x'|^2) has kernel.sigma2 = 1 / (2 gamma)"
    group, _, name = setting.rpartition(".")
    names = [field.name for field in dataclasses.fields(schema)] if dataclasses.is_dataclass(schema) else [*inside]
    if not group and schema is RunConfig:
        names = [option for option in names if option != "dry_run"] + ["+experiment"]
        if inner := [option for option in _settings_in_groups() if option.partition(".")[2].rstrip("_") == name]:
            return f"unknown setting {shown!r}; did you mean {' or '.join(inner)}?"
    if schema is FileSpec:
        group = "a file in dataset.files"
    if group == "algo" and names:
        group, names = f"algo={schema.__name__}", [name for name in names if name != "name"]
    if group and not names:
        return f"unknown setting {shown!r}; {quoted(group)} has no settings"
    see = "" if setting.startswith("hydra") else command_line("run", "--help")
    word = f"{quoted(group)} has" if group else "known are"
    return f"unknown setting {shown!r}{known_names(name, names, see, word=word)}"


def _settings_in_groups() -> list[str]:
    """Return the settings of the groups that do not depend on a choice, with their groups."""
    groups = {field.name: cast(Any, field.default_factory) for field in dataclasses.fields(RunConfig)}
    return [
        f"{group}.{field.name}"
        for group, schema in groups.items()
        if dataclasses.is_dataclass(schema)
        for field in dataclasses.fields(schema)
    ]


@contextmanager
def naming(file: Path | str) -> Iterator[None]:
    """Name a file of options in the message on what is wrong in it."""
    try:
        yield
    except (OmegaConfBaseException, SettingsError) as error:
        raise SettingsError(f"{file}: {explain(error)}") from error
    except OverflowError as error:
        raise SettingsError(f"{file}: a setting {TOO_LONG}") from error


def first_line(error: BaseException) -> str:
    """Return the first line of an error's message, or its type."""
    return (str(error).splitlines() or [type(error).__name__])[0]
