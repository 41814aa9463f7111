from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from svm_cost_curves.datasets.errors import DataError
from svm_cost_curves.datasets.labels import apply_rule, make_rule
from svm_cost_curves.datasets.split import PURPOSE_SPLIT, raw_integers, split_rows


@pytest.mark.parametrize("pair", [(-1, 1), (0, 1), (1, 2), (2, 4)])
def test_two_values_the_larger_is_positive(pair: tuple[int, int]) -> None:
    raw = np.array([pair[1], pair[0], pair[0], pair[1]], float)
    y, rows = apply_rule(make_rule(raw, None, None, "x"), raw, drop_others=False, where="x")
    np.testing.assert_array_equal(y, [1, -1, -1, 1])
    assert y.dtype == np.int8
    assert rows is None


@settings(deadline=None)
@given(st.lists(st.integers(0, 5), min_size=1, max_size=30), st.data())
def test_groups(labels: list[int], data: st.DataObject) -> None:
    raw = np.array(labels, float)
    values = sorted(set(labels))
    positive = data.draw(st.lists(st.sampled_from(values), min_size=1, unique=True))
    others = [v for v in values if v not in positive]
    negative = data.draw(st.lists(st.sampled_from(others), min_size=1, unique=True)) if others else None
    rule = make_rule(raw, positive, negative, "x")
    y, rows = apply_rule(rule, raw, drop_others=True, where="x")
    kept = [v for v in labels if v in positive or negative is None or v in negative]
    np.testing.assert_array_equal(y, [1 if v in positive else -1 for v in kept])
    if rows is not None:
        np.testing.assert_array_equal(raw[rows], kept)


def test_more_than_two_values_need_a_choice() -> None:
    with pytest.raises(DataError, match=r"3 different labels \(0, 1, 2\).*dataset.positive"):
        make_rule(np.array([0.0, 1, 2]), None, None, "x")
    with pytest.raises(DataError, match="only one class"):
        make_rule(np.array([1.0, 1]), None, None, "x")
    with pytest.raises(DataError, match=r"label 7 of dataset.positive never occurs; found 0, 1"):
        make_rule(np.array([0.0, 1]), [7], None, "x")


def test_a_test_label_unknown_to_training_is_refused_with_its_row() -> None:
    rule = make_rule(np.array([0.0, 1]), None, None, "x")
    with pytest.raises(DataError, match=r"x\.t, row 3: label 2; the training labels are 0 and 1"):
        apply_rule(rule, np.array([0.0, 1, 2]), drop_others=False, where="x.t")


@settings(deadline=None)
@given(st.integers(2, 200), st.integers(0, 2**64 - 1), st.data())
def test_split_is_a_partition_in_order(n: int, seed: int, data: st.DataObject) -> None:
    n_test = data.draw(st.integers(1, n - 1))
    train, test = split_rows(n, n_test, seed)
    assert test.size == n_test
    np.testing.assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(n))
    assert (np.diff(train) > 0).all()
    assert (np.diff(test) > 0).all()
    again = split_rows(n, n_test, seed)
    np.testing.assert_array_equal(test, again[1])


def philox_4x64(counter: int, key: tuple[int, int]) -> list[int]:
    """Philox4x64-10 as published by Salmon et al. (2011), in plain integers."""
    mask = 2**64 - 1
    c = [(counter >> (64 * k)) & mask for k in range(4)]
    k0, k1 = key
    for _ in range(10):
        p0, p1 = 0xD2E7470EE14C6C93 * c[0], 0xCA5A826395121157 * c[2]
        c = [(p1 >> 64) ^ c[1] ^ k0, p1 & mask, (p0 >> 64) ^ c[3] ^ k1, p0 & mask]
        k0, k1 = (k0 + 0x9E3779B97F4A7C15) & mask, (k1 + 0xBB67AE8584CAA73B) & mask
    return c


def test_the_generator_is_the_published_one() -> None:
    # numpy raises the counter before each block, so its first block is that of counter 1.
    expected = [v for block in (1, 2, 3) for v in philox_4x64(block, (12345, PURPOSE_SPLIT))]
    assert raw_integers(12345, PURPOSE_SPLIT, 12).tolist() == expected


def test_golden_split() -> None:
    _, test = split_rows(20, 6, 0)
    assert test.tolist() == [5, 12, 14, 15, 16, 17]


@pytest.mark.parametrize(("n", "n_test"), [(1, 1), (5, 0), (5, 5), (5, 9)])
def test_split_needs_a_row_on_each_side(n: int, n_test: int) -> None:
    with pytest.raises(DataError, match="both parts need at least one row"):
        split_rows(n, n_test, 0)


def test_seeds_and_sizes_differ() -> None:
    assert split_rows(100, 20, 0)[1].tolist() != split_rows(100, 20, 1)[1].tolist()
