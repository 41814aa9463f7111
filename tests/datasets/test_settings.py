"""Settings that have no effect on a data set are refused by name; sizes that follow from settings."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

import pytest
from omegaconf import OmegaConf

from svm_cost_curves.datasets import (
    DataError,
    DatasetConfig,
    DatasetSpec,
    FileData,
    PublishedData,
    SyntheticData,
    load,
    size_of,
    spec_of,
    training_rows,
)
from svm_cost_curves.datasets.spec import ExpectedSpec

Compose = Callable[..., DatasetSpec]
CONF = Path(__file__).parents[2] / "conf" / "dataset"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["digits", "train=/nonexistent.svm"], "dataset.train has no effect on dataset=digits: it is for kind file"),
        (["digits", "topic=GCAT"], "dataset.topic .* it is for kind published"),
        (["digits", "label_column=0"], "dataset.label_column .* it is for kind published and file"),
        (["adult", "label_column=0"], "dataset.label_column .* CSV, Parquet and ARFF"),
        (["adult", "topic=GCAT"], "dataset.topic .* files? of topics"),
        (["adult", "entry=wine"], "dataset.entry has no effect on dataset=adult: it is for kind sklearn and openml"),
        (["sklearn", "entry=wine", "drop_columns=[0]"], "dataset.drop_columns .* openml"),
        (["mnist", "zero_based=true"], "dataset.zero_based .* LIBSVM text"),
        (["adult", "n=100"], "dataset.n has no effect on dataset=adult"),
        (["adult", "split_seed=3"], "dataset.split_seed .* no rows are drawn"),
        (["adult", "test_fraction=0.5"], "dataset.test_fraction .* it has its own test rows"),
        (["adult", "ngrams=2"], "dataset.ngrams .*messages"),
        (["mnist", "shape=noisy"], "dataset.shape .* kind synthetic"),
        (["newsgroups_binary", "test_fraction=0.5"], "dataset.test_fraction .* dataset.test_count says how many"),
        (["digits", "parts=[100,50,50]", "test_fraction=0.5"], "dataset.parts says how rows are divided"),
        (["synthetic", "noise=0.3"], "dataset.noise has no effect on dataset=synthetic: it is for dataset.shape=noisy"),
        (["synthetic", "rare=0.3"], "dataset.rare has no effect on dataset=synthetic: it is for dataset.shape=rare"),
        (["synthetic", "test=x.svm"], "dataset.test has no effect on dataset=synthetic"),
        (["synthetic", "sigma=2"], "dataset.sigma .* kind elastic"),
        (["file", "train=x.svm", "label_column=class"], "dataset.label_column .* dataset=file: it is for CSV"),
        (["file", "train=x.csv", "zero_based=true"], "dataset.zero_based"),
        (["file", "train=x.svm", "test=y.svm", "test_fraction=0.3"], "dataset.test_fraction"),
        (["digits", "kind=file"], "dataset.kind cannot be set by itself: choose a data set by dataset=NAME"),
    ],
)
def test_a_setting_without_effect_is_refused(compose: Compose, words: list[str], said: str) -> None:
    with pytest.raises(DataError, match=said):
        compose(*words)


@pytest.mark.parametrize(
    "words",
    [
        ["adult", "parts=[100,50,50]", "split_seed=1", "validate=true"],
        ["adult", "max_train=100", "split_seed=1"],
        ["digits", "test_fraction=0.5", "split_seed=2", "positive=[3]", "name=threes"],
        ["synthetic", "shape=noisy", "noise=0.3", "n=50", "d=3", "data_seed=1"],
        ["synthetic", "shape=rare", "rare=0.3", "directions=4"],
        ["rcv1_c11", "topic=GCAT"],
        ["mnist_elastic", "n=100", "sigma=2", "validate=true"],
        ["file", "train=x.csv.gz", "label_column=class", "drop_columns=[0]", "positive=[spam]"],
        ["file", "train=x.npz", "test_fraction=0.3"],
        ["file", "train=x.arff", "label_column=class", "drop_columns=[0]"],
        ["sklearn", "entry=wine", "positive=[class_0]", "test_fraction=0.3"],
        ["openml", "entry=a9a:2", "drop_columns=[0]"],
        ["file", "train=x.tar", "format=messages", "ngrams=1"],
        ["file", "train=x.svm", "zero_based=true", "name=mine"],
    ],
)
def test_a_setting_with_effect_is_accepted(compose: Compose, words: list[str]) -> None:
    compose(*words)


def test_a_field_of_another_kind_in_a_file_is_refused_with_similar_ones() -> None:
    with pytest.raises(DataError, match=r"dataset.test has .* for kind file\. It has .*test_count.*mean max_test"):
        spec_of(DatasetConfig(name="mine", format="libsvm", test="x.svm"))
    assert spec_of(DatasetConfig(name="mine", test="x.svm"), ["test"], ["test"]) == PublishedData(name="mine")


def test_a_kind_that_does_not_exist_is_refused() -> None:
    with pytest.raises(DataError, match=r"dataset\.kind=fiel: unknown; allowed are published, sklearn"):
        spec_of(DatasetConfig(kind="fiel"))


def test_a_configuration_is_no_specification(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="spec_of"):
        load(DatasetConfig(name="mine"), cache_dir=tmp_path)


def test_every_field_has_an_effect_somewhere() -> None:
    words = [
        ("synthetic", "shape=noisy"),
        ("synthetic", "shape=margin"),
        ("synthetic", "shape=rare"),
        ("mnist_elastic",),
        ("rcv1_c11",),
        ("digits", "test_count=9"),
        ("sklearn", "entry=wine"),
        *(("file", f"train={name}") for name in ("x.csv", "x.npz", "x.svm", "x.arff")),
        ("file", "train=x.svm", "test=x.svm"),
        ("file", "train=x.tar", "format=messages"),
    ]

    def composed(name: str, *overrides: str) -> DatasetConfig:
        file = OmegaConf.load(CONF / f"{name}.yaml")
        config = OmegaConf.to_object(OmegaConf.merge(DatasetConfig, file, OmegaConf.from_dotlist([*overrides])))
        assert isinstance(config, DatasetConfig)
        return config

    def has_effect(field: str, config: DatasetConfig) -> bool:
        with contextlib.suppress(DataError):
            spec_of(config, [field])
            return True
        return False

    configs = [composed(*choice) for choice in words]
    for field in fields(DatasetConfig):
        if field.name != "kind":
            assert any(has_effect(field.name, config) for config in configs), field.name


FILE = ExpectedSpec(n=1000, nnz=5000)


def test_sizes_of_a_split_file() -> None:
    spec = PublishedData(d=2000, expected_train=FILE, test_fraction=0.3)
    size = size_of(spec)
    assert (training_rows(spec), size.n, size.n_test, size.d) == (700, 700, 300, 2000)
    assert size.stored == 5.0  # 5000 values in 1000 sparse rows
    assert size_of(PublishedData(d=2000, expected_train=FILE, test_count=50)).n == 950
    assert size_of(PublishedData(d=100, expected_train=FILE)).stored == 100  # dense


def test_samples_and_parts() -> None:
    expected = ExpectedSpec(n=400)
    size = size_of(PublishedData(expected_train=FILE, expected_test=expected, max_train=100, max_test=9999))
    assert (size.n, size.n_test) == (100, 400)
    parts = PublishedData(expected_train=FILE, parts=[600, 250, 150])
    assert (size_of(parts).n, size_of(parts).n_test) == (600, 150)
    parts.validate = True
    assert size_of(parts).n_test == 250


def test_generated_data_have_the_sizes_of_their_settings() -> None:
    spec = SyntheticData(n=300, n_test=40, d=7)
    assert (training_rows(spec), size_of(spec).n_test, size_of(spec).d) == (300, 40, 7)


def test_the_size_of_a_users_file_is_not_known() -> None:
    spec = FileData(train="x.svm")
    assert training_rows(spec) is None
    assert size_of(spec).n == 1500
