from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import dump_svmlight_file

from svm_cost_curves.datasets import DataError, Dataset, FileData, SyntheticData, fingerprint, load
from svm_cost_curves.datasets.readers import format_of
from svm_cost_curves.datasets.spec import KINDS, named
from svm_cost_curves.datasets.split import split_rows
from svm_cost_curves.datasets.synthetic import generate

Loader = Callable[..., Dataset]
TRAIN = "+1 1:0.5 3:2\n-1 2:1\n+1 1:-1\n"
TEST = "-1 2:4\n+1\n"


def test_file_with_test(load_text: Loader, tmp_path: Path) -> None:
    data = load_text(TRAIN, TEST)
    np.testing.assert_array_equal(data.X, np.array([[0.5, 0, 2], [0, 1, 0], [-1, 0, 0]], np.float32))
    np.testing.assert_array_equal(data.y, [1, -1, 1])
    np.testing.assert_array_equal(data.X_test, [[0, 4, 0], [0, 0, 0]])  # padded from width 2
    np.testing.assert_array_equal(data.y_test, [-1, 1])
    assert isinstance(data.X, np.ndarray)
    assert data.X.flags.c_contiguous
    assert (data.X.dtype, data.y.dtype, data.n, data.d) == (np.float32, np.int8, 3, 3)
    record = json.loads(json.dumps(data.provenance))
    counts = {"n": 2, "d": 3, "nnz": 1, "positives": 1, "rows_without_features": 1}
    assert record["counts"]["test"] == counts
    assert record["remarks"] == ["1 test rows have no feature; they are kept."]
    assert record["label_rule"] == "1 is +1, -1 is -1"
    assert record["stand_in"] is False
    assert [f["name"] for f in record["files"]] == ["train.svm", "test.svm"]
    spec = FileData(train=str(tmp_path / "train.svm"), test=str(tmp_path / "test.svm"))
    assert data.fingerprint == fingerprint(spec)


@pytest.mark.parametrize("storage", ["dense", "sparse"])
def test_storage_can_be_forced(load_text: Loader, storage: str) -> None:
    data = load_text(TRAIN, TEST, storage=storage, divide_by=2)
    for part, expected in ((data.X, [[0.25, 0, 1], [0, 0.5, 0], [-0.5, 0, 0]]), (data.X_test, [[0, 2, 0], [0, 0, 0]])):
        assert sparse.issparse(part) == (storage == "sparse")
        np.testing.assert_array_equal(part.toarray() if sparse.issparse(part) else part, expected)
    if sparse.issparse(data.X):
        assert isinstance(data.X, sparse.csr_matrix)
        assert data.X.has_canonical_format
        assert data.X.indices.dtype == np.int32


def test_wide_and_thin_stays_sparse(load_text: Loader) -> None:
    assert sparse.issparse(load_text("1 1:1 1025:1\n-1 2:1\n", TEST).X)
    assert not sparse.issparse(load_text("1 1:1 1024:1\n-1 2:1\n", TEST).X)
    full = " ".join(f"{k}:1" for k in range(1, 1101))
    assert not sparse.issparse(load_text(f"1 {full}\n-1 {full}\n", TEST).X)


def test_without_test_file_the_split_is_seeded(load_text: Loader) -> None:
    text = "".join(f"{k % 2} 1:{k + 1}\n" for k in range(10))
    data = load_text(text, test_fraction=0.3, split_seed=7)
    train, test = split_rows(10, 3, 7)
    np.testing.assert_array_equal(data.X[:, 0], train + 1)
    np.testing.assert_array_equal(data.X_test[:, 0], test + 1)
    np.testing.assert_array_equal(data.y_test, np.where(test % 2, 1, -1))
    other = load_text(text, test_count=4)
    assert other.y_test.size == 4
    assert other.fingerprint != data.fingerprint


