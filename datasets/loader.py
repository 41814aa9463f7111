"""Loads a specification: reads and checks the files, divides them into parts, transforms, records the provenance.

The fingerprint of a data set is a hash of all that determines its arrays.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..support.disk_cache import default_cache_dir
from ..support.rounding import becomes_constant
from . import checks, transforms
from .elastic import GENERATOR_VERSION
from .errors import DataError, shorten
from .fetch import fetch, known_checksum, places_from_environment, read
from .parts import label_warnings, make_parts, make_rule
from .readers import format_of, reader_of, version_of
from .settings import check_spec
from .sklearn_data import CHECKSUMS, name_and_version
from .source import RawTables, by_role, read_tables, user_path
from .spec import (
    DatasetSpec,
    ElasticData,
    FileData,
    OpenmlData,
    PublishedData,
    ReadData,
    SklearnData,
    SplitData,
    SyntheticData,
    WithFiles,
    named,
)
from .types import Dataset, Features, Matrix, Stream, count_nonzero

log = logging.getLogger(__name__)


def load(
    spec: DatasetSpec,
    *,
    cache_dir: Path,
    mirrors: Sequence[Path] = (),
    note: Callable[[str], None] = log.warning,
) -> Dataset:
    """Load a data set. Where sizes are known before, the memory is checked before arrays are allocated.

    Parameters
    ----------
    spec
        The specification.
    cache_dir
        Folder of downloaded and prepared files; created if missing.
    mirrors
        Directories with files, searched before those of ``SVM_DATA_MIRROR``.
    note
        Takes a few words on each download, before it begins and while it lasts; by default the log gets
        them, as warnings, so that they are seen.

    Raises
    ------
    DataError
        The specification, a file, or its content is wrong.
    """
    check_spec(spec)
    try:
        return _loaded(named(spec), Path(cache_dir), (*map(Path, mirrors), *places_from_environment()), note)
    except MemoryError as error:
        name = spec.name or spec.kind
        raise DataError(
            f"Data set {name}: this machine has not the memory to read it ({shorten(str(error))})."
        ) from error


def _loaded(spec: DatasetSpec, cache_dir: Path, mirrors: Sequence[Path], note: Callable[[str], None]) -> Dataset:
    raw = read_tables(spec, cache_dir, mirrors, note)
    where = f"Data set {spec.name or spec.kind}"
    checks.check_table(raw.train, raw.describe_part(where, "train"))
    checks.check_expected(raw.train, spec.expected_train, f"{where}, training file")
    if raw.test is not None:
        checks.check_table(raw.test, raw.describe_part(where, "test"))
        checks.check_expected(raw.test, spec.expected_test, f"{where}, test file")
    d = checks.common_width(raw.train, raw.test, spec.d, pad=raw.pad, where=where)

    label_column = raw.train.label_column if isinstance(spec, ReadData) else ""
    groups, training_part = (spec.positive, spec.negative), raw.describe_part(where, "train")
    rule = make_rule(raw.train.y, *groups, training_part, raw.train.classes, has_columns=bool(label_column))
    train, test, division = make_parts(raw, spec, rule, where)

    is_users = isinstance(spec, FileData | OpenmlData)
    warnings = [*label_warnings(raw.train.classes, rule), *raw.train.warnings] if is_users else []
    warnings += checks.doubtful(raw.train) if is_users else []
    points: Matrix | Stream
    if isinstance(train.X, Stream) and spec.max_train is None:
        # other transforms do not support a stream
        points, X_test = (
            replace(train.X, divide_by=spec.divide_by),
            transforms.to_matrix(test.in_memory(), d, dense=True),
        )
        transforms.divide(X_test, spec.divide_by)
    else:
        points, X_test = _matrices(train.in_memory(), test.in_memory(), d, spec)
        checks.check_finite(points, X_test, raw.train, where)
        if is_users:
            warnings += checks.losses(points, raw.train, spec.scaling)
            if becomes_constant(points):
                raise DataError(
                    f"{where}: the features differ between rows, and all are equal when they are converted to float32; "
                    "dataset.scaling=standard scales them before."
                )
        points, X_test = transforms.to_float32(points), transforms.to_float32(X_test)
    if is_users and (spec.scaling, spec.row_norm) == ("none", "none") and isinstance(points, np.ndarray):
        warnings += checks.uneven_scales(points, raw.train)
    counts = {"train": _counts(points, train.y), "test": _counts(X_test, test.y)}
    empty = [
        f"{c['rows_without_features']} {part} rows have no feature; they are kept."
        for part, c in counts.items()
        if c.get("rows_without_features")
    ]
    provenance: dict[str, Any] = {
        "files": raw.files,
        "source": spec.source,
        "licence": spec.licence,
        "stand_in": bool(spec.stand_in),
        "stand_in_why": spec.stand_in,
        **division,
        "label_rule": f"column {label_column}: {rule.describe()}" if label_column else rule.describe(),
        "labels": asdict(rule),
        "transforms": _describe_transforms(spec, d, raw),
        "from_zero": raw.train.from_zero,
        "storage": "stream" if isinstance(points, Stream) else "sparse" if sparse.issparse(points) else "dense",
        "counts": counts,
        "remarks": [*spec.remarks, *empty],
        "warnings": warnings,
    }
    identity = fingerprint_of(spec, raw.checksums)
    return Dataset(spec.name, points, train.y, X_test, test.y, provenance, identity, raw.train.columns)


def fingerprint(
    spec: DatasetSpec,
    *,
    cache_dir: Path | None = None,
    mirrors: Sequence[Path] = (),
    note: Callable[[str], None] = log.warning,
) -> str:
    """Return the fingerprint of a data set; files are read, as by `load`, only if their checksums are not known.

    The default of ``cache_dir`` is `default_cache_dir`; ``note`` is that of `load`.

    Raises
    ------
    DataError
        The specification is wrong, or a file cannot be read.
    """
    check_spec(spec)
    folder = default_cache_dir() if cache_dir is None else Path(cache_dir)
    places = (*map(Path, mirrors), *places_from_environment())
    checksums: dict[str, str] = {}
    if isinstance(spec, WithFiles):
        checksums = by_role(
            (f.role, known_checksum(f, folder, places) or fetch(f, folder, places, note).sha256) for f in spec.files
        )
    if isinstance(spec, FileData):
        checksums = {"train": read(user_path(spec.train)).sha256}
        if spec.test:
            checksums["test"] = read(user_path(spec.test)).sha256
    return fingerprint_of(spec, checksums)


def fingerprint_of(spec: DatasetSpec, checksums: Mapping[str, str]) -> str:
    """Return the SHA-256, in hex, of all that determines the arrays; it is equal on every machine.

    Descriptions, names, addresses, paths and expected counts are not part of it.

    Parameters
    ----------
    spec
        The specification.
    checksums
        SHA-256 of the unpacked bytes of each file, by role (see `by_role`); empty where there are no files.
    """
    content: dict[str, Any] = {"version": version_of(spec), "kind": spec.kind, "files": dict(checksums)}
    content["labels"] = {"positive": _labels(spec.positive), "negative": _labels(spec.negative)}
    content["transforms"] = {"d": spec.d, "divide_by": float(spec.divide_by), "scaling": spec.scaling}
    content["storage"] = spec.storage
    # only if set: data sets without these settings keep the fingerprints of recorded runs
    if isinstance(spec, ReadData) and spec.zero_based is not None:
        content["transforms"]["zero_based"] = spec.zero_based
    if spec.row_norm != "none":
        content["transforms"]["row_norm"] = spec.row_norm
    if isinstance(spec, FileData | PublishedData):
        content["kind"] = "files"  # the origin of the same bytes does not matter
        paths = {"train": spec.train, "test": spec.test} if isinstance(spec, FileData) else {}
        content["formats"] = {
            role: reader_of(spec, format_of(paths.get(role, ""), spec.format), role)[0] for role in checksums
        }
    if isinstance(spec, SklearnData):
        content["sklearn"] = CHECKSUMS[spec.entry]
    if isinstance(spec, OpenmlData):
        content["openml"] = [*name_and_version(spec.entry), sorted(spec.drop_columns)]
    if isinstance(spec, SyntheticData):
        content["synthetic"] = [spec.shape, spec.n, spec.n_test, spec.data_seed]
        content["noise"] = float(spec.noise) if spec.shape == "noisy" else None
        content["margin"] = float(spec.margin) if spec.shape == "margin" else None
        if spec.shape == "rare":
            content["rare"] = [float(spec.rare), spec.directions]
    elif isinstance(spec, ElasticData):
        settings = [GENERATOR_VERSION, float(spec.sigma), float(spec.alpha), spec.data_seed, spec.n, spec.n_test]
        content["elastic"] = [*settings, "validation" if spec.validate else "test"]
    elif isinstance(spec, SplitData) and "test" not in checksums and spec.parts is None:
        content["split"] = [spec.split_seed, spec.test_count, None if spec.test_count else float(spec.test_fraction)]
    # these, too, only if set
    if spec.parts is not None:
        content["parts"] = [spec.split_seed, *spec.parts, "validation" if spec.validate else "test"]
    if spec.max_train is not None or spec.max_test is not None:
        content["sample"] = [spec.split_seed, spec.max_train, spec.max_test]
    if spec.validation_fraction is not None:
        content["validation"] = [spec.split_seed, float(spec.validation_fraction)]
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def stated_fingerprint(spec: DatasetSpec) -> str:
    """Return the fingerprint without reading a file: that of `datasets.fingerprint` where all checksums are stated.

    A published file without a checksum counts by its address, a user's file by its path.
    """
    files: dict[str, str] = {}
    if isinstance(spec, WithFiles):
        files = by_role((file.role, file.sha256 or file.url or file.name) for file in spec.files)
    if isinstance(spec, FileData):
        files = {"train": spec.train, **({"test": spec.test} if spec.test else {})}
    return fingerprint_of(spec, files)


def _labels(group: list[int | float | str] | None) -> list[float | str] | None:
    if group is None:
        return None
    texts = sorted({v for v in group if isinstance(v, str)})
    return [*sorted({float(v) for v in group if not isinstance(v, str)}), *texts]


def _matrices(train: Features, test: Features, d: int, spec: DatasetSpec) -> tuple[Matrix, Matrix]:
    """Return the transformed features of both parts."""
    dense = transforms.is_dense(count_nonzero(train), int(train.shape[0]), d, spec.storage)
    X, X_test = (transforms.to_matrix(part, d, dense=dense) for part in (train, test))
    for matrix in (X, X_test):
        transforms.divide(matrix, spec.divide_by)
    if spec.scaling == "minmax":
        transforms.minmax(X, X_test)
    if spec.scaling == "standard":
        transforms.standardise(X, X_test)
    if spec.row_norm == "l2":
        for matrix in (X, X_test):
            transforms.normalise_rows(matrix)
    if spec.row_norm == "longest":
        transforms.divide_by_longest(X, X_test)
    return X, X_test


def _describe_transforms(spec: DatasetSpec, d: int, raw: RawTables) -> list[str]:
    widths = {int(part.X.shape[1]) for part in (raw.train, raw.test) if part is not None}
    steps = {
        "indices counted from 0": raw.train.from_zero,
        f"padded with zeros to {d} features": widths != {d},
        f"divided by {spec.divide_by:g}": spec.divide_by != 1.0,
        "each feature scaled to [0, 1] by the training rows' range": spec.scaling == "minmax",
        "each feature standardised by the training rows' mean and standard deviation": spec.scaling == "standard",
        "each row divided by its Euclidean norm": spec.row_norm == "l2",
        "divided by the largest Euclidean norm of a training row": spec.row_norm == "longest",
    }
    return [step for step, made in steps.items() if made]


def _counts(X: Matrix | Stream, y: NDArray[np.int8]) -> dict[str, int]:
    counts = {"n": int(X.shape[0]), "d": int(X.shape[1]), "positives": int(np.count_nonzero(y > 0))}
    if isinstance(X, Stream):  # its rows do not exist yet
        return counts
    if sparse.issparse(X):
        entries, filled = int(X.nnz), int(np.count_nonzero(np.diff(X.indptr)))
    else:
        entries, filled = int(np.count_nonzero(X)), int(np.count_nonzero(np.asarray(X).any(axis=1)))
    return counts | {"nnz": entries, "rows_without_features": int(X.shape[0]) - filled}
