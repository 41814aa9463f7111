"""Cache of composed groups, keyed by overrides, files, schemas and versions: in memory, and in the cache folder.

Hydra takes 0.15 s to choose and merge the files for one algorithm on one data set. A sweep composes twice for each of
its jobs, a figure once for each of its runs. Most compositions differ only in single values, which Hydra sets last and
in a few milliseconds. So the merged files of a choice of groups are cached, and values are set on a copy.

Files in the cache folder are JSON of plain values; the schemas give their types. Hydra's own part of a configuration
contains names of classes that are called. It is never read from a file: each command composes it once.
"""

from __future__ import annotations

import contextlib
import copy
import hashlib
import json
import os
import pickle
import sys
from collections.abc import Sequence
from dataclasses import is_dataclass
from enum import EnumType
from functools import cache
from pathlib import Path
from typing import Any, cast, get_args, get_type_hints

import hydra
import omegaconf
from hydra._internal.config_loader_impl import ConfigLoaderImpl, get_overrides_dirname
from hydra._internal.config_repository import ConfigRepository
from hydra.core.config_search_path import ConfigSearchPath
from hydra.core.config_store import ConfigNode, ConfigStore
from hydra.core.global_hydra import GlobalHydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Override, OverrideType
from hydra.core.utils import JobRuntime
from hydra.errors import ConfigCompositionException
from hydra.plugins.config_source import ConfigResult
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf, open_dict
from omegaconf.errors import OmegaConfBaseException

from datasets import default_cache_dir
from solvers.disk_cache import cached_bytes


def find_again() -> None:
    """Use this cache in the present Hydra of this process; files and schemas are read now.

    Hydra must have been initialised: within `hydra.main`, or `hydra.initialize_config_dir`.
    """
    current = GlobalHydra.instance().hydra
    assert current is not None
    current.config_loader = Loader(current.config_loader.get_search_path())


class Repository(ConfigRepository):
    """Hydra's repository of files and schemas, which reads each of them once and not once for each composition."""

    def initialize_sources(self, config_search_path: ConfigSearchPath) -> None:  # noqa: D102 (inherited)
        super().initialize_sources(config_search_path)
        self._read: dict[str, bytes] = {}

    def __deepcopy__(self, memo: dict[int, Any]) -> Repository:
        """Return a copy for one composition, which may be given other sources; the schemas are not copied."""
        return copy.copy(self)

    def load_config(self, config_path: str) -> ConfigResult | None:  # noqa: D102 (inherited)
        if config_path in self._read:
            return cast("ConfigResult | None", pickle.loads(self._read[config_path]))  # a copy, which Hydra changes
        result = super().load_config(config_path)
        with contextlib.suppress(pickle.PicklingError):  # in a worker, where Hydra loads its plugins' classes twice
            self._read[config_path] = pickle.dumps(result)
        return result