def test_npz_with_and_without_test_part(tmp_path: Path, no_mirror: None) -> None:
    X, y = np.arange(12.0).reshape(6, 2), np.array([1, 2, 1, 2, 1, 2])
    np.savez(tmp_path / "a.npz", X=X, y=y, X_test=X[:2] + 1, y_test=y[:2])
    np.savez(tmp_path / "b.npz", X=X, y=y)
    spec = FileData(train=str(tmp_path / "a.npz"))
    data = load(spec, cache_dir=tmp_path / "c")
    np.testing.assert_array_equal(data.X_test, X[:2] + 1)
    assert data.fingerprint == fingerprint(spec)
    assert load(replace(spec, train=str(tmp_path / "b.npz")), cache_dir=tmp_path / "c").y_test.size == 1
    both = load(replace(spec, test=str(tmp_path / "b.npz")), cache_dir=tmp_path / "c")
    assert both.y_test.size == 6


@pytest.mark.parametrize(
    ("train", "test", "fields", "said"),
    [
        ("", None, {}, "train.svm: holds no data"),
        (TRAIN, "# none\n", {}, "test.svm: holds no data"),
        ("1 1:1\n1 2:1\n", None, {}, "only one class"),
        ("1 1:1\n2 2:1\n3 1:1\n", None, {}, "3 different labels"),
        (TRAIN, "2 1:1\n", {}, "test.svm, row 1: label 2"),
        ("1 1:1\nnan 2:1\n", None, {}, "line 2: the label is missing"),
        ("1 1:1\n-1 1:2 5:nan\n", None, {}, r"row 2, index 5: the value is missing"),
        (TRAIN, "1 1:2\n1 2:-inf\n", {}, r"test.svm: the value in row 2, index 2 is -inf"),
        ("1 1:1\n-1 1:1e39\n", "1 1:1\n", {}, "row 2, index 1 is 1e\\+39 when .* fit in float32"),
        (TRAIN, "1 4:1\n", {}, "the test part has 4 features, but the training part has 3. Set dataset.d"),
        (TRAIN, TEST, {"d": 2}, "the training part has 3 features, but dataset.d=2"),
        ("1\n-1\n", None, {"test_count": 1}, "no row has any feature"),
        (TRAIN, None, {"test_count": 3}, "both parts need at least one row"),
        ("1 1:1\n-1 1:2\n", None, {"test_fraction": 0.5}, "training part: only one class"),
        (TRAIN, TEST, {"positive": [9]}, "label 9 of dataset.positive never occurs"),
        (TRAIN, TEST, {"positive": [1, -1]}, "only one class"),
    ],
)
def test_bad_files(load_text: Loader, train: str, test: str | None, fields: dict[str, object], said: str) -> None:
    with pytest.raises(DataError, match=said):
        load_text(train, test, **fields)


def test_bad_csv_and_npz(load_text: Loader, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="the test part has 1 features, but the training part has 2"):
        load_text("1,2,0\n3,4,1\n", "1,0\n", suffix=".csv")
    np.savez(tmp_path / "x.npz", X=np.array([[1, 2], [np.inf, -np.inf]]), y=np.array([0, 1]))
    with pytest.raises(DataError, match=r"row 2, column 0 \(counted from 0\) is inf"):
        load(FileData(train=str(tmp_path / "x.npz")), cache_dir=tmp_path)
    np.savez(tmp_path / "x.npz", X=np.ones((2, 2)), y=np.ones(3))
    with pytest.raises(DataError, match="2 rows of features but 3 labels"):
        load(FileData(train=str(tmp_path / "x.npz")), cache_dir=tmp_path)


def test_what_is_no_file_is_said_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_text("1,2,a\n")
    (tmp_path / "a.py").write_text("")
    os.mkfifo(tmp_path / "pipe")
    for path, said in (
        ("none.svm", "there is no such file"),
        ("", f"is a folder; .* such as {tmp_path}/b.csv"),
        ("pipe", "is a device, a pipe or a socket; .* save them to a file"),
        ("/dev/zero", "is a device"),
        ("x" * 10_000, "x...: cannot be read"),
    ):
        with pytest.raises(DataError, match=said) as caught:
            fingerprint(FileData(train=str(tmp_path / path)))
        assert len(str(caught.value)) < 500


