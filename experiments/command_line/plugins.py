"""Where Hydra finds the options of this program; registered by the program itself, so that no other one meets them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hydra.core.config_search_path import ConfigSearchPath
from hydra.core.object_type import ObjectType
from hydra.core.plugins import Plugins
from hydra.plugins.config_source import ConfigResult, ConfigSource
from hydra.plugins.search_path_plugin import SearchPathPlugin
from omegaconf import OmegaConf

from svm_cost_curves.datasets.spec import NAMED, NAMED_OPTION
from svm_cost_curves.experiments.configuration.choices import GROUPS, option_files
from svm_cost_curves.experiments.configuration.options import read_options

_SCHEME = "svm-cost-curves"


class OptionsPath(SearchPathPlugin):
    """Puts `Options` before the other places in which Hydra finds options."""

    def manipulate_search_path(self, search_path: ConfigSearchPath) -> None:
        """See Hydra."""
        search_path.prepend(_SCHEME, f"{_SCHEME}://")


class Options(ConfigSource):
    """The options of `GROUPS`, which may come from somebody else (`read_options`), and ``dataset=SOURCE:NAME``.

    The latter have no files: each is the option ``dataset=SOURCE`` with one field set to what follows the colon.
    """

    @staticmethod
    def scheme() -> str:
        """See Hydra."""
        return _SCHEME

    def load_config(self, config_path: str) -> ConfigResult:
        """Return the settings of an option."""
        group, _, name = config_path.rpartition("/")
        if path := option_files(group).get(name):
            content = read_options(path)
        else:
            option = _named(config_path)
            assert option is not None  # `is_config`
            content = {"defaults": [option["source"], "_self_"], NAMED[option["source"]]: option["name"]}
        return ConfigResult(self.provider, self.full_path(), OmegaConf.create(content), header={"package": None})

    def available(self) -> bool:
        """See Hydra."""
        return True

    def is_group(self, config_path: str) -> bool:
        """Return whether a path is a group of this source."""
        return config_path in GROUPS

    def is_config(self, config_path: str) -> bool:
        """Return whether a path is an option of this source."""
        group, _, name = config_path.rpartition("/")
        return (group in GROUPS and name in option_files(group)) or _named(config_path) is not None

    def list(self, config_path: str, results_filter: ObjectType | None) -> Sequence[str]:  # type: ignore[override]
        """Return the names of a group's options that have files."""
        wanted = config_path in GROUPS and results_filter is not ObjectType.GROUP
        return sorted(option_files(config_path)) if wanted else []


def _named(config_path: str) -> re.Match[str] | None:
    group, _, name = config_path.partition("/")  # a path has slashes of its own
    return NAMED_OPTION.fullmatch(name) if group == "dataset" else None


def register_plugins() -> None:
    """Register the plugins with Hydra; again is as well as once."""
    for plugin in (OptionsPath, Options):
        Plugins.instance().register(plugin)
