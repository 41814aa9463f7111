"""Sizes of data sets from their specifications."""

from __future__ import annotations

import pytest

from svm_cost_curves.datasets import FileData, PublishedData, SyntheticData, size_of, training_rows
from svm_cost_curves.datasets.spec import ExpectedSpec

FILE = ExpectedSpec(n=1000, nnz=5000)


def test_sizes_of_a_split_file() -> None:
    spec = PublishedData(d=2000, expected_train=FILE, test_fraction=0.3)
    size = size_of(spec)
    assert (training_rows(spec), size.n, size.n_test, size.d) == (700, 700, 300, 2000)
    assert size.stored == 5.0  # 5000 values in 1000 sparse rows
    assert size_of(PublishedData(d=2000, expected_train=FILE, test_count=50)).n == 950


def test_samples_and_parts() -> None:
    own = ExpectedSpec(n=400)
    size = size_of(PublishedData(expected_train=FILE, expected_test=own, max_train=100, max_test=9999))
    assert (size.n, size.n_test) == (100, 400)
    parts = PublishedData(expected_train=FILE, parts=[600, 250, 150])
    assert (size_of(parts).n, size_of(parts).n_test) == (600, 150)
    parts.validate = True
    assert size_of(parts).n_test == 250


def test_rows_with_few_features_are_dense() -> None:
    size = size_of(PublishedData(d=8, expected_train=FILE))
    assert size.stored == 8
    few = size_of(PublishedData(d=100, expected_train=FILE))
    assert few.stored == 100


def test_generated_data_have_the_sizes_of_their_settings() -> None:
    spec = SyntheticData(n=300, n_test=40, d=7)
    assert (training_rows(spec), size_of(spec).n_test, size_of(spec).d) == (300, 40, 7)


def test_the_size_of_a_users_file_is_not_known() -> None:
    spec = FileData(train="x.svm")
    assert training_rows(spec) is None
    assert size_of(spec).n == pytest.approx(1500)
