"""What a data set is: the schema of ``conf/dataset/*.yaml``.

Plain dataclasses with plain field types, so that OmegaConf can use them as a structured config and
anybody else can fill them in without Hydra.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from datasets.errors import DataError

KINDS = ("published", "digits", "synthetic", "file", "elastic")
FORMATS = ("auto", "libsvm", "csv", "npz", "idx", "messages")
ROLES = ("train", "test", "train_labels", "test_labels", "topics")
STORAGES = ("auto", "dense", "sparse")
SCALINGS = ("none", "minmax")
ROW_NORMS = ("none", "l2", "longest")
SHAPES = ("separable", "noisy", "margin")


@dataclass
class FileSpec:
    """One published file.

    Attributes
    ----------
    role
        What the file holds: ``train`` or ``test`` (with ``format: idx`` the images; with ``format: libsvm`` there may
        be several of a role, whose rows follow one another), ``train_labels`` or ``test_labels`` (idx only), or
        ``topics`` (see ``topic``).
    name
        File name *without* the suffix of a packer: ``a9a`` is found as a9a, a9a.xz, a9a.bz2 or a9a.gz.
    url
        Published address; the file may be packed there.
    sha256
        SHA-256 of the **unpacked** bytes, so that differently packed copies of the same file are all
        accepted. Empty when it is not known; then only the expected counts are verified.
    archived
        Whether the file may come in a tar archive, under its name in some folder: at ``url``, or put in its place.
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
    """A data set: where it comes from and every step between the files and the arrays.

    Attributes
    ----------
    name
        Name shown to the user and recorded.
    description, source, licence, remarks
        For people; they do not enter the fingerprint.
    stand_in
        Empty, or why this data set only stands in for another one.
    kind
        ``published`` (files with addresses and checksums), ``digits`` (bundled with scikit-learn),
        ``synthetic``, ``file`` (the user's own) or ``elastic`` (images made of published ones, see
        :mod:`datasets.elastic`).
    format
        ``libsvm``, ``csv``, ``npz``, ``idx``, ``messages`` (a tar archive of texts, see
        :mod:`datasets.readers.messages`), or ``auto``: by the file's suffix.
    files
        Files of ``kind: published`` and ``kind: elastic``.
    train, test
        Paths for ``kind: file``; without ``test`` a seeded split is made.
    label_column
        CSV only: 0-based number (negative: from the end) or the name in the header.
    drop_columns
        CSV only: 0-based numbers of columns that are neither label nor feature.
    ngrams, min_count
        Messages only: the features are the runs of 1 to ``ngrams`` words that occur at least ``min_count`` times.
    topic
        With a file of role ``topics``, whose lines read ``topic document 1``: labels are numbers of documents, and
        become 1 for the documents of this topic, else -1.
    positive, negative
        Raw labels of each class. Only ``positive``: against all the rest. Both: rows with other labels
        are left out. Neither: the labels must take two values, the larger one is +1.
    d
        Number of features; narrower files are padded with zeros. None: the training file's width.
        For ``kind: synthetic`` the dimension.
    divide_by
        Every feature is divided by this (255 for pixels).
    scaling
        ``none``, or ``minmax``: each feature to [0, 1] by the *training* rows' range, test rows alike.
    row_norm
        After ``divide_by`` and ``scaling``: ``none``; ``l2``: each row is divided by its Euclidean norm, a row of zeros
        stays; ``longest``: all rows, test rows too, are divided by the largest Euclidean norm of a training row.
    storage
        ``dense``, ``sparse``, or ``auto``: dense when more than 10 % of the entries are not zero or
        d <= 1024, else CSR.
    test_fraction, test_count, split_seed
        The split of a data set without a test file; ``test_count`` wins over ``test_fraction``.
    parts
        Numbers of training, validation and test rows: all rows of all files together, in an order drawn with
        ``split_seed``, are cut in this order, whatever the files say. Rows beyond the sum are left out. None: the parts
        are those of the files, or of ``test_count`` and ``test_fraction``.
    validate
        With ``parts``, and with ``kind: elastic``: whether the validation rows take the place of the test rows.
    max_train, max_test
        Use at most this many training and test rows: a sample drawn with ``split_seed`` after label rule and split, see
        :mod:`datasets.sample`. None: all.
    validation_fraction
        This share of the training rows (after ``max_train``), drawn with ``split_seed``, takes the place of the test
        rows (before ``max_test``), and the others are trained on: for choosing settings without a look at the test
        rows. None: the test rows are the test rows.
    n, n_test, data_seed
        ``kind: synthetic`` and ``kind: elastic`` only: training rows, test (or validation) rows, and their seed.
    shape, noise, margin
        ``kind: synthetic`` only, see :mod:`datasets.synthetic`.
    sigma, alpha
        ``kind: elastic`` only: width of the Gaussian that smooths the displacements, in pixels, and their scale.
    expected_train, expected_test
        Counts of the training file (the whole file when it is split) and of the test file.
    """

    name: str = ""
    description: str = ""
    kind: str = "published"
    source: str = ""
    licence: str = ""
    remarks: list[str] = field(default_factory=list)
    stand_in: str = ""
    format: str = "auto"
    files: list[FileSpec] = field(default_factory=list)
    train: str = ""
    test: str = ""
    label_column: int | str = -1
    drop_columns: list[int] = field(default_factory=list)
    ngrams: int = 3
    min_count: int = 2
    topic: str = ""
    positive: list[float] | None = None
    negative: list[float] | None = None
    d: int | None = None
    divide_by: float = 1.0
    scaling: str = "none"
    row_norm: str = "none"
    storage: str = "auto"
    test_fraction: float = 0.2
    test_count: int | None = None
    split_seed: int = 0
    parts: list[int] | None = None
    validate: bool = False
    max_train: int | None = None
    max_test: int | None = None
    validation_fraction: float | None = None
    shape: str = "separable"
    n: int = 1000
    n_test: int = 500
    noise: float = 0.1
    margin: float = 0.1
    data_seed: int = 0
    sigma: float = 5.0
    alpha: float = 30.0
    expected_train: ExpectedSpec = field(default_factory=ExpectedSpec)
    expected_test: ExpectedSpec = field(default_factory=ExpectedSpec)

    def file(self, role: str) -> FileSpec | None:
        """Return the published file of a role (the first, where there are several), or None."""
        return next(iter(self.of_role(role)), None)

    def of_role(self, role: str) -> list[FileSpec]:
        """Return all published files of a role."""
        return [f for f in self.files if f.role == role]