class Loader(ConfigLoaderImpl):
    """Hydra's loader of configurations with a cache of choices of files.

    A sweep sends it with each job to its workers, pickled. A worker keeps the first one with its cache (`_loader_for`).
    """

    def __init__(self, config_search_path: ConfigSearchPath) -> None:
        super().__init__(config_search_path)
        self.repository = Repository(config_search_path)
        places = [str(entry.path).removeprefix("file://") for entry in config_search_path.get_path()]
        self._origin = "\0".join([*places, checksum([Path(place) for place in places if "://" not in place])])
        self._chosen: dict[str, bytes] = {}
        self._described: dict[tuple[str, ...], Described] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        repository = Repository(self.config_search_path)
        return _loader_for, (self._origin, vars(self) | {"repository": repository, "_chosen": {}})

    def load_configuration(
        self,
        config_name: str | None,
        overrides: Sequence[str],
        run_mode: RunMode,
        from_shell: bool = True,
        validate_sweep_overrides: bool = True,
    ) -> DictConfig:
        """Compose as Hydra does; words other than plain choices of files and plain values are passed on to Hydra.

        Parameters
        ----------
        config_name, overrides, run_mode, from_shell, validate_sweep_overrides
            As in Hydra.

        Raises
        ------
        HydraException, OmegaConfBaseException
            As in Hydra; a failed composition is not cached.
        """
        given = [_parsed(word) for word in overrides]
        choices = [one for one in given if self._is_choice(one)]
        values = [one for one in given if self._is_value(one)]
        if run_mode is not RunMode.RUN or len(choices) + len(values) < len(given):
            return super().load_configuration(config_name, [*overrides], run_mode, from_shell, validate_sweep_overrides)
        try:
            config = self._choose(config_name, choices)
            self._apply_overrides_to_config(values, config)
            _sign(config, given)
        except OmegaConfBaseException as error:
            raise ConfigCompositionException from error
        return config

    def _is_choice(self, word: Override) -> bool:
        return _is_plain(word) and isinstance(word.value(), str) and self.repository.group_exists(word.key_or_group)

    def _is_value(self, word: Override) -> bool:
        searched = word.key_or_group == "hydra.searchpath"  # changes where Hydra finds files
        return _is_plain(word) and not searched and not self.repository.group_exists(word.key_or_group)

    def _choose(self, config_name: str | None, words: Sequence[Override]) -> DictConfig:
        """Return the composition of a choice of files, a copy that the caller may change."""
        lines = [str(word.input_line) for word in words]
        origin = "\0".join([self._origin, str(config_name), str(JobRuntime().get("name")), *lines])
        if origin not in self._chosen:
            composed = self._composed(config_name, words, lines, origin)
            try:
                self._chosen[origin] = pickle.dumps(composed)
            except pickle.PicklingError:  # in a worker, where Hydra loads its plugins' classes a second time
                return composed
        config: DictConfig = pickle.loads(self._chosen[origin])  # five times as fast as a deep copy
        return config

    def _composed(
        self, config_name: str | None, words: Sequence[Override], lines: list[str], origin: str
    ) -> DictConfig:
        """Return the composition from the cache folder, with Hydra's own part as Hydra composes it now."""
        anew = super().load_configuration
        own = [word for word in words if word.is_hydra_override()]
        if len(own) == len(words):
            return anew(config_name, lines, RunMode.RUN)
        base = self._choose(config_name, own)
        made: list[DictConfig] = []

        def make() -> bytes:
            made.append(anew(config_name, lines, RunMode.RUN))
            return _packed(made[0], base)

        packed = cached_bytes(default_cache_dir() / "compositions", origin.encode(), make)
        if made:
            return made[0]
        words_of_base = tuple(str(word.input_line) for word in own)
        if words_of_base not in self._described:  # the base is the same for most choices of files
            self._described[words_of_base] = _describe(base)
        found = _unpacked(packed, base, self._described[words_of_base])
        return found or anew(config_name, lines, RunMode.RUN)


_LOADERS: dict[str, Loader] = {}


def _loader_for(origin: str, state: dict[str, Any]) -> Loader:
    """Return the loader that this process has unpickled first for these files and schemas."""
    if origin not in _LOADERS:
        _LOADERS[origin] = Loader.__new__(Loader)
        vars(_LOADERS[origin]).update(state)
    return _LOADERS[origin]


Described = dict[str, tuple[str | None, str]]
"""For each setting and group, without Hydra's own part: its schema's name, and its value as JSON."""

NOTHING = b"null"
"""Content of a cache file for a choice of files that changes Hydra's own part: it is composed each time."""


def _packed(config: DictConfig, base: DictConfig) -> bytes:
    """Return a configuration without Hydra's part as JSON; `NOTHING` if that part differs from `base`."""
    own, known = (_container(each)["hydra"] for each in (config, base))
    choices = own["runtime"].pop("choices")
    del known["runtime"]["choices"]
    for each in (own, known):
        each["overrides"]["task"], each["job"]["override_dirname"] = [], ""  # see `_sign`
    if own != known:
        return NOTHING
    return json.dumps({"settings": _describe(config), "choices": choices}).encode()


def _describe(config: DictConfig) -> Described:
    values = {name: value for name, value in _container(config).items() if name != "hydra"}
    return {name: (_schema_name(config, name), json.dumps(value)) for name, value in values.items()}


def _container(config: DictConfig) -> dict[str, Any]:
    return cast(dict[str, Any], OmegaConf.to_container(config, resolve=False, enum_to_str=True))


