"""The named data sets: Adult comes with the project, the files of the others are in ``SVM_DATA_MIRROR``."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from svm_cost_curves.datasets import DataError, Dataset, DatasetSpec, Stream, fingerprint, load, size_of
from svm_cost_curves.datasets.fetch import MIRROR_VARIABLE, mirrors_from_environment

Loaded = Callable[..., Dataset]

pytestmark = pytest.mark.real_data

NAMES = "mnist_3_5 reuters_money_fx australian breast_cancer diabetes german_numer splice svmguide1 svmlight_example1"
SLOW = (
    "adult ijcnn1 mnist mushrooms phishing rcv1_ccat_subset skin_nonskin web covtype_scaled mnist_odd_even reuters_acq "
    "reuters_earn reuters_grain newsgroups_autos_motorcycles newsgroups_baseball_hockey newsgroups_christian_atheism "
    "newsgroups_mac_pc"
)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module")
def loaded(compose: Callable[..., DatasetSpec], cache: Path) -> Callable[..., Dataset]:
    """Load a named data set, or skip where the mirror does not hold it."""

    def run(name: str, *overrides: str) -> Dataset:
        if name != "adult" and not any(p.is_dir() for p in mirrors_from_environment()):
            pytest.skip(f"{MIRROR_VARIABLE} names no directory with the real files")
        try:
            return load(compose(name, *overrides), cache_dir=cache)
        except DataError as error:
            if "Cannot download" in str(error) or "not at hand" in str(error):
                pytest.skip(f"{os.environ[MIRROR_VARIABLE]} does not hold the files of {name}")
            raise

    return run


@pytest.mark.parametrize(
    "name", [*NAMES.split(), *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW.split())]
)
def test_it_loads_twice(name: str, loaded: Loaded, compose: Callable[..., DatasetSpec], cache: Path) -> None:
    """`load` compares with the counts in its file; the second time it reads the prepared cache."""
    data, again = loaded(name), load(compose(name), cache_dir=cache)
    size, groups = size_of(compose(name)), compose(name).negative
    assert data.d == size.d
    assert groups or (data.n, data.y_test.size) == (size.n, size.n_test)
    assert data.X_test.shape == (data.y_test.size, data.d)
    assert sparse.issparse(data.X) == name.startswith(("newsgroups", "rcv1", "reuters", "svmlight"))
    assert data.fingerprint == again.fingerprint == fingerprint(compose(name), cache_dir=cache)
    X, X_again = (a.data if sparse.issparse(a) else a for a in (data.X, again.X))
    np.testing.assert_array_equal(X, X_again)


def test_mnist_groups_and_scale(loaded: Loaded) -> None:
    data = loaded("mnist", "positive=[0,1,2,3,4]", "negative=[5,6,7,8,9]")
    assert (data.n, int((data.y > 0).sum())) == (60000, 30596)
    assert (data.X.min(), data.X.max()) == (0, 1)
    pair = loaded("mnist", "positive=[3]", "negative=[8]")
    assert (pair.n, pair.y_test.size) == (6131 + 5851, 1010 + 974)


def test_rows_of_unit_length_and_without_features(loaded: Loaded) -> None:
    reuters = loaded("reuters_money_fx")
    assert sparse.issparse(reuters.X)
    norms = np.sqrt(np.asarray(reuters.X.multiply(reuters.X).sum(axis=1)).ravel())
    np.testing.assert_allclose(norms, 1, atol=1e-5)
    web = loaded("web")
    assert web.provenance["counts"]["train"]["rows_without_features"] == 4203


@pytest.mark.slow
def test_newsgroups_binary_is_like_news20(loaded: Loaded) -> None:
    from sklearn.svm import LinearSVC

    data = loaded("newsgroups_binary")
    X, X_test = data.X, data.X_test
    assert sparse.issparse(X)
    assert sparse.issparse(X_test)
    assert (data.n, data.y_test.size, data.d, X.nnz + X_test.nnz) == (8000, 11997, 1350639, 9093502)
    assert int((data.y > 0).sum() + (data.y_test > 0).sum()) == 10000
    lengths = np.sqrt(np.asarray(X.multiply(X).sum(axis=1, dtype=np.float64)).ravel())
    np.testing.assert_allclose(lengths[lengths > 0], 1, atol=1e-6)
    assert data.provenance["counts"]["train"]["rows_without_features"] == int((lengths == 0).sum()) == 16
    error = 1 - LinearSVC(C=1, loss="hinge", random_state=0).fit(X, data.y).score(X_test, data.y_test)
    assert 0.04 < error < 0.055, "a much smaller one would mean that the header gives the group away"


def test_covtype_subset_is_a_stand_in(loaded: Loaded) -> None:
    data = loaded("covtype_subset")
    assert (data.n, data.y_test.size, data.d) == (83666, 9296, 54)
    assert int((data.y > 0).sum() + (data.y_test > 0).sum()) == 45328
    assert data.provenance["stand_in"] is True
    assert "subset" in data.provenance["stand_in_why"]
    scaled = loaded("covtype_subset", "scaling=minmax", "positive=[1]")
    assert (scaled.X.min(), scaled.X.max()) == (0, 1)
    assert scaled.fingerprint != data.fingerprint


@pytest.mark.parametrize(
    ("name", "parts"),
    [("adult", [32561, 8140, 8141]), ("ijcnn1", [113352, 14170, 14169]), ("mnist", [58100, 5950, 5950])],
)
def test_the_parts_of_the_asset_paper_are_all_rows(name: str, parts: list[int], loaded: Loaded) -> None:
    groups = ["positive=[0,1,2,3,4]", "negative=[5,6,7,8,9]"] if name == "mnist" else []
    data = loaded(name, f"parts={parts}", *groups)
    assert (data.n, data.y_test.size) == (parts[0], parts[2])
    assert f"drawn from all {sum(parts)}, " in data.provenance["split"]


def test_mnist_elastic_is_the_same_everywhere(loaded: Loaded) -> None:
    data = loaded("mnist_elastic")
    assert (data.n, data.y_test.size, data.d) == (1_000_000, 20_000, 784)
    assert (int((data.y > 0).sum()), int((data.y_test > 0).sum())) == (510_760, 10_278)
    assert isinstance(data.points, Stream)
    rows = data.points[np.array([0, 123_456, 999_999])]
    grey = np.rint(rows * 255).astype(np.uint8)
    assert hashlib.sha256(grey.tobytes()).hexdigest()[:16] == "8f70af2e43d27cef"
