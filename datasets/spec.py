"""The specification of a data set: one dataclass for each kind, and the schema of ``conf/dataset/*.yaml``.

Plain dataclasses: OmegaConf uses them as structured configs, and they work without Hydra.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import ClassVar

from .errors import shorten

PACKED_SUFFIXES = (".xz", ".bz2", ".gz")
MAX_FEATURES = 2**31 - 1
"""Most features of a data set: solvers number them with 32 bits."""
NAMED = {"sklearn": "entry", "openml": "entry", "file": "train"}
"""Field that ``dataset=SOURCE:NAME`` sets to NAME, by its source."""
NAMED_OPTION = re.compile(rf"(?P<source>{'|'.join(NAMED)}):(?P<name>.+)")
LONGEST_NAME = 100
"""Most characters of a data set's name."""
TEXTS = frozenset({"name", "description", "source", "licence", "remarks", "stand_in"})
"""Descriptions, which change no array."""


@dataclass
class FileSpec:
    """One published file.

    ``role`` is ``train`` or ``test`` (with ``format: idx`` the images; with ``format: libsvm`` there may be several of
    a role, whose rows follow one another), ``train_labels`` or ``test_labels`` (idx only), or ``topics`` (see
    `PublishedData`). ``name`` lacks the suffix of a packer: ``a9a`` is found as a9a, a9a.xz, a9a.bz2 or a9a.gz; at its
    ``url`` the file may be packed. ``sha256`` is that of the unpacked bytes, so that a copy may be packed differently;
    where it is not known, only the expected counts are verified. With ``archived`` the file may be inside a tar
    archive, under its name in any folder.
    """

    role: str = "train"
    name: str = ""
    url: str = ""
    sha256: str = ""
    archived: bool = False


@dataclass
class ExpectedSpec:
    """Counts verified at load, before label rule, split and padding; None or empty: not verified.

    ``n`` rows; ``nnz`` entries that are not zero (explicit zeros do not count); rows of each raw label, keyed by the
    label written as a number: ``{"-1": 24720, "1": 7841}``.
    """

    n: int | None = None
    nnz: int | None = None
    classes: dict[str, int] = field(default_factory=dict)


@dataclass
class DatasetSpec:
    """Description of any data set, and the steps from its tables to arrays (docs/datasets.md).

    Attributes
    ----------
    name
        Shown to the user and recorded; empty: see `named`.
    description, source, licence, remarks
        Descriptions; not part of the fingerprint.
    stand_in
        Why this data set only stands in for another one; empty if it does not.
    positive, negative
        Raw labels of each class, see `datasets.parts.make_rule`.
    d
        Number of features; narrower files are padded with zeros. None: the training file's width.
    divide_by
        Every feature is divided by this (255 for pixels).
    scaling
        ``none``, ``minmax`` or ``standard``, by the training rows, test rows alike.
    row_norm
        After ``divide_by`` and ``scaling``: ``none``, ``l2`` or ``longest``.
    storage
        ``dense``, ``sparse``, or ``auto``, see `datasets.transforms.is_dense`.
    split_seed
        Of all rows that are drawn: split, parts, samples, validation.
    parts
        Numbers of training, validation and test rows, cut from all rows of all files. None: the parts are the files, or
        follow from `SplitData`.
    validate
        With ``parts`` and for `ElasticData`: whether the validation rows replace the test rows.
    max_train, max_test
        Most training and test rows, drawn after label rule and split. None: all.
    validation_fraction
        This share of the training rows (after ``max_train``) replaces the test rows (before ``max_test``).
    expected_train, expected_test
        Counts of the training file (the whole file when it is split) and of the test file.
    """

    kind: ClassVar[str]

    name: str = ""
    description: str = ""
    source: str = ""
    licence: str = ""
    remarks: list[str] = field(default_factory=list)
    stand_in: str = ""
    positive: list[int | float | str] | None = None
    negative: list[int | float | str] | None = None
    d: int | None = None
    divide_by: float = 1.0
    scaling: str = "none"
    row_norm: str = "none"
    storage: str = "auto"
    split_seed: int = 0
    parts: list[int] | None = None
    validate: bool = False
    max_train: int | None = None
    max_test: int | None = None
    validation_fraction: float | None = None
    expected_train: ExpectedSpec = field(default_factory=ExpectedSpec)
    expected_test: ExpectedSpec = field(default_factory=ExpectedSpec)


@dataclass
class SplitData(DatasetSpec):
    """Data whose test rows, without a test file, are a share or a number of all rows; ``test_count`` wins."""

    test_fraction: float = 0.2
    test_count: int | None = None


