"""The options ``dataset=sklearn:NAME``, ``dataset=openml:NAME:VERSION`` and ``dataset=file:PATH`` for Hydra.

Each is the option ``dataset=SOURCE`` with one field set to what follows the colon. Hydra finds plugins in packages of
this name only.
"""

from __future__ import annotations

from collections.abc import Sequence

from hydra.core.config_search_path import ConfigSearchPath
from hydra.core.object_type import ObjectType
from hydra.plugins.config_source import ConfigResult, ConfigSource
from hydra.plugins.search_path_plugin import SearchPathPlugin
from omegaconf import OmegaConf

from svm_cost_curves.datasets.spec import NAMED, NAMED_OPTION

_SCHEME, _GROUP = "named-data", "dataset/"


class NamedDataPath(SearchPathPlugin):
    """Adds `NamedData` to the places in which Hydra finds options."""

    def manipulate_search_path(self, search_path: ConfigSearchPath) -> None:
        """See Hydra."""
        search_path.append("named-data", f"{_SCHEME}://")


class NamedData(ConfigSource):
    """The options ``dataset=SOURCE:NAME``: no files, each is made when it is asked for."""

    @staticmethod
    def scheme() -> str:
        """See Hydra."""
        return _SCHEME

    def load_config(self, config_path: str) -> ConfigResult:
        """Return ``dataset=SOURCE`` with the field that the name sets."""
        option = NAMED_OPTION.fullmatch(config_path.removeprefix(_GROUP))
        assert option is not None  # `is_config`
        content = {"defaults": [option["source"], "_self_"], NAMED[option["source"]]: option["name"]}
        return ConfigResult(self.provider, self.full_path(), OmegaConf.create(content), header={"package": None})

    def available(self) -> bool:
        """See Hydra."""
        return True

    def is_group(self, config_path: str) -> bool:
        """See Hydra."""
        return False

    def is_config(self, config_path: str) -> bool:
        """Return whether a path is an option of this source."""
        name = config_path.removeprefix(_GROUP)
        return name != config_path and NAMED_OPTION.fullmatch(name) is not None

    def list(self, config_path: str, results_filter: ObjectType | None) -> Sequence[str]:  # type: ignore[override]
        """Return no options: there is one for each name."""
        return []
