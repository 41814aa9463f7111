from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from svm_cost_curves.datasets import DataError, Dataset, SklearnData, SyntheticData, fingerprint, load
from svm_cost_curves.datasets.split import PURPOSE_PARTS, cut_rows

Loader = Callable[..., Dataset]

# the single feature of a row is its number, from 1; test rows go on where the training rows end
TRAIN = "".join(f"{'+1' if k % 4 == 0 else '-1'} 1:{k + 1}\n" for k in range(40))
TEST = "".join(f"{'+1' if k % 2 else '-1'} 1:{k + 1}\n" for k in range(40, 60))


def rows(X: Any) -> list[int]:
    return (X.toarray() if sparse.issparse(X) else X)[:, 0].astype(int).tolist()


def drawn_naively(n: int, counts: list[int], seed: int) -> list[list[int]]:
    """The same parts from Philox as numpy documents it and Python's own sort."""
    words = np.random.Philox(counter=0, key=np.array([seed, PURPOSE_PARTS], dtype=np.uint64)).random_raw(n)
    shuffled = sorted(range(n), key=lambda k: (int(words[k]), k))
    parts = []
    for count in counts:
        parts.append(sorted(shuffled[:count]))
        shuffled = shuffled[count:]
    return parts


@given(st.integers(2, 80), st.data(), st.integers(0, 2**64 - 1))
def test_parts_are_disjoint_and_have_exact_sizes(n: int, data: st.DataObject, seed: int) -> None:
    first = data.draw(st.integers(0, n))
    second = data.draw(st.integers(0, n - first))
    third = data.draw(st.sampled_from([0, n - first - second]))
    parts = cut_rows(n, [first, second, third], seed)
    assert [part.size for part in parts] == [first, second, third]
    together = np.concatenate(parts)
    assert np.unique(together).size == together.size == first + second + third
    assert set(together.tolist()) <= set(range(n))
    assert all((np.diff(part) > 0).all() for part in parts)
    assert [part.tolist() for part in parts] == drawn_naively(n, [first, second, third], seed)


@pytest.mark.parametrize("storage", ["dense", "sparse"])
def test_the_rows_of_both_files_are_cut(load_text: Loader, storage: str) -> None:
    counts = {"parts": [30, 20, 10], "split_seed": 5, "storage": storage}
    data, other = load_text(TRAIN, TEST, **counts), load_text(TRAIN, TEST, **counts, validate=True)
    train, validation, test = ([k + 1 for k in part] for part in drawn_naively(60, [30, 20, 10], 5))
    assert (rows(data.X), rows(data.X_test)) == (train, test)
    assert (rows(other.X), rows(other.X_test)) == (train, validation)
    labels = {k + 1: 1 if (k % 4 == 0 if k < 40 else k % 2) else -1 for k in range(60)}
    for part, wanted in ((data.y, train), (data.y_test, test), (other.y_test, validation)):
        assert part.tolist() == [labels[k] for k in wanted]
    said = "30 train / 20 validation / 10 test rows drawn from all 60, Philox, seed 5; evaluated on the test rows"
    assert data.provenance["split"] == said
    assert other.provenance["split"] == said.replace("the test rows", "the validation rows")


def test_one_file_is_cut(load_text: Loader) -> None:
    data = load_text(TRAIN, parts=[20, 5, 15], test_count=3)
    train, _, test = ([k + 1 for k in part] for part in drawn_naively(40, [20, 5, 15], 0))
    assert (rows(data.X), rows(data.X_test)) == (train, test)


def test_files_of_other_widths_are_cut(load_text: Loader) -> None:
    data = load_text("1 3:1\n-1 1:2\n" * 4, "1 2:5\n" * 4, parts=[10, 0, 2])
    assert data.X.shape == (10, 3)
    values, counts = np.unique(np.vstack([data.X, data.X_test]), return_counts=True)
    assert dict(zip(values.tolist(), counts.tolist(), strict=True)) == {0: 24, 1: 4, 2: 4, 5: 4}


