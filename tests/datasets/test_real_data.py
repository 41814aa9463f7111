"""The named data sets: Adult comes with the project, the files of the others are in ``SVM_DATA_MIRROR``."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from svm_cost_curves.datasets import DataError, Dataset, DatasetSpec, Stream, fingerprint, load
from svm_cost_curves.datasets.fetch import MIRROR_VARIABLE, mirrors_from_environment

Loaded = Callable[..., Dataset]

pytestmark = pytest.mark.real_data

# n, n_test, d, positives, positives of test
COUNTS = {
    "adult": (32561, 16281, 123, 7841, 3846),
    "mnist": (60000, 10000, 784, 5851, 974),
    "reuters_money_fx": (7770, 3299, 8315, 538, 179),
    "ijcnn1": (49990, 91701, 22, 4853, 8712),
    "web": (49749, 14951, 300, 1479, 454),
    "rcv1_ccat_subset": (8000, 19613, 47236, 3630, 8843),
    "australian": (480, 210, 14, 217, 90),
    "breast_cancer": (478, 205, 10, 167, 72),
    "diabetes": (538, 230, 8, 345, 155),
    "german_numer": (700, 300, 24, 194, 106),
    "mnist_3_5": (11552, 1902, 784, 6131, 1010),
    "mushrooms": (4000, 4124, 112, 2074, 2134),
    "phishing": (6000, 5055, 68, 3351, 2806),
    "skin_nonskin": (200000, 45057, 3, 41450, 9409),
    "splice": (1000, 2175, 60, 517, 1131),
    "svmguide1": (3089, 4000, 4, 2000, 2000),
    "svmlight_example1": (2000, 600, 9947, 1000, 300),
}
SLOW = {
    "covtype_scaled": (83666, 9296, 54, 40852, 4476),
    "mnist_odd_even": (60000, 10000, 784, 30508, 5074),
    "newsgroups_autos_motorcycles": (1200, 800, 49370, 623, 377),
    "newsgroups_baseball_hockey": (1200, 800, 49370, 623, 377),
    "newsgroups_christian_atheism": (1197, 800, 49370, 576, 421),
    "newsgroups_mac_pc": (1200, 800, 49370, 577, 423),
    "reuters_acq": (9603, 3299, 16293, 1650, 719),
    "reuters_earn": (9603, 3299, 16293, 2877, 1087),
    "reuters_grain": (9603, 3299, 16293, 433, 149),
}


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


@pytest.mark.parametrize("name", [*COUNTS, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)])
def test_counts(name: str, loaded: Loaded, compose: Callable[..., DatasetSpec], cache: Path) -> None:
    data, again = loaded(name), load(compose(name), cache_dir=cache)
    positives, positives_test = int((data.y > 0).sum()), int((data.y_test > 0).sum())
    assert (data.n, data.y_test.size, data.d, positives, positives_test) == (COUNTS | SLOW)[name]
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
