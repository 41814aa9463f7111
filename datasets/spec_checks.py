"""Checks of a specification before any file is read."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from svm_cost_curves.datasets.bundles import CHECKSUMS
from svm_cost_curves.datasets.errors import DataError, shorten
from svm_cost_curves.datasets.openml import name_and_version
from svm_cost_curves.datasets.spec import (
    FORMATS,
    KINDS,
    LONGEST_NAME,
    MAX_FEATURES,
    ROLES,
    ROW_NORMS,
    SCALINGS,
    SHAPES,
    STORAGES,
    DatasetSpec,
    ElasticData,
    FileData,
    OpenmlData,
    PublishedData,
    ReadData,
    SklearnData,
    SyntheticData,
)

_ROWS = 2**63 - 1
_CHOICES = {"format": FORMATS, "row_norm": ROW_NORMS, "scaling": SCALINGS, "shape": SHAPES, "storage": STORAGES}
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
        if name in _CHOICES:
            _one_of(name, value, _CHOICES[name])
        if value is not None and name in _BETWEEN:
            _check_between(name, value, *_BETWEEN[name])
        if value is not None and name in _INSIDE:
            low, high = _INSIDE[name]
            if not low < value < high:
                raise DataError(f"dataset.{name}={value}: must lie between {low:g} and {high:g}, both excluded.")
    _check_name(spec.name)
    _check_labels(spec)
    _check_parts(spec)
    if isinstance(spec, FileData):
        if not spec.train:
            raise DataError(
                "dataset=file needs a path: dataset=file:PATH or dataset.train=PATH (LIBSVM text, .csv, .npz, "
                ".parquet, .arff); dataset.test=PATH is optional."
            )
        _check_texts(spec, has_test_file=bool(spec.test))
    if isinstance(spec, PublishedData):
        _check_texts(spec, has_test_file=spec.file("test") is not None)
        _check_files(spec, spec.topic)
    if isinstance(spec, ElasticData):
        _check_files(spec, "")
        _check_elastic(spec)
    if isinstance(spec, SklearnData) and spec.entry not in CHECKSUMS:
        raise DataError(
            f"dataset=sklearn:{shorten(spec.entry) or 'NAME'}: NAME is one of {', '.join(CHECKSUMS)}, "
            "which scikit-learn bundles."
        )
    if isinstance(spec, OpenmlData):
        name_and_version(spec.entry)
    if isinstance(spec, SyntheticData):
        _check_synthetic(spec)


def _check_name(name: str) -> None:
    if len(name) > LONGEST_NAME + len("...") or not name.isprintable() or name.strip() != name:
        raise DataError(
            f"dataset.name={shorten(name)}: a name has at most {LONGEST_NAME} printable characters, and no blank at "
            "either end."
        )


def _one_of(name: str, value: str, allowed: Iterable[str]) -> None:
    if value not in allowed:
        raise DataError(f"dataset.{name}={shorten(value)}: unknown; allowed are {', '.join(allowed)}.")


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
        if group is not None and not all(isinstance(v, str) or math.isfinite(v) for v in group):
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


def _check_texts(spec: ReadData, *, has_test_file: bool) -> None:
    if spec.format == "messages" and has_test_file:
        raise DataError(
            "dataset.format=messages takes one archive, which is split: a second one would have other features."
        )


def _check_files(spec: PublishedData | ElasticData, topic: str) -> None:
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
    if spec.format == "reuters" and (not topic or "topics" in roles):
        raise DataError(f"Data set {spec.name}: dataset.format=reuters needs dataset.topic and no file of topics.")
    if spec.format != "reuters" and bool(topic) != ("topics" in roles):
        raise DataError(f"Data set {spec.name}: dataset.topic and a file of role topics must come together.")
    _check_roles(spec, roles)


def _check_roles(spec: PublishedData | ElasticData, roles: Sequence[str]) -> None:
    needed = ["train"]
    if spec.format == "idx":
        needed += ["train_labels"] + (["test_labels"] if "test" in roles else [])
    missing = [r for r in needed if r not in roles]
    if missing:
        raise DataError(f"Data set {spec.name}: dataset.files lacks a file of role {', '.join(missing)}.")


def _check_elastic(spec: ElasticData) -> None:
    if spec.format != "idx" or spec.file("test") is None:
        raise DataError(f"Data set {spec.name}: kind elastic is made of idx files, training and test images.")
    _check_between("n", spec.n, 2, 2**32)
    _check_between("n_test", spec.n_test, 2, 2**32)
    for name, given in (("parts", spec.parts), ("validation_fraction", spec.validation_fraction)):
        if given is not None:
            raise DataError(
                f"dataset.{name}={given}: images of one original would be in several parts; dataset=mnist_elastic has "
                "its own parts, see dataset.n, dataset.n_test and dataset.validate."
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
                    "dataset.max_train=60000 uses 60,000 rows, in memory."
                )


def _check_synthetic(spec: SyntheticData) -> None:
    if spec.d is None:
        raise DataError("dataset=synthetic needs dataset.d, the number of features.")
    if not 0 <= spec.noise < 0.5:
        raise DataError(f"dataset.noise={spec.noise}: a share of flipped labels, at least 0 and below 0.5.")
    if spec.shape == "rare":
        _check_between("directions", spec.directions, 2, spec.d)
