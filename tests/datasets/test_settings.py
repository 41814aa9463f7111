"""Settings that have no effect on a data set are refused by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields

import pytest

from datasets import DataError, DatasetSpec
from datasets.settings import TEXTS, check_used, unused_settings

Compose = Callable[..., DatasetSpec]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["digits", "train=/nonexistent.svm"], "dataset.train has no effect on dataset=digits: it is for dataset=file"),
        (["digits", "topic=GCAT"], "dataset.topic .* files? of topics"),
        (["digits", "label_column=0"], "dataset.label_column .* CSV, Parquet and ARFF"),
        (["adult", "entry=wine"], "dataset.entry has no effect on dataset=adult: it is for dataset=sklearn:NAME"),
        (["sklearn", "entry=wine", "drop_columns=[0]"], "dataset.drop_columns .* OpenML"),
        (["digits", "zero_based=true"], "dataset.zero_based .* LIBSVM text"),
        (["adult", "n=100"], "dataset.n has no effect on dataset=adult"),
        (["adult", "split_seed=3"], "dataset.split_seed .* no rows are drawn"),
        (["adult", "test_fraction=0.5"], "dataset.test_fraction .* it has its own test rows"),
        (["adult", "ngrams=2"], "dataset.ngrams .*messages"),
        (["mnist", "shape=noisy"], "dataset.shape .* dataset=synthetic"),
        (["newsgroups_binary", "test_fraction=0.5"], "dataset.test_fraction .* dataset.test_count says how many"),
        (["digits", "parts=[100,50,50]", "test_fraction=0.5"], "dataset.parts says how rows are divided"),
        (["synthetic", "noise=0.3"], "dataset.noise has no effect on dataset=synthetic: it is for dataset.shape=noisy"),
        (["synthetic", "rare=0.3"], "dataset.rare has no effect on dataset=synthetic: it is for dataset.shape=rare"),
        (["synthetic", "test=x.svm"], "dataset.test has no effect on dataset=synthetic"),
        (["synthetic", "sigma=2"], "dataset.sigma .*mnist_elastic"),
        (["file", "train=x.svm", "label_column=class"], "dataset.label_column .* dataset=file: it is for CSV"),
        (["file", "train=x.csv", "zero_based=true"], "dataset.zero_based"),
        (["file", "train=x.svm", "test=y.svm", "test_fraction=0.3"], "dataset.test_fraction"),
        (["digits", "kind=file"], "dataset.kind cannot be set by itself: choose a data set by dataset=NAME"),
    ],
)
def test_a_setting_without_effect_is_refused(compose: Compose, words: list[str], said: str) -> None:
    name, *settings = words
    given = [word.partition("=")[0] for word in settings]
    with pytest.raises(DataError, match=said):
        check_used(compose(name, *settings), given)


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
    name, *settings = words
    check_used(compose(name, *settings), [word.partition("=")[0] for word in settings])


def test_every_field_has_an_effect_somewhere(compose: Compose) -> None:
    specs = [
        compose("synthetic", "shape=noisy"),
        compose("synthetic", "shape=margin"),
        compose("synthetic", "shape=rare"),
        compose("mnist_elastic"),
        compose("rcv1_c11"),
        compose("digits", "test_count=9"),
        *(compose("file", f"train={name}", f"test={name}") for name in ("x.csv", "x.npz", "x.svm")),
        compose("file", "train=x.tar", "format=messages"),
    ]
    names = {field.name for field in fields(DatasetSpec)}
    never = set.intersection(*(set(unused_settings(spec, names)) for spec in specs))
    assert never == set()
    assert not any(TEXTS & unused_settings(spec, names).keys() for spec in specs)