def check_spec(spec: DatasetSpec) -> None:
    """Refuse a specification that makes no sense, before any file is touched.

    Raises
    ------
    DataError
        Naming the field, its value, and what is allowed.
    """
    _one_of("kind", spec.kind, KINDS)
    _one_of("format", spec.format, FORMATS)
    _one_of("storage", spec.storage, STORAGES)
    _one_of("scaling", spec.scaling, SCALINGS)
    _one_of("row_norm", spec.row_norm, ROW_NORMS)
    _check_labels(spec)
    if spec.d is not None and spec.d < 1:
        raise DataError(f"dataset.d={spec.d}: the number of features must be at least 1.")
    if not (math.isfinite(spec.divide_by) and spec.divide_by > 0):
        raise DataError(f"dataset.divide_by={spec.divide_by}: must be a finite number above 0.")
    _check_seed("split_seed", spec.split_seed)
    for name, share in (("test_fraction", spec.test_fraction), ("validation_fraction", spec.validation_fraction)):
        if share is not None and not 0 < share < 1:
            raise DataError(f"dataset.{name}={share}: must lie between 0 and 1, both excluded.")
    if spec.test_count is not None and spec.test_count < 1:
        raise DataError(f"dataset.test_count={spec.test_count}: must be at least 1.")
    for name, rows in (("max_train", spec.max_train), ("max_test", spec.max_test)):
        if rows is not None and rows < 2:
            raise DataError(f"dataset.{name}={rows}: must be at least 2, one row of each class.")
    _check_parts(spec)
    if spec.format == "messages":
        _check_messages(spec)
    if spec.kind in ("published", "elastic"):
        _check_files(spec)
    if spec.kind == "elastic":
        _check_elastic(spec)
    if spec.kind == "file" and not spec.train:
        raise DataError(
            "dataset=file needs dataset.train=PATH (LIBSVM text, .csv or .npz); dataset.test=PATH is optional."
        )
    if spec.kind == "synthetic":
        _check_synthetic(spec)


def _one_of(name: str, value: str, allowed: Iterable[str]) -> None:
    if value not in allowed:
        raise DataError(f"dataset.{name}={value}: unknown; allowed are {', '.join(allowed)}.")


def _check_seed(name: str, seed: int) -> None:
    if not 0 <= seed < 2**64:
        raise DataError(f"dataset.{name}={seed}: must lie between 0 and 2^64 - 1.")


def _check_labels(spec: DatasetSpec) -> None:
    if spec.negative is not None and spec.positive is None:
        raise DataError("dataset.negative is set but dataset.positive is not; give the positive labels too.")
    for name, group in (("positive", spec.positive), ("negative", spec.negative)):
        if group is not None and not group:
            raise DataError(f"dataset.{name}=[]: name at least one label, or leave the field out.")
        if group is not None and not all(math.isfinite(v) for v in group):
            raise DataError(f"dataset.{name}={list(group)}: labels must be finite numbers.")
    both = set(spec.positive or ()) & set(spec.negative or ())
    if both:
        raise DataError(f"Label {min(both):g} is in both dataset.positive and dataset.negative.")


