"""What was composed by an earlier command is found again, unless anything that it was made from has changed."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import pickle
import shutil
from pathlib import Path
from typing import Any

import pytest
from hydra import compose
from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra.core.config_store import ConfigStore
from hypothesis import given, settings
from hypothesis import strategies as st
from omegaconf import DictConfig

import solvers
from experiments.configuration import composition
from experiments.configuration.composition import CONF, composing, register, settings_of
from experiments.configuration.composition_cache import checksum
from experiments.configuration.schema import algo_schema
from experiments.configuration.settings import RunSettings
from solvers import SettingsError
from support.checksums import LENGTH

FILES = sorted(path.relative_to(CONF) for path in CONF.rglob("*.yaml"))


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("SVM_DATA_CACHE", str(folder))
    return folder


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What Hydra is asked for, but for its own part, which it composes once for each command."""
    asked: list[list[str]] = []
    real = ConfigLoaderImpl.load_configuration

    def load(loader: ConfigLoaderImpl, name: str, words: list[str], *others: Any) -> DictConfig:
        if words:
            asked.append(words)
        return real(loader, name, words, *others)

    monkeypatch.setattr(ConfigLoaderImpl, "load_configuration", load)
    return asked


def composed_settings(*words: str) -> RunSettings:
    """Compose as a command does that has just begun."""
    with composing():
        return settings_of(["algo=sbp", "dataset=adult", *words])


def test_a_second_command_does_not_ask_hydra(asked: list[list[str]]) -> None:
    first = composed_settings()
    assert (composed_settings(), composed_settings("seed=3").seed) == (first, 3)
    assert composed_settings("kernel.sigma2=3").kernel != first.kernel
    assert asked == [["algo=sbp", "dataset=adult"]]
    assert composed_settings("kernel=linear").kernel != first.kernel
    assert len(asked) == 2


def test_a_choice_that_there_is_not_is_not_kept(asked: list[list[str]]) -> None:
    for _ in range(2):
        with composing(), pytest.raises(SettingsError, match="unknown algorithm 'spb'"):
            settings_of(["algo=spb"])
    assert len(asked) == 2


def test_a_file_that_has_changed_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    conf = tmp_path / "conf"
    shutil.copytree(CONF, conf)
    monkeypatch.setattr(composition, "CONF", conf)
    assert composed_settings().seed == 0
    config = conf / "config.yaml"
    config.write_text(config.read_text().replace("\nseed: 0 ", "\nseed: 7 "))
    assert composed_settings().seed == 7


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    register()
    return Path(shutil.copytree(CONF, tmp_path_factory.mktemp("conf") / "conf"))


@pytest.fixture(scope="module")
def real_origin(copied: Path) -> str:
    return checksum([CONF])


@settings(max_examples=12)
@given(st.sampled_from(FILES), st.data())
def test_the_checksum_is_of_every_file(copied: Path, real_origin: str, name: Path, data: st.DataObject) -> None:
    path = copied / name
    real = path.read_bytes()
    content = bytearray(real)
    content[data.draw(st.integers(0, len(real) - 1))] ^= data.draw(st.integers(1, 255))
    same = checksum([copied])
    path.write_bytes(content)
    changed = checksum([copied])
    path.write_bytes(real)
    moved = checksum([path.rename(copied / "other.yaml").parent])
    (copied / "other.yaml").rename(path)
    assert same == real_origin
    assert len({same, changed, moved}) == 3


def test_a_schema_that_has_changed_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    store = ConfigStore.instance()
    register()  # also where no test before this one has
    with monkeypatch.context() as patched:
        patched.setattr(store, "repo", {**store.repo})
        patched.setitem(store.repo, "algo", {**store.repo["algo"]})
        origins = [checksum([CONF])]
        for schema in (One, Another):
            store.store(group="algo", name="mine", node=schema)
            origins.append(checksum([CONF]))
        store.store(group="algo", name="sbp", node=algo_schema("smo", solvers.get("smo").Settings))
        origins.append(checksum([CONF]))
    assert len(set(origins)) == 4
    assert checksum([CONF]) == origins[0]


def test_what_is_damaged_is_made_again(cache: Path, asked: list[list[str]]) -> None:
    first = composed_settings()
    (path,) = (cache / "compositions").iterdir()
    kept = path.read_bytes()
    for damaged in (b"", kept[:-1], kept[:100] + bytes([kept[100] ^ 1]) + kept[101:]):
        path.write_bytes(damaged)
        for _ in range(2):  # the second time from what the first has left
            assert composed_settings() == first
    assert len(asked) == 4


def test_without_a_place_hydra_is_asked_each_time(cache: Path, asked: list[list[str]]) -> None:
    cache.write_text("a file where a folder should be")
    for _ in range(2):
        with composing():
            assert settings_of(["algo=sbp", "seed=1"]).seed == settings_of(["algo=sbp", "seed=2"]).seed - 1
    assert len(asked) == 2


def test_no_file_of_the_cache_is_code(cache: Path) -> None:
    """A file that somebody else has put there, with a right checksum, changes values; it names nothing to call."""
    first = composed_settings()
    (path,) = (cache / "compositions").iterdir()
    packed = json.loads(path.read_bytes()[LENGTH:])
    assert "hydra" not in packed["settings"]
    assert "_target_" not in json.dumps(packed)
    packed["settings"]["hydra"] = [None, json.dumps({"callbacks": {"bad": {"_target_": "os.abort"}}})]
    packed["settings"]["seed"][1] = "5"
    content = json.dumps(packed).encode()
    path.write_bytes(hashlib.sha256(content).digest() + content)
    with composing():
        config = compose("config", ["algo=sbp", "dataset=adult"], return_hydra_config=True)
    assert config.seed == 5
    assert list(config.hydra.callbacks) == ["sweep"]
    path.write_bytes(hashlib.sha256(made := pickle.dumps(print)).digest() + made)
    assert composed_settings() == first


@dataclasses.dataclass(frozen=True)
class One:
    step: float = 1.0


@dataclasses.dataclass(frozen=True)
class Another:
    step: float = 2.0
