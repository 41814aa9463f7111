"""What is composed with choices of files that were made before is what Hydra composes from the beginning."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from hydra._internal.config_loader_impl import ConfigLoaderImpl
from hydra.core.global_hydra import GlobalHydra
from hydra.types import RunMode
from hypothesis import given, settings
from hypothesis import strategies as st
from omegaconf import DictConfig, OmegaConf

from experiments.configuration.composition import COMPOSITION_ERRORS, composing, explain
from experiments.configuration.composition_cache import Loader

WORDS = [
    (),
    ("algo=sbp", "dataset=adult"),
    ("algo=sbp", "dataset=adult", "kernel.sigma2=3", "problem.nu=0.1", "seed=3"),
    ("algo=pegasos", "dataset=adult", "problem.lambda_=1e-4", "budget.epochs=null", "threads=2"),
    ("algo=minibatch_sdca", "algo.variant=safe", "dataset=rcv1_ccat_subset", "dataset.positive=[1, 2]"),
    ("dataset=file", "dataset.train='a b,c.svm'", 'dataset.test="x=y"', "budget=default", "budget.seconds=3"),
    ("hydra/launcher=basic", "hydra.sweep.dir='it\\'s here'", "hydra.job.name=named", "seed=1", "hydra.verbose=true"),
    ("hydra.job.env_copy=[HOME]", "hydra.job.config.override_dirname.exclude_keys=[seed]", "seed=1", "threads=2"),
    ("problem={C: 3, bias: true}", "problem.C=4"),
    ("+dataset.made_up=1", "seed=2"),
    ("~kernel", "seed=2"),
    ("kernel@problem=linear",),
    ("algo.eta=1", "algo=pegasos"),
    ("algo=sbp", "algo=smo"),
    ("algo=sbp", "algo.foo=3"),
    ("algo=3",),
    ("budget.epochs=often",),
    ("seed=1", "seed=often"),
    ("problem.C=1,2",),
    ("seed=range(3)", "algo=sbp"),
    ("dataset.positive=[1",),
    ("nowhere.x=3",),
    ("nowhere=3",),
    ("dataset=nowhere", "problem.C=1"),
    ("dataset=sklearn:iris", "dataset.scaling=none", "seed=2"),
    ("dataset=openml:a9a:2",),
    ("dataset=file:a/b.csv", "dataset.label_column=class"),
    ("dataset=nowhere:iris",),
    ("hydra.searchpath=[pkg://nowhere]",),
]


class Loaders(NamedTuple):
    ours: Loader
    hydras: ConfigLoaderImpl


@pytest.fixture(scope="module")
def loaders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loaders]:
    with pytest.MonkeyPatch.context() as patch, composing():
        patch.setenv("SVM_DATA_CACHE", str(tmp_path_factory.mktemp("cache")))
        assert GlobalHydra.instance().hydra is not None
        ours = GlobalHydra.instance().hydra.config_loader
        assert isinstance(ours, Loader)
        yield Loaders(ours, ConfigLoaderImpl(ours.get_search_path()))


def outcome(load: Callable[[Sequence[str]], DictConfig], words: Sequence[str]) -> tuple[object, ...]:
    """All that a job sees: values, types, what may be changed; or what is wrong."""
    try:
        config = load(words)
    except (*COMPOSITION_ERRORS, ValueError) as error:
        return type(error), explain(error)
    flags = [OmegaConf.is_struct(config), OmegaConf.is_readonly(config), OmegaConf.is_readonly(config.hydra)]
    types = [OmegaConf.get_type(config, name) for name in config]
    return OmegaConf.to_yaml(config), OmegaConf.to_object(config.problem), flags, types


@pytest.mark.filterwarnings("ignore:provider=hydra.searchpath")
@pytest.mark.parametrize("words", WORDS, ids=" ".join)
def test_they_are_the_same(loaders: Loaders, words: tuple[str, ...]) -> None:
    anew = outcome(lambda words: loaders.hydras.load_configuration("config", [*words], RunMode.RUN), words)
    for _ in range(2):  # the second time from what was kept
        assert outcome(lambda words: loaders.ours.load_configuration("config", words, RunMode.RUN), words) == anew


SETTINGS = {
    "seed": st.integers(0, 99).map(str),
    "algo": st.sampled_from(["sbp", "smo"]),
    "kernel": st.sampled_from(["linear", "gaussian"]),
    "kernel.sigma2": st.sampled_from(["1", "2.5"]),
    "problem.bias": st.sampled_from(["true", "false", "null"]),
    "problem.nu": st.floats(1e-9, 1).map(str),
    "hydra.verbose": st.sampled_from(["true", "false"]),
    "store.root": st.text("ab/ 'é=", min_size=1).map(lambda text: "'" + text.replace("'", r"\'") + "'"),
}


@settings(max_examples=4)
@given(st.fixed_dictionaries({}, optional=SETTINGS).flatmap(lambda chosen: st.permutations([*chosen.items()])))
def test_jobs_of_a_sweep_have_them_in_another_process_too(loaders: Loaders, chosen: list[tuple[str, str]]) -> None:
    words = ["=".join(setting) for setting in chosen]
    sweep = loaders.hydras.load_configuration("config", ["hydra.sweep.dir=here"], RunMode.MULTIRUN)
    anew = outcome(lambda words: loaders.hydras.load_sweep_config(sweep, [*words]), words)
    sent = pickle.loads(pickle.dumps(loaders.ours))
    for ours in (loaders.ours, sent):
        assert outcome(lambda words, ours=ours: ours.load_sweep_config(sweep, [*words]), words) == anew


def test_a_worker_makes_one_loader_for_all_jobs(loaders: Loaders) -> None:
    first, second = (pickle.loads(pickle.dumps(loaders.ours)) for _ in range(2))
    assert first is second
    assert first is not loaders.ours


def test_a_sweep_is_composed_by_hydra(loaders: Loaders, tmp_path: Path) -> None:
    """Its words have several values, of which Hydra takes one after the other."""
    words = ["seed=range(3)", "algo=sbp,smo", f"hydra.sweep.dir={tmp_path}"]
    made = [loader.load_configuration("config", words, RunMode.MULTIRUN) for loader in loaders]
    assert made[0] == made[1]
    assert made[0].hydra.overrides.task == words[:2]
