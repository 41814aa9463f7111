"""The user's folders of options, `CONFIG_DIR`, for Hydra, which finds plugins in packages of this name only."""

from __future__ import annotations

from hydra.core.config_search_path import ConfigSearchPath
from hydra.plugins.search_path_plugin import SearchPathPlugin

from svm_cost_curves.experiments.configuration.choices import user_folders


class UserFolders(SearchPathPlugin):
    """Adds the user's folders to the places in which Hydra finds options."""

    def manipulate_search_path(self, search_path: ConfigSearchPath) -> None:
        """See Hydra."""
        for folder in user_folders():
            search_path.append("user", f"file://{folder.resolve()}")
