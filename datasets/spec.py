"""The specification of a data set: one dataclass for each kind, and the schema of ``conf/dataset/*.yaml``.

Plain dataclasses: OmegaConf uses them as structured configs, and they work without Hydra.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import ClassVar

from svm_cost_curves.datasets.errors import shorten

FORMATS = ("auto", "libsvm", "csv", "npz", "parquet", "arff", "idx", "messages", "reuters")
ROLES = ("train", "test", "train_labels", "test_labels", "topics")
STORAGES = ("auto", "dense", "sparse")
SCALINGS = ("none", "minmax", "standard")
ROW_NORMS = ("none", "l2", "longest")
SHAPES = ("separable", "noisy", "margin", "rare")
PACKED_SUFFIXES = (".xz", ".bz2", ".gz")
MAX_FEATURES = 2**31 - 1
"""Most features of a data set: solvers number them with 32 bits."""
NAMED = {"sklearn": "entry", "openml": "entry", "file": "train"}
"""Field that ``dataset=SOURCE:NAME`` sets to NAME, by its source."""
LONGEST_NAME = 100
"""Most characters of a data set's name."""
TEXTS = frozenset({"name", "description", "source", "licence", "remarks", "stand_in"})
"""Descriptions, which change no array."""


@dataclass
class FileSpec:
    """One published file.

    Attributes
    ----------
    role
        Content of the file: ``train`` or ``test`` (with ``format: idx`` the images; with ``format: libsvm`` there may
        be several of a role, whose rows follow one another), ``train_labels`` or ``test_labels`` (idx only), or
        ``topics`` (see `PublishedData`).
    name
        File name *without* the suffix of a packer: ``a9a`` is found as a9a, a9a.xz, a9a.bz2 or a9a.gz.
    url
        Published address; the file may be packed there.
    sha256
        SHA-256 of the unpacked bytes, so that a copy may be packed differently. Empty if not known; then only the
        expected counts are verified.
    archived
        Whether the file may be inside a tar archive, under its name in any folder.
    """

    role: str = "train"
    name: str = ""
    url: str = ""
    sha256: str = ""
    archived: bool = False


@dataclass
class ExpectedSpec:
    """Counts verified at load, before label rule, split and padding; None or empty: not verified.

    Attributes
    ----------
    n
        Rows.
    nnz
        Entries that are not zero (explicit zeros do not count).
    classes
        Rows of each raw label, keyed by the label written as a number: ``{"-1": 24720, "1": 7841}``.
    """

    n: int | None = None
    nnz: int | None = None
    classes: dict[str, int] = field(default_factory=dict)


@dataclass
class DatasetSpec:
    """What every kind of data set has: its description, and the steps from tables to arrays.

    Attributes
    ----------
    name
        Name shown to the user and recorded; empty: that of the file, or ``sklearn:wine``, see `named`.
    description, source, licence, remarks
        Descriptions; not part of the fingerprint.
    stand_in
        Why this data set only stands in for another one; empty if it does not.
    positive, negative
        Raw labels of each class. Only ``positive``: against all the rest. Both: rows with other labels
        are left out. Neither: the labels must take two values, the larger one (of texts, the later one in alphabetical
        order) is +1.
    d
        Number of features; narrower files are padded with zeros. None: the training file's width.
    divide_by
        Every feature is divided by this (255 for pixels).
    scaling
        ``none``, or by the *training* rows, test rows alike: ``minmax``, each feature to [0, 1] by its range;
        ``standard``, each feature minus its mean, divided by its standard deviation.
    row_norm
        After ``divide_by`` and ``scaling``: ``none``; ``l2``: each row is divided by its Euclidean norm, a row of zeros
        stays; ``longest``: all rows, test rows too, are divided by the largest Euclidean norm of a training row.
    storage
        ``dense``, ``sparse``, or ``auto``: dense when more than 10 % of the entries are not zero or
        d <= 1024, else CSR.
    split_seed
        Of all rows that are drawn: split, parts, samples, validation.
    parts
        Numbers of training, validation and test rows: all rows of all files together, in an order drawn with
        ``split_seed``, are cut in this order. Rows beyond the sum are left out. None: the parts are the files, or
        follow from `SplitData`.
    validate
        With ``parts`` and for `ElasticData`: whether the validation rows replace the test rows.
    max_train, max_test
        Use at most this many training and test rows: a sample drawn with ``split_seed`` after label rule and split, see
        `datasets.split`. None: all.
    validation_fraction
        This share of the training rows (after ``max_train``), drawn with ``split_seed``, replaces the test rows (before
        ``max_test``), so that settings can be chosen without the test rows. None: the test rows are used.
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
    """``kind: sklearn``: bundled with scikit-learn; ``entry`` is a name of `datasets.bundles.CHECKSUMS`."""

    kind = "sklearn"

    entry: str = ""


@dataclass
class OpenmlData(SplitData):
    """``kind: openml``: fetched by scikit-learn.

    Attributes
    ----------
    entry
        NAME or NAME:VERSION, see `datasets.openml.name_and_version`.
    drop_columns
        0-based numbers of features to leave out.
    """

    kind = "openml"

    entry: str = ""
    drop_columns: list[int] = field(default_factory=list)


@dataclass
class ReadData(SplitData):
    """Data read from files.

    Attributes
    ----------
    format
        ``libsvm``, ``csv``, ``npz``, ``parquet``, ``arff``, ``idx``, ``messages`` (a tar archive of texts, see
        :mod:`datasets.readers.messages`), ``reuters`` (see :mod:`datasets.readers.reuters`), or ``auto``: by the file's
        suffix.
    zero_based
        LIBSVM text only: whether indices are counted from 0. None: they are where index 0 occurs in any of the files.
    label_column
        CSV, Parquet and ARFF only: 0-based number (negative: from the end) or the name in the header.
    drop_columns
        CSV, Parquet and ARFF only: 0-based numbers of columns to leave out.
    ngrams, min_count
        Messages and Reuters only: the features are the runs of 1 to ``ngrams`` words that occur at least ``min_count``
        times.
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

    Attributes
    ----------
    topic
        With a file of role ``topics``, whose lines read ``topic document 1``: labels are numbers of documents, and
        become 1 for the documents of this topic, else -1. With ``format: reuters`` the topic itself.
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
    """``kind: elastic``: images made of published ones, see :mod:`datasets.elastic`.

    Attributes
    ----------
    format
        ``idx``.
    sigma, alpha
        Width of the Gaussian that smooths the displacements, in pixels, and their scale.
    """

    kind = "elastic"

    format: str = "auto"
    sigma: float = 5.0
    alpha: float = 30.0


_KINDS: tuple[type[DatasetSpec], ...] = (
    PublishedData,
    SklearnData,
    OpenmlData,
    SyntheticData,
    FileData,
    ElasticData,
)
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
        stem = pure.with_suffix("").stem if pure.suffix in PACKED_SUFFIXES else pure.stem
        name = shorten(stem, LONGEST_NAME).strip() or spec.kind
    if isinstance(spec, SklearnData | OpenmlData) and not name:
        name = f"{spec.kind}:{spec.entry}" if spec.entry else spec.kind
    return replace(spec, name=name, positive=_as_floats(spec.positive), negative=_as_floats(spec.negative))


def _as_floats(group: list[int | float | str] | None) -> list[int | float | str] | None:
    return None if group is None else [value if isinstance(value, str) else float(value) for value in group]
