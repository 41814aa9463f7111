"""Where Hydra finds the options of this program; registered by the program itself, so that no other one meets them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from hydra.core.config_search_path import ConfigSearchPath
from hydra.core.object_type import ObjectType
from hydra.core.plugins import Plugins
from hydra.plugins.config_source import ConfigResult, ConfigSource
from hydra.plugins.search_path_plugin import SearchPathPlugin
from omegaconf import OmegaConf

from ...datasets.spec import NAMED, NAMED_OPTION
from ..configuration.choices import GROUPS, option_files
from ..configuration.composition import option_names
from ..configuration.options import read_options
from ..configuration.schema import schema_of

_SCHEME = "svm-cost-curves"


class OptionsPath(SearchPathPlugin):
    """Puts `Options` before the other places in which Hydra finds options."""

    def manipulate_search_path(self, search_path: ConfigSearchPath) -> None:
        """See Hydra."""
        search_path.prepend(_SCHEME, f"{_SCHEME}://")


class Options(ConfigSource):
    """Gives Hydra the options of the solvers and of `GROUPS`.

    An option is made when Hydra asks for it: Hydra copies its whole ConfigStore twice for each command. The files of
    `GROUPS` may come from strangers, so `read_options` checks them.
    ``dataset=SOURCE:NAME`` has no file: it is ``dataset=SOURCE`` with one field set to what follows the colon.
    """

    @staticmethod
    def scheme() -> str:
        """See Hydra."""
        return _SCHEME

    def load_config(self, config_path: str) -> ConfigResult:
        """Return the settings of an option."""
        group, _, name = config_path.rpartition("/")
        content: Any
        if group == "algo":
            content = OmegaConf.structured(schema_of(name))
        elif path := option_files(group).get(name):
            content = OmegaConf.create(read_options(path))
        else:
            option: Any = _named(config_path)
            source, name = option["source"], option["name"]
            content = OmegaConf.create({"defaults": [source, "_self_"], NAMED[source]: name})
        return ConfigResult(self.provider, self.full_path(), content, header={"package": None})

    def available(self) -> bool:
        """See Hydra."""
        return True

    def is_group(self, config_path: str) -> bool:
        """Return whether a path is a group of this source."""
        return config_path == "algo" or config_path in GROUPS

    def is_config(self, config_path: str) -> bool:
        """Return whether a path is an option of this source."""
        group, _, name = config_path.rpartition("/")
        return name in self.list(group, None) or _named(config_path) is not None

    def list(self, config_path: str, results_filter: ObjectType | None) -> Sequence[str]:  # type: ignore[override]
        """Return the names of a group's options, but for ``SOURCE:NAME``."""
        is_group = results_filter is not ObjectType.GROUP and self.is_group(config_path)
        return option_names(config_path) if is_group else []


def _named(config_path: str) -> re.Match[str] | None:
    group, _, name = config_path.partition("/")  # a path has slashes of its own
    return NAMED_OPTION.fullmatch(name) if group == "dataset" else None


def register_plugins() -> None:
    """Register the plugins with Hydra; a second call changes nothing."""
    for plugin in (OptionsPath, Options):
        Plugins.instance().register(plugin)
