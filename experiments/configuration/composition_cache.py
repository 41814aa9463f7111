"""What Hydra composes from the files in ``conf/``, kept from one job to the next and from one command to the next.

Hydra takes a quarter of a second to choose and to merge the files for one algorithm on one data set. A sweep asks for
that twice for each of its jobs, a figure for each of its runs; what differs between most of them are single values,
which Hydra sets last. What is kept is the choice of files. It is found again only under the checksum of all that it was
made from: the words, the files, the schemas and the versions.

Files in the cache folder are JSON of plain values, which take their types from the schemas. Hydra's own part, which
names classes that are called, is not among them: each command composes it once.
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
    """From here on the Hydra of this process finds again what was composed before; what has changed since, counts.

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
    """Hydra's loader of configurations, but that a choice of files which has been made before is not made again.

    Workers of a sweep have it from their parent, pickled.
    """

    def __init__(self, config_search_path: ConfigSearchPath) -> None:
        super().__init__(config_search_path)
        self.repository = Repository(config_search_path)
        places = [str(entry.path).removeprefix("file://") for entry in config_search_path.get_path()]
        self._origin = "\0".join([*places, checksum([Path(place) for place in places if "://" not in place])])
        self._chosen: dict[str, bytes] = {}

    def __getstate__(self) -> dict[str, Any]:
        repository = Repository(self.config_search_path)
        return vars(self) | {"repository": repository, "_chosen": {}}  # a worker finds its own choices in the folder

    def load_configuration(
        self,
        config_name: str | None,
        overrides: Sequence[str],
        run_mode: RunMode,
        from_shell: bool = True,
        validate_sweep_overrides: bool = True,
    ) -> DictConfig:
        """Compose as Hydra does, which is asked for all but plain choices of files and plain values.

        Parameters
        ----------
        config_name, overrides, run_mode, from_shell, validate_sweep_overrides
            Hydra's own.

        Raises
        ------
        HydraException, OmegaConfBaseException
            What Hydra raises; nothing is kept of it.
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
        searched = word.key_or_group == "hydra.searchpath"  # where files are looked for
        return _is_plain(word) and not searched and not self.repository.group_exists(word.key_or_group)

    def _choose(self, config_name: str | None, words: Sequence[Override]) -> DictConfig:
        """Return what Hydra composes of a choice of files; the caller may change it."""
        lines = [str(word.input_line) for word in words]
        origin = "\0".join([self._origin, str(config_name), str(JobRuntime().get("name")), *lines])
        if origin not in self._chosen:
            composed = self._composed(config_name, words, lines, origin)
            try:
                self._chosen[origin] = pickle.dumps(composed)
            except pickle.PicklingError:  # in a worker, where Hydra loads its plugins' classes a second time
                return composed
        config: DictConfig = pickle.loads(self._chosen[origin])  # of this process; five times as fast as a deep copy
        return config

    def _composed(
        self, config_name: str | None, words: Sequence[Override], lines: list[str], origin: str
    ) -> DictConfig:
        """Return what is found in the cache folder, with Hydra's own part as Hydra composes it now."""
        anew = super().load_configuration
        own = [word for word in words if word.is_hydra_override()]
        if len(own) == len(words):
            return anew(config_name, lines, RunMode.RUN)
        base = self._choose(config_name, own)
        made: list[DictConfig] = []

        def make() -> bytes:
            made.append(anew(config_name, lines, RunMode.RUN))
            return _packed(made[0], base)

        packed = cached_bytes(default_cache_dir() / "composed", origin.encode(), make)
        found = None if made else _unpacked(packed, base)
        return found or (made or [anew(config_name, lines, RunMode.RUN)])[0]


NOTHING = b"null"
"""In the cache folder: a choice of files that changes Hydra's own part as well, and is composed each time."""


