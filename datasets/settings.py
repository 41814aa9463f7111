"""From a composed configuration to a specification, and checks of its values before any file is read.

Settings that have no effect on the data set are refused.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import fields

import numpy as np

from ..support.text import nearest
from .errors import DataError, shorten
from .readers import TABLES, format_of
from .sklearn_data import CHECKSUMS, name_and_version
from .spec import (
    KINDS,
    LONGEST_NAME,
    MAX_FEATURES,
    TEXTS,
    DatasetConfig,
    DatasetSpec,
    ElasticData,
    FileData,
    MadeData,
    OpenmlData,
    PublishedData,
    ReadData,
    SklearnData,
    SplitData,
    SyntheticData,
    WithFiles,
    named,
)

_ROWS = 2**63 - 1
_ROLES = ("train", "test", "train_labels", "test_labels", "topics")
_CHOICES: dict[str, tuple[str, ...]] = {
    "format": ("auto", "libsvm", "csv", "npz", "parquet", "arff", "idx", "messages", "reuters"),
    "row_norm": ("none", "l2", "longest"),
    "scaling": ("none", "minmax", "standard"),
    "shape": ("separable", "noisy", "margin", "rare"),
    "storage": ("auto", "dense", "sparse"),
}
"""Values of a field."""
_FLOAT32 = np.finfo(np.float32)
_BETWEEN: dict[str, tuple[float, float]] = {
    "alpha": (0, 1000),
    "d": (1, MAX_FEATURES),
    "data_seed": (0, 2**64 - 1),
    "divide_by": (float(_FLOAT32.tiny), float(_FLOAT32.max)),
    "max_test": (2, _ROWS),
    "max_train": (2, _ROWS),
    "min_count": (1, 2**31 - 1),
    "n": (2, _ROWS),
    "n_test": (1, _ROWS),
    "ngrams": (1, 100),
    "sigma": (0.5, 28),
    "split_seed": (0, 2**64 - 1),
    "test_count": (1, _ROWS),
}
"""Least and largest value of a field; None is allowed as well."""
_INSIDE: dict[str, tuple[float, float]] = {
    "margin": (0, 1e15),  # its square fits in float32
    "rare": (0, 1),
    "test_fraction": (0, 1),
    "validation_fraction": (0, 1),
}
"""Bounds that a field must not reach."""


def spec_of(config: DatasetConfig, given: Collection[str] = (), may_be_unused: Collection[str] = ()) -> DatasetSpec:
    """Return the specification of the configuration's kind, with a name (see `datasets.spec.named`).

    Parameters
    ----------
    config
        As composed.
    given
        Names of fields that the user has set: ``train``, ``n``.
    may_be_unused
        Those of them that may be without effect.

    Raises
    ------
    DataError
        There is no such kind, or a field has no effect on this data set; the message has the fields with effect.
    """
    if "kind" in given:
        raise DataError("dataset.kind cannot be set by itself: choose a data set by dataset=NAME.")
    if config.kind not in KINDS:
        raise DataError(f"dataset.kind={shorten(config.kind)}: unknown; allowed are {', '.join(KINDS)}.")
    names = _names(KINDS[config.kind])
    spec = named(KINDS[config.kind](**{name: getattr(config, name) for name in names}))
    unused = {
        name: f"it is for kind {' and '.join(kind for kind, kind_spec in KINDS.items() if name in _names(kind_spec))}"
        for name in _names(DatasetConfig)
        if name not in (*names, "kind")
    }
    default = DatasetConfig()
    set_here = {name for name in unused if getattr(config, name) != getattr(default, name)}
    unused |= _without_effect(spec)
    for name in sorted({*given, *set_here} - {*may_be_unused}):
        if name in unused:
            effective = [option for option in names if option not in (*unused, *TEXTS)]
            raise DataError(
                f"dataset.{name} has no effect on dataset={_chosen(spec)}: {unused[name]}. "
                f"It has name, {', '.join(effective)}{nearest(name, effective)}"
            )
    return spec


def _names(kind: type[DatasetSpec]) -> list[str]:
    return [field.name for field in fields(kind)]


def _chosen(spec: DatasetSpec) -> str:
    return spec.kind if isinstance(spec, FileData | SyntheticData) else shorten(spec.name)


def _without_effect(spec: DatasetSpec) -> Mapping[str, str]:
    """Return the fields of a specification without effect, each with its condition."""
    # fields, whether their condition is met, and the condition in words
    rules: list[tuple[tuple[str, ...], bool, str]] = [
        (("expected_test",), _has_test_rows(spec), "there is no test file")
    ]
    drawn = any(value is not None for value in (spec.parts, spec.max_train, spec.max_test, spec.validation_fraction))
    if isinstance(spec, SplitData):
        split_off = spec.parts is None and not _has_test_file(spec)
        drawn |= split_off
        why = "it has its own test rows" if spec.parts is None else "dataset.parts says how rows are divided"
        rules.append((("test_count", "test_fraction"), split_off, why))
        rules.append((("test_fraction",), spec.test_count is None, "dataset.test_count says how many"))
    rules.append((("split_seed",), drawn, "no rows are drawn (a split, a sample, or rows held out)"))
    if isinstance(spec, ReadData):
        formats = _formats(spec)
        rules += [
            (("zero_based",), "libsvm" in formats, "it is for LIBSVM text"),
            (("label_column", "drop_columns"), bool(formats & TABLES.keys()), "it is for CSV, Parquet and ARFF"),
            (("ngrams", "min_count"), bool(formats & {"messages", "reuters"}), "it is for texts (messages, reuters)"),
        ]
    if isinstance(spec, PublishedData):
        topics = spec.format == "reuters" or spec.file("topics") is not None
        rules.append((("topic",), topics, "it is for data sets with a file of topics, and for Reuters-21578"))
    if isinstance(spec, SyntheticData):
        for shape, names in (("noisy", ("noise",)), ("margin", ("margin",)), ("rare", ("rare", "directions"))):
            rules.append((names, spec.shape == shape, f"it is for dataset.shape={shape}"))
    return {name: why for names, holds, why in reversed(rules) if not holds for name in names}


def _formats(spec: ReadData) -> set[str]:
    paths = [path for path in (spec.train, spec.test) if path] if isinstance(spec, FileData) else [""]
    return {format_of(path, spec.format) for path in paths}


def _has_test_file(spec: DatasetSpec) -> bool:
    return bool(spec.test if isinstance(spec, FileData) else isinstance(spec, WithFiles) and spec.file("test"))


def _has_test_rows(spec: DatasetSpec) -> bool:
    """Whether test rows come with the data; an .npz may have some or not."""
    if isinstance(spec, FileData) and "npz" in _formats(spec):
        return True
    return isinstance(spec, MadeData) or _has_test_file(spec)


def check_spec(spec: DatasetSpec) -> None:
    """Check the values of a specification.

    Raises
    ------
    DataError
        A value is not allowed; the message has the field, its value, and the allowed ones.
    """
    if type(spec) is not KINDS.get(spec.kind):
        raise TypeError(f"{type(spec).__name__} is no kind of data set; datasets.spec_of makes one of a configuration")
    for name, value in vars(spec).items():
        if name in _CHOICES and value not in _CHOICES[name]:
            raise DataError(f"dataset.{name}={shorten(value)}: unknown; allowed are {', '.join(_CHOICES[name])}.")
        if value is not None and name in _BETWEEN:
            _check_between(name, value, *_BETWEEN[name])
        if value is not None and name in _INSIDE:
            low, high = _INSIDE[name]
            if not low < value < high:
                raise DataError(f"dataset.{name}={value}: must lie between {low:g} and {high:g}, both excluded.")
    if len(spec.name) > LONGEST_NAME + len("...") or not spec.name.isprintable() or spec.name.strip() != spec.name:
        raise DataError(
            f"dataset.name={shorten(spec.name)}: a name has at most {LONGEST_NAME} printable characters, and no blank "
            "at either end."
        )
    _check_labels(spec)
    _check_parts(spec)
    if isinstance(spec, FileData) and not spec.train:
        raise DataError(
            "dataset=file needs a path: dataset=file:PATH or dataset.train=PATH (LIBSVM text, .csv, .npz, .parquet, "
            ".arff); dataset.test=PATH is optional."
        )
    if isinstance(spec, ReadData) and spec.format == "messages" and _has_test_file(spec):
        raise DataError(
            "dataset.format=messages takes one archive, which is split: a second one would have other features."
        )
    if isinstance(spec, PublishedData | ElasticData):
        _check_files(spec, spec.topic if isinstance(spec, PublishedData) else "")
    if isinstance(spec, ElasticData):
        _check_elastic(spec)
    if isinstance(spec, SklearnData) and spec.entry not in CHECKSUMS:
        raise DataError(
            f"dataset=sklearn:{shorten(spec.entry) or 'NAME'}: NAME is one of {', '.join(CHECKSUMS)}, "
            "which scikit-learn bundles."
        )
    if isinstance(spec, OpenmlData):
        name_and_version(spec.entry)
    if isinstance(spec, SyntheticData):
        if spec.d is None:
            raise DataError("dataset=synthetic needs dataset.d, the number of features.")
        if not 0 <= spec.noise < 0.5:
            raise DataError(f"dataset.noise={spec.noise}: a share of flipped labels, at least 0 and below 0.5.")
        if spec.shape == "rare":
            _check_between("directions", spec.directions, 2, spec.d)


def _check_between(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        bounds = " and ".join(f"{bound:.6g}" if isinstance(bound, float) else str(bound) for bound in (low, high))
        raise DataError(f"dataset.{name}={value}: must lie between {bounds}.")


def _check_labels(spec: DatasetSpec) -> None:
    if spec.negative is not None and spec.positive is None:
        raise DataError("dataset.negative is set but dataset.positive is not; give the positive labels too.")
    for name, group in (("positive", spec.positive), ("negative", spec.negative)):
        if group is not None and not group:
            raise DataError(f"dataset.{name}=[]: name at least one label, or leave the field out.")
        if group is not None and not all(
            isinstance(v, str) or (isinstance(v, int | float) and math.isfinite(v)) for v in group
        ):
            raise DataError(f"dataset.{name}={shorten(str(list(group)))}: labels must be texts or finite numbers.")
    both = {str(v) for v in spec.positive or ()} & {str(v) for v in spec.negative or ()}
    if both:
        raise DataError(
            f"Label {shorten(min(both).removesuffix('.0'))} is in both dataset.positive and dataset.negative."
        )


def _check_parts(spec: DatasetSpec) -> None:
    if spec.parts is None:
        if spec.validate and not isinstance(spec, ElasticData):
            raise DataError("dataset.validate=true needs dataset.parts=[train,validation,test], numbers of rows.")
        return
    given = ",".join(map(str, spec.parts))
    if len(spec.parts) != 3 or min(spec.parts) < 0 or spec.parts[0] < 2 or max(spec.parts) > _ROWS:
        raise DataError(
            f"dataset.parts=[{shorten(given)}]: [train,validation,test] are three numbers below 2^63, train at least 2."
        )
    part = 1 if spec.validate else 2
    if spec.parts[part] < 1:
        raise DataError(f"dataset.parts=[{given}]: no {('validation', 'test')[part - 1]} row is left to evaluate on.")
    if spec.validation_fraction is not None:
        raise DataError(
            "dataset.validation_fraction and dataset.parts both hold rows out: use dataset.parts with "
            "dataset.validate=true, or dataset.validation_fraction alone."
        )


def _check_files(spec: PublishedData | ElasticData, topic: str) -> None:
    where, roles = f"Data set {spec.name}", [file.role for file in spec.files]
    if spec.format == "auto":
        raise DataError(f"{where}: needs dataset.format, one of {', '.join(_CHOICES['format'][1:])}.")
    for file in spec.files:
        if file.role not in _ROLES:
            raise DataError(f"{where}: files.role={shorten(file.role)} is unknown; allowed are {', '.join(_ROLES)}.")
        if not file.name or "/" in file.name or "\\" in file.name:
            raise DataError(f"{where}: '{file.name}' is not a plain file name (dataset.files.name).")
        if file.sha256 and not (len(file.sha256) == 64 and set(file.sha256) <= set("0123456789abcdef")):
            raise DataError(f"{where}: the sha256 of {file.name} must be 64 lower-case hex digits.")
    once = [role for role in roles if spec.format != "libsvm" or role == "topics"]
    if len(set(once)) != len(once):
        raise DataError(f"{where}: each role may appear once in dataset.files, found {', '.join(roles)}.")
    if spec.format == "reuters" and (not topic or "topics" in roles):
        raise DataError(f"{where}: dataset.format=reuters needs dataset.topic and no file of topics.")
    if spec.format != "reuters" and bool(topic) != ("topics" in roles):
        raise DataError(f"{where}: dataset.topic and a file of role topics must come together.")
    labels = [f"{role}_labels" for role in ("train", "test") if spec.format == "idx" and role in roles]
    if missing := [role for role in ("train", *labels) if role not in roles]:
        raise DataError(f"{where}: dataset.files lacks a file of role {', '.join(missing)}.")


def _check_elastic(spec: ElasticData) -> None:
    if spec.format != "idx" or spec.file("test") is None:
        raise DataError(f"Data set {spec.name}: kind elastic is made of idx files, training and test images.")
    _check_between("n", spec.n, 2, 2**32)
    _check_between("n_test", spec.n_test, 2, 2**32)
    for name in ("parts", "validation_fraction"):
        if getattr(spec, name) is not None:
            raise DataError(
                f"dataset.{name}={getattr(spec, name)}: images of one original would be in several parts; "
                "dataset=mnist_elastic has its own parts, see dataset.n, dataset.n_test and dataset.validate."
            )
    in_memory = {"scaling": ("none",), "row_norm": ("none",), "storage": ("auto", "dense")}
    for name, allowed in in_memory.items() if spec.max_train is None else ():
        if getattr(spec, name) not in allowed:
            raise DataError(
                f"dataset.{name}={getattr(spec, name)}: needs all training rows, and here they are made when they are "
                "needed; dataset.max_train=60000 uses 60,000 rows, in memory."
            )
