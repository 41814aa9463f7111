"""Sizes of a data set after split and sampling, from its specification alone: nothing is read."""

from __future__ import annotations

from dataclasses import dataclass

from .spec import DatasetSpec, MadeData, SplitData
from .split import fraction_of
from .transforms import is_dense

GUESSED_ROWS, GUESSED_TEST_ROWS, GUESSED_FEATURES = 1500, 500, 100
"""Used where a specification does not give a size."""


@dataclass(frozen=True)
class Size:
    """Training rows, test rows, features, and stored values of a row, d where it is dense; unknown ones are guessed."""

    n: int
    n_test: int
    d: int
    stored: float


def training_rows(spec: DatasetSpec) -> int | None:
    """Return the number of training rows; None where the specification does not give it."""
    if spec.parts is not None:
        return min(spec.parts[0], spec.max_train or spec.parts[0])
    n = spec.n if isinstance(spec, MadeData) else spec.expected_train.n
    if n is None:
        return None
    if isinstance(spec, SplitData) and spec.expected_test.n is None:
        n -= _held_out(spec, n)
    return min(n, spec.max_train or n)


def size_of(spec: DatasetSpec) -> Size:
    """Return all sizes."""
    n = training_rows(spec) or min(GUESSED_ROWS, spec.max_train or GUESSED_ROWS)
    n_test, d = _test_rows(spec) or GUESSED_TEST_ROWS, spec.d or GUESSED_FEATURES
    stored = float(d)
    rows, entries = spec.expected_train.n, spec.expected_train.nnz
    if rows is not None and entries is not None:
        stored = d if is_dense(entries, rows, d, spec.storage) else entries / rows
    return Size(n, min(n_test, spec.max_test or n_test), d, stored)


def _test_rows(spec: DatasetSpec) -> int | None:
    if spec.parts is not None:
        return spec.parts[1 if spec.validate else 2]
    if isinstance(spec, MadeData):
        return spec.n_test
    if isinstance(spec, SplitData) and spec.expected_train.n is not None and spec.expected_test.n is None:
        return _held_out(spec, spec.expected_train.n)
    return spec.expected_test.n


def _held_out(spec: SplitData, n: int) -> int:
    """Return the number of test rows split off from `n` rows."""
    return spec.test_count if spec.test_count is not None else fraction_of(n, spec.test_fraction)