def test_d_allows_a_wider_test_part(load_text: Loader) -> None:
    data = load_text(TRAIN, "1 4:1\n", d=5)
    assert data.X.shape == (3, 5)
    assert data.X_test[0, 3] == 1
    assert data.provenance["transforms"] == ["padded with zeros to 5 features"]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"storage": "x"}, "dataset.storage"),
        ({"train": ""}, "needs a path: dataset=file:PATH or dataset.train=PATH"),
        ({"kind": "sklearn"}, "sklearn:NAME: NAME is one of breast_cancer, digits, iris, wine"),
        ({"kind": "sklearn", "entry": "boston"}, "sklearn:boston: NAME is one of"),
        ({"kind": "openml", "entry": "a9a:first"}, "openml:a9a:first is not of the form dataset=openml:NAME or"),
        ({"test_fraction": 1.0}, "test_fraction=1.0"),
        ({"test_count": 0}, "test_count=0"),
        ({"d": 0}, "dataset.d=0"),
        ({"positive": []}, r"dataset.positive=\[\]"),
        ({"negative": [1]}, "dataset.positive is not"),
        ({"positive": [1], "negative": [2, 1]}, "Label 1 is in both"),
        ({"kind": "synthetic"}, "needs dataset.d"),
        ({"kind": "synthetic", "d": 2, "shape": "round"}, "dataset.shape=round"),
        ({"kind": "synthetic", "d": 2, "n": 1}, "dataset.n=1: must lie between 2"),
        ({"kind": "synthetic", "d": 2, "noise": 0.5}, "dataset.noise"),
        (
            {"kind": "synthetic", "d": 2, "shape": "rare", "directions": 3},
            "dataset.directions=3: must lie",
        ),
        ({"kind": "published"}, "needs dataset.format"),
        ({"kind": "published", "format": "libsvm"}, "lacks a file of role train"),
    ],
)
def test_wrong_specifications(tmp_path: Path, fields: dict[str, object], said: str) -> None:
    fields = dict(fields)
    kind = KINDS[str(fields.pop("kind", "file"))]
    spec = replace(FileData(train="x") if kind is FileData else kind(), **fields)  # type: ignore[arg-type]
    with pytest.raises(DataError, match=said):
        load(spec, cache_dir=tmp_path)
    with pytest.raises(DataError, match=said):
        fingerprint(spec)


def test_the_fingerprint_depends_on_the_arrays_only(load_text: Loader, tmp_path: Path) -> None:
    base = load_text(TRAIN, TEST)
    spec = FileData(train=str(tmp_path / "train.svm"), test=str(tmp_path / "test.svm"), description="words", name="u")
    assert fingerprint(spec) == base.fingerprint
    assert fingerprint(replace(spec, split_seed=5)) == base.fingerprint  # there is a test file: no split
    for change in (
        {"positive": [1]},
        {"divide_by": 2.0},
        {"storage": "sparse"},
        {"d": 9},
        {"scaling": "minmax"},
        {"test": spec.train},
        {"test": ""},
    ):
        assert fingerprint(replace(spec, **change)) != base.fingerprint, change  # type: ignore[arg-type]
    (tmp_path / "train.svm").write_text(TRAIN + "-1 1:1\n")
    assert fingerprint(spec) != base.fingerprint


def normal(d: int, seed: int) -> np.ndarray:
    """The unit normal of a seed's hyperplane: the first row of data with margin 1."""
    return np.asarray(generate(SyntheticData(shape="margin", n=2, d=d, margin=1.0, data_seed=seed))[0].X[0])


@settings(deadline=None)
@given(st.sampled_from(["separable", "noisy", "margin"]), st.integers(2, 40), st.integers(1, 9), st.integers(0, 99))
def test_synthetic_margin_and_labels(shape: str, n: int, d: int, seed: int) -> None:
    spec = SyntheticData(shape=shape, n=n, n_test=5, d=d, noise=0.2, margin=0.25, data_seed=seed)
    train, test = generate(spec)
    np.testing.assert_array_equal(train.X, generate(spec)[0].X)
    signs = normal(d, seed)
    distance = np.concatenate([train.X, test.X]).astype(np.float64) @ signs
    y = np.concatenate([train.y, test.y])
    if shape == "separable":
        assert (y == np.where(distance >= 0, 1, -1)).all()
    if shape == "margin":
        assert (y * distance >= 0.25 * (1 - 1e-6)).all()
        np.testing.assert_allclose((y * distance)[:2], 0.25, rtol=1e-6)


