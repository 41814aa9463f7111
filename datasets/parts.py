"""Labels the rows -1 and +1, and divides them into training and test part: split, samples, rows held out."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from . import elastic
from .errors import DataError, shorten
from .readers.plain_text import DOUBTFUL_LABELS
from .source import RawTables
from .spec import DatasetSpec, ElasticData, PublishedData, SplitData
from .split import (
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
from .transforms import stack_rows
from .types import Features, Stream

Label = int | float | str
"""A label in a setting: number or text."""


@dataclass(frozen=True)
class LabelRule:
    """Raw labels of the classes +1 and -1.

    Attributes
    ----------
    positive
        Raw labels that become +1, ascending.
    negative
        Raw labels that become -1, ascending; None: all the rest.
    classes
        Text labels; raw label k is the k-th of them. Empty if labels are numbers.
    """

    positive: tuple[float, ...]
    negative: tuple[float, ...] | None
    classes: tuple[str, ...] = ()

    def describe(self) -> str:
        """Describe the rule for the record."""
        negative = "the rest" if self.negative is None else self.names(self.negative)
        return f"{self.names(self.positive)} is +1, {negative} is -1"

    def names(self, values: Sequence[float] | NDArray[np.float64]) -> str:
        """Return raw labels as text, written as in the file."""
        return ", ".join(shorten(self.classes[int(v)], 40) if self.classes else f"{v:g}" for v in values)


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


def make_rule(
    raw: NDArray[np.float64],
    positive: Sequence[Label] | None,
    negative: Sequence[Label] | None,
    where: str,
    classes: tuple[str, ...] = (),
    *,
    has_columns: bool = False,
) -> LabelRule:
    """Make the rule from the settings, or from the training labels, (n,), without settings.

    Without settings the labels must have exactly two values (-1/+1, 0/1, 1/2, ...); the larger is +1. Text labels are
    ordered alphabetically. ``has_columns`` says whether a setting chooses which column holds the label.
    """
    values = np.unique(raw)
    names = LabelRule((), None, classes).names
    if positive is None:
        if values.size != 2:
            if values.size == 1:
                raise DataError(
                    f"{where}: only one class ({names(values)}); two are needed: add rows of the other class."
                )
            listed = names(values[:10]) + (", ..." if values.size > 10 else "")
            advice = " If the label is another column, choose it by dataset.label_column=NAME, or its number from 0."
            missing = _doubtful(classes, [])
            also = f" If {missing[0]} is a missing label, remove its rows." if missing else ""
            raise DataError(
                f"{where}: {values.size} different labels ({listed}); two are needed: choose by "
                f"dataset.positive=[{names(values[-1:])}] and, if wanted, dataset.negative=[...]."
                f"{advice * has_columns}{also}"
            )
        return LabelRule((float(values[1]),), (float(values[0]),), classes)
    if negative is None and (rest := _doubtful(classes, [_text(label) for label in positive])):
        raise DataError(
            f"{where}: label {rest[0]} may be a class, or a missing label; remove its rows, or say which labels are "
            "-1 by dataset.negative=[...], and other rows are left out."
        )
    chosen: dict[str, tuple[float, ...]] = {}
    for name, group in (("positive", positive), ("negative", negative or ())):
        raws = [_raw_label(label, classes) for label in group]
        for label, value in zip(group, raws, strict=True):
            if value is None or value not in values:
                raise DataError(
                    f"{where}: label {_text(label)} of dataset.{name} never occurs; found {names(values[:20])}."
                )
        chosen[name] = tuple(sorted({value for value in raws if value is not None}))
    return LabelRule(chosen["positive"], None if negative is None else chosen["negative"], classes)


def _doubtful(classes: Sequence[str], chosen: Sequence[str]) -> list[str]:
    """Return text labels that may be missing ones, except the chosen ones."""
    return [shorten(name, 40) for name in classes if name.lower() in DOUBTFUL_LABELS and name not in chosen]


def label_warnings(classes: Sequence[str], rule: LabelRule) -> list[str]:
    """Return sentences about labels of a user's file that may not be what they seem."""
    used = [name for k, name in enumerate(classes) if k in (*rule.positive, *(rule.negative or range(len(classes))))]
    sentences = [
        f"label {name} counts as a class; if it is a missing label, remove its rows" for name in _doubtful(used, [])
    ]
    alike: dict[str, list[str]] = {}
    for name in classes:
        alike.setdefault(" ".join(unicodedata.normalize("NFKC", name).casefold().split()), []).append(name)
    sentences += [
        f"labels {' and '.join(shorten(name, 40) for name in names)} are different classes, as their letters differ; "
        "write them alike if they are one"
        for names in alike.values()
        if len(names) > 1
    ]
    return sentences