@dataclass
class SklearnData(SplitData):
    """``kind: sklearn``: bundled with scikit-learn; ``entry`` is a name of `datasets.sklearn_data.CHECKSUMS`."""

    kind = "sklearn"

    entry: str = ""


@dataclass
class OpenmlData(SplitData):
    """``kind: openml``: fetched by scikit-learn; ``entry`` is NAME or NAME:VERSION."""

    kind = "openml"

    entry: str = ""
    drop_columns: list[int] = field(default_factory=list)


@dataclass
class ReadData(SplitData):
    """Data read from files.

    Attributes
    ----------
    format
        ``libsvm``, ``csv``, ``npz``, ``parquet``, ``arff``, ``idx``, ``messages`` (a tar archive of texts),
        ``reuters`` (for both see :mod:`datasets.readers.texts`), or ``auto``: by the file's suffix.
    zero_based
        LIBSVM text only: whether indices are counted from 0. None: they are where index 0 occurs in any of the files.
    label_column, drop_columns
        CSV, Parquet and ARFF only: see `datasets.readers.columns.table_from`.
    ngrams, min_count
        Messages and Reuters only: see :mod:`datasets.readers.texts`.
    """

    format: str = "auto"
    zero_based: bool | None = None
    label_column: int | str = -1
    drop_columns: list[int] = field(default_factory=list)
    ngrams: int = 3
    min_count: int = 2


@dataclass
class FileData(ReadData):
    """``kind: file``: the user's own files, as paths; without ``test`` a seeded split is made."""

    kind = "file"

    train: str = ""
    test: str = ""


@dataclass
class WithFiles:
    """Published files."""

    files: list[FileSpec] = field(default_factory=list)

    def file(self, role: str) -> FileSpec | None:
        """Return the first published file of a role, or None."""
        return next(iter(self.of_role(role)), None)

    def of_role(self, role: str) -> list[FileSpec]:
        """Return all published files of a role."""
        return [f for f in self.files if f.role == role]


@dataclass
class PublishedData(WithFiles, ReadData):
    """``kind: published``: files with addresses and checksums.

    With a file of role ``topics``, whose lines read ``topic document 1``, labels are numbers of documents, and become 1
    for the documents of ``topic``, else -1. With ``format: reuters`` it is the topic itself.
    """

    kind = "published"

    topic: str = ""


@dataclass
class MadeData(DatasetSpec):
    """Data that are generated: ``n`` training rows, ``n_test`` test (or validation) rows, and their seed."""

    n: int = 1000
    n_test: int = 500
    data_seed: int = 0


@dataclass
class SyntheticData(MadeData):
    """``kind: synthetic``: seeded points with ``d`` features, see :mod:`datasets.synthetic`."""

    kind = "synthetic"

    shape: str = "separable"
    noise: float = 0.1
    margin: float = 0.1
    rare: float = 0.1
    directions: int = 16


@dataclass
class ElasticData(WithFiles, MadeData):
    """``kind: elastic``: images made of published ones, idx files, see :mod:`datasets.elastic`.

    ``sigma`` is the width of the Gaussian that smooths the displacements, in pixels, and ``alpha`` their scale.
    """

    kind = "elastic"

    format: str = "auto"
    sigma: float = 5.0
    alpha: float = 30.0


_KINDS: tuple[type[DatasetSpec], ...] = (PublishedData, SklearnData, OpenmlData, SyntheticData, FileData, ElasticData)
KINDS = {kind.kind: kind for kind in _KINDS}


@dataclass
class DatasetConfig(PublishedData, FileData, OpenmlData, SklearnData, ElasticData, SyntheticData):
    """The schema of ``conf/dataset/*.yaml`` and of the command line: ``kind``, and the fields of all kinds."""

    kind: str = "published"  # type: ignore[misc]


def named(spec: DatasetSpec) -> DatasetSpec:
    """Return the specification with a name: without one, that of the user's file without suffixes, or ``sklearn:wine``.

    Numeric labels become floats, because 8 and 8.0 are the same label.
    """
    name = spec.name
    if isinstance(spec, FileData) and not name:
        pure = PurePath(spec.train)
        stem = pure.with_suffix("").stem if pure.suffix.lower() in PACKED_SUFFIXES else pure.stem
        name = shorten(stem, LONGEST_NAME).strip() or spec.kind
    if isinstance(spec, SklearnData | OpenmlData) and not name:
        name = f"{spec.kind}:{spec.entry}" if spec.entry else spec.kind
    groups: dict[str, list[int | float | str] | None] = {
        key: group and [float(value) if isinstance(value, int | float) else value for value in group]
        for key, group in (("positive", spec.positive), ("negative", spec.negative))
    }
    return replace(spec, name=name, positive=groups["positive"], negative=groups["negative"])