def test_synthetic_noise_flips_its_share(tmp_path: Path) -> None:
    spec = SyntheticData(d=3, n=4000, n_test=1000, noise=0.3)
    clean = load(spec, cache_dir=tmp_path)
    noisy = load(replace(spec, shape="noisy"), cache_dir=tmp_path)
    np.testing.assert_array_equal(clean.X, noisy.X)
    assert abs(np.mean(clean.y != noisy.y) - 0.3) < 0.03
    assert clean.fingerprint == fingerprint(replace(spec, noise=0.1, margin=3)) != noisy.fingerprint
    assert np.abs(clean.X).max() <= 1


@given(st.integers(2, 8), st.floats(0.05, 0.95), st.integers(0, 99))
def test_synthetic_rare_directions(directions: int, rare: float, seed: int) -> None:
    n, d = 600, 64
    train, test = generate(
        SyntheticData(shape="rare", n=n, n_test=50, d=d, rare=rare, directions=directions, data_seed=seed)
    )
    rows = np.concatenate([train.X, test.X]).astype(np.float64) * np.concatenate([train.y, test.y])[:, None]
    signs = normal(d, seed) * np.sqrt(d)
    walsh = scipy.linalg.hadamard(d)[:directions] * np.sign(signs)
    along = rows @ walsh.T / d  # near 1 for a row's own direction, near 0 for the others
    chosen = along.argmax(axis=1)
    assert (np.abs(rows - walsh[chosen]) <= 1).all()
    assert abs(np.mean(chosen > 0) - rare) < 0.1
    assert abs(np.mean(train.y > 0) - 0.5) < 0.1


def test_a_changed_bundle_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    from svm_cost_curves.datasets import sklearn_data

    monkeypatch.setitem(sklearn_data.CHECKSUMS, "iris", "0" * 64)
    with pytest.raises(DataError, match="bundled iris has changed"):
        sklearn_data.read_bundle("iris")


# Users' files: format, first index, text labels, names

ROWS = "u,v,class\n" + "".join(f"{k},{-k},{'spam' if k % 3 else 'ham'}\n" for k in range(10))


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("a9a", "libsvm"),
        ("a9a.t", "libsvm"),
        ("x.svm.gz", "libsvm"),
        ("dir.csv/x.libsvm", "libsvm"),
        ("x.CSV.bz2", "csv"),
        ("x.npz", "npz"),
        ("x.tsv.GZ", "csv"),
        ("x.parq", "parquet"),
        ("x.arff.gz", "arff"),
    ],
)
def test_format_by_suffix(name: str, format: str) -> None:
    assert format_of(name, "auto") == format
    assert format_of(name, "csv") == "csv"


@pytest.mark.parametrize("name", ["x.xlsx", "y/x.MAT.gz", "x.csv.zip"])
def test_other_formats_are_refused_by_their_suffix(name: str) -> None:
    with pytest.raises(DataError, match=r"files are not (read; save it as CSV|unpacked; unpack it)"):
        format_of(name, "auto")
    assert format_of(name, "libsvm") == "libsvm"


def test_what_scikit_learn_writes_is_read_back(tmp_path: Path, no_mirror: None) -> None:
    X, y = np.arange(1.0, 13.0).reshape(4, 3), np.array([1, -1, 1, -1])
    spec = FileData(train=str(tmp_path / "train"), test=str(tmp_path / "test"))
    for zero_based in (True, False):
        for path in (spec.train, spec.test):
            dump_svmlight_file(X, y, path, zero_based=zero_based)
        data = load(spec, cache_dir=tmp_path / "c")
        np.testing.assert_array_equal(data.X, X)
        np.testing.assert_array_equal(data.X_test, X)
        assert data.provenance["transforms"] == (["indices counted from 0"] if zero_based else [])


def test_an_index_0_in_either_file_counts_for_both(load_text: Loader) -> None:
    for _ in range(2):  # the second time from the prepared cache
        data = load_text("1 1:1 2:3\n-1 2:1\n", "1 0:5 1:7\n")
        np.testing.assert_array_equal(data.X, [[0, 1, 3], [0, 0, 1]])
        np.testing.assert_array_equal(data.X_test, [[5, 7, 0]])