def apply_rule(
    rule: LabelRule, raw: NDArray[np.float64], *, drop_others: bool, where: str
) -> tuple[NDArray[np.int8], NDArray[np.int64] | None]:
    """Map raw labels, (n,), to -1 and +1, (m,) int8; also return the rows kept, (m,) int64, or None when all are.

    Rows with a label of neither group are left out with ``drop_others``, else refused.
    """
    is_positive = np.isin(raw, rule.positive)
    y = np.where(is_positive, 1, -1).astype(np.int8)
    if rule.negative is None:
        return y, None
    has_label = is_positive | np.isin(raw, rule.negative)
    if has_label.all():
        return y, None
    if not drop_others:
        row = int(np.argmin(has_label))
        raise DataError(
            f"{where}, row {row + 1}: label {rule.names(raw[row : row + 1])}; the training labels are "
            f"{rule.names(rule.negative)} and {rule.names(rule.positive)}."
        )
    rows = np.flatnonzero(has_label).astype(np.int64)
    if not rows.size:
        raise DataError(f"{where}: no row has one of the chosen labels.")
    return y[rows], rows


def _raw_label(label: Label, classes: tuple[str, ...]) -> float | None:
    """Convert a label from a setting to the file's raw label; None if the file has no such label."""
    if classes:
        return float(classes.index(_text(label))) if _text(label) in classes else None
    try:
        return float(label)
    except ValueError:
        return None


def _text(label: Label) -> str:
    return label if isinstance(label, str) else f"{label:g}"


def make_parts(raw: RawTables, spec: DatasetSpec, rule: LabelRule, where: str) -> tuple[Part, Part, dict[str, str]]:
    """Return training part, test (or validation) part, and ``split`` and ``sample`` in words, for the provenance.

    The order is: label rule, split (where there is no test file, or by ``parts``), ``max_train``, validation,
    ``max_test``.
    """
    seed = spec.split_seed
    files = []
    for role, table in (("train", raw.train), ("test", raw.test)):
        if table is not None:
            y, rows = apply_rule(
                rule, table.y, drop_others=spec.negative is not None, where=raw.describe_part(where, role)
            )
            files.append(Part(table.X if rows is None else table.X[rows], y))
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
    train = train.take(sample_rows(train.y, spec.max_train, seed, PURPOSE_SAMPLE_TRAIN))
    n_sample = train.n
    if spec.validation_fraction is not None:
        train, test = train.hold_out(fraction_of(n_sample, spec.validation_fraction), seed, PURPOSE_VALIDATION)
        split += f"; {test.n} of {n_sample} training rows take the place of the test rows, Philox, seed {seed}"
    if (positives := int(np.count_nonzero(train.y > 0))) in (0, train.n):
        raise DataError(
            f"{where}, training part: only one class ({train.n} rows, all {'+1' if positives else '-1'}); both -1 and "
            "+1 must occur."
        )
    n_test = test.n
    test = test.take(sample_rows(test.y, spec.max_test, seed, PURPOSE_SAMPLE_TEST))
    return train, test, {"split": split, "sample": describe_sample(n, n_sample, n_test, test.n, seed)}


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
