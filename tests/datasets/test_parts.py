"""Training, validation and test rows: labels, splits, parts, samples, rows held out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from svm_cost_curves.datasets import DataError, Dataset, FileData, SklearnData, SyntheticData, fingerprint, load
from svm_cost_curves.datasets.parts import apply_rule, make_rule
from svm_cost_curves.datasets.split import (
    PURPOSE_PARTS,
    PURPOSE_SAMPLE_TEST,
    PURPOSE_SAMPLE_TRAIN,
    PURPOSE_VALIDATION,
    cut_rows,
    raw_integers,
    sample_rows,
    split_rows,
)

Loader = Callable[..., Dataset]

# the single feature of a row is its number, from 1; test rows go on where the training rows end
TRAIN = "".join(f"{'+1' if k % 4 == 0 else '-1'} 1:{k + 1}\n" for k in range(40))
TEST = "".join(f"{'+1' if k % 2 else '-1'} 1:{k + 1}\n" for k in range(40, 60))


def rows(X: Any) -> list[int]:
    return (X.toarray() if sparse.issparse(X) else X)[:, 0].astype(int).tolist()


@settings(deadline=None)
@given(st.lists(st.integers(0, 5), min_size=1, max_size=30), st.data())
def test_groups(labels: list[int], data: st.DataObject) -> None:
    raw = np.array(labels, float)
    values = sorted(set(labels))
    positive = data.draw(st.lists(st.sampled_from(values), min_size=1, unique=True))
    others = [v for v in values if v not in positive]
    negative = data.draw(st.lists(st.sampled_from(others), min_size=1, unique=True)) if others else None
    rule = make_rule(raw, positive, negative, "x")
    y, kept_rows = apply_rule(rule, raw, drop_others=True, where="x")
    kept = [v for v in labels if v in positive or negative is None or v in negative]
    np.testing.assert_array_equal(y, [1 if v in positive else -1 for v in kept])
    if kept_rows is not None:
        np.testing.assert_array_equal(raw[kept_rows], kept)


@settings(deadline=None)
@given(st.integers(2, 200), st.integers(0, 2**64 - 1), st.data())
def test_split_is_a_partition_in_order(n: int, seed: int, data: st.DataObject) -> None:
    n_test = data.draw(st.integers(1, n - 1))
    train, test = split_rows(n, n_test, seed)
    assert test.size == n_test
    np.testing.assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(n))
    assert (np.diff(train) > 0).all()
    assert (np.diff(test) > 0).all()


def test_golden_split() -> None:
    assert split_rows(20, 6, 0)[1].tolist() == [5, 12, 14, 15, 16, 17]


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


def test_one_file_is_cut(load_text: Loader, tmp_path: Path) -> None:
    data = load_text(TRAIN, parts=[20, 5, 15], test_count=3)
    train, _, test = ([k + 1 for k in part] for part in drawn_naively(40, [20, 5, 15], 0))
    assert (rows(data.X), rows(data.X_test)) == (train, test)
    digits = load(SklearnData(entry="digits", positive=[3], parts=[1000, 397, 400]), cache_dir=tmp_path)
    assert (digits.X.shape, digits.X_test.shape) == ((1000, 64), (400, 64))


def test_files_of_other_widths_are_cut(load_text: Loader) -> None:
    data = load_text("1 3:1\n-1 1:2\n" * 4, "1 2:5\n" * 4, parts=[10, 0, 2])
    assert data.X.shape == (10, 3)
    values, counts = np.unique(np.vstack([data.X, data.X_test]), return_counts=True)
    assert dict(zip(values.tolist(), counts.tolist(), strict=True)) == {0: 24, 1: 4, 2: 4, 5: 4}


def test_rows_whose_label_belongs_to_no_group_are_left_out_before(load_text: Loader) -> None:
    text = "1 1:1\n2 1:2\n3 1:3\n" * 5
    data = load_text(text, text, positive=[1], negative=[3], parts=[12, 4, 4])
    assert set(rows(data.X)) | set(rows(data.X_test)) == {1, 3}
    with pytest.raises(DataError, match="are 21 rows, but there are only 20"):
        load_text(text, text, positive=[1], negative=[3], parts=[12, 5, 4])


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
        ({"validation_fraction": 0.0}, r"dataset\.validation_fraction=0\.0: must lie between 0 and 1"),
        ({"validation_fraction": float("nan")}, r"dataset\.validation_fraction=nan: must lie between 0 and 1"),
        ({"validation_fraction": 0.001}, "Cannot hold out 0 of 40 rows"),
    ],
)
def test_wrong_specifications_are_refused_in_one_line(load_text: Loader, fields: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message) as error:
        load_text(TRAIN, TEST, **fields)
    assert "\n" not in str(error.value)


def labels_of(positives: int, negatives: int) -> np.ndarray:
    y = np.repeat(np.array([1, -1], np.int8), [positives, negatives])
    return y[np.argsort(raw_integers(0, 99, y.size))]


def sample(y: np.ndarray, at_most: int, seed: int = 0, purpose: int = PURPOSE_SAMPLE_TRAIN) -> np.ndarray:
    drawn = sample_rows(y, at_most, seed, purpose)
    assert drawn is not None
    return drawn


@pytest.mark.parametrize(
    ("positives", "negatives", "at_most", "expected"),
    [
        (25, 75, 10, 3),  # 2.5: the tie goes to +1
        (1, 99, 10, 1),  # 0.1, but one at least
        (99, 1, 10, 9),  # 9.9, but one at least of the other
        (999, 1, 2, 1),
        (7841, 24720, 1000, 241),  # Adult: 240.81
    ],
)
def test_each_class_keeps_its_share(positives: int, negatives: int, at_most: int, expected: int) -> None:
    y = labels_of(positives, negatives)
    drawn = sample(y, at_most)
    assert drawn.size == at_most
    assert int(np.count_nonzero(y[drawn] > 0)) == expected


@given(st.integers(0, 60), st.integers(0, 60), st.integers(2, 130), st.integers(0, 2**64 - 1))
def test_a_sample_is_an_ordered_part_with_shares_to_the_nearest_row(
    positives: int, negatives: int, at_most: int, seed: int
) -> None:
    y = labels_of(positives, negatives)
    drawn = sample_rows(y, at_most, seed, PURPOSE_SAMPLE_TRAIN)
    if at_most >= y.size:
        assert drawn is None
        return
    assert drawn is not None
    assert drawn.dtype == np.int64
    assert drawn.size == at_most
    assert (np.diff(drawn) > 0).all()
    assert drawn[0] >= 0
    assert drawn[-1] < y.size
    for label, count in ((1, positives), (-1, negatives)):
        got = int(np.count_nonzero(y[drawn] == label))
        share = Fraction(at_most * count, y.size)
        assert abs(got - share) <= Fraction(1, 2) or got == 1 or at_most - got == 1
        assert got >= min(count, 1)


@given(st.integers(1, 30), st.integers(1, 30), st.integers(0, 1000))
def test_a_smaller_sample_is_part_of_a_larger_one(positives: int, negatives: int, seed: int) -> None:
    y = labels_of(positives, negatives)
    inner: set[int] = set()
    for at_most in range(2, y.size):
        outer = set(sample(y, at_most, seed).tolist())
        assert inner <= outer
        inner = outer


def test_golden_sample() -> None:
    y = np.where(np.arange(20) % 4 == 0, 1, -1).astype(np.int8)
    order = np.argsort(raw_integers(0, PURPOSE_SAMPLE_TRAIN, 20), kind="stable")
    by_hand = [k for k in order if k % 4 == 0][:2] + [k for k in order if k % 4][:6]
    assert sample(y, 8).tolist() == sorted(by_hand) == [4, 5, 6, 7, 13, 14, 16, 18]


def test_loaded_parts_are_sampled_and_keep_their_order(load_text: Loader) -> None:
    whole = load_text(TRAIN, TEST)
    data = load_text(TRAIN, TEST, max_train=12, max_test=6, split_seed=3)
    for X, y, all_y, first, purpose in (
        (data.X, data.y, whole.y, 1, PURPOSE_SAMPLE_TRAIN),
        (data.X_test, data.y_test, whole.y_test, 41, PURPOSE_SAMPLE_TEST),
    ):
        drawn = sample(all_y, y.size, 3, purpose)
        np.testing.assert_array_equal(X[:, 0], drawn + first)
        np.testing.assert_array_equal(y, all_y[drawn])
    assert (data.n, int((data.y > 0).sum())) == (12, 3)
    assert (data.y_test.size, int((data.y_test > 0).sum())) == (6, 3)
    assert data.provenance["counts"]["train"]["n"] == 12
    assert data.provenance["counts"]["test"]["positives"] == 3
    said = "12 of 40 training rows, 6 of 20 test rows; shares of the classes kept, Philox, seed 3"
    assert data.provenance["sample"] == said


@pytest.mark.parametrize(
    ("fields", "n_test", "said"),
    [
        ({"max_train": 40, "max_test": 1000}, 20, "all 40 training rows, all 20 test rows"),
        ({"max_test": 4}, 4, "all 40 training rows, 4 of 20 test rows; shares of the classes kept, Philox, seed 0"),
    ],
)
def test_a_part_may_stay_whole(load_text: Loader, fields: dict[str, int], n_test: int, said: str) -> None:
    data = load_text(TRAIN, TEST, **fields)
    np.testing.assert_array_equal(data.X, load_text(TRAIN, TEST).X)
    assert data.y_test.size == n_test
    assert data.provenance["sample"] == said


def test_the_sample_comes_after_label_rule_and_split(load_text: Loader) -> None:
    # label 2 is left out by the rule, so that 20 of 30 rows are there to be split and sampled
    text = "".join(f"{k % 3} 1:{k + 1}\n" for k in range(30))
    fields = {"positive": [1], "negative": [0], "test_count": 8, "split_seed": 5}
    whole = load_text(text, **fields)
    data = load_text(text, **fields, max_train=6, max_test=4)
    assert set(data.X[:, 0]) <= set(whole.X[:, 0])
    assert set(data.X_test[:, 0]) <= set(whole.X_test[:, 0])
    assert data.provenance["split"] == whole.provenance["split"]
    assert data.provenance["sample"].startswith("6 of 12 training rows, 4 of 8 test rows")
    parts = {"parts": [30, 20, 10]}
    cut, sampled = load_text(TRAIN, TEST, **parts), load_text(TRAIN, TEST, **parts, max_train=8, max_test=4)
    assert (sampled.n, sampled.y_test.size) == (8, 4)
    assert set(rows(sampled.X)) < set(rows(cut.X))
    assert set(rows(sampled.X_test)) < set(rows(cut.X_test))


def test_width_and_counts_are_those_of_the_files(load_text: Loader) -> None:
    wide = TRAIN + "-1 9:1\n"
    assert load_text(wide, TEST, max_train=2).d == 9
    with pytest.raises(DataError, match="the test part has 9 features"):
        load_text(TRAIN, TEST + "+1 9:1\n", max_test=2)


def test_the_cache_does_not_mix_samples_with_whole_sets(tmp_path: Path, no_mirror: None) -> None:
    (tmp_path / "train.svm").write_text(TRAIN)
    spec = FileData(train=str(tmp_path / "train.svm"))
    sizes = [load(replace(spec, max_train=most), cache_dir=tmp_path / "cache").n for most in (10, None, 20, 10, None)]
    assert sizes == [10, 32, 20, 10, 32]
    assert len(list((tmp_path / "cache" / "prepared").iterdir())) == 1


def test_held_out_rows_replace_the_test_rows(load_text: Loader) -> None:
    whole, data = load_text(TRAIN, TEST), load_text(TRAIN, TEST, validation_fraction=0.25, split_seed=3)
    train, held_out = split_rows(40, 10, 3, PURPOSE_VALIDATION)
    assert rows(data.X) == (train + 1).tolist()
    assert rows(data.X_test) == (held_out + 1).tolist()
    np.testing.assert_array_equal(data.y, whole.y[train])
    np.testing.assert_array_equal(data.y_test, whole.y[held_out])
    said = "none: train and test come apart; 10 of 40 training rows take the place of the test rows, Philox, seed 3"
    assert data.provenance["split"] == said
    assert data.provenance["counts"]["test"]["n"] == 10


def test_without_a_test_file_the_test_rows_are_not_used(load_text: Loader) -> None:
    whole = load_text(TRAIN, test_count=8, split_seed=1)
    data = load_text(TRAIN, test_count=8, split_seed=1, validation_fraction=0.25)
    assert sorted(rows(data.X) + rows(data.X_test)) == rows(whole.X)
    assert data.y_test.size == 8
    assert not set(rows(data.X_test)) & set(rows(whole.X_test))
    assert data.provenance["split"].startswith("32 train / 8 test rows drawn from one file, Philox, seed 1; 8 of 32")


def test_samples_are_drawn_before_from_the_training_rows_and_after_from_the_held_out_ones(load_text: Loader) -> None:
    sampled = load_text(TRAIN, TEST, max_train=20)
    data = load_text(TRAIN, TEST, max_train=20, validation_fraction=0.4, max_test=5)
    held_out = load_text(TRAIN, TEST, max_train=20, validation_fraction=0.4)
    assert sorted(rows(held_out.X) + rows(held_out.X_test)) == rows(sampled.X)
    assert (data.n, held_out.y_test.size, data.y_test.size) == (12, 8, 5)
    assert rows(data.X) == rows(held_out.X)
    assert set(rows(data.X_test)) < set(rows(held_out.X_test))
    said = "20 of 40 training rows, 5 of 8 test rows; shares of the classes kept, Philox, seed 0"
    assert data.provenance["sample"] == said


@pytest.mark.parametrize(
    "fields", [{"parts": [30, 20, 10]}, {"validation_fraction": 0.3}, {"max_train": 10}, {"test_count": 5}]
)
def test_scaling_uses_the_training_rows_only(load_text: Loader, fields: dict[str, Any]) -> None:
    test = None if "test_count" in fields else TEST
    plain = (load_text(TRAIN, test, split_seed=seed, **fields) for seed in range(99))
    seed, data = next((seed, data) for seed, data in enumerate(plain) if data.X_test.max() > data.X.max())
    scaled = load_text(TRAIN, test, split_seed=seed, scaling="minmax", **fields)
    low, high = data.X.min(), data.X.max()
    np.testing.assert_allclose(scaled.X, (data.X - low) / (high - low), rtol=1e-6)
    np.testing.assert_allclose(scaled.X_test, (data.X_test - low) / (high - low), rtol=1e-6)


def test_the_fingerprint_contains_the_held_out_share_only_if_set(load_text: Loader, tmp_path: Path) -> None:
    base = load_text(TRAIN, TEST)
    spec = FileData(train=str(tmp_path / "train.svm"), test=str(tmp_path / "test.svm"))
    assert fingerprint(spec) == base.fingerprint
    share = {"validation_fraction": 0.2}
    changes = [{}, share, {"validation_fraction": 0.3}, share | {"split_seed": 1}, {"max_train": 30}, {"max_test": 9}]
    assert len({fingerprint(replace(spec, **change)) for change in changes}) == len(changes)  # type: ignore[arg-type]
    assert load_text(TRAIN, TEST, **share).fingerprint == fingerprint(replace(spec, **share))  # type: ignore[arg-type]
    assert fingerprint(replace(spec, split_seed=1)) == base.fingerprint  # no row is drawn
    recorded = "50d122861d1177f0e4c9d7ceecca3a0267af742845fe3df94a782a0481e97102"
    assert fingerprint(SyntheticData(d=2)) == recorded


def test_held_out_rows_must_leave_two_classes(load_text: Loader) -> None:
    with pytest.raises(DataError, match="training part: only one class"):
        load_text("1 1:1\n-1 1:2\n", TEST, validation_fraction=0.5)