def _unpacked(packed: bytes, base: DictConfig, present: Described) -> DictConfig | None:
    """Return `base` with the packed values, typed by their schemas; None if the file is `NOTHING` or damaged.

    `present` describes the values that `base` has.
    """
    known = _schemas(base)
    try:
        content = json.loads(packed)
        choices = content["choices"]
        with open_dict(base):
            for name, (schema, value) in content["settings"].items():
                # most groups are the same, and to set one takes milliseconds
                if name != "hydra" and (schema, value) != present.get(name):
                    base[name] = _typed(known[schema], value)
            base.hydra.runtime.choices = choices
    except (ValueError, KeyError, TypeError, OmegaConfBaseException):  # `NOTHING`, or damaged
        return None
    return base


@cache
def _typed(schema: Any, value: str) -> Any:
    """Return a value, given as JSON, with the types of a schema; OmegaConf sets a copy of it."""
    plain = json.loads(value)
    return plain if schema is None else OmegaConf.merge(OmegaConf.structured(schema), plain)


def _schema_name(config: DictConfig, name: str) -> str | None:
    kind: Any = OmegaConf.get_type(config, name)
    return f"{kind.__module__}.{kind.__qualname__}" if isinstance(kind, type) and is_dataclass(kind) else None


def _schemas(base: DictConfig) -> dict[str | None, Any]:
    """Return the schemas of settings and groups by their names; None stands for a setting without a schema."""
    kinds = [OmegaConf.get_type(base, str(name)) for name in base if name != "hydra"]
    repository = ConfigStore.instance().repo
    groups = [repository.get("algo", {}), repository.get("schema", {}).get("kernel", {})]
    kinds += [OmegaConf.get_type(node.node) for group in groups for node in group.values()]
    return {None: None} | {f"{kind.__module__}.{kind.__qualname__}": kind for kind in kinds if is_dataclass(kind)}


def _is_plain(word: Override) -> bool:
    """Return whether a word is NAME=VALUE, with one value."""
    return word.type is OverrideType.CHANGE and word.package is None and not word.is_sweep_override()


@cache
def _parsed(word: str) -> Override:
    (override,) = OverridesParser.create().parse_overrides([word])
    return override


def _sign(config: DictConfig, given: Sequence[Override]) -> None:
    """Record the overrides and the working folder in Hydra's own part."""
    ours = [word for word in given if not word.is_hydra_override()]
    config.hydra.overrides.task = [word.input_line for word in ours]
    config.hydra.overrides.hydra = [word.input_line for word in given if word.is_hydra_override()]
    config.hydra.runtime.cwd = str(Path.cwd())
    job = config.hydra.job
    with open_dict(config.hydra):
        job.env_set.update({name: os.environ[name] for name in job.env_copy})
    job.override_dirname = get_overrides_dirname(overrides=ours, **job.config.override_dirname)


def checksum(folders: Sequence[Path]) -> str:
    """Return the SHA-256, in hexadecimal, of all that a composition depends on except the words.

    Parameters
    ----------
    folders : sequence of Path
        Folders in which Hydra finds files.
    """
    schemas = [(name, _described(schema)) for name, schema in sorted(ConfigStore.instance().repo.items())]
    digest = hashlib.sha256(repr((schemas, hydra.__version__, omegaconf.__version__, sys.version)).encode())
    for folder in folders:
        for path in sorted(folder.rglob("*.yaml")):
            content = path.read_bytes()
            digest.update(f"{path.relative_to(folder)} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def _described(schemas: dict[str, Any] | ConfigNode) -> Any:
    """Describe a group of schemas, or one: its fields' types and defaults."""
    if isinstance(schemas, dict):
        return [(name, _described(schema)) for name, schema in sorted(schemas.items())]
    return _type(OmegaConf.get_type(schemas.node)), OmegaConf.to_container(schemas.node)  # faster than YAML


def _type(kind: Any) -> Any:
    """Describe a type recursively: its name, an enumeration's members, a dataclass's fields, its parameters."""
    members = [*kind.__members__] if isinstance(kind, EnumType) else []
    fields = [(name, _type(hint)) for name, hint in get_type_hints(kind).items()] if is_dataclass(kind) else []
    return str(kind), members, fields, [_type(part) for part in get_args(kind)]