def _check_parts(spec: DatasetSpec) -> None:
    if spec.parts is None:
        if spec.validate and spec.kind != "elastic":
            raise DataError("dataset.validate=true needs dataset.parts=[train,validation,test], numbers of rows.")
        return
    given = ",".join(map(str, spec.parts))
    if len(spec.parts) != 3 or min(spec.parts) < 0 or spec.parts[0] < 2:
        raise DataError(f"dataset.parts=[{given}]: [train,validation,test] are three numbers, train at least 2.")
    part = 1 if spec.validate else 2
    if spec.parts[part] < 1:
        raise DataError(f"dataset.parts=[{given}]: no {('validation', 'test')[part - 1]} row is left to evaluate on.")
    if spec.validation_fraction is not None:
        raise DataError(
            "dataset.validation_fraction and dataset.parts both hold rows out: use dataset.parts with "
            "dataset.validate=true, or dataset.validation_fraction alone."
        )


def _check_messages(spec: DatasetSpec) -> None:
    for name, value in (("ngrams", spec.ngrams), ("min_count", spec.min_count)):
        if value < 1:
            raise DataError(f"dataset.{name}={value}: must be at least 1.")
    if spec.test or spec.file("test"):
        raise DataError(
            "dataset.format=messages takes one archive, which is split: a second one would have features of its own."
        )


def _check_files(spec: DatasetSpec) -> None:
    if spec.format == "auto":
        raise DataError(f"Data set {spec.name}: needs dataset.format, one of {', '.join(FORMATS[1:])}.")
    for entry in spec.files:
        _one_of("files.role", entry.role, ROLES)
        if not entry.name or "/" in entry.name or "\\" in entry.name:
            raise DataError(f"Data set {spec.name}: '{entry.name}' is not a plain file name (dataset.files.name).")
        if entry.sha256 and not (len(entry.sha256) == 64 and set(entry.sha256) <= set("0123456789abcdef")):
            raise DataError(f"Data set {spec.name}: the sha256 of {entry.name} must be 64 lower-case hex digits.")
    roles = [f.role for f in spec.files]
    once = [role for role in roles if spec.format != "libsvm" or role == "topics"]
    if len(set(once)) != len(once):
        raise DataError(f"Data set {spec.name}: each role may appear once in dataset.files, found {', '.join(roles)}.")
    if bool(spec.topic) != ("topics" in roles):
        raise DataError(f"Data set {spec.name}: dataset.topic and a file of role topics must come together.")
    _check_roles(spec, roles)


def _check_roles(spec: DatasetSpec, roles: Sequence[str]) -> None:
    needed = ["train"]
    if spec.format == "idx":
        needed += ["train_labels"] + (["test_labels"] if "test" in roles else [])
    missing = [r for r in needed if r not in roles]
    if missing:
        raise DataError(f"Data set {spec.name}: dataset.files lacks a file of role {', '.join(missing)}.")


def _check_elastic(spec: DatasetSpec) -> None:
    if spec.format != "idx" or spec.file("test") is None:
        raise DataError(f"Data set {spec.name}: kind elastic is made of idx files, training and test images.")
    _check_seed("data_seed", spec.data_seed)
    for name, count in (("n", spec.n), ("n_test", spec.n_test)):
        if not 2 <= count <= 2**32:
            raise DataError(f"dataset.{name}={count}: must lie between 2 and 2^32 images.")
    for name, value, low, high in (("sigma", spec.sigma, 0.5, 28.0), ("alpha", spec.alpha, 0.0, 1000.0)):
        if not low <= value <= high:
            raise DataError(f"dataset.{name}={value}: must lie between {low:g} and {high:g}.")
    for name, given in (("parts", spec.parts), ("validation_fraction", spec.validation_fraction)):
        if given is not None:
            raise DataError(
                f"dataset.{name}={given}: images of one original would be in several parts; dataset=mnist_elastic has "
                "parts of its own, see dataset.n, dataset.n_test and dataset.validate."
            )
    if spec.max_train is None:
        for name, choice, allowed in (
            ("scaling", spec.scaling, ("none",)),
            ("row_norm", spec.row_norm, ("none",)),
            ("storage", spec.storage, ("auto", "dense")),
        ):
            if choice not in allowed:
                raise DataError(
                    f"dataset.{name}={choice}: needs all training rows, and here they are made when they are needed; "
                    "dataset.max_train=60000 makes so many of them at once."
                )


def _check_synthetic(spec: DatasetSpec) -> None:
    _one_of("shape", spec.shape, SHAPES)
    _check_seed("data_seed", spec.data_seed)
    if spec.d is None:
        raise DataError("dataset=synthetic needs dataset.d, the number of features.")
    if spec.n < 2 or spec.n_test < 1:
        raise DataError(
            f"dataset.n={spec.n} dataset.n_test={spec.n_test}: need at least 2 training rows and 1 test row."
        )
    if not 0 <= spec.noise < 0.5:
        raise DataError(f"dataset.noise={spec.noise}: a share of flipped labels, at least 0 and below 0.5.")
    if not (math.isfinite(spec.margin) and spec.margin > 0):
        raise DataError(f"dataset.margin={spec.margin}: must be a finite number above 0.")
