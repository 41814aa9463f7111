"""Divides the rows into training and test part: label rule, split, samples, rows held out for validation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from svm_cost_curves.datasets import elastic
from svm_cost_curves.datasets.checks import check_classes
from svm_cost_curves.datasets.errors import DataError
from svm_cost_curves.datasets.labels import LabelRule, apply_rule
from svm_cost_curves.datasets.source import RawTables
from svm_cost_curves.datasets.spec import DatasetSpec, ElasticData, PublishedData, SplitData
from svm_cost_curves.datasets.split import (
    PURPOSE_SAMPLE_TEST,
    PURPOSE_SAMPLE_TRAIN,
    PURPOSE_SPLIT,
    PURPOSE_VALIDATION,
    cut_rows,
    describe_sample,
    fraction_of,
    sample_rows,
    split_rows,
)
from svm_cost_curves.datasets.transforms import stack_rows
from svm_cost_curves.datasets.types import Features, Stream


@dataclass
class Part:
    """Rows of a part: (n, d) features before the transforms, and (n,) labels, int8, -1 or +1."""

    X: Features | Stream
    y: NDArray[np.int8]

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.y.size)

    def take(self, rows: NDArray[np.int64] | None) -> Part:
        """Return the given rows, or all for None."""
        if rows is None:
            return self
        X = self.X.take(rows) if isinstance(self.X, Stream) else self.X[rows]
        return Part(X, self.y[rows])

    def in_memory(self) -> Features:
        """Return the features as an array; a stream makes all of its rows."""
        return self.X.raw() if isinstance(self.X, Stream) else self.X

    def hold_out(self, n_test: int, seed: int, purpose: int) -> tuple[Part, Part]:
        """Draw ``n_test`` rows with the random integers of (seed, purpose); return the remaining and the drawn rows."""
        inside, outside = split_rows(self.n, n_test, seed, purpose)
        return self.take(inside), self.take(outside)

    def sample(self, at_most: int | None, seed: int, purpose: int) -> Part:
        """Return at most this many rows, in the classes' proportions."""
        return self.take(sample_rows(self.y, at_most, seed, purpose))


def make_parts(raw: RawTables, spec: DatasetSpec, rule: LabelRule, where: str) -> tuple[Part, Part, dict[str, str]]:
    """Return training part, test (or validation) part, and ``split`` and ``sample`` in words, for the provenance.

    The order is: label rule, split (where there is no test file, or by ``parts``), ``max_train``, validation,
    ``max_test``.
    """
    seed = spec.split_seed
    files = _of_files(raw, spec, rule, where)
    if isinstance(spec, ElasticData):
        train, test = _deformed(files, spec)
        split = elastic.describe(spec)
    elif spec.parts is not None:
        train, test, split = _cut(files, spec.parts, seed, validate=spec.validate, where=where)
    elif len(files) == 2:
        train, test = files
        split = "as published" if isinstance(spec, PublishedData) else "none: train and test come apart"
    else:
        assert isinstance(spec, SplitData)  # others have test rows
        n_test = fraction_of(files[0].n, spec.test_fraction) if spec.test_count is None else spec.test_count
        train, test = files[0].hold_out(n_test, seed, PURPOSE_SPLIT)
        split = f"{train.n} train / {test.n} test rows drawn from one file, Philox, seed {seed}"
    n = train.n
    train = train.sample(spec.max_train, seed, PURPOSE_SAMPLE_TRAIN)
    n_sample = train.n
    if spec.validation_fraction is not None:
        train, test = train.hold_out(fraction_of(n_sample, spec.validation_fraction), seed, PURPOSE_VALIDATION)
        split += f"; {test.n} of {n_sample} training rows take the place of the test rows, Philox, seed {seed}"
    check_classes(train.y, f"{where}, training part")
    n_test = test.n
    test = test.sample(spec.max_test, seed, PURPOSE_SAMPLE_TEST)
    return train, test, {"split": split, "sample": describe_sample(n, n_sample, n_test, test.n, seed)}


def _of_files(raw: RawTables, spec: DatasetSpec, rule: LabelRule, where: str) -> list[Part]:
    """Return the labelled rows of the training file and of the test file, if there is one."""
    files = []
    for role, table in (("train", raw.train), ("test", raw.test)):
        if table is not None:
            y, rows = apply_rule(rule, table.y, drop_others=spec.negative is not None, where=raw.place(where, role))
            files.append(Part(table.X if rows is None else table.X[rows], y))
    return files


def _deformed(files: Sequence[Part], spec: ElasticData) -> tuple[Part, Part]:
    """Return the deformed training images and the deformed images for evaluation."""
    published, test = files
    train, validation = (published.take(rows) for rows in elastic.training_and_held_out(published.n))
    name, evaluated = ("validation", validation) if spec.validate else ("test", test)
    made = ((train, spec.n, "train"), (evaluated, spec.n_test, name))
    first, second = (
        Part(*elastic.deformed_images(np.asarray(part.X), part.y, count, series, spec)) for part, count, series in made
    )
    return first, second


def _cut(
    files: Sequence[Part], counts: Sequence[int], seed: int, *, validate: bool, where: str
) -> tuple[Part, Part, str]:
    """Cut all rows, as `make_parts` does by ``parts``."""
    total = sum(part.n for part in files)
    given = ",".join(map(str, counts))
    if sum(counts) > total:
        raise DataError(f"{where}: dataset.parts=[{given}] are {sum(counts)} rows, but there are only {total}.")
    train, validation, test = (_take(files, rows) for rows in cut_rows(total, counts, seed))
    split = (
        f"{train.n} train / {validation.n} validation / {test.n} test rows drawn from all {total}, Philox, "
        f"seed {seed}; evaluated on the {'validation' if validate else 'test'} rows"
    )
    return train, validation if validate else test, split


def _take(files: Sequence[Part], rows: NDArray[np.int64]) -> Part:
    """Return rows, numbered through all files, in ascending order; does not stack the whole files."""
    starts = np.cumsum([0, *(part.n for part in files)])
    taken = [
        part.take(rows[(rows >= start) & (rows < start + part.n)] - start)
        for part, start in zip(files, starts, strict=False)
    ]
    return Part(stack_rows([part.in_memory() for part in taken]), np.concatenate([part.y for part in taken]))
