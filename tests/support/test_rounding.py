"""Losses in the conversion to float32: what is told, and what is not."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from svm_cost_curves.support.rounding import becomes_constant, float32_losses

RANDOM = np.random.default_rng(1)
SECONDS = 1_764_000_000.0 + RANDOM.integers(0, 900, 400)


@pytest.mark.parametrize(
    "column",
    [
        SECONDS,  # float32 has multiples of 128 there
        np.where(RANDOM.random(400) < 0.5, 0.0, SECONDS),  # its deviation is large
        2.0**24 + np.arange(400),
        np.where(np.arange(400) < 3, [1 + 1e-9, 1 + 2e-9, 1 + 3e-9] + [0] * 397, RANDOM.integers(0, 9, 400)),
        1e-46 * RANDOM.normal(size=400),
        1e-300 * RANDOM.normal(size=400),
    ],
)
def test_different_values_that_become_equal_are_told(column: np.ndarray) -> None:
    X = np.column_stack([RANDOM.normal(size=400), column])
    for points in (X, sparse.csr_matrix(X)):
        (loss,) = float32_losses(points, ["a", "b"])
        assert loss.startswith("b: ")
        assert "different values become" in loss
    assert np.unique(X[:, 1]).size > np.unique(X[:, 1].astype(np.float32)).size


def test_a_coarse_column_is_told_by_its_error_over_its_deviation() -> None:
    column = 80_000 + 0.1013 * RANDOM.permutation(40)
    X = np.column_stack([column, RANDOM.normal(size=40)])
    (loss,) = float32_losses(X)
    told = float(loss.partition("changes its values by ")[2].split()[0])
    error = np.sqrt(np.mean((column - column.astype(np.float32)) ** 2)) / column.std()
    assert loss.startswith("column 0 (counted from 0)")
    assert told == pytest.approx(error, rel=0.05)
    assert float32_losses(X - [80_000, 0]) == []


@pytest.mark.parametrize("seed", range(5))
def test_random_and_ordinary_numbers_are_not_told(seed: int) -> None:
    random = np.random.default_rng(seed)
    for n in (20, 300, 3000):
        ordinary = [
            random.normal(size=n),
            random.random(n),
            np.round(random.random(n), 3),
            np.round(random.random(n), 3) + random.choice([0, 1e-16], n),  # as sums are rounded
            random.integers(0, 10**6, n).astype(float),
            np.exp(random.normal(size=n) * 30),  # some are near 0 beside the largest
            np.full(n, 0.1),
            1.7e9 + random.integers(0, 3 * 10**7, n) // 128 * 128.0,
        ]
        X = np.column_stack(ordinary)
        assert float32_losses(X) == []
        assert float32_losses(sparse.csr_matrix(X * (random.random(X.shape) < 0.3))) == []
        assert float32_losses(X.astype(np.float32)) == []


def test_small_points_are_told_also_in_float32() -> None:
    X = RANDOM.normal(size=(40, 3))
    for points in (1e-24 * X, (1e-19 * X).astype(np.float32), sparse.csr_matrix(1e-20 * X)):
        assert ["products are near 0" in loss for loss in float32_losses(points)] == [True]
    assert float32_losses(1e-12 * X) == []
    assert float32_losses(np.zeros((3, 2))) == []


def test_many_columns_are_summed_up_and_few_stored_ones_of_very_many_need_no_memory() -> None:
    losses = float32_losses(np.column_stack([SECONDS + k / 10 for k in range(9)]))
    assert len(losses) == 4
    assert losses[-1] == "6 more columns lose as much in float32"
    wide = sparse.csr_matrix((SECONDS, np.full(400, 2**31 - 2), np.arange(401)), shape=(400, 2**31 - 1))
    (loss,) = float32_losses(wide, lambda j: f"index {j + 1}")
    assert loss.startswith("index 2147483647: ")


def test_constant_after_the_conversion() -> None:
    assert becomes_constant(np.column_stack([np.ones(50), SECONDS[:50] % 60 + 1_764_000_000]))
    assert not becomes_constant(np.ones((5, 2)))
    assert not becomes_constant(RANDOM.normal(size=(5, 2)))
    assert not becomes_constant(np.ones((1, 2)) * 0.1)
