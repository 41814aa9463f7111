from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from svm_cost_curves.datasets import DataError, Dataset, DatasetSpec, FileData, SyntheticData, fingerprint, load
from svm_cost_curves.datasets.split import (
    PURPOSE_SAMPLE_TEST,
    PURPOSE_SAMPLE_TRAIN,
    PURPOSE_SPLIT,
    PURPOSE_SYNTHETIC,
    describe_sample,
    raw_integers,
    sample_rows,
)

Loader = Callable[..., Dataset]

# the single feature of a row is its number, from 1
TRAIN = "".join(f"{'+1' if k % 4 == 0 else '-1'} 1:{k + 1}\n" for k in range(40))
TEST = "".join(f"{'+1' if k % 2 else '-1'} 1:{k + 1}\n" for k in range(20))


def labels(positives: int, negatives: int) -> np.ndarray:
    y = np.repeat(np.array([1, -1], np.int8), [positives, negatives])
    return y[np.argsort(raw_integers(0, 99, y.size))]


def sample(y: np.ndarray, at_most: int, seed: int = 0, purpose: int = PURPOSE_SAMPLE_TRAIN) -> np.ndarray:
    rows = sample_rows(y, at_most, seed, purpose)
    assert rows is not None
    return rows


@pytest.mark.parametrize(
    ("positives", "negatives", "at_most", "expected"),
    [
        (25, 75, 40, 10),  # exactly a quarter
        (25, 75, 10, 3),  # 2.5: the tie goes to +1
        (24, 76, 10, 2),  # 2.4
        (26, 74, 10, 3),  # 2.6
        (1, 99, 10, 1),  # 0.1, but one at least
        (99, 1, 10, 9),  # 9.9, but one at least of the other
        (1, 999, 2, 1),
        (999, 1, 2, 1),
        (50, 50, 99, 50),
        (7841, 24720, 1000, 241),  # Adult: 240.81
    ],
)
def test_each_class_keeps_its_share(positives: int, negatives: int, at_most: int, expected: int) -> None:
    y = labels(positives, negatives)
    rows = sample(y, at_most)
    assert rows.size == at_most
    assert int(np.count_nonzero(y[rows] > 0)) == expected


@given(st.integers(0, 60), st.integers(0, 60), st.integers(2, 130), st.integers(0, 2**64 - 1))
def test_a_sample_is_an_ordered_part_with_shares_to_the_nearest_row(
    positives: int, negatives: int, at_most: int, seed: int
) -> None:
    y = labels(positives, negatives)
    rows = sample_rows(y, at_most, seed, PURPOSE_SAMPLE_TRAIN)
    if at_most >= y.size:
        assert rows is None
        return
    assert rows is not None
    assert rows.dtype == np.int64
    assert rows.size == at_most
    assert (np.diff(rows) > 0).all()
    assert rows[0] >= 0
    assert rows[-1] < y.size
    for label, count in ((1, positives), (-1, negatives)):
        got = int(np.count_nonzero(y[rows] == label))
        share = Fraction(at_most * count, y.size)
        assert abs(got - share) <= Fraction(1, 2) or got == 1 or at_most - got == 1
        assert got >= min(count, 1)
    np.testing.assert_array_equal(rows, sample_rows(y, at_most, seed, PURPOSE_SAMPLE_TRAIN))


@given(st.integers(1, 30), st.integers(1, 30), st.integers(0, 1000))
def test_a_smaller_sample_is_part_of_a_larger_one(positives: int, negatives: int, seed: int) -> None:
    y = labels(positives, negatives)
    inner: set[int] = set()
    for at_most in range(2, y.size):
        outer = set(sample(y, at_most, seed).tolist())
        assert inner <= outer
        inner = outer


def test_every_row_of_a_class_has_the_same_chance() -> None:
    y = labels(5, 15)
    counts = np.zeros(20)
    for seed in range(2000):
        counts[sample(y, 8, seed)] += 1  # 2 of 5 and 6 of 15
    # binomial with 2000 draws and a chance of 0.4: standard deviation 22
    assert np.abs(counts - 800).max() < 5 * 22


def test_seeds_and_parts_have_different_random_integers() -> None:
    y = labels(100, 100)
    assert len({PURPOSE_SPLIT, PURPOSE_SYNTHETIC, PURPOSE_SAMPLE_TRAIN, PURPOSE_SAMPLE_TEST}) == 4
    chosen = {
        tuple(sample(y, 20, seed, purpose))
        for seed in (0, 1)
        for purpose in (PURPOSE_SAMPLE_TRAIN, PURPOSE_SAMPLE_TEST)
    }
    assert len(chosen) == 4