def _packed(config: DictConfig, base: DictConfig) -> bytes:
    """Return all but Hydra's part of a configuration as JSON; `NOTHING` if that part is not as in `base`.

    Hydra's part names classes and functions that it calls: it never comes from a file that others may have written.
    """
    schemas = {name: _schema_name(config, str(name)) for name in config if name != "hydra"}
    values, known = (_container(each) for each in (config, base))
    own = values.pop("hydra")
    choices = own["runtime"].pop("choices")
    del known["hydra"]["runtime"]["choices"]
    for each in (own, known["hydra"]):
        each["overrides"]["task"], each["job"]["override_dirname"] = [], ""  # see `_sign`
    if own != known["hydra"]:
        return NOTHING
    return json.dumps({"schemas": schemas, "values": values, "choices": choices}).encode()


def _container(config: DictConfig) -> dict[str, Any]:
    return cast(dict[str, Any], OmegaConf.to_container(config, resolve=False, enum_to_str=True))


def _unpacked(packed: bytes, base: DictConfig) -> DictConfig | None:
    """Return what `_packed` took apart: `base` with other values, each as its schema has it; None if it cannot be."""
    known = _schemas(base)
    try:
        told = json.loads(packed)
        schemas, choices = told["schemas"], told["choices"]
        with open_dict(base):
            for name, schema in schemas.items():
                value = told["values"][name]
                base[name] = value if schema is None else OmegaConf.merge(OmegaConf.structured(known[schema]), value)
            base.hydra.runtime.choices = choices
    except (ValueError, KeyError, TypeError, OmegaConfBaseException):  # `NOTHING`, or not a file of ours
        return None
    return base


def _schema_name(config: DictConfig, name: str) -> str | None:
    kind: Any = OmegaConf.get_type(config, name)
    return f"{kind.__module__}.{kind.__qualname__}" if isinstance(kind, type) and is_dataclass(kind) else None


def _schemas(base: DictConfig) -> dict[str | None, Any]:
    """Return the schemas that a setting or a group may have, by their names."""
    kinds = [OmegaConf.get_type(base, str(name)) for name in base if name != "hydra"]
    repository = ConfigStore.instance().repo
    groups = [repository.get("algo", {}), repository.get("schema", {}).get("kernel", {})]
    kinds += [OmegaConf.get_type(node.node) for group in groups for node in group.values()]
    return {f"{kind.__module__}.{kind.__qualname__}": kind for kind in kinds if is_dataclass(kind)}


def _is_plain(word: Override) -> bool:
    """Whether a word is NAME=VALUE, with one value."""
    return word.type is OverrideType.CHANGE and word.package is None and not word.is_sweep_override()


@cache
def _parsed(word: str) -> Override:
    (override,) = OverridesParser.create().parse_overrides([word])
    return override


def _sign(config: DictConfig, given: Sequence[Override]) -> None:
    """Put down in Hydra's own part what was asked for, and where."""
    ours = [word for word in given if not word.is_hydra_override()]
    config.hydra.overrides.task = [word.input_line for word in ours]
    config.hydra.overrides.hydra = [word.input_line for word in given if word.is_hydra_override()]
    config.hydra.runtime.cwd = str(Path.cwd())
    job = config.hydra.job
    with open_dict(config.hydra):
        job.env_set.update({name: os.environ[name] for name in job.env_copy})
    job.override_dirname = get_overrides_dirname(overrides=ours, **job.config.override_dirname)


def checksum(folders: Sequence[Path]) -> str:
    """Return the SHA-256, in hexadecimal, of all that a composition depends on, but for the words.

    Parameters
    ----------
    folders : sequence of Path
        Where Hydra looks for files.
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
    """Describe a type, however deep: its name, an enumeration's members, a dataclass's fields, its parameters."""
    members = [*kind.__members__] if isinstance(kind, EnumType) else []
    fields = [(name, _type(hint)) for name, hint in get_type_hints(kind).items()] if is_dataclass(kind) else []
    return str(kind), members, fields, [_type(part) for part in get_args(kind)]
