"""Paths that a user names: home folders, and users that do not exist."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from svm_cost_curves.datasets.fetch import mirrors_from_environment
from svm_cost_curves.experiments.configuration.choices import check_model, folder, user_folders
from svm_cost_curves.experiments.store import Store
from svm_cost_curves.solvers.gram_store import default_directory
from svm_cost_curves.support.disk_cache import default_cache_dir
from svm_cost_curves.support.errors import UserError

READERS: dict[str, Callable[[], Any]] = {
    "SVM_DATA_CACHE": default_cache_dir,
    "SVM_DATA_MIRROR": lambda: mirrors_from_environment()[0],
    "SVM_GRAM_DIR": default_directory,
    "SVM_CONFIG_DIR": lambda: user_folders()[0],
}


@pytest.mark.parametrize("name", READERS)
def test_variables_know_home_folders_and_refuse_users_that_do_not_exist(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "~/x")
    assert READERS[name]() == Path.home() / "x"
    monkeypatch.setenv(name, "~no-such-user/x")
    with pytest.raises(UserError, match=rf"^{name}: ~no-such-user/x: there is no user no-such-user; "):
        READERS[name]()


@pytest.mark.parametrize("read", [lambda text: folder("store.root", text), check_model, Store.at])
def test_settings_refuse_users_that_do_not_exist(read: Callable[[str], Any]) -> None:
    with pytest.raises(UserError, match="there is no user no-such-user; a folder whose name begins with ~"):
        read("~no-such-user/x.npz")