def test_golden_sample() -> None:
    y = np.where(np.arange(20) % 4 == 0, 1, -1).astype(np.int8)
    order = np.argsort(raw_integers(0, PURPOSE_SAMPLE_TRAIN, 20), kind="stable")
    by_hand = [k for k in order if k % 4 == 0][:2] + [k for k in order if k % 4][:6]
    assert sample(y, 8).tolist() == sorted(by_hand) == [4, 5, 6, 7, 13, 14, 16, 18]


def test_loaded_parts_are_sampled_and_keep_their_order(load_text: Loader) -> None:
    whole = load_text(TRAIN, TEST)
    data = load_text(TRAIN, TEST, max_train=12, max_test=6, split_seed=3)
    for X, y, all_y, purpose in (
        (data.X, data.y, whole.y, PURPOSE_SAMPLE_TRAIN),
        (data.X_test, data.y_test, whole.y_test, PURPOSE_SAMPLE_TEST),
    ):
        rows = sample(all_y, y.size, 3, purpose)
        np.testing.assert_array_equal(X[:, 0], rows + 1)
        np.testing.assert_array_equal(y, all_y[rows])
    assert (data.n, int((data.y > 0).sum())) == (12, 3)
    assert (data.y_test.size, int((data.y_test > 0).sum())) == (6, 3)
    assert data.provenance["counts"]["train"]["n"] == 12
    assert data.provenance["counts"]["test"]["positives"] == 3
    said = "12 of 40 training rows, 6 of 20 test rows; shares of the classes kept, Philox, seed 3"
    assert data.provenance["sample"] == said


def test_a_sample_larger_than_the_set_is_the_whole_set(load_text: Loader) -> None:
    whole = load_text(TRAIN, TEST)
    data = load_text(TRAIN, TEST, max_train=40, max_test=1000)
    np.testing.assert_array_equal(data.X, whole.X)
    np.testing.assert_array_equal(data.y_test, whole.y_test)
    assert data.provenance["sample"] == whole.provenance["sample"] == "all 40 training rows, all 20 test rows"


def test_one_part_alone_can_be_sampled(load_text: Loader) -> None:
    data = load_text(TRAIN, TEST, max_test=4)
    assert (data.n, data.y_test.size) == (40, 4)
    said = "all 40 training rows, 4 of 20 test rows; shares of the classes kept, Philox, seed 0"
    assert data.provenance["sample"] == said == describe_sample(40, 40, 20, 4, 0)


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


def test_width_and_counts_are_those_of_the_files_and_scaling_that_of_the_sample(load_text: Loader) -> None:
    wide = TRAIN + "-1 9:1\n"
    assert load_text(wide, TEST, max_train=2).d == 9
    with pytest.raises(DataError, match="the test part has 9 features"):
        load_text(TRAIN, TEST + "+1 9:1\n", max_test=2)
    scaled = load_text(TRAIN, TEST, max_train=10, scaling="minmax")
    assert (scaled.X.min(), scaled.X.max()) == (0, 1)


def test_the_cache_does_not_mix_samples_with_whole_sets(tmp_path: Path, no_mirror: None) -> None:
    (tmp_path / "train.svm").write_text(TRAIN)
    spec = FileData(train=str(tmp_path / "train.svm"))
    sizes = [
        load(replace(spec, max_train=at_most), cache_dir=tmp_path / "cache").n for at_most in (10, None, 20, 10, None)
    ]
    assert sizes == [10, 32, 20, 10, 32]
    assert len(list((tmp_path / "cache" / "prepared").iterdir())) == 1


def test_synthetic_and_bundled_data_can_be_sampled(tmp_path: Path, compose: Callable[..., DatasetSpec]) -> None:
    for name in ("digits", "synthetic"):
        data = load(compose(name, "max_train=100", "max_test=50"), cache_dir=tmp_path)
        assert (data.n, data.y_test.size) == (100, 50)
        assert data.fingerprint == fingerprint(compose(name, "max_train=100", "max_test=50"))


def test_a_sample_has_a_fingerprint_of_its_own(load_text: Loader, tmp_path: Path) -> None:
    base = load_text(TRAIN, TEST)
    spec = FileData(train=str(tmp_path / "train.svm"), test=str(tmp_path / "test.svm"))
    changes = [
        {},
        {"max_train": 10},
        {"max_test": 10},
        {"max_train": 11},
        {"max_train": 10, "max_test": 10},
        {"max_train": 10, "split_seed": 1},
        {"max_train": 1000},
    ]
    assert len({fingerprint(replace(spec, **change)) for change in changes}) == len(changes)  # type: ignore[arg-type]
    assert fingerprint(replace(spec, split_seed=1)) == base.fingerprint
    assert load_text(TRAIN, TEST, max_train=10).fingerprint == fingerprint(replace(spec, max_train=10))


def test_without_a_sample_the_fingerprint_is_the_one_that_recorded_runs_have() -> None:
    recorded = "50d122861d1177f0e4c9d7ceecca3a0267af742845fe3df94a782a0481e97102"
    assert fingerprint(SyntheticData(d=2)) == recorded
