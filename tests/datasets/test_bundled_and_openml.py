"""The files in this project, the data sets that scikit-learn bundles, and those of openml.org."""

from __future__ import annotations

import hashlib
import lzma
import socket
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.error import URLError

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets
from scipy import sparse

from svm_cost_curves.datasets import DataError, DatasetSpec, OpenmlData, SklearnData, fetch, fingerprint, load
from svm_cost_curves.datasets.sklearn_data import CHECKSUMS, name_and_version
from svm_cost_curves.datasets.spec import named

Compose = Callable[..., DatasetSpec]


@pytest.mark.parametrize(
    ("name", "sizes", "positives"),
    [("adult", (32561, 123, 16281), (7841, 3846)), ("covtype_subset", (83666, 54, 9296), (40852, 4476))],
)
def test_a_bundled_data_set_needs_no_network_cache_or_folder_of_files(
    name: str,
    sizes: tuple[int, int, int],
    positives: tuple[int, int],
    tmp_path: Path,
    compose: Compose,
    no_mirror: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(socket, "socket", lambda *_, **__: pytest.fail("the network was used"))
    data = load(compose(name), cache_dir=tmp_path / "cache")
    assert (data.n, data.d, data.y_test.size) == sizes
    assert (int((data.y > 0).sum()), int((data.y_test > 0).sum())) == positives
    assert {Path(file["obtained_from"]).parent for file in data.provenance["files"]} == {fetch.BUNDLED}


def test_a_changed_bundled_file_is_not_used(
    tmp_path: Path, compose: Compose, no_mirror: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a9a", "a9a.t"):
        (tmp_path / name).write_text("1 1:1\n-1 2:1\n", encoding="utf-8")
    monkeypatch.setattr(fetch, "BUNDLED", tmp_path)
    with pytest.raises(DataError, match=r"Wrong checksum for a9a: expected sha256 f5d5ffd8"):
        load(compose("adult"), cache_dir=tmp_path / "cache")


def test_every_bundled_file_has_a_licence() -> None:
    text = (fetch.BUNDLED / "LICENSES.md").read_text(encoding="utf-8")
    packed = {path.name for path in fetch.BUNDLED.iterdir()} - {"LICENSES.md"}
    assert packed == {"a9a.xz", "a9a.t.xz", "covtype_subset_92962.csv.xz"}
    for name in packed:
        assert f"| `{name}` |" in text
        assert hashlib.sha256(lzma.decompress((fetch.BUNDLED / name).read_bytes())).hexdigest() in text


@pytest.mark.parametrize("name", CHECKSUMS)
def test_a_bundle_is_what_scikit_learn_returns(name: str, tmp_path: Path) -> None:
    bunch = getattr(sklearn.datasets, f"load_{name}")()
    last = str(max(bunch.target_names))
    spec = SklearnData(entry=name, positive=[last], parts=[bunch.target.size - 1, 0, 1])
    data = load(spec, cache_dir=tmp_path)
    X, y = (np.concatenate(parts) for parts in ((data.X, data.X_test), (data.y, data.y_test)))
    expected = bunch.data.astype(np.float32)
    order, wanted = np.lexsort([y, *X.T]), np.where(bunch.target_names[bunch.target].astype(str) == last, 1, -1)
    expected_order = np.lexsort([wanted, *expected.T])
    np.testing.assert_array_equal(X[order], expected[expected_order])
    np.testing.assert_array_equal(y[order], wanted[expected_order])
    assert data.name == f"sklearn:{name}"


def test_more_than_two_classes_are_refused_with_the_setting_that_chooses(tmp_path: Path, compose: Compose) -> None:
    with pytest.raises(
        DataError, match=r"3 different labels \(setosa, versicolor, virginica\).*positive=\[virginica\]"
    ):
        load(compose("sklearn", "entry=iris"), cache_dir=tmp_path)
    data = load(compose("sklearn", "entry=iris", "positive=[virginica]"), cache_dir=tmp_path)
    assert data.provenance["label_rule"] == "virginica is +1, the rest is -1"
    assert (data.X.min(), data.X.max()) == (0, 1)  # conf/dataset/sklearn.yaml scales


@pytest.mark.parametrize("entry", ["", ":1", "a:", "a:0", "a:x", "a b", "a:1:2", "a:-1"])
def test_no_name_and_version(entry: str) -> None:
    with pytest.raises(DataError, match="is not of the form dataset=openml:NAME"):
        name_and_version(entry)
    assert (name_and_version("A-9.(a)"), name_and_version("a:10")) == (("a-9.(a)", 1), ("a", 10))


FRAME = pd.DataFrame(
    {
        "age": [20.0, 30.0, 40.0, 50.0],
        "works": pd.Categorical(["yes", "no", "no", "yes"]),
        "level": pd.Categorical(["1", "3", "3", "2"]),
        "left": [True, False, True, False],
    }
)
LABELS = pd.Series(pd.Categorical(["big", "small", "big", "small"]))


@pytest.fixture
def openml(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[dict[str, Any]]]:
    """Let openml.org answer with these features and labels, or raise this error; returns what was asked."""

    def answer(data: Any = FRAME, target: Any = LABELS, error: Exception | None = None) -> list[dict[str, Any]]:
        asked: list[dict[str, Any]] = []

        def fetch_openml(name: str, **options: Any) -> SimpleNamespace:
            asked.append({"name": name, **options})
            if error is not None:
                raise error
            return SimpleNamespace(data=data, target=target)

        monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch_openml)
        return asked

    return answer


def rows(tmp_path: Path, **fields: Any) -> Any:
    return load(OpenmlData(entry="Toy:3", test_count=1, **fields), cache_dir=tmp_path)


def test_openml_is_asked_for_one_version_and_its_columns_become_numbers(tmp_path: Path, openml: Any) -> None:
    asked = openml()
    data = rows(tmp_path, drop_columns=[1])
    assert (asked[0]["name"], asked[0]["version"]) == ("toy", 3)
    table = {tuple(x): int(label) for x, label in zip([*data.X, *data.X_test], [*data.y, *data.y_test], strict=True)}
    assert table == {(20, 1, 1): -1, (30, 3, 0): 1, (40, 3, 1): -1, (50, 2, 0): 1}  # small is +1
    assert data.name == named(OpenmlData(entry="Toy:3")).name == "openml:Toy:3"


def test_sparse_data_of_openml(tmp_path: Path, openml: Any) -> None:
    openml(sparse.csr_matrix(FRAME[["age"]].to_numpy()), LABELS.astype(object))
    data = rows(tmp_path, storage="sparse")
    values = np.concatenate([data.X.toarray(), data.X_test.toarray()])[:, 0]
    assert sorted(values) == [20, 30, 40, 50]
    with pytest.raises(DataError, match=r"is sparse, and dataset\.drop_columns needs a dense table"):
        rows(tmp_path, drop_columns=[0])


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (
            {"error": URLError("no route")},
            r"Cannot fetch openml:toy:3 .*no route.* run this command once where there is",
        ),
        ({"error": ValueError("No known dataset")}, r"openml:toy:3 cannot be used \(No known dataset\)"),
        ({"target": None}, "has no label; save it to a file"),
        ({}, r"column 1 \('works'\): 'yes' is not a number; .*dataset.drop_columns=\[1\] \(columns"),
        (
            {"data": FRAME[["age"]].assign(age=[1, 2, np.nan, 3])},
            "row 3, column 0 .*: the value is missing .*fill it in, or remove the row",
        ),
        ({"data": FRAME[["age"]], "target": pd.Series(["a", None, "b", "a"])}, "row 2: the label is missing"),
    ],
)
def test_what_openml_cannot_give_is_said_in_one_sentence(
    answer: dict[str, Any], said: str, tmp_path: Path, openml: Any
) -> None:
    openml(**answer)
    with pytest.raises(DataError, match=said):
        rows(tmp_path)


def test_the_fingerprint_of_openml_data_needs_no_network(openml: Any) -> None:
    asked = openml()
    first = [fingerprint(OpenmlData(entry=entry)) for entry in ("Toy:3", "toy:3", "toy", "toy:1")]
    assert first[0] == first[1] != first[2] == first[3]
    assert fingerprint(OpenmlData(entry="toy", drop_columns=[1])) != first[2]
    assert asked == []
