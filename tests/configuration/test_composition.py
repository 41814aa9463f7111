"""OmegaConf composes the same settings as Hydra from the same files."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from itertools import cycle, product
from typing import Any

import pytest
from hydra import compose as hydra_compose
from hydra import initialize_config_dir
from hypothesis import given, settings
from hypothesis import strategies as st

from svm_cost_curves.experiments.command_line.words import register
from svm_cost_curves.experiments.configuration.choices import CONF
from svm_cost_curves.experiments.configuration.composition import compose, config_of, option_names, settings_of
from svm_cost_curves.experiments.configuration.explain import COMPOSITION_ERRORS, explain
from svm_cost_curves.experiments.reproduction.spec import SCALES, catalogue, overrides_of, read_figure
from svm_cost_curves.solvers import SettingsError

CHOICES = [
    *(f"algo={name} dataset={other}" for name, other in zip(option_names("algo")[::2], cycle(option_names("dataset")))),
    *(f"kernel={name} dataset=mnist" for name in option_names("kernel")),
    "protocol=elsewhere_linear dataset=web algo=sbp",
    *(f"store={name} store.uri=http://host:5000" for name in option_names("store")),
    "dataset=sklearn:iris dataset.scaling=none seed=2",
    "dataset=openml:a9a:2",
    f"dataset=file:a/{'b' * 300}.csv dataset.label_column=class",
    "",
]
VALUES = [
    ("algo=minibatch_sdca", "algo.variant=safe", "dataset=rcv1_ccat_subset", "dataset.positive=[1, 2]"),
    ("dataset=file", "dataset.train='a b,c.svm'", 'dataset.test="x=y"', "budget=default", "budget.seconds=3"),
    ("problem={C: 3, bias: true}", "problem.C=4"),
    ("budget={epochs: 3}", "++seed=3", "store.root=''", "dataset.positive=['3']"),
    ("algo.eta=1", "algo=pegasos", "algo=sbp"),
    ("budget.epochs=null", "budget.kernel_evaluations=1e9", "memory=12GiB", "threads='2'", "checkpoint_seconds=null"),
    ("model=${oc.env:HOME}/a.npz", "budget.epochs=${seed}", "seed=7"),
]
OLD = "budget." + "checkpoints"
WRONG = [
    *("budget.epochs=often", "budget.epochs=", "seed=1.5", "seed=true", "algo.draws=three", "problem.bias=maybe"),
    *("algo.foo=3", "nowhere.x=3", "nowhere=3", "+dataset.made_up=1", "kernel.degree=2"),
    *("dataset=nowhere", "dataset=nowhere:iris", "dataset=file:", "algo=spb", "kernel=gausian", "protocol=[x]"),
    *("dataset.positive=[1", "sbp", "preset.data.kernel=linear", "seed=${oc.env:HOME}", "dataset.files=[{a: b}]"),
]


@pytest.fixture(scope="module", autouse=True)
def hydra() -> Iterator[None]:
    register()
    with initialize_config_dir(str(CONF), version_base="1.3"):
        yield


def both(words: Sequence[str]) -> tuple[object, object]:
    """The configuration by OmegaConf and by Hydra, or what each of them says is wrong."""
    answers: list[object] = []
    for composed in (lambda: compose(words), lambda: hydra_compose("config", [*words])):
        try:
            config = config_of(composed())
            answers.append((dataclasses.asdict(config), type(config.algo), type(config.kernel)))
        except (*COMPOSITION_ERRORS, SettingsError) as error:
            answers.append(explain(error))
    return answers[0], answers[1]


@pytest.mark.parametrize("words", CHOICES)
def test_every_option_is_composed_as_by_hydra(words: str) -> None:
    ours, hydras = both(words.split())
    assert ours == hydras
    assert isinstance(ours, tuple)


@pytest.mark.parametrize("words", VALUES, ids=" ".join)
def test_values_are_those_of_hydras_grammar(words: tuple[str, ...]) -> None:
    ours, hydras = both(words)
    assert ours == hydras
    assert isinstance(ours, tuple)


@pytest.mark.parametrize("word", WRONG)
def test_a_wrong_word_is_explained_as_hydras_error_is(word: str) -> None:
    ours, hydras = both([word])
    assert ours == hydras
    assert isinstance(ours, str)


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("problem.C=1,2", "problem.C=1,2: several values are a sweep, which needs -m"),
        ("seed=range(3)", r"seed=range\(3\): several values are a sweep"),
        (
            "dataset.drop_columns=0,1",
            r".*which needs -m .*; a list is written in brackets, dataset\.drop_columns=\[0,1\]",
        ),
        ("dataset.positive=8,9", r".*which needs -m .*, dataset\.positive=\[8,9\], with quotes for the shell$"),
        ("problem.C=1,000,000", r".*which needs -m .*; one number has no commas, problem\.C=1000000$"),
        ("problem.C=1,5", r".*which needs -m .*; one number has a point, problem\.C=1\.5$"),
        ("dataset.train=a,b.svm", r".*a comma within a text needs quotes, as in \"dataset\.train='a,b\.svm'\"$"),
        ("protocol=a,b", r"protocol=a,b: several values are a sweep, which needs -m \(or --multirun\)$"),
        ("threads=1,000", r".*which needs -m .*; one number has no commas, threads=1000$"),
        ("algo=sbp,smo", r"algo=sbp,smo: several values are a sweep, which needs -m \(or --multirun\)$"),
        (
            "dataset.positive=[true]",
            r"dataset\.positive\[0\] must be .* a text, got true; .* as \[\"true\"\] or \[\"yes\"\]$",
        ),
        ("dataset.positive=[1,null]", r"dataset\.positive\[1\] must be .*, got null; .* as \[\"null\"\]$"),
        ("dataset.positive=[[1]]", r"dataset\.positive\[0\] must be .*, got a list$"),
        ("dataset.positive=[{a:1}]", r"dataset\.positive\[0\] must be .*, got a group$"),
        ("dataset.drop_columns=[true]", r"dataset\.drop_columns\[0\] must be a whole number, got true$"),
        ("seed=${seed}", r"seed=\${seed} cannot be resolved: it refers to itself$"),
        ("dataset=file:${a}.csv", r"dataset\.train=\${a}\.csv cannot be resolved: there is no setting 'a'$"),
        ("dataset.positive=[${a}]", r"dataset\.positive\[0\] cannot be resolved: there is no setting 'a'$"),
        ("~kernel", "~kernel: a setting is NAME=VALUE"),
        ("kernel@problem=linear", "kernel@problem=linear: a setting is NAME=VALUE"),
        ("algo=3", "unknown algorithm '3'; .*known: asset, "),
        ("dataset=null", "unknown data set 'None'; .*known: adult, "),
        ("hydra.verbose=true", "unknown setting 'hydra'; known are algo, "),
        ("algo=spb", "unknown algorithm 'spb'; did you mean sbp"),
        ("dataset=adlt", "unknown data set 'adlt'; did you mean adult"),
        ("dataset=folder/points.csv", "unknown data set 'folder/points.csv'; .* dataset=file:folder/points.csv"),
        ("dataset=/folder/points.csv", "unknown data set '/folder/points.csv'; .* dataset=file:/folder/points.csv"),
        ("store=/folder/runs", "unknown store '/folder/runs'; known: local, server"),
        ("budget.epoch=3", "unknown setting 'budget.epoch'; did you mean epochs"),
        ("algo.eta=abc", "algo.eta must be a number, got 'abc'"),
        ("problm.C=1", "unknown setting 'problm'; did you mean problem"),
        ("+budget.nothing=1", r"unknown setting 'budget\.nothing'; budget has epochs, "),
        ("+nothing=1", "unknown setting 'nothing'; known are algo, dataset, "),
        ("seed=${oc.env:HOME}", r"seed must be a whole number, got"),
        *(
            (f"{word}={value}", rf"{OLD} is now called budget\.evaluations$")
            for word in (OLD, f"+{OLD}")
            for value in (5, None)
        ),
        *((f"{name}=${{oc.env:HOME}}", f"{name} must be a list") for name in ("dataset.positive", "dataset.parts")),
        ("dataset.expected_train=${oc.env:HOME}", "dataset.expected_train must be a group of settings"),
    ],
)
def test_a_wrong_word_is_refused_with_one_line(word: str, message: str) -> None:
    with pytest.raises(SettingsError, match=f"^{message}") as refused:
        config_of(compose([word]))
    assert len(str(refused.value).splitlines()) == 1


def words_of_figures() -> list[tuple[str, ...]]:
    """Few commands of figures, long ones first, that together have each of their settings, and each list."""
    specs = [read_figure(name) for name in catalogue()]
    commands = [
        overrides_of(series, spec.scale(scale).overrides, dataset, dataset)
        for spec in specs
        for series, scale, dataset in product(spec.curves, SCALES, spec.datasets)
    ]
    seen: set[str] = set()
    chosen: list[tuple[str, ...]] = []
    for words in sorted(commands, key=len, reverse=True):
        told = {word if "[" in word else word.partition("=")[0] for word in words}
        if told - seen:
            seen |= told
            chosen.append(words)
    return chosen


@pytest.mark.slow
def test_the_words_of_figures_are_composed_as_by_hydra() -> None:
    commands = words_of_figures()
    assert len(commands) > 20
    for words in commands:
        ours, hydras = both(words)
        assert ours == hydras, words
        assert isinstance(ours, tuple), words


SETTINGS = {
    "seed": st.integers(0, 99).map(str),
    "algo": st.sampled_from(["sbp", "smo"]),
    "kernel": st.sampled_from(["linear", "gaussian"]),
    "kernel.sigma2": st.sampled_from(["1", "2.5"]),
    "problem.bias": st.sampled_from(["true", "false", "null"]),
    "problem.nu": st.floats(1e-9, 1).map(str),
    "store.root": st.text("ab/ 'é=", min_size=1).map(lambda text: "'" + text.replace("'", r"\'") + "'"),
}


@settings(max_examples=5)
@given(st.fixed_dictionaries({}, optional=SETTINGS).flatmap(lambda chosen: st.permutations([*chosen.items()])))
def test_the_order_of_words_is_free(chosen: list[tuple[str, str]]) -> None:
    ours, hydras = both(["=".join(setting) for setting in chosen])
    assert ours == hydras


def test_a_composition_may_be_changed() -> None:
    first: Any = compose(["algo=sbp"])
    first.seed, first.problem.C, first.dataset.positive = 5, 7.0, [1]
    assert (compose(["algo=sbp"]).seed, compose(["algo=sbp"]).problem.C) == (0, None)
    assert settings_of(["algo=sbp"]).dataset.positive != [1]