def test_the_first_index_can_be_set(load_text: Loader) -> None:
    text = "1 1:1 2:3\n-1 2:1\n"
    automatic, said = load_text(text, text), load_text(text, text, zero_based=True)
    assert (automatic.d, said.d) == (2, 3)
    np.testing.assert_array_equal(said.X[:, 0], [0, 0])
    assert automatic.fingerprint != said.fingerprint
    with pytest.raises(DataError, match=r"index 0 occurs, and dataset\.zero_based=false"):
        load_text("1 0:1\n-1 1:1\n", text, zero_based=False)


def test_labels_that_are_texts(load_text: Loader) -> None:
    data = load_text(ROWS, ROWS, suffix=".csv", label_column="class")
    np.testing.assert_array_equal(data.y, [1 if k % 3 else -1 for k in range(10)])  # the later one in the alphabet
    assert data.provenance["label_rule"] == "column 2 ('class'): spam is +1, ham is -1"
    again = load_text(ROWS, ROWS, suffix=".csv", label_column="class")  # as it was prepared
    assert again.provenance == data.provenance
    other = load_text(ROWS, ROWS, suffix=".csv", label_column="class", positive=["ham"])
    np.testing.assert_array_equal(other.y, -data.y)
    assert other.provenance["label_rule"] == "column 2 ('class'): ham is +1, the rest is -1"
    assert other.fingerprint != data.fingerprint
    with pytest.raises(DataError, match=r"label eggs of dataset\.positive never occurs; found ham, spam"):
        load_text(ROWS, ROWS, suffix=".csv", label_column="class", positive=["eggs"])


def test_classes_have_the_same_numbers_in_both_files(load_text: Loader) -> None:
    three = ROWS + "3,3,eggs\n"
    data = load_text(ROWS, three, suffix=".csv", positive=["spam"], negative=["ham"])
    assert data.y_test.size == 10  # without eggs
    np.testing.assert_array_equal(data.y_test, data.y)
    with pytest.raises(DataError, match="row 11: label eggs; the training labels are ham and spam"):
        load_text(ROWS, three, suffix=".csv")
    with pytest.raises(DataError, match="labels are numbers in one file and texts in another"):
        load_text(ROWS, "u,v,class\n1,2,0\n2,3,1\n", suffix=".csv")


def test_own_files_have_the_name_of_the_file_or_the_one_that_is_given() -> None:
    spec = FileData(train="some/folder/points.csv.gz")
    assert named(spec).name == "points"
    assert named(replace(spec, train="x.v2.svm")).name == "x.v2"
    assert named(replace(spec, train="a\x1b[31m\n.svm")).name == r"a\x1b[31m\n"
    assert named(replace(spec, name="mine")).name == "mine"
    assert named(SyntheticData(name="synthetic")).name == "synthetic"
    for name in ("a\x1b[31m", "x" * 200, " a"):
        with pytest.raises(DataError, match="a name has at most 100 printable characters"):
            fingerprint(replace(spec, name=name))


def test_a_test_file_with_columns_of_other_names_is_refused(load_text: Loader, tmp_path: Path) -> None:
    train = "a,b,class\n1,2,1\n3,4,0\n"
    assert load_text(train, train, ".csv").n == 2
    assert load_text(train, "5,6,1\n", ".csv").X_test.tolist() == [[5, 6]]  # no names to compare
    for other, said in (("b,a,class", "feature 0 .* 'b'.* 'a'"), ("a,c,class", "feature 1 .* 'c'.* 'b'")):
        with pytest.raises(DataError, match=said):
            load_text(train, f"{other}\n2,1,1\n", ".csv")
    np.savez(tmp_path / "d.npz", X=np.eye(2), y=[0, 1], columns=["a", "b"], X_test=np.eye(2), y_test=[0, 1])
    assert load(FileData(train=str(tmp_path / "d.npz")), cache_dir=tmp_path).n == 2


def test_a_user_without_a_home_has_the_sentence_of_all_paths(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="there is no user nobody-here"):
        load(FileData(train="~nobody-here/a.csv"), cache_dir=tmp_path)