def test_digits_are_cut(tmp_path: Path) -> None:
    data = load(SklearnData(entry="digits", positive=[3], parts=[1000, 397, 400]), cache_dir=tmp_path)
    assert (data.X.shape, data.X_test.shape) == ((1000, 64), (400, 64))


def test_rows_whose_label_belongs_to_no_group_are_left_out_before(load_text: Loader) -> None:
    text = "1 1:1\n2 1:2\n3 1:3\n" * 5
    data = load_text(text, text, positive=[1], negative=[3], parts=[12, 4, 4])
    assert set(rows(data.X)) | set(rows(data.X_test)) == {1, 3}
    with pytest.raises(DataError, match="are 21 rows, but there are only 20"):
        load_text(text, text, positive=[1], negative=[3], parts=[12, 5, 4])


def test_samples_are_drawn_from_the_parts(load_text: Loader) -> None:
    whole = load_text(TRAIN, TEST, parts=[30, 20, 10])
    data = load_text(TRAIN, TEST, parts=[30, 20, 10], max_train=8, max_test=4)
    assert (data.n, data.y_test.size) == (8, 4)
    assert set(rows(data.X)) < set(rows(whole.X))
    assert set(rows(data.X_test)) < set(rows(whole.X_test))
    assert data.provenance["sample"].startswith("8 of 30 training rows, 4 of 10 test rows")


def test_scaling_uses_the_training_rows_only(load_text: Loader) -> None:
    def train_rows(seed: int) -> list[int]:
        return [k + 1 for k in drawn_naively(60, [30, 20, 10], seed)[0]]

    seed = next(seed for seed in range(99) if max(train_rows(seed)) < 60)
    wanted = train_rows(seed)
    data = load_text(TRAIN, TEST, parts=[30, 20, 10], scaling="minmax", split_seed=seed)
    scaled = (np.array(wanted) - min(wanted)) / (max(wanted) - min(wanted))
    np.testing.assert_allclose(data.X[:, 0], scaled, rtol=1e-6)


@settings(max_examples=20)
@given(st.permutations([2, 3, 4]), st.integers(0, 3), st.booleans())
def test_the_fingerprint_depends_on_sizes_seed_and_part(counts: list[int], seed: int, validate: bool) -> None:
    spec = SyntheticData(d=2, n=5, n_test=4, parts=counts, split_seed=seed, validate=validate)
    others = [
        replace(spec, parts=None, validate=False),
        replace(spec, parts=counts[::-1]),
        replace(spec, split_seed=seed + 1),
        replace(spec, validate=not validate),
    ]
    assert len({fingerprint(other) for other in [spec, *others]}) == 5
    assert fingerprint(replace(spec)) == fingerprint(spec)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"parts": [30, 20, 11]}, r"dataset\.parts=\[30,20,11\] are 61 rows, but there are only 60"),
        ({"parts": [30, 20]}, r"dataset\.parts=\[30,20\]: \[train,validation,test\] are three numbers"),
        ({"parts": [1, 20, 10]}, r"dataset\.parts=\[1,20,10\]: .* train at least 2"),
        ({"parts": [30, -1, 10]}, r"dataset\.parts=\[30,-1,10\]: .* three numbers"),
        ({"parts": [30, 20, 0]}, r"dataset\.parts=\[30,20,0\]: no test row is left to evaluate on"),
        ({"parts": [30, 0, 10], "validate": True}, "no validation row is left to evaluate on"),
        ({"validate": True}, r"dataset\.validate=true needs dataset\.parts"),
        ({"parts": [30, 20, 10], "validation_fraction": 0.2}, r"use dataset\.parts with dataset\.validate=true"),
    ],
)
def test_wrong_specifications_are_refused_in_one_line(load_text: Loader, fields: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message) as error:
        load_text(TRAIN, TEST, **fields)
    assert "\n" not in str(error.value)
